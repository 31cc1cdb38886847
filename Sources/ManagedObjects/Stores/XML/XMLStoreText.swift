internal import FoundationEssentials
internal import ObjectModels
internal import Predicates
internal import PropertyLists

/// The text of values and types in an ``XMLStore`` file.
enum XMLStoreText {
  /// Returns the name of an attribute type in the file. The names of 16-bit integers, Booleans, strings and data occur
  /// in Apple's files. The names of the other numbers and of dates are known from reports. The remaining names of
  /// Apple's format are unknown; the names here follow the same pattern.
  static func typeName(_ type: AttributeType) -> StaticString {
    switch type {
    case .integer16: "int16"
    case .integer32: "int32"
    case .integer64: "int64"
    case .decimal: "decimal"
    case .double: "double"
    case .float: "float"
    case .string: "string"
    case .boolean: "bool"
    case .date: "date"
    case .binary: "binary"
    case .uuid: "uuid"
    case .uri: "uri"
    case .transformable: "transformable"
    case .undefined: "undefined"
    case .objectID: "objectid"
    case .composite: "composite"
    }
  }

  /// Returns further names, in lower case, that the reader accepts for a type.
  private static func otherNames(_ type: AttributeType) -> [String] {
    switch type {
    case .integer16: ["integer16"]
    case .integer32: ["integer32"]
    case .integer64: ["integer64"]
    case .boolean: ["boolean"]
    case .binary: ["data"]
    case .uuid: ["string", "binary"]
    case .uri: ["url", "string"]
    case .transformable, .composite: ["binary", "data"]
    default: []
    }
  }

  /// True if a name in a file is accepted for a type. Upper and lower case are equal.
  static func isName(_ name: String, of type: AttributeType) -> Bool {
    let name = name.lowercased()
    return name == "\(typeName(type))" || otherNames(type).contains(name)
  }

  /// Returns the type of a value, by the type's name in the file, if the attribute has no type; nil for an unknown
  /// name.
  static func typeOfUndefined(_ name: String) -> AttributeType? {
    AttributeType.allCases.first { isName(name, of: $0) && $0 != .undefined && $0 != .objectID && $0 != .composite }
  }

