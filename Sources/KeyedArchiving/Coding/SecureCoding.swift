@_spi(Archives) internal import PropertyLists

/// A type whose values can be put into keyed archives and got out of them again.
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
/// Classes, structures and enumerations can conform. Objects of classes keep their identity: what is one object before
/// is one object after. Structures and enumerations are values, and an archive holds equal ones once.
///
/// A `Codable` type needs no code; its archive has the names of its coding keys as keys:
///
/// ```swift
/// struct Settings: Codable, SecureCoding { var volume: Double }
/// ```
///
/// The same goes for enumerations with raw values, which are archived as those.
///
/// - Note: What an archive can make a program instantiate is what the program's own decoding calls name. Bytes choose
///   among those types, and never beyond them.
public protocol SecureCoding: SendableMetatype {
  /// What the type is called in archives; `Module.Type` unless a type says another. A subclass overrides it.
  static var archivedClass: ArchivedClass { get }

  /// Encodes the contents, each under a key of its own.
  ///
  /// - Throws: what the encoding calls throw, and errors of the type's own.
  func encode(with coder: KeyedArchiver) throws

  /// Makes a value out of what ``encode(with:)`` has encoded, in this or in an earlier version, or somebody else.
  ///
  /// The contents of an archive are what its author wanted. Check what the type relies on, and throw an error if it
  /// does not hold.
  ///
  /// - Throws: what the decoding calls throw, and errors of the type's own.
  init(coder: KeyedUnarchiver) throws

  /// What is archived instead of this value; nil for the value itself, which is the default. It is asked for once for
  /// each object of a class, and not for the replacement.
  ///
  /// For elements of sets and keys of dictionaries, this and ``encode(with:)`` are called before, too, with another
  /// archiver, which only finds out the order in which they are written.
  func replacementObject(for coder: KeyedArchiver) throws -> (any SecureCoding)?

  /// What a decoded value is replaced with; itself by default. It is called after ``init(coder:)`` and before anybody
  /// gets the value, but for references to an object that was published while it was being decoded.
  func awakeAfterDecoding(by coder: KeyedUnarchiver) throws -> Self

  /// How a value of this type is found behind a reference. For this package's own types.
  static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> Self

  /// How a value of this type becomes a reference. For this package's own types.
  func _archive(by coder: KeyedArchiver) throws -> ArchivedReference
}

/// A type that stands for objects of all classes that a program names, and of no others: ``OpaqueObject``.
protocol AnyClassCoding: SecureCoding {}

/// The position of a value in an archive: under a key, or in a collection.
public struct ArchivedReference {
  /// A UID, or a value that stands there itself.
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
