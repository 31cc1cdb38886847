/// A command line that is still being typed, and the word that the cursor is in.
package struct CommandLineWords {
  /// The words after the name of the program and before the cursor.
  package var before: [String]
  /// The word at the cursor, up to the cursor.
  package var current: String
  /// The words after the cursor.
  package var after: [String]

  /// All words but the one at the cursor.
  package var others: [String] { before + after }

  /// The same line without its first words.
  package func dropFirst(_ count: Int) -> CommandLineWords {
    CommandLineWords(before: Array(before.dropFirst(count)), current: current, after: after)
  }
}

/// Words of a shell with their quotation marks.
struct ShellWord {
  /// What the shell makes of it.
  private(set) var text = ""
  /// The quotation mark that isn't closed yet.
  private(set) var openQuote: Unicode.Scalar?
  /// What the shell makes of the text after the last quotation mark that was opened.
  private(set) var quoted = ""

  /// The words in a text, the last of them also if it is empty: the one that is being typed.
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
    // In double quotes a backslash stands for itself before most characters.
    if isEscaped, openQuote == "\"", !["\"", "\\", "$", "`"].contains(scalar) { append("\\", isEscaped: false) }
    text.unicodeScalars.append(scalar)
    if openQuote != nil { quoted.unicodeScalars.append(scalar) }
  }

  /// A text with a backslash before each character that means something to bash; nil if there is no way to write it
  /// after a quotation mark.
  static func escaped(_ text: String, in openQuote: Unicode.Scalar?) -> String? {
    // Bash looks for commands of the past between double quotes too, and leaves a backslash before them.
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
