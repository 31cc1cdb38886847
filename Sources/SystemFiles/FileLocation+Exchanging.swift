/// Taking what is at a location out of it, so that nothing is lost of what a program put there that does not lock it.
extension FileLocation {
  /// Exchanges the file at the location and one beside it, in one step. Returns false if the system or the file system
  /// cannot do that.
  func exchange(with other: FileSystem.SystemPath) throws(FileError) -> Bool {
    guard FileSystem.attempt(.exchange, path, { folder.exchange(other, with: name) }) != 0 else { return true }
    switch errno {
    // EPERM is what sandboxes answer for system calls that they do not know. If it is about the folder, the other way
    // fails with it, too.
    case ENOSYS, EINVAL, ENOTSUP, EOPNOTSUPP, EPERM: return false
    default: throw FileSystem.failure("write", path)
    }
  }

  /// Puts back what came out of the location unexpectedly, and now has the name `other`, in exchange for the file that
  /// was put there. If yet another has replaced that, it stays, being the newest, and what came out is kept beside it,
  /// under the name of the location with `displaced`.
  func putBack(_ other: FileSystem.SystemPath, insteadOf file: FileIdentity, displaced: String) throws(FileError) {
    func exchange() throws(FileError) {
      guard FileSystem.attempt(.exchange, path, { folder.exchange(other, with: name) }) != 0 else { return }
      guard folder.rename(other, to: name) == 0 else { throw FileSystem.failure("write", path) }
    }
    try exchange()
    guard let out = identity(of: other), !out.isSameFile(as: file) else { return }
    try exchange()
    _ = try addName(to: other, suffix: displaced)
  }

  /// Gives the file at the location a second name, one that no other file has: its own with a suffix, and a number if
  /// need be. Returns it; nil if the file is not the one at the location any more. Throws `EMLINK` where there are no
  /// second names.
  package func keep(_ file: FileIdentity, suffix: String) throws(FileError) -> FileSystem.SystemPath? {
    if let kept = nameKept(of: file) { return kept }
    guard let candidate = try addName(to: name, suffix: suffix) else { return nil }
    if identity(of: candidate)?.isSameFile(as: file) == true { return candidate }
    _ = folder.remove(candidate)
    return nil
  }

  /// Gives a file of the folder another name, one that no other file has. Returns the name; nil if the file is not
  /// there.
  private func addName(to file: FileSystem.SystemPath, suffix: String) throws(FileError) -> FileSystem.SystemPath? {
    for candidate in candidates(suffix) {
      if FileSystem.attempt(.link, path, { folder.link(file, to: candidate) }) == 0 { return candidate }
      switch errno {
      case EEXIST: continue
      case ENOENT: return nil
      case EPERM, EACCES, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK: throw FileError(EMLINK, "cannot set aside \(path)")
      default: throw FileSystem.failure("set aside", path)
      }
    }
    throw FileError(EEXIST, "cannot set aside \(path): \(FileSystem.message(EEXIST))")
  }

  /// Gives the file at the location another name, where there are no second names. Returns whether that was done; not
  /// if the file is not the one at the location any more.
  package func moveAside(_ file: FileIdentity, suffix: String) throws(FileError) -> Bool {
    guard identity(of: name) == file else { return false }
    for candidate in candidates(suffix) where identity(of: candidate) == nil {
      try FileSystem.perform(.rename, "set aside", path) { folder.rename(name, to: candidate) }
      return true
    }
    throw FileError(EEXIST, "cannot set aside \(path): \(FileSystem.message(EEXIST))")
  }

  /// Removes the file at the location. Returns whether that was done; not if the file is not the one at the location
  /// any more.
  package func remove(_ file: FileIdentity) throws(FileError) -> Bool {
    // Under another name first, to look at what it is.
    let out = NewFile.temporaryName(for: name)
    guard FileSystem.attempt(.rename, path, { folder.rename(name, to: out) }) == 0 else {
      if errno == ENOENT { return false }
      throw FileSystem.failure("remove", path)
    }
    let isExpected = identity(of: out) == file
    // What somebody put there meanwhile goes back, unless there is another file already.
    if !isExpected, folder.link(out, to: name) != 0, errno != EEXIST {
      guard folder.rename(out, to: name) == 0 else { throw FileSystem.failure("remove", path) }
      return false
    }
    _ = FileSystem.attempt(.unlink, path) { folder.remove(out) }
    return isExpected
  }

  /// The name under which a process that was killed before it replaced the file has kept it.
  private func nameKept(of file: FileIdentity) -> FileSystem.SystemPath? {
    var status = stat()
    guard folder.status(of: name, &status) == 0, status.st_nlink > 1 else { return nil }
    let prefix = FileSystem.text(name) + FileSystem.suffixOfUnreadable
    return FileSystem.names(in: FileSystem.parent(of: realPath)).lazy.filter { $0.hasPrefix(prefix) }
      .map { FileSystem.systemPath($0) }
      .first { identity(of: $0)?.isSameFile(as: file) == true }
  }

  /// Names for a file that is set aside.
  private func candidates(_ suffix: String) -> some Sequence<FileSystem.SystemPath> {
    (1..<1000).lazy.map { name.dropLast() + "\(suffix)\($0 == 1 ? "" : "-\($0)")".utf8CString }
  }
}

extension OpenFolder {
  /// Exchanges two files of the folder.
  fileprivate func exchange(_ name: FileSystem.SystemPath, with other: FileSystem.SystemPath) -> Int32 {
    #if canImport(Darwin)
      return unsafe renameatx_np(descriptor, name, descriptor, other, UInt32(RENAME_SWAP))
    #elseif os(Linux)
      // RENAME_EXCHANGE (<linux/fs.h>).
      if let renameat2 = unsafe Self.renameat2 { return unsafe renameat2(descriptor, name, descriptor, other, 2) }
      errno = ENOSYS
      return -1
    #else
      errno = ENOSYS
      return -1
    #endif
  }

  #if os(Linux)
    private static let renameat2 = unsafe FileSystem.function(
      "renameat2",
      as: (@convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32).self)
  #endif
}
