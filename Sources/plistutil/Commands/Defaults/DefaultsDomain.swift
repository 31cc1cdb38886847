import FoundationEssentials
import OrderedCollections
import Preferences
import PropertyListTools
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

/// Files that are named by their paths. They are edited as the verb `set` does it, so that comments and layout stay of
/// what people have written, and any format does; the files of domains by name are left to the library.
extension DefaultsDomain {
  typealias Values = OrderedDictionary<String, PropertyList>

  /// As files of preferences are read: a dictionary that looks like a UID is one, and of a key that stands twice the
  /// last value counts.
  private static let reading = PropertyListReadingOptions(
    recognizesUIDDictionaries: false, duplicateKeys: .keepLast, restoresCoercedValues: true)
  private static let writing = PropertyListWritingOptions(
    depth: ParsingLimits.greatestDepth, fractionalSeconds: .refuse, writesUIDDictionaries: false, coercion: .reversible)

  /// What the file holds; nil if there is none. JSON, which is no format of preferences, is read if it is named by its
  /// path.
  func values() throws -> Values? {
    do { return try file.values() } catch {
      guard case .unreadable = error, let path = filePath, let document = Self.document(path),
        document.format == .json, let values = try PropertyList(document.root).dictionary
      else { throw error }
      return values
    }
  }

  /// Changes the values of the file, while no other process that saves preferences or edits the file with this tool can
  /// change them. Returns when they are on the disk.
  ///
  /// - Parameter change: is given the values, nil if there is no file or it cannot be read, and makes of them what the
  ///   file is to hold; nil for no file. It may be called again.
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

  /// What came of an attempt to edit a text.
  private enum Outcome {
    case isDone
    /// There is no file, or none that can be read, which is set aside.
    case isUnreadable
    /// Another program changed it.
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

  /// The dictionary in a file; nil if there is none that can be read.
  private static func document(_ path: String) -> PropertyListDocument? {
    guard FileSystem.sizeOfRegularFile(path) != nil, let data = try? Input(path).data(),
      let document = try? PropertyListDocument(data, options: reading), (try? document.validate()) != nil,
      document.root.kind == .dictionary
    else { return nil }
    return document
  }
}
