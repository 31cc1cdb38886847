import Foundation
import PropertyListTools
import PropertyLists

/// Differences between the accessors and those of Foundation on Linux (Swift 6.3), with reasons.
struct CoercionDifference: Sendable {
  /// Foundation's result.
  enum Foundation: Sendable {
    case answer(PropertyList?)
    case endsProcess
  }

  let reason: String
  let stored: [PropertyList]
  let answers: [Coercion.Accessor: Foundation]

  init(_ reason: String, _ stored: [PropertyList], _ answers: [Coercion.Accessor: Foundation]) {
    self.reason = reason
    self.stored = stored
    self.answers = answers
  }

  static let list: [CoercionDifference] =
    [
      CoercionDifference(
        "line ends are white space for reals, as for integers and in Core Foundation's scanner",
        ["\n42", "\r42", "\u{B}42", "\u{C}42", "\u{85}42", "\u{2028}42", "\u{2029}42", "\r\n 42", "-\n5"],
        [.double: .answer(0.0), .float: .answer(.float(0))]),
      CoercionDifference(
        "an exponent without digits is not part of the number, as in strtod(3)",
        ["1e", "1e+", "1e-", "1e 3", "12.e", "7ex"], [.double: .answer(0.0), .float: .answer(.float(0))]),
      CoercionDifference(
        "Y and T count after a sign and zeros, by Apple's documentation of NSString.boolValue",
        ["+YES", "-YES", "+ YES", "00YES", "0Y", "0t", "-0T"], [.bool: .answer(false)]),
      CoercionDifference(
        "a combining character is not part of the number, as for the integer in the same text",
        ["5\u{301}", "1\u{301}", "Y\u{301}", "T\u{301}"], [.bool: .answer(false)]),
      CoercionDifference(
        "64-bit integers are integers",
        [.integer(.init(Int.max)), .integer(.init(UInt64(1) << 63)), .integer(.init(UInt64.max))],
        [
          .bool: .answer(false), .integer: .answer(0), .double: .answer(0.0), .float: .answer(.float(0)),
          .string: .answer(nil),
        ]),
      CoercionDifference(
        "a real out of range gives the nearest integer, as in text; NaN gives none",
        [
          .real(.nan), .real(.infinity), 1e20, 1e300, .real(0x1p63), .float(.nan), .float(.infinity), .float(1e20),
        ], [.integer: .answer(.integer(.init(Int.min)))]),
      CoercionDifference(
        "text that begins with a character beyond 16 bits is not a number", ["🙂", "𝟙"],
        [.integer: .endsProcess, .double: .endsProcess, .float: .endsProcess]),
    ] + urls

  private static let urls: [CoercionDifference] =
    ["file:///x", "file:///a%20b/", "file:/x", "https://a.b/c?d=e#f", "HTTP://X/y", "x-a.b+c://y"].map {
      CoercionDifference(
        "the text of a URL is a URL", [.string($0)], [.url: .answer(.string(Coercion.inWorkingFolder($0)))])
    } + [
      CoercionDifference("an empty string is not a path", [""], [.url: .answer(.string(Coercion.inWorkingFolder("")))]),
      CoercionDifference("reading does not check for a folder", ["/usr"], [.url: .answer("file /usr/")]),
      CoercionDifference(
        "reading does not check for a folder", ["~"], [.url: .answer(.string(Coercion.inHome() + "/"))]),
    ]

  /// The differences, by stored value and accessor.
  static let all: [PropertyList: [Coercion.Accessor: Foundation]] = list.reduce(into: [:]) { all, difference in
    for stored in difference.stored { all[stored, default: [:]].merge(difference.answers) { $1 } }
  }
}
