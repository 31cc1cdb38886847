extension String {
  /// Returns the text with Unicode scalars replaced. Unlike a replacement of characters, it also replaces a scalar that
  /// has a combining mark after it. Escaping needs this, because a quotation mark before a combining mark still ends a
  /// string.
  package func replacingScalars(_ scalars: String, with others: String) -> String {
    String(unicodeScalars.replacing(scalars.unicodeScalars, with: others.unicodeScalars))
  }
}
