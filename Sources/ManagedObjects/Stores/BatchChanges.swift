internal import ObjectModels
internal import Predicates

/// The changes that a ``BatchRequest`` makes to the rows of a store, for stores that do not execute such requests
/// themselves.
struct BatchChanges<Store: PersistentStore> {
  /// The changes to save. They are empty before ``prepare()``.
  private(set) var changes = StoreChanges()
  private let request: BatchRequest
  private let entity: ManagedObjectModel.Entity
  private let mergePolicy: MergePolicy
  private let store: Store
  /// The values of an update.
  private var assignments: [BatchAssignment] = []
  /// The new rows. Their keys are assigned by ``prepare()``.
  private var newRows: [StoreRow] = []
  /// The distinct sets of slots that the request sets in new rows. Empty if they are not needed.
  private var givenSlots: [[Int]] = []
  /// For each new row, the index in ``givenSlots`` of the slots that are set in it.
  private var givenIndices: [Int] = []

  /// Reads the new objects of an insertion, or checks the values of an update.
  ///
  /// - Throws: the errors of ``BatchRows/Iterator/next()`` and ``BatchAssignment/all(_:_:)``.
  init(
    _ request: BatchRequest, _ entity: ManagedObjectModel.Entity, _ mergePolicy: MergePolicy, of store: Store
  ) throws(ManagedObjectError) {
    self.request = request
    self.entity = entity
    self.mergePolicy = mergePolicy
    self.store = store
    switch request.action {
    case .insert(let rows): try read(rows)
    case .update(_, let values): assignments = try BatchAssignment.all(values, entity)
    case .delete: break
    }
  }

  private mutating func read(_ rows: BatchRows) throws(ManagedObjectError) {
    let initial = entity.initialBatchValues
    let key = RowKey(store: store.number, entityIndex: entity.index, number: 0)
    let needsSlots = mergePolicy == .objectTrump && !constraints.isEmpty
    var known: [[Int]: Int] = [:]
    var iterator = rows.makeIterator(for: entity)
    while let values = try iterator.nextSlots() {
      var row = StoreRow(key: key, version: 1, values: initial)
      for (slot, value) in values { row.values[slot] = .attribute(value) }
      newRows.append(row)
      guard needsSlots else { continue }
      let slots = values.map(\.slot).sorted()
      if let index = known[slots] {
        givenIndices.append(index)
      } else {
        known[slots] = givenSlots.count
        givenIndices.append(givenSlots.count)
        givenSlots.append(slots)
      }
    }
  }

  /// Finds the rows of the request, or assigns keys to its new rows, and prepares their changes. Saves nothing.
  ///
  /// - Throws: ``ManagedObjectError/Code/missingMandatoryProperty`` and
  ///   ``ManagedObjectError/Code/relationshipLacksMinimumCount`` for rows that a context's save would reject.
  mutating func prepare() throws(ManagedObjectError) {
    changes = StoreChanges()
    changes.author = request.author
    changes.contextName = request.contextName
    var rules = BatchRules(store)
    switch request.action {
    case .insert:
      let keys = try store.makeKeys(Array(repeating: entity.index, count: newRows.count))
      for (index, key) in keys.enumerated() {
        newRows[index] = StoreRow(key: key, version: 1, values: newRows[index].values)
      }
      changes.inserted = newRows
      try rules.check(changes.inserted)
    case .update(let fetch, _):
      changes.snapshots = try found(fetch)
      changes.updated = try updated(changes.snapshots)
      // An attribute has the same slot in the subentities, whose rows are found, too.
      try rules.checkAttributes(changes.updated, assignments.map(\.target.slot))
    case .delete(let fetch):
      changes.deleted = try found(fetch)
      try rules.checkReferences(to: changes.deleted)
    }
  }

  private func found(_ request: FetchRequest) throws(ManagedObjectError) -> [StoreRow] {
    var request = request
    request.resultType = .objects
    guard case .rows(let rows) = try store.fetch(request, of: entity) else { return [] }
    return rows
  }

  private func updated(_ rows: [StoreRow]) throws(ManagedObjectError) -> [StoreRow] {
    let source = try JoinedRows(rows, for: assignments.readingRequest(entity), store.model, in: [store])
    let evaluation = try BatchEvaluation(assignments, source)
    var updated = rows
    for index in rows.indices {
      let values = try evaluation.values(source.row(rows[index].key) ?? rows[index])
      for (assignment, value) in zip(assignments, values) {
        updated[index].values[assignment.target.slot] = .attribute(value)
      }
    }
    return updated
  }

  /// Returns the result of the request after its changes are saved.
  ///
  /// - Parameter mended: the keys that ``PersistentStore/save(_:)`` returned.
  func result(_ mended: [RowKey]) -> StoreBatchResult {
    let count = changes.inserted.count + changes.updated.count + changes.deleted.count
    if request.resultType == .count { return StoreBatchResult(count: count) }
    let isInsertion = if case .insert = request.action { true } else { false }
    let keys = (changes.inserted + (isInsertion ? [] : changes.updated) + changes.deleted).map(\.key)
    let own = Set(keys)
    var others = mended.filter { !own.contains($0) }
    if isInsertion {
      let known = Set(others)
      others += changes.updated.map(\.key).filter { !known.contains($0) }
    }
    return StoreBatchResult(count: count, changed: keys, mended: others)
  }

