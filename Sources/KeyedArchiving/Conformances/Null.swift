extension Archived {
  /// `NSNull`: the object that stands for nothing where nothing cannot stand.
  public struct Null: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("NSNull")

    /// The one value.
    public init() {}

    public init(coder: KeyedUnarchiver) throws {}

    public func encode(with coder: KeyedArchiver) throws {}
  }
}
