internal import ObjectModels
public import Predicates

/// Access to values by key.
extension ManagedObject {
  /// The value of a property, or the result of a key path.
  ///
  /// ```swift
  /// switch try note.value(forKey: "author") {
  /// case .object(let author): print("by", author)          // by Person/p1
  /// default: print("without an author")
  /// }
  /// ```
  public enum Value: Hashable {
    /// The value of an attribute. Null is also the value of a to-one relationship that has no object.
    case attribute(AttributeValue)
    /// The object of a to-one relationship.
    case object(ManagedObject)
    /// The objects of an ordered relationship or of a fetched property, or the results of a key path, in their order.
    case array([Value])
    /// The objects of an unordered to-many relationship, without duplicates. They are sorted by primary key, so that
    /// results are reproducible.
    case set([Value])

    /// The null value of an attribute or of a to-one relationship.
    public static var null: Value { .attribute(.null) }
  }

  /// The value of an attribute or a relationship; nil if the entity does not have it. For a fetched property, use
  /// ``value(forKey:)``.
  ///
  /// ```swift
  /// let title = note["title"]                              // .attribute(.string("Numbers of Bernoulli"))
  /// let headline = note["headline"]                        // nil
  /// ```
  public final subscript(key: String) -> Value? { shape.entity.property(named: key).map { value(of: $0) } }

  /// Returns the value of a property.
  ///
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the entity has no such property; the errors of
  ///   ``fetchedObjects(named:)`` for a fetched property.
  public final func value(forKey key: String) throws(ManagedObjectError) -> Value {
    if shape.entity.fetchedProperty(named: key) != nil {
      return .array(try fetchedObjects(named: key).map(Value.object))
    }
    return value(of: try property(key))
  }

  /// Returns the value at a key path. The path may contain collection operators, as in predicates: `notes.@count`.
  ///
  /// ```swift
  /// print(try note.value(forKeyPath: "author.name"))       // "Ada"
  /// print(try ada.value(forKeyPath: "notes.@sum.pages"))   // 123
  /// ```
  ///
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the path cannot be evaluated. The message has the reason.
  public final func value(forKeyPath path: String) throws(ManagedObjectError) -> Value {
    guard let keyPath = PredicateKeyPath(path) else {
      throw ManagedObjectError(.undefinedKey, "\(path.quoted) is not a key path", objectID: objectID, key: path)
    }
    do { return Value(try PreparedExpression(.keyPath(keyPath)).value(with: ObjectSubject(object: self))) } catch {
      var failure = ManagedObjectError(.undefinedKey, error.message, objectID: objectID, key: path)
      failure.predicateError = error
      throw failure
    }
  }

  /// Sets the value of an attribute or a relationship. Numbers are converted to the attribute's type if they keep their
  /// value.
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
  public final func setValue(_ value: Value, forKey key: String) throws(ManagedObjectError) {
    let property = try property(key)
    if status.contains(.fault) { fire() }
    if isInaccessible {
      throw ManagedObjectError(.referentialIntegrity, "the object is no longer available", objectID: objectID, key: key)
    }
    switch property {
    case .attribute(let attribute):
      guard case .attribute(let value) = value, let normalized = attribute.definition.type.normalized(value) else {
        throw unsuitable(value, key, expected: attribute.definition.type.name)
      }
      setAttribute(normalized, slot: attribute.slot)
    case .relationship(let relationship):
      guard let objects = Self.objects(value, isToMany: relationship.definition.isToMany) else {
        throw unsuitable(
          value, key, expected: relationship.definition.isToMany ? "a collection of objects" : "an object")
      }
      guard let context = managedObjectContext else {
        throw ManagedObjectError(.invalidState, "the object has no context", objectID: objectID, key: key)
      }
      for object in objects { try context.checkRelation(of: self, relationship, to: object) }
      setObjects(objects, slot: relationship.slot)
    }
  }

  /// Sets the value of an attribute.
  ///
  /// ```swift
  /// try note.setValue(.string("Letters"), forKey: "title")
  /// ```
  ///
  /// - Throws: the errors of ``setValue(_:forKey:)-(ManagedObject.Value,_)``.
  public final func setValue(_ value: AttributeValue, forKey key: String) throws(ManagedObjectError) {
    try setValue(.attribute(value), forKey: key)
  }

