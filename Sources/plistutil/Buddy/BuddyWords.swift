import PropertyLists

/// A word of a command, without its quotation marks and with its escapes decoded.
struct BuddyWord {
  /// The text between two colons. Escaped colons do not separate parts.
  struct Part {
    var text = ""
    /// True if the part contains an opening and a closing quotation mark. If its text is empty, it is then an empty
    /// key.
    var isQuoted = false
  }

  fileprivate(set) var parts = [Part()]

  /// The text of the whole word, with its colons.
  var text: String { parts.map(\.text).joined(separator: ":") }
}

/// The words of a command.
///
/// Words are separated by blanks and tabs. Quotation marks of either kind keep words together, and may begin and end
/// inside a word. A backslash escapes the next character: `\n` is a newline, `\t` a tab, and any other character is
/// itself. At the end of the text, a backslash is literal.
struct BuddyWords {
  private let scalars: [Unicode.Scalar]
  private var index = 0

  init(_ text: String) { scalars = Array(text.unicodeScalars) }

  /// Returns the name of the command: the letters at its beginning, or one of the signs `?`, `=`, `+` and `-`. Returns
  /// an empty string if the command begins with anything else.
  mutating func name() -> String {
    guard let first = scalars.first else { return "" }
    if ["?", "=", "+", "-"].contains(first) {
      index = 1
    } else {
      index = scalars.prefix { $0.isASCII && $0.properties.isAlphabetic }.count
    }
    return String(String.UnicodeScalarView(scalars[..<index]))
  }

  /// Returns the next word; nil after the last.
  mutating func word() throws(BuddyError) -> BuddyWord? { try next(isRest: false) }

  /// Returns the rest of the text, including blanks; nil if nothing is left.
  mutating func rest() throws(BuddyError) -> String? { try next(isRest: true)?.text }

  private mutating func next(isRest: Bool) throws(BuddyError) -> BuddyWord? {
    while index < scalars.count, Self.isBlank(scalars[index]) { index += 1 }
    guard index < scalars.count else { return nil }
    var word = BuddyWord()
    var part = String.UnicodeScalarView()
    var quotationMark: Unicode.Scalar?
    var quotedPart = 0
    while index < scalars.count {
      let scalar = scalars[index]
      if scalar != "\\", quotationMark == nil, !isRest, Self.isBlank(scalar) { break }
      index += 1
      switch scalar {
      case "\\": part.append(escaped())
      case "\"", "'":
        if quotationMark == nil {
          quotationMark = scalar
          quotedPart = word.parts.count - 1
        } else if quotationMark == scalar {
          quotationMark = nil
          if quotedPart == word.parts.count - 1 { word.parts[quotedPart].isQuoted = true }
        } else {
          part.append(scalar)
        }
      case ":":
        word.parts[word.parts.count - 1].text = String(part)
        word.parts.append(BuddyWord.Part())
        part = String.UnicodeScalarView()
      default: part.append(scalar)
      }
    }
    guard quotationMark == nil else { throw .notUnderstood("Parse Error: Unclosed Quotes") }
    word.parts[word.parts.count - 1].text = String(part)
    return word
  }

  /// Returns the character for a backslash and the next character.
  private mutating func escaped() -> Unicode.Scalar {
    guard index < scalars.count else { return "\\" }
    defer { index += 1 }
    switch scalars[index] {
    case "n": return "\n"
    case "t": return "\t"
    default: return scalars[index]
    }
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }
}
