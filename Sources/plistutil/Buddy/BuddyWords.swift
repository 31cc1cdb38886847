import PropertyLists

/// A word of a command as it is meant: without quotation marks, with what backslashes stand for.
struct BuddyWord {
  /// What stands between the colons that no backslash is in front of.
  struct Part {
    var text = ""
    /// Whether both quotation marks are in it, so that an empty part is meant to be one.
    var isQuoted = false
  }

  fileprivate(set) var parts = [Part()]

  /// All of it; a colon after a backslash is a colon.
  var text: String { parts.map(\.text).joined(separator: ":") }
}

/// The words of a command.
///
/// Blanks and tabs are between them. Quotation marks of either kind keep words together, and may begin and end inside a
/// word. A backslash stands with the character after it: `\n` and `\t` are the end of a line and a tab, any other
/// character is itself; at the end it is itself.
struct BuddyWords {
  private let scalars: [Unicode.Scalar]
  private var index = 0

  init(_ text: String) { scalars = Array(text.unicodeScalars) }

  /// The letters that the command begins with, or one of the signs that are names; empty if it begins with neither.
  mutating func name() -> String {
    guard let first = scalars.first else { return "" }
    if ["?", "=", "+", "-"].contains(first) {
      index = 1
    } else {
      index = scalars.prefix { $0.isASCII && $0.properties.isAlphabetic }.count
    }
    return String(String.UnicodeScalarView(scalars[..<index]))
  }

  /// The next word; nil if there is none.
  mutating func word() throws(BuddyError) -> BuddyWord? { try next(isRest: false) }

  /// All that is left, in which blanks stand for themselves; nil if there is nothing.
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

  /// What a backslash stands for together with the character that comes next.
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
