internal import Predicates

/// The changes of an object that its observers receive.
public struct ObjectChange {
  /// The object. An observer that uses this property, and does not capture the object, does not retain it.
  public let object: ManagedObject
  /// The values before the changes, by the names of the changed attributes and relationships.
  public let oldValues: [String: ManagedObject.Value]

  /// The names of the attributes and relationships that changed.
  public var keys: Set<String> { Set(oldValues.keys) }
}

/// The observers of one object.
struct ObjectObservers {
  private struct Observer {
    /// The names of the properties; nil for all.
    let keys: Set<String>?
    let callback: (ObjectChange) -> Void
  }

  private var observers: [Int: Observer] = [:]
  private var next = 0
  /// The last reported values of the properties that are observed, by slot.
  fileprivate var values: [Int: RowValue] = [:]

  var isEmpty: Bool { observers.isEmpty }

  /// Adds an observer.
  ///
  /// - Parameter present: the present values of the properties, by slot.
  mutating func add(
    _ keys: Set<String>?, _ present: [Int: RowValue], _ callback: @escaping (ObjectChange) -> Void
  ) -> Int {
    next += 1
    observers[next] = Observer(keys: keys, callback: callback)
    values.merge(present) { reported, _ in reported }
    return next
  }

  mutating func remove(_ number: Int) { observers[number] = nil }

  func tell(_ change: ObjectChange) {
    for number in observers.keys.sorted() {
      guard let observer = observers[number] else { continue }
      let oldValues = change.oldValues.filter { observer.keys?.contains($0.key) ?? true }
      if !oldValues.isEmpty { observer.callback(ObjectChange(object: change.object, oldValues: oldValues)) }
    }
  }
}

extension ObservedObjects.Record {
  /// Returns the changes for the observers since the last call; nil if nothing changed.
  ///
  /// Reading values can call functions of the program, such as `awakeFromFetch`, that add and remove observers. So
  /// ``observers`` must not be accessed while a value is read.
  func takeChange(_ isSame: (RowValue, RowValue) -> Bool) -> ObjectChange? {
    var oldValues: [String: ManagedObject.Value] = [:]
    for property in object.shape.entity.properties where observers.values[property.slot] != nil {
      let value = object.visibleValue(ofSlot: property.slot)
      guard let old = observers.values[property.slot], old != value else { continue }
      observers.values[property.slot] = value
      if !isSame(old, value) { oldValues[property.name] = object.present(old, property) }
    }
    return oldValues.isEmpty ? nil : ObjectChange(object: object, oldValues: oldValues)
  }
}

extension ManagedObject {
  /// Adds an observer: a function that is called after attributes or relationships of the object changed, whatever
  /// changed them.
  ///
  /// ```swift
  /// let number = try note.addObserver(forKeys: ["title"]) { change in
  ///   print(change.oldValues, change.object["title"] ?? .null)
  /// }
  /// note.title = "Letters"
  /// note.removeObserver(number)
  /// ```
  ///
  /// The changes of one operation, such as an undo or a merge, are reported together. An observer ends when it is
  /// removed, when the program no longer references the object, or when the context is released. A function that
  /// captures the object retains it.
  ///
  /// - Parameters:
  ///   - keys: the names of attributes and relationships; nil for all.
  ///   - callback: the function. It may change objects.
  /// - Returns: a number to pass to ``removeObserver(_:)``.
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the entity has no such attribute or relationship;
  ///   ``ManagedObjectError/Code/invalidState`` if the object has no context.
  public final func addObserver(
    forKeys keys: [String]? = nil, _ callback: @escaping (ObjectChange) -> Void
  ) throws(ManagedObjectError) -> Int {
    for key in keys ?? [] { _ = try property(key) }
    guard let state = shape.state, !status.contains(.detached), state.isOpen else {
      throw ManagedObjectError(.invalidState, "the object has no context", objectID: objectID)
    }
    let keys = keys.map { Set($0) }
    // Reads the values before adding the observer, because reading a fault is reported to observers.
    var present: [Int: RowValue] = [:]
    for property in shape.entity.properties where keys?.contains(property.name) ?? true {
      present[property.slot] = visibleValue(ofSlot: property.slot)
    }
    return state.observed.record(of: self).observers.add(keys, present, callback)
  }

  /// Removes an observer.
  ///
  /// - Parameter number: the number that ``addObserver(forKeys:_:)`` returned.
  public final func removeObserver(_ number: Int) { shape.state?.observed[self]?.observers.remove(number) }
}
