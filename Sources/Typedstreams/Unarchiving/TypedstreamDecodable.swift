/// A type whose values can be decoded from typedstreams.
///
/// ```swift
/// struct Card: TypedstreamDecodable {
///   static let typedstreamClasses = ["Card"]
///   var name: String
///   var age: Int
///
///   init(from groups: inout TypedstreamGroups) throws {
///     name = try groups.decode()
///     age = groups.version >= 2 ? try groups.decode() : 0
///   }
/// }
/// ```
///
/// Values are decoded in the order the class has written them. Classes, structures and enumerations can conform.
/// Objects of classes keep their identity: all references to one object are decoded as one object.
public protocol TypedstreamDecodable: SendableMetatype {
  /// The names of the classes whose objects are decoded as this type. A subclass is decoded only if its name is listed
  /// too.
  static var typedstreamClasses: [String] { get }

  /// Creates a value from the groups of an object.
  ///
  /// The author of a stream controls its contents. Check the conditions that your type relies on, and throw an error if
  /// one is not met.
  ///
  /// - Throws: The errors of the decoding calls, and errors of the type's own.
  init(from groups: inout TypedstreamGroups) throws

  /// Decodes the value at a position. Do not call or implement this method: it is for this package's own types.
  static func _decode(_ position: TypedstreamPosition, by unarchiver: TypedstreamUnarchiver) throws -> Self
}

/// The position of a value in a stream.
public struct TypedstreamPosition {
  /// The index of the value's node.
  let node: Int
}

extension TypedstreamDecodable {
  public static func _decode(_ position: TypedstreamPosition, by unarchiver: TypedstreamUnarchiver) throws -> Self {
    try unarchiver.value(Self.self, at: position)
  }
}

extension TypedstreamDecodable where Self: AnyObject {
  public static func _decode(_ position: TypedstreamPosition, by unarchiver: TypedstreamUnarchiver) throws -> Self {
    try unarchiver.object(Self.self, at: position)
  }
}
