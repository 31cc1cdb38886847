public import FoundationEssentials
internal import SystemFiles

extension StandardFolders {
  /// Returns the location of a folder, and creates it if `create` is true.
  ///
  /// ```swift
  /// let documents = try StandardFolders.current.url(for: .documents)
  /// let folders = try StandardFolders.current.forProgram("org.example.notes")
  /// let support = try folders.url(for: .applicationSupport, create: true)
  /// ```
  ///
  /// A folder of the user is created with mode 0700, as the XDG Base Directory Specification says, and any other with
  /// mode 0755. The permissions of an existing folder do not change. A home folder is never created. A new folder for
  /// the caches of a program gets a ``CacheDirectoryTag``.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - domain: The domain. If it has several such folders, the first one is used.
  ///   - create: True to create the folder and its parents if they do not exist.
  /// - Throws: ``ProgramFoldersError/noFolder(_:_:)``; ``ProgramFoldersError/system(_:errno:reason:)`` if the folder
  ///   cannot be created, if another user owns or can write to the program's folder for temporary files, or if the file
  ///   `user-dirs.dirs`, which specifies the folder for documents, cannot be read.
  public func url(
    for folder: StandardFolder, in domain: FolderDomain = .user, create: Bool = false
  ) throws(ProgramFoldersError) -> URL {
    guard let path = try locations(of: folder, in: [domain]).first else { throw .noFolder(folder, domain) }
    let url = URL(filePath: path, directoryHint: .isDirectory)
    if create { try self.create(folder, domain, at: url) }
    return url
  }

  /// Returns the locations of a folder in several domains, in the order in which a program searches them. They may not
  /// exist.
  ///
  /// ```swift
  /// for folder in StandardFolders.current.urls(for: .preferences) { print(folder.path) }   // ~/.config, /etc/xdg
  /// ```
  ///
  /// - Returns: The folder of the user first, and then those for all users. On Linux, the latter have the order of the
  ///   environment variable that lists them, whatever their domains. Empty if the platform lacks the folder.
  public func urls(for folder: StandardFolder, in domains: Set<FolderDomain> = Set(FolderDomain.allCases)) -> [URL] {
    paths(for: folder, in: domains).map { URL(filePath: $0, directoryHint: .isDirectory) }
  }

  /// Returns the paths of ``urls(for:in:)``, without slashes at their ends: what
  /// `NSSearchPathForDirectoriesInDomains` returns.
  ///
  /// The user's folder for documents is left out if `user-dirs.dirs` cannot be read; ``url(for:in:create:)`` throws the
  /// reason.
  ///
  /// ```swift
  /// StandardFolders.current.paths(for: .caches, in: [.user], expandingTilde: false)   // ["~/.cache"]
  /// ```
  ///
  /// - Parameter expandingTilde: False to write `~` for the home folder.
  public func paths(
    for folder: StandardFolder, in domains: Set<FolderDomain> = Set(FolderDomain.allCases), expandingTilde: Bool = true
  ) -> [String] {
    let paths = (try? locations(of: folder, in: domains)) ?? sharedPaths(folder, in: domains)
    return expandingTilde ? paths : paths.map(abbreviatingWithTilde)
  }

  private func locations(
    of folder: StandardFolder, in domains: Set<FolderDomain>
  ) throws(ProgramFoldersError) -> [String] {
    let user = domains.contains(.user) ? try userPath(folder) : nil
    return (user.map { [$0] } ?? []) + sharedPaths(folder, in: domains)
  }

  /// Returns the location of a file in a folder of the user.
  ///
  /// ```swift
  /// let draft = try folders.url(forFile: "Drafts/today.txt", in: .documents, create: true)
  /// try folders.url(forFile: "../.ssh/id", in: .documents)   // throws: it leaves the folder
  /// ```
  ///
  /// Only the path is checked. A symbolic link in the folder can lead out of it.
  ///
  /// - Parameters:
  ///   - path: The path in the folder: names separated by `/`.
  ///   - folder: The folder.
  ///   - create: True to create the folders that contain the file if they do not exist. The file is not created.
  /// - Throws: ``ProgramFoldersError/invalidName(_:reason:)`` if the path is absolute, or if a name is empty, is `.` or
  ///   `..`, contains a NUL or has more than 255 bytes; the errors of ``url(for:in:create:)``.
  public func url(
    forFile path: String, in folder: StandardFolder, create: Bool = false
  ) throws(ProgramFoldersError) -> URL {
    let path = try ContainedPath(path).path
    let base = try url(for: folder, create: create)
    let file = FileSystem.join(base.path, path)
    if create, path.utf8.contains(UInt8(ascii: "/")) {
      try makeFolder(URL(filePath: FileSystem.parent(of: file), directoryHint: .isDirectory), .user)
    }
    return URL(filePath: file, directoryHint: .notDirectory)
  }

  /// Returns the first existing file or folder with a path in the folders of ``urls(for:in:)``; nil if none exists.
  ///
  /// ```swift
  /// let theme = try folders.existingFile("themes/dark.plist", in: .applicationSupport)
  /// // the user's theme, else that of the administrator, else that of the system
  /// ```
  ///
  /// - Throws: ``ProgramFoldersError/invalidName(_:reason:)``, as ``url(forFile:in:create:)``;
  ///   ``ProgramFoldersError/system(_:errno:reason:)`` if `user-dirs.dirs` cannot be read.
  /// - Complexity: O(*n*) in the number of folders.
  public func existingFile(
    _ path: String, in folder: StandardFolder, domains: Set<FolderDomain> = Set(FolderDomain.allCases)
  ) throws(ProgramFoldersError) -> URL? {
    let path = try ContainedPath(path).path
    let found = try locations(of: folder, in: domains).map { FileSystem.join($0, path) }.first(where: FileSystem.exists)
    return found.map { URL(filePath: $0) }
  }

  /// Replaces the home folder at the beginning of a path with `~`.
  ///
  /// ```swift
  /// folders.abbreviatingWithTilde("/home/ada/Documents")   // "~/Documents"
  /// ```
  public func abbreviatingWithTilde(_ path: String) -> String { FileSystem.abbreviatingWithTilde(path, home: home) }

  /// Replaces `~` at the beginning of a path with the home folder, and `~NAME` with the home folder of that user. If
  /// the folder is unknown, the path is not changed.
  ///
  /// ```swift
  /// folders.expandingTilde(in: "~/Documents")   // "/home/ada/Documents"
  /// ```
  public func expandingTilde(in path: String) -> String { FileSystem.expandingTilde(in: path, home: home) }

  private func create(_ folder: StandardFolder, _ domain: FolderDomain, at url: URL) throws(ProgramFoldersError) {
    let isNew = !FileSystem.existsItself(url.path)
    try makeFolder(url, domain)
    guard domain == .user, program(of: folder) != nil else { return }
    // Every user can write in the folder that contains it, and could have created it.
    if folder == .temporary, !FileSystem.isPrivateFolder(url.path) {
      throw .system(url, errno: EPERM, reason: "cannot use \(url.path): another user owns it or can write to it")
    }
    if folder == .caches, isNew { try CacheDirectoryTag.add(to: url) }
  }

  private func makeFolder(_ url: URL, _ domain: FolderDomain) throws(ProgramFoldersError) {
    let isUser = domain == .user
    do throws(FileError) {
      try FileSystem.makeFolder(
        url.path, below: isUser && !isContainer ? home : nil, permissions: isUser ? 0o700 : 0o755)
    } catch {
      throw ProgramFoldersError(error, at: url)
    }
  }
}
