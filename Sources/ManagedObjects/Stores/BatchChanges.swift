internal import ObjectModels
internal import Predicates

/// The changes that a ``BatchRequest`` makes to the rows of a store.
struct BatchChanges {
  private(set) var changes = StoreChanges()
  private let entity: ManagedObjectModel.Entity
  /// For each new row, the slots of the values that the request contains. Empty for a request that updates or deletes.
  private var givenSlots: [RowKey: [Int]] = [:]

  /// Finds or creates the rows of the request, and prepares their changes. Saves nothing.
  ///
  /// - Throws: ``ManagedObjectError/Code/missingMandatoryProperty`` and
  ///   ``ManagedObjectError/Code/relationshipLacksMinimumCount`` for rows that a context's save would reject.
  init(
    _ request: BatchRequest, _ entity: ManagedObjectModel.Entity, of store: some PersistentStore
  ) throws(ManagedObjectError) {
    self.entity = entity
    var rules = BatchRules(store)
    switch request {
    case .insert(_, let objects):
      try insert(objects, store)
      try rules.check(changes.inserted)
    case .update(let fetch, let values):
      changes.snapshots = try Self.found(fetch, entity, store)
      // An attribute has the same slot in the subentities, whose rows are found, too.
      let slots = values.compactMap { name, value in entity.attribute(named: name).map { ($0.slot, value) } }
      changes.updated = changes.snapshots.map { row in
        var row = row
        for (slot, value) in slots { row.values[slot] = .attribute(value) }
        return row
      }
      try rules.checkAttributes(changes.updated, slots.map(\.0))
    case .delete(let fetch):
      changes.deleted = try Self.found(fetch, entity, store)
      try rules.checkReferences(to: changes.deleted)
    }
  }

  private mutating func insert(
    _ objects: [[String: AttributeValue]], _ store: some PersistentStore
  ) throws(ManagedObjectError) {
    var initial = entity.initialValues
    for attribute in entity.attributes where attribute.isTransient { initial[attribute.slot] = .null }
    var slots: [String: Int] = [:]
    for attribute in entity.attributes { slots[attribute.name] = attribute.slot }
    let keys = try store.makeKeys(Array(repeating: entity.index, count: objects.count))
    for (key, values) in zip(keys, objects) {
      var row = StoreRow(key: key, version: 1, values: initial)
      var given: [Int] = []
      for (name, value) in values {
        guard let slot = slots[name] else { continue }
        row.values[slot] = .attribute(value)
        given.append(slot)
      }
      changes.inserted.append(row)
      givenSlots[key] = given
    }
  }

  private static func found(
    _ request: FetchRequest, _ entity: ManagedObjectModel.Entity, _ store: some PersistentStore
  ) throws(ManagedObjectError) -> [StoreRow] {
    var request = request
    request.resultType = .objects
    guard case .rows(let rows) = try store.fetch(request, of: entity) else { return [] }
    return rows
  }

  /// Returns the keys of the request's rows and, as `mended`, the keys of other rows that changed, such as stored rows
  /// that got the values of new ones.
  ///
  /// - Parameter mended: the keys that ``PersistentStore/save(_:)`` returned.
  func result(_ mended: [RowKey]) -> (changed: [RowKey], mended: [RowKey]) {
    let updated = givenSlots.isEmpty ? changes.updated : []
    let keys = (changes.inserted + updated + changes.deleted).map(\.key)
    let own = Set(keys)
    var others = mended.filter { !own.contains($0) }
    if !givenSlots.isEmpty {
      let known = Set(others)
      others += changes.updated.map(\.key).filter { !known.contains($0) }
    }
    return (keys, others)
  }

  // Conflicts of new objects over uniqueness constraints.

  /// The values for a uniqueness constraint that several new rows share.
  private struct SharedValues: Hashable {
    let constraint: [String]
    let values: [RowValue]
  }

  /// Resolves the conflicts of new rows over uniqueness constraints, by a merge policy: leaves out rows of the request,
  /// or copies their values to stored rows.
  ///
  /// - Returns: false if the save must fail, because the policy is `error`, or the policy cannot resolve a conflict.
  mutating func settle(_ conflicts: [MergeConflict], by policy: MergePolicy) throws(ManagedObjectError) -> Bool {
    guard policy != .error, !givenSlots.isEmpty else { return false }
    let storePrevails = policy == .storeTrump || policy == .rollback
    var rowIndices: [RowKey: Int] = [:]
    for (index, row) in changes.inserted.enumerated() { rowIndices[row.key] = index }
    var dropped: Set<RowKey> = []
    var groups: [SharedValues: [Int]] = [:]
    for conflict in conflicts {
      guard let row = conflict.object, let index = rowIndices[row.key] else { return false }
      guard let stored = conflict.stored else {
        let values = conflict.constraint.map { name in
          entity.property(named: name).map { row.values[$0.slot] } ?? .null
        }
        groups[SharedValues(constraint: conflict.constraint, values: values), default: []].append(index)
        continue
      }
      if !storePrevails {
        guard stored.key.entityIndex == row.key.entityIndex else { return false }
        unite(row, with: stored, policy)
      }
      dropped.insert(row.key)
    }
    // If several new rows have the same values, one is inserted: the first one if the store takes precedence,
    // otherwise the last one.
    for indices in groups.values {
      let indices = indices.sorted().filter { !dropped.contains(changes.inserted[$0].key) }
      for index in storePrevails ? indices.dropFirst() : indices.dropLast() {
        dropped.insert(changes.inserted[index].key)
      }
    }
    if dropped.isEmpty { return false }
    changes.inserted.removeAll { dropped.contains($0.key) }
    return true
  }

  /// Copies the values of a new row to a stored one: all attributes if the policy is `overwrite`, else those in the
  /// request.
  private mutating func unite(_ row: StoreRow, with stored: StoreRow, _ policy: MergePolicy) {
    let slots = policy == .overwrite ? entity.attributes.map(\.slot) : givenSlots[row.key] ?? []
    let index: Int
    if let known = changes.updated.firstIndex(where: { $0.key == stored.key }) {
      index = known
    } else {
      index = changes.updated.count
      changes.updated.append(stored)
      changes.snapshots.append(stored)
    }
    for slot in slots { changes.updated[index].values[slot] = row.values[slot] }
  }
}
