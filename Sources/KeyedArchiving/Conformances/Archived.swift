/// Values of Apple's classes that Swift has no type for, or none that every process can make, as plain structures.
///
/// They hold what an archive says, and nothing else: a regular expression is its pattern and its options, and does not
/// match anything.
public enum Archived {
  /// `NSNull`: the object that stands for nothing where nothing cannot stand.
  public struct Null: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("NSNull")

    /// The one value.
    public init() {}

    public init(coder: KeyedUnarchiver) throws {}

    public func encode(with coder: KeyedArchiver) throws {}
  }
}
