import Foundation
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

@Suite("plistutil defaults write") struct DefaultsWriteTests {
  private static let date = PropertyList.date(Date(timeIntervalSinceReferenceDate: 86401))

  static let typed = [
    DefaultsSample("-string", "", value: ""), DefaultsSample("-string", "-int", value: "-int"),
    DefaultsSample("-string", "{", value: "{"), DefaultsSample("-string", "größe 😀\n", value: "größe 😀\n"),
    DefaultsSample("-int", "5", value: 5), DefaultsSample("-integer", "-5", value: -5),
    DefaultsSample("-int", "0x10", value: 16), DefaultsSample("-int", "+7", value: 7),
    DefaultsSample("-int", "18446744073709551615", value: .integer(.init(UInt64.max))),
    DefaultsSample("-int", "-9223372036854775808", value: .integer(.init(Int64.min))),
    DefaultsSample("-float", "0.1", value: 0.1), DefaultsSample("-float", "-1e300", value: -1e300),
    DefaultsSample("-float", "2", value: .real(2)), DefaultsSample("-float", "nan", value: .real(.nan)),
    DefaultsSample("-float", "-inf", value: .real(-.infinity)), DefaultsSample("-bool", "TRUE", value: true),
    DefaultsSample("-boolean", "yes", value: true), DefaultsSample("-bool", "False", value: false),
    DefaultsSample("-bool", "NO", value: false),
    DefaultsSample("-data", "0fBD 77", value: .data(Data([15, 189, 119]))),
    DefaultsSample("-data", "", value: .data(Data())),
    DefaultsSample("-date", "2001-01-02 00:00:01 +0000", value: date),
    DefaultsSample("-date", "2001-01-02T00:00:01Z", value: date),
    DefaultsSample("-date", "2001-01-02 01:00:01 +0100", value: date),
    DefaultsSample("-date", "2001-01-02T00:00:01.5Z", value: .date(Date(timeIntervalSinceReferenceDate: 86401.5))),
    DefaultsSample("-date", "2000-12-31 23:59:59.25 +0000", value: .date(Date(timeIntervalSinceReferenceDate: -0.75))),
    DefaultsSample("-array", value: []), DefaultsSample("-array", "1", "two", value: ["1", "two"]),
    DefaultsSample("-array", "-int", "1", "-bool", "no", "-5", value: [1, false, "-5"]),
    DefaultsSample(
      "-array", "{ a = b; }", "(c)", "<01>", "\"d\"", value: [["a": "b"], ["c"], .data(Data([1])), "\"d\""]),
    DefaultsSample("-dict", value: [:]),
    DefaultsSample("-dict", "a", "1", "b", "-int", "2", value: ["a": "1", "b": 2]),
    DefaultsSample("-dict", "-string", "-a", "1", value: ["-a": "1"]),
    DefaultsSample("-dict", "path", "<string>/a b</string>", value: ["path": "/a b"]),
    DefaultsSample(
      "-json", #"{"a": [1, 2.5, true, null]}"#.replacingOccurrences(of: ", null", with: ""),
      value: ["a": [1, 2.5, true]]),
    DefaultsSample("-xml", "<array><integer>5</integer></array>", value: [5]),
  ]

  static let nested = [
    DefaultsSample("-array", "-array", "a", "-end", "b", value: [["a"], "b"]),
    DefaultsSample("-array", "-array", "-array", "a", value: [[["a"]]]),
    DefaultsSample("-array", "-array", "-array", "a", "-end", "-end", "-array", "-end", value: [[["a"]], []]),
    DefaultsSample(
      "-dict", "size", "-array", "-int", "640", "-int", "480", "-end", "open", "-bool", "yes",
      value: ["size": [640, 480], "open": true]),
    DefaultsSample(
      "-dict", "a", "-dict", "b", "-dict", "c", "-float", "1.5", "-end", "-end", "d", "-data", "ff",
      value: ["a": ["b": ["c": 1.5]], "d": .data(Data([255]))]),
    DefaultsSample("-array", "-string", "-end", "b", value: ["-end", "b"]),
  ]

