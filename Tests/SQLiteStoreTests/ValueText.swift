import Foundation
import ManagedObjects
import PropertyLists

/// The canonical text of each value, as written by `reader.py`.
extension AttributeValue {
  /// The text of the value; nil for null.
  var text: String? {
    switch self {
    case .null: nil
    case .boolean(let value): value ? "1" : "0"
    case .integer(let value): String(value)
    case .decimal(let value): Self.decimalText("\(value)")
    case .double(let value): Self.hexadecimal(value.bitPattern)
    case .float(let value): Self.hexadecimal(value.bitPattern)
    case .string(let value): value
    case .date(let value): Self.hexadecimal(value.timeIntervalSinceReferenceDate.bitPattern)
    case .data(let value): value.hexadecimal
    case .uuid(let value): value.uuidString
    case .url(let value): value.absoluteString
    case .composite(let leaves):
      "{"
        + leaves.sorted { $0.key.utf8.precedes($1.key.utf8) }.map { "\($0.key)=\($0.value.text ?? "null")" }
        .joined(separator: ", ") + "}"
    }
  }

  static func hexadecimal<Number: FixedWidthInteger>(_ bits: Number) -> String {
    let digits = String(bits, radix: 16)
    return String(repeating: "0", count: Number.bitWidth / 4 - digits.count) + digits
  }

  /// Returns the text without trailing zeros of the fraction, and without the sign of zero.
  private static func decimalText(_ text: String) -> String {
    var text = Substring(text)
    if text.contains(".") {
      while text.last == "0" { text.removeLast() }
      if text.last == "." { text.removeLast() }
    }
    return text == "-0" ? "0" : String(text)
  }
}

extension Data {
  var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(count * 2)
    for byte in self {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension PropertyList {
  /// The value, with dictionaries for values that JSON cannot represent.
  var inJSON: PropertyList {
    switch self {
    case .data(let data): ["data": .string(data.hexadecimal)]
    case .real(let real): ["real": .string(AttributeValue.hexadecimal(real.bitPattern))]
    case .float(let real): ["real": .string(AttributeValue.hexadecimal(Double(real).bitPattern))]
    case .date(let date): ["date": .string(AttributeValue.hexadecimal(date.timeIntervalSinceReferenceDate.bitPattern))]
    case .uid(let uid): ["uid": .integer(PropertyList.Integer(UInt64(uid.value)))]
    case .array(let elements): .array(elements.map(\.inJSON))
    case .dictionary(let entries): .dictionary(entries.mapValues(\.inJSON))
    case .string, .integer, .boolean, .null: self
    }
  }
}

extension Sequence<UInt8> {
  /// Compares the code points of strings.
  func precedes(_ other: some Sequence<UInt8>) -> Bool { lexicographicallyPrecedes(other) }
}
