/// The display of a character in text for people. All code that prints, quotes or escapes uses this table. Hidden
/// characters are those that control terminals, end a line, change the text direction, or are invisible.
package enum Visibility {
  /// Shown unchanged.
  case shown
  /// Replaced by its code, such as `\u{1b}`.
  case hidden
  /// Joins or separates the adjacent characters (U+200C, U+200D). Some scripts and emoji need it.
  case joiner
  /// Selects another form of the preceding character.
  case selector

  /// Classifies a character, without regard to the characters next to it.
  ///
  /// The hidden characters of Unicode 16 are control characters (Cc), line and paragraph separators (Zl, Zp), the
  /// `Default_Ignorable_Code_Point` characters of `DerivedCoreProperties.txt`, annotation marks and noncharacters.
  @inline(__always)
  init(_ scalar: Unicode.Scalar) {
    self = scalar.value < 0x7F ? (scalar.value < 0x20 ? .hidden : .shown) : Self.beyondASCII(scalar.value)
  }

  private static func beyondASCII(_ value: UInt32) -> Visibility {
    switch value {
    case 0x200C, 0x200D: .joiner
    case 0x180B...0x180D, 0x180F, 0xFE00...0xFE0F, 0xE0100...0xE01EF: .selector
    case 0x7F..<0xA0, 0xAD, 0x34F, 0x61C, 0x115F...0x1160, 0x17B4...0x17B5, 0x180E, 0x200B, 0x200E...0x200F,
      0x2028...0x202E, 0x2060...0x206F, 0x3164, 0xFEFF, 0xFFA0, 0xFFF0...0xFFFB, 0x1BCA0...0x1BCA3,
      0x1D173...0x1D17A, 0xE0000...0xE0FFF, 0xFDD0...0xFDEF:
      .hidden
    default: value & 0xFFFE == 0xFFFE ? .hidden : .shown
    }
  }
}

extension Unicode.Scalar {
  /// Returns true if the character must be replaced by its code. A joiner is not replaced after a non-ASCII character
  /// that it can join. A selector is not replaced after a character that has several forms.
  ///
  /// - Parameter previous: The character before this one; nil for the first character.
  @inline(__always)
  package func isHidden(after previous: @autoclosure () -> Unicode.Scalar?) -> Bool {
    switch Visibility(self) {
    case .shown: return false
    case .hidden: return true
    case .joiner:
      guard let previous = previous(), previous.value > 0x7F else { return true }
      return Visibility(previous) == .joiner || Visibility(previous) == .hidden
    case .selector:
      guard let previous = previous(), Visibility(previous) == .shown else { return true }
      // In ASCII, digits, `#` and `*` have several forms.
      return previous.isASCII && !(previous.properties.numericType == .decimal || previous == "#" || previous == "*")
    }
  }
}

extension StringProtocol {
  /// The text as messages quote it: in quotation marks, on one line, truncated if it is long.
  package var quoted: String { "\"\(printable(limit: 80))\"" }

  /// Returns the text on one line. Characters that ``Visibility`` hides are replaced by their codes.
  package func printable(limit: Int = .max) -> String {
    var text = ""
    var count = 0
    var previous: Unicode.Scalar?
    for scalar in unicodeScalars {
      guard count < limit else { return text + "…" }
      count += 1
      if scalar.isHidden(after: previous) {
        text += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
      previous = scalar
    }
    return text
  }
}

extension Unicode.Scalar {
  /// The code of the character, such as `U+000B`.
  var number: String {
    let digits = String(value, radix: 16, uppercase: true)
    return "U+\(String(repeating: "0", count: max(0, 4 - digits.utf8.count)))\(digits)"
  }
}
