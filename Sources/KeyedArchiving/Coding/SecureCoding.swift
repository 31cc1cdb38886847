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
/// A `Codable` type needs no methods of its own. Its archived keys are the names of its coding keys:
///
/// ```swift
/// struct Settings: Codable, SecureCoding { var volume: Double }
/// ```
///
/// Enumerations with raw values need none either. They are archived as their raw values:
///
/// ```swift
/// enum Theme: String, SecureCoding { case light, dark }
/// ```
///
/// - Note: Decoding creates only objects of types that your decoding calls name, whatever the archive contains.
public protocol SecureCoding: SendableMetatype {
  /// The class of the type in archives. Its default name is `Module.Type`. A subclass must override it.
  static var archivedClass: ArchivedClass { get }

  /// Encodes the contents of the value, each under its own key.
  ///
  /// - Throws: The errors of the calls to `coder`, or the type's own errors.
  func encode(with coder: KeyedArchiver) throws

  /// Creates a value from its archived contents. Another program, or an earlier version of this one, may have encoded
  /// them.
  ///
  /// An archive can contain anything. Check the conditions that your type relies on, and throw an error if one is not
  /// met.
  ///
  /// - Throws: The errors of the calls to `coder`, or the type's own errors.
  init(coder: KeyedUnarchiver) throws

  /// Returns the value to archive instead of this one, or nil, the default, to archive this value. An archiver calls it
  /// once for each instance of a class, and does not call it for the replacement.
  ///
  /// ```swift
  /// func replacementObject(for coder: KeyedArchiver) throws -> (any SecureCoding)? { bookmark }
  /// ```
  ///
  /// For elements of sets and keys of dictionaries, temporary archivers call this method and ``encode(with:)`` first,
  /// to determine the order of the elements.
  func replacementObject(for coder: KeyedArchiver) throws -> (any SecureCoding)?

  /// Returns the value to use instead of this decoded value. The default is the value itself. The unarchiver calls it
  /// after ``SecureCoding/init(coder:)``. All references to the value that are decoded afterwards return the
  /// replacement. References that were decoded earlier, which ``KeyedUnarchiver/publish(_:)`` makes possible, have
  /// returned the original value.
  ///
  /// ```swift
  /// func awakeAfterDecoding(by coder: KeyedUnarchiver) throws -> Currency { code == "EUR" ? .euro : self }
  /// ```
  func awakeAfterDecoding(by coder: KeyedUnarchiver) throws -> Self

  /// Decodes a value of this type at a reference. Only types of this package implement it.
  static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> Self

  /// Encodes the value and returns a reference to it. Only types of this package implement it.
  func _archive(by coder: KeyedArchiver) throws -> ArchivedReference
}

/// A type that can represent objects of any class: ``OpaqueObject``. A program chooses the classes that are decoded as
/// this type.
protocol AnyClassCoding: SecureCoding {}

/// A value at a key or in a collection of an archive: the UID of an object, or a value that is stored inline.
public struct ArchivedReference {
  /// The node of the UID or of the inline value.
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
