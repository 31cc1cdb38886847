internal import ObjectModels
public import Predicates

/// Functions that set values by key.
extension ManagedObject {
  /// Sets the value of an attribute or a relationship. Numbers are converted to the attribute's type if they keep their
  /// value. Elements that a composite value lacks become null; a composite value without any value becomes null.
  ///
  /// ```swift
  /// try note.setValue(.object(ada), forKey: "author")
  /// try ada.setValue(.set([.object(note)]), forKey: "notes")
  /// ```
  ///
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the entity has no such attribute or relationship;
  ///   ``ManagedObjectError/Code/invalidValue`` if the property cannot have the value;
  ///   ``ManagedObjectError/Code/referentialIntegrity`` if the object is inaccessible, or if a relationship is set and
  ///   one of the objects is deleted or inaccessible; ``ManagedObjectError/Code/invalidState`` if a relationship is
  ///   set, and the object has no context or another object is in a different one.
  @_disfavoredOverload
  public final func setValue(_ value: Value, forKey key: String) throws(ManagedObjectError) {
    try assignment(of: value, forKey: key).apply()
  }

  /// Sets the value of an attribute.
  ///
  /// ```swift
  /// try note.setValue("Letters", forKey: "title")
  /// ```
  ///
  /// - Throws: the errors of ``setValue(_:forKey:)-(ManagedObject.Value,_)``.
  public final func setValue(_ value: AttributeValue, forKey key: String) throws(ManagedObjectError) {
    try setValue(.attribute(value), forKey: key)
  }

  /// Sets the value at a key path: follows the relationships to the last key, and sets the property with this key. If a
  /// relationship is to-many, sets the property of all its objects. Keys after a composite attribute lead to one of its
  /// elements; the other elements keep their values.
  ///
  /// ```swift
  /// try note.setValue("Ada", forKeyPath: "author.name")
  /// try ada.setValue(true, forKeyPath: "notes.isRead")
  /// try ada.setValue("Oslo", forKeyPath: "address.city")   // an element of a composite attribute
  /// ```
  ///
  /// If the method throws, it has set no value.
  ///
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the path is not a key path, or a key is not that of a
  ///   property; ``ManagedObjectError/Code/invalidValue`` if a key before the last one is that of an attribute, or of
  ///   an empty to-one relationship; the errors of ``setValue(_:forKey:)-(ManagedObject.Value,_)``. If there are
  ///   several, ``ManagedObjectError/Code/multipleErrors`` with all of them.
  /// - Complexity: O(*n*) in the number of objects that the relationships lead to.
  @_disfavoredOverload
  public final func setValue(_ value: Value, forKeyPath path: String) throws(ManagedObjectError) {
    guard let keyPath = PredicateKeyPath(path), let last = keyPath.keys.last else {
      throw ManagedObjectError(.undefinedKey, "\(path.quoted) is not a key path", objectID: objectID, key: path)
    }
    var objects = [self]
    var values: [(ManagedObject, String, Value)] = []
    for (index, key) in keyPath.keys.dropLast().enumerated() {
      // Several objects can refer to the same one.
      var found: Set<ManagedObject> = []
      var next: [ManagedObject] = []
      for object in objects {
        if let composite = try object.composite(key, replacing: keyPath.keys[(index + 1)...], with: value) {
          values.append((object, key, composite))
          continue
        }
        for other in try object.objects(atKey: key) where found.insert(other).inserted { next.append(other) }
      }
      objects = next
    }
    try Self.setAll(values + objects.map { ($0, last, value) })
  }

  /// Sets the value of an attribute at a key path.
  ///
  /// - Throws: the errors of ``setValue(_:forKeyPath:)-(ManagedObject.Value,_)``.
  public final func setValue(_ value: AttributeValue, forKeyPath path: String) throws(ManagedObjectError) {
    try setValue(.attribute(value), forKeyPath: path)
  }

  /// Sets the values of several attributes: all or, if one of them is invalid, none.
  ///
  /// ```swift
  /// try note.setValues(["title": "Letters", "pages": 3, "content": .null])
  /// ```
  ///
  /// - Throws: the errors of ``setValue(_:forKey:)-(ManagedObject.Value,_)``. If there are several,
  ///   ``ManagedObjectError/Code/multipleErrors`` with all of them.
  public final func setValues(_ values: KeyValuePairs<String, AttributeValue>) throws(ManagedObjectError) {
    try Self.setAll(values.map { (self, $0.key, .attribute($0.value)) })
  }

  /// Sets the values of several attributes: all or, if one of them is invalid, none.
  ///
  /// - Throws: the errors of ``setValues(_:)-(KeyValuePairs<String,AttributeValue>)``, in the order of the keys.
  @_disfavoredOverload
  public final func setValues(_ values: [String: AttributeValue]) throws(ManagedObjectError) {
    try setValues(values.mapValues(Value.attribute))
  }

