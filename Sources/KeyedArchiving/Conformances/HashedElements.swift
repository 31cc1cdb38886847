internal import FoundationEssentials
internal import OrderedCollections
@_spi(Archives) internal import PropertyLists

/// Decodes the elements of a collection that hashes them, and counts what that takes: as long as they are heavy.
struct HashedElements<Element: Hashable> {
  private var counts = HashCounts(Element.self)

  @inline(__always)
  mutating func next(_ coder: KeyedUnarchiver, _ decode: () throws -> Element) throws -> Element {
    let before = coder.weight
    let element = try decode()
    let weight = coder.weight - before
    try coder.spendHashing(weight)
    if !counts.areEven { try counts.add(element.hashValue, weight: weight, coder) }
    return element
  }
}

extension KeyedUnarchiver {
  /// The elements of an array that stands where it is, for a collection that hashes them.
  func decodeHashedElements<T: Hashable>(
    forRawKey key: String, _ decode: (ArchivedReference) throws -> T
  ) throws -> [T] {
    var elements = HashedElements<T>()
    return try decodeElements(forRawKey: key) { element in try elements.next(self) { try decode(element) } }
  }
}

/// How many elements of a collection have the same hash, which are compared with each other.
///
/// Of data Foundation hashes the first 80 bytes, of a decimal number the double next to it, so an archive can have any
/// number of elements with one hash. Each comparison counts.
struct HashCounts {
  /// True if few elements will have the same hash, whatever the archive says.
  let areEven: Bool
  private var counts: [Int: Int] = [:]

  init(_ element: Any.Type) { areEven = element is any EvenlyHashed.Type || element is any _ArchivedInteger.Type }

  mutating func add(_ hash: Int, weight: Int, _ coder: KeyedUnarchiver) throws {
    // An archiver orders such elements by an archive of each.
    try coder.weigh(8)
    let count = counts[hash, default: 0]
    if count > 0 {
      // A comparison takes some time to begin with, and a quarter of what it takes to hash, to compare and to archive
      // the element.
      let comparisons = count * (4 + weight) / 4
      try coder.spendHashing(comparisons)
      // Comparing the collection with another one takes all of them again.
      try coder.weigh(comparisons: comparisons)
    }
    counts[hash] = count + 1
  }
}

/// A type whose values have the same hash only if they are equal, but for chance; so have integers.
private protocol EvenlyHashed {}

extension String: EvenlyHashed {}
extension Bool: EvenlyHashed {}
extension UUID: EvenlyHashed {}
extension Date: EvenlyHashed {}
