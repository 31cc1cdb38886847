/// The identity of a file in its current state. Other files have other identities, and so does the same file after a
/// write.
package struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  private let inode: UInt64
  package let size: Int
  private let modification: FileMoment
  /// The permission bits and the type of the file.
  private let mode: UInt32
  private let owner: UInt32
  /// The group ID of the file.
  let group: UInt32

  package init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
    size = Int(status.st_size)
    mode = UInt32(status.st_mode)
    owner = UInt32(status.st_uid)
    group = UInt32(status.st_gid)
    #if canImport(Darwin)
      modification = FileMoment(status.st_mtimespec)
    #else
      modification = FileMoment(status.st_mtim)
    #endif
  }

  /// Creates the identity of the file that is open as a descriptor.
  init(_ descriptor: Int32, named path: String) throws(FileError) {
    var status = stat()
    try FileSystem.perform(.status, "read", path) { unsafe fstat(descriptor, &status) }
    self.init(status)
  }

  /// Creates the identity of the file at a path. Returns nil if no file exists there.
  package init?(at path: String) throws(FileError) {
    var status = stat()
    guard FileSystem.attempt(.status, path, { unsafe stat(FileSystem.systemPath(path), &status) }) == 0 else {
      if errno == ENOENT { return nil }
      throw FileSystem.failure("read", path)
    }
    self.init(status)
  }

  package var isRegularFile: Bool { mode_t(truncatingIfNeeded: mode) & S_IFMT == S_IFREG }

  /// The permission bits.
  package var permissions: mode_t { mode_t(truncatingIfNeeded: mode) & 0o777 }

  /// True for a folder whose new files inherit its group.
  var givesItsGroup: Bool { mode_t(truncatingIfNeeded: mode) & S_ISGID != 0 }

  /// The identity as text, for storage in another file.
  package var text: String { "\(device).\(inode).\(size).\(modification.text)" }

  /// True if the file belongs to the user of this process.
  package var isOwn: Bool { owner == UInt32(geteuid()) }

  /// Returns true if this is the same file, regardless of changes to its contents.
  package func isSameFile(as other: FileIdentity) -> Bool { device == other.device && inode == other.inode }

  /// The number of seconds since the file was last written; negative if that time is in the future.
  package var secondsSinceModification: Double {
    var now = timespec()
    guard unsafe clock_gettime(CLOCK_REALTIME, &now) == 0 else { return .infinity }
    return FileMoment(now).seconds(since: modification)
  }
}

/// A point in time by the clock of a file system.
struct FileMoment: Hashable, Sendable {
  private let seconds: Int64
  private let nanoseconds: Int64

  fileprivate init(_ time: timespec) { (seconds, nanoseconds) = (Int64(time.tv_sec), Int64(time.tv_nsec)) }

  fileprivate var text: String { "\(seconds).\(nanoseconds)" }

  fileprivate func seconds(since other: FileMoment) -> Double {
    // File times can have any values, so their difference may not fit an integer.
    Double(seconds) - Double(other.seconds) + Double(nanoseconds - other.nanoseconds) / 1e9
  }
}