  /// Sets the values of several attributes and relationships: all or, if one of them is invalid, none.
  ///
  /// ```swift
  /// try note.setValues(["title": "Letters", "author": .object(ada)])
  /// ```
  ///
  /// - Throws: the errors of ``setValues(_:)-(KeyValuePairs<String,AttributeValue>)``, in the order of the keys.
  @_disfavoredOverload
  public final func setValues(_ values: [String: Value]) throws(ManagedObjectError) {
    try Self.setAll(values.sorted { $0.key < $1.key }.map { (self, $0.key, $0.value) })
  }

  private static func setAll(_ values: [(ManagedObject, String, Value)]) throws(ManagedObjectError) {
    var errors: [ManagedObjectError] = []
    var assignments: [Assignment] = []
    for (object, key, value) in values {
      do { assignments.append(try object.assignment(of: value, forKey: key)) } catch { errors.append(error) }
    }
    if let error = ManagedObjectError(all: errors) { throw error }
    for assignment in assignments { assignment.apply() }
  }

  /// A checked value for a property. Setting it cannot fail.
  private struct Assignment {
    let object: ManagedObject
    let slot: Int
    let value: Checked

    enum Checked {
      case attribute(AttributeValue)
      case objects([ManagedObject])
    }

    func apply() {
      switch value {
      case .attribute(let value): object.setAttribute(value, slot: slot)
      case .objects(let objects): object.setObjects(objects, slot: slot)
      }
    }
  }

  private final func assignment(of value: Value, forKey key: String) throws(ManagedObjectError) -> Assignment {
    let property = try property(key)
    if status.contains(.fault) { fire() }
    if isInaccessible {
      throw ManagedObjectError(.referentialIntegrity, "the object is no longer available", objectID: objectID, key: key)
    }
    switch property {
    case .attribute(let attribute):
      guard case .attribute(let value) = value, var normalized = attribute.definition.type.normalized(value) else {
        throw unsuitable(value, key, expected: attribute.definition.type.name)
      }
      if case .composite = normalized { normalized = try normalizedComposite(normalized, attribute) }
      return Assignment(object: self, slot: attribute.slot, value: .attribute(normalized))
    case .relationship(let relationship):
      guard let objects = Self.objects(value, isToMany: relationship.definition.isToMany) else {
        throw unsuitable(
          value, key, expected: relationship.definition.isToMany ? "a collection of objects" : "an object")
      }
      guard let context = managedObjectContext else {
        throw ManagedObjectError(.invalidState, "the object has no context", objectID: objectID, key: key)
      }
      for object in objects { try context.checkRelation(of: self, relationship, to: object) }
      return Assignment(object: self, slot: relationship.slot, value: .objects(objects))
    }
  }

  private final func normalizedComposite(
    _ value: AttributeValue, _ attribute: ManagedObjectModel.Entity.Attribute
  ) throws(ManagedObjectError) -> AttributeValue {
    do { return try attribute.definition.normalized(value) } catch { throw located(error) }
  }

  /// Returns a composite attribute with another value for the element at a path; nil if the entity has no composite
  /// attribute with this key.
  private final func composite(
    _ key: String, replacing path: ArraySlice<String>, with value: Value
  ) throws(ManagedObjectError) -> Value? {
    guard let attribute = shape.entity.attribute(named: key), attribute.type == .composite else { return nil }
    guard case .attribute(let value) = value else {
      throw unsuitable(value, "\(key).\(path.joined(separator: "."))", expected: "a value of an element")
    }
    guard case .attribute(let known) = try readableValue(ofSlot: attribute.slot) else { return nil }
    return .attribute(known.replacing(path, with: value))
  }

  /// Returns the objects of a relationship in the middle of a key path.
  private final func objects(atKey key: String) throws(ManagedObjectError) -> [ManagedObject] {
    guard case .relationship(let relationship) = try property(key) else {
      throw ManagedObjectError(
        .invalidValue, "expected a relationship before the end of the key path, found an attribute", objectID: objectID,
        key: key)
    }
    let objects = objects(ofSlot: relationship.slot)
    if objects.isEmpty, !relationship.definition.isToMany {
      throw ManagedObjectError(
        .invalidValue, "the relationship is empty: it has no object to change", objectID: objectID, key: key)
    }
    return objects
  }

  private final func unsuitable(_ value: Value, _ key: String, expected: String) -> ManagedObjectError {
    var attribute: AttributeValue?
    if case .attribute(let value) = value { attribute = value }
    return ManagedObjectError(
      .invalidValue, "expected \(expected), found \(value.kindName)", objectID: objectID, key: key, value: attribute)
  }

  /// Returns the objects in a value; empty for null. Returns nil if the value does not fit a to-many relationship or,
  /// if `isToMany` is false, a to-one relationship.
  private static func objects(_ value: Value, isToMany: Bool) -> [ManagedObject]? {
    switch value {
    case .object(let object): return isToMany ? nil : [object]
    case .attribute(.null): return []
    case .array(let elements), .set(let elements):
      let objects = elements.compactMap { if case .object(let object) = $0 { object } else { nil } }
      return isToMany && objects.count == elements.count ? objects : nil
    case .attribute: return nil
    }
  }
}
