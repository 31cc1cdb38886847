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

  /// Returns the line without the first `count` words before the cursor.
  package func dropFirst(_ count: Int) -> CommandLineWords {
    CommandLineWords(before: Array(before.dropFirst(count)), current: current, after: after)
  }
}

/// A word of a command line as it was typed, which may contain quotation marks and escapes.
struct ShellWord {
  /// The text that the shell would pass to the program: the word without quotation marks and escapes.
  private(set) var text = ""
  /// The quotation mark that has been opened but not closed; nil outside quotation marks.
  private(set) var openQuote: Unicode.Scalar?
  /// The part of ``text`` that is inside the last quotation marks of the word, even if they are not closed.
  private(set) var quoted = ""

  /// Splits a command line into words. The last word is the one that is being typed, and may be empty.
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

  /// Returns the spelling of a text in bash, with a backslash before each special character.
  ///
  /// - Parameter openQuote: the opening quotation mark before the text; nil outside quotation marks.
  /// - Returns: nil if the text contains a character that cannot be written inside these quotation marks.
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
