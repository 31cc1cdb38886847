import FoundationEssentials
import KeyedArchiving
import ManagedObjectsSamples
import Testing

@testable import ManagedObjects

@Suite("Long chains of AND and OR") struct PredicateRowTests {
  private func isOther(_ age: Int) -> ManagedPredicate {
    .comparing(.keyPath(PredicateKeyPath(keys: ["age"])!), .notEqual, .value(.integer(Int64(age))))
  }

  /// Returns `((a AND b) AND c) …`, nested alternately on the left and on the right.
  private func row(_ count: Int, _ join: ([ManagedPredicate]) -> ManagedPredicate) -> ManagedPredicate {
    (1..<count).reduce(isOther(0)) { join($1 % 2 == 0 ? [$0, isOther($1)] : [isOther($1), $0]) }
  }

  @Test func `a chain of one operator is one level`() throws {
    let all = row(1_000) { .and($0) }
    let entity = try #require(FetchSamples.shared.model["Person"])
    for predicate in [all, .not(all), .or([.not(row(1_000) { .or($0) }), all])] {
      #expect(throws: Never.self) { try predicate.check(for: entity) }
    }
    let prepared = try PreparedPredicate(all)
    #expect(try prepared.evaluate(with: ["age": AttributeValue.integer(1_000)]))
    #expect(try !prepared.evaluate(with: ["age": AttributeValue.integer(999)]))
    #expect(try !prepared.evaluate(with: ["age": AttributeValue.integer(0)]))
    let text = try all.formatText()
    #expect(text.hasPrefix("age != 999 AND age != 997") && text.hasSuffix("AND age != 998") && !text.contains("("))
    var request = FetchRequest("Person", where: all)
    #expect(try request.predicate == ManagedPredicate(format: text))
    request.predicate = .not(all)
    request.predicate = all
    #expect(throws: Never.self) { try request.check(for: entity) }
    let archiver = KeyedArchiver()
    try archiver.encode(all, forKey: "root")
    #expect(try archiver.encodedData().count > 1_000)
  }

  @Test func `a short chain keeps its nesting`() throws {
    let nested = row(20) { .or($0) }
    #expect(FetchRequest("Person", where: nested).predicate == nested)
    #expect(try ManagedPredicate(format: nested.formatText()) == nested)
  }

  @Test func `a long chain of alternating operators is too deep`() throws {
    let turns = (1..<150).reduce(isOther(0)) { $1 % 2 == 0 ? .and([$0, isOther($1)]) : .or([$0, isOther($1)]) }
    #expect(throws: ManagedPredicateError.self) { try PreparedPredicate(turns) }
  }
}
