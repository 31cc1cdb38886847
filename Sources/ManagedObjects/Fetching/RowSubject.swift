internal import ObjectModels
internal import Predicates
internal import PropertyLists

/// A row that predicates and expressions are evaluated with. Related rows are read from the source.
///
/// The values of transformable attributes are archived data. A to-one relationship to a deleted object leads to an
/// object without values.
struct RowSubject<Source: RowSource> {
  let row: StoreRow
  let source: Source

  init(_ row: StoreRow, _ source: Source) {
    self.row = row
    self.source = source
  }
}

extension RowSubject: PredicateSubject {
  static func == (first: Self, second: Self) -> Bool { first.row.key == second.row.key }
  func hash(into hasher: inout Hasher) { hasher.combine(row.key) }

  var predicateConstant: PredicateConstant? { .object(row.key) }

  @inline(__always)
  func predicateValue(forKey key: PredicateKey) throws(ManagedPredicateError) -> PredicateValue<Self> {
    if let slot = key.slot(inEntity: row.key.entityIndex), slot < row.values.count {
      if case .attribute(let value) = row.values[slot] { return .value(value) }
      return try related(row.values[slot], key.name)
    }
    return try unusualValue(forKey: key)
  }

  @inline(never)
  private func unusualValue(forKey key: PredicateKey) throws(ManagedPredicateError) -> PredicateValue<Self> {
    if EntityKey.ofObjectItself.contains(key.name) { return .object(self) }
    if key.name == EntityKey.entity {
      let entity = ManagedObjectModel.Entity(model: source.model, index: Int(row.key.entityIndex))
      if entity.hasEntityKey { return .constant(entity.predicateConstant) }
    }
    guard let slots = source.model.keySlots[key.name] else {
      throw ManagedPredicateError(.unknownKey, "no entity has a property \(key.name.quoted)")
    }
    let known = PredicateKey(name: key.name, index: key.index, slots: slots)
    // Other entities have the property, but not the entity of this row.
    guard let slot = known.slot(inEntity: row.key.entityIndex), slot < row.values.count else { return .null }
    return try related(row.values[slot], key.name)
  }

  private func related(_ value: RowValue, _ name: String) throws(ManagedPredicateError) -> PredicateValue<Self> {
    switch value {
    case .attribute(let value): return .value(value)
    case .toOne(let key): return key.map { .object(subject($0)) } ?? .null
    // Sorted, so that results are reproducible.
    case .toMany(let keys): return .set(keys.sorted().compactMap(object))
    case .orderedToMany(let keys): return .array(keys.compactMap(object))
    case .unread:
      throw ManagedPredicateError(.unsupported, "the relationship \(name.quoted) has not been read")
    }
  }

  private func object(_ key: RowKey) -> PredicateValue<Self>? {
    source.row(key).map { .object(RowSubject($0, source)) }
  }

  /// Returns the object with a key. If it was deleted, all its properties are null.
  private func subject(_ key: RowKey) -> Self {
    RowSubject(source.row(key) ?? StoreRow(key: key, version: 0, values: []), source)
  }

  func predicateSubject(for constant: PredicateConstant) -> Self? {
    guard case .object(let key) = constant else { return nil }
    return subject(key)
  }

  func allPredicateValues() throws(ManagedPredicateError) -> [PredicateValue<Self>] {
    var values: [PredicateValue<Self>] = []
    for value in row.values { values.append(try related(value, "ANYKEY")) }
    return values
  }
}

/// Keys that every object has in addition to its properties.
enum EntityKey {
  /// The keys of the object itself.
  static let ofObjectItself: Set<String> = ["self", "objectID"]

  /// The key of the object's entity. See ``EntityPredicateKey`` for its keys.
  static let entity = "entity"
}
