import ManagedObjects

/// The text of CSV files (RFC 4180). An empty field is nil, `""` is an empty string.
enum CSVText {
  static func line(_ fields: [String?]) -> String {
    fields.map { field in
      guard let field else { return "" }
      let isPlain = !field.isEmpty && !field.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
      return isPlain ? field : quoted(field)
    }.joined(separator: ",") + "\r\n"
  }

  /// Doubles quotation marks by Unicode scalars: with a combining mark, a quotation mark is another `Character`.
  private static func quoted(_ field: String) -> String {
    var text = "\"".unicodeScalars
    for scalar in field.unicodeScalars {
      if scalar == "\"" { text.append(scalar) }
      text.append(scalar)
    }
    text.append("\"")
    return String(text)
  }

  /// Returns the fields of each line, with the line number in the text.
  static func lines(
    _ text: String, file: String
  ) throws(ManagedObjectError) -> [(number: Int, fields: [String?])] {
    var lines: [(number: Int, fields: [String?])] = []
    var fields: [String?] = []
    var field: [UInt8] = []
    var (isQuoted, wasQuoted) = (false, false)
    var (number, first) = (1, 1)
    let bytes = Array(text.utf8)
    var index = 0
    func end() {
      fields.append(field.isEmpty && !wasQuoted ? nil : String(decoding: field, as: UTF8.self))
      field = []
      wasQuoted = false
    }
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte == 0x0A { number += 1 }
      if isQuoted {
        if byte != 0x22 {
          field.append(byte)
        } else if index < bytes.count, bytes[index] == 0x22 {
          field.append(byte)
          index += 1
        } else {
          isQuoted = false
        }
        continue
      }
      switch byte {
      case 0x22: (isQuoted, wasQuoted) = (true, true)
      case 0x2C: end()
      case 0x0D where index < bytes.count && bytes[index] == 0x0A: break
      case 0x0A:
        end()
        lines.append((first, fields))
        fields = []
        first = number
      default: field.append(byte)
      }
    }
    if isQuoted {
      throw ManagedObjectError(.open, "\(file).csv:\(first): a quotation mark is not closed")
    }
    if !fields.isEmpty || !field.isEmpty || wasQuoted {
      end()
      lines.append((first, fields))
    }
    return lines
  }
}
