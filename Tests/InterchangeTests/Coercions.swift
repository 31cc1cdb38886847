import Foundation
import PropertyLists
import Testing

/// A stored value, and the expected result of each accessor.
struct Coercion: CustomTestStringConvertible, Sendable {
  enum Accessor: String, CaseIterable, Sendable {
    case bool, integer, double, float, string, data, date, array, stringArray, dictionary, url
  }

  let stored: PropertyList
  /// Results in the form in which they are stored. A URL is its path after `file`, or its text.
  var expected: [Accessor: PropertyList]

  var testDescription: String {
    let text = "\(stored)"
    return text.count > 60 ? "\(text.prefix(60))… (\(text.count))" : text
  }

  /// A string, which is by default a path in the working directory.
  static func text(
    _ text: String, _ bool: Bool, _ integer: Int, _ double: Double, float: Float? = nil, url: String? = nil
  ) -> Coercion {
    Coercion(
      stored: .string(text),
      expected: [
        .bool: .boolean(bool), .integer: .integer(.init(integer)), .double: .real(double),
        .float: .float(float ?? Float(double)), .string: .string(text), .url: .string(url ?? inWorkingFolder(text)),
      ])
  }

  static func number(
    _ stored: PropertyList, _ bool: Bool, _ integer: Int, _ double: Double, float: Float? = nil, string: String
  ) -> Coercion {
    Coercion(
      stored: stored,
      expected: [
        .bool: .boolean(bool), .integer: .integer(.init(integer)), .double: .real(double),
        .float: .float(float ?? Float(double)), .string: .string(string),
      ])
  }

  /// A value that only these accessors can convert.
  static func only(_ stored: PropertyList, _ accessors: Accessor...) -> Coercion {
    var expected: [Accessor: PropertyList] = [.bool: false, .integer: 0, .double: 0.0, .float: .float(0)]
    for accessor in accessors { expected[accessor] = stored }
    return Coercion(stored: stored, expected: expected)
  }

  static func inWorkingFolder(_ path: String) -> String { "file \(FileManager.default.currentDirectoryPath)/\(path)" }

  static func inHome(of user: String? = nil, _ path: String = "") -> String {
    let home = user.flatMap { FileManager.default.homeDirectory(forUser: $0) }
    return "file \((home ?? FileManager.default.homeDirectoryForCurrentUser).path)\(path)"
  }
}

extension Coercion {
  static let words: [Coercion] = [
    .text("YES", true, 0, 0), .text("yes", true, 0, 0), .text("Yes", true, 0, 0), .text("Y", true, 0, 0),
    .text("y", true, 0, 0), .text("true", true, 0, 0), .text("TRUE", true, 0, 0), .text("True story", true, 0, 0),
    .text("T", true, 0, 0), .text("t", true, 0, 0), .text("tomato", true, 0, 0), .text("yo", true, 0, 0),
    .text("NO", false, 0, 0), .text("no", false, 0, 0), .text("n", false, 0, 0), .text("false", false, 0, 0),
    .text("FALSE", false, 0, 0), .text("f", false, 0, 0), .text("on", false, 0, 0), .text("ON", false, 0, 0),
    .text("off", false, 0, 0), .text("hello", false, 0, 0), .text("\tYES", true, 0, 0), .text("\nYES", true, 0, 0),
    .text("\u{A0}YES", true, 0, 0), .text("\u{3000}YES", true, 0, 0), .text(" NO", false, 0, 0),
    // Also after a sign and zeros.
    .text("+YES", true, 0, 0), .text("-YES", true, 0, 0), .text("+ YES", true, 0, 0), .text("00YES", true, 0, 0),
    .text("0Y", true, 0, 0), .text("0t", true, 0, 0), .text("-0T", true, 0, -0.0), .text("0N", false, 0, 0),
    .text("--YES", false, 0, 0), .text("-0 YES", false, 0, -0.0),
    .text("é", false, 0, 0), .text("ü5", false, 0, 0), .text("日本", false, 0, 0), .text("Ｙ", false, 0, 0),
    .text("Y\u{301}", true, 0, 0), .text("T\u{301}", true, 0, 0), .text("🙂", false, 0, 0),
  ]

