@_spi(Archives) internal import PropertyLists

/// A type whose values can be encoded into keyed archives and decoded from them.
///
/// ```swift
/// final class Person: SecureCoding {
///   static let archivedClass = ArchivedClass("Person")
///   var name: String
///   var born: Date
///
///   func encode(with coder: KeyedArchiver) throws {
///     try coder.encode(name, forKey: "name")
///     try coder.encode(born, forKey: "born")
///   }
///
///   init(coder: KeyedUnarchiver) throws {
///     name = try coder.decode(String.self, forKey: "name")
///     born = try coder.decode(Date.self, forKey: "born")
///   }
/// }
/// ```
///
/// Classes, structures and enumerations can conform. Objects of classes keep their identity: all references to one
/// object are decoded as one object. Structures and enumerations are values, and an archive stores equal values once.
///
/// A `Codable` type needs no code. The keys in its archive are the names of its coding keys:
///
/// ```swift
/// struct Settings: Codable, SecureCoding { var volume: Double }
/// ```
///
/// Enumerations with raw values need no code either. They are archived as their raw values.
///
/// - Note: An archive can only create objects of types that your decoding calls name.
public protocol SecureCoding: SendableMetatype {
  /// The class of the type in archives. Its default name is `Module.Type`. A subclass must override it.
  static var archivedClass: ArchivedClass { get }

  /// Encodes the contents, each under a key of its own.
  ///
  /// - Throws: The errors of the encoding calls, and errors of the type's own.
  func encode(with coder: KeyedArchiver) throws

  /// Creates a value from the contents that ``encode(with:)`` has encoded, in this or an earlier version of the
  /// program, or in another program.
  ///
  /// The author of an archive controls its contents. Check the conditions that your type relies on, and throw an error
  /// if one is not met.
  ///
  /// - Throws: The errors of the decoding calls, and errors of the type's own.
  init(coder: KeyedUnarchiver) throws

  /// Returns the value that is archived instead of this one, or nil to archive this value, which is the default. It is
  /// called once for each object of a class, and not for the replacement.
  ///
  /// For elements of sets and keys of dictionaries, this method and ``encode(with:)`` are also called before, with a
  /// temporary archiver that finds out the order of the elements.
  func replacementObject(for coder: KeyedArchiver) throws -> (any SecureCoding)?

  /// Returns the value that replaces a decoded value. The default is the value itself. It is called after
  /// ``SecureCoding/init(coder:)``, before any reference to the value is decoded, except for references to an object
  /// that was published while it was being decoded.
  func awakeAfterDecoding(by coder: KeyedUnarchiver) throws -> Self

  /// Decodes a value of this type at a reference. For this package's own types.
  static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> Self

  /// Encodes the value and returns a reference to it. For this package's own types.
  func _archive(by coder: KeyedArchiver) throws -> ArchivedReference
}

/// A type that can represent objects of any class that a program names: ``OpaqueObject``.
protocol AnyClassCoding: SecureCoding {}

/// The position of a value in an archive: at a key, or in a collection.
public struct ArchivedReference {
  /// A UID, or a value that is stored inline.
  let node: FlatNode
}

extension SecureCoding {
  public static var archivedClass: ArchivedClass { ArchivedClass(Self.self) }

  public func replacementObject(for coder: KeyedArchiver) throws -> (any SecureCoding)? { nil }

  public func awakeAfterDecoding(by coder: KeyedUnarchiver) throws -> Self { self }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> Self {
    try coder.value(Self.self, at: reference)
  }

  public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference { try coder.reference(toValue: self) }
}

extension SecureCoding where Self: AnyObject {
  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> Self {
    try coder.object(Self.self, at: reference)
  }

  public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference { try coder.reference(toObject: self) }
}
