extension String {
  /// Returns the text with scalars replaced. Unlike a search for characters, this finds a scalar before a combining
  /// mark, so that every quotation mark is escaped.
  package func replacingScalars(_ scalars: String, with others: String) -> String {
    String(unicodeScalars.replacing(scalars.unicodeScalars, with: others.unicodeScalars))
  }
}
