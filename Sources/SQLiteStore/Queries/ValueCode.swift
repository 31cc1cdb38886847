internal import FoundationEssentials
internal import ManagedObjects

/// Encodes a list of values as a blob. An SQL function that collects values of many rows returns it, and another one
/// takes it as an argument.
///
/// The first byte is 1 for a set, otherwise 0. Each value follows as a byte for its type, its length in 8 bytes, and
/// its bytes.
enum ValueCode {
  private enum Sign: UInt8 {
    case null = 0
    case boolean, integer, decimal, double, float, string, date, data, uuid, url, object
  }

  /// Returns the beginning of a list, or of a set if `isSet` is true.
  static func start(isSet: Bool) -> [UInt8] { [isSet ? 1 : 0] }

  /// Returns an SQL literal for the blob of an empty list, or of an empty set if `isSet` is true.
  static func empty(isSet: Bool) -> String { isSet ? "X'01'" : "X'00'" }

  static func append(_ value: AttributeValue, to bytes: inout [UInt8]) {
    switch value {
    case .null: append(.null, EmptyCollection(), to: &bytes)
    case .boolean(let value): append(.boolean, value ? 1 : 0, to: &bytes)
    case .integer(let value): append(.integer, UInt64(bitPattern: value), to: &bytes)
    case .decimal(let value): append(.decimal, value.description.utf8, to: &bytes)
    case .double(let value): append(.double, value.bitPattern, to: &bytes)
    case .float(let value): append(.float, Double(value).bitPattern, to: &bytes)
    case .string(let value): append(.string, value.utf8, to: &bytes)
    case .date(let value): append(.date, value.timeIntervalSinceReferenceDate.bitPattern, to: &bytes)
    case .data(let value): append(.data, value, to: &bytes)
    case .uuid(let value): append(.uuid, value.uuidString.utf8, to: &bytes)
    case .url(let value): append(.url, value.absoluteString.utf8, to: &bytes)
    // Composite attributes have several columns, and are never collected.
    case .composite: append(.null, EmptyCollection(), to: &bytes)
    }
  }

  static func append(_ key: RowKey, to bytes: inout [UInt8]) {
    bytes.append(Sign.object.rawValue)
    append(UInt64(24), to: &bytes)
    append(UInt64(key.store.rawValue), to: &bytes)
    append(UInt64(UInt32(bitPattern: key.entityIndex)), to: &bytes)
    append(UInt64(bitPattern: key.number), to: &bytes)
  }

  private static func append(_ sign: Sign, _ number: UInt64, to bytes: inout [UInt8]) {
    bytes.append(sign.rawValue)
    append(UInt64(8), to: &bytes)
    append(number, to: &bytes)
  }

  private static func append(_ sign: Sign, _ content: some Swift.Collection<UInt8>, to bytes: inout [UInt8]) {
    bytes.append(sign.rawValue)
    append(UInt64(content.count), to: &bytes)
    bytes += content
  }

  /// Appends a number in little-endian byte order.
  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  /// Returns the list that the bytes encode; nil if they are invalid.
  static func list(_ bytes: [UInt8]) -> PredicateValue<AttributeValue>? {
    guard let first = bytes.first, first <= 1 else { return nil }
    var values: [PredicateValue<AttributeValue>] = []
    var offset = 1
    while offset < bytes.count {
      guard bytes.count - offset >= 9, let sign = Sign(rawValue: bytes[offset]),
        let count = Int(exactly: number(bytes[(offset + 1)...])), count <= bytes.count - offset - 9,
        let value = value(sign, bytes[(offset + 9)..<(offset + 9 + count)])
      else { return nil }
      values.append(value)
      offset += 9 + count
    }
    return first == 1 ? .set(values) : .array(values)
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    var number: UInt64 = 0
    for (shift, byte) in bytes.prefix(8).enumerated() { number |= UInt64(byte) << (8 * UInt64(shift)) }
    return number
  }

  private static func value(_ sign: Sign, _ bytes: ArraySlice<UInt8>) -> PredicateValue<AttributeValue>? {
    let number = number(bytes)
    func text() -> String { String(decoding: bytes, as: UTF8.self) }
    switch sign {
    case .null: return .null
    case .boolean: return .value(.boolean(number != 0))
    case .integer: return .value(.integer(Int64(bitPattern: number)))
    case .decimal: return Decimal(string: text()).map { .value(.decimal($0)) }
    case .double: return .value(.double(Double(bitPattern: number)))
    case .float: return .value(.float(Float(Double(bitPattern: number))))
    case .string: return .value(.string(text()))
    case .date: return .value(.date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: number))))
    case .data: return .value(.data(Data(bytes)))
    case .uuid: return UUID(uuidString: text()).map { .value(.uuid($0)) }
    case .url: return URL(string: text()).map { .value(.url($0)) }
    case .object:
      guard bytes.count == 24, let store = UInt32(exactly: number),
        let index = UInt32(exactly: Self.number(bytes.dropFirst(8)))
      else { return nil }
      let key = RowKey(
        store: StoreNumber(rawValue: store), entityIndex: Int(index),
        number: Int64(bitPattern: Self.number(bytes.dropFirst(16))))
      return .constant(.object(key))
    }
  }
}
