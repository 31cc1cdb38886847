public import FoundationEssentials
internal import KeyedArchiving
public import PropertyLists

/// Why a `NIBArchive` could not be read or written, and where.
public struct NIBArchiveError: Error, Hashable, Sendable {
  /// What sort of failure it is. Programs decide by it; people read ``message``.
  public enum Kind: Hashable, Sendable {
    /// The file cannot be read.
    case file(PropertyListError)
    /// The bytes do not begin as a `NIBArchive` does.
    case notANIBArchive
    /// A version of the layout that is not read here.
    case unsupportedVersion
    /// The bytes end before what they announce.
    case truncated
    /// The bytes break the rules of the format.
    case malformed
    /// More than the format or the limits allow, or more work than an archive of this size can ask for.
    case limitExceeded
    /// A value has no form in the format.
    case invalidValue
  }

  /// What sort of failure it is.
  public var kind: Kind
  /// What is wrong, in one line without an offset.
  public var message: String
  /// The offset of what is wrong from the beginning of the file, in bytes; nil for what is in no file.
  public var byteOffset: Int?

  /// An error for code that builds on this package; what the package itself throws, it makes here too.
  public init(_ kind: Kind, _ message: String, byteOffset: Int? = nil) {
    self.kind = kind
    self.message = message
    self.byteOffset = byteOffset
  }
}

extension NIBArchiveError: CustomStringConvertible {
  /// The offset, then the message: `byte 61: the name of a class does not end with a zero byte`.
  public var description: String { (byteOffset.map { "byte \($0): " } ?? "") + message }
}

extension NIBArchiveError: LocalizedError {
  /// The ``description``.
  public var errorDescription: String? { description }
}
