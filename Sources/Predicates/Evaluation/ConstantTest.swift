/// A comparison whose right side is a constant. The constant is prepared once, and then compared with many left sides.
@usableFromInline
package final class ConstantTest: Sendable {
  @usableFromInline package let comparator: PredicateComparator
  @usableFromInline package let options: PredicateOptions
  @usableFromInline package let constant: PredicateConstant
  private let fast: Fast

  /// The prepared constant, if the comparison has a fast test; otherwise `none`.
  private enum Fast: Sendable {
    case none
    case equality(AttributeValue)
    case order(AttributeValue)
    case text(FoldedText)
    case textOrder(OrderedText)
    case like(LikePattern)
    case pattern(Pattern, TextRules)
    case list(ConstantList)
    case range(AttributeValue, AttributeValue)
    case object(RowKey)
  }

  /// Prepares a comparison.
  ///
  /// - Throws: ``ManagedPredicateError`` if a regular expression is invalid, or if BETWEEN does not have two values.
  @usableFromInline package init(
    _ comparator: PredicateComparator, _ options: PredicateOptions, _ constant: PredicateConstant
  ) throws(ManagedPredicateError) {
    self.comparator = comparator
    self.options = options
    self.constant = constant
    let rules = TextRules(options)
    switch (comparator, constant) {
    case (.equal, .value(.string(let text))) where !options.isEmpty,
      (.notEqual, .value(.string(let text))) where !options.isEmpty:
      fast = .text(FoldedText(text, rules))
    case (.equal, .value(let value)), (.notEqual, .value(let value)): fast = .equality(value)
    case (.equal, .object(let key)), (.notEqual, .object(let key)): fast = .object(key)
    case (.lessThan, .value(let value)), (.lessThanOrEqual, .value(let value)),
      (.greaterThan, .value(let value)), (.greaterThanOrEqual, .value(let value)):
      if case .string(let text) = value, !options.isEmpty {
        fast = .textOrder(OrderedText(text, options))
      } else {
        fast = .order(value)
      }
    case (.beginsWith, .value(.string(let text))), (.endsWith, .value(.string(let text))),
      (.contains, .value(.string(let text))):
      fast = .text(FoldedText(text, rules))
    case (.like, .value(.string(let text))): fast = .like(LikePattern(text, rules))
    case (.matches, .value(.string(let text))):
      let plain = rules.foldsMarks ? TextRules(.diacriticInsensitive).folded(text) : text
      fast = .pattern(try Pattern(plain, ignoringCase: rules.foldsCase), rules)
    case (.in, .array(let elements)): fast = .list(ConstantList(elements, options))
    case (.in, .set(let elements)): fast = .list(ConstantList(elements, options))
    case (.between, .array(let elements)):
      guard elements.count == 2, case .value(let low) = elements[0], case .value(let high) = elements[1] else {
        throw ManagedPredicateError(.typeMismatch, "BETWEEN needs the lowest and the highest value")
      }
      // Only strings are compared by options.
      if !options.isEmpty, case .string = low {
        fast = .none
      } else {
        fast = .range(low, high)
      }
    default: fast = .none
    }
  }

  /// Returns true if the comparison is true for the value of an attribute on the left side.
  @usableFromInline package func result(_ value: AttributeValue) throws(ManagedPredicateError) -> Bool {
    if let result = try holds(value) { return result }
    return try Evaluation<AttributeValue>.compare(.value(value), comparator, options, PredicateValue(constant))
  }

  /// Returns true if the comparison is true for the value of an attribute on the left side. Returns nil if the fast
  /// test cannot decide, so that the caller must call `Evaluation.compare`.
  @inline(__always)
  @usableFromInline package func holds(_ value: AttributeValue) throws(ManagedPredicateError) -> Bool? {
    switch fast {
    case .none: return nil
    case .equality(let constant): return value.isEqual(to: constant) == (comparator == .equal)
    case .order(let constant):
      if case .null = value { return false }
      if case .null = constant { return false }
      guard let order = value.order(to: constant) else { return nil }
      return comparator.holds(order)
    case .text(let text): return holds(value, text)
    case .textOrder(let text):
      guard case .string(let string) = value else { return nil }
      return comparator.holds(text.order(of: string))
    case .like(let pattern):
      guard case .string(let string) = value else { return nil }
      return try pattern.matches(string)
    case .pattern(let pattern, let rules):
      guard case .string(let string) = value else { return nil }
      return try pattern.matches(rules.foldsMarks ? TextRules(.diacriticInsensitive).folded(string) : string)
    case .list(let list): return list.contains(value)
    case .range(let low, let high):
      guard let first = value.order(to: low), let second = value.order(to: high) else { return nil }
      return first != .less && second != .greater
    case .object: return comparator == .notEqual
    }
  }

  /// Returns true if the comparison is true for an object on the left side. `object` is the constant that represents
  /// the object, or nil if there is none. Returns nil if the fast test cannot decide, so that the caller must call
  /// `Evaluation.compare`.
  @usableFromInline package func holds(_ object: PredicateConstant?) -> Bool? {
    guard case .object(let key)? = object else { return nil }
    return switch fast {
    case .object(let constant): (key == constant) == (comparator == .equal)
    case .list(let list): list.contains(key)
    default: nil
    }
  }

  private func holds(_ value: AttributeValue, _ text: FoldedText) -> Bool? {
    guard case .string(let string) = value else { return nil }
    return switch comparator {
    case .equal: text.isEqual(to: string)
    case .notEqual: !text.isEqual(to: string)
    case .beginsWith: text.isPrefix(of: string)
    case .endsWith: text.isSuffix(of: string)
    default: text.isContained(in: string)
    }
  }
}

extension PredicateComparator {
  /// Returns true if the operator is true for two values that have this order. Always false for operators other than
  /// `<`, `<=`, `>` and `>=`.
  @usableFromInline package func holds(_ order: PredicateOrder) -> Bool {
    switch self {
    case .lessThan: order == .less
    case .lessThanOrEqual: order != .greater
    case .greaterThan: order == .greater
    case .greaterThanOrEqual: order != .less
    default: false
    }
  }
}
