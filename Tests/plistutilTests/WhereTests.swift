import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import plistutil

@Suite("plistutil find --where") struct WhereTests {
  private static let value: PropertyList = [
    "CFBundleVersion": "41",
    "NSAppTransportSecurity": ["NSAllowsArbitraryLoads": true, "NSAllowsLocalNetworking": false],
    "ports": [80, 443, 8080.5, "80"],
    "big": .integer(.init(UInt64.max)), "edge": .integer(.init(Int64(9_007_199_254_740_993))),
    "half": 0.5, "nan": .real(.nan), "none": .null, "id": .uid(.init(7)),
    "built": .date(Date(timeIntervalSinceReferenceDate: 0.5)), "icon": .data(Data([1, 2, 3])), "name": "é",
    "a b": ["c.d": ["x": 1]], "empty": "",
  ]

  private static let comparisons: [(String, [String])] = [
    ("key = NSAllowsArbitraryLoads and value = true", ["NSAppTransportSecurity.NSAllowsArbitraryLoads"]),
    ("value = false", ["NSAppTransportSecurity.NSAllowsLocalNetworking"]),
    // Numbers and strings are different kinds.
    ("value = 80", ["ports.0"]), ("value = '80'", ["ports.3"]), ("value == \"41\"", ["CFBundleVersion"]),
    ("value = 41", []), ("value = 0x50", ["ports.0"]), ("value = 80.0", ["ports.0"]), ("value = 8.0e1", ["ports.0"]),
    ("value > 443 and value < 10000", ["ports.2"]), ("value >= 443 and value <= 8080.5", ["ports.1", "ports.2"]),
    // Exactly, although the nearest double is the same.
    ("value = 9007199254740993", ["edge"]), ("value = 9007199254740992.0", []),
    ("value > 9007199254740992.0 and value < 9007199254740994.0", ["edge"]),
    ("value = 18446744073709551615", ["big"]), ("value < 18446744073709551616.0 and value > 1e19", ["big"]),
    ("value < 1", ["half"]), ("value = -0.5", []), ("value < 0 or value >= 0 and key = nan", []),
    ("value ~ nan", ["nan"]),
    ("value = null", ["none"]), ("value = 7", []), ("kind = uid and value ~ 7", ["id"]),
    ("value = 2001-01-01", []), ("value > 2001-01-01 and value < 2001-01-01T00:00:01Z", ["built"]),
    ("value = 2001-01-01T00:00:00.5Z", ["built"]),
    // Dates in quotation marks, with time zones, and in the form that find prints.
    ("value < 2001-01-01T01:00:01+01:00 and kind = date", ["built"]), ("value < '2001-01-02'", ["built", "empty"]),
    ("value > '2001-01-01 00:00:00 +0000' and kind = date", ["built"]),
    ("value != '2001-01-02' and kind = date", ["built"]),
    // By bytes: é is after every ASCII letter.
    ("value > 'z'", ["name"]), ("value < '5'", ["CFBundleVersion", "empty"]), ("value = ''", ["empty"]),
    ("value ~ AQ*", ["icon"]), ("size = 3", ["icon"]),
    ("size = 2 and kind = string", ["CFBundleVersion", "ports.3", "name"]),
    ("count = 4", ["ports"]), ("count > 4", ["/"]), ("count < 2", ["a b", #"a b.c\.d"#]),
    (
      "kind = bool",
      ["NSAppTransportSecurity.NSAllowsArbitraryLoads", "NSAppTransportSecurity.NSAllowsLocalNetworking"]
    ),
    ("kind ~ d*a*a", ["icon"]), ("kind like dict*", ["/", "NSAppTransportSecurity", "a b", #"a b.c\.d"#]),
    ("key ~ *Local*", ["NSAppTransportSecurity.NSAllowsLocalNetworking"]), ("key > name and key < none", ["nan"]),
    ("key >= name and key < none", ["nan", "name"]), ("path = ports.1", ["ports.1"]),
    ("path = /ports/1", ["ports.1"]),
    ("path ~ ports.[01]", ["ports.0", "ports.1"]), ("path ~ '**.x'", [#"a b.c\.d.x"#]),
    ("value.NSAppTransportSecurity.NSAllowsArbitraryLoads = true", ["/"]),
    ("value.NSAllowsArbitraryLoads = true", ["NSAppTransportSecurity"]), ("value.-1 = '80'", ["ports"]),
    (#"value."a b"."c.d".x = 1"#, ["/"]), (#"value."c.d".x = 1"#, ["a b"]), (#"count."c.d" = 1"#, ["a b"]),
    ("kind.ports = array", ["/"]), ("kind.nothing ~ *", []), ("kind.x ~ *", [#"a b.c\.d"#]), ("size.icon = 3", ["/"]),
  ]

  /// The paths of the values that meet a condition, as `find` prints them.
  private func found(_ expression: String, in value: PropertyList, _ format: PropertyListFormat) throws -> [String] {
    let options = PropertyListWritingOptions(coercion: .reversible)
    let document = try PropertyListDocument(value.data(format: format, options: options))
    let condition = try ConditionTranslator.condition(expression).prepared(for: document)
    var paths: [String] = []
    var walk = NodeWalk(document.root)
    while let node = try walk.next() {
      guard try condition.holds(for: node, at: walk.path) else { continue }
      let path = PropertyListKeyPath(walk.path).text(.dots)
      paths.append(path.isEmpty ? "/" : path)
    }
    return paths
  }

  @Test(arguments: comparisons)
  func `comparisons depend on the types of the values`(_ expression: String, _ expected: [String]) throws {
    #expect(try found(expression, in: Self.value, .binary) == expected)
  }

  @Test(arguments: LongForm.cases(comparisons, every: 6))
  func `find prints the paths, and exits with 1 if there are none`(_ expression: String, _ expected: [String]) throws {
    let file = try SampleFile(Self.value, format: .binary)
    let result = try file.run(["find", "--where", expression, "@"])
    #expect(result.text == expected.map { $0 + "\n" }.joined() && result.errors.isEmpty)
    #expect(result.status == (expected.isEmpty ? 1 : 0))
  }

  @Test(
    "not binds tighter than and, and tighter than or; parentheses come first",
    arguments: [
      ("key = a or key = b and value = 9", ["a"]), ("(key = a or key = b) and value = 2", ["b"]),
      ("not key = a and not key = b and not kind = dictionary", ["c"]),
      ("not (key = a or key = b) and value = 3", ["c"]),
      ("not not key = a", ["a"]), ("NOT key = a AND NOT kind = dictionary", ["b", "c"]),
      ("key=a or(value=3)", ["a", "c"]),
      ("key != a and value != 3 and kind != dictionary", ["b"]), ("key = 'and' or key = \"a\"", ["a"]),
      ("key LIKE [ab] and value > 1", ["b"]), ("((((key = a))))", ["a"]),
    ] as [(String, [String])])
  func precedence(_ expression: String, _ expected: [String]) throws {
    #expect(try found(expression, in: ["a": 1, "b": 2, "c": 3], .xml) == expected)
  }

  private static let errors: [(String, Int, String)] = [
    ("", 1, "expected a field, found the end of the expression"),
    ("key", 4, "expected a comparison operator such as =, found the end"),
    ("key NSAllow", 5, #"expected a comparison operator such as =, found "NSAllow""#),
    ("key =", 6, "expected a literal, found "),
    ("name = x", 1, #""name" is not a field; the fields are kind, key, value, path, count, size"#),
    ("key = a b", 9, #"expected "and", "or" or the end, found "b""#),
    ("(key = a", 9, #"expected ")" for the "(" at column 1, found "#),
    ("key = a)", 8, #"or the end, found ")""#), ("key = 'a", 7, "no closing quotation mark"),
    ("key ! a", 5, #""!" is allowed only in "!=""#),
    ("kind = number", 8, #""number" is not a kind of value; the kinds are string"#),
    ("kind < array", 6, "a kind cannot be less or greater"),
    ("path > a", 6, "a path cannot be less or greater"), ("path = a..b", 8, "is not a key path"),
    ("count = many", 9, #""many" is not an integer; a count is an integer"#),
    ("count ~ 4*", 9, "cannot match a pattern"),
    ("key.a = b", 1, "a path cannot follow key"), ("value. = b", 7, "expected a path after the dot"),
    ("value.a..b = 1", 7, "is not a key path"), ("key = 'a'b", 10, "text directly after a quotation mark"),
    (#"value."a = 1"#, 7, "no closing quotation mark"), ("é = 1", 1, "is not a field"),
    ("key = a and", 12, "expected a field, found "),
    ("key = = a", 7, #"expected a literal, found "=""#), ("3 < counts", 5, #""counts" is not a field"#),
    ("key BEGINSWITH NS", 16, #""NS" is not a field"#),
    ("not key BEGINSWITH", 19, "expected a value or a condition"),
    ("value.items[0 = 1", 15, #"expected "]""#), ("value BETWEEN {1, 2", 20, #"expected "}""#),
    ("ANY value.tags", 1, #"expected a comparison after "ANY""#), ("value = %@ + 1", 9, #""%" has no meaning"#),
    ("key IN {'a', b}", 14, #""b" is not a field"#), ("#name = 1", 1, "is not a field"),
    ("value > 1 and lower(key) = 'a'", 15, "there is no function"),
  ]

  @Test("an error in an expression has its column", arguments: errors)
  func columns(_ expression: String, _ column: Int, _ message: String) throws {
    let error = try #require(throws: ConditionError.self) { _ = try ConditionTranslator.condition(expression) }
    #expect(error.column == column && error.message.contains(message), "\(error)")
  }

  @Test("find reports an error in an expression with its column", arguments: LongForm.cases(errors, every: 6))
  func reportsErrors(_ expression: String, _ column: Int, _ message: String) throws {
    let result = try Tool.run(["find", "--where", expression], input: Data(sampleText.utf8))
    #expect(result.status == 64 && result.text.isEmpty)
    #expect(result.errors.contains("at column \(column): "), "\(result.errors)")
    #expect(result.errors.contains(message), "\(result.errors)")
  }

  private static let orders: PropertyList = [
    "id": "com.example.Orders", "limit": 3, "open": true,
    "items": [["price": 5, "name": "Éclair"], ["price": "free", "name": "Tea"], ["price": 300, "name": "Cake"]],
    "tags": ["v1", 7, "beta", ["v2"]], "a-b": ["c d": ["x", "y"]],
  ]

  private static let predicates: [(String, [String])] = [
    ("key BEGINSWITH[c] 'LIM'", ["limit"]), ("key MATCHES 'i[dt].*' and count > 0", ["items"]),
    ("value ENDSWITH 'Orders' && !(kind = array)", ["id"]), ("value.name ==[cd] 'eclair'", ["items.0"]),
    ("value LIKE[cd] 'e?lair'", ["items.0.name"]), ("kind IN {'bool', 'real'}", ["open"]),
    ("value BETWEEN {3, 5}", ["limit", "items.0.price"]),
    ("path BEGINSWITH 'items.1.'", ["items.1.price", "items.1.name"]),
    ("ANY value.items.price > 100", ["/"]), ("NONE value.items.price > 1000 and count.items = 3", ["/"]),
    ("ALL value.price > 4 and kind.0 = dictionary", []), ("ALL value.tags MATCHES 'x.*' and kind.tags = array", []),
    // Each element is compared separately. One that cannot be compared does not match.
    ("ANY value MATCHES 'b.*'", ["tags"]), ("SUBQUERY(value, $t, $t BEGINSWITH 'v').@count = 1", ["tags", "tags.3"]),
    ("SUBQUERY(value.items, $i, $i.price > 4 AND $i.name CONTAINS 'a').@count == 2", ["/"]),
    ("value.@count = 4", ["tags"]), ("value.tags[1] = 7", ["/"]), ("value[FIRST] = 'x'", [#"a-b.c d"#]),
    ("value.items.@max.price > 1", []), ("value.price * 2 = 10", ["items.0"]), ("value + 1 = 4", ["limit"]),
    ("3 < count and key = tags", ["tags"]), ("key = lowercase('TAGS')", ["tags"]), ("SELF = (3)", ["limit"]),
    ("value.id ENDSWITH (key)", []), (#"value.a-b."c d".0 BEGINSWITH 'x'"#, ["/"]),
    ("TERNARY(kind = 'integer', value, 0) = 3", ["limit"]), ("key <> 'a' and value =< 3", ["limit"]),
    ("not value BEGINSWITH 'v' and kind = integer and value < 6", ["limit", "items.0.price"]),
    // The comparison words of find are strings elsewhere.
    ("value = value.id", []), ("value = nil", []), ("value = {3}", []), ("TRUEPREDICATE and key = open", ["open"]),
  ]

  @Test(arguments: predicates)
  func `predicates can be combined with the fields`(_ expression: String, _ expected: [String]) throws {
    for format in [PropertyListFormat.binary, .xml] {
      #expect(try found(expression, in: Self.orders, format) == expected, "\(format)")
    }
  }

  @Test(arguments: LongForm.cases(predicates, every: 8), [PropertyListFormat.binary, .xml])
  func `find accepts predicates`(_ sample: (String, [String]), _ format: PropertyListFormat) throws {
    let file = try SampleFile(Self.orders, format: format)
    let result = try file.run(["find", "--where", sample.0, "@"])
    #expect(result.text == sample.1.map { $0 + "\n" }.joined() && result.errors.isEmpty, "\(result.text)")
    #expect(result.status == (sample.1.isEmpty ? 1 : 0))
  }

  @Test(arguments: ["key MATCHES '('", "$x = 1"])
  func `a predicate that cannot be applied to any value is an error`(_ expression: String) throws {
    let result = try Tool.run(["find", "--where", expression], input: Data(sampleText.utf8))
    #expect(result.status == 64 && result.text.isEmpty && result.errors.contains("is invalid for"))
  }

  @Test func `a predicate that reads all values for each value ends`() throws {
    let file = try SampleFile(.array((0..<3000).map { .integer(.init($0)) }), format: .binary)
    let result = try file.run(["find", "--where", "SUBQUERY(value, $a, $a IN (value)).@count > 0", "@"])
    #expect(result.status == 3)
    #expect(result.errors.contains("the condition reads too many nested values"), "\(result.errors)")
  }

  @Test func `expressions of any depth and length are evaluated`() throws {
    func run(_ expression: String) throws -> TestSupport.Program {
      try Tool.run(["find", "--where", expression], input: Data(sampleText.utf8))
    }
    let deep = try run(String(repeating: "(", count: 50_000) + "key = a")
    #expect(deep.status == 64 && deep.errors.contains("at column 101: parentheses are nested more than 100 deep"))
    let hundred = String(repeating: "(", count: 100) + "key = name" + String(repeating: ")", count: 100)
    #expect(try run(hundred).text == "name\n")
    #expect(try run(String(repeating: "not ", count: 20_000) + "key = name").text == "name\n")
    let long = Array(repeating: "key = x or ", count: LongForm.size(8000, or: 1000)).joined() + "key = name"
    #expect(try run(long).text == "name\n")
    var random = SeededGenerator(seed: 5)
    let pieces = [
      "key", "value", "kind", "(", ")", "=", "!=", "<", "~", "'", "\"", "and", "or", "not", "a", "1", ".", " ", "\\",
      "ANY", "IN", "{", "}", "[", "]", ",", "SUBQUERY(", "$x", "@count", "%", "#", "+", "&&", "!", "like", "MATCHES",
    ]
    for round in 0..<300 {
      let length = Int.random(in: 0..<12, using: &random)
      let text = (0..<length).map { _ in pieces.randomElement(using: &random)! }.joined()
      // The others are only parsed.
      guard LongForm.isWanted || round < 3 else {
        _ = try? ConditionTranslator.condition(text)
        continue
      }
      let result = try run(text)
      #expect([0, 1, 64].contains(result.status), "\(text)")
    }
  }

  @Test func `--where can be combined with other conditions and several files`() throws {
    let folder = TemporaryFolder()
    for (name, value) in [("A", true), ("B", false)] {
      let app = URL(filePath: folder.path("\(name).app"))
      try FileManager.default.createDirectory(at: app, withIntermediateDirectories: true)
      let info: PropertyList = ["NSAppTransportSecurity": ["NSAllowsArbitraryLoads": .boolean(value)]]
      try info.write(to: app.appending(path: "Info.plist"), format: name == "A" ? .binary : .xml)
    }
    let result = try Tool.run(
      "find", "-r", folder.url.path, "--where", "key = NSAllowsArbitraryLoads and value = true", "--values")
    #expect(result.text == "\(folder.path("A.app/Info.plist")): NSAppTransportSecurity.NSAllowsArbitraryLoads: true\n")
    let both = try Tool.run("find", "-r", folder.url.path, "--where", "value = true", "--kind", "string")
    #expect(both.status == 1 && both.text.isEmpty)
    #expect(
      try Tool.run("find", "-r", folder.url.path, "--where", "count = 1", "--key", "NS*", "--json").text.split(
        separator: "\n"
      ).count == 2)
  }

  @Test(arguments: ["1e400", "-1e400"]) func `a number that property lists cannot hold is an error`(_ word: String)
    throws
  {
    let file = try SampleFile(Self.value, format: .binary)
    let result = try file.run(["find", "--where", "value < \(word)", "@"])
    #expect(result.status == 64 && result.errors.contains("\"\(word)\" is not a number"), "\(result.errors)")
    #expect(try found("value < 1. and value > .25", in: Self.value, .binary) == ["half"])
  }

  @Test(arguments: ["2027-02-30", "2027-1-1", "2021-01", "2027-01-01T00:00", "2027-13-01T00:00:00Z"])
  func `a word that looks like a date but is invalid is an error, and other words are text`(_ word: String) throws {
    let file = try SampleFile(Self.value, format: .binary)
    let result = try file.run(["find", "--where", "value < \(word)", "@"])
    #expect(result.status == 64 && result.output.isEmpty)
    #expect(result.errors.contains("\"\(word)\" is not a date; write dates as 2027-01-31"), "\(result.errors)")
    #expect(try found("value = '\(word)'", in: Self.value, .binary) == [])
  }
}
