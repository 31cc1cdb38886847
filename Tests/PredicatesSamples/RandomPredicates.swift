import FoundationEssentials
public import Predicates

/// Random numbers that are the same in every run, so that failures can be reproduced.
public struct RandomNumbers: RandomNumberGenerator {
  private var state: UInt64

  public init(state: UInt64) { self.state = state }

  public mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 33
  }
}

/// Creates random trees that have a text form.
public struct RandomPredicates {
  public var numbers: RandomNumbers
  /// The key paths of the predicates.
  public var paths = [["name"], ["pets", "age"], ["tags", "@count"], ["pets", "@sum", "age"], ["and", "x y"]]

  public init(numbers: RandomNumbers) { self.numbers = numbers }

  public mutating func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: 0..<choices.count, using: &numbers)] }

  public mutating func predicate(_ depth: Int) -> ManagedPredicate {
    switch depth <= 0 ? 0 : Int.random(in: 0..<8, using: &numbers) {
    case 5: return .and([predicate(depth - 1), predicate(depth - 1)])
    case 6: return .or([predicate(depth - 1), predicate(depth - 1), predicate(depth - 1)])
    case 7: return .not(predicate(depth - 1))
    case 4: return .constant(Bool.random(using: &numbers))
    default:
      return .comparing(
        expression(depth - 1), pick(PredicateComparator.allCases), expression(depth - 1),
        modifier: pick([.direct, .direct, .any, .all]),
        options: PredicateOptions(rawValue: UInt.random(in: 0..<16, using: &numbers)))
    }
  }

  public mutating func expression(_ depth: Int) -> ManagedExpression {
    let part = { (maker: inout RandomPredicates) in maker.expression(depth - 1) }
    switch depth <= 0 ? Int.random(in: 0..<5, using: &numbers) : Int.random(in: 0..<16, using: &numbers) {
    case 0: return .evaluatedObject
    case 1, 2: return .keyPath(PredicateKeyPath(keys: pick(paths))!)
    case 3, 4:
      return .value(
        pick([
          .null, .integer(3), .integer(.min), .double(-2.5), .string("a*"), .string("["), .boolean(true),
          .date(Date(timeIntervalSinceReferenceDate: 5)), .decimal(Decimal(string: "0.1")!),
        ]))
    case 5: return .aggregate([part(&self), part(&self)])
    case 6, 7, 8:
      let function = pick(PredicateFunction.allCases)
      return .function(function, (0..<min(function.argumentCounts.lowerBound, 3)).map { _ in part(&self) })
    case 9: return .element(pick([.first, .last, .size, .index(part(&self))]), of: part(&self))
    case 10: return .subquery(part(&self), variable: "x", predicate(depth - 1))
    case 11: return .conditional(predicate(depth - 1), part(&self), part(&self))
    case 12: return .combination(pick(PredicateSetOperation.allCases), part(&self), part(&self))
    case 13: return .variable("x")
    case 14: return .assignment(variable: "y", part(&self))
    default: return .method("valueForKey:", of: part(&self), arguments: [.value(.string("name"))])
    }
  }
}
