internal import FoundationEssentials
internal import OrderedCollections
@_spi(Archives) internal import PropertyLists

/// Decodes the elements of a collection that hashes them, and subtracts their weight from the unarchiver's budget for
/// hashing.
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
  /// Decodes the elements of an array that is stored inline, for a collection that hashes them.
  func decodeHashedElements<T: Hashable>(
    forRawKey key: String, _ decode: (ArchivedReference) throws -> T
  ) throws -> [T] {
    var elements = HashedElements<T>()
    return try decodeElements(forRawKey: key) { element in try elements.next(self) { try decode(element) } }
  }
}

/// Counts the elements of a collection that have the same hash, because inserting them compares them with each other.
///
/// Foundation hashes only the first 80 bytes of data, and only the nearest double of a decimal number. So an archive
/// can contain any number of elements with the same hash. That is why the number of comparisons is limited.
struct HashCounts {
  /// True if the type of the elements hashes well: an archive cannot contain many elements with the same hash.
  let areEven: Bool
  private var counts: [Int: Int] = [:]

  init(_ element: Any.Type) { areEven = element is any EvenlyHashed.Type || element is any _ArchivedInteger.Type }

  mutating func add(_ hash: Int, weight: Int, _ coder: KeyedUnarchiver) throws {
    // Archiving the collection again takes more work for such elements: to order them, an archiver makes an archive of
    // each.
    try coder.weigh(8)
    let count = counts[hash, default: 0]
    if count > 0 {
      // The element is compared with each earlier one with this hash. A comparison counts as one step plus a quarter of
      // the element's weight.
      let comparisons = count * (4 + weight) / 4
      try coder.spendHashing(comparisons)
      // Comparing the collection with another one repeats all of these comparisons.
      try coder.weigh(comparisons: comparisons)
    }
    counts[hash] = count + 1
  }
}

/// A type whose unequal values have the same hash only by chance. Integer types have this property too, but are
/// recognized by `_ArchivedInteger`.
private protocol EvenlyHashed {}

extension String: EvenlyHashed {}
extension Bool: EvenlyHashed {}
extension UUID: EvenlyHashed {}
extension Date: EvenlyHashed {}
