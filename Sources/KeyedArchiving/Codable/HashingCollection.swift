internal import OrderedCollections
@_spi(Archives) internal import PropertyLists

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
