internal import Predicates

/// Functions that read and set values by slot, the index of a property in ``ManagedObject/values``. Property wrappers
/// and the context use them.
extension ManagedObject {
  /// Returns the value of a slot. Reads the row if the object is a fault, and the value if it is not in the row.
  final func value(ofSlot slot: Int) -> RowValue {
    if status.contains(.fault) { fire() }
    let value = loadedValue(slot)
    guard case .unread = value else { return value }
    tryToReadValue(slot)
    return loadedValue(slot)
  }

  /// Fulfills a fault: reads its row. If the row cannot be read, all values are empty.
  @inline(never)
  final func fire() {
    defer { if status.contains(.observed) { noteObservedChange() } }
    batch?.noteUse()
    let needsRow = needsRow
    status.subtract([.fault, .inaccessible])
    if !needsRow {
      awake()
      return
    }
    values = shape.emptyValues
    guard let context = contextOrReport() else {
      status.insert(.inaccessible)
      return
    }
    do {
      guard try context.readRow(of: self) else {
        noteMissingRow(context)
        return
      }
      awake()
    } catch {
      // The next access tries to read the row again.
      context.note(error)
      status.insert([.fault, .inaccessible])
    }
  }

  /// Makes the object inaccessible, because the store does not have its row.
  private final func noteMissingRow(_ context: ManagedObjectContext) {
    status.insert(.inaccessible)
    context.note(ManagedObjectError(.referentialIntegrity, "the store no longer has the object", objectID: objectID))
  }

  /// True for a fault whose row has not been read, or could not be read.
  final var needsRow: Bool { status.contains(.fault) && (!hasValues || status.contains(.inaccessible)) }

  /// Sets the values and the version from a row. A fault stays a fault, but its row need not be read any more.
  final func take(_ row: consuming StoreRow) {
    version = row.version
    values = row.values
    noteTaken()
  }

  /// Sets the values and the version from a row, as ``take(_:)-(StoreRow)`` does.
  ///
  /// - Parameter index: The index of the row among those that are not the first ones.
  final func take(_ rows: borrowing PagedRows, _ index: Int) {
    version = rows.version(index)
    if shape.isAllPersistent, let (page, row) = rows.page(index) {
      setValues(page, row: row)
    } else {
      values = shape.completed(rows.row(index, slotCount: shape.record.slotCount).values)
    }
    noteTaken()
  }

  /// Sets the values and the version to those of the parent context's object.
  final func take(from other: ManagedObject) {
    version = other.version
    shareValues(of: other)
    noteTaken()
  }

  private final func noteTaken() {
    // A change of an inaccessible object has set committed values.
    committed = nil
    status.subtract([.inaccessible, .partial])
    if status.contains(.observed) { shape.state?.observed.touch(self) }
  }

  /// Reads the attributes that a request left out, if there are any. If the store no longer has the object, they become
  /// null, and the object is inaccessible.
  ///
  /// The version stays that of the first row, so that a save finds a conflict if the row has changed since.
  final func complete() throws(ManagedObjectError) {
    guard status.contains(.partial), let context = managedObjectContext else { return }
    complete(from: try context.readRows([key])[0])
  }

  /// Sets the attributes that a request left out to the values of a row.
  ///
  /// - Parameter row: the row; nil if the store no longer has the object.
  final func complete(from row: StoreRow?) {
    guard let context = managedObjectContext else { return }
    status.remove(.partial)
    if row == nil { noteMissingRow(context) }
    for attribute in shape.record.attributes where values[attribute.slot] == .unread {
      values[attribute.slot] = (row?.values ?? shape.emptyValues)[attribute.slot]
    }
    if row == nil, status.contains(.observed) { noteObservedChange() }
  }

  private final func awake() {
    guard let context = shape.state, context.isOpen, !status.contains(.detached) else { return }
    // Prevents `awakeFromFetch` from turning the object into a fault again: the caller needs its value.
    status.insert(.turning)
    context.withoutTracking { awakeFromFetch() }
    status.remove(.turning)
  }

