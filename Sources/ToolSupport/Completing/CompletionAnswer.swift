/// The completions for the word at the cursor.
package struct CompletionAnswer {
  package struct Candidate {
    /// The completed word, with the part that is already typed.
    package var text: String
    /// A description in one line, which some shells show.
    package var help: String

    package init(text: String, help: String = "") {
      self.text = text
      self.help = help
    }
  }

  /// The kinds of names that the shell itself completes.
  package enum Names: String {
    case files, folders
  }

  package var candidates: [Candidate]
  package var names: Names?
  /// True if the user may want to continue a candidate, so that the shell must not add a space after it.
  package var mayGoOn: Bool

  package init(candidates: [Candidate] = [], names: Names? = nil, mayGoOn: Bool = false) {
    self.candidates = candidates
    self.names = names
    self.mayGoOn = mayGoOn
  }

  package static func texts(_ texts: [String]) -> CompletionAnswer {
    CompletionAnswer(candidates: texts.map { Candidate(text: $0) })
  }

  package static let files = CompletionAnswer(names: .files)
  package static let folders = CompletionAnswer(names: .folders)
  package static let nothing = CompletionAnswer()

  /// Returns the output for the completion scripts: for each candidate, a line with the candidate, a tab and the help.
  /// If a line begins with a tab, it is an instruction for the script: complete names of files or folders, or do not
  /// add a space.
  ///
  /// - Parameter spell: returns the shell's spelling of a candidate; nil to leave the candidate out.
  func lines(spell: (String) -> String?) -> String {
    var lines = ""
    for candidate in candidates where !candidate.text.unicodeScalars.contains(where: \.isControl) {
      guard let text = spell(candidate.text) else { continue }
      lines += "\(text)\t\(candidate.help.split(whereSeparator: \.isNewline).joined(separator: " "))\n"
    }
    if let names { lines += "\t\(names.rawValue)\n" }
    if mayGoOn { lines += "\tnospace\n" }
    return lines
  }
}

extension Unicode.Scalar {
  /// True for control characters. In the output, they would end a line or move the cursor.
  fileprivate var isControl: Bool { value < 0x20 || (0x7F..<0xA0).contains(value) }
}
