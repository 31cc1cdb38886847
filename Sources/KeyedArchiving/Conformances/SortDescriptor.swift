extension Archived {
  /// `NSSortDescriptor`: by what, and how, something is sorted. Nothing is called.
  public struct SortDescriptor: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("NSSortDescriptor")

    /// The key path of what is compared; nil for the objects themselves.
    public var key: String?
    /// Whether the least is first.
    public var isAscending: Bool
    /// The name of the method that compares, such as `compare:`.
    public var selector: String?
    /// Whether nothing comes after everything else, where it would come before, and the reverse.
    public var reversesNullOrder: Bool

    /// A way to sort.
    public init(
      key: String?, isAscending: Bool = true, selector: String? = "compare:", reversesNullOrder: Bool = false
    ) {
      self.key = key
      self.isAscending = isAscending
      self.selector = selector
      self.reversesNullOrder = reversesNullOrder
    }

    public init(coder: KeyedUnarchiver) throws {
      key = try coder.decodeIfPresent(String.self, forRawKey: "NSKey")
      isAscending = try coder.decode(Bool.self, forRawKey: "NSAscending")
      selector = try coder.decodeIfPresent(String.self, forRawKey: "NSSelector")
      reversesNullOrder = try coder.decodeIfPresent(Bool.self, forRawKey: "NSReverseNullOrder") ?? false
    }

    public func encode(with coder: KeyedArchiver) throws {
      try coder.encode(key, forRawKey: "NSKey")
      try coder.encode(boolean: isAscending, forRawKey: "NSAscending")
      try coder.encode(selector, forRawKey: "NSSelector")
      try coder.encode(boolean: reversesNullOrder, forRawKey: "NSReverseNullOrder")
    }
  }
}
