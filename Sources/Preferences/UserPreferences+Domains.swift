public import OrderedCollections
public import PropertyLists

/// Persistent domains: those of the user that have files.
extension UserPreferences {
  /// The values of a domain, without those of any other; nil if it has none. The order is that of the file, which is
  /// looked at for it, and then that of the keys.
  ///
  /// Of two spellings of a key that Swift holds equal, the shorter is there. The other stays when the values are stored
  /// again with ``setPersistentDomain(_:to:)``.
  ///
  /// - Complexity: O(*n* log *n*) in the number of values, and the time to read the file.
  public func persistentDomain(_ domain: PersistentDomain) -> OrderedDictionary<String, PropertyList>? {
    let file = context.file(of: domain)
    let values = file.table.values
    return values.isEmpty ? nil : file.ordered(values).byName
  }

  /// Replaces all values of a domain. Without any, the domain and its file are removed.
  ///
  /// Values that cannot be stored are left out and told to the handler of ``handleErrors(_:)``.
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

  /// The value that one domain has for a key, whatever the search list says; nil if there is none.
  public func value(forKey key: String, in domain: PersistentDomain) -> PropertyList? {
    context.file(of: domain).table.value(forKey: TableKey(key))
  }

  /// Sets the value that one domain has for a key, or removes it with nil.
  public func set(_ value: PropertyList?, forKey key: String, in domain: PersistentDomain) {
    let file = context.file(of: domain)
    set(value, forKey: key, in: file)
    remember(file)
  }

  /// Sets the value that one domain has for a key, or removes it with nil.
  ///
  /// A value that cannot be stored changes nothing and is told to the handler of ``handleErrors(_:)``.
  public func set<Value: PreferenceValue>(_ value: Value?, forKey key: String, in domain: PersistentDomain) {
    let file = context.file(of: domain)
    reportingErrors { () throws(PreferencesError) in
      store(try value?.stored(forKey: key), forKey: key, in: file)
      remember(file)
    }
  }

  /// The domains for any host that have files in the folder of the user, in order of their names.
  ///
  /// - Complexity: O(*n*) in the number of files.
  public var persistentDomainNames: [DomainName] { locations.domainNames() }

  // Volatile domains: values in memory, for all stores of this process with the same locations.

  /// The name of the domain of the command line.
  public static let argumentDomain = "NSArgumentDomain"
  /// The name of the domain of registered values.
  public static let registrationDomain = "NSRegistrationDomain"

  private var argumentTable: DomainTable { upper.first { $0.source == .arguments }?.table ?? ArgumentDomain.ofProcess }

  /// The names of the volatile domains, in order.
  public var volatileDomainNames: [String] {
    (context.volatileDomains.keys + [Self.argumentDomain, Self.registrationDomain]).sorted()
  }

  /// The values of a volatile domain; none if there is no such domain.
  public func volatileDomain(forName name: String) -> [String: PropertyList] {
    switch name {
    case Self.argumentDomain: argumentTable.values.byName
    case Self.registrationDomain: context.registration.values.byName
    default: context.volatileDomains[name] ?? [:]
    }
  }

  /// Replaces the values of a volatile domain.
  ///
  /// Only the domains of arguments and of registered values are in the ``searchList``; others are kept for whoever asks
  /// for them by name, as Apple has it.
  public func setVolatileDomain(_ values: [String: PropertyList], forName name: String) {
    guard canChange else { return }
    switch name {
    case Self.argumentDomain: argumentTable.notify(argumentTable.assign(visible: values))
    case Self.registrationDomain: context.registration.notify(context.registration.assign(visible: values))
    default: context.volatile.withLock { $0[name] = values }
    }
  }

  /// Removes a volatile domain, or the values of the two that are always there.
  public func removeVolatileDomain(forName name: String) {
    guard canChange else { return }
    switch name {
    case Self.argumentDomain, Self.registrationDomain: setVolatileDomain([:], forName: name)
    default: context.volatile.withLock { $0[name] = nil }
    }
  }

  // The search list.

  /// Where a value comes from: an entry of the search list.
  public enum Source: Hashable, Sendable {
    /// A file of an administrator; such values cannot be changed.
    case managed(DomainName, path: String)
    /// The command line of the process.
    case arguments
    /// The domain of the application.
    case application(DomainName, PreferencesHost)
    /// A suite that was added.
    case suite(DomainName, PreferencesHost)
    /// What all applications of the user share.
    case global(PreferencesHost)
    /// A file for all users.
    case systemWide(DomainName, path: String)
    /// What the program registered for when there is nothing else.
    case registration

    var isManaged: Bool {
      if case .managed = self { true } else { false }
    }
  }

  /// The sources that values are looked for in, in order, with the paths of their files; nil for those in memory.
  public var searchList: [(source: Source, path: String?)] { layers.map { ($0.source, $0.file?.path) } }
}

extension UserPreferences.Source: CustomStringConvertible {
  /// A few words for people.
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
