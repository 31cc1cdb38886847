@_spi(Archives) internal import PropertyLists

extension Archived {
  /// `NSIndexSet`: a set of nonnegative integers, stored as ranges. `NSMutableIndexSet` is also read.
  ///
  /// ```swift
  /// let pages = Archived.IndexSet([8, 9, 1, 2, 3])
  /// pages?.ranges       // [1..<4, 8..<10]
  /// pages?.contains(9)  // true
  /// ```
  public struct IndexSet: SecureCoding, Hashable, Sendable {
    public static let archivedClass = FoundationType.indexSet.archivedClass

    /// The ranges of the integers, in ascending order. No range is empty, and no two ranges touch or overlap.
    public private(set) var ranges: [Swift.Range<Int>]

    /// Creates an empty set.
    public init() { ranges = [] }

    /// Creates a set from ranges, in any order, which may overlap. Returns nil if a range contains a negative integer.
    ///
    /// - Complexity: O(*n* log *n*), where *n* is the number of ranges.
    public init?(ranges: some Sequence<Swift.Range<Int>>) {
      self.init()
      for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty { append(range) }
      if let first = self.ranges.first, first.lowerBound < 0 { return nil }
    }

    /// Creates a set from integers. Returns nil if an integer is negative, or if it is `Int.max`, which is Apple's
    /// `NSNotFound`.
    ///
    /// - Complexity: O(*n* log *n*), where *n* is the number of integers.
    public init?(_ integers: some Sequence<Int>) {
      self.init()
      for integer in integers.sorted() {
        guard integer >= 0, integer < .max else { return nil }
        append(integer..<integer + 1)
      }
    }

    /// Returns true if an integer is in the set.
    ///
    /// - Complexity: O(log *n*), where *n* is the number of ranges.
    public func contains(_ integer: Int) -> Bool {
      let index = ranges.partitioningIndex { $0.upperBound > integer }
      return index < ranges.count && ranges[index].contains(integer)
    }

    /// The integers of the set, in ascending order.
    public var integers: some BidirectionalCollection<Int> { ranges.lazy.joined() }

    private mutating func append(_ range: Swift.Range<Int>) {
      if let last = ranges.last, range.lowerBound <= last.upperBound {
        ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        ranges.append(range)
      }
    }

    public init(coder: KeyedUnarchiver) throws {
      let count = try coder.decode(Int.self, forRawKey: "NSRangeCount")
      var pairs: [(location: UInt64, length: UInt64)] = []
      switch count {
      case 0: break
      case 1:
        pairs = [
          (try coder.decode(UInt64.self, forRawKey: "NSLocation"), try coder.decode(UInt64.self, forRawKey: "NSLength"))
        ]
      default:
        let integers = try coder.decodePackedIntegers(forRawKey: "NSRangeData")
        try coder.require(
          count > 0 && integers.count.isMultiple(of: 2) && integers.count / 2 == count,
          "an index set of \(count) ranges has \(integers.count) numbers, not two for each range")
        pairs = stride(from: 0, to: integers.count, by: 2).map { (integers[$0], integers[$0 + 1]) }
      }
      ranges = []
      for (location, length) in pairs {
        let (end, overflows) = location.addingReportingOverflow(length)
        try coder.require(
          length > 0 && !overflows && end <= UInt64(Int.max),
          "an index set cannot have \(length) integers from \(location) on"
        )
        let range = Int(location)..<Int(end)
        if let last = ranges.last, range.lowerBound < last.upperBound {
          throw coder.failure(.invalidContents, "the ranges of an index set are not in order: \(range) follows \(last)")
        }
        append(range)
      }
    }

    public func encode(with coder: KeyedArchiver) throws {
      try coder.encode(integer: ranges.count, forRawKey: "NSRangeCount")
      if ranges.count == 1 {
        try coder.encode(integer: ranges[0].lowerBound, forRawKey: "NSLocation")
        try coder.encode(integer: ranges[0].count, forRawKey: "NSLength")
      } else if ranges.count > 1 {
        let numbers = ranges.lazy.flatMap { [UInt64($0.lowerBound), UInt64($0.count)] }
        try coder.encode(packed: numbers, forRawKey: "NSRangeData")
      }
    }
  }
}

extension Archived.IndexSet: MutablyArchived {
  public static var mutableArchivedClass: ArchivedClass { .mutable(archivedClass) }
}
