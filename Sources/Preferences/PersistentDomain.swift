/// Whether values are for one computer or for all that share the user's folder.
public enum PreferencesHost: Hashable, Sendable, CaseIterable {
  /// This computer only. Its values come before those of any host.
  case current
  /// Every computer.
  case any
}

/// A domain of the user whose values are in a file.
public struct PersistentDomain: Hashable, Sendable {
  /// Whose values they are.
  public var name: DomainName
  /// Where they count.
  public var host: PreferencesHost

  /// The domain of an application or a suite, or ``DomainName/global``.
  public init(_ name: DomainName, host: PreferencesHost = .any) {
    self.name = name
    self.host = host
  }

  /// What all applications of the user share, on every computer.
  public static let global = PersistentDomain(.global)
}
