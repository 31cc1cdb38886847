@_spi(Archives) internal import PropertyLists

extension Archived {
  /// `NSRange`, which is archived as an `NSValue`: a location and a length.
  public struct Range: SecureCoding, Hashable, Sendable {
    public static let archivedClass = Value.archivedClass

    /// Where it begins, from 0 on.
    public var location: Int
    /// How long it is, from 0 on.
    public var length: Int

    /// `NSNotFound`, of length 0: what a search that found nothing gives (`NSObjCRuntime.h`).
    public static let notFound = Range(location: .max, length: 0)

    /// A range. Only those can be archived whose numbers are not negative, and whose end is an `Int`.
    public init(location: Int, length: Int) {
      self.location = location
      self.length = length
    }

    /// A range that begins and ends where another does.
    public init(_ range: Swift.Range<Int>) {
      // Not the difference of any two integers is one.
      self.init(location: range.lowerBound, length: range.upperBound.subtractingReportingOverflow(range.lowerBound).0)
    }

    /// The integers in it; nil for one that cannot be archived.
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
      try coder.require(range != nil, "a range at \(location) of length \(length)")
    }

    func encodeValue(with coder: KeyedArchiver) throws {
      try coder.require(range != nil, "a range at \(location) of length \(length)")
      try coder.encode(length, forRawKey: "NS.rangeval.length")
      try coder.encode(location, forRawKey: "NS.rangeval.location")
    }
  }
}
