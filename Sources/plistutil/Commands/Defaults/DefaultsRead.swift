import OrderedCollections
import PropertyLists
import ToolSupport

enum DefaultsRead: DefaultsVerb {
  static let name = "read"

  static let syntax = DefaultsSyntax(
    arguments: "[DOMAIN [KEY]]", abstract: "Print all values, the values of a domain, or one value.",
    details: """
      Dictionaries and arrays are printed completely, in the OpenStep format with
      types, so that write and import can read them back. For any other value, its
      text is printed; read-type prints the type.

        -k, --key-path PATH  A nested value, instead of KEY: items.0.name
        --format FORMAT      Print xml, json, openstep or gnustep.
        --json               The same as --format json.
        --apple              Print what Apple's tool prints, which cannot be read
                             back: other indents, 1 and 0 for booleans, reals in
                             quotation marks, data without its middle. This is
                             the default if the tool is called defaults, for
                             example through a link of that name.
        --typed              Print OpenStep with types in that case too.

      If a file has a key twice, the last value is used.
      """,
    examples: ["read com.example.notes", "read com.example.notes -k windows.0.title", "read --json -g"],
    operands: 0...2, options: [.apple, .format, .keyPath, .typed])

  static func run(_ call: DefaultsCall) throws {
    guard let domain = call.domain else { return try readAll(call) }
    if let path = call.path {
      try DefaultsOutput.write(domain.value(at: path), for: call)
    } else {
      try DefaultsOutput.write(.dictionary(domain.existingValues()), for: call)
    }
  }

  private static func readAll(_ call: DefaultsCall) throws {
    var all: OrderedDictionary<String, PropertyList> = [:]
    let failure = call.location.forEachDomain { domain, values in
      let isGlobal = domain.argument == "NSGlobalDomain"
      all[call.isApple && isGlobal ? "Apple Global Domain" : domain.argument] = .dictionary(values)
    }
    try DefaultsOutput.write(.dictionary(all), for: call)
    if let failure { throw failure }
  }
}

enum DefaultsReadType: DefaultsVerb {
  static let name = "read-type"

  static let syntax = DefaultsSyntax(
    arguments: "DOMAIN KEY", abstract: "Print the type of a value.",
    details: """
      Types are boolean, integer, float, string, data, date, array and dictionary.

        -k, --key-path PATH  A nested value, instead of KEY.
      """,
    examples: ["read-type com.example.notes fontSize"], operands: 2...2, options: [.keyPath])

  static func run(_ call: DefaultsCall) throws {
    let kind = try call.namedDomain().value(at: call.namedPath()).kind
    let type = kind == .real ? "float" : kind.rawValue
    if call.isForMachines {
      try DefaultsOutput.writeLine(["type": .string(type)])
    } else {
      try output("Type is \(type)")
    }
  }
}

enum DefaultsDomains: DefaultsVerb {
  static let name = "domains"

  static let syntax = DefaultsSyntax(
    arguments: "", abstract: "Print the names of all domains except the global one.",
    details: """
      The names are printed on one line, sorted, with commas between them; with
      --json, as an array.
      """,
    examples: ["domains"], operands: 0...0, takesDomain: false)

  static func run(_ call: DefaultsCall) throws {
    let names = call.location.domains.map(\.argument).filter { $0 != "NSGlobalDomain" }
    if call.isForMachines {
      try DefaultsOutput.writeLine(.array(names.map { .string($0) }))
    } else {
      try output(names.map { $0.printable() }.joined(separator: ", "))
    }
  }
}
