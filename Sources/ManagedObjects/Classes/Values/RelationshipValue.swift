/// A type that a `@Relationship` property can have: an optional object, a set of objects, or an array of objects.
public protocol RelationshipValue {
  /// The class of the objects.
  associatedtype Destination: ManagedObject

  /// True for a to-many relationship.
  static var isToMany: Bool { get }

  /// True if the relationship is ordered.
  static var isOrdered: Bool { get }

  /// The objects, in their order if the relationship is ordered.
  var objects: [ManagedObject] { get }

  /// Creates a value with objects. Objects that are not of the class ``Destination`` are left out.
  init(objects: [ManagedObject])

  /// The first of the objects; nil if there are none.
  var object: ManagedObject? { get }

  /// Creates a value with one object or none.
  init(object: ManagedObject?)
}

extension RelationshipValue {
  @inlinable public var object: ManagedObject? { objects.first }

  @inlinable public init(object: ManagedObject?) { self.init(objects: object.map { [$0] } ?? []) }

  @inlinable public static var isOrdered: Bool { false }
}

/// A to-one relationship.
extension Optional: RelationshipValue where Wrapped: ManagedObject {
  public typealias Destination = Wrapped

  @inlinable public static var isToMany: Bool { false }

  @inlinable public var objects: [ManagedObject] { self.map { [$0] } ?? [] }

  @inlinable
  public init(objects: [ManagedObject]) { self = objects.first as? Wrapped }

  @inlinable public var object: ManagedObject? { self }

  @inlinable public init(object: ManagedObject?) { self = object as? Wrapped }
}

/// A to-many relationship.
extension Set: RelationshipValue where Element: ManagedObject {
  public typealias Destination = Element

  @inlinable public static var isToMany: Bool { true }

  @inlinable public var objects: [ManagedObject] { Array(self) }

  @inlinable
  public init(objects: [ManagedObject]) {
    self.init(minimumCapacity: objects.count)
    for case let object as Element in objects { insert(object) }
  }
}

/// An ordered to-many relationship. Repeated objects are kept only at their first position.
extension Array: RelationshipValue where Element: ManagedObject {
  public typealias Destination = Element

  @inlinable public static var isToMany: Bool { true }

  @inlinable public static var isOrdered: Bool { true }

  public var objects: [ManagedObject] {
    var seen: Set<ObjectIdentifier> = []
    return count < 2 ? self : filter { seen.insert(ObjectIdentifier($0)).inserted }
  }

  @inlinable
  public init(objects: [ManagedObject]) {
    self.init()
    reserveCapacity(objects.count)
    for case let object as Element in objects { append(object) }
  }
}
