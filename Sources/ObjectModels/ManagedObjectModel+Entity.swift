public import Predicates

extension ManagedObjectModel {
  /// An entity of a model, joined to the others.
  ///
  /// It is an index into the entities of the model, which it keeps alive, and costs no more than that.
  public struct Entity: Sendable {
    /// The model.
    public let model: ManagedObjectModel
    /// The index in ``ManagedObjectModel/entities``.
    public let index: Int

    /// The entity with this index in a model.
    @inlinable package init(model: ManagedObjectModel, index: Int) {
      self.model = model
      self.index = index
    }

    /// The parts of an entity, inherited ones included.
    @usableFromInline package final class Record: Sendable {
      package let definition: EntityDescription
      package let superentity: Int?
      package let subentities: [Int]
      /// One after the last of those that inherit from it.
      package let endOfSubentities: Int
      package let attributes: [Attribute]
      package let relationships: [Relationship]
      package let fetchedProperties: [FetchedPropertyDescription]
      /// The indexes of the properties, by name.
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
  /// The slots of properties of which stores may leave out values, to be read when they are asked for: relationships,
  /// and attributes with files of their own.
  ///
  /// - Parameter names: the properties that count.
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

  /// The description that the entity was made of, without inherited properties.
  public var definition: EntityDescription { record.definition }

  /// The name.
  public var name: String { record.definition.name }

  /// True if there are objects of sub-entities only.
  public var isAbstract: Bool { record.definition.isAbstract }

  /// The entity that this one inherits from.
  public var superentity: Self? { record.superentity.map { Self(model: model, index: $0) } }

  /// The entities that inherit from this one directly.
  public var subentities: [Self] { record.subentities.map { Self(model: model, index: $0) } }

  /// The entity at the top, which may be this one. All that inherit from it are in one table of an SQLite store.
  public var root: Self {
    var entity = self
    while let superentity = entity.superentity { entity = superentity }
    return entity
  }

  /// Returns true if this is another entity or inherits from it.
  ///
  /// - Complexity: O(1).
  public func isKind(of other: Self) -> Bool { model === other.model && other.subtree.contains(index) }

  /// This entity and all that inherit from it, at any distance.
  public var selfAndDescendants: [Self] { subtree.map { Self(model: model, index: $0) } }

  /// The indexes of this entity and of all that inherit from it.
  package var subtree: Range<Int> { index..<record.endOfSubentities }
}

/// Properties, inherited ones included.
extension ManagedObjectModel.Entity {
  /// An attribute, and where objects keep its value.
  @dynamicMemberLookup
  public struct Attribute: Hashable, Sendable {
    /// The description that the attribute was made of.
    public let definition: AttributeDescription
    /// The slot of the value in an object, from 0.
    public let slot: Int
    /// The value of new objects, as the kind of the attribute.
    public let initialValue: AttributeValue

    /// A property of ``definition``.
    public subscript<Value>(dynamicMember path: KeyPath<AttributeDescription, Value>) -> Value {
      definition[keyPath: path]
    }

    /// One of the traits that all properties have.
    public subscript<Trait>(dynamicMember path: KeyPath<PropertyTraits, Trait>) -> Trait {
      definition.traits[keyPath: path]
    }
  }

  /// A relationship, and where objects keep what it refers to.
  @dynamicMemberLookup
  public struct Relationship: Hashable, Sendable {
    /// The description that the relationship was made of.
    public let definition: RelationshipDescription
    /// The slot of the value in an object, from 0.
    public let slot: Int
    package let destinationIndex: Int

    /// A property of ``definition``.
    public subscript<Value>(dynamicMember path: KeyPath<RelationshipDescription, Value>) -> Value {
      definition[keyPath: path]
    }

    /// One of the traits that all properties have.
    public subscript<Trait>(dynamicMember path: KeyPath<PropertyTraits, Trait>) -> Trait {
      definition.traits[keyPath: path]
    }
  }

  /// A property that objects have a slot for.
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

  /// The number of slots that an object has for values. Those of the superentity come first, so that a slot of an
  /// entity is the same in all that inherit from it.
  public var slotCount: Int { record.slotCount }

  /// All attributes and relationships, by slot.
  public var properties: [Property] {
    (record.attributes.map(Property.attribute) + record.relationships.map(Property.relationship))
      .sorted { $0.slot < $1.slot }
  }

  /// The attribute of a name; nil if there is none.
  ///
  /// - Complexity: O(1).
  public func attribute(named name: String) -> Attribute? {
    if case .attribute(let index)? = record.propertyIndices[name] { record.attributes[index] } else { nil }
  }

  /// The relationship of a name; nil if there is none.
  ///
  /// - Complexity: O(1).
  public func relationship(named name: String) -> Relationship? {
    if case .relationship(let index)? = record.propertyIndices[name] { record.relationships[index] } else { nil }
  }

  /// The fetched property of a name; nil if there is none.
  ///
  /// - Complexity: O(1).
  public func fetchedProperty(named name: String) -> FetchedPropertyDescription? {
    if case .fetched(let index)? = record.propertyIndices[name] { record.fetchedProperties[index] } else { nil }
  }

  /// The attribute or relationship of a name; nil if there is none.
  ///
  /// - Complexity: O(1).
  public func property(named name: String) -> Property? {
    switch record.propertyIndices[name] {
    case .attribute(let index): .attribute(record.attributes[index])
    case .relationship(let index): .relationship(record.relationships[index])
    case .fetched, nil: nil
    }
  }

  /// All properties by name, fetched ones included, in the order of their Unicode scalars.
  public var allPropertyDescriptions: [PropertyDescription] {
    let all: [PropertyDescription] =
      record.attributes.map { .attribute($0.definition) } + record.relationships.map { .relationship($0.definition) }
      + record.fetchedProperties.map { .fetched($0) }
    return all.sorted { $0.traits.name.precedes($1.traits.name) }
  }

  /// The entity that a relationship leads to.
  public func destination(of relationship: Relationship) -> Self {
    Self(model: model, index: relationship.destinationIndex)
  }

  /// The relationship that leads back; nil if there is none.
  public func inverse(of relationship: Relationship) -> Relationship? {
    relationship.definition.inverse.flatMap { destination(of: relationship).relationship(named: $0) }
  }

  /// Returns true if a relationship goes on referring to an object that was deleted, in stores of every kind: a to-one
  /// relationship without an inverse, or whose inverse has the delete rule
  /// ``RelationshipDescription/DeleteRule/noAction``.
  package func keepsDeletedObjects(_ relationship: Relationship) -> Bool {
    guard !relationship.definition.isToMany, !relationship.isTransient else { return false }
    guard let inverse = inverse(of: relationship), !inverse.isTransient else { return true }
    return inverse.definition.deleteRule == .noAction
  }

  /// The first entity among this one and those that inherit from it that can have objects.
  package var firstConcreteEntity: Self? { selfAndDescendants.first { !$0.isAbstract } }

  /// The to-many relationships that the entity does not inherit, that stores keep, and that have no inverse in a store.
  /// An object can be in such a relationship of one other only.
  package var toManyRelationshipsWithoutInverse: [Relationship] {
    relationships.dropFirst(superentity?.relationships.count ?? 0).filter { relationship in
      guard relationship.definition.isToMany, !relationship.isTransient else { return false }
      return inverse(of: relationship)?.isTransient ?? true
    }
  }
}

extension String {
  /// Compares by Unicode scalars, which for UTF-8 is by bytes.
  package func precedes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
