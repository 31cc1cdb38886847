package import FoundationEssentials
package import SystemFiles

/// A file that this process has locked. The lock is released at the end of this value's lifetime. It excludes all other
/// processes that lock the file too.
///
/// The lock is advisory (`flock`) and belongs to the kernel, so it ends with the process even if that is killed.
/// Writers replace the file instead of changing it, so the lock is valid only while the locked file is at the path.
/// This is checked after locking, and again when the file is replaced. If this process may not open the file, the
/// folder is locked instead.
package struct LockedFile: ~Copyable, Sendable {
  private let location: FileLocation
  /// The lock of the file, or of its folder if the file cannot be opened. The descriptor is -1 if the folder cannot be
  /// opened either.
  private let lock: HeldLock
  /// The reason why the file cannot be opened, or nil if it is open.
  private let defect: FileError?
  /// The identity of the file when it was last read, or when it was locked.
  package private(set) var identity: FileIdentity

  /// Opens and locks a file.
  ///
  /// - Parameter deadline: The time until which to wait for another process that has locked the file.
  /// - Returns: Nil if the file does not exist.
  /// - Throws: `EWOULDBLOCK` if another process keeps it locked until the deadline; an error with the path if the path
  ///   does not lead to a regular file, or if the file must not be replaced because links lead to it.
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
      // The file was replaced or removed while this process waited. If there is a new file, that must be locked.
      if ContinuousClock.now >= deadline { throw FileSystem.locked(path) }
    }
  }

  /// Opens the file, or its folder if the file may not be opened, so that the caller can lock it. Never waits.
  private static func open(
    _ location: FileLocation, _ status: stat
  ) throws(FileError) -> (descriptor: Int32, defect: FileError?) {
    var defect: FileError?
    // Opened for writing if possible, because network file systems can lock only such descriptors.
    for flags in [O_RDWR, O_RDONLY] {
      do {
        guard let descriptor = try location.open(flags) else { break }
        return (descriptor, nil)
      } catch {
        guard FileError.isAboutFile(error.code) || error.code == EROFS else { throw error }
        defect = error
      }
    }
    // Locks the folder instead. If two processes may not open the file, the first sets it aside and saves a new one,
    // and the other then finds the new file.
    return (location.folder.openAgain(), defect)
  }

  /// Returns true if this process still has no permission to open the file.
  private static func isForbidden(_ location: FileLocation) throws(FileError) -> Bool {
    do {
      if let descriptor = try location.open(O_RDONLY) { _ = close(descriptor) }
      return false
    } catch {
      guard FileError.isAboutFile(error.code) else { throw error }
      return true
    }
  }

  /// Reads the whole file. Throws if it has more than `limit` bytes.
  package mutating func read(limit: Int) throws(FileError) -> Data {
    if let defect { throw defect }
    guard lseek(lock.descriptor, 0, SEEK_SET) == 0 else { throw FileSystem.failure("read", location.path) }
    let (data, identity) = try FileSystem.readRegularFile(lock.descriptor, named: location.path, limit: limit)
    self.identity = identity
    return data
  }

  /// Replaces the file with `data` atomically and syncs the contents; the caller syncs the folder to make the name
  /// durable.
  ///
  /// The new file belongs to the user of this process. If the old file does too, or is shared with the group of its
  /// folder, the new file keeps its group and permission bits. Otherwise only this user can read the new file, and the
  /// group of the folder if the folder is shared with that group. The new file stays locked until this process has
  /// checked that it is still at the path.
  ///
  /// - Parameters:
  ///   - suffix: If not nil, the old file is kept in the same folder, under its name with this suffix, and a number if
  ///     that name exists. The new file then does not get the permissions of the old one, because the old file may be
  ///     unreadable due to them.
  ///   - lastGood: The identity of the file whose group and permission bits the new file gets if the old file is set
  ///     aside.
  ///   - displaced: The suffix of the name for a file that would otherwise be lost: another program has put it at the
  ///     path meanwhile, and at the same moment a third program has put yet another file there.
  /// - Returns: The identity of the new file. Nil if a program that does not lock the file has changed it since it was
  ///   read, and the changed file is still at the path; also nil if the path now leads to another folder.
  /// - Throws: ``FileError``, also if the file belongs to another user and is not shared, in a folder that both can
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
    // The folder may have been moved, so that the path leads to another one.
    return location.isCurrent ? identity : nil
  }

  /// Throws if the file must not be set aside. The caller has found that the file cannot be read.
  package func checkSettingAside() throws(FileError) {
    try location.checkSettingAside(identity, isForbidden: defect != nil)
  }

  /// Returns true if the file is still at its path and unchanged since it was read.
  package func isUnchanged() throws(FileError) -> Bool { try FileIdentity(at: location.path) == identity }

  /// Syncs the file to the disk; the caller syncs the folder to make the name durable.
  package func synchronize() throws(FileError) {
    try FileSystem.perform(.synchronize, "write", location.path) { fsync(lock.descriptor) }
  }

  /// Removes the file. If `suffix` is not nil, keeps it under its name with this suffix, and a number if necessary. The
  /// caller syncs the folder to make that durable. Returns false if a program that does not lock the file has changed
  /// it since it was read.
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
  /// Locks an open file. Throws `EWOULDBLOCK` if another process keeps it locked until `deadline`.
  package static func lock(
    _ descriptor: Int32, _ path: String, until deadline: ContinuousClock.Instant
  ) throws(FileError) {
    // Polls, because only a signal can end a call that waits. A save takes about as long as one pause. A process that
    // has waited longer polls more often, so that each gets its turn when many processes save all the time.
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
    FileError(EWOULDBLOCK, "cannot lock \(path): it is locked by another process")
  }
}
