import FoundationEssentials

/// The properties of a vCard (RFC 6350) that the address book can store.
struct Card {
  /// The number of the card's first line in the file.
  let line: Int
  var firstName = ""
  var lastName = ""
  var email: String?
  var birthday: Date?
  var notes: String?
  var groups: [String] = []

  /// Returns the cards of a file.
  static func cards(in text: String) throws -> [Card] {
    var cards: [Card] = []
    var open: Card?
    for (number, line) in unfolded(text) {
      guard let colon = line.firstIndex(of: ":") else { throw ContactsError.notACard(line: number, "expected a colon") }
      let name = line[..<colon].prefix { $0 != ";" }.uppercased()
      let value = String(line[line.index(after: colon)...])
      switch (name, open) {
      case ("BEGIN", nil): open = Card(line: number)
      case ("END", let card?):
        cards.append(card)
        open = nil
      case ("BEGIN", _): throw ContactsError.notACard(line: number, "BEGIN is inside another card")
      case (_, nil): throw ContactsError.notACard(line: number, "\(name) is outside a card")
      default: try open?.take(name, value, number)
      }
    }
    if let open { throw ContactsError.notACard(line: open.line, "the card has no END line") }
    return cards
  }

  /// Returns the lines, with continuation lines, which begin with a space or a tab, appended to the line before them.
  private static func unfolded(_ text: String) -> [(number: Int, line: String)] {
    var lines: [(number: Int, line: String)] = []
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      if let first = line.first, " \t".contains(first), !lines.isEmpty {
        lines[lines.count - 1].line += line.dropFirst()
      } else if !line.isEmpty {
        lines.append((index + 1, String(line)))
      }
    }
    return lines
  }

  private mutating func take(_ name: String, _ value: String, _ line: Int) throws {
    switch name {
    case "N":
      let parts = Self.parts(value, at: ";")
      lastName = parts[0]
      if parts.count > 1 { firstName = parts[1] }
    case "EMAIL": email = email ?? Self.parts(value, at: nil)[0]
    case "NOTE": notes = Self.parts(value, at: nil)[0]
    case "CATEGORIES": groups += Self.parts(value, at: ",").filter { !$0.isEmpty }
    case "BDAY":
      // 1815-12-10, or 18151210 in vCard 4.
      let digits = value.filter { $0 != "-" }
      guard digits.count == 8 else { throw ContactsError.notACard(line: line, "\(value) is not a date") }
      let text = "\(digits.prefix(4))-\(digits.dropFirst(4).prefix(2))-\(digits.suffix(2))"
      do { birthday = try Day(text).date } catch {
        throw ContactsError.notACard(line: line, "\(value) is not a date")
      }
    default: break
    }
  }

  /// Splits a value at a separator, and removes the backslashes of escapes.
  private static func parts(_ value: String, at separator: Character?) -> [String] {
    var parts = [""]
    var isEscaped = false
    for character in value {
      if isEscaped {
        parts[parts.count - 1].append(character == "n" || character == "N" ? "\n" : character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if character == separator {
        parts.append("")
      } else {
        parts[parts.count - 1].append(character)
      }
    }
    return parts
  }
}