  static let integers: [Coercion] = [
    .text("0", false, 0, 0), .text("1", true, 1, 1), .text("2", true, 2, 2), .text("12abc", true, 12, 12),
    .text("  42 ", true, 42, 42), .text("-7", true, -7, -7), .text("+5", true, 5, 5), .text("-1", true, -1, -1),
    .text("-0", false, 0, -0.0), .text("+0", false, 0, 0), .text("00", false, 0, 0), .text("0001", true, 1, 1),
    .text("+00001", true, 1, 1), .text("-00001", true, -1, -1), .text("++5", false, 0, 0), .text("--5", false, 0, 0),
    .text("+-5", false, 0, 0), .text("-+5", false, 0, 0), .text("- 5", true, -5, -5), .text("+ 5", true, 5, 5),
    .text("-\n5", true, -5, -5), .text("+", false, 0, 0), .text("-", false, 0, 0), .text("4 2", true, 4, 4),
    .text("1,5", true, 1, 1), .text("1_000", true, 1, 1), .text("1'000", true, 1, 1), .text("1🙂", true, 1, 1),
    .text("0x10", false, 0, 0), .text("0X1F", false, 0, 0), .text("-0x10", false, 0, -0.0), .text("0b1", false, 0, 0),
    .text("0o7", false, 0, 0), .text("0x", false, 0, 0),
    // Numbers beyond `Int` are clamped.
    .text("9223372036854775806", true, .max - 1, 0x1p63), .text("9223372036854775807", true, .max, 0x1p63),
    .text("9223372036854775808", true, .max, 0x1p63), .text("-9223372036854775807", true, .min + 1, -0x1p63),
    .text("-9223372036854775808", true, .min, -0x1p63), .text("-9223372036854775809", true, .min, -0x1p63),
    .text("18446744073709551615", true, .max, 0x1p64), .text("99999999999999999999", true, .max, 1e20),
    .text("-99999999999999999999", true, .min, -1e20), .text("2147483648", true, 2_147_483_648, 0x1p31),
    .text("4294967296", true, 4_294_967_296, 0x1p32),
    .text(String(repeating: "1", count: 400), true, .max, .infinity),
    .text("-" + String(repeating: "9", count: 5000), true, .min, -.infinity),
    .text(String(repeating: "0", count: 400) + "7", true, 7, 7),
    // Digits are ASCII digits.
    .text("１２", false, 0, 0), .text("١٢", false, 0, 0), .text("1２", true, 1, 1), .text("−5", false, 0, 0),
    .text("²", false, 0, 0), .text("½", false, 0, 0), .text("①", false, 0, 0), .text("𝟙", false, 0, 0),
    .text("5\u{301}", true, 5, 5), .text("1\u{301}", true, 1, 1), .text("0\u{301}", false, 0, 0),
  ]

  /// The characters that Core Foundation considers white space or line ends, and some others. Swift considers U+2000
  /// and U+2001 equal to U+2002 and U+2003.
  static let whiteSpace: [Coercion] =
    "\t\u{B}\u{C}\n\r \u{85}\u{A0}\u{1680}\u{2002}\u{2003}\u{2004}\u{2005}\u{2006}\u{2007}\u{2008}"
    .unicodeScalars.map { .text("\($0)42", true, 42, 42) }
    + "\u{2009}\u{200A}\u{200B}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}"
    .unicodeScalars.map { .text("\($0)42", true, 42, 42) }
    + "\u{1}\u{8}\u{E}\u{1C}\u{1F}\u{7F}\u{84}\u{180E}\u{200C}\u{2060}\u{FEFF}\u{FFFD}"
    .unicodeScalars.map { .text("\($0)42", false, 0, 0) }
    + [.text("\r\n 42", true, 42, 42), .text("\t \u{A0}-\u{3000}1.5", true, -1, -1.5), .text("   ", false, 0, 0)]

