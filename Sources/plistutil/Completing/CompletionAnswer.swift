/// What the word at the cursor can become.
struct CompletionAnswer {
  struct Candidate {
    /// The whole word.
    var text: String
    /// One line about it, which some shells show.
    var help = ""
  }

  /// What only the shell knows well.
  enum Names: String {
    case files, folders
  }

  var candidates: [Candidate] = []
  var names: Names?
  /// True if the word may go on after the candidate, so that no space is to follow it.
  var mayGoOn = false

  static func texts(_ texts: [String]) -> CompletionAnswer {
    CompletionAnswer(candidates: texts.map { Candidate(text: $0) })
  }

  static let files = CompletionAnswer(names: .files)
  static let folders = CompletionAnswer(names: .folders)
  static let nothing = CompletionAnswer()

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
