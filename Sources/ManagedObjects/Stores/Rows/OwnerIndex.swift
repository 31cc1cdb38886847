internal import ObjectModels
internal import Predicates

/// An index that finds the owner of an object: the row that refers to the object in a to-many relationship without an
/// inverse.
///
/// An object can have only one owner for each relationship, because SQLite stores keep the owner in a column of the
/// object's row. XML and binary files may still contain objects with several owners.
struct OwnerIndex: Sendable {
  /// The entity that has the relationship, and its subentities.
  let entities: Range<Int>
  /// The destination entity of the relationship, and its subentities.
  let destination: Range<Int>
  let slot: Int
  /// The owner of each object that has an owner; nil until the index is built.
  private var owners: [RowKey: RowKey]?
  /// For each object with several owners, the owners that are not in ``owners``.
  private var others: [RowKey: Set<RowKey>] = [:]

  private init(entities: Range<Int>, destination: Range<Int>, slot: Int) {
    self.entities = entities
    self.destination = destination
    self.slot = slot
  }

  /// Returns an index for each to-many relationship without an inverse in a model. The indexes are not built.
  static func all(_ model: ManagedObjectModel) -> [OwnerIndex] {
    model.entities.flatMap { entity in
      entity.toManyRelationshipsWithoutInverse.map {
        OwnerIndex(entities: entity.subtree, destination: entity.destination(of: $0).subtree, slot: $0.slot)
      }
    }
  }

  var isMade: Bool { owners != nil }

  /// Returns the owners of an object. Empty if the index is not built.
  func owners(of key: RowKey) -> [RowKey] {
    guard let first = owners?[key] else { return [] }
    guard !others.isEmpty, let others = others[key] else { return [first] }
    return [first] + others.sorted()
  }

  /// Builds the index from the rows, unless it is built already.
  mutating func build(_ entityRows: [EntityRows]) {
    guard owners == nil else { return }
    owners = [:]
    for entity in entities {
      for row in entityRows[entity].rows { add(row) }
    }
  }

  /// Removes a row as an owner. Must be called before the row is deleted or changed. Does nothing if the index is not
  /// built.
  mutating func remove(_ row: StoreRow) {
    guard owners != nil, entities.contains(Int(row.key.entityIndex)) else { return }
    row.values[slot].forEachKey { key in
      if owners?[key] == row.key { owners?[key] = others[key]?.popFirst() } else { others[key]?.remove(row.key) }
      if others[key]?.isEmpty == true { others[key] = nil }
    }
  }

  /// Adds a new or changed row as an owner. Does nothing if the index is not built.
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

  /// True if both indexes have the same contents. For tests.
  func _isEqual(to other: OwnerIndex) -> Bool {
    guard let owners, let those = other.owners, owners.count == those.count else { return owners == other.owners }
    return owners.keys.allSatisfy { Set(self.owners(of: $0)) == Set(other.owners(of: $0)) }
  }
}
