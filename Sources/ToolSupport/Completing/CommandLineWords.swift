/// An unfinished command line, and the word at the cursor.
package struct CommandLineWords {
  /// The words after the name of the program and before the cursor.
  package var before: [String]
  /// The word at the cursor, up to the cursor.
  package var current: String
  /// The words after the cursor.
  package var after: [String]

  /// All words except the one at the cursor.
  package var others: [String] { before + after }

  /// Returns the line without its first words.
  package func dropFirst(_ count: Int) -> CommandLineWords {
    CommandLineWords(before: Array(before.dropFirst(count)), current: current, after: after)
  }
}

/// A word of a shell, which may contain quotation marks.
struct ShellWord {
  /// The text of the word after the shell's processing.
  private(set) var text = ""
  /// The quotation mark that is not closed yet.
  private(set) var openQuote: Unicode.Scalar?
  /// The text after the last opening quotation mark, after the shell's processing.
  private(set) var quoted = ""

  /// Returns the words of a text. The last one is being typed, and may be empty.
  static func words(in line: String) -> [ShellWord] {
    var words = [ShellWord()]
    var isEscaped = false
    for scalar in line.unicodeScalars {
      let last = words.count - 1
      if isEscaped {
        words[last].append(scalar, isEscaped: true)
        isEscaped = false
      } else if scalar == "\\", words[last].openQuote != "'" {
        isEscaped = true
      } else if scalar == " " || scalar == "\t" || scalar == "\n", words[last].openQuote == nil {
        if !words[last].isUntouched { words.append(ShellWord()) }
      } else {
        words[last].take(scalar)
      }
    }
    return words
  }

  private var isUntouched = true

  private mutating func take(_ scalar: Unicode.Scalar) {
    isUntouched = false
    if scalar == openQuote {
      openQuote = nil
    } else if openQuote == nil, scalar == "\"" || scalar == "'" {
      openQuote = scalar
      quoted = ""
    } else {
      append(scalar, isEscaped: false)
    }
  }

  private mutating func append(_ scalar: Unicode.Scalar, isEscaped: Bool) {
    isUntouched = false
    // In double quotes, a backslash before most characters is literal.
    if isEscaped, openQuote == "\"", !["\"", "\\", "$", "`"].contains(scalar) { append("\\", isEscaped: false) }
    text.unicodeScalars.append(scalar)
    if openQuote != nil { quoted.unicodeScalars.append(scalar) }
  }

  /// Returns a text with a backslash before each special character of bash; nil if it cannot be written after the
  /// quotation mark.
  static func escaped(_ text: String, in openQuote: Unicode.Scalar?) -> String? {
    // Between double quotes, bash also expands `!`, and keeps a backslash before it.
    if let openQuote, text.unicodeScalars.contains(openQuote == "'" ? "'" : "!") { return nil }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isSpecial =
        switch openQuote {
        case "'": false
        case .some: "\"\\$`".unicodeScalars.contains(scalar)
        case nil: " \\\"'`$&|;<>()*?[]{}~#!".unicodeScalars.contains(scalar)
        }
      if isSpecial { result.append("\\") }
      result.append(scalar)
    }
    return String(result)
  }
}
