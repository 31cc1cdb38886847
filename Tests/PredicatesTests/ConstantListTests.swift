import FoundationEssentials
import Testing

@testable import Predicates

@Suite("Constant lists in predicates") struct ConstantListTests {
  private static let texts = [
    "Ann", "ANN", "ánn", "a\u{301}nn", "straße", "STRASSE", "ﬁn", "FIN", "\r\n", "\n", "K", "\u{212A}", "", "ı", "I",
  ]
  private static let lists: [PredicateConstant] = [
    .array(texts.prefix(6).map { .value(.string($0)) }), .set(Set(texts.suffix(9).map { .value(.string($0)) })),
    .array([.null, .value(.integer(1)), .value(.string("ann")), .array([.null])]), .array([]),
    .array([.object(RowKey(store: .none, entityIndex: 0, number: 1)), .null]),
  ]
  private static let options: [PredicateOptions] = [
    [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive], .normalized,
  ]

  @Test("a lookup gives the same result as a search", arguments: lists, options)
  func lookup(list: PredicateConstant, options: PredicateOptions) throws {
    let test = try ConstantTest(.in, options, list)
    let values = Self.texts.map { AttributeValue.string($0) } + [.null, .integer(1), .double(1), .boolean(true)]
    for value in values {
      let searched = try Evaluation<AttributeValue>.compare(.value(value), .in, options, PredicateValue(list))
      #expect(try test.holds(value) == searched, "\(value)")
    }
    for number in 1...2 as ClosedRange<Int64> {
      let key = PredicateConstant.object(RowKey(store: .none, entityIndex: 0, number: number))
      let searched = try Evaluation<AttributeValue>.compare(.constant(key), .in, options, PredicateValue(list))
      #expect(test.holds(key) == searched)
    }
  }

  @Test func `CONTAINS looks up values too, and duplicates do not matter`() throws {
    let contains = try PreparedPredicate(ManagedPredicate(format: "{'a', 'B', 'a'} CONTAINS[c] name"))
    guard case .key(let key, let test) = contains.condition else {
      Issue.record("\(contains.condition)")
      return
    }
    #expect(key.name == "name")
    #expect(try test.holds(.string("b")) == true && test.holds(.string("c")) == false && test.holds(.null) == false)
    let object = RowKey(store: .none, entityIndex: 0, number: 1)
    let twice = try ConstantTest(.in, [], .array([.object(object), .object(object), .null]))
    #expect(try twice.holds(.object(object)) == true && twice.holds(.null) == true)
  }
}
