private import Synchronization

/// Folders: made, listed, removed, and told where they are.
///
/// The unsafe expressions are sound: paths end with a NUL, and what a call fills is given to it whole.
extension FileSystem {
  /// Makes a folder, and those above it that are missing, for their owner alone if not said otherwise. The folder
  /// `base` is not made: if it is missing, nothing is.
  package static func makeFolder(_ path: String, below base: String?, permissions: UInt32 = 0o700) throws(FileError) {
    if let base, path == base || path.hasPrefix(base + "/"), try FileIdentity(at: base) == nil {
      throw FileError(ENOENT, "\(base) does not exist")
    }
    // A name in the folder, so that the folder itself is on the way too.
    var walk = try PathWalk(path + "/.new", reportedAs: path)
    _ = try walk.next(making: mode_t(permissions))
  }

  /// The folder at a path, or the nearest above it that there is.
  package static func nearestFolder(to path: String) throws(FileError) -> String {
    var current = path
    while try FileIdentity(at: current) == nil, current != "/", current != "." { current = parent(of: current) }
    return current
  }

  /// The folder that a path names something in.
  package static func parent(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The names in a folder, without `.` and `..`; none if it cannot be read. Names that are not UTF-8 are left out.
  package static func names(in path: String) -> [String] {
    var names: [String] = []
    try? forEachEntry(of: path) { name, _ in names.append(name) }
    return names
  }

  /// Calls `body` for each name in a folder but `.` and `..`, with the name and the kind of file as `readdir` has it.
  /// Names that are not UTF-8 are left out unless bytes are kept.
  static func forEachEntry(of path: String, _ body: (_ name: String, _ kind: Int) -> Void) throws(FileError) {
    guard let folder = unsafe opendir(systemPath(path)) else { throw failure("open", path) }
    defer { _ = unsafe closedir(folder) }
    while true {
      // At the end there is no error, and nothing else tells the end from one.
      errno = 0
      guard let entry = unsafe readdir(folder) else {
        guard errno == 0 else { throw failure("read", path) }
        return
      }
      // Sound: the system ends the name with a NUL, within the entry.
      let capacity = unsafe MemoryLayout.size(ofValue: entry.pointee.d_name)
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: capacity) { unsafe text(ofCString: $0) }
      }
      if let name, name != ".", name != ".." { body(name, Int(unsafe entry.pointee.d_type)) }
    }
  }

  /// What stands in the name of a file that was set aside between its old name and when that was.
  package static let suffixOfUnreadable = ".unreadable-"

  /// Whether other computers may change the files of a folder, which the system here does not tell anybody.
  package static func isShared(_ path: String) -> Bool {
    #if os(Linux) || os(Android)
      typealias Status = @convention(c) (UnsafePointer<CChar>, UnsafeMutableRawPointer) -> Int32
      guard let statfs = unsafe function("statfs", as: Status.self) else { return false }
      // The structure has 120 bytes, and begins with the number of the kind of file system in a machine word.
      var status = [Int](repeating: 0, count: 64)
      let path = systemPath(path)
      let result = unsafe status.withUnsafeMutableBytes { unsafe statfs(path, $0.baseAddress!) }
      guard result == 0 else { return false }
      // NFS, SMB in its three kinds, 9P, Ceph, FUSE (statfs(2)).
      let shared: Set<UInt32> = [0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x0102_1997, 0x00C3_6400, 0x6573_5546]
      return shared.contains(UInt32(truncatingIfNeeded: status[0]))
    #else
      return false
    #endif
  }

  /// Removes a folder that has no files. Any other stays, also one in which somebody makes a file at the same time.
  package static func removeEmptyFolder(_ path: String) { unsafe rmdir(systemPath(path)) }

  // Paths are looked at.
  //
  // The unsafe expressions are sound: paths and patterns end with a NUL, and status is filled by the call that it is
  // given to.

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

  // Temporary files of writers that were killed.

  /// Removes the temporary files that killed writers of a file left next to it.
  ///
  /// A temporary file is removed only if it has a name that ``NewFile`` makes for this file, belongs to the user of
  /// this process, has not been written to for ten minutes, and is not locked, as a writer locks it.
  package static func removeAbandonedFiles(of path: String) {
    guard let location = try? FileLocation(lookingFor: path) else { return }
    let prefix = NewFile.temporaryPrefix(text(location.name))
    for name in names(in: parent(of: location.realPath)) where NewFile.prefix(ofTemporary: name) == prefix {
      removeIfAbandoned(name, in: location)
    }
  }

  /// Removes the temporary files that killed writers of a file left. Lists each folder once in a process, so that
  /// replacing all files of a folder takes time in proportion to their number.
  static func removeAbandonedFilesOnce(beside location: FileLocation) {
    let folder = parent(of: location.realPath)
    let found = abandoned.withLock { abandoned in
      if abandoned[folder] == nil {
        let temporary = names(in: folder).compactMap { name in
          NewFile.prefix(ofTemporary: name).map { (prefix: $0, name: name) }
        }
        abandoned[folder] = Dictionary(grouping: temporary, by: \.prefix).mapValues { $0.map(\.name) }
      }
      return abandoned[folder]?.removeValue(forKey: NewFile.temporaryPrefix(text(location.name))) ?? []
    }
    for name in found { removeIfAbandoned(name, in: location) }
  }

  /// The temporary files of the folders that were listed, by the beginnings of their names.
  private static let abandoned = Mutex<[String: [String: [String]]]>([:])

  private static func removeIfAbandoned(_ name: String, in location: FileLocation) {
    let path = systemPath(name)
    guard let identity = location.identity(of: path), identity.isRegularFile, identity.isOwn,
      identity.secondsSinceModification > 600
    else { return }
    let descriptor = location.folder.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return }
    defer { _ = close(descriptor) }
    // A file system without locks has writers that hold none.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else { return }
    _ = location.folder.remove(path)
  }
}
