internal import OrderedCollections
@_spi(Archives) internal import PropertyLists

/// A collection whose `init(from:)` hashes its elements or keys.
protocol HashingCollection {
  associatedtype Hashed: Hashable
  /// The number of values that an unkeyed container has for each element: 1 for an element of a set, 2 for a key and a
  /// value of a dictionary. The first of these values is hashed.
  static var valuesPerElement: Int { get }
  /// Returns the hashes of the elements of `value`, if this collection decodes all its elements as one value: an
  /// `OrderedSet` decodes a single array. Returns nil for other collections, and if `value` is not such an array.
  static func hashes(ofElementsIn value: Any) -> [Int]?
}

extension HashingCollection {
  static var element: Any.Type { Hashed.self }
  /// Returns the hash of a value, or nil if it does not have the type of the hashed elements or keys.
  static func hash(of element: Any) -> Int? { (element as? Hashed)?.hashValue }
  static func hashes(ofElementsIn value: Any) -> [Int]? { nil }
}

extension Set: HashingCollection { typealias Hashed = Element }
extension Dictionary: HashingCollection { typealias Hashed = Key }

extension OrderedSet: HashingCollection {
  typealias Hashed = Element
  static var valuesPerElement: Int { 1 }

  /// Returns the hashes of the elements of an array. An ordered set decodes all its elements as one array.
  static func hashes(ofElementsIn value: Any) -> [Int]? {
    (value as? ContiguousArray<Element>).map { elements in elements.map(\.hashValue) }
  }
}

extension OrderedDictionary: HashingCollection {
  typealias Hashed = Key
  static var valuesPerElement: Int { 2 }
}
