public import FoundationEssentials
internal import SystemFiles

/// The folders that preferences are in.
///
/// | | Linux | Apple systems |
/// |---|---|---|
/// | user | `$XDG_CONFIG_HOME` if that is absolute, else `~/.config` | `~/Library/Preferences` |
/// | system-wide | the absolute ones of `$XDG_CONFIG_DIRS`, else `/etc/xdg` | `/Library/Preferences` |
/// | managed | `/etc/xdg/managed-preferences` | `/Library/Managed Preferences/USER`, `/Library/Managed Preferences` |
///
/// The folders of Linux are those of the XDG Base Directory Specification. The managed folder does not depend on the
/// environment, since whoever sets that could take another.
public struct PreferencesLocations: Sendable {
  /// The folder of the user, whose files are `DOMAIN.plist`, and `ByHost/DOMAIN.HOST.plist` for one computer only. Nil
  /// if the user has no home folder: values are kept in memory then.
  public let userFolder: String?
  /// Folders with values for all users, the more important first.
  public let systemFolders: [String]
  /// Folders with values that nobody can change, the more important first.
  public let managedFolders: [String]
  /// The name that stands for this computer in names of files.
  public private(set) var host: String

  /// The folder that is not made if it is missing, because it is the user's home.
  let home: String?

  /// Explicit folders, for tests, servers and tools. Nothing outside of them is read or written.
  ///
  /// - Parameters:
  ///   - folder: the folder of the user. It is made when something is saved. A URL that is no file's stands for no
  ///     folder.
  ///   - systemFolders: folders with values for all users, the more important first.
  ///   - managedFolders: folders with values that nobody can change, the more important first.
  ///   - host: the name of this computer in names of files; nil for the name it has.
  public init(folder: URL, systemFolders: [URL] = [], managedFolders: [URL] = [], host: String? = nil) {
    userFolder = Self.path(folder)
    self.systemFolders = systemFolders.compactMap(Self.path)
    self.managedFolders = managedFolders.compactMap(Self.path)
    self.host = Self.hostName(host ?? ProcessInfo.processInfo.hostName)
    home = nil
  }

  /// The folders of this process, as its environment says.
  public static let standard = PreferencesLocations(
    environment: { CurrentProcess.environmentValue($0) }, home: CurrentProcess.homeFolder)

  /// - Parameters:
  ///   - environment: returns the value of a variable; nil for a variable that is not set.
  ///   - home: the home folder; nil for a user without one.
  ///   - hasFolders: false for a store without files.
  init(environment: (String) -> String?, home: String?, hasFolders: Bool = true) {
    let home = home.flatMap(Self.absolute)
    self.home = home
    host = Self.hostName(ProcessInfo.processInfo.hostName)
    guard hasFolders else {
      (userFolder, systemFolders, managedFolders) = (nil, [], [])
      return
    }
    #if canImport(Darwin)
      userFolder = home.map { Self.join($0, "Library/Preferences") }
      systemFolders = ["/Library/Preferences"]
      let user = ProcessInfo.processInfo.userName
      managedFolders = ["/Library/Managed Preferences/\(user)", "/Library/Managed Preferences"]
    #else
      userFolder = environment("XDG_CONFIG_HOME").flatMap(Self.absolute) ?? home.map { Self.join($0, ".config") }
      let folders = (environment("XDG_CONFIG_DIRS") ?? "").split(separator: ":").compactMap {
        Self.absolute(String($0))
      }
      systemFolders = folders.isEmpty ? ["/etc/xdg"] : folders
      managedFolders = ["/etc/xdg/managed-preferences"]
    #endif
  }

  /// No folders.
  static let inMemory = PreferencesLocations(environment: { _ in nil }, home: nil, hasFolders: false)

  /// The same folders, with the values of another computer instead of those of this one.
  ///
  /// - Parameter name: the name that stands for the computer in names of files.
  public func onHost(_ name: String) -> PreferencesLocations {
    var locations = self
    locations.host = Self.hostName(name)
    return locations
  }

  private static func path(_ url: URL) -> String? { url.isFileURL ? absolute(url.absoluteURL.path) : nil }

  /// The path without slashes at its end; nil if it is relative.
  private static func absolute(_ path: String) -> String? {
    guard path.hasPrefix("/") else { return nil }
    var path = path
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }

  /// A host's name as a part of a file's name, which with all that is added to it has 255 bytes at most. Long names
  /// that differ only at the end stay different.
  private static func hostName(_ name: String) -> String {
    let name = DomainName(nearestTo: name).rawValue
    guard name.utf8.count > 32 else { return name }
    // Fowler, Noll and Vo's hash (FNV-1a).
    let hash = name.utf8.reduce(0x811C_9DC5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    return "\(String(decoding: name.utf8.prefix(20), as: UTF8.self))-\(String(hash, radix: 16))"
  }
}

/// Locations are equal when their bytes are, as those of files: two spellings of one letter are two folders.
extension PreferencesLocations: Hashable {
  public static func == (lhs: PreferencesLocations, rhs: PreferencesLocations) -> Bool { lhs.bytes == rhs.bytes }

  public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

  private var bytes: [[[UInt8]]] {
    [userFolder.map { [$0] } ?? [], systemFolders, managedFolders, [host], home.map { [$0] } ?? []]
      .map { paths in paths.map { Array($0.utf8) } }
  }

  /// The file of a domain of the user; nil if there is no folder.
  func file(of domain: PersistentDomain) -> String? {
    guard let userFolder else { return nil }
    let host = domain.host == .current ? host : nil
    return Self.join(userFolder, (host == nil ? "" : "ByHost/") + domain.name.fileName(host: host))
  }

  /// The domains that have files in the folder of the user, in order of their names.
  ///
  /// - Parameter host: whose values are in the files.
  /// - Complexity: O(*n* log *n*) in the number of files.
  public func domainNames(_ host: PreferencesHost = .any) -> [DomainName] {
    guard let userFolder else { return [] }
    let (folder, host) = host == .current ? (Self.join(userFolder, "ByHost"), self.host) : (userFolder, nil)
    return FileSystem.names(in: folder).compactMap { DomainName(fileName: $0, host: host) }.sorted()
  }

  static func join(_ folder: String, _ name: String) -> String { folder == "/" ? "/" + name : folder + "/" + name }
}
