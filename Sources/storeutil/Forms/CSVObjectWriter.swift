import FoundationEssentials
import ManagedObjects
import PropertyLists
import SystemFiles
import ToolSupport

/// Comma-separated values as RFC 4180 has them: lines end with CR and LF, and what has a comma, a quotation mark or an
/// end of a line in it is between quotation marks.
///
/// Dates are as in ISO 8601, data are base64, several names of objects have spaces between them, and other containers
/// are JSON. What has no value is empty; a text that is empty is `""`. On a terminal nothing in a value gives commands.
struct CSVObjectWriter: ObjectWriter {
  private let columns: [String]
  private var buffer = BufferedOutput()
  private var isStarted = false
  private let isOnTerminal = FileSystem.isTerminal(1)

  init(columns: [String]) { self.columns = columns }

  mutating func write(_ values: [PropertyList?], of key: RowKey) throws(PropertyListError) {
    if !isStarted { try start() }
    var line = ""
    for (index, value) in values.enumerated() {
      if index > 0 { line += "," }
      line += value == .string("") ? "\"\"" : Self.field(try value?.cellText ?? "")
    }
    try write(line: line)
  }

  mutating func finish() throws(PropertyListError) {
    if !isStarted { try start() }
    try buffer.flush()
  }

  private mutating func start() throws(PropertyListError) {
    isStarted = true
    try write(line: columns.map(Self.field).joined(separator: ","))
  }

  private mutating func write(line: String) throws(PropertyListError) {
    try buffer.write(isOnTerminal ? line.withoutCommands + "\n" : line + "\r\n")
  }

  private static func field(_ text: String) -> String {
    let isSpecial = { (byte: UInt8) in
      byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == 10 || byte == 13
    }
    guard text.utf8.contains(where: isSpecial) else { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}

extension PropertyList {
  /// The value as the cell of a table has it.
  var cellText: String {
    get throws(PropertyListError) {
      if self == .null { return "" }
      if let rawText { return rawText }
      if case .array(let elements) = self {
        let texts = elements.compactMap(\.string)
        if texts.count == elements.count { return texts.joined(separator: " ") }
      }
      let options = PropertyListWritingOptions(
        depth: ParsingLimits.greatestDepth, coercion: .reversible, isCompact: true)
      let text = String(decoding: try data(format: .json, options: options), as: UTF8.self)
      return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
  }
}
