internal import FoundationEssentials

/// Sums, averages and other aggregates of values. The caller removes null values before.
@usableFromInline
enum Aggregate {
  @inlinable static func sum<Object>(_ values: [PredicateValue<Object>]) throws(ManagedPredicateError)
    -> PredicateValue<Object>
  {
    var sum = AttributeValue.integer(0)
    for value in values { sum = try PredicateArithmetic.apply(.add, sum, number(value)) }
    return .value(sum)
  }

  /// Returns the average: a decimal number if one value is a decimal number and no value is a double or a float,
  /// otherwise a double. The integer 0 without values.
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

  /// Returns the smallest value for `.less`, the largest for `.greater`, or null without values. The first one of equal
  /// values is returned.
  @inlinable static func extreme<Object>(
    _ values: [PredicateValue<Object>], _ order: PredicateOrder
  ) throws(ManagedPredicateError) -> PredicateValue<Object> {
    guard var best = values.first else { return .null }
    for value in values.dropFirst() where try Evaluation.order(value, best) == order { best = value }
    return best
  }

  /// Returns the middle value, or the average of the two middle values. Null without values.
  @inlinable static func median<Object>(_ values: [PredicateValue<Object>]) throws(ManagedPredicateError)
    -> PredicateValue<Object>
  {
    let sorted = try doubles(values).sorted()
    guard !sorted.isEmpty else { return .null }
    let middle = sorted.count / 2
    return .value(.double(sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2))
  }

  /// Returns an array of the most frequent values, in the order of their first occurrences. Empty without values.
  @inlinable static func mode<Object>(_ values: [PredicateValue<Object>]) -> PredicateValue<Object> {
    var counts: [PredicateValue<Object>: Int] = [:]
    for value in values { counts[value, default: 0] += 1 }
    let greatest = counts.values.max() ?? 0
    return .array(Evaluation.distinct(values).filter { counts[$0] == greatest })
  }

  /// Returns the standard deviation of a population, not of a sample. Null without values.
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
