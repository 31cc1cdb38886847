/// The properties of an entity by name, for changes of single settings.
extension EntityDescription {
  /// The attribute with a name; nil if the entity itself has no such attribute.
  ///
  /// Setting a description replaces the property with this name, or adds one. Setting nil removes the attribute.
  ///
  /// ```swift
  /// override class func describe(_ entity: inout EntityDescription) {
  ///   entity[attribute: "price"]?.isReadOnly = true
  /// }
  /// ```
  ///
  /// - Complexity: O(*n*) in the number of properties.
  public subscript(attribute name: String) -> AttributeDescription? {
    get {
      if case .attribute(let attribute)? = properties.first(where: { $0.name == name }) { attribute } else { nil }
    }
    set { set(newValue.map { .attribute($0) }, name, replacing: self[attribute: name] != nil) }
  }

  /// The relationship with a name; nil if the entity itself has no such relationship.
  ///
  /// Setting a description replaces the property with this name, or adds one. Setting nil removes the relationship.
  ///
  /// ```swift
  /// override class func describe(_ entity: inout EntityDescription) {
  ///   entity[relationship: "friends"]?.inverse = "friends"      // its own inverse
  /// }
  /// ```
  ///
  /// - Complexity: O(*n*) in the number of properties.
  public subscript(relationship name: String) -> RelationshipDescription? {
    get {
      if case .relationship(let found)? = properties.first(where: { $0.name == name }) { found } else { nil }
    }
    set { set(newValue.map { .relationship($0) }, name, replacing: self[relationship: name] != nil) }
  }

  /// The fetched property with a name; nil if the entity itself has no such fetched property.
  ///
  /// Setting a description replaces the property with this name, or adds one. Setting nil removes the fetched property.
  ///
  /// ```swift
  /// entity[fetchedProperty: "recentNotes"]?.request.fetchBatchSize = 20
  /// ```
  ///
  /// - Complexity: O(*n*) in the number of properties.
  public subscript(fetchedProperty name: String) -> FetchedPropertyDescription? {
    get {
      if case .fetched(let property)? = properties.first(where: { $0.name == name }) { property } else { nil }
    }
    set { set(newValue.map { .fetched($0) }, name, replacing: self[fetchedProperty: name] != nil) }
  }

  /// Replaces, adds or removes the property with a name.
  ///
  /// - Parameter isKnown: True if the existing property with this name is of the kind that is set.
  private mutating func set(_ property: PropertyDescription?, _ name: String, replacing isKnown: Bool) {
    let index = properties.firstIndex { $0.name == name }
    switch (property, index) {
    case (let property?, let index?): properties[index] = property
    case (let property?, nil): properties.append(property)
    case (nil, let index?): if isKnown { properties.remove(at: index) }
    case (nil, nil): break
    }
  }
}
