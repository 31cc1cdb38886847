internal import FoundationEssentials

extension AttributeValue {
  /// True if `==` in a predicate is true for two values. Numbers of all types are compared by their exact values, other
  /// values only within their type. NaN equals itself.
  @usableFromInline func isEqual(to other: AttributeValue) -> Bool {
    switch (self, other) {
    case (.null, .null): return true
    case (.null, _), (_, .null): return false
    case (.integer(let first), .integer(let second)): return first == second
    case (.string(let first), .string(let second)): return first == second
    case (.date(let first), .date(let second)): return first == second
    case (.data(let first), .data(let second)): return first == second
    case (.uuid(let first), .uuid(let second)): return first == second
    case (.url(let first), .url(let second)): return first == second
    case (.composite(let first), .composite(let second)): return first == second
    default: return numericOrder(to: other) == .equal
    }
  }

  /// Returns the order of two values. Nil if their kinds cannot be ordered, or if one is null.
  @usableFromInline package func order(to other: AttributeValue) -> PredicateOrder? {
    switch (self, other) {
    case (.integer(let first), .integer(let second)): PredicateOrder(first, second)
    case (.string(let first), .string(let second)): PredicateOrder(first, second)
    case (.date(let first), .date(let second)): PredicateOrder(first, second)
    case (.data(let first), .data(let second)): Self.order(first, second)
    case (.uuid(let first), .uuid(let second)): PredicateOrder(first, second)
    case (.url(let first), .url(let second)): PredicateOrder(first.absoluteString, second.absoluteString)
    default: numericOrder(to: other)
    }
  }

  /// True if the value is less than another one. False if their kinds cannot be ordered, or if one is null.
  @usableFromInline package func isLess(than other: AttributeValue) -> Bool { order(to: other) == .less }

  private static func order(_ first: Data, _ second: Data) -> PredicateOrder {
    if first == second { return .equal }
    return first.lexicographicallyPrecedes(second) ? .less : .greater
  }

  /// Returns the order of two numbers. NaN comes before all other numbers. Nil if one is not a number.
  private func numericOrder(to other: AttributeValue) -> PredicateOrder? {
    switch (self, other) {
    case (.boolean(let first), _): return AttributeValue.integer(first ? 1 : 0).numericOrder(to: other)
    case (_, .boolean(let second)): return numericOrder(to: .integer(second ? 1 : 0))
    case (.float(let first), _): return AttributeValue.double(Double(first)).numericOrder(to: other)
    case (_, .float(let second)): return numericOrder(to: .double(Double(second)))
    case (.integer(let first), .integer(let second)): return PredicateOrder(first, second)
    case (.double(let first), .double(let second)): return Self.order(first, second)
    case (.integer(let first), .double(let second)): return Self.order(first, second)
    case (.double(let first), .integer(let second)): return Self.order(second, first).reversed
    case (.decimal(let first), .decimal(let second)): return Self.order(ExactNumber(first), ExactNumber(second))
    case (.decimal(let first), .integer(let second)): return Self.order(ExactNumber(first), ExactNumber(second))
    case (.integer(let first), .decimal(let second)): return Self.order(ExactNumber(first), ExactNumber(second))
    case (.decimal(let first), .double(let second)): return Self.order(first, second)
    case (.double(let first), .decimal(let second)): return Self.order(second, first).reversed
    default: return nil
    }
  }

  private static func order(_ first: ExactNumber?, _ second: ExactNumber?) -> PredicateOrder {
    guard let first else { return second == nil ? .equal : .less }
    guard let second else { return .greater }
    return first.order(to: second)
  }

  private static func order(_ first: Decimal, _ second: Double) -> PredicateOrder {
    if second.isNaN { return first.isNaN ? .equal : .greater }
    if second.isInfinite { return second < 0 && !first.isNaN ? .greater : .less }
    return order(ExactNumber(first), ExactNumber(second))
  }

  private static func order(_ first: Double, _ second: Double) -> PredicateOrder {
    if first.isNaN || second.isNaN { return PredicateOrder(first.isNaN ? 0 : 1, second.isNaN ? 0 : 1) }
    return PredicateOrder(first, second)
  }

  private static func order(_ first: Int64, _ second: Double) -> PredicateOrder {
    if second.isNaN || second < -0x1p63 { return .greater }
    if second >= 0x1p63 { return .less }
    let whole = second.rounded(.towardZero)
    let order = PredicateOrder(first, Int64(whole))
    return order == .equal ? PredicateOrder(0, second - whole) : order
  }
}
