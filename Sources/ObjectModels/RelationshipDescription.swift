/// A relationship of an entity: other objects that each object refers to.
@dynamicMemberLookup
public struct RelationshipDescription: Hashable, Sendable {
  /// Name, user info and all else that every property has.
  public var traits: PropertyTraits
  /// The name of the entity of the objects referred to.
  public var destination: String
  /// The name of the relationship back; nil if there is none.
  public var inverse: String?
  /// The fewest objects of a relationship that is not empty.
  public var minimumCount: Int
  /// The most objects: 1 for a to-one relationship, 0 for any number.
  public var maximumCount: Int
  /// The effect on the objects referred to when an object is deleted.
  public var deleteRule: DeleteRule
  /// True if the objects of a to-many relationship have an order.
  public var isOrdered: Bool

  /// The effect on the objects that a deleted object refers to. The raw values are those of Core Data's files
  /// (`NSDeleteRule`).
  public enum DeleteRule: Int, Hashable, Sendable, CaseIterable {
    /// They go on referring to it.
    case noAction = 0
    /// They no longer refer to it.
    case nullify = 1
    /// They are deleted too.
    case cascade = 2
    /// As long as there are any, the object cannot be deleted.
    case deny = 3
  }

  /// True unless at most one object is referred to.
  public var isToMany: Bool { maximumCount != 1 }

  /// A relationship.
  public init(
    _ name: String, to destination: String, inverse: String? = nil, isToMany: Bool = false, isOrdered: Bool = false,
    isOptional: Bool = true, deleteRule: DeleteRule = .nullify
  ) {
    traits = PropertyTraits(name: name, isOptional: isOptional)
    self.destination = destination
    self.inverse = inverse
    minimumCount = 0
    maximumCount = isToMany ? 0 : 1
    self.deleteRule = deleteRule
    self.isOrdered = isOrdered
  }

  /// One of the ``traits``.
  public subscript<Trait>(dynamicMember path: WritableKeyPath<PropertyTraits, Trait>) -> Trait {
    get { traits[keyPath: path] }
    set { traits[keyPath: path] = newValue }
  }
}

/// A fetched property of an entity: the objects that a request finds, which may name the object by `$FETCH_SOURCE` and
/// the property by `$FETCHED_PROPERTY`.
@dynamicMemberLookup
public struct FetchedPropertyDescription: Hashable, Sendable {
  /// Name, user info and all else that every property has.
  public var traits: PropertyTraits
  /// The request that finds the objects.
  public var request: FetchRequest

  /// A fetched property. It is optional, transient and read-only, as all are in Core Data's files.
  public init(_ name: String, _ request: FetchRequest) {
    traits = PropertyTraits(name: name)
    traits.isTransient = true
    traits.isReadOnly = true
    self.request = request
  }

  /// One of the ``traits``.
  public subscript<Trait>(dynamicMember path: WritableKeyPath<PropertyTraits, Trait>) -> Trait {
    get { traits[keyPath: path] }
    set { traits[keyPath: path] = newValue }
  }
}
