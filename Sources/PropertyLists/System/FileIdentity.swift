package import FoundationEssentials

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Bionic)
  internal import Bionic
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// What tells a file, in the state that it has, from any other and from itself once it was written to.
package struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64
  let size: Int
  private let modified: [Int64]
  /// The permission bits and the kind of file.
  private let mode: UInt32

  init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
    size = Int(status.st_size)
    mode = UInt32(status.st_mode)
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    modified = [Int64(time.tv_sec), Int64(time.tv_nsec)]
  }

  /// The file that is open under a descriptor.
  init(_ descriptor: Int32, named path: String) throws(PropertyListError) {
    var status = stat()
    guard FileSystem.attempt(.status, path, { unsafe fstat(descriptor, &status) }) == 0 else {
      throw FileSystem.failure("read", path)
    }
    self.init(status)
  }

  /// The file that a path leads to; nil if there is none.
  package init?(at path: String) throws(PropertyListError) {
    var status = stat()
    guard FileSystem.attempt(.status, path, { unsafe stat(path, &status) }) == 0 else {
      if errno == ENOENT { return nil }
      throw FileSystem.failure("read", path)
    }
    self.init(status)
  }

  package var isRegularFile: Bool { mode_t(truncatingIfNeeded: mode) & S_IFMT == S_IFREG }

  /// Whether this is the same file, whatever was written to it.
  package func isSameFile(as other: FileIdentity) -> Bool { device == other.device && inode == other.inode }

  /// How many seconds ago the file was written to; negative if that is in the future.
  package var secondsSinceModification: Double {
    var now = timespec()
    guard unsafe clock_gettime(CLOCK_REALTIME, &now) == 0 else { return .infinity }
    return Double(Int64(now.tv_sec) - modified[0]) + Double(Int64(now.tv_nsec) - modified[1]) / 1e9
  }
}

extension FileSystem {
  /// The whole of a regular file and the state it was read in; nil if there is none. Never waits for what a path leads to.
  package static func readRegularFile(_ path: String) throws(PropertyListError) -> (data: Data, identity: FileIdentity)?
  {
    let descriptor = attempt(.open, path) { unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw failure("open", path)
    }
    defer { _ = close(descriptor) }
    return try readRegularFile(descriptor, named: path)
  }

  /// The whole of a regular file from where it is read next, and the state it was read in.
  static func readRegularFile(
    _ descriptor: Int32, named path: String
  ) throws(PropertyListError) -> (data: Data, identity: FileIdentity) {
    let identity = try FileIdentity(descriptor, named: path)
    guard identity.isRegularFile else {
      throw PropertyListError(.inputOutput(errno: EINVAL), "cannot read \(path): it is no regular file")
    }
    let limit = ParsingLimits().inputSize
    guard identity.size <= limit else { throw ParsingLimits.tooLarge(limit: limit) }
    return (try read(descriptor, named: path, expecting: identity.size + 1, limit: limit), identity)
  }

  /// Gives a file another name in its folder, one that no file has. The file of a symbolic link, not the link.
  ///
  /// - Parameter suffix: what is added to its name, and to that a number if there is a file of that name.
  /// - Returns: the path that it has now.
  package static func setAside(_ path: String, suffix: String) throws(PropertyListError) -> String {
    let target = resolvedPath(path)
    for number in 1..<1000 {
      let candidate = target.dropLast() + "\(suffix)\(number == 1 ? "" : "-\(number)")".utf8CString
      guard unsafe access(Array(candidate), F_OK) != 0 else { continue }
      guard attempt(.rename, path, { unsafe rename(target, Array(candidate)) }) == 0 else {
        throw failure("set aside", path)
      }
      try synchronizeFolder(of: target, reportedAs: path)
      return text(Array(candidate))
    }
    throw PropertyListError(.inputOutput(errno: EEXIST), "cannot set aside \(path): \(message(EEXIST))")
  }
}
