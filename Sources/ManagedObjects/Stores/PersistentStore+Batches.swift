/// Requests that change many objects, by what every store can do.
extension PersistentStore {
  public func execute(
    _ request: BatchRequest, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> (changed: [RowKey], mended: [RowKey]) {
    for _ in 0..<100 {
      let changes = try changes(of: request, entity)
      let keys = (changes.inserted + changes.updated + changes.deleted).map(\.key)
      do throws(ManagedObjectError) {
        let mended = try save(changes)
        let own = Set(keys)
        return (keys, mended.filter { !own.contains($0) })
      } catch {
        // Somebody else has saved one of the rows after it was read, or has taken the numbers.
        guard error.code == .merge || error.code == .keysTaken else { throw error }
      }
    }
    throw ManagedObjectError(.timeout, "the objects changed in the store again and again")
  }

  private func changes(
    of request: BatchRequest, _ entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> StoreChanges {
    var changes = StoreChanges()
    switch request {
    case .insert(_, let objects): changes.inserted = try insertions(objects, entity)
    case .update(let fetch, let values):
      changes.snapshots = try found(fetch, entity)
      changes.updated = changes.snapshots.map { row in
        var row = row
        // An attribute of the entity is in the same place in all that inherit from it.
        for (name, value) in values {
          if let slot = entity.attribute(named: name)?.slot { row.values[slot] = .attribute(value) }
        }
        return row
      }
    case .delete(let fetch): changes.deleted = try found(fetch, entity)
    }
    return changes
  }

  private func insertions(
    _ objects: [[String: AttributeValue]], _ entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> [StoreRow] {
    var initial = entity.initialValues
    for attribute in entity.attributes where attribute.isTransient { initial[attribute.slot] = .null }
    var slots: [String: Int] = [:]
    for attribute in entity.attributes { slots[attribute.name] = attribute.slot }
    let keys = try makeKeys(Array(repeating: entity.index, count: objects.count))
    return zip(keys, objects).map { key, values in
      var row = StoreRow(key: key, version: 1, values: initial)
      for (name, value) in values { if let slot = slots[name] { row.values[slot] = .attribute(value) } }
      return row
    }
  }

  private func found(
    _ request: FetchRequest, _ entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> [StoreRow] {
    var request = request
    request.resultType = .objects
    guard case .rows(let rows) = try fetch(request, of: entity) else { return [] }
    return rows
  }
}