  static let reals: [Coercion] = [
    .text("1.9", true, 1, 1.9), .text("-1.9", true, -1, -1.9), .text("1e3", true, 1, 1000), .text("1E3", true, 1, 1000),
    .text("1e+3", true, 1, 1000), .text("1e-3", true, 1, 0.001), .text("0.5", false, 0, 0.5),
    .text("00.5", false, 0, 0.5), .text("-0.5", false, 0, -0.5), .text(".5", false, 0, 0.5),
    .text("-.5", false, 0, -0.5), .text("+.5", false, 0, 0.5), .text("5.", true, 5, 5), .text("-.", false, 0, 0),
    .text("..5", false, 0, 0), .text("1..2", true, 1, 1), .text("1.2.3", true, 1, 1.2), .text("12.e5x", true, 12, 12e5),
    .text("1e5x", true, 1, 1e5), .text("1 e5", true, 1, 1), .text("1e5 ", true, 1, 1e5), .text("1.5abc", true, 1, 1.5),
    .text("5.e3", true, 5, 5000), .text(".5e3", false, 0, 500), .text("0e5", false, 0, 0), .text("1d3", true, 1, 1),
    .text("e3", false, 0, 0), .text(".e3", false, 0, 0), .text("1e3.5", true, 1, 1000),
    // An exponent without digits is not an exponent.
    .text("1e", true, 1, 1), .text("1e+", true, 1, 1), .text("1e-", true, 1, 1), .text("1e 3", true, 1, 1),
    .text("12.e", true, 12, 12), .text("7ex", true, 7, 7),
    .text("1e400", true, 1, .infinity), .text("-1e400", true, -1, -.infinity), .text("1e-400", true, 1, 0),
    .text("1e99999999999999999999", true, 1, .infinity), .text("1e-99999999999999999999", true, 1, 0),
    .text("nan", false, 0, 0), .text("NaN", false, 0, 0), .text("inf", false, 0, 0), .text("-inf", false, 0, 0),
    .text("Infinity", false, 0, 0), .text("nan(1)", false, 0, 0), .text("0x1p3", false, 0, 0),
    .text("0." + String(repeating: "3", count: 400), false, 0, 1.0 / 3),
    .text("0.1", false, 0, 0.1), .text("0.30000000000000004", false, 0, 0.1 + 0.2),
    .text("4.9e-324", true, 4, .leastNonzeroMagnitude), .text("2.4703282292062327e-324", true, 2, 0),
    .text("1.7976931348623157e308", true, 1, .greatestFiniteMagnitude),
    .text("1.7976931348623159e308", true, 1, .infinity),
    .text("3.4028235e38", true, 3, 3.4028235e38), .text("3.5e38", true, 3, 3.5e38, float: .infinity),
    .text("1e-46", true, 1, 1e-46, float: 0),
    // Rounding through the nearest double would give the other float.
    .text("7.038531e-26", true, 7, 7.038531e-26, float: 7.038531e-26),
    .text("1.00000017881393432617187499", true, 1, 1.0000001788139343, float: 1.0000001),
    .text("1.00000017881393432617187501", true, 1, 1.0000001788139343, float: 1.0000002),
  ]

  static let paths: [Coercion] = [
    .text("/usr/a b", false, 0, 0, url: "file /usr/a b"), .text("/usr/a/../b", false, 0, 0, url: "file /usr/a/../b"),
    .text("rel/path", false, 0, 0), .text("%41", false, 0, 0), .text("a:b", false, 0, 0),
    .text("mailto:a@b", false, 0, 0), .text("C:\\x", false, 0, 0), .text("http:/x", false, 0, 0),
    .text("://x", false, 0, 0), .text("1x://y", true, 1, 1), .text("a b://y", false, 0, 0),
    .text("./x", false, 0, 0, url: inWorkingFolder("x")), .text("x/", false, 0, 0, url: inWorkingFolder("x/")),
    .text("/usr", false, 0, 0, url: "file /usr"), .text("/usr/", false, 0, 0, url: "file /usr/"),
    .text("~", false, 0, 0, url: inHome()), .text("~/x", false, 0, 0, url: inHome("/x")),
    .text("~/a b/~", false, 0, 0, url: inHome("/a b/~")), .text("~root/x", false, 0, 0, url: inHome(of: "root", "/x")),
    .text("~nobody-of-this-name/x", false, 0, 0), .text("a~", false, 0, 0),
    .text("file:///x", false, 0, 0, url: "file /x"), .text("file:///a%20b/", false, 0, 0, url: "file /a b/"),
    .text("file:/x", false, 0, 0, url: "file /x"),
    .text("https://a.b/c?d=e#f", false, 0, 0, url: "https://a.b/c?d=e#f"),
    .text("HTTP://X/y", false, 0, 0, url: "HTTP://X/y"), .text("x-a.b+c://y", false, 0, 0, url: "x-a.b+c://y"),
  ]

