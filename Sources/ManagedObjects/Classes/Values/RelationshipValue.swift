/// A type that a relationship of a class can be declared with: an optional object, or a set or an array of objects.
public protocol RelationshipValue {
  /// The class of the objects.
  associatedtype Destination: ManagedObject

  /// True for any number of objects.
  static var isToMany: Bool { get }

  /// True if the objects have an order.
  static var isOrdered: Bool { get }

  /// The objects, in their order if they have one.
  var objects: [ManagedObject] { get }

  /// A value with objects, without those of another class.
  init(objects: [ManagedObject])

  /// One of the objects, if there is one.
  var object: ManagedObject? { get }

  /// A value with one object or none.
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

/// A to-many relationship with an order. It has each object once: where an array has it first.
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
