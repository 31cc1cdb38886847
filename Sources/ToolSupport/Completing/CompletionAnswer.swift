/// What the word at the cursor can become.
package struct CompletionAnswer {
  package struct Candidate {
    /// The whole word.
    package var text: String
    /// One line about it, which some shells show.
    package var help: String

    package init(text: String, help: String = "") {
      self.text = text
      self.help = help
    }
  }

  /// What only the shell knows well.
  package enum Names: String {
    case files, folders
  }

  package var candidates: [Candidate]
  package var names: Names?
  /// True if the word may go on after the candidate, so that no space is to follow it.
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

  /// The lines that scripts read: a candidate, a tab and its help each, and lines with a tab in front that say what
  /// else the shell is to do.
  ///
  /// - Parameter spell: how the shell wants a candidate; nil to leave it out.
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
  /// Whether it would end a line or move the cursor.
  fileprivate var isControl: Bool { value < 0x20 || (0x7F..<0xA0).contains(value) }
}
