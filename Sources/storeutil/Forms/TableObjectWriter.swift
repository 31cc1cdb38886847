import FoundationEssentials
import PropertyLists
import SystemFiles
import ToolSupport

/// A table for people: columns as wide as the first objects need, within bounds. Names of objects are short, and
/// nothing in a value gives the terminal commands.
struct TableObjectWriter: ObjectWriter {
  private let columns: [String]
  private var buffer = BufferedOutput()
  /// The first objects, from which the widths come.
  private var first: [[String]] = []
  private var widths: [Int] = []

  private static let firstCount = 500
  private static let greatestWidth = 40

  init(columns: [String]) { self.columns = columns }

  mutating func write(_ values: [PropertyList?]) throws(PropertyListError) {
    let cells = try values.map { value throws(PropertyListError) in try value.map(Self.cell) ?? "" }
    guard widths.isEmpty else { return try line(cells) }
    first.append(cells)
    if first.count == Self.firstCount { try start() }
  }

  mutating func finish() throws(PropertyListError) {
    if widths.isEmpty { try start() }
    try buffer.flush()
  }

  private mutating func start() throws(PropertyListError) {
    let titles = columns.map { $0.printable() }
    widths = titles.map(\.terminalWidth)
    for cells in first {
      for (index, cell) in cells.enumerated() { widths[index] = max(widths[index], cell.terminalWidth) }
    }
    widths = widths.map { min($0, Self.greatestWidth) }
    try line(titles)
    try line(widths.map { String(repeating: "─", count: $0) })
    for cells in first { try line(cells) }
    first = []
    // What is known so far is seen at once.
    try buffer.flush()
  }

  private mutating func line(_ cells: [String]) throws(PropertyListError) {
    var text = ""
    for (index, cell) in cells.enumerated() {
      let shown = cell.shortened(toWidth: widths[index])
      text += shown
      if index < cells.count - 1 {
        text += String(repeating: " ", count: max(widths[index] - shown.terminalWidth, 0) + 2)
      }
    }
    while text.last == " " { text.removeLast() }
    try buffer.write(text + "\n")
  }

  private static func cell(_ value: PropertyList) throws(PropertyListError) -> String {
    switch value {
    case .null: "–"
    case .data(let data): data.count == 1 ? "<1 byte>" : "<\(data.count) bytes>"
    case .string(let text): shortName(text).printable(limit: 200)
    case .array(let elements) where elements.allSatisfy({ $0.string != nil }):
      elements.map { shortName($0.string ?? "").printable(limit: 200) }.joined(separator: " ")
    default: try value.cellText.printable(limit: 200)
    }
  }

  /// The name of an object without its store.
  private static func shortName(_ text: String) -> String {
    let scheme = "x-coredata://"
    guard text.hasPrefix(scheme) else { return text }
    let parts = text.split(separator: "/")
    return parts.count == 4 ? "\(parts[2])/\(parts[3])" : text
  }
}

extension String {
  /// The number of columns that the text takes on a terminal.
  var terminalWidth: Int { unicodeScalars.reduce(0) { $0 + $1.terminalWidth } }

  /// The text, or its beginning with an ellipsis where it is wider.
  func shortened(toWidth width: Int) -> String {
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
  /// 0 for what is drawn over the character before, 2 for characters of East Asia and pictures, else 1: the blocks of
  /// Unicode's East Asian Width that are wide as a whole.
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
