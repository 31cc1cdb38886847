public import PropertyLists

extension PropertyListWritingOptions {
  /// With which every format holds every kind of value, but for XML, which has no null.
  public static let exact = PropertyListWritingOptions(coercion: .reversible)
}

extension PropertyListReadingOptions {
  /// With which what was written with ``PropertyListWritingOptions/exact`` is read.
  public static let exact = PropertyListReadingOptions(restoresCoercedValues: true)
}