  /// Reads a value that the store left out of the row. If reading fails, the value stays `unread`, and the next access
  /// tries again.
  private final func tryToReadValue(_ slot: Int) {
    do { try readValue(slot) } catch { shape.context?.note(error) }
  }

  /// Calls `awake(fromSnapshotEvents:)`, unless the object became a fault.
  final func awake(from events: SnapshotEventType) {
    guard let context = shape.state, context.isOpen, !isFault else { return }
    context.withoutTracking { awake(fromSnapshotEvents: events) }
  }

  /// Returns the value of a slot. Unlike ``value(ofSlot:)``, throws if it cannot be read.
  final func readableValue(ofSlot slot: Int) throws(ManagedObjectError) -> RowValue {
    noteRead(.value(slot))
    if isFault { fire() }
    // An object that was fetched with some of its attributes may turn out to be inaccessible here.
    if case .unread = loadedValue(slot), !status.isInaccessible { try readValue(slot) }
    if status.isInaccessible {
      let name = shape.entity.properties.first { $0.slot == slot }?.name
      throw ManagedObjectError(
        .referentialIntegrity, "the object is no longer available", objectID: objectID, key: name)
    }
    return loadedValue(slot)
  }

  /// Reads a value that the store left out of the row. If the store no longer has the object, the value becomes empty,
  /// and the object is inaccessible.
  private final func readValue(_ slot: Int) throws(ManagedObjectError) {
    var value = shape.emptyValues[slot]
    var isMissing = false
    if let context = contextOrReport() {
      if status.contains(.partial), shape.relationships[slot] == nil {
        try complete()
        // Data in a separate file is not in the row.
        guard case .unread = loadedValue(slot) else { return }
      }
      if let found = try context.readUnreadValue(ofSlot: slot, of: self) {
        value = found
      } else {
        isMissing = true
        noteMissingRow(context)
      }
    }
    setUnreadValue(value, slot)
    if isMissing, status.contains(.observed) { noteObservedChange() }
  }

  /// Sets a value that the store left out of the row.
  final func setUnreadValue(_ value: RowValue, _ slot: Int) {
    values[slot] = value
    committed?[slot] = value
  }

  /// Sets the value of an attribute. The caller has converted it to the attribute's type.
  final func setAttribute(_ value: AttributeValue, slot: Int) {
    let value = RowValue.attribute(value)
    if status.contains(.refusing) { managedObjectContext?.forgetRefusals(of: self, slot: slot) }
    guard self.value(ofSlot: slot) != value else { return }
    change(slot, to: value)
  }

  /// Sets the value of a slot and notifies the context. Inverse relationships are not changed.
  final func change(_ slot: Int, to value: RowValue) {
    if status.contains(.observed) { changeObserved(slot, to: value) } else { assign(slot, to: value) }
  }

