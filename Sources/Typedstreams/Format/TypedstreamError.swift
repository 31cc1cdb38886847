public import FoundationEssentials
public import KeyedArchiving
@_spi(Archives) internal import PropertyLists

/// Why a typedstream could not be read, decoded or written, and where.
public struct TypedstreamError: Error, Hashable, Sendable {
  /// What sort of failure it is. Programs decide by it; people read ``TypedstreamError/message``.
  public enum Kind: Hashable, Sendable {
    /// The bytes do not begin as a typedstream does.
    case notATypedstream
    /// A version of the format that is not read here, such as that of NeXTSTEP before 1.0.
    case unsupportedVersion
    /// The bytes break the rules of the format, or end too soon.
    case malformed
    /// Values of a type that cannot be read from a stream, such as a union or a pointer.
    case unsupportedType
    /// Objects, arrays and structures are nested deeper than the limit.
    case nestedTooDeeply
    /// The input, or what it stands for, is larger than `ParsingLimits` allow.
    case limitExceeded
    /// There is no value where one must be.
    case valueNotFound
    /// An object of a class that was not among those asked for.
    case classNotAllowed
    /// A value of another type than the one asked for.
    case typeMismatch
    /// A number that the type asked for cannot hold exactly.
    case numberOutOfRange
    /// The contents of an object are not those of a value of its type.
    case invalidContents
    /// An object that is needed to make itself.
    case circularReference
    /// A value has no form in a typedstream, or is written where it cannot stand.
    case invalidValue
  }

  /// What sort of failure it is.
  public var kind: Kind
  /// What is wrong, in one line without the offset.
  public var message: String
  /// Where it is wrong in the input, counted in bytes from 0. For what is wrong with the contents of an object, the
  /// offset at which the object begins.
  public var byteOffset: Int?
  /// The object that is wrong, or that has what is wrong, by its number in the table of objects.
  public var objectID: Int?
  /// The class that the stream says that object is of.
  public var className: String?
  /// What is wrong with a keyed archive, or with a property list, in data of the stream. ``byteOffset`` is then the
  /// offset of the data.
  public var archiveError: KeyedArchiveError?

  /// An error for types that check what they decode; ``TypedstreamGroups/failure(_:_:)`` adds the offset.
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
  /// The offset, the message, the object: `byte 42: a string of 9 bytes, with 3 left (object 7, NSString)`.
  public var description: String { (byteOffset.map { "byte \($0): " } ?? "") + detail }

  /// The message and the object, for callers that print the offset in a form of their own.
  public var detail: String {
    var object: [String] = []
    if let objectID { object.append("object \(objectID)") }
    if let className { object.append(className.printable(limit: 100)) }
    return object.isEmpty ? message : "\(message) (\(object.joined(separator: ", ")))"
  }
}

extension TypedstreamError: LocalizedError {
  /// The ``description``.
  public var errorDescription: String? { description }
}
