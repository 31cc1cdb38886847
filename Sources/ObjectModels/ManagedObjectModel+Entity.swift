public import Predicates

extension ManagedObjectModel {
  /// An entity of a model, with its superentity, subentities and inherited properties.
  ///
  /// ```swift
  /// if let note = model["Note"], let author = note.relationship(named: "author") {
  ///   print(note.attributes.map { "\($0.name): \($0.type.name)" })   // ["content: String"]
  ///   print(note.destination(of: author).name)                       // Person
  ///   print(note.inverse(of: author)?.name ?? "")                    // notes
  /// }
  /// ```
  ///
  /// An `Entity` consists of a reference to its model, which it keeps alive, and an index in
  /// ``ManagedObjectModel/entities``.
  public struct Entity: Sendable {
    /// The model.
    public let model: ManagedObjectModel
    /// The index in ``ManagedObjectModel/entities``.
    public let index: Int

    /// Creates the entity at an index of a model.
    @inlinable package init(model: ManagedObjectModel, index: Int) {
      self.model = model
      self.index = index
    }

    /// The data of an entity: its description, its superentity and subentities, and its properties, including inherited
    /// ones.
    @usableFromInline package final class Record: Sendable {
      package let definition: EntityDescription
      package let superentity: Int?
      package let subentities: [Int]
      /// The index after the last entity that inherits from this one; the index after this entity if no entity inherits
      /// from it.
      package let endOfSubentities: Int
      package let attributes: [Attribute]
      package let relationships: [Relationship]
      package let fetchedProperties: [FetchedPropertyDescription]
      /// For the name of each property, its index in `attributes`, `relationships` or `fetchedProperties`.
      package let propertyIndices: [String: PropertyIndex]
      package let slotCount: Int

      init(
        definition: EntityDescription, superentity: Int?, subentities: [Int], endOfSubentities: Int,
        attributes: [Attribute], relationships: [Relationship], fetchedProperties: [FetchedPropertyDescription]
      ) {
        self.definition = definition
        self.superentity = superentity
        self.subentities = subentities
        self.endOfSubentities = endOfSubentities
        self.attributes = attributes
        self.relationships = relationships
        self.fetchedProperties = fetchedProperties
        var propertyIndices: [String: PropertyIndex] = [:]
        for (index, attribute) in attributes.enumerated() { propertyIndices[attribute.name] = .attribute(index) }
        for (index, relationship) in relationships.enumerated() {
          propertyIndices[relationship.name] = .relationship(index)
        }
        for (index, property) in fetchedProperties.enumerated() { propertyIndices[property.name] = .fetched(index) }
        self.propertyIndices = propertyIndices
        slotCount = attributes.count + relationships.count
      }
    }

    package enum PropertyIndex: Sendable {
      case attribute(Int)
      case relationship(Int)
      case fetched(Int)
    }

    @inlinable package var record: Record { model.records[index] }
  }
}

extension ManagedObjectModel.Entity.Record {
  /// Returns the slots whose values may be unread in a row, because stores read them later: the slots of relationships,
  /// and of attributes with external storage.
  ///
  /// - Parameter names: The names of the properties to include.
  package func slotsReadLater(_ names: Set<String>) -> [Int] {
    relationships.filter { names.contains($0.name) }.map(\.slot)
      + attributes.filter { $0.definition.isExternal && names.contains($0.name) }.map(\.slot)
  }
}

extension ManagedObjectModel.Entity: Hashable {
  public static func == (first: Self, second: Self) -> Bool {
    first.index == second.index && first.model === second.model
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(index)
    hasher.combine(ObjectIdentifier(model))
  }

  /// The description from which the entity was created, without inherited properties.
  public var definition: EntityDescription { record.definition }

  /// The name.
  public var name: String { record.definition.name }

  /// True if only subentities have objects.
  public var isAbstract: Bool { record.definition.isAbstract }

  /// The entity that this one inherits from.
  public var superentity: Self? { record.superentity.map { Self(model: model, index: $0) } }

  /// The entities that inherit from this one directly.
  public var subentities: [Self] { record.subentities.map { Self(model: model, index: $0) } }

  /// The topmost superentity, or this entity if it has none. An SQLite store has one table for all entities with the
  /// same root.
  public var root: Self {
    var entity = self
    while let superentity = entity.superentity { entity = superentity }
    return entity
  }

  /// Returns true if this entity is the other one or inherits from it.
  ///
  /// ```swift
  /// if let dog = model["Dog"], let animal = model["Animal"] { print(dog.isKind(of: animal)) }   // true
  /// ```
  ///
  /// - Complexity: O(1).
  public func isKind(of other: Self) -> Bool { model === other.model && other.subtree.contains(index) }

  /// This entity and all entities that inherit from it, directly or indirectly.
  public var selfAndDescendants: [Self] { subtree.map { Self(model: model, index: $0) } }

  /// The indexes of this entity and of all entities that inherit from it.
  package var subtree: Range<Int> { index..<record.endOfSubentities }
}

/// The properties of an entity, including inherited ones.
extension ManagedObjectModel.Entity {
  /// An attribute of an entity, and its slot: the index of its value among the values of each object.
  @dynamicMemberLookup
  public struct Attribute: Hashable, Sendable {
    /// The description from which the attribute was created.
    public let definition: AttributeDescription
    /// The slot of the value in an object, from 0.
    public let slot: Int
    /// The value in new objects, converted to the attribute's type.
    public let initialValue: AttributeValue

    /// A property of the ``definition``: see ``AttributeDescription``.
    public subscript<Value>(dynamicMember path: KeyPath<AttributeDescription, Value>) -> Value {
      definition[keyPath: path]
    }

