package import FoundationEssentials

#if canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#elseif canImport(Bionic)
  private import Bionic
#elseif canImport(Darwin)
  private import Darwin
#endif

/// A file that this process has locked against all processes that lock it too, until the value goes.
///
/// The lock is advisory (`flock`) and the kernel's: it ends with the process that holds it, however that ends. Because files are
/// replaced and not written to, the lock on a file means something only as long as the file is the one at its path,
/// which is looked at once the lock is held and again before the file is replaced.
package struct LockedFile: ~Copyable {
  private let descriptor: Int32
  private let path: String
  /// The state of the file that was read.
  package private(set) var identity: FileIdentity

  deinit { _ = FileSystem.attempt(.close, path) { close(descriptor) } }

  /// Opens and locks a file.
  ///
  /// - Parameter deadline: how long to wait for another process that has it locked.
  /// - Returns: nil if there is no such file.
  /// - Throws: `EWOULDBLOCK` if another process has it locked for longer.
  package init?(_ path: String, until deadline: ContinuousClock.Instant) throws(PropertyListError) {
    while true {
      guard let descriptor = try Self.open(path) else { return nil }
      do throws(PropertyListError) {
        try FileSystem.lock(descriptor, path, until: deadline)
        let identity = try FileIdentity(descriptor, named: path)
        if let current = try FileIdentity(at: path), current.isSameFile(as: identity) {
          self.descriptor = descriptor
          self.path = path
          self.identity = identity
          return
        }
      } catch {
        _ = close(descriptor)
        throw error
      }
      // Somebody replaced or removed it while this process waited. Its place may have a file that has to be locked.
      _ = close(descriptor)
      if ContinuousClock.now >= deadline { throw FileSystem.isLocked(path) }
    }
  }

  /// Opens a file to lock it; nil if there is none. Never waits, whatever the path leads to.
  private static func open(_ path: String) throws(PropertyListError) -> Int32? {
    // To write if that is allowed: on a network file system only such a descriptor can be locked.
    for flags in [O_RDWR, O_RDONLY] {
      let descriptor = FileSystem.attempt(.open, path) { systemOpen(path, flags | O_CLOEXEC | O_NONBLOCK) }
      if descriptor >= 0 { return descriptor }
      if errno == ENOENT { return nil }
      guard errno == EACCES || errno == EROFS || errno == EISDIR || errno == EPERM else { break }
    }
    throw FileSystem.failure("open", path)
  }

  /// The whole of the file.
  package mutating func read() throws(PropertyListError) -> Data {
    // A pipe has no beginning to go to; that it is no file is said below.
    guard lseek(descriptor, 0, SEEK_SET) == 0 || errno == ESPIPE else { throw FileSystem.failure("read", path) }
    let (data, identity) = try FileSystem.readRegularFile(descriptor, named: path)
    self.identity = identity
    return data
  }

  /// Puts `data` in the place of the file in one step, with its owner, for whom alone it is readable. It is on the disk, and its
  /// name is when its folder is.
  ///
  /// - Returns: what the new file is known by; nil if somebody who does not lock it changed the file since it was read.
  package consuming func replace(with data: Data) throws(PropertyListError) -> FileIdentity? {
    var status = stat()
    guard FileSystem.attempt(.status, path, { unsafe fstat(descriptor, &status) }) == 0 else {
      throw FileSystem.failure("write", path)
    }
    let file = try NewFile(
      beside: FileSystem.resolvedPath(path), reportedAs: path, holding: data, permissions: 0o600, inPlaceOf: status)
    guard try isUnchanged() else { return nil }
    return try file.takePlace()
  }

  /// Whether the file is still at its path and as it was when it was read.
  package func isUnchanged() throws(PropertyListError) -> Bool { try FileIdentity(at: path) == identity }

  /// Sees to it that the file is on the disk; its name is when its folder is.
  package func synchronize() throws(PropertyListError) {
    guard FileSystem.attempt(.synchronize, path, { fsync(descriptor) }) == 0 else {
      throw FileSystem.failure("write", path)
    }
  }

  /// Removes the file. That is on the disk when the folder is.
  ///
  /// - Returns: whether that was done; not if somebody who does not lock it changed the file since it was read.
  package consuming func remove() throws(PropertyListError) -> Bool {
    guard try isUnchanged() else { return false }
    let target = FileSystem.resolvedPath(path)
    guard FileSystem.attempt(.unlink, path, { unsafe unlink(target) }) == 0 else {
      throw FileSystem.failure("remove", path)
    }
    return true
  }
}

extension FileSystem {
  /// What `body` gives while the folder of the file that a path leads to is locked against all that lock it too. Nothing is
  /// locked if the folder cannot be read.
  ///
  /// - Parameter deadline: how long to wait for another process that has it locked.
  /// - Throws: `EWOULDBLOCK` if another process has it locked for longer; and what `body` throws.
  package static func withLockedFolder<Result: ~Copyable>(
    of path: String, until deadline: ContinuousClock.Instant, _ body: () throws(PropertyListError) -> Result
  ) throws(PropertyListError) -> Result {
    let folder = folderOfTarget(of: path)
    let descriptor = attempt(.open, folder) { systemOpen(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard descriptor >= 0 else { return try body() }
    defer { _ = close(descriptor) }
    try lock(descriptor, folder, until: deadline)
    return try body()
  }

  fileprivate static func lock(
    _ descriptor: Int32, _ path: String, until deadline: ContinuousClock.Instant
  ) throws(PropertyListError) {
    // Asked again and again, since a call that waits can be ended by a signal only. A save takes about as long as one
    // wait. Who has waited longer asks more often, so that of many processes that save all the time each has its turn.
    let start = ContinuousClock.now
    while attempt(.lock, path, { flock(descriptor, LOCK_EX | LOCK_NB) }) != 0 {
      switch errno {
      case EINTR: continue
      // File systems without locks.
      case ENOTSUP, ENOSYS, ENOLCK: return
      case EWOULDBLOCK where ContinuousClock.now < deadline:
        let wait = 4000 / (1 + (ContinuousClock.now - start) / .milliseconds(50))
        usleep(.random(in: 50..<100 + UInt32(wait)))
      case EWOULDBLOCK: throw isLocked(path)
      default: throw failure("lock", path)
      }
    }
  }

  fileprivate static func isLocked(_ path: String) -> PropertyListError {
    PropertyListError(.inputOutput(errno: EWOULDBLOCK), "cannot lock \(path): another process has it locked")
  }
}

// Under a name that the type's own function does not hide.
private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { FileSystem.aboveStandard(unsafe open(path, flags)) }
