import FoundationEssentials
import Predicates
import TestSupport
import Testing

@Suite("Text of predicates") struct PredicateTextTests {
  @Test(arguments: PredicateSearchTests.searches.map(\.0))
  func `printed text is parsed to the same tree`(_ format: String) throws { try check(format) }

  @Test(arguments: PredicateSearchTests.facts.map(\.0))
  func `printed constants are parsed to the same constants`(_ format: String) throws {
    // NaN is not equal to itself.
    if !format.contains("'nan'") { try check(format) }
  }

  private func check(_ format: String) throws {
    let tree = try ManagedPredicate(format: format)
    let text = try tree.formatText()
    #expect(try ManagedPredicate(format: text) == tree, "\(format) became \(text)")
  }

  /// A text, and its printed form.
  static let printed: [(String, String)] = [
    ("a=1", "a == 1"), ("a<>1 || b=>2", "a != 1 OR b >= 2"),
    ("(a = 1 && b = 2) || c = 3", "a == 1 AND b == 2 OR c == 3"),
    ("a = 1 AND (b = 2 OR c = 3)", "a == 1 AND (b == 2 OR c == 3)"),
    ("(a=1 AND b=2) AND c=3", "(a == 1 AND b == 2) AND c == 3"),
    ("none a.b like[dc] 'x'", "NOT ANY a.b LIKE[cd] \"x\""), ("not(a = 1)", "NOT a == 1"),
    ("(a + 1) * 2 = 3", "(a + 1) * 2 == 3"),
    ("a - (b - c) = 0", "a - (b - c) == 0"), ("-(5) = a", "-(5) == a"), ("a = -5", "a == -5"),
    ("a in {1,'b',{}}", "a IN {1, \"b\", {}}"), ("#and.#\"x y\".b = $V", "#and.#\"x y\".b == $V"),
    ("a.first = 'q\"\\\\\\n'", "a.#first == \"q\\\"\\\\\\n\""), ("self.name = yes", "name == TRUE"),
    ("a[first].b[size] = a[2]", "a[FIRST].b[SIZE] == a[2]"), ("Sum(a) = NOW()", "sum(a) == now()"),
    ("cast(1, 'NSDate') = a", "CAST(1.0, \"NSDate\") == a"),
    ("a = 12345678901234567890", "a == CAST(\"12345678901234567890\", \"NSDecimalNumber\")"),
    ("subquery(a,$x,$x.b=1).@count>0", "SUBQUERY(a, $x, $x.b == 1).@count > 0"),
    ("ternary(a=1,b,c) = fetch($r,$c,no)", "TERNARY(a == 1, b, c) == FETCH($r, $c, FALSE)"),
    ("function(a,'b:c:',1,2) = anykey", "FUNCTION(a, \"b:c:\", 1, 2) == ANYKEY"),
    ("a uti-conforms-to 'public.text'", "a UTI-CONFORMS-TO \"public.text\""), ("$a := 1 + 2 = b", "($a := 1 + 2) == b"),
    ("($a := 1 + 2) = b", "($a := 1 + 2) == b"), ("a UNION b MINUS c = d", "a UNION b MINUS c == d"),
  ]

  @Test(arguments: printed) func `each predicate has one printed form`(_ sample: (format: String, text: String)) throws
  {
    #expect(try ManagedPredicate(format: sample.format).description == sample.text)
  }

