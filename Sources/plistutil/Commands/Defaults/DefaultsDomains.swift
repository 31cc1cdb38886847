import PropertyLists

enum DefaultsDomains: DefaultsVerb {
  static let name = "domains"

  static let syntax = DefaultsSyntax(
    arguments: "", abstract: "Print the names of all domains but the global one.",
    details: """
      The names are on one line, in order, with commas between them; with --json
      they are an array.
      """,
    examples: ["domains"], operands: 0...0, takesDomain: false)

  static func run(_ call: DefaultsCall) throws(DefaultsError) {
    let names = call.place.domains.map(\.argument).filter { $0 != "NSGlobalDomain" }
    if call.isForMachines {
      try DefaultsOutput.writeLine(.array(names.map { .string($0) }))
    } else {
      try DefaultsOutput.write(names.map { $0.printable() }.joined(separator: ", "))
    }
  }
}
