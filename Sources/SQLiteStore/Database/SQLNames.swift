/// Names in statements.
extension String {
  /// The text as the name of a table or a column, in quotation marks. It may have any characters.
  package var sqlName: String {
    let quote: Unicode.Scalar = "\""
    guard utf8.contains(UInt8(ascii: quote)) else { return "\"" + self + "\"" }
    var result = "\"".unicodeScalars
    // By scalars: with a combining mark a quotation mark is another character, but still one for SQLite.
    for scalar in unicodeScalars {
      if scalar == quote { result.append(quote) }
      result.append(scalar)
    }
    result.append(quote)
    return String(result)
  }
}