  /// Returns a name with the escapes that XML requires inside an XML attribute.
  static func attribute(_ name: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes += Array("&amp;".utf8)
      case UInt8(ascii: "<"): bytes += Array("&lt;".utf8)
      case UInt8(ascii: ">"): bytes += Array("&gt;".utf8)
      case UInt8(ascii: "\""): bytes += Array("&quot;".utf8)
      default: bytes.append(byte)
      }
    }
    return bytes
  }

  /// Parses text as a value of a type other than string. Returns nil if the text is not a value of the type.
  static func value(_ text: RawSpan, _ type: AttributeType) -> AttributeValue? {
    var (start, end) = (0, text.byteCount)
    while start < end, text[start].isWhiteSpace { start += 1 }
    while start < end, text[end - 1].isWhiteSpace { end -= 1 }
    let text = text.extracting(start..<end)
    switch type {
    case .integer16, .integer32, .integer64:
      guard let value = integer(text), type.integers?.contains(value) == true else { return nil }
      return .integer(value)
    case .boolean: return boolean(text).map { .boolean($0) }
    case .double: return real(text).map { .double($0) }
    case .float: return (SpecialReal.parseFloat(text) ?? RealText.parseFloat(text)).map { .float($0) }
    case .date: return real(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .decimal: return Decimal(text: string(text).lowercased()).map { .decimal($0) }
    case .uuid: return uuid(text).map { .uuid($0) }
    case .uri: return URL(string: string(text)).map { .url($0) }
    case .binary, .transformable: return data(text).map { .data($0) }
    case .composite: return data(text).flatMap { AttributeValue(archivedComposite: $0) }
    case .string, .undefined, .objectID: return nil
    }
  }

  private static func string(_ text: RawSpan) -> String {
    String(decoding: [UInt8](text, 0..<text.byteCount), as: UTF8.self)
  }

  private static func integer(_ text: RawSpan) -> Int64? {
    var index = 0
    let isNegative = text.byteCount > 0 && text[0] == UInt8(ascii: "-")
    if isNegative { index = 1 }
    guard index < text.byteCount, text.byteCount <= 20 else { return nil }
    var value: Int64 = 0
    while index < text.byteCount {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      // Computes the negative number, because the range of negative numbers is larger by one.
      let (product, isTooLong) = value.multipliedReportingOverflow(by: 10)
      let (difference, isTooLarge) = product.subtractingReportingOverflow(Int64(digit))
      if isTooLong || isTooLarge { return nil }
      value = difference
      index += 1
    }
    if isNegative { return value }
    return value == .min ? nil : -value
  }

  private static func boolean(_ text: RawSpan) -> Bool? {
    if text.byteCount == 1 { return text[0] == UInt8(ascii: "1") ? true : text[0] == UInt8(ascii: "0") ? false : nil }
    return switch string(text).lowercased() {
    case "yes", "true": true
    case "no", "false": false
    default: nil
    }
  }

  private static func real(_ text: RawSpan) -> Double? { SpecialReal.parse(text) ?? RealText.parse(text) }

  private static func uuid(_ text: RawSpan) -> UUID? {
    if text.byteCount == 36 { return UUID(uuidString: string(text)) }
    guard let data = data(text), data.count == 16 else { return nil }
    return UUID(data.bytes)
  }

  private static func data(_ text: RawSpan) -> Data? {
    guard Base64Text.defect(in: text, called: "the attribute") == nil else { return nil }
    var bytes: [UInt8] = []
    Base64Text.decode(text, into: &bytes)
    return Data(bytes)
  }

  /// Decodes escapes such as `\u0001` in a string: a backslash, `u` and four hexadecimal digits. Only control
  /// characters, the backslash, U+FFFE and U+FFFF have escapes. Any other backslash is kept.
  static func unescape(_ text: RawSpan, into bytes: inout [UInt8]) {
    var index = 0
    while let backslash = text.firstIndex(of: UInt8(ascii: "\\"), from: index) {
      bytes.append(bytes: text.extracting(index..<backslash))
      if let unit = JSONText.unit(text, at: backslash), isEscaped(unit) {
        bytes.append(scalar: unit)
        index = backslash + 6
      } else {
        bytes.append(UInt8(ascii: "\\"))
        index = backslash + 1
      }
    }
    bytes.append(bytes: text.extracting(index...))
  }

  static func isEscaped(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0..<0x20, 0x5C, 0x7F..<0xA0, 0xFFFE, 0xFFFF: true
    default: false
    }
  }

  /// Appends the text of a value.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidValue`` for a value whose text would be read as a different value.
  static func append(_ value: AttributeValue, to output: inout ByteBuffer) throws(ManagedObjectError) {
    switch value {
    case .null: break
    case .boolean(let value): output.append(byte: value ? UInt8(ascii: "1") : UInt8(ascii: "0"))
    case .integer(let value):
      if value < 0 { output.append(byte: UInt8(ascii: "-")) }
      output.append(decimal: value.magnitude)
    case .double(let value): append(value, to: &output)
    case .float(let value):
      let text = value.isFinite ? value.description : SpecialReal.text(of: value)
      append(number: text, to: &output)
    case .date(let date): append(date.timeIntervalSinceReferenceDate, to: &output)
    case .decimal(let value): append(number: try value.storedText(), to: &output)
    case .string(let text): append(text.utf8Span.rawBytes, to: &output)
    case .data(let data): append(data, to: &output)
    case .uuid(let value):
      let text = value.uuidString
      output.append(text.utf8Span.rawBytes)
    case .url(let url):
      let text = try url.storedText()
      append(text.utf8Span.rawBytes, to: &output)
    case .composite: append(try value.archivedComposite(), to: &output)
    }
  }

  /// Appends the shortest digits that are read back as the same number.
  private static func append(_ value: Double, to output: inout ByteBuffer) {
    append(number: value.isFinite ? value.description : SpecialReal.text(of: value), to: &output)
  }

  private static func append(number text: String, to output: inout ByteBuffer) {
    let bytes = text.utf8Span.rawBytes
    let length = bytes.byteCount
    // Omits `.0` at the end.
    let isWhole = length > 2 && bytes[length - 1] == UInt8(ascii: "0") && bytes[length - 2] == UInt8(ascii: ".")
    output.append(bytes.extracting(0..<(isWhole ? length - 2 : length)))
  }

  /// Appends base64 as in Apple's files: a line of 76 characters, and a second line with the rest.
  private static func append(_ data: Data, to output: inout ByteBuffer) {
    let bytes = data.bytes
    guard bytes.byteCount > 0 else { return }
    let first = min(57, bytes.byteCount)
    Base64Text.append(bytes, 0..<first, to: &output)
    output.append(byte: 0x0A)
    guard first < bytes.byteCount else { return }
    Base64Text.append(bytes, first..<bytes.byteCount, to: &output)
    output.append(byte: 0x0A)
  }

  private static func append(_ text: RawSpan, to output: inout ByteBuffer) {
    var rest = text
    var index = 0
    if let backslash = text.firstIndex(of: UInt8(ascii: "\\"), from: 0) {
      // Escapes each backslash that would be read as the beginning of an escape.
      var offset = backslash
      while true {
        append(plain: text.extracting(index..<offset), to: &output)
        if let unit = JSONText.unit(text, at: offset), isEscaped(unit) {
          output.append("\\u005c")
        } else {
          output.append(byte: UInt8(ascii: "\\"))
        }
        index = offset + 1
        guard let next = text.firstIndex(of: UInt8(ascii: "\\"), from: index) else { break }
        offset = next
      }
      rest = text.extracting(index...)
    }
    append(plain: rest, to: &output)
  }

  /// Appends text that contains no backslashes, and escapes the other characters that need it.
  private static func append(plain text: RawSpan, to output: inout ByteBuffer) {
    var index = output.append(cleanTextOf: text, from: 0)
    while index < text.byteCount {
      let byte = text[index]
      index += 1
      switch byte {
      case _ where output.append(referenceFor: byte): break
      case 0x09, 0x0A: output.append(byte: byte)
      case 0xEF:
        if index + 1 < text.byteCount, text[index] == 0xBF, text[index + 1] >= 0xBE {
          output.append(text[index + 1] == 0xBE ? "\\ufffe" : "\\uffff")
          index += 2
        } else {
          output.append(byte: byte)
        }
      case 0..<0x20:
        output.append("\\u00")
        output.append(hexadecimal: byte)
      default: output.append(byte: byte)
      }
      index = output.append(cleanTextOf: text, from: index)
    }
  }
}
