extension Archived {
  /// An `NSTextCheckingResult` of a regular expression: the ranges of a match and of its groups.
  ///
  /// ```swift
  /// let match = try coder.decode(Archived.TextCheckingResult.self, forKey: "match")
  /// let groups = match.ranges.dropFirst().filter { $0 != .notFound }
  /// ```
  public struct TextCheckingResult: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass(
      "NSTextCheckingResult", aliases: ["NSRegularExpressionCheckingResult"] + classes.map(\.name))

    /// The range of the whole match, then those of the groups in the order of the expression, in UTF-16 units. The
    /// range of a group that matched nothing is ``Range/notFound``.
    public var ranges: [Range]
    /// The regular expression. Nil if the archive has none.
    public var regularExpression: RegularExpression?

    /// Creates a match. It can be archived only if it has a range.
    public init(ranges: [Range], regularExpression: RegularExpression?) {
      self.ranges = ranges
      self.regularExpression = regularExpression
    }

    public init(coder: KeyedUnarchiver) throws {
      let whole = Range(
        location: try coder.decode(Int.self, forRawKey: "NSRangeLocation"),
        length: try coder.decode(Int.self, forRawKey: "NSRangeLength"))
      ranges = try coder.decodeIfPresent([Range].self, forRawKey: "NSRangeArray") ?? [whole]
      try coder.require(
        ranges.first == whole && whole.range != nil,
        "the match at \(whole.location) of length \(whole.length) is not valid, or not first in its ranges")
      regularExpression = try coder.decodeIfPresent(RegularExpression.self, forRawKey: "NSRegularExpression")
    }

    /// Encodes the ranges and the regular expression.
    ///
    /// - Throws: ``KeyedArchiveError/Kind/invalidValue`` for a match without ranges.
    public func encode(with coder: KeyedArchiver) throws {
      guard let whole = ranges.first else {
        throw KeyedArchiveError(.invalidValue, "a match of a regular expression has no range")
      }
      try coder.encode(integer: whole.location, forRawKey: "NSRangeLocation")
      try coder.encode(integer: whole.length, forRawKey: "NSRangeLength")
      try coder.encode(regularExpression, forRawKey: "NSRegularExpression")
      // Apple's class for many ranges stores an array of them. The classes for fewer ranges make the array when they
      // are archived.
      if isComplex {
        try coder.encode(ranges, forRawKey: "NSRangeArray")
      } else {
        try coder.encode(asMutable: ranges, forRawKey: "NSRangeArray")
      }
    }

    private var isComplex: Bool { ranges.count > 7 }

    public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference {
      // Apple's class depends on the number of ranges (`NSTextCheckingResult.swift` of swift-corelibs-foundation).
      let size = isComplex ? 2 : ranges.count <= 3 ? 0 : 1
      return try coder.reference(toValue: self, as: Self.classes[size])
    }

    /// The classes for up to 3 ranges, for 4 to 7, and for more.
    private static let classes = ["Simple", "Extended", "Complex"].map {
      ArchivedClass(
        "NS\($0)RegularExpressionCheckingResult",
        ancestors: ["NSRegularExpressionCheckingResult", "NSTextCheckingResult", "NSObject"])
    }
  }
}
