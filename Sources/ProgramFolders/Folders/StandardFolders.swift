public import FoundationEssentials
internal import SystemFiles

/// The locations of the standard folders.
///
/// ```swift
/// let folders = try StandardFolders.current.forProgram("org.example.notes")
/// let store = try folders.url(for: .applicationSupport, create: true).appending(path: "notes.sqlite")
/// // ~/.local/share/org.example.notes/notes.sqlite on Linux
/// ```
///
/// The folders of the user:
///
/// | folder | Linux | Apple's systems | in a container |
/// |---|---|---|---|
/// | ``StandardFolder/documents`` | as in `user-dirs.dirs`, else `~/Documents` | `~/Documents` | `Documents` |
/// | ``StandardFolder/library`` | as `applicationSupport` | `~/Library` | `Library` |
/// | ``StandardFolder/applicationSupport`` | `$XDG_DATA_HOME`, else `~/.local/share` | `~/Library/Application Support` | `Library/Application Support` |
/// | ``StandardFolder/caches`` | `$XDG_CACHE_HOME`, else `~/.cache` | `~/Library/Caches` | `Library/Caches` |
/// | ``StandardFolder/preferences`` | `$XDG_CONFIG_HOME`, else `~/.config` | `~/Library/Preferences` | `Library/Preferences` |
/// | ``StandardFolder/temporary`` | `$TMPDIR`, else `/tmp` | the same | `tmp` |
/// | ``StandardFolder/home`` | `~` | `~` | the container |
///
/// The folders for all users:
///
/// | folder | Linux | Apple's systems |
/// |---|---|---|
/// | `library` | as `applicationSupport` | `/Library`, `/System/Library` |
/// | `applicationSupport` | `$XDG_DATA_DIRS`, else `/usr/local/share`, `/usr/share` | `/Library/Application Support` |
/// | `caches` | `/var/cache` | `/Library/Caches` |
/// | `preferences` | `$XDG_CONFIG_DIRS`, else `/etc/xdg` | `/Library/Preferences` |
///
/// On Linux, folders in `/usr` except `/usr/local` belong to the domain ``FolderDomain/system``, and all others to
/// ``FolderDomain/local``, as in the Filesystem Hierarchy Standard. The variables are those of the XDG Base Directory
/// Specification. A variable that is not an absolute path is ignored, as the specification says.
///
/// A value describes locations, and creates no folder until you pass `create: true`.
public struct StandardFolders: Sendable {
  /// The home folder without a slash at its end; nil if the user has none.
  let home: String?
  private let userPaths: [StandardFolder: String]
  private let sharedPaths: [StandardFolder: [String]]
  /// The folder with the file `user-dirs.dirs`, on Linux.
  private let userDirectoriesFolder: String?
  /// True for a container. Only one program uses its folders.
  let isContainer: Bool
  /// The name of the program's own subfolders.
  private var program: String?

  /// The folders of this process, depending on its environment.
  public static var current: StandardFolders { StandardFolders(.current) }

  /// Creates locations from an environment, for tests and for programs that act for another user. On Apple's systems,
  /// only the variable `TMPDIR` has an effect.
  ///
  /// ```swift
  /// let folders = StandardFolders(environment: ["XDG_DATA_HOME": "/srv/data"], home: URL(filePath: "/home/ada"))
  /// try folders.url(for: .applicationSupport).path   // "/srv/data" on Linux
  /// ```
  ///
  /// - Parameters:
  ///   - environment: The variables.
  ///   - home: The home folder; nil for a user without one.
  public init(environment: [String: String], home: URL?) {
    let path = home.flatMap { $0.isFileURL ? $0.absoluteURL.path : nil }
    self.init(PlatformFolders(environment: { environment[$0] }, home: path))
  }

  private init(_ folders: PlatformFolders) {
    home = folders.home
    isContainer = false
    var user: [StandardFolder: String] = [:]
    user[.home] = folders.home
    user[.applicationSupport] = folders.data
    user[.caches] = folders.caches
    user[.preferences] = folders.preferences
    user[.temporary] = folders.temporary
    #if canImport(Darwin)
      user[.library] = folders.home.map { FileSystem.join($0, "Library") }
      sharedPaths = [
        .library: ["/Library", "/System/Library"], .applicationSupport: folders.sharedData,
        .caches: ["/Library/Caches"], .preferences: folders.sharedPreferences,
      ]
      userDirectoriesFolder = nil
    #else
      user[.library] = folders.data
      sharedPaths = [
        .library: folders.sharedData, .applicationSupport: folders.sharedData, .caches: ["/var/cache"],
        .preferences: folders.sharedPreferences,
      ]
      userDirectoriesFolder = folders.preferences
    #endif
    user[.documents] = folders.home.map { FileSystem.join($0, "Documents") }
    userPaths = user
  }

