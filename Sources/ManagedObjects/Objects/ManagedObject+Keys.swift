internal import ObjectModels
public import Predicates

/// Functions that read values by key.
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
  /// note["title"] = "Letters"
  /// let title = note["title"]                              // .attribute(.string("Letters"))
  /// let headline = note["headline"]                        // nil
  /// ```
  ///
  /// Setting nil sets null. If an attribute cannot have the new value, it keeps its old one, and saving the object
  /// fails until the attribute is set again. Other errors, such as that of an unknown key, are added to
  /// ``ManagedObjectContext/misuse``. To catch errors, use ``setValue(_:forKey:)-(ManagedObject.Value,_)``.
  public final subscript(key: String) -> Value? {
    get { shape.entity.property(named: key).map { value(of: $0) } }
    set {
      do { try setValue(newValue ?? .null, forKey: key) } catch {
        if error.code == .invalidValue, let attribute = shape.entity.attribute(named: key) {
          refuseValue(error, slot: attribute.slot)
        } else {
          shape.context?.note(error)
        }
      }
    }
  }

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

  /// Returns the value at a key path. The path may contain collection operators, as in predicates: `notes.@count`. Keys
  /// after a composite attribute lead to one of its elements.
  ///
  /// ```swift
  /// print(try note.value(forKeyPath: "author.name"))       // "Ada"
  /// print(try ada.value(forKeyPath: "address.city"))       // "Oslo"
  /// print(try ada.value(forKeyPath: "notes.@sum.pages"))   // 123
  /// ```
  ///
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the path cannot be evaluated. The message has the reason.
  public final func value(forKeyPath path: String) throws(ManagedObjectError) -> Value {
    guard let keyPath = PredicateKeyPath(path) else {
      throw ManagedObjectError(.undefinedKey, "\(path.quoted) is not a key path", objectID: objectID, key: path)
    }
    let subject = ObjectSubject(object: self, notesReads: true, usesBatches: true)
    do { return Value(try PreparedExpression(.keyPath(keyPath)).value(with: subject)) } catch {
      var failure = ManagedObjectError(.undefinedKey, error.message, objectID: objectID, key: path)
      failure.predicateError = error
      throw failure
    }
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
    noteRead(.committedValues)
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
    noteRead(.changedValues)
    guard status.hasChanges, !status.contains(.fault) else { return [:] }
    let old = status.contains(.inserted) ? shape.emptyValues : committed ?? values
    var result: [String: Value] = [:]
    for property in shape.entity.properties where values[property.slot] != old[property.slot] {
      result[property.name] = present(values[property.slot], property)
    }
    return result
  }

  /// Returns the old values of the properties that changed since the last call of
  /// ``ManagedObjectContext/processPendingChanges()``, by property name. An observer gets those of the changes that are
  /// being reported to it. The old values of a new object are null, and its old relationships are empty.
  ///
  /// ```swift
  /// context.recordsEvents = true
  /// note.title = "Letters"
  /// print(try note.changedValuesForCurrentEvent())         // ["title": "Numbers of Bernoulli"]
  /// context.processPendingChanges()
  /// print(try note.changedValuesForCurrentEvent())         // [:]
  /// ```
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidState`` if ``ManagedObjectContext/recordsEvents`` is false, or the
  ///   object has no context.
  /// - Complexity: O(*n*) in the number of changes of all objects in the event.
  public final func changedValuesForCurrentEvent() throws(ManagedObjectError) -> [String: Value] {
    guard let context = managedObjectContext, context.recordsEvents else {
      throw ManagedObjectError(
        .invalidState, "recordsEvents of the object's context must be true before the changes", objectID: objectID)
    }
    if status.contains(.fault) { return [:] }
    var old = values
    var isNew = false
    for change in context.eventChanges.reversed() where change.object === self {
      switch change {
      case .value(_, let slot, let value): old[slot] = context.presentValue(value)
      case .put(_, let slot, let key): old[slot].remove(context.presentKey(key))
      case .drop(_, let slot, let key, let index): old[slot].insert(context.presentKey(key), at: index)
      case .created: isNew = true
      case .deleted: break
      }
    }
    if isNew { old = shape.emptyValues }
    var result: [String: Value] = [:]
    for property in shape.entity.properties where values[property.slot] != old[property.slot] {
      result[property.name] = present(old[property.slot], property)
    }
    return result
  }

  final func property(_ key: String) throws(ManagedObjectError) -> ManagedObjectModel.Entity.Property {
    guard let property = shape.entity.property(named: key) else { throw undefined(key) }
    return property
  }

  final func undefined(_ key: String) -> ManagedObjectError {
    ManagedObjectError(
      .undefinedKey, "the entity \(shape.entity.name.quoted) has no property \(key.quoted)", objectID: objectID,
      key: key)
  }

  final func value(of property: ManagedObjectModel.Entity.Property) -> Value {
    noteRead(.value(property.slot))
    return present(value(ofSlot: property.slot), property)
  }

  final func present(_ value: RowValue, _ property: ManagedObjectModel.Entity.Property) -> Value {
    func objects(_ keys: some Collection<RowKey>) -> [Value] {
      // Only a context can find other objects.
      guard !keys.isEmpty, let context = contextOrReport() else { return [] }
      return context.targets(keys, of: self, property.slot).map { .object($0) }
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
