package import ObjectModels
package import Predicates
@_spi(_Unicode) internal import Swift

extension FetchRequest.SortComparison {
  /// True if a request can be sorted with the comparison.
  var isKnown: Bool { if case .other = self { false } else { true } }

  /// True if the comparison can be used only for strings.
  var isOfTexts: Bool { if case .compare = self { false } else { true } }

  /// True if strings with the same ``form(of:)`` are equal.
  var isOfForms: Bool { if case .caseInsensitive = self { true } else { false } }

  private static let caseFolding = TextRules(.caseInsensitive)
  private static let folding = TextRules([.caseInsensitive, .diacriticInsensitive])

  /// Returns the form of a string that is compared instead of the string, such as the case-folded string. Forms are
  /// compared by their Unicode scalars. Returns nil if the string itself is compared.
  func form(of text: String) -> String? {
    switch self {
    case .compare, .other: nil
    case .caseInsensitive: Self.folded(text, Self.caseFolding)
    case .localized, .localizedCaseInsensitive: Self.folded(text, Self.folding)
    case .localizedStandard: Self.withNumbers(Self.folded(text, Self.folding))
    }
  }

  /// Returns the form that is compared for strings with the same ``form(of:)``. Such forms are compared by their
  /// Unicode scalars. Returns nil if strings with the same ``form(of:)`` count as equal.
  func secondForm(of text: String) -> String? {
    switch self {
    case .compare, .caseInsensitive, .other: nil
    case .localized, .localizedStandard: text.plainSortForm
    case .localizedCaseInsensitive: Self.folded(text, Self.caseFolding)
    }
  }

  private static func folded(_ text: String, _ rules: TextRules) -> String {
    text.utf8Span.span.isASCII ? text.lowercased() : rules.folded(text)
  }

  /// Returns a form of the text in which numbers sort by value. Each number becomes a `0`, the count of its digits, and
  /// the digits. Leading zeros are neither counted nor written.
  ///
  /// The count is written as the Unicode scalar with this value. A count of 127 or more is written as several scalars:
  /// one U+007F for each 127, and one for the remainder.
  private static func withNumbers(_ text: String) -> String {
    var form = String.UnicodeScalarView()
    var digits = String.UnicodeScalarView()
    var isNumber = false
    func flush() {
      guard isNumber else { return }
      form.append("0")
      var length = digits.count
      // The value 0x7F means that the length continues.
      while length >= 0x7F {
        form.append("\u{7F}")
        length -= 0x7F
      }
      form.append(Unicode.Scalar(UInt8(length)))
      form.append(contentsOf: digits)
      digits = String.UnicodeScalarView()
      isNumber = false
    }
    for scalar in text.unicodeScalars {
      guard let digit = digit(scalar) else {
        flush()
        form.append(scalar)
        continue
      }
      isNumber = true
      if digit != 0 || !digits.isEmpty { digits.append(Unicode.Scalar(0x30 + digit)) }
    }
    flush()
    return String(form)
  }

  private static func digit(_ scalar: Unicode.Scalar) -> UInt8? {
    if scalar.isASCII { return ("0"..."9").contains(scalar) ? UInt8(scalar.value) - 0x30 : nil }
    guard scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue else { return nil }
    return UInt8(exactly: value)
  }

  /// Compares two values with the same ``SortValue/lead``.
  func order(_ first: SortValue, _ second: SortValue) -> PredicateOrder {
    switch (first.content, second.content) {
    case (.value(let one), .value(let other)): return one.order(to: other) ?? .equal
    case (.object(let one), .object(let other)): return PredicateOrder(one, other)
    case (.text(let one, let form), .text(let other, let otherForm)):
      let order = Self.order(form, otherForm)
      return order == .equal ? orderOfSameForm(one, other) : order
    // Values of different kinds have different leads.
    default: return .equal
    }
  }

  private func orderOfSameForm(_ first: String, _ second: String) -> PredicateOrder {
    switch self {
    case .compare, .localized, .localizedStandard, .other: PredicateOrder(first, second)
    case .caseInsensitive: .equal
    case .localizedCaseInsensitive:
      Self.order(Self.folded(first, Self.caseFolding), Self.folded(second, Self.caseFolding))
    }
  }

  /// Compares two strings by their UTF-8 bytes. The order is that of their Unicode scalars.
  private static func order(_ first: String, _ second: String) -> PredicateOrder {
    let (one, other) = (first.utf8Span.span, second.utf8Span.span)
    for index in 0..<min(one.count, other.count) where one[index] != other[index] {
      return one[index] < other[index] ? .less : .greater
    }
    return PredicateOrder(one.count, other.count)
  }
}

extension AttributeValue {
  /// Returns -1, 0 or 1 if the value comes before another one, equals it, or comes after it; nil if they have no order.
  package func comparison(with other: AttributeValue) -> Int? {
    switch order(to: other) {
    case .less: -1
    case .equal: 0
    case .greater: 1
    case nil: nil
    }
  }
}

/// Functions that return the forms of a string that are compared for sorting.
extension String {
  /// Returns the form of the string that a sort descriptor compares, byte by byte.
  package func sortForm(_ comparison: FetchRequest.SortComparison) -> String {
    comparison.form(of: self) ?? plainSortForm
  }

  /// The string in Unicode normalization form C. The order of these forms, compared by their Unicode scalars, is the
  /// order of Swift strings.
  var plainSortForm: String {
    if utf8Span.span.isASCII { return self }
    var form = UnicodeScalarView()
    form.append(contentsOf: _nfc)
    return String(form)
  }

  /// Returns the form that a sort descriptor compares, byte by byte, for strings with the same ``sortForm(_:)``.
  /// Returns nil if strings with the same ``sortForm(_:)`` count as equal.
  package func secondSortForm(_ comparison: FetchRequest.SortComparison) -> String? { comparison.secondForm(of: self) }
}
