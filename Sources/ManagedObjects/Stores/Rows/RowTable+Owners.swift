internal import Predicates

/// Methods for to-many relationships without an inverse. The owner of an object is the row that refers to it.
extension RowTable {
  /// A reference that a save adds to a to-many relationship without an inverse: `owner` will refer to the object `key`.
  private struct Claim {
    let key: RowKey
    let owner: RowKey
    /// Another owner of the object, if any.
    var other: RowKey?
  }

  /// Removes references to objects that do not exist from the changes of a save. Checks only the references that the
  /// save adds in to-many relationships without an inverse.
  ///
  /// - Returns: the keys of the rows whose references are removed.
  func dropMissing(from changes: inout StoreChanges) -> [RowKey] {
    if ownerIndexes.isEmpty { return [] }
    var lost: [Int: Set<RowKey>] = [:]
    var rows: [RowKey] = []
    let inserted = Set(changes.inserted.map(\.key))
    let deleted = Set(changes.deleted.map(\.key))
    for index in ownerIndexes {
      lost.removeAll(keepingCapacity: true)
      for (rowIndex, claim) in claims(changes, index)
      where deleted.contains(claim.key) || !inserted.contains(claim.key) && row(claim.key) == nil {
        lost[rowIndex, default: []].insert(claim.key)
      }
      for (rowIndex, keys) in lost.sorted(by: { $0.key < $1.key }) {
        if rowIndex < changes.inserted.count {
          changes.inserted[rowIndex].values[index.slot].subtract(keys)
          rows.append(changes.inserted[rowIndex].key)
        } else {
          changes.updated[rowIndex - changes.inserted.count].values[index.slot].subtract(keys)
          rows.append(changes.updated[rowIndex - changes.inserted.count].key)
        }
      }
    }
    return rows
  }

  /// Removes the references to deleted objects from to-many relationships without an inverse. The versions of the
  /// owners stay the same, as in an SQLite store, where the row of the deleted object contains the reference.
  ///
  /// - Returns: the keys of the owners.
  /// - Complexity: O(*k*) in the number of deleted rows; the first time, O(*n*) in the number of rows that can be
  ///   owners.
  mutating func dropDeleted(_ deleted: [StoreRow]) -> [RowKey] {
    if deleted.isEmpty { return [] }
    var owners: [RowKey] = []
    for index in ownerIndexes.indices {
      let keys = deleted.map(\.key).filter { ownerIndexes[index].destination.contains(Int($0.entityIndex)) }
      if keys.isEmpty { continue }
      ownerIndexes[index].build(entityRows)
      var lost: [RowKey: Set<RowKey>] = [:]
      for key in keys { for owner in ownerIndexes[index].owners(of: key) { lost[owner, default: []].insert(key) } }
      for (owner, keys) in lost {
        guard var row = row(owner) else { continue }
        ownerIndexes[index].remove(row)
        row.values[ownerIndexes[index].slot].subtract(keys)
        entityRows[Int(owner.entityIndex)].replace(with: row)
        ownerIndexes[index].add(row)
        owners.append(owner)
      }
    }
    return owners.sorted()
  }

  /// Checks that a save gives no object a second owner in a to-many relationship without an inverse.
  ///
  /// - Throws: ``ManagedObjectError/Code/constraintValidation``. Objects that already have several owners in the file
  ///   are allowed.
  mutating func checkOwners(_ changes: StoreChanges, _ identifier: String) throws(ManagedObjectError) {
    if ownerIndexes.isEmpty { return }
    var defects: [(row: Int, index: Int, claim: Claim)] = []
    for index in ownerIndexes.indices {
      let claims = claims(changes, ownerIndexes[index])
      if claims.isEmpty { continue }
      ownerIndexes[index].build(entityRows)
      for (row, claim) in checked(claims, changes, ownerIndexes[index]) { defects.append((row, index, claim)) }
    }
    if defects.isEmpty { return }
    defects.sort { ($0.row, $0.index) < ($1.row, $1.index) }
    let errors = defects.compactMap { defect -> ManagedObjectError? in
      let (claim, slot) = (defect.claim, ownerIndexes[defect.index].slot)
      let name = model.entity(at: Int(claim.owner.entityIndex)).relationships.first { $0.slot == slot }?.name
      guard let name, let owner = objectID(claim.owner, identifier), let target = objectID(claim.key, identifier),
        let other = claim.other.flatMap({ objectID($0, identifier) })
      else { return nil }
      return ManagedObjectError(ownedTwice: target, by: owner, other, key: name)
    }
    if let error = ManagedObjectError(all: errors) { throw error }
  }

  /// Returns the references that `changes` add to the relationship of `index`. In each element, `row` is the index of
  /// the changed row, counting first the inserted rows and then the updated rows.
  private func claims(_ changes: StoreChanges, _ index: OwnerIndex) -> [(row: Int, claim: Claim)] {
    var claims: [(row: Int, claim: Claim)] = []
    for (rowIndex, row) in (changes.inserted + changes.updated).enumerated()
    where index.entities.contains(Int(row.key.entityIndex)) {
      let value = row.values[index.slot]
      let old = rowIndex < changes.inserted.count ? nil : self.row(row.key)?.values[index.slot]
      if value == old || value.count == 0 { continue }
      var keys = value.keys.filter { old?.refers(to: $0) != true }
      if case .toMany = value { keys.sort() }
      claims += keys.map { (rowIndex, Claim(key: $0, owner: row.key)) }
    }
    return claims
  }

  /// Returns the claims that give an object a second owner, because it already has an owner or gets another one in the
  /// same save. Sets ``Claim/other`` of these claims.
  private func checked(
    _ claims: [(row: Int, claim: Claim)], _ changes: StoreChanges, _ index: OwnerIndex
  ) -> [(row: Int, claim: Claim)] {
    let deleted = Set(changes.deleted.map(\.key))
    let inserted = Set(changes.inserted.map(\.key))
    // Only rows of these entities have the relationship in the slot.
    var updated: [RowKey: RowValue] = [:]
    for row in changes.updated where index.entities.contains(Int(row.key.entityIndex)) {
      updated[row.key] = row.values[index.slot]
    }
    var owners: [RowKey: RowKey] = [:]
    var defects: [(row: Int, claim: Claim)] = []
    for (rowIndex, var claim) in claims {
      let key = claim.key
      // A deleted or missing object cannot have an owner.
      if deleted.contains(key) || !inserted.contains(key) && self.row(key) == nil { continue }
      let stored = index.owners(of: key).first { owner in
        owner != claim.owner && !deleted.contains(owner) && updated[owner]?.refers(to: key) != false
      }
      claim.other = stored ?? owners[key]
      if claim.other == nil { owners[key] = claim.owner } else { defects.append((rowIndex, claim)) }
    }
    return defects
  }
}

extension ManagedObjectError {
  /// Creates the error for an object that two objects contain in a to-many relationship without an inverse.
  package init(ownedTwice target: ManagedObjectID, by owner: ManagedObjectID, _ other: ManagedObjectID, key: String) {
    self.init(
      .constraintValidation,
      "an object is already in this relationship of another object, and can be in only one without an inverse",
      objectID: owner, key: key)
    relatedObjectIDs = [target, other]
  }
}
