/// A class as a typedstream has it: a name, a version, and the class that it inherits from.
public struct TypedstreamClass: Hashable, Sendable {
  /// The class itself, then what it inherits from, the nearest first.
  let levels: [Level]

  struct Level: Hashable, Sendable {
    let name: String
    let version: Int32
  }

  /// `NSObject`, which inherits from nothing.
  public static let object = TypedstreamClass("NSObject", superclass: nil)

  /// A class.
  ///
  /// - Parameters:
  ///   - name: the name.
  ///   - version: what `+version` of the class says. Most of Foundation's classes say 0, and `NSString` says 1.
  ///   - superclass: the class that it inherits from; nil for a root class.
  public init(_ name: String, version: Int32 = 0, superclass: TypedstreamClass? = .object) {
    levels = [Level(name: name, version: version)] + (superclass?.levels ?? [])
  }

  /// The class of an object that was read.
  public init(_ other: Typedstream.Class) {
    levels = other.chain.map { Level(name: $0.name, version: Int32(clamping: $0.version)) }
  }

  /// The name.
  public var name: String { levels[0].name }
  /// The version.
  public var version: Int32 { levels[0].version }
}
