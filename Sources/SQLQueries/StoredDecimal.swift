package import FoundationEssentials
package import ManagedObjects

/// Converts values of decimal attributes to and from the numbers that SQLite stores: integers, or floating-point
/// numbers with 15 to 17 digits.
package enum StoredDecimal {
  /// Returns the value that is read from a store after `decimal` was saved. It can differ from `decimal` if that has
  /// more than 15 digits. Returns nil for NaN.
  package static func rounded(_ decimal: Decimal) -> AttributeValue? {
    // In a column for decimal numbers, SQLite stores a floating-point number without a fraction as an integer.
    if case .real(let number)? = value(decimal), let integer = Int64(exactly: number) {
      return .decimal(Decimal(integer))
    }
    return value(decimal).flatMap { self.decimal($0) }
  }

  /// Returns the decimal number that a text represents; nil if the text is not a finite number.
  package static func decimal(_ text: String) -> AttributeValue? { Double(text).flatMap { decimal($0) } }

  package static func decimal(_ number: Double) -> AttributeValue? {
    guard number.isFinite else { return nil }
    let text = number.description
    return (Decimal(string: text) ?? large(text)).map { .decimal($0) }
  }

  /// Returns the decimal number for a text such as `3.4e+165`. The exponent is too large for a decimal number, so zeros
  /// are added to the digits, and the exponent becomes smaller. Returns nil if the number is too large even so.
  private static func large(_ text: String) -> Decimal? {
    let parts = text.split(separator: "e")
    guard parts.count == 2, let exponent = Int(parts[1]) else { return nil }
    let number = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let zeroCount = exponent - (number.count > 1 ? number[1].count : 0) - 127
    guard zeroCount > 0, zeroCount < 39 else { return nil }
    return Decimal(string: number.joined() + String(repeating: "0", count: zeroCount) + "e127")
  }

  /// Returns the decimal number that a stored value represents; nil if the value is not a finite number.
  package static func decimal(_ value: SQLValue) -> AttributeValue? {
    switch value {
    case .integer(let integer): .decimal(Decimal(integer))
    case .real(let number): decimal(number)
    case .text(let text): decimal(text)
    case .null, .blob: nil
    }
  }

  /// Returns the SQLite value for a decimal number; nil for NaN.
  package static func value(_ decimal: Decimal) -> SQLValue? {
    let text = decimal.description
    if let integer = Int64(text) { return .integer(integer) }
    guard let number = Double(text), number.isFinite else { return nil }
    return .real(number)
  }
}
