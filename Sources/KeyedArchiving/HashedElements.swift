internal import FoundationEssentials
internal import OrderedCollections
@_spi(Archives) internal import PropertyLists

/// Decodes the elements of a collection that hashes and compares them, and counts what that takes.
///
/// To hash an element takes as long as it is heavy, whether it shares its parts or not.
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

/// How many elements of a collection have the same hash, which are compared with each other.
///
/// Of data Foundation hashes the first 80 bytes, of a decimal number the double next to it, so an archive can have any
/// number of elements with one hash. Each comparison counts.
struct HashCounts {
  /// True if few elements will have the same hash, whatever the archive says.
  let areEven: Bool
  private var counts: [Int: Int] = [:]

  init(_ element: Any.Type) { areEven = element is any EvenlyHashed.Type }

  mutating func add(_ hash: Int, weight: Int, _ coder: KeyedUnarchiver) throws {
    // An archiver orders such elements by an archive of each.
    try coder.weigh(8)
    let count = counts[hash, default: 0]
    if count > 0 {
      // A comparison takes some time to begin with; the rest is a quarter of what it takes to hash, to compare and to
      // archive.
      let comparisons = count * (1 + weight / 4)
      try coder.spendHashing(comparisons)
      // Wherever the collection stands, to compare it with another takes all of them again.
      try coder.weigh(comparisons: comparisons)
    }
    counts[hash] = count + 1
  }
}

/// A collection that hashes its elements or its keys while it is decoded by its own `init(from:)`.
protocol HashingCollection {
  static var element: Any.Type { get }
  /// How many values of a container without keys stand for one element, which comes first.
  static var valuesPerElement: Int { get }
  /// The hash of an element; nil for what is none.
  static func hash(of element: Any) -> Int?
  /// The hashes of elements that are decoded as one value; nil for any other value.
  static func hashes(ofElementsIn value: Any) -> [Int]?
}

extension HashingCollection {
  static func hashes(ofElementsIn value: Any) -> [Int]? { nil }
}

extension Set: HashingCollection {
  static var element: Any.Type { Element.self }
  static func hash(of element: Any) -> Int? { (element as? Element)?.hashValue }
}

extension Dictionary: HashingCollection {
  static var element: Any.Type { Key.self }
  static func hash(of element: Any) -> Int? { (element as? Key)?.hashValue }
}

extension OrderedSet: HashingCollection {
  static var element: Any.Type { Element.self }
  static var valuesPerElement: Int { 1 }
  static func hash(of element: Any) -> Int? { (element as? Element)?.hashValue }

  /// It decodes an array, and then hashes what is in it.
  static func hashes(ofElementsIn value: Any) -> [Int]? {
    (value as? ContiguousArray<Element>).map { elements in elements.map(\.hashValue) }
  }
}

extension OrderedDictionary: HashingCollection {
  static var element: Any.Type { Key.self }
  static var valuesPerElement: Int { 2 }
  static func hash(of element: Any) -> Int? { (element as? Key)?.hashValue }
}

/// A type whose values have the same hash only if they are equal, but for chance.
private protocol EvenlyHashed {}

extension String: EvenlyHashed {}
extension Int: EvenlyHashed {}
extension Int8: EvenlyHashed {}
extension Int16: EvenlyHashed {}
extension Int32: EvenlyHashed {}
extension Int64: EvenlyHashed {}
extension UInt: EvenlyHashed {}
extension UInt8: EvenlyHashed {}
extension UInt16: EvenlyHashed {}
extension UInt32: EvenlyHashed {}
extension UInt64: EvenlyHashed {}
extension Bool: EvenlyHashed {}
extension UUID: EvenlyHashed {}
extension Date: EvenlyHashed {}