  /// Sets the values of several attributes.
  ///
  /// ```swift
  /// try note.setValues(["title": .string("Letters"), "pages": .integer(3), "content": .null])
  /// ```
  ///
  /// - Throws: the errors of ``setValue(_:forKey:)-(ManagedObject.Value,_)``. The values before the invalid one stay
  ///   set.
  public final func setValues(_ values: KeyValuePairs<String, AttributeValue>) throws(ManagedObjectError) {
    for (key, value) in values { try setValue(.attribute(value), forKey: key) }
  }

  /// Returns the values as they were last read or saved, by property name. Returns an empty dictionary for a new
  /// object.
  ///
  /// ```swift
  /// note.title = "Letters"
  /// print(note.committedValues(forKeys: ["title"]))        // ["title": "Numbers of Bernoulli"]
  /// ```
  ///
  /// - Parameter keys: the names of attributes and relationships; nil for all.
  public final func committedValues(forKeys keys: [String]? = nil) -> [String: Value] {
    if status.contains(.fault) { fire() }
    if status.contains(.inserted) { return [:] }
    let names = keys.map { Set($0) }
    var result: [String: Value] = [:]
    for property in shape.entity.properties where names?.contains(property.name) ?? true {
      if case .unread = values[property.slot] { _ = value(ofSlot: property.slot) }
      result[property.name] = present((committed ?? values)[property.slot], property)
    }
    return result
  }

  /// Returns the values that changed since the object was read or saved, by property name. For a new object, returns
  /// the values that are not empty.
  ///
  /// ```swift
  /// note.title = "Letters"
  /// print(note.changedValues())                            // ["title": "Letters"]
  /// ```
  public final func changedValues() -> [String: Value] {
    guard hasChanges, !status.contains(.fault) else { return [:] }
    let old = status.contains(.inserted) ? shape.emptyValues : committed ?? values
    var result: [String: Value] = [:]
    for property in shape.entity.properties where values[property.slot] != old[property.slot] {
      result[property.name] = present(values[property.slot], property)
    }
    return result
  }

  private final func property(_ key: String) throws(ManagedObjectError) -> ManagedObjectModel.Entity.Property {
    guard let property = shape.entity.property(named: key) else { throw undefined(key) }
    return property
  }

  final func undefined(_ key: String) -> ManagedObjectError {
    ManagedObjectError(
      .undefinedKey, "the entity \(shape.entity.name.quoted) has no property \(key.quoted)", objectID: objectID,
      key: key)
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

  final func value(of property: ManagedObjectModel.Entity.Property) -> Value {
    present(value(ofSlot: property.slot), property)
  }

  private final func present(_ value: RowValue, _ property: ManagedObjectModel.Entity.Property) -> Value {
    let context = managedObjectContext
    // Without a context, other objects cannot be found.
    func objects(_ keys: some Sequence<RowKey>) -> [Value] {
      context.map { context in keys.map { .object(context.object(for: $0)) } } ?? []
    }
    switch value {
    case .attribute(let value): return .attribute(value)
    case .toOne(let key): return objects(key.map { [$0] } ?? []).first ?? .null
    case .toMany(let keys): return .set(objects(keys.sorted()))
    case .orderedToMany(let keys): return .array(objects(keys))
    case .unread:
      // The value could not be read.
      if case .relationship = property { return .set([]) }
      return .null
    }
  }
}

extension ManagedObject.Value {
  /// The kind of value in words, for error messages.
  var kindName: String {
    switch self {
    case .attribute(let value): value.kindName
    case .object: "an object"
    case .array, .set: "a collection"
    }
  }
}

extension ManagedObject.Value: CustomStringConvertible {
  /// The value as readable text on one line: an attribute as ``AttributeValue/description``, an object as `Note/p12`,
  /// ordered objects as `[Note/p12, Note/p9]`, unordered ones as `{Note/p9, Note/p12}`. Shows at most the first 20
  /// elements of a collection.
  public var description: String { text(depth: 0) }

  private static let shownDepth = 4
  private static let shownCount = 20

  private func text(depth: Int) -> String {
    switch self {
    case .attribute(let value): value.description
    case .object(let object): object.description
    case .array(let elements): "[\(Self.list(elements, depth))]"
    case .set(let elements): "{\(Self.list(elements, depth))}"
    }
  }

  private static func list(_ elements: [ManagedObject.Value], _ depth: Int) -> String {
    if elements.isEmpty { return "" }
    guard depth < shownDepth else { return "…" }
    var texts = elements.prefix(shownCount).map { $0.text(depth: depth + 1) }
    if elements.count > shownCount { texts.append("… \(elements.count - shownCount) more") }
    return texts.joined(separator: ", ")
  }
}
