internal import OrderedCollections
@_spi(Archives) internal import PropertyLists

/// A collection that hashes its elements or its keys while it is decoded by its own `init(from:)`.
protocol HashingCollection {
  associatedtype Hashed: Hashable
  /// How many values of a container without keys stand for one element, which comes first.
  static var valuesPerElement: Int { get }
  /// The hashes of elements that are decoded as one value; nil for any other value.
  static func hashes(ofElementsIn value: Any) -> [Int]?
}

extension HashingCollection {
  static var element: Any.Type { Hashed.self }
  /// The hash of an element; nil for what is none.
  static func hash(of element: Any) -> Int? { (element as? Hashed)?.hashValue }
  static func hashes(ofElementsIn value: Any) -> [Int]? { nil }
}

extension Set: HashingCollection { typealias Hashed = Element }
extension Dictionary: HashingCollection { typealias Hashed = Key }

extension OrderedSet: HashingCollection {
  typealias Hashed = Element
  static var valuesPerElement: Int { 1 }

  /// It decodes an array, and then hashes what is in it.
  static func hashes(ofElementsIn value: Any) -> [Int]? {
    (value as? ContiguousArray<Element>).map { elements in elements.map(\.hashValue) }
  }
}

extension OrderedDictionary: HashingCollection {
  typealias Hashed = Key
  static var valuesPerElement: Int { 2 }
}
