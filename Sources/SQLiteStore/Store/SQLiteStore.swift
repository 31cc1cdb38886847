public import FoundationEssentials
public import ManagedObjects
public import OrderedCollections
public import PropertyLists
internal import Synchronization
internal import SystemFiles

/// A store in an SQLite file, with the tables that Core Data makes.
///
/// ```swift
/// let model = try SQLiteStore.model(inFile: file)
/// let container = try PersistentContainer(model: model, stores: [.sqlite(file)])
/// ```
///
/// It opens files that Core Data wrote, and leaves them in the form that Core Data writes. To-many relationships are
/// read when they are asked for. The next request finds everything that other processes have saved.
public final class SQLiteStore: PersistentStore {
  /// The value of ``StoreMetadataKey/type``.
  public static let type = MetadataTable.storeType

  /// The URL of the file.
  public let url: URL
  public let number: StoreNumber
  public let identifier: String
  public let model: ManagedObjectModel
  public let configuration: String?
  public let isReadOnly: Bool
  /// The reasons why nothing can be saved in the store, although it can be read: parts of its model or its file that
  /// cannot be written as Core Data would write them, and triggers, views and virtual tables of other programs. Each is
  /// a text such as `the store has a history of its changes`. Empty for most stores.
  ///
  /// ``save(_:)`` is an error with them. A new store is not made then.
  public let writingObstacles: [String]

  private let state: Mutex<StoreState>

  /// Opens a store, or makes one without objects if there is no file.
  ///
  /// - Parameters:
  ///   - file: where the store is.
  ///   - model: the model of its objects.
  ///   - configuration: the configuration whose entities the store has; nil for all.
  ///   - access: what may be done with the file.
  /// - Throws: ``ManagedObjectError/Code/noSuchFile`` for a file that is not there and is not to be made,
  ///   ``ManagedObjectError/Code/incompatibleVersionHash`` for a store of another model, and
  ///   ``ManagedObjectError/Code/open`` for a file that cannot be read, or is no store.
  public convenience init(
    _ file: URL, model: ManagedObjectModel, configuration: String? = nil, access: StoreAccess = .readWrite
  ) throws(ManagedObjectError) {
    try self.init(file, model, configuration, access)
  }

  /// Opens a store without its model to read it, by its tables alone: those of before 2015, for which nobody has the
  /// model of their program.
  ///
  /// ``tableModel(ofFile:writesNothing:)`` says what can be told of the objects.
  ///
  /// - Parameters:
  ///   - file: where the store is.
  ///   - writesNothing: true to write nothing at all, not even the files beside the store by which SQLite shares it.
  ///     Nobody may save into it meanwhile.
  /// - Throws: as ``init(_:model:configuration:access:)``.
  public convenience init(tablesOf file: URL, writesNothing: Bool = false) throws(ManagedObjectError) {
    let model = try Self.tableModel(ofFile: file, writesNothing: writesNothing)
    try self.init(file, model, nil, .readOnly(writesNothing: writesNothing), checksHashes: false)
  }

  /// Opens a store for changes that are tried and taken back: ``trySaving(_:)``. A log that was left over beside it is
  /// not put into the file.
  package convenience init(
    forTrialsIn file: URL, model: ManagedObjectModel, allowsTriggers: Bool = false
  ) throws(ManagedObjectError) {
    try self.init(file, model, nil, .trial(allowsTriggers: allowsTriggers))
  }

  /// Opens a store with the model that it has in itself, to read it. The file is opened once: one that is read from a
  /// copy is copied once.
  ///
  /// - Throws: as ``model(inFile:writesNothing:)``, and as opening a store.
  package convenience init(withModelInFile file: URL, writesNothing: Bool) throws(ManagedObjectError) {
    try self.init(file, nil, nil, .readOnly(writesNothing: writesNothing))
  }

  /// Makes a store that gets its place when all is in it. Errors name that place.
  ///
  /// - Parameter path: where the file is until then.
  package convenience init(
    unfinishedAt path: String, for file: URL, model: ManagedObjectModel
  ) throws(ManagedObjectError) {
    try self.init(file, model, nil, .readWrite, at: path)
  }

