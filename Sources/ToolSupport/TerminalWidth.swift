extension String {
  /// The number of terminal columns that the text occupies.
  package var terminalWidth: Int { unicodeScalars.reduce(0) { $0 + $1.terminalWidth } }

  /// Returns the text, shortened with an ellipsis if it is wider than `width` columns.
  package func shortened(toWidth width: Int) -> String {
    guard terminalWidth > width else { return self }
    var text = ""
    var left = width - 1
    for character in self {
      left -= String(character).terminalWidth
      if left < 0 { break }
      text.append(character)
    }
    return text + "…"
  }
}

extension Unicode.Scalar {
  /// The number of terminal columns: 0 for characters that combine with the previous one, 2 for East Asian characters
  /// and emoji, else 1. The ranges are the blocks whose characters all have the East Asian Width "wide" in Unicode.
  fileprivate var terminalWidth: Int {
    if value < 0x300 { return 1 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF,
      0x1FA70...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default: return properties.isEmojiPresentation ? 2 : 1
    }
  }
}
