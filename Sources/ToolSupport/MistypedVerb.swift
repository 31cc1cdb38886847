internal import PropertyLists
internal import SystemFiles

/// A first argument that is no verb.
package enum MistypedVerb {
  /// What is wrong with it, and what is likely meant.
  ///
  /// - Parameters:
  ///   - examples: what can be done with a file, such as `print FILE`; none where no file is expected.
  ///   - tool: the tool, or the verb with others below it.
  static func message(_ word: String, verbs: [String], examples: [String], tool: String = ToolName.current) -> String {
    let name = FileSystem.showingBytes(word).printable(limit: 200)
    let isFile = FileSystem.exists(word) || word.contains("/") || word.dropFirst().contains(".")
    if isFile, !examples.isEmpty {
      var calls = examples.map { "\(tool) \($0.replacing("FILE", with: name))" }
      if let last = calls.popLast() { calls.append("or \(last)") }
      return "\"\(name)\" is no verb. To do something with a file of that name: \(calls.joined(separator: ", "))."
    }
    guard let nearest = nearest(to: word, in: verbs) else {
      return "There is no verb \"\(name)\"; \(tool) --help lists them."
    }
    return "There is no verb \"\(name)\"; did you mean \(nearest)? \(tool) --help lists them."
  }

  /// The word that takes the fewest changes; nil if all take too many.
  package static func nearest(to word: String, in words: [String]) -> String? {
    let letters = Array(word.lowercased().unicodeScalars.prefix(64))
    let greatest = letters.count < 3 ? 1 : max(2, letters.count / 3)
    let distances = words.map { (word: $0, distance: distance(letters, Array($0.unicodeScalars))) }
    // A beginning is an abbreviation, whatever is missing behind it.
    if letters.count > 2, let whole = words.first(where: { $0.hasPrefix(word.lowercased()) }) { return whole }
    guard let best = distances.min(by: { $0.distance < $1.distance }), best.distance <= greatest,
      best.distance < letters.count
    else { return nil }
    return best.word
  }

  /// How many letters have to be added, removed, replaced or exchanged with their neighbours to make one of the other.
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
