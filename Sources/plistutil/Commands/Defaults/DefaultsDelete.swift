import OrderedCollections
import Preferences
import PropertyLists

enum DefaultsDelete: DefaultsVerb {
  static let name = "delete"
  static let aliases = ["remove", "delete-all"]

  static let syntax = DefaultsSyntax(
    arguments: "DOMAIN [KEY]", abstract: "Remove a domain with its file, or one value.",
    details: """
      As delete-all, also the values of this computer only.

        -k, --key-path PATH  A value inside, instead of KEY: items.0
      """,
    examples: ["delete com.example.notes fontSize", "delete com.example.notes -k windows.0"], operands: 1...2,
    takesKeyPath: true, options: [.keyPath])

  static func run(_ call: DefaultsCall) throws(DefaultsError) {
    let domain = try call.namedDomain()
    guard call.name == "delete-all", call.place.host == .any, let name = try? DomainName(domain.argument) else {
      return try delete(call.path, from: domain)
    }
    // There may be values in one of the two files only.
    var failure: DefaultsError?
    var hasDeleted = false
    for host in PreferencesHost.allCases {
      let place = DefaultsPlace(locations: call.place.locations, host: host)
      do throws(DefaultsError) {
        try delete(call.path, from: DefaultsDomain(name, in: place))
        hasDeleted = true
      } catch {
        guard error.kind.hasPrefix("no-such-") else { throw error }
        failure = error
      }
    }
    if let failure, !hasDeleted { throw failure }
  }

  private static func delete(_ path: PropertyListKeyPath?, from domain: DefaultsDomain) throws(DefaultsError) {
    try domain.update { values throws(DefaultsError) in
      guard let entries = values else { throw .noSuchDomainToDelete(domain) }
      guard let path else {
        values = nil
        return
      }
      var all = PropertyList.dictionary(entries)
      do throws(PropertyListError) {
        try all.remove(at: path)
      } catch {
        throw error.kind == .noSuchValue
          ? .noSuchValue(domain, path.key, ending: "\nDefaults have not been changed.")
          : DefaultsError(error, about: domain.name)
      }
      values = all.dictionary
    }
  }
}
