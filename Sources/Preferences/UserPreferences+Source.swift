internal import PropertyLists

extension UserPreferences {
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
