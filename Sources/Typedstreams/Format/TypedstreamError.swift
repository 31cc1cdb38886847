public import FoundationEssentials
public import KeyedArchiving
@_spi(Archives) internal import PropertyLists

/// An error that occurred when a typedstream was read, decoded or written, with its position.
///
/// ```swift
/// do {
///   _ = try TypedstreamUnarchiver.unarchivedObject(of: Int.self, from: data)
/// } catch let error as TypedstreamError {
///   print(error)        // byte 19: expected Int, found an object of another class (object 0, NSString)
///   print(error.kind)   // classNotAllowed
/// }
/// ```
public struct TypedstreamError: Error, Hashable, Sendable {
  /// The kind of error, for use in code. The text for people is ``TypedstreamError/message``.
  public enum Kind: Hashable, Sendable {
    /// The bytes do not begin like a typedstream.
    case notATypedstream
    /// The version of the format is not supported, such as that of NeXTSTEP before 1.0.
    case unsupportedVersion
    /// The bytes break the rules of the format, or end too early.
    case malformed
    /// Values of a type cannot be read from a stream, such as a union or a pointer.
    case unsupportedType
    /// Objects, arrays and structures are nested deeper than the limit.
    case nestedTooDeeply
    /// The input or its expanded contents exceed the `ParsingLimits`.
    case limitExceeded
    /// A required value is missing.
    case valueNotFound
    /// The class of an object is not among the expected types.
    case classNotAllowed
    /// A value has another type than the expected one.
    case typeMismatch
    /// The expected type cannot represent a number exactly.
    case numberOutOfRange
    /// The contents of an object are not valid for its type.
    case invalidContents
    /// An object contains a reference to itself, but its type did not call ``TypedstreamGroups/publish(_:)`` before it
    /// decoded the reference.
    case circularReference
    /// A value cannot be represented in a typedstream, or not at this position.
    case invalidValue
  }

  /// The kind of error.
  public var kind: Kind
  /// A description of the problem, in one line and without its offset.
  public var message: String
  /// The offset of the error in the input, in bytes. For an error in the contents of an object, the offset of the
  /// object. Nil if it is unknown.
  public var byteOffset: Int?
  /// The ``Typedstream/Object/id`` of the object that is wrong, or that contains the wrong value. Nil if the error is
  /// not about an object.
  public var objectID: Int?
  /// The class of the object with ``objectID``, according to the stream.
  public var className: String?
  /// The error of a keyed archive or property list that is nested in data of the stream. ``byteOffset`` is then the
  /// offset of the data. Nil for any other error.
  public var archiveError: KeyedArchiveError?

  /// Creates an error. Types that check their contents use ``TypedstreamGroups/failure(_:_:)``, which adds the offset.
  public init(_ kind: Kind, _ message: String, byteOffset: Int? = nil, objectID: Int? = nil, className: String? = nil) {
    self.kind = kind
    self.message = message
    self.byteOffset = byteOffset
    self.objectID = objectID
    self.className = className
  }

  static func malformed(_ message: String, at byteOffset: Int) -> TypedstreamError {
    TypedstreamError(.malformed, message, byteOffset: byteOffset)
  }

  static func tooLarge(limit: Int) -> TypedstreamError {
    TypedstreamError(.limitExceeded, "more than \(limit) bytes of input")
  }
}

extension TypedstreamError: CustomStringConvertible {
  /// The offset, the message and the object:
  /// `byte 42: a string has a length of 9 bytes, but the remaining length is 3 (object 7, NSString)`.
  public var description: String { (byteOffset.map { "byte \($0): " } ?? "") + detail }

  /// The message and the object, for callers that print the offset in their own form.
  public var detail: String {
    var object: [String] = []
    if let objectID { object.append("object \(objectID)") }
    if let className { object.append(className.printable(limit: 100)) }
    return object.isEmpty ? message : "\(message) (\(object.joined(separator: ", ")))"
  }
}

extension TypedstreamError: LocalizedError {
  /// The same text as ``description``.
  public var errorDescription: String? { description }
}
