internal import FoundationEssentials

/// Functions for sums, averages and other aggregates of values. The caller has removed null values.
@usableFromInline
enum Aggregate {
  @inlinable static func sum<Object>(_ values: [PredicateValue<Object>]) throws(ManagedPredicateError)
    -> PredicateValue<Object>
  {
    var sum = AttributeValue.integer(0)
    for value in values { sum = try PredicateArithmetic.apply(.add, sum, number(value)) }
    return .value(sum)
  }

  /// Returns the average. It is a decimal number if at least one value is a decimal number and no value is a double or
  /// a float; otherwise it is a double. Returns the integer 0 if `values` is empty.
  @inlinable static func average<Object>(_ values: [PredicateValue<Object>]) throws(ManagedPredicateError)
    -> PredicateValue<
      Object
    >
  {
    guard !values.isEmpty, case .value(let sum) = try sum(values) else { return .value(.integer(0)) }
    var isDecimal = false
    for value in values {
      if case .decimal = try number(value) { isDecimal = true }
    }
    if isDecimal, case .decimal = sum {
      return .value(try PredicateArithmetic.apply(.divide, sum, .integer(Int64(values.count))))
    }
    return .value(.double((PredicateArithmetic.double(sum) ?? .nan) / Double(values.count)))
  }

  /// Returns the smallest value for `.less`, and the largest for `.greater`. If several values are equal, returns the
  /// first of them. Returns null if `values` is empty.
  @inlinable static func extreme<Object>(
    _ values: [PredicateValue<Object>], _ order: PredicateOrder
  ) throws(ManagedPredicateError) -> PredicateValue<Object> {
    guard var best = values.first else { return .null }
    for value in values.dropFirst() where try Evaluation.order(value, best) == order { best = value }
    return best
  }

  /// Returns the middle value, or the average of the two middle values; null if `values` is empty.
  @inlinable static func median<Object>(_ values: [PredicateValue<Object>]) throws(ManagedPredicateError)
    -> PredicateValue<Object>
  {
    let sorted = try doubles(values).sorted()
    guard !sorted.isEmpty else { return .null }
    let middle = sorted.count / 2
    return .value(.double(sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2))
  }

  /// Returns an array of the most frequent values, in the order of their first occurrences. It is empty if `values` is.
  @inlinable static func mode<Object>(_ values: [PredicateValue<Object>]) -> PredicateValue<Object> {
    var counts: [PredicateValue<Object>: Int] = [:]
    for value in values { counts[value, default: 0] += 1 }
    let greatest = counts.values.max() ?? 0
    return .array(Evaluation.distinct(values).filter { counts[$0] == greatest })
  }

  /// Returns the standard deviation of a population, not of a sample; null if `values` is empty.
  @inlinable static func standardDeviation<Object>(
    _ values: [PredicateValue<Object>]
  ) throws(ManagedPredicateError) -> PredicateValue<Object> {
    let numbers = try doubles(values)
    guard !numbers.isEmpty else { return .null }
    let mean = numbers.reduce(0, +) / Double(numbers.count)
    let squares = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return .value(.double((squares / Double(numbers.count)).squareRoot()))
  }

  @inlinable static func doubles<Object>(_ values: [PredicateValue<Object>]) throws(ManagedPredicateError) -> [Double] {
    var doubles: [Double] = []
    for value in values { doubles.append(PredicateArithmetic.double(try number(value)) ?? .nan) }
    return doubles
  }

  @inlinable static func number<Object>(_ value: PredicateValue<Object>) throws(ManagedPredicateError) -> AttributeValue
  {
    guard case .value(let number) = value, number.isNumber else {
      throw ManagedPredicateError(.typeMismatch, "expected numbers to add up or compare, found \(value.kindName)")
    }
    return number
  }
}
