internal import PropertyLists

/// The conversions that the typed accessors of ``UserPreferences`` apply to stored values. They return the same results
/// as macOS and Foundation on Linux, except for values for which these return garbage.
extension PropertyList {
  /// True for a true Boolean, for numbers other than zero, and for text for which `NSString.boolValue` is true: after
  /// white space, a sign and zeros, the next character is one of `Y`, `y`, `T`, `t`, `1` to `9`.
  var asBool: Bool {
    switch self {
    case .boolean(let value): value
    case .integer(let value): value != 0
    case .real(let value): value != 0
    case .float(let value): value != 0
    case .string(let text): NumberText.isTrue(text.unicodeScalars[...])
    default: false
    }
  }

  /// The number without its fraction; the nearest `Int` if it is out of range, and 0 for other types. For text, the
  /// result is the decimal integer at its beginning.
  var asInt: Int {
    switch self {
    case .boolean(let value): value ? 1 : 0
    case .integer(let value): Int(clamping: value.int128)
    case .real(let value): Int(nearest: value)
    case .float(let value): Int(nearest: Double(value))
    case .string(let text): NumberText.integer(text.unicodeScalars[...])
    default: 0
    }
  }

  /// Returns the number; 0 for other types. For text, the result is the decimal number at its beginning.
  ///
  /// The number is rounded only once. A conversion to a double and then to a float could give a float that is not the
  /// nearest one.
  func asReal<Real: BinaryFloatingPoint & LosslessStringConvertible>(_ type: Real.Type = Real.self) -> Real {
    switch self {
    case .boolean(let value): value ? 1 : 0
    case .integer(let value): Real(value.int128)
    case .real(let value): Real(value)
    case .float(let value): Real(value)
    case .string(let text): NumberText.real(text.unicodeScalars[...])
    default: 0
    }
  }

  /// The text, or the digits of a number; nil for other types. A Boolean has the digit `1` or `0`, and a real has the
  /// shortest digits that read back the same.
  @inline(__always)
  var asString: String? {
    if case .string(let text) = self { text } else { digits }
  }

  private var digits: String? {
    switch self {
    case .boolean(let value): value ? "1" : "0"
    case .integer(let value): value.description
    case .real(let value): value.description
    case .float(let value): value.description
    default: nil
    }
  }
}

extension Int {
  /// Creates an integer by rounding towards zero: the nearest `Int` if the value is out of range, and 0 for NaN.
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

/// Conversions of the number at the beginning of text. Like `NSString`, they skip white space, a sign, and more white
/// space before the digits.
enum NumberText {
  typealias Text = Substring.UnicodeScalarView

  static func isTrue(_ text: Text) -> Bool {
    guard let first = afterSign(text).rest.first(where: { $0 != "0" }) else { return false }
    switch first {
    case "1"..."9", "Y", "y", "T", "t": return true
    default: return false
    }
  }

  static func integer(_ text: Text) -> Int {
    let (isNegative, rest) = afterSign(text)
    var value = 0
    for digit in rest {
      guard isDigit(digit) else { break }
      let amount = Int(digit.value - 0x30)
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) =
        isNegative ? product.subtractingReportingOverflow(amount) : product.addingReportingOverflow(amount)
      if overflow || carry { return isNegative ? .min : .max }
      value = sum
    }
    return value
  }

  static func real<Real: BinaryFloatingPoint & LosslessStringConvertible>(_ text: Text) -> Real {
    let (isNegative, start) = afterSign(text)
    let whole = start.prefix(while: isDigit)
    var rest = start[whole.endIndex...]
    var hasDigits = !whole.isEmpty
    if rest.first == "." {
      let fraction = rest.dropFirst().prefix(while: isDigit)
      hasDigits = hasDigits || !fraction.isEmpty
      rest = rest[fraction.endIndex...]
    }
    guard hasDigits else { return 0 }
    if rest.first == "e" || rest.first == "E" {
      var exponent = rest.dropFirst()
      if exponent.first == "-" || exponent.first == "+" { exponent = exponent.dropFirst() }
      let digits = exponent.prefix(while: isDigit)
      if !digits.isEmpty { rest = rest[digits.endIndex...] }
    }
    let magnitude = Real(String(start[..<rest.startIndex])) ?? 0
    return isNegative ? -magnitude : magnitude
  }

  private static func afterSign(_ text: Text) -> (isNegative: Bool, rest: Text) {
    let signed = text.drop(while: isSpace)
    guard let sign = signed.first, sign == "-" || sign == "+" else { return (false, signed) }
    return (sign == "-", signed.dropFirst().drop(while: isSpace))
  }

  /// Returns true for white space, line ends, and the zero width space, as in Core Foundation's character sets.
  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar == " " || (0x09...0x0D).contains(scalar.value)
      || (scalar.value > 0x7F && (scalar.properties.isWhitespace || scalar.value == 0x200B))
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
}
