public import FoundationEssentials
internal import ObjectModels
public import OrderedCollections
public import Predicates
public import PropertyLists
internal import Synchronization

/// A store without a file. Its objects are lost when the store is released. Most programs describe it with
/// ``PersistentStoreDescription/inMemory``.
///
/// ```swift
/// let store = try InMemoryStore(model: model)
/// let coordinator = PersistentStoreCoordinator(model: model)
/// try coordinator.add(store)
/// ```
public final class InMemoryStore: PersistentStore {
  /// The value of ``StoreMetadataKey/type``.
  public static let type = "InMemory"

  public let number: StoreNumber
  public let identifier: String
  public let model: ManagedObjectModel
  public let configuration: String?
  /// True if the store is the snapshot of another one.
  public let isReadOnly: Bool

  private let state: Mutex<State>

  private struct State {
    var table: RowTable
    var metadata: StoreMetadata
    var lastNumber: Int64 = 0
  }

  /// Creates a store without objects.
  ///
  /// - Parameters:
  ///   - model: the model of the store.
  ///   - configuration: the configuration whose entities the store has; nil for all.
  ///   - identifier: the value of ``StoreMetadataKey/identifier``.
  /// - Throws: ``ManagedObjectError/Code/open`` for a configuration that the model does not have.
  public init(
    model: ManagedObjectModel, configuration: String? = nil, identifier: String = UUID().uuidString
  ) throws(ManagedObjectError) {
    try model.checkConfiguration(configuration)
    let number = StoreNumber.next()
    self.number = number
    self.identifier = identifier
    self.model = model
    self.configuration = configuration
    isReadOnly = false
    state = Mutex(
      State(
        table: RowTable(model: model, storeNumber: number, configuration: configuration),
        metadata: StoreMetadata(identifier: identifier, type: Self.type, model: model, configuration: configuration)))
  }

  /// Creates a store with the rows of a file or of another store.
  ///
  /// - Parameter lastNumber: the highest primary key that an object has or had.
  init(
    _ table: RowTable, _ metadata: StoreMetadata, configuration: String?, lastNumber: Int64, isReadOnly: Bool = false
  ) {
    number = table.storeNumber
    identifier = metadata.identifier
    model = table.model
    self.configuration = configuration
    self.isReadOnly = isReadOnly
    state = Mutex(State(table: table, metadata: metadata, lastNumber: lastNumber))
  }

  /// The rows, and the highest primary key that an object has or had.
  var contents: (table: RowTable, lastNumber: Int64) { state.withLock { ($0.table, $0.lastNumber) } }

  public var metadata: OrderedDictionary<String, PropertyList> { state.withLock { $0.metadata.values } }

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
    // Fetches from a copy, so that other threads can use the store meanwhile.
    let table = state.withLock { $0.table }
    return try table.fetch(request, of: entity)
  }

  /// Returns a store with the present objects. It shares the memory of their rows: the next save that changes an entity
  /// copies the array of its rows, but not their values. A snapshot returns itself.
  ///
  /// - Complexity: O(1).
  public func snapshot() throws(ManagedObjectError) -> any PersistentStore {
    if isReadOnly { return self }
    return state.withLock { state in
      InMemoryStore(
        state.table, state.metadata, configuration: configuration, lastNumber: state.lastNumber, isReadOnly: true)
    }
  }

  @discardableResult
  public func save(_ changes: StoreChanges) throws(ManagedObjectError) -> [RowKey] {
    if isReadOnly {
      throw ManagedObjectError(.save, "the store \(identifier.printable(limit: 80)) is a snapshot for reading only")
    }
    return try state.withLock { state throws(ManagedObjectError) in
      let mended = try state.table.apply(changes, identifier: identifier)
      state.lastNumber = max(state.lastNumber, changes.inserted.reduce(0) { max($0, $1.key.number) })
      return mended
    }
  }

  /// Returns the first defect found, if any. For tests.
  func _checkInvariants() -> String? { state.withLock { $0.table._checkInvariants() } }
}

extension RowKey {
  /// Returns keys with consecutive numbers that follow the last used one. Stores can implement
  /// ``PersistentStore/makeKeys(_:)`` with this method.
  ///
  /// ```swift
  /// var last: Int64 = 7
  /// let keys = try RowKey.makeKeys([0, 0, 3], store: number, after: &last)
  /// print(keys.map(\.number), last)                        // [8, 9, 10] 10
  /// ```
  ///
  /// - Parameters:
  ///   - entityIndices: the index in the model of each new object's entity.
  ///   - store: the number of the store.
  ///   - last: the highest number that the store has given to an object. The method increases it by the number of keys.
  /// - Throws: ``ManagedObjectError/Code/operation`` if no numbers are left.
  public static func makeKeys(
    _ entityIndices: [Int], store: StoreNumber, after last: inout Int64
  ) throws(ManagedObjectError) -> [RowKey] {
    let (end, isTooHigh) = last.addingReportingOverflow(Int64(entityIndices.count))
    guard !isTooHigh, entityIndices.allSatisfy({ Int32(exactly: $0) != nil }) else {
      throw ManagedObjectError(.operation, "the store has no primary key left for another object")
    }
    let first = last
    last = end
    return entityIndices.enumerated().map { index, entity in
      RowKey(store: store, entityIndex: entity, number: first + Int64(index) + 1)
    }
  }
}

extension RowTable {
  /// Executes a request, as ``PersistentStore/fetch(_:of:)`` does.
  ///
  /// - Throws: ``ManagedObjectError/Code/unsupportedRequest`` for a request that does not fit the entity, or an entity
  ///   of another model.
  /// - Complexity: O(*n*) in the rows of the entity; O(*n* log *n*) to sort the results.
  public func fetch(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> StoreFetchResult {
    guard entity.model === model || entity.model == model else {
      throw ManagedObjectError(.unsupportedRequest, "the entity \(entity.name.quoted) belongs to another model")
    }
    return try request.execute(on: self, of: ManagedObjectModel.Entity(model: model, index: entity.index))
  }
}

extension ManagedObjectModel {
  /// Checks that the model has a configuration. Nil, which means all entities, is always valid.
  ///
  /// - Throws: ``ManagedObjectError/Code/open`` for a name that is not a configuration of the model.
  public func checkConfiguration(_ name: String?) throws(ManagedObjectError) {
    guard let name, configurations[name] == nil else { return }
    throw ManagedObjectError(.open, "the model has no configuration \(name.quoted)")
  }
}
