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
}
