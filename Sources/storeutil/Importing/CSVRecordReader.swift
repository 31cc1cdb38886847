import PropertyLists
import ToolSupport

/// Reads comma-separated values (RFC 4180). The first line contains the names of the columns. Lines may also end with a
/// single LF or CR.
struct CSVRecordReader: RecordReader {
  /// The names of the columns, with their positions.
  let header: [(name: String, position: PropertyListError.TextPosition)]
  private let input: TextInput
  private let readsEmptyAsText: Bool

  private struct Cell {
    let text: String
    let isQuoted: Bool
    let position: PropertyListError.TextPosition
  }

  /// Reads the header.
  ///
  /// - Parameter readsEmptyAsText: true if an empty field without quotation marks is an empty text; false if it has no
  ///   value.
  init(_ input: TextInput, readsEmptyAsText: Bool) throws(PropertyListError) {
    self.input = input
    self.readsEmptyAsText = readsEmptyAsText
    try input.takeByteOrderMark()
    guard let cells = try Self.line(of: input) else {
      throw input.failure("the file is empty: expected a line with the names of the columns")
    }
    var names: Set<String> = []
    for cell in cells {
      if cell.text.isEmpty { throw input.failure("a column has no name", at: cell.position) }
      guard names.insert(cell.text).inserted else {
        throw input.failure("the column \(cell.text.quoted) occurs twice", at: cell.position)
      }
    }
    header = cells.map { ($0.text, $0.position) }
  }

  mutating func next() throws(PropertyListError) -> ImportRecord? {
    guard var cells = try Self.line(of: input) else { return nil }
    // Editors and spreadsheets leave empty lines at the end. In a file with one column, an empty line is an object
    // without a value.
    while header.count > 1, cells.count == 1, cells[0].text.isEmpty, !cells[0].isQuoted {
      guard let next = try Self.line(of: input) else { return nil }
      cells = next
    }
    guard cells.count == header.count else {
      let fields = cells.count == 1 ? "1 field" : "\(cells.count) fields"
      throw input.failure(
        "expected \(header.count) fields as in the first line, found \(fields)", at: cells[0].position)
    }
    let fields = zip(header, cells).map { column, cell in
      let isEmpty = cell.text.isEmpty && !cell.isQuoted && !readsEmptyAsText
      return ImportRecord.Field(column: column.name, value: .text(isEmpty ? nil : cell.text), position: cell.position)
    }
    return ImportRecord(position: cells[0].position, entity: nil, fields: fields)
  }

  /// Returns the fields of the next line; nil at the end. An empty line has one empty field.
  private static func line(of input: TextInput) throws(PropertyListError) -> [Cell]? {
    guard try input.peek() != nil else { return nil }
    var cells: [Cell] = []
    while true {
      cells.append(try cell(of: input))
      switch try input.next() {
      case UInt8(ascii: ","): continue
      case 13: if try input.peek() == 10 { _ = try input.next() }
      default: break
      }
      return cells
    }
  }

  /// Returns a field, up to the comma or line end after it.
  private static func cell(of input: TextInput) throws(PropertyListError) -> Cell {
    let position = input.position
    var bytes: [UInt8] = []
    let isQuoted = try input.peek() == UInt8(ascii: "\"")
    if isQuoted { try takeQuoted(of: input, into: &bytes, at: position) }
    while let byte = try input.peek(), byte != UInt8(ascii: ","), byte != 10, byte != 13 {
      if isQuoted { throw input.failure("expected a comma or the end of the line after a quotation mark") }
      if byte == UInt8(ascii: "\"") { throw input.failure("a quotation mark in a field that does not begin with one") }
      bytes.append(byte)
      _ = try input.next()
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw input.failure("the field is not UTF-8", at: position)
    }
    return Cell(text: text, isQuoted: isQuoted, position: position)
  }

  private static func takeQuoted(
    of input: TextInput, into bytes: inout [UInt8], at position: PropertyListError.TextPosition
  ) throws(PropertyListError) {
    _ = try input.next()
    while let byte = try input.next() {
      if byte == UInt8(ascii: "\"") {
        guard try input.peek() == UInt8(ascii: "\"") else { return }
        _ = try input.next()
      }
      bytes.append(byte)
    }
    throw input.failure("the file ends within the quoted field that begins here", at: position)
  }
}
