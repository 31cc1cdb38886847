public import FoundationEssentials
@_spi(Archives) internal import PropertyLists

/// Archived as an `NSDecimalNumber`: a sign, an exponent of 10, and an integer of up to 128 bits. The integer is stored
/// as 16 bytes: eight digits in base 65536, lowest digit first. Apple's archiver writes the class name
/// `NSDecimalNumberPlaceholder`.
///
/// Numbers that are stored without a class are also read. A real becomes the decimal number with the fewest digits that
/// reads as the same real.
extension Decimal: SecureCoding {
  public static let archivedClass = ArchivedClass(
    "NSDecimalNumberPlaceholder", ancestors: ["NSDecimalNumber", "NSNumber", "NSValue", "NSObject"],
    aliases: ["NSDecimalNumber", "NSNumber"], natives: .numbers)

  /// The archived number for the byte order of the digits. 2 means big-endian.
  private static let littleEndian = 1

  public func encode(with coder: KeyedArchiver) throws {
    var digits = try isNaN ? 0 : mantissa()
    var bytes = Data()
    for _ in 0..<16 {
      bytes.append(UInt8(truncatingIfNeeded: digits))
      digits >>= 8
    }
    let length = (bytes.lastIndex { $0 != 0 } ?? -1) / 2 + (bytes.contains { $0 != 0 } ? 1 : 0)
    try coder.encode(integer: length == 0 ? 0 : exponent, forRawKey: "NS.exponent")
    try coder.encode(integer: length, forRawKey: "NS.length")
    // NaN is archived as a negative number without digits.
    try coder.encode(boolean: isNaN || sign == .minus && length > 0, forRawKey: "NS.negative")
    try coder.encode(boolean: true, forRawKey: "NS.compact")
    try coder.encode(integer: Self.littleEndian, forRawKey: "NS.mantissa.bo")
    try coder.encode(inline: bytes, forRawKey: "NS.mantissa")
  }

  public init(coder: KeyedUnarchiver) throws {
    let exponent = try coder.decode(Int.self, forRawKey: "NS.exponent")
    let length = try coder.decode(Int.self, forRawKey: "NS.length")
    let isNegative = try coder.decode(Bool.self, forRawKey: "NS.negative")
    let order = try coder.decodeIfPresent(Int.self, forRawKey: "NS.mantissa.bo") ?? Self.littleEndian
    let mantissa = try coder.decode(Data.self, forRawKey: "NS.mantissa")
    try coder.require(
      (-128...127).contains(exponent) && (0...8).contains(length) && mantissa.count >= 2 * length
        && mantissa.count <= 16 && (order == 1 || order == 2),
      "a decimal number is not valid: exponent \(exponent), length \(length), mantissa of \(mantissa.count) bytes")
    if length == 0 {
      self = isNegative ? .nan : 0
      return
    }
    let bytes = [UInt8](mantissa)
    var digits: UInt128 = 0
    for index in (0..<length).reversed() {
      let (first, second) = (UInt128(bytes[2 * index]), UInt128(bytes[2 * index + 1]))
      digits = digits << 16 | (order == Self.littleEndian ? second << 8 | first : first << 8 | second)
    }
    // The number is parsed from text, because `Decimal`'s other initializers return NaN for some large numbers whose
    // trailing zeros must be kept.
    guard let value = Decimal(string: "\(isNegative ? "-" : "")\(digits)e\(exponent)"), !value.isNaN else {
      throw coder.failure(.invalidContents, "\(digits)e\(exponent) is not a valid decimal number")
    }
    self = value
  }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> Decimal {
    // The object may be an ordinary `NSNumber`.
    switch ArchivedNumber(try coder.resolve(reference.node)) {
    case .integer(let value): return Decimal(string: value.description) ?? .nan
    case .real(let value):
      guard value.isFinite, let decimal = Decimal(string: "\(value)") else {
        throw coder.failure(.numberOutOfRange, "the number \(value) does not fit in Decimal")
      }
      return decimal
    case .decimal, nil: return try coder.value(Decimal.self, at: reference)
    }
  }

  private func mantissa() throws -> UInt128 {
    let digits = (sign == .minus ? -significand : significand).description
    guard let mantissa = UInt128(digits.hasPrefix("-") ? String(digits.dropFirst()) : digits) else {
      throw KeyedArchiveError(.invalidValue, "the significand of \(self) is not a whole number")
    }
    return mantissa
  }
}
