internal import Predicates

/// Values by slot: what property wrappers and the context use.
extension ManagedObject {
  /// The value of a slot. Reads the row if the object is a fault.
  final func value(ofSlot slot: Int) -> RowValue {
    if status.contains(.fault) { fire() }
    if case .unread = values[slot] { readValue(slot) }
    return values[slot]
  }

  /// Makes a fault an object with values. Those of one whose row cannot be read are empty.
  @inline(never)
  final func fire() {
    let needsRow = needsRow
    status.subtract([.fault, .inaccessible])
    if !needsRow {
      awake()
      return
    }
    values = shape.emptyValues
    guard let context = managedObjectContext else {
      status.insert(.inaccessible)
      return
    }
    do {
      guard let row = try context.readRow(of: self) else {
        status.insert(.inaccessible)
        context.note(
          ManagedObjectError(.referentialIntegrity, "the store does not have the object any more", objectID: objectID))
        return
      }
      values = row.values
      version = row.version
      awake()
    } catch {
      // The next one who asks may have more luck.
      context.note(error)
      status.insert([.fault, .inaccessible])
    }
  }

  /// True for a fault without a row: it was not read, or that failed.
  final var needsRow: Bool { status.contains(.fault) && (values.isEmpty || status.contains(.inaccessible)) }

  /// Gives a fault its values.
  final func take(_ row: consuming StoreRow) {
    version = row.version
    values = row.values
    status.remove(.inaccessible)
  }

  private final func awake() {
    guard let context = shape.state, context.isOpen, !status.contains(.detached) else { return }
    // What is called must not make it a fault again: whoever asked for a value is to get one.
    status.insert(.turning)
    context.withoutTracking { awakeFromFetch() }
    status.remove(.turning)
  }

  /// Reads what the store left out of the row. If that fails, the value stays as it is, and the next one who asks may
  /// have more luck.
  private final func readValue(_ slot: Int) {
    var value = shape.emptyValues[slot]
    if let context = managedObjectContext {
      do { value = try context.readValues(ofSlot: slot, [key])[0] ?? value } catch {
        context.note(error)
        return
      }
    }
    values[slot] = value
    committed?[slot] = value
  }

  /// Changes an attribute. The value is of the attribute's type.
  final func setAttribute(_ value: AttributeValue, slot: Int) {
    let value = RowValue.attribute(value)
    if status.contains(.refusing) { managedObjectContext?.forgetRefusals(of: self, slot: slot) }
    guard self.value(ofSlot: slot) != value else { return }
    change(slot, to: value)
  }

  /// Puts a value into a slot, and lets the context know. Other objects stay as they are.
  final func change(_ slot: Int, to value: RowValue) {
    guard let context = managedObjectContext else {
      if status.contains(.fault) { fire() }
      values[slot] = value
      return
    }
    context.willChange(self)
    if context.state.isTracking {
      context.record(.value(self, slot: slot, old: values[slot]))
    } else {
      committed?[slot] = value
    }
    values[slot] = value
  }

  /// The objects of a relationship, in their order if it has one, else by age.
  final func objects(ofSlot slot: Int) -> [ManagedObject] {
    switch value(ofSlot: slot) {
    case .attribute, .unread, .toOne(nil): return []
    case .toOne(let key?): return managedObjectContext.map { [$0.object(for: key)] } ?? []
    case .orderedToMany(let keys):
      guard let context = managedObjectContext else { return [] }
      return keys.map { context.object(for: $0) }
    case .toMany(let keys):
      guard let context = managedObjectContext else { return [] }
      return keys.sorted().map { context.object(for: $0) }
    }
  }

  /// The object of a to-one relationship.
  final func object(ofSlot slot: Int) -> ManagedObject? {
    guard case .toOne(let key?) = value(ofSlot: slot) else { return nil }
    return managedObjectContext?.object(for: key)
  }

  /// Changes a relationship, and the inverse of it. Of several objects a to-one relationship takes the first.
  ///
  /// Objects of other contexts are left out, which the context notes: see ``ManagedObjectContext/misuse``.
  final func setObjects(_ objects: [ManagedObject], slot: Int) {
    guard let context = managedObjectContext else { return noteMissingContext() }
    context.setObjects(objects.filter { context.isOwn($0, of: self, slot) }, of: self, slot)
  }

  /// Changes a to-one relationship, and the inverse of it.
  ///
  /// It keeps what it has if the object is of another context, which the context notes.
  final func setObject(_ object: ManagedObject?, slot: Int) {
    guard let context = managedObjectContext else { return noteMissingContext() }
    if let object, !context.isOwn(object, of: self, slot) { return }
    if shape.relationships[slot]?.definition.isToMany == false {
      context.setObject(object, of: self, slot)
    } else {
      context.setObjects(object.map { [$0] } ?? [], of: self, slot)
    }
  }

  /// Keeps the value that a property has, and lets validation fail until the property gets another: what it was given
  /// cannot be kept.
  final func refuseValue(_ error: ManagedObjectError, slot: Int) {
    managedObjectContext?.refuse(error, self, slot: slot)
  }

  /// Adds an object to a to-many relationship, at the end of an ordered one, and keeps the inverse.
  ///
  /// - Complexity: O(1).
  final func insert(_ object: ManagedObject, slot: Int) {
    guard let context = managedObjectContext else { return noteMissingContext() }
    if context.isOwn(object, of: self, slot) { context.add(object, to: self, slot) }
  }

  /// Takes an object out of a to-many relationship, and keeps the inverse.
  ///
  /// - Complexity: O(1); of an ordered relationship O(*n*).
  final func remove(_ object: ManagedObject, slot: Int) {
    guard let context = managedObjectContext else { return noteMissingContext() }
    if object.shape.context === context {
      context.remove(object, from: self, slot)
    } else {
      context.note(ManagedObjectError(.invalidState, "\(object) is of another context", objectID: objectID))
    }
  }

  private final func noteMissingContext() {
    shape.context?.note(
      ManagedObjectError(.invalidState, "a relationship of an object that has no context", objectID: objectID))
  }
}
