public import OrderedCollections
public import PropertyLists

/// Functions for persistent domains: the domains of the user that are saved in files.
extension UserPreferences {
  /// Returns the values of a single domain; nil if it has none. Keys that are in the file come first, in the order of
  /// the file; the others follow, sorted.
  ///
  /// If two keys are canonically equivalent in Unicode, so that Swift treats them as equal, only the shorter one is
  /// returned. The other one is kept when the values are stored again with ``setPersistentDomain(_:to:)``.
  ///
  /// - Complexity: O(*n* log *n*) in the number of values, and the time to read the file.
  public func persistentDomain(_ domain: PersistentDomain) -> OrderedDictionary<String, PropertyList>? {
    let file = context.file(of: domain)
    let values = file.table.values
    return values.isEmpty ? nil : file.ordered(values).byName
  }

  /// Replaces all values of a domain. If `values` is empty, the domain and its file are removed.
  ///
  /// Values that cannot be stored are left out, and the handler of ``handleErrors(_:)`` gets an error for each.
  public func setPersistentDomain(_ domain: PersistentDomain, to values: OrderedDictionary<String, PropertyList>) {
    guard canChange else { return }
    let file = context.file(of: domain)
    UpdateUnderWay.note(nil, in: file.name)
    let changed = file.table.replace(with: values.filter { check($0.value, forKey: $0.key) })
    remember(file)
    file.schedule.fileHasChanged(file)
    file.table.notify(changed)
  }

  /// Removes a domain with all its values, and its file.
  public func removePersistentDomain(_ domain: PersistentDomain) { setPersistentDomain(domain, to: [:]) }

  /// Returns the value that a single domain has for a key, without a search in other domains; nil if it has none.
  public func value(forKey key: String, in domain: PersistentDomain) -> PropertyList? {
    context.file(of: domain).table.value(forKey: TableKey(key))
  }

  /// Sets the value for a key in a domain, or removes it if `value` is nil.
  public func set(_ value: PropertyList?, forKey key: String, in domain: PersistentDomain) {
    let file = context.file(of: domain)
    set(value, forKey: key, in: file)
    remember(file)
  }

  /// Sets the value for a key in a domain, or removes it if `value` is nil.
  ///
  /// If the value cannot be stored, nothing changes, and the handler of ``handleErrors(_:)`` gets the error.
  public func set<Value: PreferenceValue>(_ value: Value?, forKey key: String, in domain: PersistentDomain) {
    let file = context.file(of: domain)
    reportingErrors { () throws(PreferencesError) in
      store(try value?.stored(forKey: key), forKey: key, in: file)
      remember(file)
    }
  }

  /// The names of the domains that have files for any host in the user's folder, sorted.
  ///
  /// - Complexity: O(*n* log *n*) in the number of files.
  public var persistentDomainNames: [DomainName] { locations.domainNames() }

  // Volatile domains: values that are only in memory, for all instances in this process with the same locations.

  /// The name of the domain for command line arguments.
  public static let argumentDomain = "NSArgumentDomain"
  /// The name of the domain for registered values.
  public static let registrationDomain = "NSRegistrationDomain"

  private var argumentTable: DomainTable { upper.first { $0.source == .arguments }?.table ?? ArgumentDomain.ofProcess }

  /// The names of the volatile domains, sorted.
  public var volatileDomainNames: [String] {
    (context.volatileDomains.keys + [Self.argumentDomain, Self.registrationDomain]).sorted()
  }

  /// Returns the values of a volatile domain; an empty dictionary if the domain does not exist.
  public func volatileDomain(forName name: String) -> [String: PropertyList] {
    switch name {
    case Self.argumentDomain: argumentTable.values.byName
    case Self.registrationDomain: context.registration.values.byName
    default: context.volatileDomains[name] ?? [:]
    }
  }

  /// Replaces the values of a volatile domain.
  ///
  /// Only the argument domain and the registration domain are in the ``searchList``. Read another one with
  /// ``volatileDomain(forName:)``, as with Apple's `UserDefaults`.
  public func setVolatileDomain(_ values: [String: PropertyList], forName name: String) {
    guard canChange else { return }
    switch name {
    case Self.argumentDomain: argumentTable.notify(argumentTable.assign(visible: values))
    case Self.registrationDomain: context.registration.notify(context.registration.assign(visible: values))
    default: context.volatile.withLock { $0[name] = values }
    }
  }

  /// Removes a volatile domain. The argument domain and the registration domain are emptied instead.
  public func removeVolatileDomain(forName name: String) {
    guard canChange else { return }
    switch name {
    case Self.argumentDomain, Self.registrationDomain: setVolatileDomain([:], forName: name)
    default: context.volatile.withLock { $0[name] = nil }
    }
  }

  // The search list.

  /// An entry of the search list: a domain, or another source of values.
  public enum Source: Hashable, Sendable {
    /// A file of the administrator. Its values cannot be changed.
    case managed(DomainName, path: String)
    /// The command line of the process.
    case arguments
    /// The domain of the application.
    case application(DomainName, PreferencesHost)
    /// A suite that was added with ``UserPreferences/addSuite(named:)``.
    case suite(DomainName, PreferencesHost)
    /// The domain that all applications of the user share.
    case global(PreferencesHost)
    /// A file for all users.
    case systemWide(DomainName, path: String)
    /// The values that the program has registered as defaults.
    case registration

    var isManaged: Bool {
      if case .managed = self { true } else { false }
    }
  }

  /// The sources that are searched for values, in order, with the paths of their files; the path is nil for values in
  /// memory.
  public var searchList: [(source: Source, path: String?)] { layers.map { ($0.source, $0.file?.path) } }
}

extension UserPreferences.Source: CustomStringConvertible {
  /// A short description.
  public var description: String {
    switch self {
    case .managed(_, let path): "managed (\(path.printable()))"
    case .arguments: "arguments"
    case .application(let name, let host): "application \(name)\(host.suffix)"
    case .suite(let name, let host): "suite \(name)\(host.suffix)"
    case .global(let host): "global\(host.suffix)"
    case .systemWide(_, let path): "system-wide (\(path.printable()))"
    case .registration: "registered"
    }
  }
}

extension PreferencesHost {
  fileprivate var suffix: String { self == .current ? " on this host" : "" }
}
