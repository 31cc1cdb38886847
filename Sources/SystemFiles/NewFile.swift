package import FoundationEssentials

/// A complete file on the disk, next to the file that it will replace.
package struct NewFile: ~Copyable {
  fileprivate let location: FileLocation
  fileprivate let temporary: FileSystem.SystemPath
  fileprivate let identity: FileIdentity
  /// The lock of the file, or nil if it is not locked.
  fileprivate let lock: HeldLock?
  fileprivate var isGone = false
  /// The registrations of the temporary name in ``UnfinishedFiles``. They end after the file is renamed or removed.
  fileprivate var registrations: [UnfinishedFiles.Registration] = []

  deinit {
    if !isGone { _ = FileSystem.attempt(.unlink, location.path) { location.folder.remove(temporary) } }
  }

  /// The owner, group and permission bits of a new file.
  package enum Permissions {
    /// The user of this process, with these permission bits, minus those that the process masks.
    case new(mode_t)
    /// The owner, group and permission bits of another file. If the system does not allow the owner or the group, the
    /// bits that depend on them are cleared.
    case same(as: stat)
    /// The user of this process, with this group and these permission bits. If the group cannot be set, the bits for
    /// the group are cleared.
    case own(group: UInt32, mode: mode_t)

    /// Returns the group and permission bits of another file, with the user of this process as owner.
    static func own(like file: FileIdentity) -> Permissions { .own(group: file.group, mode: file.permissions) }
  }

  /// Creates a file that contains `data`, next to the file that it will replace. It stays locked while this value
  /// exists.
  package static func holding(
    _ data: Data, at location: FileLocation, _ permissions: Permissions
  ) throws(FileError) -> NewFile {
    let file = try UnfinishedFile(at: location, permissions)
    try file.output.write(data)
    return try file.finish(isLocked: true)
  }

  /// Renames the new file to the location, where it replaces any other file. The caller syncs the folder to make the
  /// name durable.
  @discardableResult
  package consuming func commit() throws(FileError) -> FileIdentity {
    let (location, temporary) = (location, temporary)
    try FileSystem.perform(.rename, "write", location.path) { location.folder.rename(temporary, to: location.name) }
    isGone = true
    return identity
  }

  /// Replaces the file `old`. The caller syncs the folder to make the name durable. Returns nil, without a replacement,
  /// if `old` has changed, or if another file is at the location.
  ///
  /// - Parameters:
  ///   - suffix: If not nil, the old file is kept under its name with this suffix, and a number if necessary.
  ///   - displaced: Returns the suffix for another program's file that was taken out of the location by mistake and
  ///     cannot be put back; see ``FileLocation/putBack(_:insteadOf:displaced:)``.
  package consuming func commit(
    replacing old: FileIdentity, settingAside suffix: String?, displaced: () -> String
  ) throws(FileError) -> FileIdentity? {
    var kept: FileSystem.SystemPath?
    if let suffix {
      do {
        kept = try location.keep(old, suffix: suffix)
        if kept == nil { return nil }
      } catch {
        guard error.code == EMLINK else { throw error }
        guard try location.moveAside(old, suffix: suffix) else { return nil }
        return try commitAsNew()
      }
    }
    registrations.append(UnfinishedFiles.add(temporary, in: location.folder, .replaced(old)))
    guard try location.exchange(with: temporary) else {
      if location.identity(of: location.name) == old { return try commit() }
      if let kept { removeName(kept, ifStillAtLocation: old) }
      return nil
    }
    // The temporary name now refers to the file that was replaced. If it is the expected file, it is removed with this
    // value.
    if location.identity(of: temporary) == old { return identity }
    do { try location.putBack(temporary, insteadOf: identity, displaced: displaced()) } catch {
      isGone = true
      throw error
    }
    if let kept { removeName(kept, ifStillAtLocation: old) }
    return nil
  }

  /// Removes the additional name of a file that is not replaced because it was written to. If another program has
  /// replaced the file, the additional name stays, because it is the only name that the file still has.
  private func removeName(_ kept: FileSystem.SystemPath, ifStillAtLocation old: FileIdentity) {
    if location.hasFile(old) { _ = location.folder.remove(kept) }
  }

  /// Creates the file at the location. The caller syncs the folder to make the name durable. Returns nil if a file
  /// exists there already.
  consuming func commitAsNew() throws(FileError) -> FileIdentity? {
    let (location, temporary) = (location, temporary)
    guard FileSystem.attempt(.link, location.path, { location.folder.link(temporary, to: location.name) }) == 0 else {
      switch errno {
      case EEXIST: return nil
      // The file system has no hard links, or the system does not allow them (Android). In this case, it is not
      // detected if two processes create the file at the same moment.
      case EPERM, EACCES, ENOTSUP, ENOSYS, EMLINK:
        if try location.status() != nil { return nil }
        return try commit()
      default: throw FileSystem.failure("write", location.path)
      }
    }
    // The temporary name is removed with this value.
    return identity
  }

  /// Keeps the temporary file, so that the caller can commit or remove it later.
  consuming func handOver(insteadOf original: Replacements.Original?) -> ReadyFile {
    isGone = true
    return ReadyFile(
      path: location.path, identity: identity, original: original, folder: location.folder.identity,
      temporary: temporary)
  }

  /// The maximum number of bytes of a file's name that are part of its temporary name.
  private static let greatestStem = 225
  static let temporarySuffix = ".tmp"

  /// Returns the prefix of the temporary names for a file.
  static func temporaryPrefix(_ name: FileSystem.SystemPath) -> String { ".\(FileSystem.text(stem(of: name) + [0]))." }

  /// Returns the beginning of a file's name, as its temporary name contains it. It does not end in the middle of a
  /// character, because ``FileSystem/names(in:)`` omits names that are not UTF-8.
  private static func stem(of name: FileSystem.SystemPath) -> ArraySlice<CChar> {
    let whole = name.dropLast()
    guard whole.count > greatestStem else { return whole }
    // The bytes of a character that follow its first one, of which there are at most three, begin with the bits 10.
    let end = (greatestStem - 3...greatestStem).last { UInt8(bitPattern: whole[$0]) & 0xC0 != 0x80 }
    return whole.prefix(end ?? greatestStem)
  }

  /// The numbers of digits that random 64-bit numbers have in base 36. Few have fewer than the lower bound, and none
  /// has more than the upper one.
  private static let digitCounts = 10...13

  /// Returns the prefix of a temporary name, as ``temporaryPrefix(_:)`` creates it, or nil if the name is not a
  /// temporary one.
  static func prefix(ofTemporary name: String) -> String? {
    // A period and a combining mark after it are one character, but two in the name of a file.
    guard name.utf8.first == UInt8(ascii: "."), name.hasSuffix(temporarySuffix) else { return nil }
    let stem = name.dropLast(temporarySuffix.count)
    guard let dot = stem.lastIndex(of: "."), dot > stem.startIndex else { return nil }
    let digits = stem[stem.index(after: dot)...].utf8
    let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) }
    return digitCounts.contains(digits.count) && digits.allSatisfy(isDigit) ? String(stem[...dot]) : nil
  }

  /// Returns a temporary name for a file, which no other process knows.
  static func temporaryName(for name: FileSystem.SystemPath) -> FileSystem.SystemPath {
    // A file name has at most 255 bytes.
    let suffix = ".\(String(UInt64.random(in: .min ... .max), radix: 36))\(temporarySuffix)"
    return [CChar(bitPattern: UInt8(ascii: "."))] + stem(of: name) + suffix.utf8CString
  }
}

