public import FoundationEssentials
public import ManagedObjects
public import OrderedCollections
public import PropertyLists
package import SQLiteAccess
internal import Synchronization
internal import SystemFiles

/// A store in an SQLite file with Core Data's schema.
///
/// ```swift
/// let model = try SQLiteStore.model(inFile: file)
/// let container = try PersistentContainer(model: model, stores: [.sqlite(file)])
/// ```
///
/// The store opens files that Core Data wrote, and keeps them in Core Data's format. To-many relationships are read
/// when you access them. Each request sees all changes that other processes have saved before it.
public final class SQLiteStore: PersistentStore {
  /// The value of ``StoreMetadataKey/type``.
  public static let type = MetadataTable.storeType

  /// The URL of the file.
  public let url: URL
  public let number: StoreNumber
  public let identifier: String
  public let model: ManagedObjectModel
  public let configuration: String?
  public var isReadOnly: Bool { access.isReadOnly }
  /// The reasons why this package cannot save to the store: parts of the model or the file that it cannot write as Core
  /// Data would, and triggers, views and virtual tables of other programs. Each is a message such as `the store has a
  /// history of its changes`. Empty for most stores.
  ///
  /// If this is not empty, ``save(_:)`` throws, and a new store with the model cannot be created.
  ///
  /// ```swift
  /// for obstacle in store.writingObstacles { print("The store cannot be changed: \(obstacle)") }
  /// ```
  public let writingObstacles: [String]
  public let modelMismatches: [ModelMismatch]

  let access: StoreAccess
  /// True for a store that reads the state of its file in one transaction, which lasts until the store is released.
  let isSnapshot: Bool
  private let state: Mutex<StoreState>
  /// The streams of executed statements. The snapshots of the store report to the same ones.
  let statementStreams: StatementStreams

  /// Opens a store. Creates an empty one if the file does not exist.
  ///
  /// Add the store to a coordinator to use its objects in a context:
  ///
  /// ```swift
  /// let store = try SQLiteStore(file, model: model, access: .readWrite(createsFile: false))
  /// let coordinator = PersistentStoreCoordinator(model: model)
  /// try coordinator.add(store)
  /// let context = ManagedObjectContext(coordinator: coordinator)
  /// ```
  ///
  /// - Parameters:
  ///   - file: The URL of the store.
  ///   - model: The model of its objects.
  ///   - configuration: The configuration whose entities the store has; nil for all entities.
  ///   - access: The access to the file: read-only or for saving, with options for saves.
  ///   - options: The options of the connection to the file, such as the time to wait for other processes.
  /// - Throws: ``ManagedObjectError/Code/noSuchFile`` if the file does not exist and is not created,
  ///   ``ManagedObjectError/Code/incompatibleVersionHash`` if the store was made with another model,
  ///   ``ManagedObjectError/Code/storeTypeMismatch`` if it is a store of another kind, ``ManagedObjectError/Code/open``
  ///   if the file cannot be read or is not a store, ``ManagedObjectError/Code/save`` if a new store of the model
  ///   cannot be created, ``ManagedObjectError/Code/operation`` if `access` requests a history and another program
  ///   records it, ``ManagedObjectError/Code/invalidValue`` for an option that is not allowed, and
  ///   ``ManagedObjectError/Code/wrongEncryptionKey`` and ``ManagedObjectError/Code/encryptionUnavailable`` for a key.
  public convenience init(
    _ file: URL, model: ManagedObjectModel, configuration: String? = nil, access: StoreAccess = .readWrite,
    options: SQLiteStoreOptions = SQLiteStoreOptions()
  ) throws(ManagedObjectError) {
    try self.init(file, model, configuration, access, options)
  }

  /// Opens a store read-only without its model, with a model made from its tables. Use it for files written before
  /// 2015, which do not embed their model, if the program's model is lost.
  ///
  /// ```swift
  /// let store = try SQLiteStore(tablesOf: file)
  /// print(store.model.entities.map(\.name))  // ["Note", "Person"]
  /// ```
  ///
  /// ``tableModel(ofFile:writesNothing:)`` describes the model.
  ///
  /// - Parameters:
  ///   - file: The URL of the store.
  ///   - writesNothing: True to write nothing at all, not even the files that SQLite needs to share the store with
  ///     other processes. No other process may save to the store while it is open.
  /// - Throws: The errors of ``init(_:model:configuration:access:options:)``.
  public convenience init(tablesOf file: URL, writesNothing: Bool = false) throws(ManagedObjectError) {
    let model = try Self.tableModel(ofFile: file, writesNothing: writesNothing)
    try self.init(file, model, nil, .readOnly(writesNothing: writesNothing), checksHashes: false)
  }

