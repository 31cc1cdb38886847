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
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// What was found in a folder.
  package struct FolderContents {
    package var entries: [(name: String, isFolder: Bool)] = []
    /// What has a name that is not UTF-8, which no argument could give; replacement characters stand for what is wrong.
    package var unnamable: [(name: String, isFolder: Bool)] = []
  }

  /// What is in a folder, in the order of the names, without `.` and `..`. A symbolic link counts as a folder nowhere,
  /// so that a search comes to an end. Pipes, sockets and devices are left out. Throws ``FileError`` for a folder that
  /// cannot be read.
  package static func contents(of path: String) throws(FileError) -> FolderContents {
    var contents = FolderContents()
    try forEachEntry(of: path) { name, repaired, kind in
      // Whoever opens a pipe waits for another program.
      if [Int(DT_FIFO), Int(DT_SOCK), Int(DT_CHR), Int(DT_BLK)].contains(kind) { return }
      if let name {
        let isFolder = kind == Int(DT_UNKNOWN) ? isFolderItself("\(path)/\(name)") : kind == Int(DT_DIR)
        contents.entries.append((name, isFolder))
      } else {
        contents.unnamable.append((repaired, kind == Int(DT_DIR)))
      }
    }
    contents.entries.sort { $0.name < $1.name }
    contents.unnamable.sort { $0.name < $1.name }
    return contents
  }

  /// Whether a name matches a pattern of the shell: `*`, `?`, `[a-z]`.
  package static func matches(_ name: String, pattern: String) -> Bool { unsafe fnmatch(pattern, name, 0) == 0 }

  private static func isFolderItself(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private static func mode(_ path: String) -> mode_t? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status.st_mode : nil
  }
}