  static let numbers: [Coercion] = [
    .number(true, true, 1, 1, string: "1"), .number(false, false, 0, 0, string: "0"),
    .number(0, false, 0, 0, string: "0"), .number(1, true, 1, 1, string: "1"), .number(2, true, 2, 2, string: "2"),
    .number(42, true, 42, 42, string: "42"), .number(-3, true, -3, -3, string: "-3"),
    .number(.integer(.init(Int.max - 1)), true, .max - 1, 0x1p63, string: "9223372036854775806"),
    .number(.integer(.init(Int.max)), true, .max, 0x1p63, string: "9223372036854775807"),
    .number(.integer(.init(Int.min)), true, .min, -0x1p63, string: "-9223372036854775808"),
    .number(.integer(.init(UInt64(1) << 63)), true, .max, 0x1p63, string: "9223372036854775808"),
    .number(.integer(.init(UInt64.max)), true, .max, 0x1p64, string: "18446744073709551615"),
    .number(9_007_199_254_740_993, true, 9_007_199_254_740_993, 0x1p53, string: "9007199254740993"),
    // 2^60 + 2^36 + 1, whose nearest double is halfway between two floats.
    .number(
      1_152_921_573_326_323_713, true, 1_152_921_573_326_323_713, 0x1.000001p60, float: 0x1.000002p60,
      string: "1152921573326323713"),
    .number(1.9, true, 1, 1.9, string: "1.9"), .number(-1.9, true, -1, -1.9, string: "-1.9"),
    .number(1.0, true, 1, 1, string: "1.0"), .number(0.0, false, 0, 0, string: "0.0"),
    .number(-0.0, false, 0, -0.0, string: "-0.0"), .number(0.5, true, 0, 0.5, string: "0.5"),
    .number(-0.5, true, 0, -0.5, string: "-0.5"), .number(0.1, true, 0, 0.1, string: "0.1"),
    .number(.real(0.1 + 0.2), true, 0, 0.1 + 0.2, string: "0.30000000000000004"),
    .number(100000.0, true, 100000, 1e5, string: "100000.0"),
    .number(1e15, true, 1_000_000_000_000_000, 1e15, string: "1000000000000000.0"),
    .number(1e16, true, 10_000_000_000_000_000, 1e16, string: "1e+16"),
    .number(16777217.0, true, 16_777_217, 16_777_217, float: 16_777_216, string: "16777217.0"),
    .number(.real(.nan), true, 0, .nan, string: "nan"), .number(.real(.infinity), true, .max, .infinity, string: "inf"),
    .number(.real(-.infinity), true, .min, -.infinity, string: "-inf"),
    .number(1e20, true, .max, 1e20, string: "1e+20"), .number(-1e20, true, .min, -1e20, string: "-1e+20"),
    .number(1e300, true, .max, 1e300, float: .infinity, string: "1e+300"),
    .number(.real(0x1p63), true, .max, 0x1p63, string: "9.223372036854776e+18"),
    .number(.real(-0x1p63), true, .min, -0x1p63, string: "-9.223372036854776e+18"),
    .number(.real((0x1p63).nextDown), true, .max - 1023, (0x1p63).nextDown, string: "9.223372036854775e+18"),
    .number(.real(.leastNonzeroMagnitude), true, 0, .leastNonzeroMagnitude, float: 0, string: "5e-324"),
    .number(.float(12.34), true, 12, 12.34000015258789, float: 12.34, string: "12.34"),
    .number(.float(1.5), true, 1, 1.5, string: "1.5"), .number(.float(0), false, 0, 0, string: "0.0"),
    .number(.float(-0.0), false, 0, -0.0, string: "-0.0"), .number(.float(.nan), true, 0, .nan, string: "nan"),
    .number(.float(.infinity), true, .max, .infinity, string: "inf"),
    .number(.float(1e20), true, .max, 1.0000000200408773e20, float: 1e20, string: "1e+20"),
    .number(
      .float(.leastNonzeroMagnitude), true, 0, 1.401298464324817e-45, float: .leastNonzeroMagnitude, string: "1e-45"),
  ]

  static let others: [Coercion] = [
    .only(.date(Date(timeIntervalSinceReferenceDate: 0)), .date),
    .only(.date(Date(timeIntervalSinceReferenceDate: -1e9 + 0.125)), .date),
    .only(.data(Data([1, 2])), .data), .only(.data(Data()), .data), .only(.data(Data("1".utf8)), .data),
    .only([], .array, .stringArray), .only(["a", "b"], .array, .stringArray), .only([1, 2], .array),
    .only(["a", 1], .array), .only(["a", ["b"]], .array), .only([["a"]], .array), .only([true], .array),
    .only([:], .dictionary), .only(["a": 1], .dictionary), .only(["a": "b", "c": ["d": [1.5]]], .dictionary),
  ]

  static let table =
    words + integers + whiteSpace + reals + paths + numbers + others + [
      Coercion(stored: "", expected: [.bool: false, .integer: 0, .double: 0.0, .float: .float(0), .string: ""]),
      .text(".", false, 0, 0, url: inWorkingFolder("")),
    ]
}
