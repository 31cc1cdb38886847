/// The folders in which programs keep their files on this platform.
///
/// On Linux, they are those of the XDG Base Directory Specification 0.8. A variable counts only if it is an absolute
/// path. On Apple's systems, they are those of `sysdir(3)`.
///
/// | | Linux | Apple's systems |
/// |---|---|---|
/// | data | `$XDG_DATA_HOME`, else `~/.local/share` | `~/Library/Application Support` |
/// | preferences | `$XDG_CONFIG_HOME`, else `~/.config` | `~/Library/Preferences` |
/// | caches | `$XDG_CACHE_HOME`, else `~/.cache` | `~/Library/Caches` |
/// | data for all users | `$XDG_DATA_DIRS`, else `/usr/local/share`, `/usr/share` | `/Library/Application Support` |
/// | preferences for all users | `$XDG_CONFIG_DIRS`, else `/etc/xdg` | `/Library/Preferences` |
/// | temporary files | `$TMPDIR`, else `/tmp` | the same |
///
/// No path ends with a slash, and no folder is created.
package struct PlatformFolders: Sendable {
  /// The home folder of the user; nil if the user has none.
  package let home: String?
  /// The user's folder for data; nil for a user without a home folder.
  package let data: String?
  /// The user's folder for preferences; nil for a user without a home folder.
  package let preferences: String?
  /// The user's folder for caches; nil for a user without a home folder.
  package let caches: String?
  /// The folders with data for all users, with the highest priority first.
  package let sharedData: [String]
  /// The folders with preferences for all users, with the highest priority first.
  package let sharedPreferences: [String]
  /// The folder for temporary files.
  package let temporary: String

  /// The folders of this process, depending on its environment.
  package static var current: PlatformFolders {
    PlatformFolders(environment: { CurrentProcess.environmentValue($0) }, home: CurrentProcess.homeFolder)
  }

  /// Finds the folders of a user.
  ///
  /// - Parameters:
  ///   - environment: A function that returns the value of an environment variable, or nil if the variable is not set.
  ///   - home: The home folder; nil for a user without one.
  package init(environment: (String) -> String?, home: String?) {
    func folder(_ variable: String) -> String? { environment(variable).flatMap { FileSystem.absoluteFolder($0) } }
    func folders(_ variable: String, else standard: [String]) -> [String] {
      let set = (environment(variable) ?? "").split(separator: ":").compactMap {
        FileSystem.absoluteFolder(String($0))
      }
      return set.isEmpty ? standard : set
    }
    let home = home.flatMap { FileSystem.absoluteFolder($0) }
    func inHome(_ path: String) -> String? { home.map { FileSystem.join($0, path) } }
    self.home = home
    #if canImport(Darwin)
      data = inHome("Library/Application Support")
      preferences = inHome("Library/Preferences")
      caches = inHome("Library/Caches")
      sharedData = ["/Library/Application Support"]
      sharedPreferences = ["/Library/Preferences"]
    #else
      data = folder("XDG_DATA_HOME") ?? inHome(".local/share")
      preferences = folder("XDG_CONFIG_HOME") ?? inHome(".config")
      caches = folder("XDG_CACHE_HOME") ?? inHome(".cache")
      sharedData = folders("XDG_DATA_DIRS", else: ["/usr/local/share", "/usr/share"])
      sharedPreferences = folders("XDG_CONFIG_DIRS", else: ["/etc/xdg"])
    #endif
    temporary = folder("TMPDIR") ?? "/tmp"
  }
}

extension FileSystem {
  /// Returns the path of a folder without slashes at its end; nil if it is relative.
  package static func absoluteFolder(_ path: String) -> String? {
    guard path.hasPrefix("/") else { return nil }
    var path = path
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }

  /// Returns the path of a name in a folder whose path does not end with a slash, except if it is `/`.
  package static func join(_ folder: String, _ name: String) -> String {
    folder == "/" ? "/" + name : folder + "/" + name
  }
}
