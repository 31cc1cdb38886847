import ArgumentParser
import ManagedObjects
import OrderedCollections

/// Functions that find the objects that references lead to, and set the references.
extension ObjectImport {
  /// For each draft, returns the existing objects that it may change: the objects with the values of its key
  /// attributes, or the object with its ID. The context's unsaved objects are included.
  func existingKeys(
    of drafts: [RecordDraft], _ context: ManagedObjectContext, isWhole: Bool
  ) throws(ManagedObjectError) -> [[RowKey]] {
    guard let entity, !drafting.keyNames.isEmpty else { return drafts.map { $0.id.map { [$0] } ?? [] } }
    let index: KeyIndex
    if let keyIndex {
      index = keyIndex
    } else {
      let wanted = isWhole ? drafts.compactMap(\.key) : nil
      index = try KeyIndex(opened, entity, drafting.keyNames, among: wanted, context)
      if !isWhole { keyIndex = index }
    }
    return drafts.map { draft in draft.key.map { index[$0] } ?? [] }
  }

  /// The objects that the drafts refer to, and the indexes that find such objects by the value of an attribute.
  struct Targets {
    var indexes: [RecordDraft.Lookup: KeyIndex] = [:]
    /// The row keys of the objects, so that all of them can be read in one fetch.
    var keys: [RowKey] = []
  }

  func targets(
    of references: some Sequence<RecordDraft.Reference>, _ context: ManagedObjectContext, isWhole: Bool
  ) throws(ManagedObjectError) -> Targets {
    var targets = Targets()
    var wanted: [RecordDraft.Lookup: [[AttributeValue]]] = [:]
    for reference in references {
      switch reference.targets {
      case .keys(let keys): targets.keys += keys
      case .local(let ids): targets.keys += ids.compactMap(localKey)
      case .values(let lookup, let values): wanted[lookup, default: []] += values.map { [$0] }
      }
    }
    for (lookup, values) in wanted {
      let index: KeyIndex
      if let known = indexes[lookup] {
        index = known
      } else {
        index = try KeyIndex(opened, lookup.entity, [lookup.attribute], among: isWhole ? values : nil, context)
        if !isWhole { indexes[lookup] = index }
      }
      targets.indexes[lookup] = index
      for value in Set(values) {
        let keys = index[value]
        if keys.count == 1 { targets.keys.append(keys[0]) }
      }
    }
    return targets
  }

  /// Reads objects in one fetch for each root entity. Objects that the store does not have are left out. The caller
  /// must retain `kept`, so that the context does not release the objects.
  func read(
    _ keys: [RowKey], _ context: ManagedObjectContext
  ) throws(ManagedObjectError) -> (objects: [RowKey: ManagedObject], kept: [ManagedObject]) {
    var objects: [RowKey: ManagedObject] = [:]
    var byRoot: [Int: Set<RowKey>] = [:]
    for key in keys {
      let id = ManagedObjectID(key, model: opened.model, storeIdentifier: opened.store.identifier)
      if let object = context.registeredObject(for: id), object.isInserted || !object.isFault {
        objects[key] = object
      } else {
        byRoot[id.entity.root.index, default: []].insert(key)
      }
    }
    for (index, keys) in byRoot {
      let root = opened.model.entity(at: index)
      let list = PredicateConstant.array(keys.sorted().map { .object($0) })
      let request = FetchRequest(root.name, where: .comparing(.evaluatedObject, .in, .constant(list)))
      for object in try context.fetch(request) { objects[object.objectID.key] = object }
    }
    return (objects, Array(objects.values))
  }

  func missing(_ key: RowKey) -> ValidationError {
    ValidationError("the store has no object \(list([key]))")
  }

  func list(_ keys: [RowKey]) -> String {
    keys.map { "\(ManagedObjectID($0, model: opened.model, storeIdentifier: nil))" }.joined(separator: ", ")
  }

