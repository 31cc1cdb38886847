internal import FoundationEssentials
internal import PropertyLists

/// What the typed accessors make of a stored value: what macOS and Foundation on Linux make of it, and nothing where they give
/// garbage.
extension PropertyList {
  /// True for true, for numbers but zero, and for text that `NSString.boolValue` calls true: after white space, a sign and zeros
  /// comes one of `Y`, `y`, `T`, `t`, `1` to `9`.
  var asBool: Bool {
    switch self {
    case .boolean(let value): value
    case .integer(let value): value != 0
    case .real(let value): value != 0
    case .float(let value): value != 0
    case .string(let text): NumberText.isTrue(text.utf8)
    default: false
    }
  }

  /// The number without its fraction; the nearest `Int` if it is beyond, and 0 for what is no number. Text counts as far as it is
  /// a decimal integer.
  var asInt: Int {
    switch self {
    case .boolean(let value): value ? 1 : 0
    case .integer(let value): Int(clamping: value.int128)
    case .real(let value): Int(nearest: value)
    case .float(let value): Int(nearest: Double(value))
    case .string(let text): NumberText.integer(text.utf8)
    default: 0
    }
  }

  /// The number; 0 for what is none. Text counts as far as it is a decimal number.
  var asDouble: Double {
    switch self {
    case .boolean(let value): value ? 1 : 0
    case .integer(let value): Double(value.int128)
    case .real(let value): value
    case .float(let value): Double(value)
    case .string(let text): NumberText.real(text.utf8)
    default: 0
    }
  }

  /// The text, or the digits of a number: `1` and `0` for a boolean, the shortest that read back the same for a real.
  var asString: String? {
    switch self {
    case .boolean(let value): value ? "1" : "0"
    case .integer(let value): value.description
    case .real(let value): value.description
    case .float(let value): value.description
    case .string(let text): text
    default: nil
    }
  }
}

extension Int {
  /// The value towards zero; the nearest `Int` if it is beyond, and 0 for not-a-number.
  init(nearest value: Double) {
    if let exact = Int(exactly: value.rounded(.towardZero)) {
      self = exact
    } else if value.isNaN {
      self = 0
    } else {
      self = value < 0 ? .min : .max
    }
  }
}

/// Numbers at the beginning of text, as `NSString` finds them.
enum NumberText {
  typealias Text = String.UTF8View

  static func isTrue(_ text: Text) -> Bool {
    var rest = afterSpace(text)
    if let sign = rest.first, isSign(sign) { rest = rest.dropFirst() }
    guard let first = rest.first(where: { $0 != UInt8(ascii: "0") }) else { return false }
    switch first {
    case UInt8(ascii: "1")...UInt8(ascii: "9"), UInt8(ascii: "Y"), UInt8(ascii: "y"), UInt8(ascii: "T"),
      UInt8(ascii: "t"):
      return true
    default: return false
    }
  }

  static func integer(_ text: Text) -> Int {
    var rest = afterSpace(text)
    let isNegative = rest.first == UInt8(ascii: "-")
    if let sign = rest.first, isSign(sign) { rest = rest.dropFirst() }
    var value = 0
    for digit in rest {
      guard isDigit(digit) else { break }
      let amount = Int(digit - UInt8(ascii: "0"))
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) =
        isNegative ? product.subtractingReportingOverflow(amount) : product.addingReportingOverflow(amount)
      if overflow || carry { return isNegative ? .min : .max }
      value = sum
    }
    return value
  }

  static func real(_ text: Text) -> Double {
    let start = afterSpace(text)
    var rest = start
    if let sign = rest.first, isSign(sign) { rest = rest.dropFirst() }
    let whole = rest.prefix(while: isDigit)
    rest = rest.dropFirst(whole.count)
    var digits = whole.count
    if rest.first == UInt8(ascii: ".") {
      let fraction = rest.dropFirst().prefix(while: isDigit)
      digits += fraction.count
      if digits > 0 { rest = rest.dropFirst(1 + fraction.count) }
    }
    guard digits > 0 else { return 0 }
    if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
      var exponent = rest.dropFirst()
      if let sign = exponent.first, isSign(sign) { exponent = exponent.dropFirst() }
      let count = exponent.prefix(while: isDigit).count
      if count > 0 { rest = exponent.dropFirst(count) }
    }
    return Double(Substring(start[..<rest.startIndex])) ?? 0
  }

  private static func afterSpace(_ text: Text) -> Text.SubSequence {
    text.drop { $0 == UInt8(ascii: " ") || (0x09...0x0D).contains($0) }
  }

  private static func isSign(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
