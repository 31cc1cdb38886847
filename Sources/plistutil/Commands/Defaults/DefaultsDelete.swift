import Preferences
import PropertyLists

enum DefaultsDelete: DefaultsVerb {
  static let name = "delete"
  static let aliases = ["remove", "delete-all"]

  static let syntax = DefaultsSyntax(
    arguments: "DOMAIN [KEY]", abstract: "Remove a domain with its file, or one value.",
    details: """
      delete-all also removes the values for this computer only.

        -k, --key-path PATH  A nested value, instead of KEY: items.0
      """,
    examples: ["delete com.example.notes fontSize", "delete com.example.notes -k windows.0"], operands: 1...2,
    options: [.keyPath])

  static func run(_ call: DefaultsCall) throws {
    let domain = try call.namedDomain()
    guard call.name == "delete-all", call.location.host == .any, let name = try? DomainName(domain.argument) else {
      return try delete(call.path, from: domain)
    }
    // A domain can have two files: one for this computer and one for every computer. The value may be in only one of
    // them, so a missing value is an error only if neither file has it.
    var failure: DefaultsError?
    var hasDeleted = false
    for host in PreferencesHost.allCases {
      let location = DefaultsLocation(locations: call.location.locations, host: host)
      do {
        try delete(call.path, from: DefaultsDomain(name, in: location))
        hasDeleted = true
      } catch let error as DefaultsError where ["no-such-key", "no-such-domain"].contains(error.kind) {
        failure = error
      }
    }
    if let failure, !hasDeleted { throw failure }
  }

  private static func delete(_ path: PropertyListKeyPath?, from domain: DefaultsDomain) throws {
    try domain.update { values in
      guard let entries = values else {
        throw DefaultsError("no-such-domain", "Domain (\(domain.name)) not found.\nDefaults have not been changed.")
      }
      guard let path else {
        values = nil
        return
      }
      var all = PropertyList.dictionary(entries)
      do throws(PropertyListError) { try all.remove(at: path) } catch {
        throw error.kind == .noSuchValue
          ? DefaultsError.noSuchValue(domain, path.key, ending: "\nDefaults have not been changed.")
          : DefaultsError(error, about: domain.name)
      }
      values = all.dictionary
    }
  }
}
