public import Predicates
internal import PropertyLists

/// Methods that check and apply the changes of a save.
extension RowTable {
  /// Applies changes, keeps relationships and their inverses consistent, and computes derived attributes. If an error
  /// is thrown, the rows are unchanged.
  ///
  /// - Parameters:
  ///   - changes: the changes of a save, as a store receives them.
  ///   - identifier: the store's identifier, for errors.
  /// - Returns: the keys of other rows that changed, and of rows that got other values than those in `changes`.
  /// - Throws: ``ManagedObjectError/Code/merge`` with all rows that another save changed or deleted since they were
  ///   read; ``ManagedObjectError/Code/constraintMerge`` with all rows that would violate a uniqueness constraint;
  ///   ``ManagedObjectError/Code/constraintValidation`` for an object that would be in the same to-many relationship of
  ///   two rows, if the relationship has no inverse; ``ManagedObjectError/Code/externalRelationship`` for a reference
  ///   to another store; ``ManagedObjectError/Code/invalidValue`` for a value that a slot cannot have, also for the
  ///   result of a derivation; ``ManagedObjectError/Code/unsupportedRequest`` for a derivation that cannot be
  ///   evaluated; ``ManagedObjectError/Code/invalidState`` for invalid keys.
  /// - Complexity: O(*k* log *k*) in the number of changes. The first changes of an entity with a uniqueness constraint
  ///   read all its rows, and so does each change of an object on which derived attributes depend through a
  ///   relationship without an inverse.
  @discardableResult
  public mutating func apply(_ changes: StoreChanges, identifier: String = "") throws(ManagedObjectError) -> [RowKey] {
    var inserted = try checkedInsertions(changes.inserted, identifier)
    let changed = try checkedChanges(changes, identifier)
    for row in changes.inserted { try checkValues(row, identifier) }
    for row in changes.updated { try checkValues(row, identifier) }
    try checkVersions(changes)
    var completed = changes
    var mended = SideMending.complete(&completed, of: self)
    mended.addMissing(dropMissing(from: &completed))
    let derived = try derivedChanges(&completed, identifier)
    mended.addMissing(derived.changed)
    if !mended.isEmpty { inserted = try checkedInsertions(completed.inserted, identifier) }
    try checkConstraints(completed, changed.union(mended))
    try checkOwners(completed, identifier)
    perform(completed, inserted, keepingVersions: derived.others)
    mended.addMissing(dropDeleted(completed.deleted))
    return mended
  }

  /// Checks the keys of new rows. Returns the rows by entity, sorted by number.
  private func checkedInsertions(
    _ rows: [StoreRow], _ identifier: String
  ) throws(ManagedObjectError) -> [(entity: Int, rows: [StoreRow])] {
    var byEntity: [Int: [StoreRow]] = [:]
    for row in rows {
      let index = Int(row.key.entityIndex)
      guard row.key.store == storeNumber, row.key.number > 0, isMember.indices.contains(index) else {
        throw ManagedObjectError(.invalidState, "a new row has a key that does not belong to this store")
      }
      guard isMember[index] else {
        throw ManagedObjectError(
          .invalidState, "the store does not have the entity \(model.entity(at: index).name.quoted)",
          objectID: objectID(row.key, identifier))
      }
      byEntity[index, default: []].append(row)
    }
    // The number of each row must be unique within its entity. The numbers of different entities are not compared.
    var result: [(entity: Int, rows: [StoreRow])] = []
    for index in byEntity.keys.sorted() {
      guard var rows = byEntity[index] else { continue }
      if !zip(rows, rows.dropFirst()).allSatisfy({ $0.key.number < $1.key.number }) {
        rows.sort { $0.key.number < $1.key.number }
      }
      var last: Int64 = 0
      for row in rows {
        if row.key.number == last || entityRows[index].row(row.key.number) != nil {
          throw ManagedObjectError(
            .invalidState, "a new row has the key of another row", objectID: objectID(row.key, identifier))
        }
        last = row.key.number
      }
      result.append((index, rows))
    }
    return result
  }

  /// Checks the keys of the updated and deleted rows, and returns them.
  private func checkedChanges(_ changes: StoreChanges, _ identifier: String) throws(ManagedObjectError) -> Set<RowKey> {
    var changed: Set<RowKey> = []
    changed.reserveCapacity(changes.updated.count + changes.deleted.count)
    for rows in [changes.updated, changes.deleted] {
      for row in rows {
        guard row.key.store == storeNumber, entityRows.indices.contains(Int(row.key.entityIndex)) else {
          throw ManagedObjectError(.invalidState, "a row has a key that does not belong to this store")
        }
        guard changed.insert(row.key).inserted else {
          throw ManagedObjectError(
            .invalidState, "the changes contain a row twice", objectID: objectID(row.key, identifier))
        }
      }
    }
    return changed
  }

