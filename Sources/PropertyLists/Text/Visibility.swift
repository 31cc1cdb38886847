/// How a character is shown in text for people: the one table for all that prints, quotes or escapes.
/// Hidden is what gives a terminal commands, ends a line, turns the direction of the text, or is seen by nobody.
package enum Visibility {
  /// Is shown as it is.
  case shown
  /// Is shown by its number.
  case hidden
  /// Joins or parts the characters beside it (U+200C, U+200D), as some scripts and pictures need it.
  case joiner
  /// Chooses another form of the character before it.
  case selector

  /// The class of a character by itself.
  ///
  /// Hidden are, of Unicode 16, the control characters (Cc), separators of lines and paragraphs (Zl, Zp), all that
  /// `DerivedCoreProperties.txt` lists as `Default_Ignorable_Code_Point`, the marks of annotations, and noncharacters.
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
  /// True if the character is shown by its number. A joiner is shown after a character beyond ASCII that it can join,
  /// and a selector after one that has forms; nil stands before the first.
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
      // Of ASCII, the keys of a telephone have forms.
      return previous.isASCII && !(previous.properties.numericType == .decimal || previous == "#" || previous == "*")
    }
  }
}

extension StringProtocol {
  /// The text as a message shows it: between quotation marks, on one line, shortened if it is long.
  package var quoted: String { "\"\(printable(limit: 80))\"" }

  /// The text on one line, with the numbers of characters that ``Visibility`` hides.
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
  /// The number of the character, as in `U+000B`.
  var number: String {
    let digits = String(value, radix: 16, uppercase: true)
    return "U+\(String(repeating: "0", count: max(0, 4 - digits.utf8.count)))\(digits)"
  }
}