  /// Creates locations in one folder, with the names that Apple's systems use in the container of a program. Use it for
  /// servers with several tenants, for portable programs, and for tests.
  ///
  /// ```swift
  /// let folders = try StandardFolders(container: URL(filePath: "/srv/tenants/17"))
  /// try folders.url(for: .caches).path   // "/srv/tenants/17/Library/Caches"
  /// ```
  ///
  /// - Throws: ``ProgramFoldersError/invalidName(_:reason:)`` if the URL is not a file URL.
  public init(container: URL) throws(ProgramFoldersError) {
    guard container.isFileURL, let path = FileSystem.absoluteFolder(container.absoluteURL.path) else {
      throw .invalidName(container.absoluteString, reason: "it is not the URL of a file")
    }
    home = path
    isContainer = true
    sharedPaths = [:]
    userDirectoriesFolder = nil
    userPaths = [
      .documents: "Documents", .library: "Library", .applicationSupport: "Library/Application Support",
      .caches: "Library/Caches", .preferences: "Library/Preferences", .temporary: "tmp",
    ].mapValues { FileSystem.join(path, $0) }.merging([.home: path]) { $1 }
  }

  /// Returns locations in which `applicationSupport`, `caches` and `temporary` are subfolders for one program. On
  /// Linux, `preferences` is a subfolder, too. The other folders are the same.
  ///
  /// The name of the subfolder for temporary files ends with the user's number, because users share its parent. In a
  /// container, it does not.
  ///
  /// ```swift
  /// let folders = try StandardFolders.current.forProgram("org.example.notes")
  /// try folders.url(for: .caches).path   // "/home/ada/.cache/org.example.notes"
  /// ```
  ///
  /// - Parameter identifier: The name of the subfolders: an identifier such as `org.example.notes`, or the name of the
  ///   program.
  /// - Throws: ``ProgramFoldersError/invalidName(_:reason:)`` if the name is empty, is `.` or `..`, or contains a slash
  ///   or a NUL, or has more than 255 bytes.
  public func forProgram(_ identifier: String) throws(ProgramFoldersError) -> StandardFolders {
    var folders = self
    folders.program = try ContainedPath(name: identifier).path
    return folders
  }

  /// Returns the path of a folder of the user; nil for a user without a home folder.
  ///
  /// - Throws: The errors of ``UserDirectories/init(inPreferences:)``.
  func userPath(_ folder: StandardFolder) throws(ProgramFoldersError) -> String? {
    var path = userPaths[folder]
    if folder == .documents, let userDirectoriesFolder {
      path = try UserDirectories(inPreferences: userDirectoriesFolder).folder("DOCUMENTS", home: home) ?? path
    }
    guard let path else { return nil }
    let isShared = folder == .temporary && !isContainer
    return inProgram(path, folder, suffix: isShared ? "-\(geteuid())" : "")
  }

  /// Returns the paths of a folder for all users, in the order of the search.
  func sharedPaths(_ folder: StandardFolder, in domains: Set<FolderDomain>) -> [String] {
    (sharedPaths[folder] ?? []).filter { domains.contains(Self.domain(ofShared: $0)) }.map { inProgram($0, folder) }
  }

  /// Returns the name of the program that uses a folder alone; nil if programs share the folder.
  func program(of folder: StandardFolder) -> String? {
    switch folder {
    case .applicationSupport, .caches, .temporary: program
    case .preferences: userDirectoriesFolder == nil ? nil : program
    case .documents, .library, .home: nil
    }
  }

  private func inProgram(_ path: String, _ folder: StandardFolder, suffix: String = "") -> String {
    program(of: folder).map { FileSystem.join(path, $0 + suffix) } ?? path
  }

  private static func domain(ofShared path: String) -> FolderDomain {
    func contains(_ folder: String) -> Bool { path == folder || path.hasPrefix(folder + "/") }
    return contains("/System") || contains("/usr") && !contains("/usr/local") ? .system : .local
  }
}
