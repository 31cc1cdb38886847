import ManagedObjects
import SQLQueries
import SQLiteStore

/// An index of the objects of an entity by the values of some of its attributes.
///
/// It is created by reading each object once, and keeps the values in memory.
struct KeyIndex {
  /// The objects, by the values of their attributes. For each list of values, at most three objects are kept: enough
  /// for an error that lists several objects with the same values.
  private var keys: [[AttributeValue]: [RowKey]] = [:]
  /// True if the store rounds decimal numbers.
  private let roundsDecimals: Bool

  private static let greatestCount = 3

  /// Reads the objects of an entity and its subentities.
  ///
  /// - Parameters:
  ///   - attributes: the names of the attributes.
  ///   - wanted: the values to include; nil for all.
  ///   - context: a context whose unsaved changes are included.
  init(
    _ opened: OpenStore, _ entity: ManagedObjectModel.Entity, _ attributes: [String], among wanted: [[AttributeValue]]?,
    _ context: ManagedObjectContext
  ) throws(ManagedObjectError) {
    roundsDecimals = opened.store is SQLiteStore
    let wanted = wanted?.map { Self.stored($0, roundsDecimals) }
    let slotsOfEntity = Dictionary(
      uniqueKeysWithValues: entity.selfAndDescendants.map { entity in
        (entity.index, attributes.map { name in entity.attribute(named: name)?.slot })
      })
    let changed = context.insertedObjects.union(context.updatedObjects)
      .filter { $0.entity.isKind(of: entity) }.sorted { $0.objectID.key < $1.objectID.key }
    let changedKeys = Set(changed.map(\.objectID.key))
    var request = FetchRequest(entity.name)
    if let wanted {
      // The condition leaves out attributes that only subentities have, so it can find more objects than wanted.
      request.predicate = .and(
        attributes.enumerated().compactMap { index, name in
          guard entity.attribute(named: name) != nil, let path = PredicateKeyPath(keys: [name]) else { return nil }
          return .comparing(.keyPath(path), .in, .constant(.array(Set(wanted.map { $0[index] }).map { .value($0) })))
        })
    }
    for batch in try Self.batches(ObjectReader(opened).keys(request)) {
      for row in try opened.store.rows(batch) {
        guard let row, !changedKeys.contains(row.key), let slots = slotsOfEntity[Int(row.key.entityIndex)] else {
          continue
        }
        add(row.key, slots.map { slot in slot.map { row.values[$0] } ?? .null })
      }
    }
    for object in changed {
      add(
        object.objectID.key,
        attributes.map { name in
          if case .attribute(let value)? = object[name] { .attribute(value) } else { .null }
        })
    }
  }

  private static func batches(_ keys: [RowKey]) -> some Sequence<[RowKey]> {
    stride(from: 0, to: keys.count, by: ObjectReader.batchSize).lazy.map {
      Array(keys[$0..<min($0 + ObjectReader.batchSize, keys.count)])
    }
  }

  private mutating func add(_ key: RowKey, _ values: [RowValue]) {
    let values = Self.stored(
      values.map { value in if case .attribute(let value) = value { value } else { AttributeValue.null } },
      roundsDecimals)
    if values.contains(.null) { return }
    if keys[values, default: []].count < Self.greatestCount { keys[values, default: []].append(key) }
  }

  /// Returns the values as the store keeps them. SQLite stores round decimal numbers.
  private static func stored(_ values: [AttributeValue], _ roundsDecimals: Bool) -> [AttributeValue] {
    guard roundsDecimals else { return values }
    return values.map { value in
      if case .decimal(let decimal) = value { StoredDecimal.rounded(decimal) ?? value } else { value }
    }
  }

  /// The objects with the given values, at most three.
  subscript(values: [AttributeValue]) -> [RowKey] { keys[Self.stored(values, roundsDecimals)] ?? [] }
}
