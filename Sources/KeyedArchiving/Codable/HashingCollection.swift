internal import OrderedCollections
@_spi(Archives) internal import PropertyLists

/// A collection whose `init(from:)` hashes its elements or keys.
protocol HashingCollection {
  associatedtype Hashed: Hashable
  /// The number of values in an unkeyed container for each element. The first of them is hashed.
  static var valuesPerElement: Int { get }
  /// Returns the hashes of elements that are decoded together as one value, or nil for any other value.
  static func hashes(ofElementsIn value: Any) -> [Int]?
}

extension HashingCollection {
  static var element: Any.Type { Hashed.self }
  /// Returns the hash of an element, or nil if the value is not an element.
  static func hash(of element: Any) -> Int? { (element as? Hashed)?.hashValue }
  static func hashes(ofElementsIn value: Any) -> [Int]? { nil }
}

extension Set: HashingCollection { typealias Hashed = Element }
extension Dictionary: HashingCollection { typealias Hashed = Key }

extension OrderedSet: HashingCollection {
  typealias Hashed = Element
  static var valuesPerElement: Int { 1 }

  /// Returns the hashes of an array, because an ordered set is decoded as one array.
  static func hashes(ofElementsIn value: Any) -> [Int]? {
    (value as? ContiguousArray<Element>).map { elements in elements.map(\.hashValue) }
  }
}

extension OrderedDictionary: HashingCollection {
  typealias Hashed = Key
  static var valuesPerElement: Int { 2 }
}
