/// A namespace for plain structures that represent objects of Apple's classes. The classes have no Swift type, or one
/// whose values some processes cannot create, such as `Calendar` without full Foundation.
///
/// They hold only the archived values. For example, a regular expression has a pattern and options, but cannot match
/// text.
///
/// ```swift
/// let pattern = try KeyedUnarchiver.unarchivedObject(of: Archived.RegularExpression.self, from: data).pattern
/// ```
public enum Archived {
  /// `NSNull`: an object that represents nil, for example in a collection.
  public struct Null: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("NSNull")

    /// Creates a null object. All null objects are equal.
    public init() {}

    public init(coder: KeyedUnarchiver) throws {}

    public func encode(with coder: KeyedArchiver) throws {}
  }
}
