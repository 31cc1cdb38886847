public import FoundationEssentials
public import OrderedCollections

/// A type whose class in archives has a mutable subclass, such as `NSMutableString`.
public protocol MutablyArchived: SecureCoding, Hashable {
  /// The mutable subclass.
  static var mutableArchivedClass: ArchivedClass { get }

  /// Creates an empty value.
  init()

  /// Encodes the contents of an object of the mutable class. The default calls `encode(with:)`, because most mutable
  /// classes have the contents of the immutable ones.
  func encodeMutable(with coder: KeyedArchiver) throws
}

extension MutablyArchived {
  public func encodeMutable(with coder: KeyedArchiver) throws { try encode(with: coder) }
}

extension Archived {
  /// An object of one of Apple's mutable classes, such as `NSMutableString` or `NSMutableArray`.
  ///
  /// If it does not matter whether the class is mutable, decode the value itself: `String` reads both classes. Unlike
  /// such a value, a `Mutable` object keeps its identity. Two values that share one still share it after decoding, and
  /// it may contain itself.
  ///
  /// ```swift
  /// let list = Archived.Mutable(["milk", "bread"])
  /// try archiver.encode([list, list], forKey: "lists")  // one NSMutableArray
  ///
  /// let lists = try unarchiver.decode([Archived.Mutable<[String]>].self, forKey: "lists")
  /// lists[0] === lists[1]  // true
  /// ```
  public final class Mutable<Value: MutablyArchived>: SecureCoding {
    public static var archivedClass: ArchivedClass { Value.mutableArchivedClass }

    /// The contents.
    public var value: Value

    /// The weight (see ``KeyedUnarchiver/weight``) that the contents had when they were decoded.
    private var weight = 0

    /// Creates an object with contents.
    public init(_ value: Value) { self.value = value }

    public init(coder: KeyedUnarchiver) throws {
      value = Value()
      coder.publish(self)
      value = try Value(coder: coder)
      weight = coder.weight
    }

    /// Decodes an object and counts the weight of its contents at each reference, because comparing `Mutable` objects
    /// compares their contents. Instances of other classes count as one value.
    public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> Mutable {
      let object = try coder.object(Self.self, at: reference)
      try coder.weigh(object.weight)
      return object
    }

    public func encode(with coder: KeyedArchiver) throws { try value.encodeMutable(with: coder) }
  }
}

/// Two objects are equal if their contents are equal.
extension Archived.Mutable: Hashable {
  public static func == (first: Archived.Mutable<Value>, second: Archived.Mutable<Value>) -> Bool {
    first.value == second.value
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension KeyedArchiver {
  /// Encodes a value as an object of its mutable class, because some of Apple's classes contain mutable strings or
  /// data.
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
  /// Returns the class `NSMutableThing` for `NSThing`.
  static func mutable(_ superclass: ArchivedClass) -> ArchivedClass {
    ArchivedClass("NSMutable\(superclass.name.dropFirst(2))", superclass: superclass)
  }
}
