public import FoundationEssentials
internal import SystemFiles

/// The folders for preferences.
///
/// | | Linux | Apple systems |
/// |---|---|---|
/// | user | `$XDG_CONFIG_HOME` if that is absolute, else `~/.config` | `~/Library/Preferences` |
/// | system-wide | the absolute ones of `$XDG_CONFIG_DIRS`, else `/etc/xdg` | `/Library/Preferences` |
/// | managed | `/etc/xdg/managed-preferences` | `/Library/Managed Preferences/USER`, `/Library/Managed Preferences` |
///
/// On Linux, the folders are those of the XDG Base Directory Specification. The managed folder does not depend on the
/// environment, because a user could change that.
public struct PreferencesLocations: Sendable {
  /// The folder of the user; nil if the user has no home folder, so that values are kept in memory. It contains the
  /// files `DOMAIN.plist`, and `ByHost/DOMAIN.HOST.plist` for one computer only.
  public let userFolder: String?
  /// The folders with values for all users, with the highest priority first.
  public let systemFolders: [String]
  /// The folders with values that cannot be changed, with the highest priority first.
  public let managedFolders: [String]
  /// The name of this computer in file names.
  public private(set) var host: String

  /// The user's home folder, which is not created if it is missing; nil for a user without one, and for explicit
  /// folders.
  let home: String?

  /// Creates locations with explicit folders, for tests, servers and tools. Nothing outside them is read or written.
  ///
  /// - Parameters:
  ///   - folder: the folder of the user, which is created when a value is saved. With a URL that is not a file URL,
  ///     values are only kept in memory.
  ///   - systemFolders: the folders with values for all users, with the highest priority first.
  ///   - managedFolders: the folders with values that cannot be changed, with the highest priority first.
  ///   - host: the name of this computer in file names; nil for its real name.
  public init(folder: URL, systemFolders: [URL] = [], managedFolders: [URL] = [], host: String? = nil) {
    userFolder = Self.path(folder)
    self.systemFolders = systemFolders.compactMap(Self.path)
    self.managedFolders = managedFolders.compactMap(Self.path)
    self.host = Self.hostName(host ?? ProcessInfo.processInfo.hostName)
    home = nil
  }

  /// The folders of this process, depending on its environment.
  public static let standard = PreferencesLocations(
    environment: { CurrentProcess.environmentValue($0) }, home: CurrentProcess.homeFolder)

  /// Creates locations from an environment.
  ///
  /// - Parameters:
  ///   - environment: a function that returns the value of an environment variable; nil for a variable that is not set.
  ///   - home: the home folder; nil for a user without one.
  ///   - hasFolders: false for preferences that are only in memory.
  init(environment: (String) -> String?, home: String?, hasFolders: Bool = true) {
    let folders = PlatformFolders(environment: environment, home: home)
    self.home = folders.home
    host = Self.hostName(ProcessInfo.processInfo.hostName)
    guard hasFolders else {
      (userFolder, systemFolders, managedFolders) = (nil, [], [])
      return
    }
    userFolder = folders.preferences
    systemFolders = folders.sharedPreferences
    #if canImport(Darwin)
      let user = ProcessInfo.processInfo.userName
      managedFolders = ["/Library/Managed Preferences/\(user)", "/Library/Managed Preferences"]
    #else
      managedFolders = ["/etc/xdg/managed-preferences"]
    #endif
  }

  /// Locations without folders.
  static let inMemory = PreferencesLocations(environment: { _ in nil }, home: nil, hasFolders: false)

  /// Returns locations with the same folders for another computer. The values for that computer are used instead of
  /// those for this computer.
  ///
  /// - Parameter name: the name of the computer in file names.
  public func onHost(_ name: String) -> PreferencesLocations {
    var locations = self
    locations.host = Self.hostName(name)
    return locations
  }

  private static func path(_ url: URL) -> String? {
    url.isFileURL ? FileSystem.absoluteFolder(url.absoluteURL.path) : nil
  }

  /// Returns the part of a file name that identifies a host. It is short enough for a file name with suffixes, which
  /// may have 255 bytes. Long names that differ only at the end remain different.
  private static func hostName(_ name: String) -> String {
    let name = DomainName(nearestTo: name).rawValue
    guard name.utf8.count > 32 else { return name }
    // The FNV-1a hash (Fowler, Noll and Vo).
    let hash = name.utf8.reduce(0x811C_9DC5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    return "\(String(decoding: name.utf8.prefix(20), as: UTF8.self))-\(String(hash, radix: 16))"
  }
}

/// Locations are equal if the bytes of their paths are equal: as file names, two Unicode spellings of a name are
/// different.
extension PreferencesLocations: Hashable {
  public static func == (lhs: PreferencesLocations, rhs: PreferencesLocations) -> Bool { lhs.bytes == rhs.bytes }

  public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

  private var bytes: [[[UInt8]]] {
    [userFolder.map { [$0] } ?? [], systemFolders, managedFolders, [host], home.map { [$0] } ?? []]
      .map { paths in paths.map { Array($0.utf8) } }
  }

  /// Returns the path of the file of a user's domain; nil if there is no folder for files.
  func file(of domain: PersistentDomain) -> String? {
    guard let userFolder else { return nil }
    let host = domain.host == .current ? host : nil
    return FileSystem.join(userFolder, (host == nil ? "" : "ByHost/") + domain.name.fileName(host: host))
  }

  /// Returns the names of the domains that have files in the user's folder, sorted.
  ///
  /// - Parameter host: the domains to return: those for any host, or those for this computer only.
  /// - Complexity: O(*n* log *n*) in the number of files.
  public func domainNames(_ host: PreferencesHost = .any) -> [DomainName] {
    guard let userFolder else { return [] }
    let (folder, host) = host == .current ? (FileSystem.join(userFolder, "ByHost"), self.host) : (userFolder, nil)
    return FileSystem.names(in: folder).compactMap { DomainName(fileName: $0, host: host) }.sorted()
  }
}