  private init(
    _ file: URL, _ given: ManagedObjectModel?, _ configuration: String?, _ access: StoreAccess,
    at unfinished: String? = nil, checksHashes: Bool = true
  ) throws(ManagedObjectError) {
    let number = StoreNumber.next()
    let opened = try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      try given?.checkConfiguration(configuration)
      let name = try Self.path(of: file)
      let path = unfinished ?? name
      try Self.prepare(path, createsFile: access.createsFile)
      return try StoreState(path: path, named: name, given, configuration, number, access, checksHashes: checksHashes)
    }
    url = file
    self.number = number
    identifier = opened.metadata.identifier
    writingObstacles = opened.obstacles
    model = opened.schema.model
    self.configuration = configuration
    isReadOnly = access.isReadOnly
    state = Mutex(opened)
  }

  /// Makes the folders that are missing for a file, or throws if there is no file and none is to be made.
  private static func prepare(_ path: String, createsFile: Bool) throws(ManagedObjectError) {
    if FileSystem.exists(path) { return }
    if !createsFile { try ManagedObjectError.checkFile(at: path) }
    do { try FileSystem.makeFolder(FileSystem.parent(of: path), below: nil, permissions: 0o777) } catch {
      throw ManagedObjectError(.open, error.message)
    }
  }

  package static func path(of url: URL) throws(ManagedObjectError) -> String {
    guard url.isFileURL else { throw ManagedObjectError(.open, "\(url.absoluteString.quoted) is no file URL") }
    return url.path
  }

  public var metadata: OrderedDictionary<String, PropertyList> { state.withLock { $0.currentMetadata() } }

  /// The state of the file and of the log of changes beside it. What is in the log is put into the file first if nobody
  /// else uses it just now, so that closing the store changes nothing.
  public var changeToken: String? {
    guard let token = try? withState({ state throws(ManagedObjectError) in state.changeToken(canWrite: !isReadOnly) })
    else { return nil }
    return token
  }

  public func changesByOthers() throws(ManagedObjectError) -> SavedChanges? {
    try reading { state throws(ManagedObjectError) in try state.changesByOthers() }
  }

  public func setMetadata(_ metadata: OrderedDictionary<String, PropertyList>) {
    state.withLock { state in
      state.metadata.replace(with: metadata)
      state.hasNewMetadata = true
    }
  }

  /// Uses the file. Errors name it.
  func withState<Result: Sendable>(
    _ body: (inout StoreState) throws(ManagedObjectError) -> Result
  ) throws(ManagedObjectError) -> Result {
    do { return try state.withLock { state throws(ManagedObjectError) in try body(&state) } } catch {
      // A defect of an object or a request is not about the file.
      let isOfFile =
        error.objectID == nil && error.details.isEmpty && error.conflicts.isEmpty && error.predicateError == nil
      throw isOfFile ? error.naming(url) : error
    }
  }

  /// Reads from the file. Tables that others have made since the store was opened do not pass for those of its model.
  /// Errors name the file.
  ///
  /// - Throws: ``ManagedObjectError/Code/incompatibleVersionHash`` for a store that has another model by now.
  func reading<Result: Sendable>(
    _ body: (inout StoreState) throws(ManagedObjectError) -> Result
  ) throws(ManagedObjectError) -> Result {
    try withState { state throws(ManagedObjectError) in
      let result: Result
      do throws(ManagedObjectError) { result = try body(&state) } catch { throw state.errorOfReading(error) }
      if state.database.mayHaveOtherTables { try state.checkTables() }
      return result
    }
  }

  /// Sets the time that a save waits for another process that saves, in milliseconds. For tests.
  func wait(_ time: Int32) { state.withLock { $0.database.wait(time) } }

  public func makeKeys(_ entityIndices: [Int]) throws(ManagedObjectError) -> [RowKey] {
    try withState { state throws(ManagedObjectError) in try state.nextKeys(entityIndices) }
  }

  public func reserveKeys(_ entityIndices: [Int]) throws(ManagedObjectError) -> [RowKey] {
    try withState { state throws(ManagedObjectError) in try state.reserveKeys(entityIndices) }
  }

  public func rows(_ keys: [RowKey]) throws(ManagedObjectError) -> [StoreRow?] {
    try reading { state throws(ManagedObjectError) in try state.rows(keys) }
  }

  public func values(ofSlot slot: Int, _ keys: [RowKey]) throws(ManagedObjectError) -> [RowValue?] {
    try reading { state throws(ManagedObjectError) in try state.values(ofSlot: slot, keys) }
  }

  public func fetch(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> StoreFetchResult {
    guard entity.model === model || entity.model == model else {
      throw ManagedObjectError(.unsupportedRequest, "the entity \(entity.name.quoted) is one of another model")
    }
    return try reading { state throws(ManagedObjectError) in
      try state.perform(request, of: ManagedObjectModel.Entity(model: model, index: entity.index))
    }
  }

  /// The path of the file beside the store that has the value of a slot, whether it is there or not; nil for a value
  /// that is in the store itself.
  package func externalFile(ofSlot slot: Int, _ key: RowKey) throws(ManagedObjectError) -> String? {
    try reading { state throws(ManagedObjectError) in try state.externalFile(ofSlot: slot, key) }
  }

  @discardableResult
  public func save(_ changes: StoreChanges) throws(ManagedObjectError) -> [RowKey] {
    try write(changes, keepsChanges: true)
  }

  func checkIsWritable() throws(ManagedObjectError) {
    if isReadOnly { throw ManagedObjectError(.save, "\(url.path): the store is open for reading only") }
  }

  private func write(_ changes: StoreChanges, keepsChanges: Bool) throws(ManagedObjectError) -> [RowKey] {
    try checkIsWritable()
    return try withState { state throws(ManagedObjectError) in
      try state.checkObstacles()
      return try state.apply(changes, keepsChanges: keepsChanges)
    }
  }

  // Copies of all there is.

  /// Reads one state of the file from now on, also if another process saves, until ``endReading()``.
  package func beginReading() throws(ManagedObjectError) {
    try withState { state throws(ManagedObjectError) in try state.database.execute("BEGIN") }
  }

  package func endReading() throws(ManagedObjectError) {
    try withState { state throws(ManagedObjectError) in
      if state.database.isInTransaction { try state.database.execute("ROLLBACK") }
    }
  }
}

