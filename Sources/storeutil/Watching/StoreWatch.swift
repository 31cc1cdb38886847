import FoundationEssentials
import ManagedObjects
import PropertyLists
import SQLiteStore
import SystemFiles

/// Finds the objects of a store that other processes save.
///
/// The store is open only while it is read, and nothing is written. Between changes, only the metadata of its files is
/// checked, such as their modification times.
struct StoreWatch {
  /// An object that was saved.
  struct Change {
    enum Kind: String { case inserted, changed, deleted }

    let kind: Kind
    let id: ManagedObjectID
    /// The names of the properties with new values, if they are known.
    var properties: [String] = []
    /// The transaction in the history; nil for a store without a history.
    var transaction: PersistentHistoryTransaction?
  }

  private let url: URL
  private let path: String
  private let kind: StoreKind
  private let model: ManagedObjectModel
  private var known: Known
  private var files: [FileIdentity?]
  /// True if the files were modified so recently that another write may not change their modification time.
  private var isRecent = true

  /// The last known state of the store, with which the next state is compared.
  private enum Known {
    /// The number of the last transaction in the history.
    case history(Int64)
    case rows([ObjectKey: Row])
  }

  /// The key of a row without the number of the store, because that number is different each time the store is opened.
  private struct ObjectKey: Hashable, Comparable {
    let entity: Int32
    let number: Int64

    init(_ key: RowKey) { (entity, number) = (key.entityIndex, key.number) }

    static func < (first: ObjectKey, second: ObjectKey) -> Bool {
      (first.entity, first.number) < (second.entity, second.number)
    }
  }

  private struct Row: Equatable {
    let version: Int64
    /// The hashes of the row's values, by slot.
    let hashes: [Int]
  }

  /// The age of a file, in seconds, after which a write certainly changes its modification time.
  private static let settledAge = 0.1

  /// Reads the current state of a store, with which the next state is compared.
  init(_ path: String, _ opening: OpeningArguments) throws {
    self.path = path
    url = URL(filePath: path)
    kind = try StoreKind(path)
    files = Self.identities(path)
    let opened = try opening.open(path)
    model = opened.model
    known = .rows([:])
    known = try reading(opened.store) { store in try start(store) }
  }

  /// Returns the entity with a name from the command line.
  func entity(_ name: String) throws -> ManagedObjectModel.Entity { try model.entity(onCommandLine: name) }

  /// True if changes are read from the history of the store.
  var usesHistory: Bool { if case .history = known { true } else { false } }

  /// Returns the changes since the last call, if the files of the store have changed.
  ///
  /// - Throws: ``ManagedObjectError``. A store that is locked is read in the next call.
  mutating func changes() throws -> [Change] {
    let current = Self.identities(path)
    if current == files, !isRecent { return [] }
    let ages = current.compactMap { $0?.secondsSinceModification }
    do {
      let store = try kind.open(url, model, .readOnly(writesNothing: kind.isUnused(path)))
      let found = try reading(store) { store in try changes(in: store) }
      // A file that changes while it is read without locks may yield a mixture of two states, so the result is
      // discarded.
      guard Self.identities(path) == current else {
        isRecent = true
        return []
      }
      files = current
      isRecent = ages.contains { $0 < Self.settledAge }
      known = found.known
      return found.changes
    } catch let error as ManagedObjectError {
      guard error.code == .locked || error.code == .timeout || Self.identities(path) != current else { throw error }
      isRecent = true
      return []
    }
  }

  private static func identities(_ path: String) -> [FileIdentity?] {
    let path = FileSystem.target(of: path)
    return [path, path + "-wal"].map { (try? FileIdentity(at: $0)) ?? nil }
  }

  /// Calls `body` with a consistent state of a store.
  private func reading<Result>(
    _ store: any PersistentStore, _ body: (any PersistentStore) throws -> Result
  ) throws -> Result {
    try (store as? SQLiteStore)?.beginReading()
    defer { try? (store as? SQLiteStore)?.endReading() }
    return try body(store)
  }

