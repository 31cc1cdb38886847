import FoundationEssentials
import ManagedObjects
import PropertyLists
import SystemFiles
import ToolSupport

/// Writes a table for people. The width of each column is computed from its values in the first objects, within limits.
/// Object IDs are shortened, and control characters in values are escaped.
struct TableObjectWriter: ObjectWriter {
  private let columns: [String]
  private var buffer = BufferedOutput()
  /// The cells of the first objects, which are kept until they have determined the widths.
  private var first: [[String]] = []
  private var widths: [Int] = []

  private static let firstCount = 500
  private static let greatestWidth = 40

  private let plain: PlainForm

  init(columns: [String], timeZone: LocalTime?) {
    self.columns = columns
    plain = PlainForm(timeZone: timeZone)
  }

  mutating func write(_ values: [PropertyList?], of key: RowKey?) throws(PropertyListError) {
    let cells = try values.map { value throws(PropertyListError) in
      try value.map { value throws(PropertyListError) in try Self.cell(plain.value(value)) } ?? ""
    }
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
    // Shows the first rows immediately.
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
      elements.map { shortName($0.string ?? "").printable(limit: 200) }.joined(separator: "; ")
    default: try value.cellText.printable(limit: 200)
    }
  }

  /// Returns an object ID without its store.
  private static func shortName(_ text: String) -> String {
    guard text.hasPrefix(ObjectURI.prefix) else { return text }
    let parts = text.split(separator: "/")
    return parts.count == 4 ? "\(parts[2])/\(parts[3])" : text
  }
}