  /// Opens a store for ``trySaving(_:)``, which rolls each save back. A leftover write-ahead log is not checkpointed
  /// into the file.
  package convenience init(
    forTrialsIn file: URL, model: ManagedObjectModel, allowsTriggers: Bool = false
  ) throws(ManagedObjectError) {
    try self.init(file, model, nil, .trial(allowsTriggers: allowsTriggers))
  }

  /// Opens a store read-only with the model that it embeds. Reading the model first and then opening the store would
  /// open the file twice, and a store that must be read from a copy would be copied twice.
  ///
  /// - Throws: The errors of ``model(inFile:writesNothing:)`` and of opening a store.
  package convenience init(withModelInFile file: URL, writesNothing: Bool) throws(ManagedObjectError) {
    try self.init(file, nil, nil, .readOnly(writesNothing: writesNothing))
  }

  /// Creates a store at a temporary path. The caller moves the store to `file` when it is complete. Errors contain the
  /// URL `file`.
  ///
  /// - Parameter path: The temporary path.
  package convenience init(
    unfinishedAt path: String, for file: URL, model: ManagedObjectModel, configuration: String? = nil
  ) throws(ManagedObjectError) {
    try self.init(file, model, configuration, .readWrite, at: path)
  }

  private init(
    _ file: URL, _ given: ManagedObjectModel?, _ configuration: String?, _ access: StoreAccess,
    _ options: SQLiteStoreOptions = SQLiteStoreOptions(), at unfinished: String? = nil, checksHashes: Bool = true
  ) throws(ManagedObjectError) {
    let number = StoreNumber.next()
    let opened = try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      try given?.checkConfiguration(configuration)
      let name = try StoreFile.path(of: file)
      let path = unfinished ?? name
      try Self.prepare(path, createsFile: access.createsFile)
      return try StoreState(
        path: path, named: name, given, configuration, number, access, options, checksHashes: checksHashes)
    }
    url = file
    self.number = number
    identifier = opened.metadata.identifier
    writingObstacles = opened.obstacles
    modelMismatches = opened.fitted?.mismatches ?? []
    model = opened.schema.model
    self.configuration = configuration
    self.access = access
    isSnapshot = false
    statementStreams = StatementStreams()
    state = Mutex(opened)
  }

  /// Creates a store that reads the file of another one in the transaction of `opened`, with the same keys.
  init(snapshotOf store: SQLiteStore, _ opened: sending StoreState, _ access: StoreAccess) {
    url = store.url
    number = store.number
    identifier = store.identifier
    writingObstacles = store.writingObstacles
    modelMismatches = store.modelMismatches
    model = store.model
    configuration = store.configuration
    self.access = access
    isSnapshot = true
    statementStreams = store.statementStreams
    state = Mutex(opened)
  }

  /// Creates the missing parent folders of a file. Throws if the file does not exist and `createsFile` is false.
  private static func prepare(_ path: String, createsFile: Bool) throws(ManagedObjectError) {
    if FileSystem.exists(path) { return }
    if !createsFile { try ManagedObjectError.checkFile(at: path) }
    do { try FileSystem.makeFolder(FileSystem.parent(of: path), below: nil, permissions: 0o777) } catch {
      throw ManagedObjectError(.open, error.message)
    }
  }

  public var metadata: OrderedDictionary<String, PropertyList> { lockingState(nil) { $0.currentMetadata() } }

  /// A string that changes with each change of the file or its write-ahead log; nil if the file does not exist or
  /// cannot be read. A writable store first checkpoints the log if no other connection uses it, so that closing the
  /// store does not change the token.
  public var changeToken: String? {
    if isSnapshot { return nil }
    return lockingState(nil) { $0.changeToken(canWrite: !isReadOnly) }
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

  /// Calls `body` with the state of the store, under the lock. If an error concerns the file, adds the URL of the file
  /// to it.
  ///
  /// - Parameter request: The number of a request that calls this several times; nil for a new number.
  func withState<Result: Sendable>(
    _ request: Int? = nil, _ body: (inout StoreState) throws(ManagedObjectError) -> Result
  ) throws(ManagedObjectError) -> Result {
    do throws(ManagedObjectError) {
      return try lockingState(request, body)
    } catch {
      throw error.namingStore(url)
    }
  }

  /// Calls `body` with the state of the store, under the lock. Reports its statements as those of one request.
  private func lockingState<Result: Sendable, Failure: Error>(
    _ request: Int?, _ body: (inout StoreState) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var observers = statementStreams.traces
    if let recorder = StatementRecorder.current {
      observers.append(SQLiteTrace { recorder.recordStatement($0.sql) })
    }
    return try state.withLock { state throws(Failure) in
      let database = state.database
      guard !observers.isEmpty || database.isTraced else { return try body(&state) }
      database.beginRequest(request ?? SQLiteTrace.nextRequest(), observers)
      defer { database.endRequest() }
      return try body(&state)
    }
  }

  /// Calls `body` to read from the file, as ``withState(_:)`` does. If another process may have changed the tables,
  /// checks afterwards that they still match the model.
  ///
  /// - Parameter request: The number of a request that calls this several times; nil for a new number.
  /// - Throws: ``ManagedObjectError/Code/incompatibleVersionHash`` if the store now has another model.
  func reading<Result: Sendable>(
    _ request: Int? = nil, _ body: (inout StoreState) throws(ManagedObjectError) -> Result
  ) throws(ManagedObjectError) -> Result {
    try withState(request) { state throws(ManagedObjectError) in
      if isSnapshot { try state.checkIsReading() }
      let result: Result
      do throws(ManagedObjectError) { result = try body(&state) } catch { throw state.errorOfReading(error) }
      if state.database.mayHaveOtherTables { try state.checkTables() }
      return result
    }
  }

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
    let entity = try own(entity)
    return try reading { state throws(ManagedObjectError) in try state.perform(request, of: entity) }
  }

  /// Returns the entity of this store's model that is equal to an entity.
  private func own(_ entity: ManagedObjectModel.Entity) throws(ManagedObjectError) -> ManagedObjectModel.Entity {
    guard entity.model === model || entity.model == model else {
      throw ManagedObjectError(.unsupportedRequest, "the entity \(entity.name.quoted) belongs to another model")
    }
    return ManagedObjectModel.Entity(model: model, index: entity.index)
  }

  package func externalFile(ofSlot slot: Int, _ key: RowKey) throws(ManagedObjectError) -> String? {
    try reading { state throws(ManagedObjectError) in try state.externalFile(ofSlot: slot, key) }
  }

  @discardableResult
  public func save(_ changes: StoreChanges) throws(ManagedObjectError) -> [RowKey] {
    try write(changes, keepsChanges: true)
  }

  func checkIsWritable() throws(ManagedObjectError) {
    if access.ignoresModelVersion { throw ManagedObjectError.ignoringModelVersion(url.path).naming(url) }
    if isReadOnly { throw ManagedObjectError(.save, "\(url.path): the store is open for reading only").naming(url) }
  }

  private func write(_ changes: StoreChanges, keepsChanges: Bool) throws(ManagedObjectError) -> [RowKey] {
    try checkIsWritable()
    return try withState { state throws(ManagedObjectError) in
      try state.checkObstacles()
      return try state.apply(changes, keepsChanges: keepsChanges)
    }
  }

  // Reading one state of the file, to copy a store.

  package func beginReading() throws(ManagedObjectError) {
    try withState { state throws(ManagedObjectError) in try state.database.execute("BEGIN") }
  }

  package func endReading() throws(ManagedObjectError) {
    try withState { state throws(ManagedObjectError) in
      if state.database.isInTransaction { try state.database.execute("ROLLBACK") }
    }
  }
}