  private func start(_ store: any PersistentStore) throws -> Known {
    if let number = try (store as? SQLiteStore)?.lastHistoryNumber() { return .history(number) }
    return .rows(try rows(store, after: [:]))
  }

  private func changes(in store: any PersistentStore) throws -> (changes: [Change], known: Known) {
    switch known {
    case .history(let number):
      let transactions = try (store as? SQLiteStore)?.history(after: number) ?? []
      let changes = transactions.flatMap { transaction in
        transaction.changes.map { change in
          Change(
            kind: Change.Kind(change.kind), id: change.objectID, properties: change.updatedProperties,
            transaction: transaction)
        }
      }
      return (changes, .history(transactions.last?.number ?? number))
    case .rows(let old):
      let new = try rows(store, after: old)
      return (changes(from: old, to: new, in: store), .rows(new))
    }
  }

  /// Returns the rows of a store. Rows whose version has not changed are not read again.
  private func rows(_ store: any PersistentStore, after old: [ObjectKey: Row]) throws -> [ObjectKey: Row] {
    var rows: [ObjectKey: Row] = [:]
    var unread: [RowKey] = []
    if let sqlite = store as? SQLiteStore {
      for (key, version) in try sqlite.rowVersions() {
        let objectKey = ObjectKey(key)
        if let row = old[objectKey], row.version == version { rows[objectKey] = row } else { unread.append(key) }
      }
    } else {
      let reader = ObjectReader(OpenStore(store))
      unread = try model.entities.filter { $0.superentity == nil }.flatMap { try reader.keys(FetchRequest($0.name)) }
    }
    for start in stride(from: 0, to: unread.count, by: ObjectReader.batchSize) {
      for case let row? in try store.rows(Array(unread[start..<min(start + ObjectReader.batchSize, unread.count)])) {
        rows[ObjectKey(row.key)] = Row(version: row.version, hashes: row.values.map(Self.hash))
      }
    }
    return rows
  }

  /// Returns the hash of a value. It does not depend on the number of the open store.
  private static func hash(_ value: RowValue) -> Int {
    switch value {
    case .attribute(let value): value.hashValue
    case .unread: 0
    case .toOne(let key): key.map(ObjectKey.init).hashValue
    case .toMany(let keys): keys.reduce(keys.count) { $0 ^ ObjectKey($1).hashValue }
    case .orderedToMany(let keys): keys.map(ObjectKey.init).hashValue
    }
  }

  private func changes(
    from old: [ObjectKey: Row], to new: [ObjectKey: Row], in store: any PersistentStore
  ) -> [Change] {
    var changes: [(kind: Change.Kind, key: ObjectKey, properties: [String])] = []
    for (key, row) in new {
      guard let before = old[key] else {
        changes.append((.inserted, key, []))
        continue
      }
      if before == row { continue }
      let entity = ManagedObjectModel.Entity(model: model, index: Int(key.entity))
      let names = entity.properties.filter { property in
        before.hashes.indices.contains(property.slot) && row.hashes.indices.contains(property.slot)
          && before.hashes[property.slot] != row.hashes[property.slot]
      }.map(\.name)
      changes.append((.changed, key, names))
    }
    for key in old.keys where new[key] == nil { changes.append((.deleted, key, [])) }
    return changes.sorted { ($0.kind.rank, $0.key) < ($1.kind.rank, $1.key) }.map { kind, key, properties in
      let key = RowKey(store: store.number, entityIndex: Int(key.entity), number: key.number)
      return Change(
        kind: kind, id: ManagedObjectID(key, model: model, storeIdentifier: store.identifier), properties: properties)
    }
  }
}

extension StoreWatch.Change.Kind {
  fileprivate init(_ kind: PersistentHistoryChange.Kind) {
    self =
      switch kind {
      case .insert: .inserted
      case .update: .changed
      case .delete: .deleted
      }
  }

  fileprivate var rank: Int {
    switch self {
    case .inserted: 0
    case .changed: 1
    case .deleted: 2
    }
  }
}
