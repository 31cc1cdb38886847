public import FoundationEssentials
public import OrderedCollections

/// A value whose Apple class has a mutable subclass.
public protocol MutablyArchived: SecureCoding, Hashable {
  /// The mutable subclass.
  static var mutableArchivedClass: ArchivedClass { get }

  /// An empty value.
  init()

  /// Encodes the contents of an object of the mutable class; as those of an immutable one unless a type says otherwise.
  func encodeMutable(with coder: KeyedArchiver) throws
}

extension MutablyArchived {
  public func encodeMutable(with coder: KeyedArchiver) throws { try encode(with: coder) }
}

extension Archived {
  /// An object of one of Apple's mutable classes, such as `NSMutableString` or `NSMutableArray`.
  ///
  /// Where it does not matter whether a class is mutable, ask for the value itself: `String` takes both. An object
  /// keeps its identity, so two values that share one go on sharing it, and may contain itself.
  public final class Mutable<Value: MutablyArchived>: SecureCoding {
    public static var archivedClass: ArchivedClass { Value.mutableArchivedClass }

    /// The contents.
    public var value: Value

    /// How heavy the contents were when they were decoded.
    private var weight = 0

    /// An object with these contents.
    public init(_ value: Value) { self.value = value }

    public init(coder: KeyedUnarchiver) throws {
      value = Value()
      coder.publish(self)
      value = try Value(coder: coder)
      weight = coder.weight
    }

    /// Other objects weigh nothing, because they are not equal by what they contain.
    public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> Mutable {
      let object = try coder.object(Self.self, at: reference)
      try coder.weigh(object.weight)
      return object
    }

    public func encode(with coder: KeyedArchiver) throws { try value.encodeMutable(with: coder) }
  }
}

/// Objects are equal when their contents are.
extension Archived.Mutable: Hashable {
  public static func == (first: Archived.Mutable<Value>, second: Archived.Mutable<Value>) -> Bool {
    first.value == second.value
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension KeyedArchiver {
  /// A value as one of its mutable class, which is what some of Apple's classes keep in themselves.
  func encode<T: MutablyArchived>(asMutable value: T, forRawKey key: String) throws {
    try encode(rawKey: key) { coder in try coder.reference(toValue: value, as: T.mutableArchivedClass).node }
  }
}

extension String: MutablyArchived {
  public static var mutableArchivedClass: ArchivedClass { .mutable(archivedClass) }
}

extension Data: MutablyArchived {
  public static var mutableArchivedClass: ArchivedClass { .mutable(archivedClass) }
}

extension Array: MutablyArchived where Element: SecureCoding & Hashable {
  public static var mutableArchivedClass: ArchivedClass { .mutable(archivedClass) }
}

extension Set: MutablyArchived where Element: SecureCoding {
  public static var mutableArchivedClass: ArchivedClass { .mutable(archivedClass) }
}

extension OrderedSet: MutablyArchived where Element: SecureCoding {
  public static var mutableArchivedClass: ArchivedClass { .mutable(archivedClass) }
}

extension Dictionary: MutablyArchived where Key: SecureCoding, Value: SecureCoding & Hashable {
  public static var mutableArchivedClass: ArchivedClass { .mutable(archivedClass) }
}

extension OrderedDictionary: MutablyArchived where Key: SecureCoding, Value: SecureCoding & Hashable {
  public static var mutableArchivedClass: ArchivedClass { .mutable(archivedClass) }
}

extension ArchivedClass {
  /// `NSMutableThing` for `NSThing`.
  static func mutable(_ superclass: ArchivedClass) -> ArchivedClass {
    ArchivedClass("NSMutable\(superclass.name.dropFirst(2))", superclass: superclass)
  }
}
