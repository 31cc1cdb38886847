public import OrderedCollections
@_spi(Archives) internal import PropertyLists

extension Archived {
  /// `NSCountedSet`: elements, and how many times each is in the set, in the order of the archive.
  public struct CountedSet<Element: SecureCoding & Hashable>: SecureCoding {
    public static var archivedClass: ArchivedClass {
      ArchivedClass("NSCountedSet", ancestors: ["NSMutableSet", "NSSet", "NSObject"])
    }

    /// How many times each element is in the set, from 1 on.
    public var counts: OrderedDictionary<Element, Int>

    /// Elements, each as many times as it is counted. A count below 1 cannot be archived.
    public init(counts: OrderedDictionary<Element, Int> = [:]) { self.counts = counts }

    /// The elements of a sequence, in the order in which they first come.
    public init(_ elements: some Sequence<Element>) {
      counts = [:]
      for element in elements { counts[element, default: 0] += 1 }
    }

    /// How many times an element is in the set; 0 if it is not.
    public func count(of element: Element) -> Int { counts[element] ?? 0 }

    public init(coder: KeyedUnarchiver) throws {
      counts = [:]
      let count = try coder.decode(Int.self, forRawKey: "NS.count")
      // All elements have keys, so a count beyond their number is wrong before any of them is looked at.
      try coder.require(
        count >= 0 && count == coder.countOfKeys(beginningWith: "NS.object"),
        "a counted set that has not its \(count) elements")
      var elements = HashedElements<Element>()
      for index in 0..<count {
        let element = try elements.next(coder) { try coder.decode(Element.self, forRawKey: "NS.object\(index)") }
        let times = try coder.decode(Int.self, forRawKey: "NS.count\(index)")
        try coder.require(times > 0, "a counted set with an element that is in it \(times) times")
        if counts.updateValue(times, forKey: element) != nil { throw coder.standsTwice(element) }
      }
    }

    /// - Throws: ``KeyedArchiveError/Kind/invalidValue`` for an element that is in the set less than once.
    public func encode(with coder: KeyedArchiver) throws {
      try coder.encode(integer: counts.count, forRawKey: "NS.count")
      for (index, (element, times)) in counts.enumerated() {
        try coder.require(times > 0, "a counted set with an element that is in it \(times) times")
        try coder.encode(element, forRawKey: "NS.object\(index)")
        try coder.encode(integer: times, forRawKey: "NS.count\(index)")
      }
    }
  }
}

/// Sets are equal when they have the same elements the same number of times, in any order.
extension Archived.CountedSet: Hashable {
  public static func == (first: Archived.CountedSet<Element>, second: Archived.CountedSet<Element>) -> Bool {
    first.counts.count == second.counts.count && first.counts.allSatisfy { second.counts[$0.key] == $0.value }
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(Dictionary(uniqueKeysWithValues: Array(counts))) }
}

extension Archived.CountedSet: Sendable where Element: Sendable {}

extension Archived.CountedSet: ExpressibleByArrayLiteral {
  /// The elements of the literal.
  public init(arrayLiteral elements: Element...) { self.init(elements) }
}
