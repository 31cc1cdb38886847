/// Properties that return a name in the form that SQL statements need.
extension String {
  /// This string as the name of a table or a column in SQL, in quotation marks, so that it may contain any characters.
  package var sqlName: String {
    let quote: Unicode.Scalar = "\""
    guard utf8.contains(UInt8(ascii: quote)) else { return "\"" + self + "\"" }
    var result = "\"".unicodeScalars
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
