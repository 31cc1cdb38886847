import FoundationEssentials
import ManagedObjects
import PropertyLists
import SystemFiles
import ToolSupport

/// Writes comma-separated values (RFC 4180): lines end with CR and LF, and a field that contains a comma, a quotation
/// mark or a line end is quoted.
///
/// Dates are in ISO 8601, data is base64, and arrays and other containers are plain JSON. If a list separator is set,
/// an array is written as its elements with the separator between them. A value that an object does not have is an
/// empty field; empty text and empty data are `""`. On a terminal, control characters in values are escaped.
struct CSVObjectWriter: ObjectWriter {
  private let columns: [String]
  private var buffer = BufferedOutput()
  private var isStarted = false
  private let isOnTerminal = FileSystem.isTerminal(1)
  private let listSeparator: String?
  private let model: ManagedObjectModel
  private let plain: PlainForm

  /// Creates a writer.
  ///
  /// - Parameter listSeparator: the text between the elements of an array; nil to write arrays as JSON.
  init(columns: [String], model: ManagedObjectModel, listSeparator: String?, timeZone: LocalTime?) {
    self.columns = columns
    self.model = model
    self.listSeparator = listSeparator
    plain = PlainForm(timeZone: timeZone)
  }

  mutating func write(_ values: [PropertyList?], of key: RowKey?) throws(PropertyListError) {
    if !isStarted { try start() }
    var line = ""
    for (index, value) in values.enumerated() {
      if index > 0 { line += "," }
      line += value == .string("") || value == .data(Data()) ? "\"\"" : Self.field(try text(value, columns[index], key))
    }
    try write(line: line)
  }

  mutating func finish() throws(PropertyListError) {
    if !isStarted { try start() }
    try buffer.flush()
  }

  private func text(_ value: PropertyList?, _ column: String, _ key: RowKey?) throws(PropertyListError) -> String {
    let value = value.map(plain.value)
    guard let listSeparator, case .array(let elements)? = value else { return try value?.cellText ?? "" }
    var texts: [String] = []
    for element in elements {
      let text = try element.cellText
      guard !text.unicodeScalars.contains(listSeparator.unicodeScalars) else {
        throw PropertyListError(
          .notRepresentable,
          "\(key.subject(model)) \(column.printable()): \(text.quoted) contains the list separator "
            + "\(listSeparator.quoted); use another --list-separator, or omit it to print arrays as JSON")
      }
      texts.append(text)
    }
    return texts.joined(separator: listSeparator)
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
    return "\"" + text.replacingScalars("\"", with: "\"\"") + "\""
  }
}

extension PropertyList {
  /// The text of the value in a table or in CSV.
  var cellText: String {
    get throws(PropertyListError) {
      if self == .null { return "" }
      if let rawText { return rawText }
      return String(decoding: try compactJSON(PlainForm()), as: UTF8.self)
    }
  }
}
