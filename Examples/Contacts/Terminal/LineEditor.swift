/// A line of text that is being edited, with a cursor.
struct LineEditor {
  private(set) var characters: [Character]
  /// The number of characters before the cursor.
  private(set) var cursor: Int

  init(_ text: String = "") {
    characters = Array(text)
    cursor = characters.count
  }

  var text: String { String(characters) }

  /// Handles a key. Returns false if the key does not edit.
  mutating func take(_ key: Key) -> Bool {
    switch key {
    case .character(let character):
      characters.insert(character, at: cursor)
      cursor += 1
    case .pasted(let text):
      let pasted = text.map { $0.isNewline ? " " : $0 }
      characters.insert(contentsOf: pasted, at: cursor)
      cursor += pasted.count
    case .backspace:
      guard cursor > 0 else { break }
      cursor -= 1
      characters.remove(at: cursor)
    case .delete: if cursor < characters.count { characters.remove(at: cursor) }
    case .left: cursor = max(0, cursor - 1)
    case .right: cursor = min(characters.count, cursor + 1)
    case .home, .control("a"): cursor = 0
    case .end, .control("e"): cursor = characters.count
    case .control("u"):
      characters.removeFirst(cursor)
      cursor = 0
    case .control("k"): characters.removeLast(characters.count - cursor)
    default: return false
    }
    return true
  }

  /// Returns the part of the text that is visible in a number of columns, and the column of the cursor in it.
  func window(width: Int) -> (text: String, cursor: Int) {
    var first = cursor
    var columns = 0
    while first > 0 {
      let next = columns + String(characters[first - 1]).onOneLine.terminalWidth
      if next >= width { break }
      columns = next
      first -= 1
    }
    return (String(characters[first...]), columns)
  }
}
