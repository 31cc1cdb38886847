import OrderedCollections
import PropertyLists

enum DefaultsRead: DefaultsVerb {
  static let name = "read"

  static let syntax = DefaultsSyntax(
    arguments: "[DOMAIN [KEY]]", abstract: "Print all values, those of a domain, or one.",
    details: """
      A dictionary or an array is printed in the OpenStep format with types,
      complete, so that write and import can read it back. A value alone is printed
      bare; read-type tells its type.

        -k, --key-path PATH  A value inside, instead of KEY: items.0.name
        --format FORMAT      Print xml, json, openstep or gnustep.
        --json               The same as --format json.
        --apple              Print what Apple's tool prints, which cannot be read
                             back: indents of its own, 1 and 0 for booleans, reals
                             between quotation marks, data without its middle.
      """,
    examples: ["read com.example.notes", "read com.example.notes -k windows.0.title", "read --json -g"],
    operands: 0...2, takesKeyPath: true, options: [.apple, .format, .keyPath])

  static func run(_ call: DefaultsCall) throws(DefaultsError) {
    guard let domain = call.domain else { return try readAll(call) }
    if let path = call.path {
      try DefaultsOutput.write(domain.value(at: path), for: call)
    } else {
      try DefaultsOutput.write(.dictionary(domain.existingValues()), for: call)
    }
  }

  /// A domain that cannot be read is told of and left out; the call fails with it in the end.
  private static func readAll(_ call: DefaultsCall) throws(DefaultsError) {
    var all: OrderedDictionary<String, PropertyList> = [:]
    var failure: DefaultsError?
    for domain in call.place.domains {
      do throws(DefaultsError) {
        guard let values = try domain.values() else { continue }
        let isGlobal = domain.argument == "NSGlobalDomain"
        all[call.isApple && isGlobal ? "Apple Global Domain" : domain.argument] = .dictionary(values)
      } catch {
        error.tell(isForMachines: false)
        failure = error
      }
    }
    try DefaultsOutput.write(.dictionary(all), for: call)
    if let failure { throw .told(failure) }
  }
}
