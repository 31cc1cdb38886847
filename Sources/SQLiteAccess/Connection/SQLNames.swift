/// Properties that return a name or a text in the form that SQL statements need.
extension String {
  /// This string as the name of a table or a column in SQL, in quotation marks, so that it may contain any characters.
  package var sqlName: String { quoted("\"") }

  /// This string as a text literal in SQL. It may contain any characters except U+0000, at which SQLite ends the
  /// statement.
  package var sqlText: String { quoted("'") }

  private func quoted(_ quote: Unicode.Scalar) -> String {
    guard utf8.contains(UInt8(ascii: quote)) else { return "\(quote)" + self + "\(quote)" }
    var result = String.UnicodeScalarView([quote])
    // Compares scalars: a quotation mark with a combining mark is a different `Character`, but SQLite still sees the
    // quotation mark.
    for scalar in unicodeScalars {
      if scalar == quote { result.append(quote) }
      result.append(scalar)
    }
    result.append(quote)
    return String(result)
  }
}
