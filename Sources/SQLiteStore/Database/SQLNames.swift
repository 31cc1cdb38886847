/// Names in statements.
extension String {
  /// The text as a name of a table or a column. It may have any characters.
  var sqlName: String { quoted(by: "\"") }

  /// The text as a text in a statement.
  var sqlText: String { quoted(by: "'") }

  /// Scalar by scalar: a quote with a mark is another character, but still a quote for SQLite.
  private func quoted(by quote: Unicode.Scalar) -> String {
    let mark = String(quote)
    guard utf8.contains(UInt8(ascii: quote)) else { return mark + self + mark }
    var result = mark.unicodeScalars
    for scalar in unicodeScalars {
      if scalar == quote { result.append(quote) }
      result.append(scalar)
    }
    result.append(quote)
    return String(result)
  }
}