/// A file that is being written. It is next to the file that it will replace, and has a name that no other process
/// knows. It is removed unless it is finished.
final class UnfinishedFile {
  /// The output for the contents of the file.
  let output: FileOutput
  private let location: FileLocation
  private let temporary: FileSystem.SystemPath
  private var isFinished = false
  private var registration: UnfinishedFiles.Registration?

  init(at location: FileLocation, _ permissions: NewFile.Permissions) throws(FileError) {
    let (descriptor, temporary, registration) = try Self.createTemporary(in: location, permissions)
    self.registration = registration
    output = FileOutput(descriptor: descriptor, name: location.path)
    self.location = location
    self.temporary = temporary
    var status = stat()
    if unsafe fstat(descriptor, &status) == 0 {
      self.registration = UnfinishedFiles.add(temporary, in: location.folder, .new(FileIdentity(status)))
    }
    // `removeAbandonedFiles` skips locked files. Some file systems have no locks.
    _ = flock(descriptor, LOCK_EX | LOCK_NB)
    // From here on, the file is removed with this value.
    try Self.set(permissions, on: descriptor, reportedAs: location.path)
  }

  deinit {
    if isFinished { return }
    _ = FileSystem.attempt(.unlink, location.path) { location.folder.remove(temporary) }
    _ = FileSystem.attempt(.close, location.path) { close(output.descriptor) }
  }

