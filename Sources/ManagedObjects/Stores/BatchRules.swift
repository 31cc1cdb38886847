internal import ObjectModels
internal import Predicates

/// A check of the objects that a batch request changes: their mandatory attributes must have values, and their
/// relationships enough objects. The validation predicates of the model are not evaluated.
struct BatchRules<Store: PersistentStore> {
  private static var greatestErrorCount: Int { 100 }

  private let store: Store
  private var rules: [Int: ValidationRules] = [:]
  private var errors: [ManagedObjectError] = []

  init(_ store: Store) { self.store = store }

  private mutating func rules(ofEntity index: Int) -> ValidationRules {
    if let known = rules[index] { return known }
    let made = ValidationRules(ManagedObjectModel.Entity(model: store.model, index: index))
    rules[index] = made
    return made
  }

  private mutating func note(_ error: ManagedObjectError, _ key: RowKey) {
    if errors.count == Self.greatestErrorCount { return }
    var error = error
    error.objectID = ManagedObjectID(key, model: store.model, storeIdentifier: store.identifier)
    errors.append(error)
  }

  private func finish() throws(ManagedObjectError) {
    if let error = ManagedObjectError(all: errors) { throw error }
  }

  /// Checks new rows. Their relationships are empty, because a batch request cannot set them.
  mutating func check(_ rows: [StoreRow]) throws(ManagedObjectError) {
    for row in rows {
      let rules = rules(ofEntity: Int(row.key.entityIndex))
      for rule in rules.attributes where rule.isMandatory && row.values[rule.slot] == .null {
        if let failure = rule.failure(.null) { note(failure, row.key) }
      }
      for rule in rules.relationships {
        if let failure = rule.failure(count: row.values[rule.slot].count) { note(failure, row.key) }
      }
    }
    try finish()
  }

  /// Checks that mandatory attributes with the given slots have values in rows.
  mutating func checkAttributes(_ rows: [StoreRow], _ slots: [Int]) throws(ManagedObjectError) {
    for row in rows {
      let rules = rules(ofEntity: Int(row.key.entityIndex))
      for rule in rules.attributes
      where rule.isMandatory && slots.contains(rule.slot) && row.values[rule.slot] == .null {
        if let failure = rule.failure(.null) { note(failure, row.key) }
      }
    }
    try finish()
  }

  /// Checks that the relationships of other rows will have enough objects when the references to deleted rows are
  /// removed.
  mutating func checkReferences(to deleted: [StoreRow]) throws(ManagedObjectError) {
    let gone = Set(deleted.map(\.key))
    var lost: [RowKey: [Int: Int]] = [:]
    var byEntity: [Int: [StoreRow]] = [:]
    for row in deleted { byEntity[Int(row.key.entityIndex), default: []].append(row) }
    for (index, rows) in byEntity {
      let entity = ManagedObjectModel.Entity(model: store.model, index: index)
      for side in RelationshipSide.all(entity) where !side.leavesReferences && isRequired(side, of: entity) {
        for value in try values(side.slot, of: rows) {
          for key in value.keys where !gone.contains(key) { lost[key, default: [:]][side.inverseSlot, default: 0] += 1 }
        }
      }
    }
    for (key, counts) in lost.sorted(by: { $0.key < $1.key }) {
      for rule in rules(ofEntity: Int(key.entityIndex)).relationships {
        guard let count = counts[rule.slot], let row = try store.rows([key])[0] else { continue }
        let rest = try values(rule.slot, of: [row])[0].count - count
        if let failure = rule.failure(count: max(rest, 0)) { note(failure, key) }
      }
      if errors.count == Self.greatestErrorCount { break }
    }
    try checkOwners(of: gone, byEntity.keys.map { ManagedObjectModel.Entity(model: store.model, index: $0) })
    try finish()
  }

  /// Checks that to-many relationships without an inverse will have enough objects when the references to deleted rows
  /// are removed. Fetches the rows with these references, because the deleted rows do not contain their keys.
  private mutating func checkOwners(
    of gone: Set<RowKey>, _ entities: [ManagedObjectModel.Entity]
  ) throws(ManagedObjectError) {
    for index in store.model.records.indices {
      let owner = ManagedObjectModel.Entity(model: store.model, index: index)
      for relationship in owner.toManyRelationshipsWithoutInverse where relationship.definition.minimumCount > 0 {
        let destination = owner.destination(of: relationship)
        guard entities.contains(where: { $0.isKind(of: destination) }),
          let path = PredicateKeyPath(keys: [relationship.definition.traits.name])
        else { continue }
        let deleted = PredicateConstant.array(gone.map { .object($0) })
        let isOwner = ManagedPredicate.comparing(.keyPath(path), .in, .constant(deleted), modifier: .any)
        guard case .rows(let rows) = try store.fetch(FetchRequest(owner.name, where: isOwner), of: owner) else {
          continue
        }
        for (row, value) in zip(rows, try values(relationship.slot, of: rows)) where !gone.contains(row.key) {
          // The relationship has the same slot in the subentities, whose rows are found, too.
          let rule = rules(ofEntity: Int(row.key.entityIndex)).relationships.first { $0.slot == relationship.slot }
          if let failure = rule?.failure(count: value.keys.count { !gone.contains($0) }) { note(failure, row.key) }
        }
      }
    }
  }

  /// True if the inverse of a relationship is mandatory, or has a minimum count.
  private mutating func isRequired(_ side: RelationshipSide, of entity: ManagedObjectModel.Entity) -> Bool {
    guard let relationship = entity.relationships.first(where: { $0.slot == side.slot }) else { return false }
    let destination = entity.destination(of: relationship)
    return rules(ofEntity: destination.index).relationships.contains { rule in
      rule.slot == side.inverseSlot && (rule.isMandatory || rule.minimumCount > 0)
    }
  }

  /// Returns the values in a slot of rows of one entity. Reads the values that are ``RowValue/unread``.
  private func values(_ slot: Int, of rows: [StoreRow]) throws(ManagedObjectError) -> [RowValue] {
    var rows = rows
    try rows.readRest([slot], store.model, store.values)
    return rows.map { $0.values[slot] }
  }
}