extension SQLiteStore: PageReading {
  package func fetchInPages(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> PagedFetchResult {
    let entity = try own(entity)
    return try reading { state throws(ManagedObjectError) in try state.performInPages(request, of: entity) }
  }

  package func pagedRows(_ keys: [RowKey]) throws(ManagedObjectError) -> PagedRows {
    try reading { state throws(ManagedObjectError) in try state.pagedRows(keys) }
  }
}

extension SQLiteStore: TransactionalStore {
  package func fill(
    _ keys: [RowKey], read: (ArraySlice<RowKey>, RowPart) throws(ManagedObjectError) -> [StoreRow]
  ) throws(ManagedObjectError) {
    try checkIsWritable()
    let keys = keys.sorted()
    try withState { state throws(ManagedObjectError) in try state.fill(keys, read: read) }
  }
}

extension SQLiteStore: TrialSaving {
  /// Saves changes in a transaction and rolls it back, to find out whether the save would succeed. Returns the same
  /// keys as ``save(_:)``.
  package func trySaving(_ changes: StoreChanges) throws(ManagedObjectError) -> [RowKey] {
    try write(changes, keepsChanges: false)
  }
}

/// Functions that read the model and the metadata of a file.
extension SQLiteStore {
  /// Returns the model that a store embeds.
  ///
  /// ```swift
  /// let model = try SQLiteStore.model(inFile: file)
  /// print(model["Note"]?.attributes.map(\.name) ?? [])  // ["created", "title"]
  /// ```
  ///
  /// - Parameter writesNothing: True to write nothing at all, as when opening a store. No other process may save to the
  ///   store meanwhile.
  /// - Throws: ``ManagedObjectError/Code/open`` if the file does not exist, is not a store, or does not embed its
  ///   model, like files written before 2015; ``ManagedObjectError/Code/storeTypeMismatch`` if it is a store of another
  ///   kind.
  public static func model(
    inFile file: URL, writesNothing: Bool = false
  ) throws(ManagedObjectError) -> ManagedObjectModel {
    try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      try ModelCache.model(in: openForReading(file, writesNothing))
    }
  }