    /// One of the traits that all properties have: see ``PropertyTraits``.
    public subscript<Trait>(dynamicMember path: KeyPath<PropertyTraits, Trait>) -> Trait {
      definition.traits[keyPath: path]
    }
  }

  /// A relationship of an entity, and its slot: the index of its value among the values of each object.
  @dynamicMemberLookup
  public struct Relationship: Hashable, Sendable {
    /// The description from which the relationship was created.
    public let definition: RelationshipDescription
    /// The slot of the value in an object, from 0.
    public let slot: Int
    package let destinationIndex: Int

    /// A property of the ``definition``: see ``RelationshipDescription``.
    public subscript<Value>(dynamicMember path: KeyPath<RelationshipDescription, Value>) -> Value {
      definition[keyPath: path]
    }

    /// One of the traits that all properties have: see ``PropertyTraits``.
    public subscript<Trait>(dynamicMember path: KeyPath<PropertyTraits, Trait>) -> Trait {
      definition.traits[keyPath: path]
    }
  }

  /// An attribute or a relationship. A fetched property is not included, because its value has no slot in objects.
  public enum Property: Hashable, Sendable {
    case attribute(Attribute)
    case relationship(Relationship)

    /// The name.
    public var name: String {
      switch self {
      case .attribute(let attribute): attribute.definition.name
      case .relationship(let relationship): relationship.definition.name
      }
    }

    /// The slot of the value in an object, from 0.
    public var slot: Int {
      switch self {
      case .attribute(let attribute): attribute.slot
      case .relationship(let relationship): relationship.slot
      }
    }
  }

  /// All attributes, by slot.
  public var attributes: [Attribute] { record.attributes }

  /// All relationships, by slot.
  public var relationships: [Relationship] { record.relationships }

  /// All fetched properties.
  public var fetchedProperties: [FetchedPropertyDescription] { record.fetchedProperties }

  /// The number of values in an object. The slots of the superentity come first, so that a property has the same slot
  /// in all entities that inherit it.
  public var slotCount: Int { record.slotCount }

  /// All attributes and relationships, by slot.
  public var properties: [Property] {
    (record.attributes.map(Property.attribute) + record.relationships.map(Property.relationship))
      .sorted { $0.slot < $1.slot }
  }

  /// Returns the attribute with a name, or nil if the entity does not have it.
  ///
  /// - Complexity: O(1).
  public func attribute(named name: String) -> Attribute? {
    if case .attribute(let index)? = record.propertyIndices[name] { record.attributes[index] } else { nil }
  }

  /// Returns the relationship with a name, or nil if the entity does not have it.
  ///
  /// - Complexity: O(1).
  public func relationship(named name: String) -> Relationship? {
    if case .relationship(let index)? = record.propertyIndices[name] { record.relationships[index] } else { nil }
  }

  /// Returns the fetched property with a name, or nil if the entity does not have it.
  ///
  /// - Complexity: O(1).
  public func fetchedProperty(named name: String) -> FetchedPropertyDescription? {
    if case .fetched(let index)? = record.propertyIndices[name] { record.fetchedProperties[index] } else { nil }
  }

  /// Returns the attribute or relationship with a name, or nil if the entity does not have it.
  ///
  /// - Complexity: O(1).
  public func property(named name: String) -> Property? {
    switch record.propertyIndices[name] {
    case .attribute(let index): .attribute(record.attributes[index])
    case .relationship(let index): .relationship(record.relationships[index])
    case .fetched, nil: nil
    }
  }

  /// All properties, including fetched ones, sorted by the Unicode scalars of their names.
  public var allPropertyDescriptions: [PropertyDescription] {
    let all: [PropertyDescription] =
      record.attributes.map { .attribute($0.definition) } + record.relationships.map { .relationship($0.definition) }
      + record.fetchedProperties.map { .fetched($0) }
    return all.sorted { $0.traits.name.precedes($1.traits.name) }
  }

  /// Returns the destination entity of a relationship.
  public func destination(of relationship: Relationship) -> Self {
    Self(model: model, index: relationship.destinationIndex)
  }

  /// Returns the inverse of a relationship, or nil if it does not have one.
  public func inverse(of relationship: Relationship) -> Relationship? {
    relationship.definition.inverse.flatMap { destination(of: relationship).relationship(named: $0) }
  }

  /// Returns true if a relationship keeps its reference to an object when the object is deleted, in stores of every
  /// kind. A to-one relationship does if it has no stored inverse, or if the inverse has the delete rule
  /// ``RelationshipDescription/DeleteRule/noAction``.
  package func keepsDeletedObjects(_ relationship: Relationship) -> Bool {
    guard !relationship.definition.isToMany, !relationship.isTransient else { return false }
    guard let inverse = inverse(of: relationship), !inverse.isTransient else { return true }
    return inverse.definition.deleteRule == .noAction
  }

  /// The first entity that can have objects, among this one and those that inherit from it.
  package var firstConcreteEntity: Self? { selfAndDescendants.first { !$0.isAbstract } }

  /// The entity's own stored to-many relationships that have no stored inverse. An object can be in such a relationship
  /// of only one other object.
  package var toManyRelationshipsWithoutInverse: [Relationship] {
    relationships.dropFirst(superentity?.relationships.count ?? 0).filter { relationship in
      guard relationship.definition.isToMany, !relationship.isTransient else { return false }
      return inverse(of: relationship)?.isTransient ?? true
    }
  }
}

extension String {
  /// Returns true if the string comes before another one, compared by Unicode scalars. In UTF-8 this is the order of
  /// bytes.
  package func precedes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
