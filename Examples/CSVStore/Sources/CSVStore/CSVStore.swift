import Foundation
import ManagedObjects
import OrderedCollections
import PropertyLists
import Synchronization

/// A store in a folder of CSV files, one per entity, which spreadsheets and scripts can read.
///
/// ```swift
/// let store = PersistentStoreDescription { model, _ in try CSVStore(folder, model: model) }
/// let container = try PersistentContainer(model: model, stores: [store])
/// ```
///
/// The columns `_number` and `_version` come first, then a column for each attribute and each relationship. A
/// relationship lists its objects, such as `Person/7 Person/9`. An empty field is null; `""` is an empty string.
///
/// All rows are kept in memory, in a `RowTable` that executes requests and validates changes. A save atomically writes
/// the files of the entities that it changes: see ``CSVFolder``. A lock file prevents other stores from opening the
/// folder.
public final class CSVStore: PersistentStore {
  public let number = StoreNumber.next()
  public let model: ManagedObjectModel
  public let identifier: String
  public var configuration: String? { nil }
  public var isReadOnly: Bool { false }

  private let folder: CSVFolder
  private let state: Mutex<State>

  private struct State {
    var table: RowTable
    var metadata: StoreMetadata
    /// The highest object number that was ever used, including deleted objects.
    var lastNumber: Int64
    /// The number of saves, in this and all earlier processes.
    var saveCount: Int64
  }

  /// Opens the store in a folder. Creates the folder if it does not exist.
  ///
  /// - Throws: `ManagedObjectError` with the code `locked` if another store has opened the folder,
  ///   `incompatibleVersionHash` if the folder belongs to another model, `incompatibleSchema` if CSV files cannot store
  ///   the model, and `open`, with file and line, if a file cannot be read.
  public init(_ url: URL, model: ManagedObjectModel) throws(ManagedObjectError) {
    try CSVRows.check(model)
    self.model = model
    folder = try CSVFolder(url)
    var metadata = StoreMetadata(identifier: UUID().uuidString, type: "CSV", model: model, configuration: nil)
    var (lastNumber, saveCount): (Int64, Int64) = (0, 0)
    if let saved = try folder.readInfo() {
      metadata = StoreMetadata(file: saved.metadata, identifier: saved.identifier, type: "CSV")
      try metadata.check(model, nil)
      (lastNumber, saveCount) = (saved.lastNumber, saved.saveCount)
    }
    identifier = metadata.identifier
    var table = RowTable(model: model, storeNumber: number)
    var rows = StoreChanges()
    for entity in model.entities where !entity.isAbstract {
      guard let text = try folder.read(entity.name) else { continue }
      rows.inserted += try CSVRows.read(text, of: entity, store: number)
    }
    // The table validates values, and sets the inverse sides of relationships.
    try table.apply(rows, identifier: identifier)
    try CSVRows.checkReferences(rows.inserted, in: table)
    lastNumber = max(lastNumber, table.lastNumber)
    state = Mutex(State(table: table, metadata: metadata, lastNumber: lastNumber, saveCount: saveCount))
  }

  public var metadata: OrderedDictionary<String, PropertyList> { state.withLock { $0.metadata.values } }

  public var changeToken: String? { state.withLock { "\($0.saveCount)" } }

  public func setMetadata(_ metadata: OrderedDictionary<String, PropertyList>) {
    state.withLock { $0.metadata.replace(with: metadata) }
  }

  public func makeKeys(_ entityIndices: [Int]) throws(ManagedObjectError) -> [RowKey] {
    try state.withLock { state throws(ManagedObjectError) in
      try RowKey.makeKeys(entityIndices, store: number, after: &state.lastNumber)
    }
  }

  public func rows(_ keys: [RowKey]) throws(ManagedObjectError) -> [StoreRow?] {
    state.withLock { state in keys.map { state.table.row($0) } }
  }

  public func fetch(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> StoreFetchResult {
    // A copy, so that other threads can read and save at the same time.
    let table = state.withLock { $0.table }
    return try table.fetch(request, of: entity)
  }

  @discardableResult
  public func save(_ changes: StoreChanges) throws(ManagedObjectError) -> [RowKey] {
    try state.withLock { state throws(ManagedObjectError) in
      // The store's table is replaced after the files are written.
      var table = state.table
      let mended = try table.apply(changes, identifier: identifier)
      let lastNumber = max(state.lastNumber, table.lastNumber)
      let keys = [changes.inserted, changes.updated, changes.deleted].joined().map(\.key) + mended
      var files: OrderedDictionary<String, String> = [:]
      for index in Set(keys.map { Int($0.entityIndex) }).sorted() {
        let entity = model.entities[index]
        files[entity.name] = try CSVRows.text(table.rows(ofEntity: index), of: entity)
      }
      let info = CSVFolder.Info(
        identifier: identifier, lastNumber: lastNumber, saveCount: state.saveCount + 1,
        metadata: state.metadata.values)
      try folder.write(files, info)
      state.table = table
      state.lastNumber = lastNumber
      state.saveCount += 1
      return mended
    }
  }
}
