import FoundationEssentials
import OrderedCollections
import Preferences
import PropertyLists
import SystemFiles

/// Where domains are looked for.
struct DefaultsLocation {
  let locations: PreferencesLocations
  let host: PreferencesHost
  /// The options that name the host.
  let hostOptions: [String]

  init(folder: String? = nil, currentHost: Bool = false, hostName: String? = nil) {
    var locations = folder.map { PreferencesLocations(folder: URL(filePath: $0)) } ?? .standard
    if let hostName { locations = locations.onHost(hostName) }
    self.locations = locations
    host = currentHost || hostName != nil ? .current : .any
    hostOptions = hostName.map { ["-host", $0] } ?? (currentHost ? ["-currentHost"] : [])
  }

  init(locations: PreferencesLocations, host: PreferencesHost) {
    (self.locations, self.host) = (locations, host)
    hostOptions = host == .current ? ["-currentHost"] : []
  }

  /// The domains that have files, in order of their names.
  var domains: [DefaultsDomain] {
    locations.domainNames(host).filter { !FileSystem.hasStandIns($0.rawValue) }.map { DefaultsDomain($0, in: self) }
  }

  /// Gives the values of all domains to `body`. A domain that cannot be read is told of and left out. Returns what the
  /// call fails with in the end, because of those that cannot be read.
  func forEachDomain(_ body: (DefaultsDomain, OrderedDictionary<String, PropertyList>) -> Void) -> DefaultsError? {
    var failure: DefaultsError?
    for domain in domains {
      do {
        if let values = try domain.values() { body(domain, values) }
      } catch {
        let error = DefaultsError(error)
        error.tell(isForMachines: false)
        failure = .told(error)
      }
    }
    return failure
  }
}

/// A domain that a call names.
struct DefaultsDomain {
  let file: PreferencesFile
  /// As messages name it.
  let name: String
  /// As an argument names it, and JSON.
  let argument: String
  /// What may have been meant.
  private(set) var hint = ""
  /// The path that an argument gives instead of a name; nil for a name.
  private(set) var filePath: String?

  init(_ domain: DomainName, in location: DefaultsLocation) {
    file = PreferencesFile(PersistentDomain(domain, host: location.host), locations: location.locations)
    argument = domain.rawValue
    // Apple's name for it in messages.
    name = domain == .global ? "kCFPreferencesAnyApplication" : domain.rawValue.printable()
  }

  private init(path: String) {
    let filePath = Self.path(path)
    file = PreferencesFile(at: URL(filePath: filePath))
    self.filePath = filePath
    name = FileSystem.showingBytes(path).printable()
    argument = path
  }

  /// - Parameter argument: a name, or a path, which has a slash in it.
  init(argument: String, in location: DefaultsLocation) throws(DefaultsError) {
    if argument.utf8.contains(UInt8(ascii: "/")) {
      guard location.host == .any else { throw .usage("A file has no values of a host.") }
      self.init(path: argument)
      return
    }
    if ["NSGlobalDomain", "Apple Global Domain", ".GlobalPreferences"].contains(argument) {
      self.init(.global, in: location)
      return
    }
    do { self.init(try DomainName(argument), in: location) } catch { throw DefaultsError(error) }
    if FileSystem.sizeOfRegularFile(argument) != nil {
      hint = "\nFor the file of that name, give a path with a slash: ./\(name)"
    }
  }

  /// The file at a path: as Apple's tool has it with `.plist` after the path, unless that is how it ends or only the
  /// path itself is a file.
  private static func path(_ argument: String) -> String {
    if argument.hasSuffix(".plist") { return argument }
    let isFile = FileSystem.sizeOfRegularFile(argument) != nil
    return isFile && FileSystem.sizeOfRegularFile(argument + ".plist") == nil ? argument : argument + ".plist"
  }

  func existingValues() throws -> OrderedDictionary<String, PropertyList> {
    guard let values = try self.values() else {
      throw DefaultsError("no-such-domain", "Domain \(name) does not exist\(hint)")
    }
    return values
  }

  /// The value that a call names.
  func value(at path: PropertyListKeyPath) throws -> PropertyList {
    let values = PropertyList.dictionary(try self.values() ?? [:])
    do { return try values.value(at: path) } catch {
      throw error.kind == .noSuchValue ? .noSuchValue(self, path.key) : DefaultsError(error, about: name)
    }
  }
}

extension PropertyListKeyPath {
  /// A key of a domain as messages name it, or a path into its value.
  var key: String { components.count == 1 ? components[0].text : description }
}
