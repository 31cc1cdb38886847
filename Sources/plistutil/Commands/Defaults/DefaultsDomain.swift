import FoundationEssentials
import OrderedCollections
import Preferences
import PropertyListTools
import PropertyLists
import SystemFiles

/// The folders and the host whose domains a call uses.
struct DefaultsLocation {
  let locations: PreferencesLocations
  let host: PreferencesHost
  /// The command-line options that select the host.
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

  /// The domains that have files, sorted by name.
  var domains: [DefaultsDomain] {
    locations.domainNames(host).filter { !FileSystem.hasStandIns($0.rawValue) }.map { DefaultsDomain($0, in: self) }
  }

  /// Calls `body` with the values of each domain. A domain that cannot be read is reported and skipped.
  ///
  /// - Returns: nil if all domains could be read; otherwise an error that determines the exit code. Its message was
  ///   already printed.
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

/// A preferences domain that is given by its name or by the path of its file.
struct DefaultsDomain {
  let file: PreferencesFile
  /// The name in messages.
  let name: String
  /// The name in arguments and in JSON.
  let argument: String
  /// A suggestion for messages, such as the path of a file of the same name.
  private(set) var hint = ""
  /// The path of the file if the argument is a path; nil if it is a domain name.
  private(set) var filePath: String?

  init(_ domain: DomainName, in location: DefaultsLocation) {
    file = PreferencesFile(PersistentDomain(domain, host: location.host), locations: location.locations)
    argument = domain.rawValue
    // Apple's tool uses this name in messages.
    name = domain == .global ? "kCFPreferencesAnyApplication" : domain.rawValue.printable()
  }

  private init(path: String) {
    let filePath = Self.path(path)
    file = PreferencesFile(at: URL(filePath: filePath))
    self.filePath = filePath
    name = FileSystem.showingBytes(path).printable()
    argument = path
  }

  /// Creates the domain that an argument names.
  ///
  /// - Parameter argument: a domain name, or a path that contains a slash.
  init(argument: String, in location: DefaultsLocation) throws(DefaultsError) {
    if argument.utf8.contains(UInt8(ascii: "/")) {
      guard location.host == .any else { throw .usage("-host and -currentHost cannot be used with a file.") }
      self.init(path: argument)
      return
    }
    if ["NSGlobalDomain", "Apple Global Domain", ".GlobalPreferences"].contains(argument) {
      self.init(.global, in: location)
      return
    }
    do { self.init(try DomainName(argument), in: location) } catch { throw DefaultsError(error) }
    if FileSystem.sizeOfRegularFile(argument) != nil {
      hint = "\nFor the file of that name, use a path with a slash: ./\(name)"
    }
  }

  /// Appends `.plist` to a path, as Apple's tool does. Returns the path unchanged if it has that extension, or if a
  /// file exists at the path but not at PATH.plist.
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

  /// Returns the value at a path of the domain. Throws if it does not exist.
  func value(at path: PropertyListKeyPath) throws -> PropertyList {
    let values = PropertyList.dictionary(try self.values() ?? [:])
    do { return try values.value(at: path) } catch {
      throw error.kind == .noSuchValue ? .noSuchValue(self, path.key) : DefaultsError(error, about: name)
    }
  }
}

extension PropertyListKeyPath {
  /// The name of the value in messages: its key in the domain, or its path if it is inside another value.
  var key: String { components.count == 1 ? components[0].text : description }
}

/// Functions that read and edit the values. If the domain is given by the path of its file, editing keeps the file's
/// format, comments and layout, like the verb `set`. If it is given by its name, the Preferences library writes the
/// file.
extension DefaultsDomain {
  typealias Values = OrderedDictionary<String, PropertyList>

  /// The options with the same effect as those of the Preferences library: a dictionary with the single key `CF$UID` is
  /// a dictionary and not a UID, and the last value of a duplicate key is used.
  private static let reading = PropertyListReadingOptions(
    recognizesUIDDictionaries: false, duplicateKeys: .keepLast, restoresCoercedValues: true)
  private static let writing = PropertyListWritingOptions(
    depth: ParsingLimits.greatestDepth, fractionalSeconds: .refuse, writesUIDDictionaries: false, coercion: .reversible)

  /// Returns the values in the file; nil if the file does not exist. JSON is not a format for preferences, but it is
  /// read if the call names the path.
  func values() throws -> Values? {
    do { return try file.values() } catch {
      guard case .unreadable = error, let path = filePath, let document = Self.document(path),
        document.format == .json, let values = try PropertyList(document.root).dictionary
      else { throw error }
      return values
    }
  }

  /// Changes the values in the file. Other processes that save preferences, or edit the file with this tool, cannot
  /// change it meanwhile. Returns when the changes are on the disk.
  ///
  /// - Parameter change: a function that changes its argument: the values of the file, or nil if the file does not
  ///   exist or cannot be read. It sets the argument to nil to remove the file. It may be called several times.
  func update(_ change: (inout Values?) throws -> Void) throws {
    guard let path = filePath else { return try file.update(change) }
    for attempt in 1...EditedFile.greatestAttempt {
      switch try edit(path, change) {
      case .isDone: return
      case .isUnreadable: return try file.update(change)
      case .isOutdated: EditedFile.wait(afterAttempt: attempt)
      }
    }
    throw PreferencesError.changedMeanwhile(path: path)
  }

  /// The outcome of one attempt to edit a file.
  private enum Outcome {
    case isDone
    /// The file does not exist or cannot be read. The Preferences library then makes the change, and renames an
    /// unreadable file.
    case isUnreadable
    /// Another program changed the file.
    case isOutdated
  }

  private func edit(_ path: String, _ change: (inout Values?) throws -> Void) throws -> Outcome {
    let edited = try DefaultsError.about(name) { () throws(PropertyListError) in try EditedFile(path) {} }
    guard let edited, let document = Self.document(path),
      var values = try? PropertyList(document.root).dictionary.map({ Optional($0) })
    else { return .isUnreadable }
    let old = values
    try change(&values)
    if values == old { return .isDone }
    return try DefaultsError.about(name) { () throws(PropertyListError) in
      let data = try values.map { values throws(PropertyListError) in
        try document.data(updatedTo: .dictionary(values), options: Self.writing)
      }
      return try PropertyListError.converting { () throws(FileError) in
        guard let data else { return try edited.remove() ? .isDone : .isOutdated }
        let replacement = try Replacement(of: path)
        try replacement.output.write(data)
        return try replacement.commit(insteadOf: edited.original) ? .isDone : .isOutdated
      }
    }
  }

  /// Returns the document in a file; nil if it cannot be read or its root is not a dictionary.
  private static func document(_ path: String) -> PropertyListDocument? {
    guard FileSystem.sizeOfRegularFile(path) != nil, let data = try? Input(path).data(),
      let document = try? PropertyListDocument(data, options: reading), (try? document.validate()) != nil,
      document.root.kind == .dictionary
    else { return nil }
    return document
  }
}
