package import ObjectModels
package import Predicates
@_spi(_Unicode) internal import Swift

extension FetchRequest.SortComparison {
  /// True if requests can be sorted by it.
  var isKnown: Bool { if case .other = self { false } else { true } }

  /// True if only texts can be compared.
  var isOfTexts: Bool { if case .compare = self { false } else { true } }

  /// True if texts of the same ``form(of:)`` are equal.
  var isOfForms: Bool { if case .caseInsensitive = self { true } else { false } }

  private static let caseFolding = TextRules(.caseInsensitive)
  private static let folding = TextRules([.caseInsensitive, .diacriticInsensitive])

  /// The form by which texts are compared, scalar by scalar; nil for the text as it is.
  func form(of text: String) -> String? {
    switch self {
    case .compare, .other: nil
    case .caseInsensitive: Self.folded(text, Self.caseFolding)
    case .localized, .localizedCaseInsensitive: Self.folded(text, Self.folding)
    case .localizedStandard: Self.withNumbers(Self.folded(text, Self.folding))
    }
  }

  /// The form by which texts with the same first form are compared, scalar by scalar; nil if they are equal.
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

  /// The text with a form of numbers of which the greater is also the greater text: a `0`, their length, and their
  /// digits.
  private static func withNumbers(_ text: String) -> String {
    var form = String.UnicodeScalarView()
    var digits = String.UnicodeScalarView()
    var isNumber = false
    func flush() {
      guard isNumber else { return }
      form.append("0")
      var length = digits.count
      // Each but the last says that there are more.
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

  /// The order of two values with the same ``SortValue/lead``.
  func order(_ first: SortValue, _ second: SortValue) -> PredicateOrder {
    switch (first.content, second.content) {
    case (.value(let one), .value(let other)): return one.order(to: other) ?? .equal
    case (.object(let one), .object(let other)): return PredicateOrder(one, other)
    case (.text(let one, let form), .text(let other, let otherForm)):
      let order = Self.order(form, otherForm)
      return order == .equal ? orderOfSameForm(one, other) : order
    // Not of one kind, so that their leads differ.
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

  /// By scalars, whose order is that of the bytes.
  private static func order(_ first: String, _ second: String) -> PredicateOrder {
    let (one, other) = (first.utf8Span.span, second.utf8Span.span)
    for index in 0..<min(one.count, other.count) where one[index] != other[index] {
      return one[index] < other[index] ? .less : .greater
    }
    return PredicateOrder(one.count, other.count)
  }
}

extension AttributeValue {
  /// -1, 0 or 1 for a value before another, equal to it, or after it; nil if they have no order.
  package func comparison(with other: AttributeValue) -> Int? {
    switch order(to: other) {
    case .less: -1
    case .equal: 0
    case .greater: 1
    case nil: nil
    }
  }
}

/// The keys that texts are sorted by.
extension String {
  /// The form by which texts are compared in the order of a sort descriptor, byte by byte.
  package func sortForm(_ comparison: FetchRequest.SortComparison) -> String {
    comparison.form(of: self) ?? plainSortForm
  }

  /// The form in which Swift compares strings, scalar by scalar.
  var plainSortForm: String {
    if utf8Span.span.isASCII { return self }
    var form = UnicodeScalarView()
    form.append(contentsOf: _nfc)
    return String(form)
  }

  /// The form by which texts of the same ``sortForm(_:)`` are compared, byte by byte; nil if they are equal.
  package func secondSortForm(_ comparison: FetchRequest.SortComparison) -> String? { comparison.secondForm(of: self) }
}
