private import Synchronization

/// Functions that create, list, remove and examine folders.
///
/// The unsafe expressions are sound: paths end with a NUL, and the variables that calls fill have the required size.
extension FileSystem {
  /// Creates a folder and its missing parents, by default for their owner only. If `base` is the folder or one of its
  /// parents, and does not exist, throws `ENOENT` and creates nothing.
  package static func makeFolder(_ path: String, below base: String?, permissions: UInt32 = 0o700) throws(FileError) {
    if let base, path == base || path.hasPrefix(base + "/"), try FileIdentity(at: base) == nil {
      throw FileError(ENOENT, "\(base) does not exist")
    }
    // A name in the folder is added, so that the walk includes the folder itself.
    var walk = try PathWalk(path + "/.new", reportedAs: path)
    _ = try walk.next(making: mode_t(permissions))
  }

  /// Returns the folder at a path, or its nearest parent that exists.
  package static func nearestFolder(to path: String) throws(FileError) -> String {
    var current = path
    while try FileIdentity(at: current) == nil, current != "/", current != "." { current = parent(of: current) }
    return current
  }

  /// Returns the parent folder of a path.
  package static func parent(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Returns the names in a folder, without `.` and `..`, or an empty array if it cannot be read. Names that are not
  /// UTF-8 are omitted, unless ``keepBytesOfPaths()`` has been called.
  package static func names(in path: String) -> [String] {
    var names: [String] = []
    try? forEachEntry(of: path) { name, _ in names.append(name) }
    return names
  }

  /// Calls `body` for each entry of a folder except `.` and `..`, with its name and the file type from `readdir`. Names
  /// that are not UTF-8 are omitted, unless ``keepBytesOfPaths()`` has been called.
  static func forEachEntry(of path: String, _ body: (_ name: String, _ kind: Int) -> Void) throws(FileError) {
    guard let folder = unsafe opendir(systemPath(path)) else { throw failure("open", path) }
    defer { _ = unsafe closedir(folder) }
    while true {
      // At the end, `readdir` does not change errno. This is the only difference from an error.
      errno = 0
      guard let entry = unsafe readdir(folder) else {
        guard errno == 0 else { throw failure("read", path) }
        return
      }
      // Memory-safe: the system ends the name with a NUL, within the entry.
      let capacity = unsafe MemoryLayout.size(ofValue: entry.pointee.d_name)
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: capacity) { unsafe text(ofCString: $0) }
      }
      if let name, name != ".", name != ".." { body(name, Int(unsafe entry.pointee.d_type)) }
    }
  }

  /// The part of the name of a file that was set aside: it is between the old name and the time.
  package static let suffixOfUnreadable = ".unreadable-"

  /// Returns true if other computers may change the files of a folder, without notifications from the local system.
  package static func isShared(_ path: String) -> Bool {
    #if os(Linux) || os(Android)
      typealias Status = @convention(c) (UnsafePointer<CChar>, UnsafeMutableRawPointer) -> Int32
      guard let statfs = unsafe function("statfs", as: Status.self) else { return false }
      // The structure has 120 bytes. It begins with the type of the file system, a machine word.
      var status = [Int](repeating: 0, count: 64)
      let path = systemPath(path)
      let result = unsafe status.withUnsafeMutableBytes { unsafe statfs(path, $0.baseAddress!) }
      guard result == 0 else { return false }
      // NFS, SMB in its three versions, 9P, Ceph and FUSE (statfs(2)).
      let shared: Set<UInt32> = [0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x0102_1997, 0x00C3_6400, 0x6573_5546]
      return shared.contains(UInt32(truncatingIfNeeded: status[0]))
    #else
      return false
    #endif
  }

  /// Removes an empty folder. Any other folder stays, including one that gets a file at the same time.
  package static func removeEmptyFolder(_ path: String) { unsafe rmdir(systemPath(path)) }

  // Examining paths.
  //
  // The unsafe expressions are sound: paths and patterns end with a NUL, and status variables are filled by the calls
  // that get them.

  /// Returns true if a path leads to a folder.
  package static func isFolder(_ path: String) -> Bool { mode(path).map { $0 & S_IFMT == S_IFDIR } ?? false }

  /// Returns true if a path leads to a file or folder.
  package static func exists(_ path: String) -> Bool { mode(path) != nil }

  /// Returns the size of the regular file at a path, in bytes, or nil if none exists.
  package static func sizeOfRegularFile(_ path: String) -> Int? {
    var status = stat()
    guard unsafe stat(systemPath(path), &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// Returns the entries of a folder, sorted by name, without `.` and `..`. Names that are not UTF-8 are omitted,
  /// unless ``keepBytesOfPaths()`` has been called. A symbolic link never counts as a folder, so that recursive
  /// searches end. Pipes, sockets and devices are omitted. Throws ``FileError`` if the folder cannot be read.
  package static func contents(of path: String) throws(FileError) -> [(name: String, isFolder: Bool)] {
    var contents: [(name: String, isFolder: Bool)] = []
    try forEachEntry(of: path) { name, kind in
      // Opening a pipe would wait for another program.
      if [Int(DT_FIFO), Int(DT_SOCK), Int(DT_CHR), Int(DT_BLK)].contains(kind) { return }
      let isFolder = kind == Int(DT_UNKNOWN) ? isFolderItself("\(path)/\(name)") : kind == Int(DT_DIR)
      contents.append((name, isFolder))
    }
    return contents.sorted { $0.name < $1.name }
  }

  /// Returns true if a name matches a shell pattern: `*`, `?`, `[a-z]`.
  package static func matches(_ name: String, pattern: String) -> Bool {
    unsafe fnmatch(systemPath(pattern), systemPath(name), 0) == 0
  }

  /// Returns true if a path exists, even if it is a link to a missing file.
  package static func existsItself(_ path: String) -> Bool { modeItself(path) != nil }

  /// Returns true if a path is a regular file itself, and not a link to one.
  package static func isRegularFileItself(_ path: String) -> Bool {
    modeItself(path).map { $0 & S_IFMT == S_IFREG } ?? false
  }

  private static func isFolderItself(_ path: String) -> Bool {
    modeItself(path).map { $0 & S_IFMT == S_IFDIR } ?? false
  }

  /// Returns true if a path is a folder itself, and not a link to one, belongs to the user of this process, and no
  /// other user can write to it.
  package static func isPrivateFolder(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(systemPath(path), &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      && status.st_uid == geteuid() && status.st_mode & 0o022 == 0
  }

  /// Returns the mode of a path without following a link.
  private static func modeItself(_ path: String) -> mode_t? {
    var status = stat()
    return unsafe lstat(systemPath(path), &status) == 0 ? status.st_mode : nil
  }

  private static func mode(_ path: String) -> mode_t? {
    var status = stat()
    return unsafe stat(systemPath(path), &status) == 0 ? status.st_mode : nil
  }

  // Temporary files of writers that were killed.

  /// Removes the temporary files that killed processes left next to a file when they wrote it.
  ///
  /// A temporary file is removed only if it has a name that ``NewFile`` creates for this file, belongs to the user of
  /// this process, has not been written for ten minutes, and is not locked. Writers lock their temporary files.
  package static func removeAbandonedFiles(of path: String) {
    guard let location = try? FileLocation(lookingFor: path) else { return }
    let prefix = NewFile.temporaryPrefix(location.name)
    for name in names(in: parent(of: location.realPath)) where NewFile.prefix(ofTemporary: name) == prefix {
      removeIfAbandoned(name, in: location)
    }
  }

  /// Removes temporary files like ``removeAbandonedFiles(of:)``, but lists each folder only once per process. So the
  /// time for replacing all files of a folder is proportional to their number.
  static func removeAbandonedFilesOnce(beside location: FileLocation) {
    let path = parent(of: location.realPath)
    let folder = systemPath(path)
    let found = abandoned.withLock { abandoned in
      if abandoned[folder] == nil {
        let temporary = names(in: path).compactMap { name in
          NewFile.prefix(ofTemporary: name).map { (prefix: $0, name: name) }
        }
        abandoned[folder] = Dictionary(grouping: temporary, by: \.prefix).mapValues { $0.map(\.name) }
      }
      return abandoned[folder]?.removeValue(forKey: NewFile.temporaryPrefix(location.name)) ?? []
    }
    for name in found { removeIfAbandoned(name, in: location) }
  }

  /// For each folder that was listed, the names of the temporary files in it, grouped by their prefixes. A group is
  /// removed from the table before its files are checked.
  private static let abandoned = Mutex<[SystemPath: [String: [String]]]>([:])

  private static func removeIfAbandoned(_ name: String, in location: FileLocation) {
    let path = systemPath(name)
    guard let identity = location.identity(of: path), identity.isRegularFile, identity.isOwn,
      identity.secondsSinceModification > 600
    else { return }
    let descriptor = location.folder.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return }
    defer { _ = close(descriptor) }
    // Locking also fails on a file system without locks, where writers hold none.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else { return }
    _ = location.folder.remove(path)
  }
}
