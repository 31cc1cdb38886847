import PropertyLists

enum DefaultsReadType: DefaultsVerb {
  static let name = "read-type"

  static let syntax = DefaultsSyntax(
    arguments: "DOMAIN KEY", abstract: "Print the type of a value.",
    details: """
      Types are boolean, integer, float, string, data, date, array and dictionary.

        -k, --key-path PATH  A value inside, instead of KEY.
      """,
    examples: ["read-type com.example.notes fontSize"], operands: 2...2, takesKeyPath: true, options: [.keyPath])

  static func run(_ call: DefaultsCall) throws(DefaultsError) {
    let type = try name(of: call.namedDomain().value(at: call.namedPath()))
    if call.isForMachines {
      try DefaultsOutput.writeLine(["type": .string(type)])
    } else {
      try DefaultsOutput.write("Type is \(type)")
    }
  }

  private static func name(of value: PropertyList) -> String {
    switch value.kind {
    case .real: "float"
    case .string, .integer, .boolean, .date, .data, .array, .dictionary, .uid, .null: value.kind.rawValue
    }
  }
}
