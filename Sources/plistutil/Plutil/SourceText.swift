import PropertyLists

/// What the constant that is made of a file is called.
struct SourceName {
  /// The file without the folders it is in, on one line.
  let file: String
  /// Its name without extension, as an identifier of C and Swift.
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
  /// The text between quotation marks, with the escapes that C and Swift share, and those that `escape` gives; nil for
  /// a character that stands for itself.
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
