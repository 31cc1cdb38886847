/// What programs that look for files ask.
///
/// The unsafe expressions are sound: paths and patterns end with a NUL, and status is filled by the call that it is
/// given to.
extension FileSystem {
  /// Whether a path leads to a folder; false where it leads nowhere.
  package static func isFolder(_ path: String) -> Bool { mode(path).map { $0 & S_IFMT == S_IFDIR } ?? false }

  /// Whether a path leads anywhere.
  package static func exists(_ path: String) -> Bool { mode(path) != nil }

  /// The bytes of the regular file that a path leads to; nil if it leads to none.
  package static func sizeOfRegularFile(_ path: String) -> Int? {
    var status = stat()
    guard unsafe stat(systemPath(path), &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// What is in a folder, in the order of the names, without `.` and `..`, and without names that are not UTF-8 unless
  /// bytes are kept. A symbolic link counts as a folder nowhere, so that a search comes to an end. Pipes, sockets and
  /// devices are left out. Throws ``FileError`` for a folder that cannot be read.
  package static func contents(of path: String) throws(FileError) -> [(name: String, isFolder: Bool)] {
    var contents: [(name: String, isFolder: Bool)] = []
    try forEachEntry(of: path) { name, kind in
      // Whoever opens a pipe waits for another program.
      if [Int(DT_FIFO), Int(DT_SOCK), Int(DT_CHR), Int(DT_BLK)].contains(kind) { return }
      let isFolder = kind == Int(DT_UNKNOWN) ? isFolderItself("\(path)/\(name)") : kind == Int(DT_DIR)
      contents.append((name, isFolder))
    }
    return contents.sorted { $0.name < $1.name }
  }

  /// Whether a name matches a pattern of the shell: `*`, `?`, `[a-z]`.
  package static func matches(_ name: String, pattern: String) -> Bool {
    unsafe fnmatch(systemPath(pattern), systemPath(name), 0) == 0
  }

  /// Whether there is anything at a path, be it a link that leads nowhere.
  package static func existsItself(_ path: String) -> Bool { modeItself(path) != nil }

  /// Whether a path is that of a regular file, not of a link to one.
  package static func isRegularFileItself(_ path: String) -> Bool {
    modeItself(path).map { $0 & S_IFMT == S_IFREG } ?? false
  }

  private static func isFolderItself(_ path: String) -> Bool {
    modeItself(path).map { $0 & S_IFMT == S_IFDIR } ?? false
  }

  /// Of a link, that of the link.
  private static func modeItself(_ path: String) -> mode_t? {
    var status = stat()
    return unsafe lstat(systemPath(path), &status) == 0 ? status.st_mode : nil
  }

  private static func mode(_ path: String) -> mode_t? {
    var status = stat()
    return unsafe stat(systemPath(path), &status) == 0 ? status.st_mode : nil
  }
}