  /// Finishes the file. Syncs it to the disk if `isOnDisk`, and keeps it locked for the lifetime of the returned value
  /// if `isLocked`.
  func finish(isOnDisk: Bool = true, isLocked: Bool = false) throws(FileError) -> NewFile {
    let descriptor = output.descriptor
    if isOnDisk { try FileSystem.perform(.synchronize, "write", location.path) { fsync(descriptor) } }
    let identity = try FileIdentity(descriptor, named: location.path)
    isFinished = true
    let registrations = registration.map { [$0] } ?? []
    guard isLocked else {
      _ = close(descriptor)
      return NewFile(
        location: location, temporary: temporary, identity: identity, lock: nil, registrations: registrations)
    }
    // The file has been locked since it was created.
    let lock = HeldLock(on: descriptor, reportedAs: location.path)
    return NewFile(
      location: location, temporary: temporary, identity: identity, lock: lock, registrations: registrations)
  }

  private static func set(
    _ permissions: NewFile.Permissions, on descriptor: Int32, reportedAs path: String
  ) throws(FileError) {
    var mode: mode_t
    switch permissions {
    case .new: return
    case .same(let status):
      // The owner is set first, because that clears bits of the mode. If the owner or group cannot be kept, only the
      // permissions that do not depend on them are kept.
      mode = status.st_mode & 0o7777
      if FileSystem.attempt(.changeOwner, path, { fchown(descriptor, status.st_uid, status.st_gid) }) == 0 { break }
      mode &= 0o1777
      if !setGroup(status.st_gid, on: descriptor, path) { mode &= 0o1707 }
    case .own(let group, let permissions):
      mode = permissions
      if !setGroup(group, on: descriptor, path) { mode &= 0o707 }
    }
    try FileSystem.perform(.changeMode, "write", path) { fchmod(descriptor, mode) }
  }

  private static func setGroup(_ group: gid_t, on descriptor: Int32, _ path: String) -> Bool {
    FileSystem.attempt(.changeOwner, path) { fchown(descriptor, uid_t.max, group) } == 0
  }

  private static func createTemporary(
    in location: FileLocation, _ permissions: NewFile.Permissions
  ) throws(FileError) -> (descriptor: Int32, name: FileSystem.SystemPath, UnfinishedFiles.Registration) {
    // Other users must not be able to read the file before it has its final permissions.
    let mode: mode_t = if case .new(let mode) = permissions { mode } else { 0o600 }
    var code: Int32 = 0
    for _ in 0..<100 {
      let candidate = NewFile.temporaryName(for: location.name)
      // A signal can end the process as soon as the file exists. The name is random, so no other process uses it.
      let registration = UnfinishedFiles.add(candidate, in: location.folder, nil)
      let descriptor = FileSystem.attempt(.create, location.path) {
        location.folder.open(candidate, O_WRONLY | O_CREAT | O_EXCL, mode: mode)
      }
      code = errno
      if descriptor >= 0 { return (descriptor, candidate, registration) }
      guard code == EEXIST else { break }
    }
    let reason =
      code == EACCES || code == EROFS
      ? "cannot create a file in its folder: \(FileSystem.message(code))" : FileSystem.message(code)
    throw FileError(code, "cannot write \(location.path): \(reason)")
  }
}

/// A complete file next to the file that it will replace. It is not kept open, because many such files may wait.
struct ReadyFile: Sendable {
  /// The path of the file to replace.
  let path: String
  let identity: FileIdentity
  /// The state of the file to replace, which must not have changed; nil to replace any file.
  fileprivate let original: Replacements.Original?
  fileprivate let folder: FileIdentity?
  fileprivate let temporary: FileSystem.SystemPath

  /// Returns the destination of the file. Throws `ENOENT` if the path now leads to another folder.
  private func location() throws(FileError) -> FileLocation {
    guard let location = try FileLocation(path), let folder, location.folder.identity?.isSameFile(as: folder) == true
    else { throw FileError(ENOENT, "cannot write \(path): its folder was replaced") }
    return location
  }

  /// Replaces the original. Returns false, and removes this file, if the original has changed.
  func commit() throws(FileError) -> Bool {
    let location = try location()
    _ = try location.file()
    let file = NewFile(location: location, temporary: temporary, identity: identity, lock: nil)
    guard let original else {
      try file.commit()
      return true
    }
    return try Replacement.exchange(file, original)
  }

  /// Removes this file. After an exchange that could not be undone, another program's file has its temporary name, and
  /// stays.
  func remove() {
    guard let location = try? location(), location.identity(of: temporary)?.isSameFile(as: identity) == true else {
      return
    }
    _ = location.folder.remove(temporary)
  }

  func open() throws(FileError) -> Int32 {
    let location = try location()
    return try FileSystem.perform(.open, "write", path) { location.folder.open(temporary, O_RDONLY) }
  }
}
