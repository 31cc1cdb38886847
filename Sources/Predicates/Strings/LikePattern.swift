/// A pattern of `LIKE`: `*` matches any characters, `?` one character. A backslash before one of them, or before
/// another backslash, makes it literal.
struct LikePattern: Hashable, Sendable {
  private let rules: TextRules
  private let parts: [Part]

  private enum Part: Hashable {
    case scalar(UInt32)
    case anyCharacter
    case anyCharacters
  }

  init(_ pattern: String, _ rules: TextRules) {
    self.rules = rules
    var parts: [Part] = []
    var literal = ""
    func flush() {
      parts += rules.units(of: literal).map { .scalar($0 & ~TextRules.boundary) }
      literal = ""
    }
    var isEscaped = false
    for scalar in pattern.unicodeScalars {
      if isEscaped {
        if scalar != "*", scalar != "?", scalar != "\\" { literal.unicodeScalars.append("\\") }
        literal.unicodeScalars.append(scalar)
        isEscaped = false
        continue
      }
      switch scalar {
      case "\\": isEscaped = true
      case "*":
        flush()
        if parts.last != .anyCharacters { parts.append(.anyCharacters) }
      case "?":
        flush()
        parts.append(.anyCharacter)
      default: literal.unicodeScalars.append(scalar)
      }
    }
    if isEscaped { literal.unicodeScalars.append("\\") }
    flush()
    self.parts = parts
  }

  /// The maximum number of scalar comparisons in a match.
  private static let greatestWork = 1 << 26

  /// True if the pattern matches the whole text.
  ///
  /// - Throws: ``ManagedPredicateError/Kind/tooMuchWork`` if it takes too many comparisons.
  /// - Complexity: O(*n*·*m*) in the worst case, where *n* is the length of the text and *m* that of the pattern.
  func matches(_ text: String) throws(ManagedPredicateError) -> Bool {
    let units = rules.units(of: text)
    var index = 0
    var part = 0
    // The last star, and the index in the text from which to continue if the star must match one more character.
    var retry: (index: Int, part: Int)?
    var work = 0
    while index < units.count || part < parts.count {
      work += 1
      guard work <= Self.greatestWork else {
        throw ManagedPredicateError(.tooMuchWork, "matching a LIKE pattern takes too many steps")
      }
      if part < parts.count {
        switch parts[part] {
        // A star or a question mark matches whole characters: a character with its combining marks is one.
        case .anyCharacters where TextRules.isBoundary(index, in: units):
          retry = (index, part)
          part += 1
          continue
        case .anyCharacter where index < units.count && TextRules.isBoundary(index, in: units):
          index = end(ofCharacterAt: index, in: units)
          part += 1
          continue
        case .scalar(let scalar) where index < units.count && units[index] & ~TextRules.boundary == scalar:
          index += 1
          part += 1
          continue
        default: break
        }
      }
      guard let last = retry, last.index < units.count else { return false }
      index = end(ofCharacterAt: last.index, in: units)
      part = last.part + 1
      retry = (index, last.part)
    }
    return true
  }

  private func end(ofCharacterAt index: Int, in units: [UInt32]) -> Int {
    var end = index + 1
    while !TextRules.isBoundary(end, in: units) { end += 1 }
    return end
  }
}