/// What is read of rows at once to fill a store.
package enum RowPart: Sendable {
  /// Attributes and to-one relationships.
  case columns
  /// The relationships in some slots, which have something in other rows or tables.
  case links([Int])
}

extension SQLiteStore {
  /// Puts all rows of another store into this one, which has none: all or none, in one transaction. No history is
  /// written.
  ///
  /// What is in memory does not grow with the rows, but for their keys and for what relationships of one object have.
  ///
  /// - Parameters:
  ///   - keys: the keys of all rows, each once.
  ///   - read: returns the rows of some keys of one entity, with the keys that they have here. The values that are not
  ///     asked for can be ``RowValue/unread``. It must not use this store.
  /// - Throws: as ``save(_:)``.
  /// - Complexity: O(*n* log *n*).
  package func fill(
    _ keys: [RowKey], read: (ArraySlice<RowKey>, RowPart) throws(ManagedObjectError) -> [StoreRow]
  ) throws(ManagedObjectError) {
    try checkIsWritable()
    let keys = keys.sorted()
    try withState { state throws(ManagedObjectError) in try state.fill(keys, read: read) }
  }
}

extension SQLiteStore: TrialSaving {
  /// The transaction is rolled back.
  package func trySaving(_ changes: StoreChanges) throws(ManagedObjectError) -> [RowKey] {
    try write(changes, keepsChanges: false)
  }
}

