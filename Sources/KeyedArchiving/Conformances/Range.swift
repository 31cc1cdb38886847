@_spi(Archives) internal import PropertyLists

extension Archived {
  /// `NSRange`, which is archived as an `NSValue`.
  ///
  /// ```swift
  /// let selection = Archived.Range(location: 2, length: 3)
  /// selection.range  // 2..<5
  /// ```
  public struct Range: SecureCoding, Hashable, Sendable {
    public static let archivedClass = Value.archivedClass

    /// The start of the range, at least 0.
    public var location: Int
    /// The length of the range, at least 0.
    public var length: Int

    /// `NSNotFound` with length 0: the result of a search that found nothing (`NSObjCRuntime.h`).
    public static let notFound = Range(location: .max, length: 0)

    /// Creates a range. To be archived, it must have no negative number, and its end must fit in an `Int`.
    public init(location: Int, length: Int) {
      self.location = location
      self.length = length
    }

    /// Creates a range with the bounds of a Swift range.
    public init(_ range: Swift.Range<Int>) {
      // The difference of two integers may overflow. Such a range cannot be archived.
      self.init(location: range.lowerBound, length: range.upperBound.subtractingReportingOverflow(range.lowerBound).0)
    }

    /// The integers of the range. Nil if a number is negative, or if the end does not fit in an `Int`.
    ///
    /// For ``notFound``, it is an empty range at `Int.max`.
    public var range: Swift.Range<Int>? {
      let (end, overflows) = location.addingReportingOverflow(length)
      return location >= 0 && length >= 0 && !overflows ? location..<end : nil
    }

    public init(coder: KeyedUnarchiver) throws {
      self = try Value.content("range", coder) { if case .range(let content) = $0 { content } else { nil } }
    }

    public func encode(with coder: KeyedArchiver) throws { try Value.range(self).encode(with: coder) }

    init(valueIn coder: KeyedUnarchiver) throws {
      self.init(
        location: try coder.decode(Int.self, forRawKey: "NS.rangeval.location"),
        length: try coder.decode(Int.self, forRawKey: "NS.rangeval.length"))
      try coder.require(range != nil, "the range at \(location) of length \(length) is not valid")
    }

    func encodeValue(with coder: KeyedArchiver) throws {
      try coder.require(range != nil, "the range at \(location) of length \(length) is not valid")
      try coder.encode(length, forRawKey: "NS.rangeval.length")
      try coder.encode(location, forRawKey: "NS.rangeval.location")
    }
  }
}