  /// Sets the value of a slot, and notifies the context.
  @inline(__always)
  final func assign(_ slot: Int, to value: RowValue) {
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

  /// Returns the objects of a relationship, in its order. The objects of an unordered relationship are sorted by key.
  final func objects(ofSlot slot: Int) -> [ManagedObject] {
    noteRead(.value(slot))
    switch value(ofSlot: slot) {
    case .attribute, .unread, .toOne(nil): return []
    case .toOne(let key?): return contextOrReport().map { [$0.target(key, of: self, slot)] } ?? []
    case .orderedToMany(let keys):
      guard let context = contextOrReport() else { return [] }
      return context.targets(keys, of: self, slot)
    case .toMany(let keys):
      guard let context = contextOrReport() else { return [] }
      return context.targets(keys.sorted(), of: self, slot)
    }
  }

  /// Returns the object of a to-one relationship; nil if it has none.
  final func object(ofSlot slot: Int) -> ManagedObject? {
    noteRead(.value(slot))
    guard case .toOne(let key?) = value(ofSlot: slot) else { return nil }
    return contextOrReport()?.target(key, of: self, slot)
  }

  /// Sets a relationship and its inverse. A to-one relationship is set to the first object.
  ///
  /// Objects that cannot be in the relationship, such as those of other contexts, are left out and reported in
  /// ``ManagedObjectContext/misuse``.
  final func setObjects(_ objects: [ManagedObject], slot: Int) {
    guard let context = managedObjectContext else { return noteMissingContext() }
    context.setObjects(objects.filter { context.isOwn($0, of: self, slot) }, of: self, slot)
  }

  /// Sets a to-one relationship and its inverse.
  ///
  /// If the object cannot be in the relationship, for example because it belongs to another context, the old value
  /// stays and the error is added to ``ManagedObjectContext/misuse``.
  final func setObject(_ object: ManagedObject?, slot: Int) {
    guard let context = managedObjectContext else { return noteMissingContext() }
    if let object, !context.isOwn(object, of: self, slot) { return }
    if shape.relationships[slot]?.definition.isToMany == false {
      context.setObject(object, of: self, slot)
    } else {
      context.setObjects(object.map { [$0] } ?? [], of: self, slot)
    }
  }

  /// Records the error for a property that was set to an invalid value. The property keeps its old value, and
  /// validation fails until the property is set again.
  final func refuseValue(_ error: ManagedObjectError, slot: Int) {
    managedObjectContext?.refuse(error, self, slot: slot)
  }

  /// Adds an object to a to-many relationship and updates the inverse. In an ordered relationship, the object is
  /// inserted at the index, or added at the end.
  ///
  /// - Complexity: O(1); O(*n*) with an index.
  final func insert(_ object: ManagedObject, slot: Int, at index: Int? = nil) {
    guard let context = managedObjectContext else { return noteMissingContext() }
    if context.isOwn(object, of: self, slot) { context.add(object, to: self, slot, at: index) }
  }

  /// Changes the keys of an ordered relationship in one step, and updates the inverses.
  ///
  /// - Parameters:
  ///   - objects: the objects that `edit` may add. Those that cannot be in the relationship are left out.
  ///   - edit: changes the keys. Its second argument has the keys of the objects that may be added.
  final func editOrderedKeys(
    _ slot: Int, adding objects: [ManagedObject] = [], _ edit: (inout OrderedKeys, OrderedKeys) -> Void
  ) {
    guard let context = managedObjectContext else { return noteMissingContext() }
    let new = OrderedKeys(objects.filter { context.isOwn($0, of: self, slot) }.map(\.key))
    guard case .orderedToMany(var keys) = value(ofSlot: slot) else { return }
    edit(&keys, new)
    context.setOrderedKeys(keys, of: self, slot)
  }

  /// Removes an object from a to-many relationship, and updates the inverse.
  ///
  /// - Complexity: O(1); O(*n*) for an ordered relationship.
  final func remove(_ object: ManagedObject, slot: Int) {
    guard let context = managedObjectContext else { return noteMissingContext() }
    if object.shape.context === context {
      context.remove(object, from: self, slot)
    } else {
      context.note(ManagedObjectError(.invalidState, "\(object) belongs to another context", objectID: objectID))
    }
  }

  private final func noteMissingContext() {
    shape.context?.note(
      ManagedObjectError(
        .invalidState, "the relationships of an object without a context cannot be changed", objectID: objectID))
    reportReleasedContext()
  }

  /// Returns the context, which reading a relationship or a fault needs. Reports an error if the context was released.
  final func contextOrReport() -> ManagedObjectContext? {
    if let context = managedObjectContext { return context }
    reportReleasedContext()
    return nil
  }

  /// Reports the first use of an object after its context was released to the coordinator. A deleted object is not
  /// reported.
  @inline(never)
  private final func reportReleasedContext() {
    guard !status.contains(.detached), let state = shape.state, state.isFirstUseAfterClosing() else { return }
    shape.coordinator?.misuseHandler(
      ManagedObjectError(
        .invalidState,
        "the context of the object was released: its relationships, and values that were not read before, are empty, "
          + "and its relationships cannot be changed. Keep the context as long as you use its objects",
        objectID: objectID))
  }
}