  /// Returns a model that is derived from the tables of a store, for a store whose model is lost.
  ///
  /// The model has the names of the entities and their inheritance. Properties are named after their columns, in lower
  /// case, and belong to the root entity of their table. Integers, Booleans and the keys of most to-one relationships
  /// become 64-bit integers; archives and UUIDs become data. The model has three kinds of relationships: many-to-many
  /// ones, to-one ones that can lead to several entities, and to-many ones without an inverse.
  ///
  /// ```swift
  /// let model = try SQLiteStore.tableModel(ofFile: file)
  /// for attribute in model["Note"]?.attributes ?? [] { print(attribute.name, attribute.definition.type) }
  /// // created date
  /// // folder integer64
  /// // title string
  /// ```
  ///
  /// - Parameter writesNothing: True to write nothing at all, as when opening a store. No other process may save to the
  ///   store meanwhile.
  /// - Throws: ``ManagedObjectError/Code/open`` if the file does not exist or is not a store,
  ///   ``ManagedObjectError/Code/storeTypeMismatch`` if it is a store of another kind.
  public static func tableModel(
    ofFile file: URL, writesNothing: Bool = false
  ) throws(ManagedObjectError) -> ManagedObjectModel {
    try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      let database = try openForReading(file, writesNothing)
      return try TableModel.make(of: FileSchema(database), database)
    }
  }

  /// Returns the metadata of a store without reading its objects.
  ///
  /// ```swift
  /// let metadata = try SQLiteStore.metadata(ofFile: file)
  /// print(metadata[StoreMetadataKey.identifier]?.string ?? "")  // A40782A8-629F-4466-A0B7-E5AB025EBFB2
  /// ```
  ///
  /// - Parameter writesNothing: True to write nothing at all, as when opening a store. No other process may save to the
  ///   store meanwhile.
  /// - Throws: ``ManagedObjectError/Code/open`` if the file does not exist or is not a store,
  ///   ``ManagedObjectError/Code/storeTypeMismatch`` if it is a store of another kind.
  public static func metadata(
    ofFile file: URL, writesNothing: Bool
  ) throws(ManagedObjectError) -> OrderedDictionary<String, PropertyList> {
    try metadata(ofFile: file, writesNothing: writesNothing, ConnectionOptions())
  }

  /// Returns the metadata of a store, as the public function does.
  static func metadata(
    ofFile file: URL, writesNothing: Bool, _ options: ConnectionOptions
  ) throws(ManagedObjectError) -> OrderedDictionary<String, PropertyList> {
    try ManagedObjectError.naming(file) { () throws(ManagedObjectError) in
      let database = try openForReading(file, writesNothing, options)
      _ = try FileSchema(database)
      return try MetadataTable.read(database).values
    }
  }

  /// Returns the SQL statements that create an empty store for a model: tables, then indexes and triggers, in Core
  /// Data's order.
  ///
  /// ```swift
  /// let model = try ManagedObjectModel(entities: [EntityDescription("Note", [.attribute("title", .string)])])
  /// print(try SQLiteStore.schemaStatements(of: model)[0])
  /// // CREATE TABLE ZNOTE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR )
  /// ```
  ///
  /// - Throws: ``ManagedObjectError/Code/save`` if a store for the model cannot be created.
  public static func schemaStatements(of model: ManagedObjectModel) throws(ManagedObjectError) -> [String] {
    let schema = StoreSchema(model, configuration: nil)
    let obstacles = WritingObstacles.inNewStore(schema)
    if !obstacles.isEmpty { throw WritingObstacles.error(obstacles, "the store") }
    return SchemaStatements(schema: schema).all
  }

  package static func openForReading(
    _ file: URL, _ writesNothing: Bool, _ options: ConnectionOptions = ConnectionOptions()
  ) throws(ManagedObjectError) -> Database {
    try Database(path: StoreFile.path(of: file), writesNothing ? .immutable : .readOnly, options)
  }

  /// The number of statements executed so far, for tests.
  package var executedStatementCount: Int { state.withLock { $0.database.executedStatements } }

  /// True if SQLite calls a function for each statement, for tests.
  package var isTraced: Bool { state.withLock { $0.database.isTraced } }
}
