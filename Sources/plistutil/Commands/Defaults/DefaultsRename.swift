import PropertyLists

enum DefaultsRename: DefaultsVerb {
  static let name = "rename"

  static let syntax = DefaultsSyntax(
    arguments: "DOMAIN OLD-KEY NEW-KEY", abstract: "Rename the key of a value.",
    details: """
      An existing key is not overwritten, unless --replace is given.
      """,
    examples: ["rename com.example.notes size fontSize"], operands: 3...3, options: [.replace])

  static func run(_ call: DefaultsCall) throws {
    let domain = try call.namedDomain()
    let (old, new) = (call.operands[0], call.operands[1])
    try domain.update { values in
      guard var entries = values, let value = entries[old] else {
        throw DefaultsError(
          "no-such-key", "Key \(old.printable()) does not exist in domain \(domain.name); leaving defaults unchanged")
      }
      guard old != new else { return }
      guard entries[new] == nil || call.replaces else {
        throw DefaultsError(
          "key-exists",
          "Key \(new.printable()) exists in domain \(domain.name); leaving defaults unchanged (use --replace)"
        )
      }
      entries[old] = nil
      entries[new] = value
      values = entries
    }
  }
}
