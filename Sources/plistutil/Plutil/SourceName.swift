/// What the constant that is made of a file is called.
struct SourceName {
  /// The file without the folders it is in, on one line.
  let file: String
  /// Its name without extension, as an identifier of C and Swift.
  let constant: String
  /// The same for a header.
  let stem: String

  init(_ path: String) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    file = name.printable()
    stem = OutputPath.withoutExtension(name)
    var identifier = ""
    for scalar in stem.unicodeScalars {
      let isAllowed = scalar == "_" || scalar.properties.isXIDContinue
      identifier.unicodeScalars.append(isAllowed ? scalar : "_")
    }
    let first = identifier.unicodeScalars.first
    if first != "_", first?.properties.isXIDStart != true { identifier = "_" + identifier }
    constant = identifier
  }
}
