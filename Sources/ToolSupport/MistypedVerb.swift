internal import PropertyLists
internal import SystemFiles

/// Messages about a first argument that is not a verb.
package enum MistypedVerb {
  /// Returns the message about an unknown verb, with a suggestion.
  ///
  /// - Parameters:
  ///   - examples: calls such as `print FILE`, which the message suggests if the word is the name of a file; empty for
  ///     no suggestion.
  ///   - tool: the name of the tool, or of the verb whose subcommand is unknown.
  static func message(_ word: String, verbs: [String], examples: [String], tool: String = ToolName.current) -> String {
    let name = FileSystem.showingBytes(word).printable(limit: 200)
    let isFile = FileSystem.exists(word) || word.contains("/") || word.dropFirst().contains(".")
    if isFile, !examples.isEmpty {
      var calls = examples.map { "\(tool) \($0.replacing("FILE", with: name))" }
      if let last = calls.popLast() { calls.append("or \(last)") }
      return "\"\(name)\" is not a verb. For a file of that name, use \(calls.joined(separator: ", "))."
    }
    guard let nearest = nearest(to: word, in: verbs) else {
      return "There is no verb \"\(name)\"; \(tool) --help lists the verbs."
    }
    return "There is no verb \"\(name)\"; did you mean \(nearest)? \(tool) --help lists the verbs."
  }

  /// Returns the most similar word: a word that `word` abbreviates, or else the one with the smallest edit distance.
  /// Returns nil if no word is similar enough.
  package static func nearest(to word: String, in words: [String]) -> String? {
    let letters = Array(word.lowercased().unicodeScalars.prefix(64))
    let greatest = letters.count < 3 ? 1 : max(2, letters.count / 3)
    let distances = words.map { (word: $0, distance: distance(letters, Array($0.unicodeScalars))) }
    // A prefix is an abbreviation, even if its edit distance to the whole word is large.
    if letters.count > 2, let whole = words.first(where: { $0.hasPrefix(word.lowercased()) }) { return whole }
    guard let best = distances.min(by: { $0.distance < $1.distance }), best.distance <= greatest,
      best.distance < letters.count
    else { return nil }
    return best.word
  }

  /// Returns the number of letters to add, remove, replace or swap with a neighbor to turn one word into the other.
  private static func distance(_ first: [Unicode.Scalar], _ second: [Unicode.Scalar]) -> Int {
    var before: [Int] = []
    var last = Array(0...second.count)
    for (row, letter) in first.enumerated() {
      var current = [row + 1]
      for (column, other) in second.enumerated() {
        var cost = min(last[column] + (letter == other ? 0 : 1), last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, letter == second[column - 1], first[row - 1] == other {
          cost = min(cost, before[column - 1] + 1)
        }
        current.append(cost)
      }
      (before, last) = (last, current)
    }
    return last[second.count]
  }
}
