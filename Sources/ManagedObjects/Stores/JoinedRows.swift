internal import ObjectModels
internal import Predicates

/// The rows that a request finds in several stores, and the rows that they refer to, read into memory to be sorted or
/// evaluated together.
struct JoinedRows: RowSource {
  let model: ManagedObjectModel
  let storeNumber = StoreNumber.none
  private let stores: [any PersistentStore]
  /// The rows that were found, by entity, in the order of the stores.
  private var found: [Int: [StoreRow]] = [:]
  /// All rows that the request can access, by key: the rows that were found, and the rows that key paths and constants
  /// lead to. Empty if the request reads only attributes of the rows that were found.
  private var known: [RowKey: StoreRow] = [:]

  /// Reads the rows that the request needs in addition to those that were found.
  ///
  /// - Parameters:
  ///   - found: rows in the order of the stores.
  ///   - request: the request to execute on the rows.
  init(
    _ found: [StoreRow], for request: FetchRequest, _ model: ManagedObjectModel, in stores: [any PersistentStore]
  ) throws(ManagedObjectError) {
    self.model = model
    self.stores = stores
    for row in found { self.found[Int(row.key.entityIndex), default: []].append(row) }
    let keys = RequestKeys(request)
    let names = keys.namesReadLater(in: model)
    if names.isEmpty, keys.objects.isEmpty { return }
    known = Dictionary(found.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    var level = found.map(\.key)
    level += try read(keys.objects)
    for _ in 0..<keys.greatestDistance(names) {
      let targets = try complete(level, names)
      level = try read(targets)
      if level.isEmpty { break }
    }
    for (index, rows) in self.found { self.found[index] = rows.map { known[$0.key] ?? $0 } }
  }

  /// Reads the rows of keys into ``known``, except those that it already contains.
  ///
  /// - Returns: the keys of the rows that were read.
  private mutating func read(_ keys: Set<RowKey>) throws(ManagedObjectError) -> [RowKey] {
    var read: [RowKey] = []
    let unknown = keys.filter { known[$0] == nil }
    for store in stores {
      let own = unknown.filter { $0.store == store.number }.sorted()
      guard !own.isEmpty else { continue }
      for row in try store.rows(own) {
        guard let row else { continue }
        known[row.key] = row
        read.append(row.key)
      }
    }
    return read
  }

  /// For rows of ``known``, reads the named properties whose values are ``RowValue/unread``.
  ///
  /// - Returns: the keys that the rows refer to in these properties.
  private mutating func complete(_ keys: [RowKey], _ names: Set<String>) throws(ManagedObjectError) -> Set<RowKey> {
    var targets: Set<RowKey> = []
    for ((store, index), keys) in Self.parts(keys) {
      guard let store = stores.first(where: { $0.number == store }) else { continue }
      let slots = model.records[index].slotsReadLater(names)
      if slots.isEmpty { continue }
      // Removes the rows from ``known``, so that they can be changed without a copy.
      var rows = keys.compactMap { known.removeValue(forKey: $0) }
      defer { for row in rows { known[row.key] = row } }
      try rows.readRest(slots, model, store.values)
      for row in rows {
        for slot in slots where row.values.indices.contains(slot) { row.values[slot].forEachKey { targets.insert($0) } }
      }
    }
    return targets
  }

  /// Groups keys by store and entity.
  private static func parts(_ keys: [RowKey]) -> [((store: StoreNumber, entityIndex: Int), [RowKey])] {
    var parts: [((store: StoreNumber, entityIndex: Int), [RowKey])] = []
    for key in keys.sorted() {
      if let last = parts.indices.last, parts[last].0 == (key.store, Int(key.entityIndex)) {
        parts[last].1.append(key)
      } else {
        parts.append(((key.store, Int(key.entityIndex)), [key]))
      }
    }
    return parts
  }

  func rows(ofEntity index: Int) -> [StoreRow] { found[index] ?? [] }

  func row(_ key: RowKey) -> StoreRow? { known[key] }
}
