/// A namespace for plain structures that represent Apple's classes without a Swift type, or without one that every
/// process can create.
///
/// They hold only the archived values. For example, a regular expression has a pattern and options, but cannot match
/// text.
public enum Archived {
  /// `NSNull`: an object that represents nil, for example in a collection.
  public struct Null: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("NSNull")

    /// Creates the only value.
    public init() {}

    public init(coder: KeyedUnarchiver) throws {}

    public func encode(with coder: KeyedArchiver) throws {}
  }
}
