internal import ObjectModels
internal import Predicates

/// An index that finds the row with given values for a uniqueness constraint.
package struct UniquenessIndex: Sendable {
  /// The entity that has the constraint, and its subentities.
  package let entities: Range<Int>
  /// The names of the properties in the constraint.
  package let names: [String]
  private let slots: [Int]
  /// The keys of the rows, by their values; nil until the index is built.
  private(set) var keys: [Values: RowKey]?

  /// The values of a row in the properties of the constraint.
  package enum Values: Hashable, Sendable {
    case one(RowValue)
    case several([RowValue])
  }

  /// Returns an index for each uniqueness constraint of a model. The indexes are not built.
  static func all(_ model: ManagedObjectModel) -> [UniquenessIndex] {
    model.entities.flatMap { entity in
      entity.definition.uniquenessConstraints.map { names in
        UniquenessIndex(
          entities: entity.subtree, names: names, slots: names.compactMap { entity.property(named: $0)?.slot })
      }
    }
  }

  /// Returns the values of a row in the constraint; nil if one of them is null, because null values never violate it.
  package func values(_ row: StoreRow) -> Values? {
    if slots.count == 1 {
      let value = row.values[slots[0]]
      return value.isNothing ? nil : .one(value)
    }
    var values: [RowValue] = []
    values.reserveCapacity(slots.count)
    for slot in slots {
      if row.values[slot].isNothing { return nil }
      values.append(row.values[slot])
    }
    return .several(values)
  }

  /// Builds the index from the rows, unless it is built already.
  mutating func build(_ entityRows: [EntityRows]) {
    guard keys == nil else { return }
    var keys: [Values: RowKey] = [:]
    keys.reserveCapacity(entities.reduce(0) { $0 + entityRows[$1].count })
    for entity in entities {
      for row in entityRows[entity].rows {
        if let values = values(row) { keys[values] = row.key }
      }
    }
    self.keys = keys
  }

  /// Removes a row. Must be called before the row is deleted or changed. Does nothing if the index is not built.
  mutating func remove(_ row: StoreRow) {
    guard keys != nil, entities.contains(Int(row.key.entityIndex)), let values = values(row), keys?[values] == row.key
    else { return }
    keys?[values] = nil
  }

  /// Adds a new or changed row. Does nothing if the index is not built.
  mutating func add(_ row: StoreRow) {
    guard keys != nil, entities.contains(Int(row.key.entityIndex)), let values = values(row) else { return }
    keys?[values] = row.key
  }
}

extension RowValue {
  fileprivate var isNothing: Bool {
    switch self {
    case .attribute(.null), .toOne(nil): true
    default: false
    }
  }
}
