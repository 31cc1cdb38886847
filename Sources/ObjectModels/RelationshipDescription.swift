/// The description of a relationship of an entity: the objects that each object refers to.
///
/// ```swift
/// var lines = RelationshipDescription(
///   "lines", to: "InvoiceLine", inverse: "invoice", isToMany: true, isOrdered: true, deleteRule: .cascade)
/// lines.minimumCount = 1
/// lines.isOptional = false
/// ```
@dynamicMemberLookup
public struct RelationshipDescription: Hashable, Sendable {
  /// The name, the user info and the other traits that all properties have.
  public var traits: PropertyTraits
  /// The name of the destination entity.
  public var destination: String
  /// The name of the inverse relationship; nil if it has no inverse.
  public var inverse: String?
  /// The minimum number of objects. It does not apply to an empty relationship.
  public var minimumCount: Int
  /// The maximum number of objects: 1 for a to-one relationship, 0 for no limit.
  public var maximumCount: Int
  /// The effect of deleting an object on its destination objects.
  public var deleteRule: DeleteRule
  /// True if the objects of a to-many relationship are ordered.
  public var isOrdered: Bool

  /// The effect of deleting an object on its destination objects. The raw values are those in Core Data's files
  /// (`NSDeleteRule`).
  public enum DeleteRule: Int, Hashable, Sendable, CaseIterable {
    /// The destination objects keep their references to the deleted object.
    case noAction = 0
    /// The references to the deleted object are removed.
    case nullify = 1
    /// The destination objects are deleted too.
    case cascade = 2
    /// The object cannot be deleted while it has destination objects.
    case deny = 3
  }

  /// True unless the relationship can have at most one object.
  public var isToMany: Bool { maximumCount != 1 }

  /// Creates a relationship.
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

  /// A trait of the property: see ``traits``.
  public subscript<Trait>(dynamicMember path: WritableKeyPath<PropertyTraits, Trait>) -> Trait {
    get { traits[keyPath: path] }
    set { traits[keyPath: path] = newValue }
  }
}

/// The description of a fetched property of an entity: the objects that a fetch request returns. The request can refer
/// to the object as `$FETCH_SOURCE`, and to this description as `$FETCHED_PROPERTY`:
/// `total >= $FETCHED_PROPERTY.userInfo.minimum`.
///
/// ```swift
/// let unpaid = try ManagedPredicate(format: "customer == $FETCH_SOURCE AND isPaid == NO")
/// let property = FetchedPropertyDescription("unpaidInvoices", FetchRequest("Invoice", where: unpaid))
/// customer.properties.append(.fetched(property))
/// ```
@dynamicMemberLookup
public struct FetchedPropertyDescription: Hashable, Sendable {
  /// The name, the user info and the other traits that all properties have.
  public var traits: PropertyTraits
  /// The request for the objects.
  public var request: FetchRequest

  /// Creates a fetched property. It is optional, transient and read-only, as in all of Core Data's files.
  public init(_ name: String, _ request: FetchRequest) {
    traits = PropertyTraits(name: name)
    traits.isTransient = true
    traits.isReadOnly = true
    self.request = request
  }

  /// A trait of the property: see ``traits``.
  public subscript<Trait>(dynamicMember path: WritableKeyPath<PropertyTraits, Trait>) -> Trait {
    get { traits[keyPath: path] }
    set { traits[keyPath: path] = newValue }
  }
}