  /// Returns true for a reference to objects that the file itself may contain. Such a reference can be set only after
  /// these objects have been created.
  func isDeferred(_ reference: RecordDraft.Reference) -> Bool {
    guard let entity else { return true }
    guard case .values(let lookup, _) = reference.targets else { return false }
    return lookup.entity.isKind(of: entity) || entity.isKind(of: lookup.entity)
  }

  /// Sets a relationship of an object.
  ///
  /// - Throws: ``ImportError/FieldError``.
  func set(
    _ reference: RecordDraft.Reference, of object: ManagedObject, _ targets: Targets,
    _ objects: [RowKey: ManagedObject]
  ) throws -> AssignedRelationship {
    do {
      let value = try value(reference, targets, objects)
      try object.setValue(value, forKey: reference.name)
      return AssignedRelationship(object: object, name: reference.name, value: value)
    } catch {
      throw ImportError.FieldError(error: error, position: reference.position)
    }
  }

  private func value(
    _ reference: RecordDraft.Reference, _ targets: Targets, _ objects: [RowKey: ManagedObject]
  ) throws -> ManagedObject.Value {
    var keys: [RowKey]
    switch reference.targets {
    case .keys(let named): keys = named
    case .local(let ids):
      keys = try ids.map { id in
        if let key = localKey(id) { return key }
        throw ValidationError(
          "\(reference.name.printable()): no object of the file has the \(ObjectColumn.id) \(id.quoted)")
      }
    case .values(let lookup, let values):
      keys = try values.map { value in
        let found = targets.indexes[lookup]?[[value]] ?? []
        if found.count == 1 { return found[0] }
        let condition = "\(lookup.attribute.printable()) \(value)"
        throw ValidationError(
          found.isEmpty
            ? "\(reference.name.printable()): no \(lookup.entity.name.printable()) has \(condition)"
            : "\(reference.name.printable()): several objects have \(condition): \(list(found))")
      }
    }
    keys = Array(OrderedSet(keys))
    let values = try keys.map { key in
      guard let target = objects[key] else {
        throw ValidationError("\(reference.name.printable()): \(missing(key).message)")
      }
      return ManagedObject.Value.object(target)
    }
    return !reference.isToMany ? values.first ?? .null : reference.isOrdered ? .array(values) : .set(values)
  }

  /// Sets the references to objects of the file itself. Call this after all objects of the file have been saved.
  func setDeferredReferences() throws {
    guard errors.lines.isEmpty else { return }
    let all = deferred
    deferred = []
    for start in stride(from: 0, to: all.count, by: Self.batchSize) {
      let part = Array(all[start..<min(start + Self.batchSize, all.count)])
      let context = opened.context(of: coordinator)
      context.validatesOnSave = false
      var batch = try setReferences(of: part, context, isWhole: false)
      incomplete.subtract(part.lazy.map(\.id.key))
      validate(&batch, isWhole: false, includesUnchanged: true)
      guard errors.lines.isEmpty else { continue }
      for (item, draft) in zip(part, batch.drafts) where !item.isChanged {
        let names = Set(item.references.map(\.name))
        if Self.hasChanged(draft.object, names) { counts.updated += 1 } else { counts.unchanged += 1 }
      }
      let changes = isDryRun && context.hasChanges ? ChangeList(context) : nil
      try context.save()
      note(batch)
      try changes?.print()
    }
  }

  /// Sets references of objects. Errors are added to ``errors``.
  func setReferences(of items: [Deferred], _ context: ManagedObjectContext, isWhole: Bool) throws -> Batch {
    var batch = Batch(context: context)
    if items.isEmpty { return batch }
    let targets = try targets(of: items.lazy.flatMap(\.references), context, isWhole: isWhole)
    let (objects, kept) = try read(targets.keys + items.map(\.id.key), context)
    batch.kept = kept
    for item in items {
      guard let object = objects[item.id.key] else { throw missing(item.id.key) }
      do {
        for reference in item.references {
          batch.assigned.append((try set(reference, of: object, targets, objects), reference.position))
        }
        batch.drafts.append((object, RecordDraft(position: item.position, entity: object.entity)))
      } catch {
        errors.add(error, in: file, at: item.position)
      }
    }
    return batch
  }
}