  private func checkValues(_ row: StoreRow, _ identifier: String) throws(ManagedObjectError) {
    let index = Int(row.key.entityIndex)
    let shapes = shapes[index]
    guard row.values.count == shapes.count else {
      throw ManagedObjectError(
        .invalidValue, "the row has \(row.values.count) values, but the entity has \(shapes.count) slots",
        objectID: objectID(row.key, identifier))
    }
    for slot in shapes.indices {
      guard let defect = shapes[slot].defect(row.values[slot], store: storeNumber) else { continue }
      let key = model.entity(at: index).properties.first { $0.slot == slot }?.name
      var error =
        switch defect {
        case .external:
          ManagedObjectError(.externalRelationship, "the relationship refers to an object of another store")
        case .kind(let message): ManagedObjectError(.invalidValue, message)
        }
      error.objectID = objectID(row.key, identifier)
      error.key = key
      if case .attribute(let value) = row.values[slot] { error.value = value }
      throw error
    }
  }

  /// Checks that no row was changed or deleted after it was read. Throws all conflicts.
  private func checkVersions(_ changes: StoreChanges) throws(ManagedObjectError) {
    var conflicts: [MergeConflict] = []
    for row in changes.updated {
      let stored = self.row(row.key)
      if stored?.version != row.version { conflicts.append(MergeConflict(object: row, snapshot: nil, stored: stored)) }
    }
    for row in changes.deleted {
      let stored = self.row(row.key)
      if stored?.version != row.version { conflicts.append(MergeConflict(object: nil, snapshot: row, stored: stored)) }
    }
    if let error = ManagedObjectError(merge: conflicts) { throw error }
  }

  /// Checks that no changed row has the same values for a uniqueness constraint as another row. Throws all conflicts.
  /// If two changed rows have the same values, there is a conflict for each, without a stored row.
  private mutating func checkConstraints(_ changes: StoreChanges, _ changed: Set<RowKey>) throws(ManagedObjectError) {
    var conflicts: [MergeConflict] = []
    for constraintIndex in uniquenessIndexes.indices {
      let entities = uniquenessIndexes[constraintIndex].entities
      let isTouched =
        changes.inserted.contains { entities.contains(Int($0.key.entityIndex)) }
        || changes.updated.contains { entities.contains(Int($0.key.entityIndex)) }
      guard isTouched else { continue }
      uniquenessIndexes[constraintIndex].build(entityRows)
      let index = uniquenessIndexes[constraintIndex]
      var rows: [UniquenessIndex.Values: StoreRow] = [:]
      var repeated: Set<RowKey> = []
      for (row, isNew) in changes.inserted.map({ ($0, true) }) + changes.updated.map({ ($0, false) }) {
        guard entities.contains(Int(row.key.entityIndex)), let values = index.values(row) else { continue }
        let snapshot = isNew ? nil : self.row(row.key)
        if let other = rows.updateValue(row, forKey: values) {
          for row in [other, row] where repeated.insert(row.key).inserted {
            conflicts.append(
              MergeConflict(object: row, snapshot: self.row(row.key), stored: nil, constraint: index.names))
          }
        }
        if let owner = index.keys?[values], owner != row.key, !changed.contains(owner) {
          conflicts.append(
            MergeConflict(object: row, snapshot: snapshot, stored: self.row(owner), constraint: index.names))
        }
      }
    }
    if let error = ManagedObjectError(constraintMerge: conflicts) { throw error }
  }

  /// - Parameter unversioned: the updated rows that keep their version.
  private mutating func perform(
    _ changes: StoreChanges, _ inserted: [(entity: Int, rows: [StoreRow])], keepingVersions unversioned: Set<RowKey>
  ) {
    for row in changes.deleted { forget(row.key) }
    for row in changes.updated { forget(row.key) }
    for row in changes.deleted { entityRows[Int(row.key.entityIndex)].remove(row.key.number) }
    for row in changes.updated {
      var row = kept(row)
      if !unversioned.contains(row.key) { row.version = row.version.nextVersion }
      entityRows[Int(row.key.entityIndex)].replace(with: row)
      note(row)
    }
    for (entity, rows) in inserted {
      var rows = rows
      for index in rows.indices {
        rows[index] = kept(rows[index])
        rows[index].version = max(rows[index].version, 1)
        note(rows[index])
      }
      entityRows[entity].insert(rows)
    }
  }

  private mutating func forget(_ key: RowKey) {
    guard !uniquenessIndexes.isEmpty || !ownerIndexes.isEmpty, let row = row(key) else { return }
    for index in uniquenessIndexes.indices { uniquenessIndexes[index].remove(row) }
    for index in ownerIndexes.indices { ownerIndexes[index].remove(row) }
  }

  private mutating func note(_ row: StoreRow) {
    for index in uniquenessIndexes.indices { uniquenessIndexes[index].add(row) }
    for index in ownerIndexes.indices { ownerIndexes[index].add(row) }
  }

  /// Returns a row in the form that the table keeps: the values of transient properties are empty.
  private func kept(_ row: StoreRow) -> StoreRow {
    var row = row
    for (slot, shape) in shapes[Int(row.key.entityIndex)].enumerated() {
      if case .transient(let empty) = shape, row.values[slot] != empty { row.values[slot] = empty }
    }
    return row
  }
}

extension [RowKey] {
  /// Appends the keys that are not in the list yet.
  fileprivate mutating func addMissing(_ keys: [RowKey]) {
    if keys.isEmpty { return }
    var known = Set(self)
    for key in keys where known.insert(key).inserted { append(key) }
  }
}

extension Int64 {
  /// The version of a row after its next change.
  package var nextVersion: Int64 { self == .max ? 1 : self + 1 }
}
