import PropertyLists

/// The names in the source code that is generated from a file.
struct SourceName {
  /// The name of the file without its folder, on one line.
  let file: String
  /// The name of the file without its extension, as an identifier in C and Swift.
  let constant: String

  init(_ path: String) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    file = name.printable()
    var identifier = ""
    for scalar in name.withoutPathExtension.unicodeScalars {
      let isAllowed = scalar == "_" || scalar.properties.isXIDContinue
      identifier.unicodeScalars.append(isAllowed ? scalar : "_")
    }
    let first = identifier.unicodeScalars.first
    if first != "_", first?.properties.isXIDStart != true { identifier = "_" + identifier }
    constant = identifier
  }
}

extension String {
  /// Returns the text in quotation marks, with the escapes that C and Swift share. `escape` returns other escapes, or
  /// nil for a character that needs no escape.
  func sourceLiteral(opening: String, _ escape: (Unicode.Scalar, _ previous: Unicode.Scalar?) -> String?) -> String {
    var literal = opening
    var previous: Unicode.Scalar?
    for scalar in unicodeScalars {
      switch scalar {
      case "\"", "\\": literal += "\\\(scalar)"
      case "\n": literal += "\\n"
      case "\r": literal += "\\r"
      case "\t": literal += "\\t"
      default: literal += escape(scalar, previous) ?? String(scalar)
      }
      previous = scalar
    }
    return literal + "\""
  }
}
