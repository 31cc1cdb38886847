public import PropertyLists

extension PropertyListWritingOptions {
  /// Options with which every format can represent every kind of value. Only XML has no null.
  public static let exact = PropertyListWritingOptions(coercion: .reversible)
}

extension PropertyListReadingOptions {
  /// Options for reading property lists that were written with ``PropertyListWritingOptions/exact``.
  public static let exact = PropertyListReadingOptions(restoresCoercedValues: true)
}