  static let untyped = [
    DefaultsSample("5", value: "5"), DefaultsSample("hello world", value: "hello world"), DefaultsSample("", value: ""),
    DefaultsSample("-5", value: "-5"), DefaultsSample("-", value: "-"), DefaultsSample("a = b;", value: "a = b;"),
    DefaultsSample("{ a = 1; b = (x, \"y z\"); }", value: ["a": "1", "b": ["x", "y z"]]),
    DefaultsSample("(1, <*I2>, <*BY>)", value: ["1", 2, true]),
    DefaultsSample("<0fbd>", value: .data(Data([15, 189]))),
    DefaultsSample("<*R1.5>", value: 1.5), DefaultsSample(#""a\nb""#, value: "a\nb"),
    DefaultsSample("'tis", value: "'tis"),
    DefaultsSample("<dict><key>a</key><true/></dict>", value: ["a": true]),
    DefaultsSample(#"{"a": [1, "b"]}"#, value: ["a": [1, "b"]]), DefaultsSample("[a]", value: "[a]"),
    DefaultsSample("{ CF$UID = <*I3>; }", value: ["CF$UID": 3]),
  ]

  @Test(arguments: LongForm.cases(typed, covering: { Array($0.arguments.prefix(1)) }))
  func `values are stored with Apple's types`(_ sample: DefaultsSample) throws { try check(sample) }

  @Test func `the elements of an array are stored with Apple's types`() throws {
    let samples = Self.typed.filter { $0.arguments.count == 2 && $0.arguments[0] != "-array" }
    #expect(samples.count > 20)
    let tool = DefaultsTool()
    let result = try tool(["write", DefaultsTool.domain, "key", "-array"] + samples.flatMap(\.arguments))
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    #expect(try tool.values() == ["key": .array(samples.map(\.value))])
  }

  @Test(arguments: nested)
  func `nested arrays and dictionaries with types are stored`(_ sample: DefaultsSample) throws { try check(sample) }

  @Test("a value without a type is a property list if it looks like one, else text", arguments: untyped)
  func storesUntyped(_ sample: DefaultsSample) throws { try check(sample) }

  private func check(_ sample: DefaultsSample) throws {
    let tool = DefaultsTool()
    let result = try tool(["write", DefaultsTool.domain, "key"] + sample.arguments)
    #expect(result.status == 0 && result.output.isEmpty && result.errors.isEmpty, "\(result.errors)")
    let data = try #require(tool.bytes())
    let options = PropertyListReadingOptions(recognizesUIDDictionaries: false)
    #expect(try PropertyList(data, options: options) == ["key": sample.value])
  }

  static let refused = [
    DefaultsFailure("-int", "12abc", message: "\"12abc\" is not a 64-bit integer", kind: "not-parsable"),
    DefaultsFailure("-int", "18446744073709551616", message: "is not a 64-bit integer", kind: "not-parsable"),
    DefaultsFailure("-int", "1.5", message: "is not a 64-bit integer", kind: "not-parsable"),
    DefaultsFailure("-int", "--5", message: "is not a 64-bit integer", kind: "not-parsable"),
    DefaultsFailure("-float", "abc", message: "\"abc\" is not a number", kind: "not-parsable"),
    DefaultsFailure("-float", "1e999", message: "is not a number", kind: "not-parsable"),
    DefaultsFailure("-bool", "on", message: "\"on\" is not a boolean", kind: "not-parsable"),
    DefaultsFailure("-data", "123", message: "\"123\" is not data", kind: "not-parsable"),
    DefaultsFailure("-data", "@@", message: "\"@@\" is not data", kind: "not-parsable"),
    DefaultsFailure("-data", "00> <01", message: "is not data", kind: "not-parsable"),
    DefaultsFailure("-date", "yesterday", message: "\"yesterday\" is not a date", kind: "not-parsable"),
    DefaultsFailure("-date", "2001-02-30 00:00:00 +0000", message: "is not a date", kind: "not-parsable"),
    DefaultsFailure("-date", "2001-01-01 00:00:00 +0000><", message: "is not a date", kind: "not-parsable"),
    DefaultsFailure("-json", "{", message: "-json:1:", kind: "malformed", status: 3),
    DefaultsFailure("-xml", "<a/>", message: "-xml:1:", kind: "malformed", status: 3),
    DefaultsFailure("-json", "null", message: "it is a null", kind: "not-representable", status: 2),
    DefaultsFailure("{ a = 1", message: "Could not parse: { a = 1.  Try single-quoting it.", kind: "not-parsable"),
    DefaultsFailure("<none>", message: "Could not parse: <none>.  Try single-quoting it.", kind: "not-parsable"),
    DefaultsFailure(
      "v", "extra", message: "Unexpected argument extra; leaving defaults unchanged.", kind: "unexpected-argument"),
    DefaultsFailure(
      "-int", "5", "extra", message: "Unexpected argument extra; leaving defaults unchanged.",
      kind: "unexpected-argument"),
    DefaultsFailure(
      "-foo", message: "Unexpected argument -foo; leaving defaults unchanged.", kind: "unexpected-argument"),
    DefaultsFailure("-array", "a", "-end", "b", message: "Unexpected argument b", kind: "unexpected-argument"),
    DefaultsFailure(
      "-array", "-array-add", "b", message: "Unexpected argument -array-add", kind: "unexpected-argument"),
    DefaultsFailure("-dict", "a", message: "Key a lacks a corresponding value", kind: "unexpected-argument"),
    DefaultsFailure("-dict", "a", "-end", "b", message: "Key a lacks a", kind: "unexpected-argument"),
    DefaultsFailure("-dict", "-int", "1", "b", message: "Dictionary keys must be strings", kind: "unexpected-argument"),
    DefaultsFailure("-dict", "a", "1", "a", "2", message: "Key a is given twice", kind: "unexpected-argument"),
    DefaultsFailure("-int", message: "Error: -int needs a value.", kind: "usage", status: 64),
    DefaultsFailure("-array", "-int", message: "Error: -int needs a value.", kind: "usage", status: 64),
  ]

  @Test(arguments: refused)
  func `ambiguous values are refused, and nothing is changed`(_ failure: DefaultsFailure) throws {
    let tool = DefaultsTool()
    try tool.put(["key": "old"], DefaultsTool.domain, .xml)
    let bytes = tool.bytes()
    let result = try tool(["write", DefaultsTool.domain, "key"] + failure.arguments)
    #expect(result.status == failure.status)
    #expect(result.output.isEmpty && result.errors.contains(failure.message), "\(result.errors)")
    #expect(tool.bytes() == bytes)
  }

  @Test(arguments: LongForm.cases(refused, covering: { ["\($0.kind), \($0.status)"] }))
  func `with --json, a refused value has a kind of error`(_ failure: DefaultsFailure) throws {
    let tool = DefaultsTool()
    try tool.put(["key": "old"], DefaultsTool.domain, .xml)
    let bytes = tool.bytes()
    let result = try tool(["write", "--json", DefaultsTool.domain, "key"] + failure.arguments)
    #expect(result.status == failure.status && result.errors.isEmpty)
    #expect(try PropertyList(result.output)["error"]?["kind"]?.string == failure.kind)
    #expect(tool.bytes() == bytes)
  }

  @Test func `an endlessly nested value is refused`() throws {
    let tool = DefaultsTool()
    let array = [String](repeating: "-array", count: 100_000)
    let result = try tool(["write", DefaultsTool.domain, "key"] + array)
    #expect(result.status == 4 && result.errors.contains("nested more than 500 levels deep"))
    #expect(try tool(["write", DefaultsTool.domain, "key"] + array.prefix(500)).status == 0)
    #expect(try tool(["read", DefaultsTool.domain]).status == 0)
  }

  @Test func `arrays and dictionaries are extended, and created if they are missing`() throws {
    let tool = DefaultsTool()
    try tool("write", DefaultsTool.domain, "a", "-array-add", "x")
    try tool("write", DefaultsTool.domain, "a", "-array-add", "-int", "5", "(y)")
    try tool("write", DefaultsTool.domain, "d", "-dict-add", "k", "1", "l", "2")
    try tool("write", DefaultsTool.domain, "d", "-dict-add", "k", "-bool", "yes", "m", "3")
    #expect(try tool.values() == ["a": ["x", 5, ["y"]], "d": ["k": true, "l": "2", "m": "3"]])
  }

  @Test func `nested values are set by path`() throws {
    let tool = DefaultsTool()
    try tool.put(["w": ["size": [640, 480], "a.b": ["c": 1]], "7": "seven"])
    for call in [
      ["-k", "w.size.0", "-int", "800"], ["--key-path", #"w.a\.b.c"#, "two"], ["-k", "/w/new/deep", "-bool", "yes"],
      ["-k", ":w:size:2", "-float", "1.5"], ["-k", "7", "eight"], ["-k", "w.list", "-array-add", "x"],
      ["-k", #"w.a\.b"#, "-dict-add", "d", "4"],
    ] {
      #expect(try tool(["write", DefaultsTool.domain] + call).status == 0)
    }
    #expect(
      try tool.values() == [
        "w": ["size": [800, 480, 1.5], "a.b": ["c": "two", "d": "4"], "new": ["deep": true], "list": ["x"]],
        "7": "eight",
      ])
    let beyond = try tool("write", DefaultsTool.domain, "-k", "w.size.9", "x")
    #expect(beyond.status == 1 && beyond.errors.contains("w.size"))
    let below = try tool("write", DefaultsTool.domain, "-k", "7.x", "y")
    #expect(below.status == 1)
    let notAnArray = try tool("write", DefaultsTool.domain, "-k", "w.new", "-array-add", "y")
    #expect(notAnArray.errors == "Value for key w.new is not an array; cannot append.  Leaving defaults unchanged.\n")
    #expect(try tool("write", DefaultsTool.domain, "-k", "a..b", "x").status == 64)
    #expect(try tool("write", DefaultsTool.domain, "-k", "", "x").status == 64)
    #expect(try tool("write", DefaultsTool.domain, "-k", "a").status == 64)
  }

  @Test(arguments: [
    "{ b = <*I1>; }", "b = <*I1>;", #"{"b": 1}"#, "<dict><key>b</key><integer>1</integer></dict>",
    "<plist version=\"1.0\"><dict><key>b</key><integer>1</integer></dict></plist>",
  ])
  func `a domain is replaced by a dictionary in any format`(_ text: String) throws {
    let tool = DefaultsTool()
    try tool.put(["a": "old"])
    #expect(try tool("write", DefaultsTool.domain, text).status == 0)
    #expect(try tool.values() == ["b": 1])
  }

  @Test func `many processes that write lose nothing`() async throws {
    let tool = DefaultsTool()
    let count = LongForm.size(24, or: 8)
    let calls = (0..<count).map { number in
      number & 1 == 0
        ? ["write", DefaultsTool.domain, "list", "-array-add", "-int", "\(number)"]
        : ["write", DefaultsTool.domain, "entries", "-dict-add", "\(number)", "-bool", "yes"]
    }
    let processes = try calls.map { try ChildProcess("plistutil", ["defaults"] + $0, environment: tool.environment) }
    for process in processes { #expect(process.waitUntilExit() == .exited(0), "\(process.errors)") }
    let values = try #require(try tool.values())
    #expect(Set(values["list"]?.array?.compactMap(\.int) ?? []) == Set((0..<count / 2).map { 2 * $0 }))
    #expect(values["list"]?.array?.count == count / 2 && values["entries"]?.dictionary?.count == count / 2)
  }
}
