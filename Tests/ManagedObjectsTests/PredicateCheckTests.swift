import FoundationEssentials
import ManagedObjectsSamples
import PredicatesSamples
import TestSupport
import Testing

@testable import ManagedObjects

@Suite("Predicate checks against a model") struct PredicateCheckTests {
  /// Invalid predicates on people, the kind of error, and its column.
  static let defects: [(String, ManagedPredicateError.Kind, Int)] = [
    // Names.
    ("nmae == 'x'", .unknownKey, 1), ("boss.nmae == 'x'", .unknownKey, 6), ("boss.name.deeper == 'x'", .unknownKey, 11),
    ("age == 1 AND name.first == 'x'", .unknownKey, 19), ("age.length == 2", .unknownKey, 5),
    ("name == 'é' OR nmae == 'x'", .unknownKey, 16), ("salary.x == 1", .unknownKey, 8),
    ("ANY notes.titel == 'x'", .unknownKey, 11), ("notes.@sum.nothing == 1", .unknownKey, 12),
    ("SUBQUERY(notes, $n, $n.nothing == 1).@count == 1", .unknownKey, 24),
    ("distanceToLocation:fromLocation:(SELF, {1, 2}) < 5", .unknownKey, 34), ("SELF['nothing'] == 1", .unknownKey, 6),
    ("FUNCTION(SELF, 'valueForKey:', 'nothing') == 1", .unknownKey, 32), ("everybody.@count > 0", .unsupported, 1),
    ("entity.nmae == 'x'", .unknownKey, 8), ("ANY notes.entity.nmae == 'x'", .unknownKey, 18),
    ("age == 1 AND 'Emplyee' IN boss.entity.kinds", .unknownKey, 14),
    // Kinds that cannot be compared.
    ("entity == 'Employee'", .typeMismatch, 8), ("boss.entity == boss", .typeMismatch, 13),
    ("entity < entity", .typeMismatch, 8), ("entity.name == 5", .typeMismatch, 13),
    ("name < 5", .typeMismatch, 6), ("age > 'x'", .typeMismatch, 5), ("age == 'x'", .typeMismatch, 5),
    ("5 != name", .typeMismatch, 3), ("born > 5", .typeMismatch, 6), ("born == 'x'", .typeMismatch, 6),
    ("token == 'x'", .typeMismatch, 7), ("site == 'http://x'", .typeMismatch, 6), ("photo == 'x'", .typeMismatch, 7),
    ("member == 'yes'", .typeMismatch, 8), ("age LIKE '*'", .typeMismatch, 5), ("name BEGINSWITH 5", .typeMismatch, 6),
    ("born MATCHES '.*'", .typeMismatch, 6), ("age UTI-EQUALS 'x'", .typeMismatch, 5),
    ("boss == 'x'", .typeMismatch, 6), ("boss == 5", .typeMismatch, 6), ("boss < boss", .typeMismatch, 6),
    ("boss == notes", .typeMismatch, 6), ("ANY groups == boss", .typeMismatch, 12), ("SELF == 5", .typeMismatch, 6),
    ("NOT (age == 1 OR NOT name > 1)", .typeMismatch, 27), ("age == 1 AND (name ==[c] 5)", .typeMismatch, 20),
    ("TERNARY(age > 'x', 1, 2) == 1", .typeMismatch, 13), ("TERNARY(age > 1, 1, 'x') > 1", .typeMismatch, 26),
    ("age BETWEEN {1, 'b'}", .typeMismatch, 17), ("age BETWEEN {1}", .typeMismatch, 13),
    ("age BETWEEN 5", .typeMismatch, 13), ("age BETWEEN notes.pages", .typeMismatch, 13),
    ("age IN {1, 'x', 2}", .typeMismatch, 12), ("age IN 5", .typeMismatch, 5), ("5 IN name", .typeMismatch, 3),
    ("boss IN {1}", .typeMismatch, 10), ("boss IN groups", .typeMismatch, 6), ("name CONTAINS 5", .typeMismatch, 6),
    ("notes CONTAINS 'x'", .typeMismatch, 7), ("born CONTAINS 'x'", .typeMismatch, 6),
    // To-many relationships.
    ("notes.pages > 1", .typeMismatch, 13), ("notes.title == 'x'", .typeMismatch, 13), ("notes == 5", .typeMismatch, 7),
    ("notes.title LIKE 'x'", .typeMismatch, 13), ("5 < notes.pages", .typeMismatch, 3),
    ("notes.tags.name CONTAINS 'x'", .typeMismatch, 17), ("ANY age > 1", .typeMismatch, 5),
    ("ALL name == 'x'", .typeMismatch, 5), ("NONE boss.name == 'x'", .typeMismatch, 6),
    ("ANY notes.tags.name < 1", .typeMismatch, 21), ("ANY notes.done LIKE 'x'", .typeMismatch, 16),
    ("SUBQUERY(age, $n, $n == 1).@count == 1", .typeMismatch, 10),
    ("SUBQUERY(notes, $n, $n.pages == 1) == 1", .typeMismatch, 36), ("name[0] == 'A'", .typeMismatch, 1),
    ("notes[FIRST] == nil", .typeMismatch, 1), ("notes.title['x'] == 'y'", .typeMismatch, 13),
    ("name UNION notes == nil", .typeMismatch, 6), ("name[SIZE] == 1", .typeMismatch, 1),
    // Aggregates and functions.
    ("notes.@sum.title == 5", .typeMismatch, 7), ("notes.@sum == 5", .typeMismatch, 7),
    ("notes.@avg.date == 5", .typeMismatch, 7), ("notes.@max.author == nil", .typeMismatch, 7),
    ("notes.@count.x == 5", .unsupported, 7), ("age.@count == 1", .typeMismatch, 5),
    ("notes.@median.pages == 1", .unsupported, 7), ("notes.@unionOfArrays.title == {}", .typeMismatch, 7),
    ("sum(notes.title) == 1", .typeMismatch, 5), ("average(name) == 1", .typeMismatch, 9),
    ("max(boss) == nil", .typeMismatch, 5), ("max(1, 'x') == 1", .typeMismatch, 1),
    ("uppercase(age) == 'A'", .typeMismatch, 11), ("length(age) == 1", .typeMismatch, 8),
    ("age + name == 1", .typeMismatch, 7), ("-name == nil", .typeMismatch, 2), ("abs(born) == 1", .typeMismatch, 5),
    ("sqrt(boss) == 1", .typeMismatch, 6), ("bitwiseAnd:with:(height, 1) == 1", .typeMismatch, 18),
    ("onesComplement(name) == 1", .typeMismatch, 16), ("CAST(born, 'NSData') == nil", .typeMismatch, 6),
    ("born > CAST('tomorrow', 'NSDate')", .typeMismatch, 13),
    ("born > CAST('2026-01-31T12:00:00', 'NSDate')", .typeMismatch, 13),
    ("age > CAST('many', 'NSNumber')", .typeMismatch, 12), ("CAST(boss, 'NSDate') == nil", .typeMismatch, 6),
    ("CAST(age, 'NSSet') == nil", .typeMismatch, 6), ("CAST(age, 'Nothing') == nil", .unsupported, 11),
    ("FUNCTION(SELF, 'delete') == 1", .unsupported, 1), ("FETCH(1, 2, YES) == 1", .unsupported, 1),
    ("distanceToLocation:fromLocation:({1}, {1, 2}) < 5", .typeMismatch, 34), ("abs(1, 2) == 1", .argument, 1),
    // Variables and patterns.
    ("age == $LOW", .unboundVariable, 8), ("SUBQUERY(notes, $n, $m.pages == 1).@count == 1", .unboundVariable, 21),
    ("SUBQUERY(notes, $n, $n.pages == 1).@count == 1 AND $n == 1", .unboundVariable, 52),
    ("($x := age) == 1 AND ($x := name) == 'x'", .typeMismatch, 23), ("name MATCHES '('", .pattern, 14),
    ("age == 1 age", .syntax, 10),
  ]

