public import FoundationEssentials
internal import KeyedArchiving
public import PropertyLists

/// An error that occurred when a `NIBArchive` was read or written, with its position.
///
/// ```swift
/// do {
///   nib = try NIBArchive(data)
/// } catch {
///   if error.kind == .notANIBArchive { print("not a nib") } else { print(error) }
/// }
/// ```
public struct NIBArchiveError: Error, Hashable, Sendable {
  /// The kind of error, for use in code. The text for people is ``message``.
  public enum Kind: Hashable, Sendable {
    /// The file cannot be read.
    case file(PropertyListError)
    /// The bytes do not begin like a `NIBArchive`.
    case notANIBArchive
    /// The version of the layout is not supported.
    case unsupportedVersion
    /// The file ends too early.
    case truncated
    /// The bytes break the rules of the format.
    case malformed
    /// The archive exceeds the given limits or the maximum size of the format, or it takes more work than is allowed
    /// for an archive of its size.
    case limitExceeded
    /// A value cannot be represented in the format.
    case invalidValue
  }

  /// The kind of error.
  public var kind: Kind
  /// A description of the problem, in one line and without its offset.
  public var message: String
  /// The offset of the error from the beginning of the file, in bytes. Nil if the error is not at an offset of a file.
  public var byteOffset: Int?

  /// Creates an error. Use it in code that extends this package.
  public init(_ kind: Kind, _ message: String, byteOffset: Int? = nil) {
    self.kind = kind
    self.message = message
    self.byteOffset = byteOffset
  }
}

extension NIBArchiveError: CustomStringConvertible {
  /// The offset and the message, for example `byte 61: the name of a class does not end with a zero byte`.
  public var description: String { (byteOffset.map { "byte \($0): " } ?? "") + message }
}

extension NIBArchiveError: LocalizedError {
  /// The same text as ``description``.
  public var errorDescription: String? { description }
}
