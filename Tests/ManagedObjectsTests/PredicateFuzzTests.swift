import FoundationEssentials
import ManagedObjects
import TestSupport
import Testing

@Suite("Hostile predicates")
struct PredicateFuzzTests {
  /// Not the system's, so that a failure can be made again.
  struct Numbers: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 33
    }
  }

  /// Makes random trees that text can hold.
  struct Maker {
    var numbers: Numbers
    var paths = [["name"], ["pets", "age"], ["tags", "@count"], ["pets", "@sum", "age"], ["and", "x y"]]
    mutating func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: 0..<choices.count, using: &numbers)] }

    mutating func predicate(_ depth: Int) -> ManagedPredicate {
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

    mutating func expression(_ depth: Int) -> ManagedExpression {
      let part = { (maker: inout Maker) in maker.expression(depth - 1) }
      switch depth <= 0 ? Int.random(in: 0..<5, using: &numbers) : Int.random(in: 0..<16, using: &numbers) {
      case 0: return .evaluatedObject
      case 1, 2:
        return .keyPath(
          PredicateKeyPath(
            keys: pick(paths))!)
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

  private func use(_ predicate: ManagedPredicate) {
    guard let prepared = try? PreparedPredicate(predicate, variables: ["x": 1]) else { return }
    for person in PredicateSamples.people { _ = try? prepared.evaluate(with: person) }
  }

  @Test("made at random are printed, read and evaluated")
  func madeAtRandom() throws {
    var maker = Maker(numbers: Numbers(state: 1))
    for _ in 0..<LongForm.size(10_000, or: 3_000) {
      let predicate = maker.predicate(4)
      let text = try predicate.formatText()
      let again = try ManagedPredicate(format: text)
      // Hand-made trees can have casts of literals, which text makes constants of.
      #expect(try ManagedPredicate(format: again.formatText()) == again, "\(text)")
      use(predicate)
    }
  }

  @Test("damaged at random are errors or other predicates")
  func damagedAtRandom() {
    var maker = Maker(numbers: Numbers(state: 2))
    let formats = PredicateSearchTests.searches.map(\.0) + PredicateSearchTests.facts.map(\.0)
    let signs = Array("()[]{}.,$%#@'\"\\=<>!&|+-*/: 019aéE\u{0}".utf8) + [0xFF, 0xC3]
    for _ in 0..<LongForm.size(10_000, or: 4_000) {
      var bytes = Array(maker.pick(formats).utf8)
      for _ in 0..<Int.random(in: 1...4, using: &maker.numbers) {
        let offset = Int.random(in: 0...bytes.count, using: &maker.numbers)
        switch Int.random(in: 0..<4, using: &maker.numbers) {
        case 0: bytes.insert(maker.pick(signs), at: offset)
        case 1 where offset < bytes.count: bytes[offset] = maker.pick(signs)
        case 2 where offset < bytes.count: bytes.remove(at: offset)
        default: bytes.insert(contentsOf: Array(maker.pick(formats).utf8).suffix(12), at: offset)
        }
      }
      let format = String(decoding: bytes, as: UTF8.self)
      guard let predicate = try? ManagedPredicate(format: format) else { continue }
      if let text = try? predicate.formatText(), !text.contains("nan") {
        #expect((try? ManagedPredicate(format: text)) == predicate, "\(format) became \(text)")
      }
      use(predicate)
    }
  }

  @Test("with patterns that explode are done soon, or are errors")
  func withPatternsThatExplode() throws {
    let long = String(repeating: "a", count: LongForm.size(2_000, or: 600))
    let time = ThreadClock.measure {
      for pattern in [
        "(a+)+$", "(a|aa)+c", "(.*)*c", "(a*)*(a*)*(a*)*c", "((a?){100}){100}c", "a{5000}{5000}", "(()*)*c",
      ] {
        let matches = try? ManagedPredicate(format: "SELF MATCHES %@", pattern).evaluate(
          with: AttributeValue.string(long + "b"))
        #expect(matches != true)
      }
      for pattern in [String(repeating: "*a", count: 2_000) + "*c", String(repeating: "*a?", count: 2_000) + "c"] {
        let matches = try? ManagedPredicate(format: "SELF LIKE %@", pattern).evaluate(with: AttributeValue.string(long))
        #expect(matches != true)
      }
    }
    #expect(time < .seconds(60))
  }
}
