public import OrderedCollections
@_spi(Archives) internal import PropertyLists

extension Archived {
  /// `NSCountedSet`: elements with their counts, in the order of the archive.
  ///
  /// ```swift
  /// let words: Archived.CountedSet = ["to", "be", "or", "not", "to", "be"]
  /// words.count(of: "be")  // 2
  /// words.counts           // ["to": 2, "be": 2, "or": 1, "not": 1]
  /// ```
  public struct CountedSet<Element: SecureCoding & Hashable>: SecureCoding {
    public static var archivedClass: ArchivedClass {
      ArchivedClass("NSCountedSet", ancestors: ["NSMutableSet", "NSSet", "NSObject"])
    }

    /// The number of times that each element is in the set, at least 1.
    public var counts: OrderedDictionary<Element, Int>

    /// Creates a set from elements and their counts. A count below 1 cannot be archived.
    public init(counts: OrderedDictionary<Element, Int> = [:]) { self.counts = counts }

    /// Creates a set from a sequence, in the order of the first occurrences.
    public init(_ elements: some Sequence<Element>) {
      counts = [:]
      for element in elements { counts[element, default: 0] += 1 }
    }

    /// Returns the number of times that an element is in the set, or 0 if it is not.
    public func count(of element: Element) -> Int { counts[element] ?? 0 }

    public init(coder: KeyedUnarchiver) throws {
      counts = [:]
      let count = try coder.decode(Int.self, forRawKey: "NS.count")
      // Each element has its own key. Comparing the count with the number of keys finds a wrong count before any
      // element is read.
      try coder.require(
        count >= 0 && count == coder.countOfKeys(beginningWith: "NS.object"),
        "NS.count of a counted set is \(count), which is not its number of elements")
      var elements = HashedElements<Element>()
      for index in 0..<count {
        let element = try elements.next(coder) { try coder.decode(Element.self, forRawKey: "NS.object\(index)") }
        let times = try coder.decode(Int.self, forRawKey: "NS.count\(index)")
        try coder.require(times > 0, "an element of a counted set must occur at least once, not \(times) times")
        if counts.updateValue(times, forKey: element) != nil { throw coder.standsTwice(element) }
      }
    }

    /// Encodes the elements and their counts.
    ///
    /// - Throws: ``KeyedArchiveError/Kind/invalidValue`` if a count is below 1.
    public func encode(with coder: KeyedArchiver) throws {
      try coder.encode(integer: counts.count, forRawKey: "NS.count")
      for (index, (element, times)) in counts.enumerated() {
        try coder.require(times > 0, "an element of a counted set must occur at least once, not \(times) times")
        try coder.encode(element, forRawKey: "NS.object\(index)")
        try coder.encode(integer: times, forRawKey: "NS.count\(index)")
      }
    }
  }
}

/// Two sets are equal if they have the same elements with the same counts. The order does not matter.
extension Archived.CountedSet: Hashable {
  public static func == (first: Archived.CountedSet<Element>, second: Archived.CountedSet<Element>) -> Bool {
    first.counts.count == second.counts.count && first.counts.allSatisfy { second.counts[$0.key] == $0.value }
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(Dictionary(uniqueKeysWithValues: Array(counts))) }
}

extension Archived.CountedSet: Sendable where Element: Sendable {}

extension Archived.CountedSet: ExpressibleByArrayLiteral {
  /// Creates a set with the elements of the literal.
  public init(arrayLiteral elements: Element...) { self.init(elements) }
}