  @Test func `constants of all kinds have a text`() throws {
    let uuid = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    let url = try #require(URL(string: "https://example.com/a?b"))
    let constants: [PredicateConstant] = [
      .null, .value(.boolean(true)), .value(.integer(.min)), .value(.integer(.max)), .value(.double(1e300)),
      .value(.double(-0.5)), .value(.double(.infinity)), .value(.decimal(Decimal(string: "-1.25")!)),
      .value(.decimal(.greatestFiniteMagnitude)), .value(.string("a\u{1}\"'\\ é\r\n\t%@")),
      .value(.date(Date(timeIntervalSinceReferenceDate: 12.5))), .value(.data(Data([0, 1, 255]))),
      .value(.data(Data())),
      .value(.uuid(uuid)), .value(.url(url)), .array([]), .array([.value(.integer(1)), .array([.null])]),
      .set([.value(.integer(2)), .value(.string("x"))]), .set([]), .dictionary(["a b": .array([]), "c": .null]),
      .dictionary([:]),
    ]
    for constant in constants {
      let tree = ManagedPredicate.comparing(
        .keyPath(try #require(PredicateKeyPath("a.b"))), .equal, .constant(constant))
      let text = try tree.formatText()
      #expect(try ManagedPredicate(format: text) == tree, "\(text)")
    }
  }

  @Test func `each level of nested sets is written once`() throws {
    // If it were written twice, the text would take 2^40 steps.
    var constant = PredicateConstant.value(.integer(1))
    for _ in 0..<40 { constant = .set([constant, .value(.string("x"))]) }
    let tree = ManagedPredicate.comparing(.evaluatedObject, .equal, .constant(constant))
    #expect(try ManagedPredicate(format: tree.formatText()) == tree)
  }

  /// An invalid predicate, and the column of the error.
  static let defects: [(String, Int)] = [
    ("", 1), ("a", 1), ("a ==", 5), ("== 1", 1), ("a = 1 AND", 10), ("a = 1 b", 7), ("(a = 1", 7), ("a = 1)", 6),
    ("a = 'x", 5),
    ("a = {1, 2", 10), ("é = $", 5), ("a = #", 5), ("a = @", 5), ("a = %q", 5), ("a ? 1", 3), ("a CONTAINS[x] 'b'", 12),
    ("a CONTAINS[c 'b'", 14), ("foo(1) = 2", 1), ("sum() = 1", 1), ("abs(1, 2) = 1", 1), ("a = AND", 5), ("a.1 = 2", 2),
    ("a. = 2", 4), ("NOT a", 5), ("a AND b = 1", 1), ("(a = 1) = 2", 2), ("ANY a", 1), ("ANY (a = 1 AND b = 2)", 1),
    ("SUBQUERY(a, x, x = 1).@count = 1", 13), ("TERNARY(a, 1, 2) = 1", 9), ("a < b < c", 1), ("FETCH(a, b, c) = 1", 13),
    ("a[ = 1", 4), ("a = 1e999", 5), ("a = 0x1FFFFFFFFFFFFFFFF", 5), ("a = 123456789012345678901234567890123456789", 5),
    ("a :b(1) = 2", 3), ("a := 1", 3), ("FIRST = 1", 1),
  ]

  @Test(arguments: defects) func `an error has its position`(_ defect: (format: String, column: Int)) throws {
    let error = #expect(throws: ManagedPredicateError.self) { try ManagedPredicate(format: defect.format) }
    #expect(error?.position?.column == defect.column, "\(defect.format): \(String(describing: error))")
  }

  @Test func `the number of arguments must match the placeholders`() throws {
    for (format, arguments) in [
      ("a = %@", []), ("a = 1", [1]), ("a = %@ AND b = %d", [1]), ("%K = 1", [1]), ("%K = 1", ["a..b"]),
      ("a = %d", ["x"]),
    ] as [(String, [any PredicateArgument])] {
      let error = #expect(throws: ManagedPredicateError.self) {
        try ManagedPredicate(format: format, arguments: arguments)
      }
      #expect(error?.kind == .argument && error?.position != nil, "\(format)")
    }
  }

  @Test func `parsing time is linear, and nesting is limited`() throws {
    let count = LongForm.size(20_000, or: 1_500)
    let long = Array(repeating: "a.b.c == 1", count: count).joined(separator: " OR ")
    let tree = try ManagedPredicate(format: long)
    #expect(try ManagedPredicate(format: tree.formatText()) == tree)
    let path = Array(repeating: "k", count: count).joined(separator: ".")
    #expect(
      try ManagedPredicate(format: "\(path) IN {\(Array(repeating: "1", count: count).joined(separator: ","))}")
        != .constant(true))
    for hostile in [
      String(repeating: "(", count: count), String(repeating: "NOT ", count: count) + "a = 1",
      String(repeating: "{", count: count),
      String(repeating: "-", count: count) + "a = 1",
      "a = " + Array(repeating: "1", count: count).joined(separator: "+"),
      "a" + String(repeating: "[0]", count: count) + " = 1", String(repeating: "abs(", count: count),
      String(repeating: "SUBQUERY(a, $x, ", count: count), String(repeating: "TERNARY(", count: count),
      String(repeating: "$a := ", count: count) + "1 = 1", String(repeating: "CAST({", count: count),
    ] {
      let error = #expect(throws: ManagedPredicateError.self) { try ManagedPredicate(format: hostile) }
      #expect(error?.kind == .nestedTooDeeply, "\(hostile.prefix(20))")
    }
    var deep = ManagedPredicate.constant(true)
    for _ in 0..<150 { deep = .not(deep) }
    #expect(throws: ManagedPredicateError.self) { try PreparedPredicate(deep) }
    #expect(throws: ManagedPredicateError.self) { try deep.formatText() }
  }
}