/// The model and the metadata of a file.
extension SQLiteStore {
  /// The model that a store has in itself.
  ///
  /// - Parameter writesNothing: true to write nothing at all, as in opening a store. Nobody may save into it meanwhile.
  /// - Throws: ``ManagedObjectError/Code/open`` for a file that is no store, and for one without a model: those of
  ///   before 2015 have none.
  public static func model(
    inFile file: URL, writesNothing: Bool = false
  ) throws(ManagedObjectError) -> ManagedObjectModel {
    try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      try ModelCache.model(in: openForReading(file, writesNothing))
    }
  }

  /// The model that the tables of a store tell of.
  ///
  /// The entities are there with their names, and what they inherit from. Properties have the names of columns in lower
  /// case, and all are those of the entity at the top of a table. Integers, truth values and the keys of most to-one
  /// relationships are integers of 64 bits; archives and UUIDs are data. Relationships that are to-many on both sides
  /// are known, to-one ones that can lead to objects of several entities, and to-many ones without an inverse.
  ///
  /// - Parameter writesNothing: true to write nothing at all, as in opening a store. Nobody may save into it meanwhile.
  /// - Throws: ``ManagedObjectError/Code/open`` for a file that is no store.
  public static func tableModel(
    ofFile file: URL, writesNothing: Bool = false
  ) throws(ManagedObjectError) -> ManagedObjectModel {
    try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      let database = try openForReading(file, writesNothing)
      return try TableModel.make(of: FileSchema(database), database)
    }
  }

  /// The metadata of a store, without its objects.
  ///
  /// - Parameter writesNothing: true to write nothing at all, as in opening a store. Nobody may save into it meanwhile.
  /// - Throws: ``ManagedObjectError/Code/open`` for a file that is no store.
  public static func metadata(
    ofFile file: URL, writesNothing: Bool = false
  ) throws(ManagedObjectError) -> OrderedDictionary<String, PropertyList> {
    try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      let database = try openForReading(file, writesNothing)
      _ = try FileSchema(database)
      return try MetadataTable.read(database).values
    }
  }

  /// The statements in SQL that make a store of a model, without its objects: tables, then indexes, in Core Data's
  /// order.
  ///
  /// - Throws: ``ManagedObjectError/Code/save`` if no store of the model can be made.
  public static func schemaStatements(of model: ManagedObjectModel) throws(ManagedObjectError) -> [String] {
    let schema = StoreSchema(model, configuration: nil)
    let obstacles = WritingObstacles.inNewStore(schema)
    if !obstacles.isEmpty { throw WritingObstacles.error(obstacles, "the store") }
    return SchemaStatements(schema: schema).all
  }

  package static func openForReading(_ file: URL, _ writesNothing: Bool) throws(ManagedObjectError) -> Database {
    try Database(path: path(of: file), writesNothing ? .immutable : .readOnly)
  }

  // Counts and statements, for tests.

  /// The number of statements that were run so far.
  package var executedStatementCount: Int { state.withLock { $0.database.executedStatements } }

  /// The statement of a request, and whether it says all of it.
  package func statement(for request: FetchRequest) throws(ManagedObjectError) -> (sql: String, isComplete: Bool) {
    try state.withLock { state throws(ManagedObjectError) in
      guard let entity = model.entity(named: request.entityName) else { return ("", false) }
      try request.check(for: entity)
      if request.resultType == .dictionaries {
        return state.projection(request, of: entity).map { ($0.query.sql, true) } ?? ("", false)
      }
      let query = state.selection(of: entity).flatMap { state.query(for: request, of: entity, $0) }
      return query.map { ($0.sql, $0.isComplete) } ?? ("", false)
    }
  }

  /// The way that SQLite executes the statement of a request: a line for each step.
  package func plan(of request: FetchRequest) throws(ManagedObjectError) -> [String] {
    let sql = try statement(for: request).sql
    return try state.withLock { state throws(ManagedObjectError) in
      let statement = try state.database.statement("EXPLAIN QUERY PLAN " + sql)
      var lines: [String] = []
      try statement.forEachRow { lines.append(statement.text(3)) }
      return lines
    }
  }
}
