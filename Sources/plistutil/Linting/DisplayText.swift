import PropertyLists

/// Text in the form that a terminal shows, with its width. It contains no control sequences.
struct DisplayText {
  /// The characters, each with the number of terminal cells that it occupies.
  private var cells: [(text: String, width: Int)] = []
  private var column = 0
  private var previous: Unicode.Scalar?

  /// The width in terminal cells.
  var width: Int { column }

  static let tabWidth = 8

  mutating func append(_ scalar: Unicode.Scalar) {
    defer { previous = scalar }
    let width: Int
    let text: String
    switch scalar.value {
    case 0x09:
      width = Self.tabWidth - column % Self.tabWidth
      text = String(repeating: " ", count: width)
    case _ where scalar.isHidden(after: previous):
      text = String(scalar).printable()
      width = text.utf8.count
    default:
      text = String(scalar)
      width = scalar.displayWidth
    }
    cells.append((text, width))
    column += width
  }

  /// Returns the characters that lie completely within a range of terminal cells.
  func text(_ range: Range<Int>) -> String {
    var start = 0
    var text = ""
    for cell in cells {
      if start >= range.lowerBound, start + cell.width <= range.upperBound { text += cell.text }
      start += cell.width
    }
    return text
  }
}

extension Unicode.Scalar {
  /// The width in terminal cells: two for East Asian characters and emoji, zero for characters that combine with the
  /// previous one. It follows UAX #11 as terminals implement it.
  fileprivate var displayWidth: Int {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch value {
    case 0x1100...0x115F, 0x231A...0x231B, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C,
      0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F18E, 0x1F191...0x1F19A,
      0x1F200...0x1F64F, 0x1F680...0x1F6FF, 0x1F7E0...0x1F7EB, 0x1F90C...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    case 0x1160...0x11FF: return 0
    default: return 1
    }
  }
}
