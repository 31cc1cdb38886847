package import FoundationEssentials

extension Decimal {
  /// Creates a number from text. The whole text must be a number, not only its beginning. `nan` is NaN. Returns nil for
  /// other text.
  package init?(text: String) {
    if text == "nan" {
      self = .nan
      return
    }
    let isNumber =
      !text.isEmpty
      && text.utf8.allSatisfy { (48...57).contains($0) || $0 == 45 || $0 == 43 || $0 == 46 || $0 | 0x20 == 101 }
    guard isNumber, let value = Decimal(string: text), !value.isNaN, Double(text) != nil else { return nil }
    self = value
  }
}
