extension Archived {
  /// `NSSortDescriptor`: the key path and the order of a sort. This structure cannot sort.
  ///
  /// ```swift
  /// let newestFirst = Archived.SortDescriptor(key: "modified", isAscending: false)
  /// ```
  public struct SortDescriptor: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("NSSortDescriptor")

    /// The key path of the values to compare. Nil to compare the objects themselves.
    public var key: String?
    /// True if the smallest value comes first.
    public var isAscending: Bool
    /// The name of the comparison method, such as `compare:`. Nil if the archive has none.
    public var selector: String?
    /// True if nil values are sorted last where they usually come first, and first where they usually come last.
    public var reversesNullOrder: Bool

    /// Creates a sort descriptor.
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
