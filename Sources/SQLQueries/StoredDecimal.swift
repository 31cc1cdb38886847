package import FoundationEssentials
package import ManagedObjects

/// Decimal numbers as SQLite has them: integers, or floating-point numbers of 15 to 17 digits.
package enum StoredDecimal {
  /// Returns the number that is read after a number was saved. It differs for one with more than 15 digits.
  package static func rounded(_ decimal: Decimal) -> AttributeValue? {
    // A numeric column keeps a floating-point number without a fraction as an integer.
    if case .real(let number)? = value(decimal), let integer = Int64(exactly: number) {
      return .decimal(Decimal(integer))
    }
    return value(decimal).flatMap { self.decimal($0) }
  }

  /// The number that a text stands for.
  package static func decimal(_ text: String) -> AttributeValue? { Double(text).flatMap { decimal($0) } }

  package static func decimal(_ number: Double) -> AttributeValue? {
    number.isFinite ? Decimal(string: number.description).map { .decimal($0) } : nil
  }

  /// The number that a value stands for.
  package static func decimal(_ value: SQLValue) -> AttributeValue? {
    switch value {
    case .integer(let integer): .decimal(Decimal(integer))
    case .real(let number): decimal(number)
    case .text(let text): decimal(text)
    case .null, .blob: nil
    }
  }

  /// The value that SQLite keeps of a number; nil for one that is none.
  package static func value(_ decimal: Decimal) -> SQLValue? {
    let text = decimal.description
    if let integer = Int64(text) { return .integer(integer) }
    guard let number = Double(text), number.isFinite else { return nil }
    return .real(number)
  }
}
