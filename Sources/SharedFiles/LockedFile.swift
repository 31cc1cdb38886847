package import FoundationEssentials
package import SystemFiles

/// A file that this process has locked against all processes that lock it too, until the value goes.
///
/// The lock is advisory (`flock`) and the kernel's: it ends with the process that holds it, however that ends. Because
/// files are replaced and not written to, the lock on a file means something only as long as the file is the one at its
/// path, which is looked at once the lock is held and again when the file is replaced. A file that this process may not
/// open is locked by way of its folder.
package struct LockedFile: ~Copyable, Sendable {
  private let location: FileLocation
  /// Of the file, or of its folder if the file may not be opened; -1 if that may not be opened either.
  private let lock: HeldLock
  /// Why the file cannot be opened; nil if it is.
  private let defect: FileError?
  /// The state of the file that was read.
  package private(set) var identity: FileIdentity

  /// Opens and locks a file.
  ///
  /// - Parameter deadline: how long to wait for another process that has it locked.
  /// - Returns: nil if there is no such file.
  /// - Throws: `EWOULDBLOCK` if another process has it locked for longer; an error that names the location if what
  ///   is there is no regular file, or must not be replaced by way of the links that lead to it.
  package init?(_ path: String, until deadline: ContinuousClock.Instant) throws(FileError) {
    while true {
      guard let location = try FileLocation(path), let found = try location.file() else { return nil }
      let (descriptor, defect) = try Self.open(location, found)
      let lock = HeldLock(on: descriptor, reportedAs: path)
      if descriptor >= 0 { try FileSystem.lock(descriptor, path, until: deadline) }
      var status = found
      var isForbidden = true
      if defect == nil {
        try FileSystem.perform(.status, "read", path) { unsafe fstat(descriptor, &status) }
      } else {
        isForbidden = try Self.isForbidden(location)
      }
      let identity = FileIdentity(status)
      if isForbidden, let current = try FileIdentity(at: path), current.isSameFile(as: identity) {
        self.location = location
        self.lock = lock
        self.defect = defect
        self.identity = identity
        return
      }
      // Somebody replaced or removed it while this process waited. Another file may be there, which has to be locked.
      if ContinuousClock.now >= deadline { throw FileSystem.locked(path) }
    }
  }

  /// Opens what is to be locked for a file. Never waits.
  private static func open(
    _ location: FileLocation, _ status: stat
  ) throws(FileError) -> (descriptor: Int32, defect: FileError?) {
    var defect: FileError?
    // To write if that is allowed: on a network file system only such a descriptor can be locked.
    for flags in [O_RDWR, O_RDONLY] {
      do {
        guard let descriptor = try location.open(flags) else { break }
        return (descriptor, nil)
      } catch {
        guard FileError.isAboutFile(error.code) || error.code == EROFS else { throw error }
        defect = error
      }
    }
    // Of two processes that may not open it, one sets it aside, and the other finds what the first has saved.
    return (location.folder.openAgain(), defect)
  }

  /// Whether the file may still not be opened.
  private static func isForbidden(_ location: FileLocation) throws(FileError) -> Bool {
    do {
      if let descriptor = try location.open(O_RDONLY) { _ = close(descriptor) }
      return false
    } catch {
      guard FileError.isAboutFile(error.code) else { throw error }
      return true
    }
  }

  /// The whole of the file, at most `limit` bytes.
  package mutating func read(limit: Int) throws(FileError) -> Data {
    if let defect { throw defect }
    guard lseek(lock.descriptor, 0, SEEK_SET) == 0 else { throw FileSystem.failure("read", location.path) }
    let (data, identity) = try FileSystem.readRegularFile(lock.descriptor, named: location.path, limit: limit)
    self.identity = identity
    return data
  }

  /// Replaces the file with `data` in one step. It is on the disk, and its name is when its folder is.
  ///
  /// The new file belongs to the user of this process. If the old one does too, or is shared with a group on purpose,
  /// its group and permission bits are kept; else only this user can read it. It stays locked until it is certain that
  /// no other file took its path.
  ///
  /// - Parameters:
  ///   - suffix: if not nil, the old file is kept in the same folder, under its name with this suffix, and a number if
  ///     that name is taken. The new file does not get its permissions then: these may be what is wrong with it.
  ///   - lastGood: the file whose group and permission bits are kept instead of those of a file that is set aside.
  ///   - displaced: the suffix for a file that another program put at the path meanwhile, and that was replaced again.
  /// - Returns: the identity of the new file. Nil if a program that does not lock the file changed it since it was
  ///   read, and that file is still there; also nil if the path leads to another folder by now.
  /// - Throws: ``FileError``, also for another user's file that is not shared on purpose, in a folder that both can
  ///   write to.
  package consuming func replace(
    with data: Data, settingAside suffix: String?, lastGood: FileIdentity? = nil, displaced: @autoclosure () -> String
  ) throws(FileError) -> FileIdentity? {
    if suffix == nil { try location.checkOwner(of: identity) }
    let file = try NewFile.holding(data, at: location, location.permissions(like: suffix == nil ? identity : lastGood))
    guard try isUnchanged() else { return nil }
    guard let identity = try file.commit(replacing: self.identity, settingAside: suffix, displaced: displaced) else {
      return nil
    }
    // The folder may have been moved, and the path lead to another.
    return location.isCurrent ? identity : nil
  }

  /// Throws an error if the file, which cannot be read, must stay where it is.
  package func checkSettingAside() throws(FileError) {
    try location.checkSettingAside(identity, isForbidden: defect != nil)
  }

  /// Whether the file is still at its path and as it was when it was read.
  package func isUnchanged() throws(FileError) -> Bool { try FileIdentity(at: location.path) == identity }

  /// Brings the file to the disk; its name is there when its folder is.
  package func synchronize() throws(FileError) {
    try FileSystem.perform(.synchronize, "write", location.path) { fsync(lock.descriptor) }
  }

  /// Removes the file, or keeps it under its name with a suffix, and a number if need be. That is on the disk when the
  /// folder is. Returns false if somebody who does not lock it changed the file since it was read.
  package consuming func remove(settingAside suffix: String? = nil) throws(FileError) -> Bool {
    if suffix == nil { try location.checkOwner(of: identity) }
    guard try isUnchanged() else { return false }
    if let suffix {
      do {
        guard try location.keep(identity, suffix: suffix) != nil else { return false }
      } catch {
        guard error.code == EMLINK else { throw error }
        return try location.moveAside(identity, suffix: suffix)
      }
    }
    return try location.remove(identity)
  }
}

extension FileSystem {
  /// Locks an open file. Throws `EWOULDBLOCK` if another process has it locked for longer than until `deadline`.
  package static func lock(
    _ descriptor: Int32, _ path: String, until deadline: ContinuousClock.Instant
  ) throws(FileError) {
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
      case EWOULDBLOCK: throw locked(path)
      default: throw failure("lock", path)
      }
    }
  }

  fileprivate static func locked(_ path: String) -> FileError {
    FileError(EWOULDBLOCK, "cannot lock \(path): another process has it locked")
  }
}
