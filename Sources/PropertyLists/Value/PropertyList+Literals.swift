private import OrderedCollections

extension PropertyList: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
}

extension PropertyList: ExpressibleByIntegerLiteral {
  /// - Precondition: the literal is a value of `Int64` or of `UInt64`.
  public init(integerLiteral value: Int128) { self = .integer(Integer(integerLiteral: value)) }
}

extension PropertyList: ExpressibleByFloatLiteral {
  /// An 8-byte real.
  public init(floatLiteral value: Double) { self = .real(value) }
}

extension PropertyList: ExpressibleByBooleanLiteral {
  /// A boolean.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension PropertyList: ExpressibleByArrayLiteral {
  /// An array.
  public init(arrayLiteral elements: PropertyList...) { self = .array(elements) }
}

extension PropertyList: ExpressibleByDictionaryLiteral {
  /// The entries keep the order of the literal.
  ///
  /// - Precondition: no key stands twice in the literal.
  public init(dictionaryLiteral elements: (String, PropertyList)...) {
    self = .dictionary(OrderedDictionary(uniqueKeysWithValues: elements))
  }
}