  @Test(arguments: defects)
  func `errors have a column`(_ defect: (format: String, kind: ManagedPredicateError.Kind, column: Int)) throws {
    let entity = try #require(FetchSamples.shared.model["Person"])
    let error = #expect(throws: ManagedPredicateError.self, "\(defect.format)") {
      try ManagedPredicate(format: defect.format, for: entity)
    }
    #expect(error?.kind == defect.kind && error?.position?.column == defect.column, "\(String(describing: error))")
    // The same predicate without its text, and as part of a request.
    guard let predicate = try? ManagedPredicate(format: defect.format) else { return }
    if defect.kind != .pattern {
      let plain = #expect(throws: ManagedPredicateError.self) { try predicate.check(for: entity) }
      #expect(plain?.kind == defect.kind && plain?.message == error?.message && plain?.position == nil)
    }
    let failed = #expect(throws: ManagedObjectError.self) { try FetchSamples.found("Person", defect.format) }
    #expect(failed?.predicateError?.kind == defect.kind)
    #expect(failed?.code == (defect.kind == .unknownKey ? .undefinedKey : .unsupportedRequest))
  }

  @Test func `an error suggests a name with other capitals`() throws {
    let entity = try #require(FetchSamples.shared.model["Person"])
    for (format, name) in [("NAME == 'x'", "name"), ("ANY notes.PAGES > 1", "pages")] {
      let error = #expect(throws: ManagedPredicateError.self) { try ManagedPredicate(format: format, for: entity) }
      #expect(error?.message.hasSuffix("; did you mean \"\(name)\"?") == true, "\(String(describing: error))")
    }
  }

  @Test(arguments: FetchSearchTables.all)
  func `the check accepts every predicate of the search tables`(_ search: FetchSearchTables.Search) throws {
    let entity = try #require(FetchSamples.shared.model[search.entity])
    #expect(try ManagedPredicate(format: search.format, for: entity) == ManagedPredicate(format: search.format))
  }

  @Test func `errors in arguments have the column of the argument`() throws {
    let entity = try #require(FetchSamples.shared.model["Person"])
    for (format, arguments, column) in [
      ("name == 'é' AND %K == 1", ["boss.nmae"], 17), ("age == 1 AND %K.%K == 1", ["boss", "nmae"], 17),
      ("age IN %@", [["x"]], 8), ("age > %@", ["x"], 5), ("age IN %@", [[PredicateConstant.value(.string("x"))]], 8),
      ("boss == %@", [RowKey(store: .none, entityIndex: 0, number: 1)], 6),
    ] as [(String, [any PredicateArgument], Int)] {
      let error = #expect(throws: ManagedPredicateError.self, "\(format)") {
        try ManagedPredicate(format: format, arguments: arguments, for: entity)
      }
      #expect(error?.position?.column == column, "\(format): \(String(describing: error))")
    }
    #expect(throws: Never.self) {
      try ManagedPredicate(format: "age IN %@ AND %K > %d", [1, 2], "age", 1, for: entity)
    }
  }

  @Test func `a predicate can be checked for a class`() throws {
    let model = try ManagedObjectModel(classes: ClassSamples.classes)
    let predicate = try ManagedPredicate(
      format: "author.name == %@ AND pages > %d", "Ada", 3, for: ClassSamples.Note.self, in: model)
    #expect(predicate == (try ManagedPredicate(format: "author.name == 'Ada' AND pages > 3")))
    let error = #expect(throws: ManagedPredicateError.self) {
      try ManagedPredicate(format: "pages > 3 AND author.nmae == 'x'", for: ClassSamples.Note.self, in: model)
    }
    #expect(error?.kind == .unknownKey && error?.position?.column == 22)
    let unknown = #expect(throws: ManagedPredicateError.self) {
      try ManagedPredicate(format: "pages > 3", for: ClassSamples.Everything.self, in: model)
    }
    #expect(unknown?.kind == .unsupported && unknown?.message == "the model has no entity for the class Everything")
  }

  @Test func `CAST accepts a string attribute if its value is a date`() throws {
    let entity = try #require(FetchSamples.shared.model["Person"])
    let predicate = try ManagedPredicate(format: "CAST(name, 'NSDate') > CAST('2026-01-31', 'NSDate')", for: entity)
    for (text, expected) in [("2026-02-01", true), ("2026-01-31T00:00:00Z", false), ("2026-01-31T00:00:00.5Z", true)] {
      #expect(try predicate.evaluate(with: ["name": AttributeValue.string(text)]) == expected)
    }
    #expect(try !predicate.evaluate(with: ["name": AttributeValue.null]))
    for text in [
      "", "tomorrow", "2026-1-31", "26-01-31", "2026-02-30", "2026-01-31T12:00:00", "2026-01-31T12:00Z", "-026-01-31",
      "2026-01-31 12:00:00 +0000", "2026-01-31T12:00:00+1:00", "2026-01-31T12:00:00+01:60", "2026-01-31t12:00:00z",
      "2026-01-31T12:00:00.Z", "2026-01-31T25:00:00Z", "2026-01-31Z", "2026-01-31T12:00:00Zulu", "２０２６-01-31",
    ] {
      let error = #expect(throws: ManagedPredicateError.self, "\(text)") {
        try predicate.evaluate(with: ["name": AttributeValue.string(text)])
      }
      #expect(error?.kind == .typeMismatch && error?.message.contains("2027-01-31T12:00:00Z") == true)
    }
  }

  @Test func `predicates built without text are checked`() throws {
    let entity = try #require(FetchSamples.shared.model["Person"])
    var deep = ManagedPredicate.constant(true)
    for _ in 0..<150 { deep = .not(deep) }
    for (predicate, kind) in [
      (.comparing(.function(.absolute, []), .equal, .value(.integer(1))), .argument), (deep, .nestedTooDeeply),
      (.comparing(.function(.add, [.value(.integer(1))]), .equal, .value(.integer(1))), .argument),
    ] as [(ManagedPredicate, ManagedPredicateError.Kind)] {
      let error = #expect(throws: ManagedPredicateError.self) { try predicate.check(for: entity) }
      #expect(error?.kind == kind)
    }
    // Nothing is known about the types of these values.
    for format in [
      "extra > 5", "misc LIKE 'x'", "ANY extra == 1", "extra.deeper < misc", "age > TERNARY(1 == 1, nil, 5)",
    ] {
      #expect(throws: Never.self, "\(format)") { try ManagedPredicate(format: format, for: entity) }
    }
  }

  /// True for errors that depend on values.
  private func isOfValues(_ error: ManagedPredicateError) -> Bool {
    switch error.kind {
    case .arithmetic, .indexOutOfRange, .tooMuchWork, .pattern: true
    // Integers that overflowed to other numbers, and limits of `random` below 1.
    case .typeMismatch: error.message.hasSuffix("needs integers") || error.message.hasPrefix("random needs")
    default: false
    }
  }

  @Test func `random predicates that pass the check have no type mismatch`() throws {
    let entity = try #require(FetchSamples.shared.model["Person"])
    var maker = RandomPredicates(numbers: RandomNumbers(state: 5))
    maker.paths = [
      ["name"], ["age"], ["born"], ["height"], ["balance"], ["boss"], ["boss", "age"], ["notes"], ["notes", "pages"],
      ["notes", "tags"], ["notes", "tags", "name"], ["reports", "@count"], ["notes", "@sum", "pages"], ["salary"],
      ["notes", "links"], ["notes", "done"], ["boss", "boss", "name"], ["member"], ["photo"],
      ["groups", "@max", "name"],
    ]
    var passed = 0
    for _ in 0..<LongForm.size(all: 1_000_000, 100_000, or: 2_000) {
      let predicate = maker.predicate(3)
      guard (try? predicate.check(for: entity)) != nil else { continue }
      passed += 1
      do {
        _ = try FetchRequest("Person", where: predicate).execute(on: FetchSamples.shared, of: entity)
      } catch let error {
        let cause = try #require(error.predicateError)
        #expect(isOfValues(cause), "\(predicate): \(cause)")
      }
    }
    #expect(passed > LongForm.size(1000, or: 30))
  }
}
