/// A class in a typedstream: a name, a version and a superclass.
///
/// ```swift
/// let string = TypedstreamClass("NSString", version: 1)
/// let mutable = TypedstreamClass("NSMutableString", version: 1, superclass: string)
/// ```
public struct TypedstreamClass: Hashable, Sendable {
  /// The class itself, then its superclasses.
  let levels: [Level]

  struct Level: Hashable, Sendable {
    let name: String
    let version: Int32
  }

  /// `NSObject`, which has no superclass.
  public static let object = TypedstreamClass("NSObject", superclass: nil)

  /// Creates a class.
  ///
  /// - Parameters:
  ///   - name: the name.
  ///   - version: the result of the class method `+version`: 0 for most of Foundation's classes, 1 for `NSString`.
  ///   - superclass: the superclass. Nil for a root class.
  public init(_ name: String, version: Int32 = 0, superclass: TypedstreamClass? = .object) {
    levels = [Level(name: name, version: version)] + (superclass?.levels ?? [])
  }

  /// Creates the class of an object that was read.
  public init(_ other: Typedstream.Class) {
    levels = other.chain.map { Level(name: $0.name, version: Int32(clamping: $0.version)) }
  }

  /// The name.
  public var name: String { levels[0].name }
  /// The version.
  public var version: Int32 { levels[0].version }
}