  // Conflicts of new objects over uniqueness constraints.

  private var constraints: [UniquenessIndex] {
    UniquenessIndex.all(store.model).filter { $0.entities.contains(entity.index) }
  }

  /// Resolves the conflicts of new rows over uniqueness constraints, by the merge policy: leaves out new rows of the
  /// request, or copies their values to stored rows. The new rows are processed in order, as if each were inserted
  /// alone.
  ///
  /// - Returns: false if the save must fail, because the policy is `error`, or the policy cannot resolve a conflict.
  mutating func settle(_ conflicts: [MergeConflict]) throws(ManagedObjectError) -> Bool {
    guard mergePolicy != .error, case .insert = request.action else { return false }
    let storePrevails = mergePolicy.storePrevails
    var rowIndices: [RowKey: Int] = [:]
    for (index, row) in newRows.enumerated() { rowIndices[row.key] = index }
    var stored: [RowKey: [StoreRow]] = [:]
    for conflict in conflicts {
      guard let key = conflict.object?.key, rowIndices[key] != nil else { return false }
      if let row = conflict.stored { stored[key, default: []].append(row) }
    }
    var owners = UniqueOwners(constraints)
    var updatedIndices: [RowKey: Int] = [:]
    for (index, row) in changes.updated.enumerated() { updatedIndices[row.key] = index }
    var dropped: Set<RowKey> = []
    for row in changes.inserted {
      // A stored row that already got values of another new row may not have the same values anymore.
      var rivals = (stored[row.key] ?? []).filter { updatedIndices[$0.key] == nil }
      let others = owners.rivals(of: row)
      rivals += others.compactMap { key in updatedIndices[key].map { changes.updated[$0] } }
      if storePrevails, !rivals.isEmpty || !others.isEmpty {
        dropped.insert(row.key)
        continue
      }
      if rivals.isEmpty {
        for key in others {
          owners.remove(key)
          dropped.insert(key)
        }
        owners.add(row)
        continue
      }
      dropped.insert(row.key)
      for rival in rivals {
        guard rival.key.entityIndex == row.key.entityIndex else { return false }
        unite(row, with: rival, givenSlots(rowIndices[row.key]), &updatedIndices)
        owners.remove(rival.key)
        guard let index = updatedIndices[rival.key], owners.rivals(of: changes.updated[index]).isEmpty else {
          return false
        }
        owners.add(changes.updated[index])
      }
    }
    if dropped.isEmpty { return false }
    changes.inserted.removeAll { dropped.contains($0.key) }
    return true
  }

  /// Returns the slots whose values are copied from a new row to a stored one: the slots of all attributes if the
  /// policy is `overwrite`, otherwise the slots that the request sets.
  ///
  /// - Parameter index: The index of the new row's set of slots in ``givenSlots``.
  private func givenSlots(_ index: Int?) -> [Int] {
    if mergePolicy == .overwrite { return entity.attributes.map(\.slot) }
    return index.map { givenSlots[givenIndices[$0]] } ?? []
  }

  private mutating func unite(
    _ row: StoreRow, with stored: StoreRow, _ slots: [Int], _ updatedIndices: inout [RowKey: Int]
  ) {
    let index: Int
    if let known = updatedIndices[stored.key] {
      index = known
    } else {
      index = changes.updated.count
      updatedIndices[stored.key] = index
      changes.updated.append(stored)
      changes.snapshots.append(stored)
    }
    for slot in slots { changes.updated[index].values[slot] = row.values[slot] }
  }
}

/// The rows of a request, by their values for uniqueness constraints.
private struct UniqueOwners {
  private let constraints: [UniquenessIndex]
  private var keys: [[UniquenessIndex.Values: RowKey]]
  private var values: [RowKey: [UniquenessIndex.Values?]] = [:]

  init(_ constraints: [UniquenessIndex]) {
    self.constraints = constraints
    keys = Array(repeating: [:], count: constraints.count)
  }

  /// Returns the keys of the rows that have the same values for a constraint as `row`.
  func rivals(of row: StoreRow) -> [RowKey] {
    var rivals: [RowKey] = []
    for (index, constraint) in constraints.enumerated() {
      if let values = constraint.values(row), let key = keys[index][values], !rivals.contains(key) {
        rivals.append(key)
      }
    }
    return rivals
  }

  mutating func add(_ row: StoreRow) {
    values[row.key] = constraints.map { $0.values(row) }
    for (index, constraint) in constraints.enumerated() {
      if let values = constraint.values(row) { keys[index][values] = row.key }
    }
  }

  mutating func remove(_ key: RowKey) {
    for (index, values) in (values.removeValue(forKey: key) ?? []).enumerated() {
      if let values { keys[index][values] = nil }
    }
  }
}

extension ManagedObjectModel.Entity {
  /// The values of a row that a batch request inserts, before its attributes are set. Transient attributes are null.
  package var initialBatchValues: [RowValue] {
    var values = initialValues
    for attribute in attributes where attribute.isTransient { values[attribute.slot] = .null }
    return values
  }
}
