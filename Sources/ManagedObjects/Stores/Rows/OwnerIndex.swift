internal import ObjectModels
internal import Predicates

/// Finds who has an object in a to-many relationship without an inverse.
///
/// Each object can be in such a relationship of one other: SQLite stores have a column for the one in the object's row.
/// Files of other kinds may say more.
struct OwnerIndex: Sendable {
  /// The entity that has the relationship, and all that inherit it.
  let entities: Range<Int>
  /// The entities of the objects that it leads to.
  let destination: Range<Int>
  let slot: Int
  /// The owner of each object; nil as long as nobody asked.
  private var owners: [RowKey: RowKey]?
  /// The owners of objects that have several, beside the first.
  private var others: [RowKey: Set<RowKey>] = [:]

  private init(entities: Range<Int>, destination: Range<Int>, slot: Int) {
    self.entities = entities
    self.destination = destination
    self.slot = slot
  }

  /// The indexes of all relationships of a model, without rows.
  static func all(_ model: ManagedObjectModel) -> [OwnerIndex] {
    model.entities.flatMap { entity in
      entity.toManyRelationshipsWithoutInverse.map {
        OwnerIndex(entities: entity.subtree, destination: entity.destination(of: $0).subtree, slot: $0.slot)
      }
    }
  }

  var isMade: Bool { owners != nil }

  /// Those that have an object in the relationship. None in an index that is not made.
  func owners(of key: RowKey) -> [RowKey] {
    guard let first = owners?[key] else { return [] }
    guard !others.isEmpty, let others = others[key] else { return [first] }
    return [first] + others.sorted()
  }

  /// Makes the index of the rows that are there, unless it was made.
  mutating func build(_ entityRows: [EntityRows]) {
    guard owners == nil else { return }
    owners = [:]
    for entity in entities {
      for row in entityRows[entity].rows { add(row) }
    }
  }

  /// Forgets a row that goes or gets other values. Does nothing in an index that is not made.
  mutating func remove(_ row: StoreRow) {
    guard owners != nil, entities.contains(Int(row.key.entityIndex)) else { return }
    row.values[slot].forEachKey { key in
      if owners?[key] == row.key { owners?[key] = others[key]?.popFirst() } else { others[key]?.remove(row.key) }
      if others[key]?.isEmpty == true { others[key] = nil }
    }
  }

  /// Notes a new row, or the new values of one. Does nothing in an index that is not made.
  mutating func add(_ row: StoreRow) {
    guard owners != nil, entities.contains(Int(row.key.entityIndex)) else { return }
    row.values[slot].forEachKey { key in
      if let owner = owners?[key], owner != row.key {
        others[key, default: []].insert(row.key)
      } else {
        owners?[key] = row.key
      }
    }
  }

  /// True if both have the same. For tests.
  func _isEqual(to other: OwnerIndex) -> Bool {
    guard let owners, let those = other.owners, owners.count == those.count else { return owners == other.owners }
    return owners.keys.allSatisfy { Set(self.owners(of: $0)) == Set(other.owners(of: $0)) }
  }
}
