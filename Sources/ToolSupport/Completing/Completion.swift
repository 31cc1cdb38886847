internal import FoundationEssentials
internal import PropertyLists

/// The hidden verb `complete`. The completion scripts of the shells pass it an unfinished command line, and it prints
/// the completions for the word at the cursor.
///
/// - `complete bash BEFORE AFTER WORD`: the line before and after the cursor as it was typed, and the part of the word
///   at the cursor that bash will replace.
/// - `complete zsh|fish INDEX WORD…`: the index of the word at the cursor, and the words, beginning with the name of
///   the program.
package struct Completion {
  private static let name = "complete"

  /// Returns the completions for a line. The second argument is the name that the tool was called by.
  private let answer: (CommandLineWords, Substring) -> CompletionAnswer

  package init(answer: @escaping (CommandLineWords, Substring) -> CompletionAnswer) { self.answer = answer }

  /// Runs the verb if the first argument is `complete`.
  ///
  /// - Parameter arguments: the arguments without the name of the program.
  /// - Returns: the exit code; nil for another verb.
  package func run(_ arguments: [String]) -> Int32? {
    guard arguments.first == Self.name else { return nil }
    guard let lines = lines(Array(arguments.dropFirst())) else {
      note("\(ToolName.current): error: complete works only in the scripts of --generate-completion-script.")
      return ExitCodes.usage
    }
    do { try output(Data(lines.utf8)) } catch { return ExitCodes.inputOutput }
    return ExitCodes.success
  }

  private func lines(_ arguments: [String]) -> String? {
    switch (arguments.first, arguments.count) {
    case ("bash", 4): bash(before: arguments[1], after: arguments[2], replaced: arguments[3])
    case ("zsh", 3...), ("fish", 3...):
      Int(arguments[1]).flatMap { others(Array(arguments.dropFirst(2)), $0, isTyped: arguments[0] == "fish") }
    default: nil
    }
  }

  /// Returns the lines for zsh or fish; nil if `index` is out of range.
  ///
  /// - Parameters:
  ///   - words: the words of the command line; the first is the name or path of the tool.
  ///   - index: the index of the word at the cursor.
  ///   - isTyped: true if that word is as it was typed, and so may contain quotation marks.
  private func others(_ words: [String], _ index: Int, isTyped: Bool) -> String? {
    guard index > 0, index < words.count else { return nil }
    let line = CommandLineWords(
      before: Array(words[1..<index]), current: isTyped ? ShellWord.word(words[index]).text : words[index],
      after: Array(words[(index + 1)...]))
    return answer(to: line, of: words[0]).lines { $0 }
  }

  /// Returns the lines for bash; nil if the line has only one word. Bash expects only candidates that begin with the
  /// word at the cursor, in the shell's spelling. It keeps the part of the word up to the last colon or equals sign, so
  /// the candidates must not contain that part.
  private func bash(before: String, after: String, replaced: String) -> String? {
    let words = ShellWord.words(in: before)
    guard words.count > 1, let current = words.last else { return nil }
    // If the cursor is inside a word, the rest of that word is not another word of the line.
    let isInside = after.first.map { !$0.isWhitespace } ?? false
    let line = CommandLineWords(
      before: words.dropFirst().dropLast().map(\.text), current: current.text,
      after: ShellWord.words(in: after).dropFirst(isInside ? 1 : 0).map(\.text).filter { !$0.isEmpty })
    let replacedText = current.openQuote == nil ? ShellWord.word(replaced).text : current.quoted
    let kept = current.text.unicodeScalars.count - replacedText.unicodeScalars.count
    guard kept >= 0 else { return nil }
    return answer(to: line, of: words[0].text).lines { text in
      guard text.utf8.starts(with: current.text.utf8) else { return nil }
      return ShellWord.escaped(String(text.unicodeScalars.dropFirst(kept)), in: current.openQuote)
    }
  }

  /// Returns the completions for a line.
  ///
  /// - Parameter program: the name or path that the tool was called by.
  private func answer(to line: CommandLineWords, of program: String) -> CompletionAnswer {
    answer(line, program.split(separator: "/").last ?? "")
  }
}

extension ShellWord {
  /// Parses a text that is a single word.
  static func word(_ text: String) -> ShellWord { words(in: text).last ?? ShellWord() }
}
