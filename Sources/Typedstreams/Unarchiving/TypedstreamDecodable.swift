/// A type whose values can be got out of typedstreams.
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
/// Values are decoded in the order in which the class has written them. Classes, structures and enumerations can
/// conform. Objects of classes keep their identity: what is one object in the stream is one object in the program.
public protocol TypedstreamDecodable: SendableMetatype {
  /// The names of the classes whose objects are decoded as this type. An object of a class that inherits from one of
  /// them is not, unless its name is here too.
  static var typedstreamClasses: [String] { get }

  /// Makes a value of the groups of an object.
  ///
  /// The contents of a stream are what its author wanted. Check what the type relies on, and throw an error if it does
  /// not hold.
  ///
  /// - Throws: what the decoding calls throw, and errors of the type's own.
  init(from groups: inout TypedstreamGroups) throws

  /// Decodes the value at a position. For this package's own types.
  static func _decode(_ position: TypedstreamPosition, by unarchiver: TypedstreamUnarchiver) throws -> Self
}

/// The position of a value in a stream.
public struct TypedstreamPosition {
  /// The index of the value among the nodes.
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
