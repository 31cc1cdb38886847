extension String {
  /// Returns the text with other scalars in place of some. Finds a scalar also before a combining mark, where both are
  /// one character: a quotation mark has to be escaped there, too.
  package func replacingScalars(_ scalars: String, with others: String) -> String {
    String(unicodeScalars.replacing(scalars.unicodeScalars, with: others.unicodeScalars))
  }
}
