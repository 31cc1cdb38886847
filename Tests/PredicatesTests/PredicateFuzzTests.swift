import FoundationEssentials
import Predicates
import PredicatesSamples
import TestSupport
import Testing

@Suite("Hostile predicates") struct PredicateFuzzTests {
  private func use(_ predicate: ManagedPredicate) {
    guard let prepared = try? PreparedPredicate(predicate, variables: ["x": 1]) else { return }
    for person in PredicateSamples.people { _ = try? prepared.evaluate(with: person) }
  }

  @Test func `random predicates are printed, read and evaluated`() throws {
    var maker = RandomPredicates(numbers: RandomNumbers(state: 1))
    for _ in 0..<LongForm.size(10_000, or: 750) {
      let predicate = maker.predicate(4)
      let text = try predicate.formatText()
      let again = try ManagedPredicate(format: text)
      // Hand-made trees can contain casts of literals, which become constants in text.
      #expect(try ManagedPredicate(format: again.formatText()) == again, "\(text)")
      use(predicate)
    }
  }

  @Test func `damaged text is an error or another predicate`() {
    var maker = RandomPredicates(numbers: RandomNumbers(state: 2))
    let formats = PredicateSearchTests.searches.map(\.0) + PredicateSearchTests.facts.map(\.0)
    let signs = Array("()[]{}.,$%#@'\"\\=<>!&|+-*/: 019aéE\u{0}".utf8) + [0xFF, 0xC3]
    for _ in 0..<LongForm.size(10_000, or: 1_500) {
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

  @Test func `expensive patterns finish quickly, or are errors`() throws {
    // Backtracking would take longer than any limit for 50 characters too.
    let long = String(repeating: "a", count: LongForm.size(2_000, or: 50))
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
    #expect(time < ThreadClock.referenceSecond * LongForm.size(60, or: 6))
  }
}
