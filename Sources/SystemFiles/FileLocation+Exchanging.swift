/// Functions that replace or remove the file at a location. If a program that does not use locks puts another file
/// there at the same time, that file is not lost.
extension FileLocation {
  /// Exchanges the file at the location with another file of the same folder, atomically. Returns false if the system
  /// or the file system does not support that, or if no file is at the location.
  func exchange(with other: FileSystem.SystemPath) throws(FileError) -> Bool {
    guard FileSystem.attempt(.exchange, path, { folder.exchange(other, with: name) }) != 0 else { return true }
    switch errno {
    // Sandboxes return EPERM for unknown system calls. If the error is about the folder, the caller's alternative,
    // renaming, fails with it, too.
    case ENOSYS, EINVAL, ENOTSUP, EOPNOTSUPP, EPERM: return false
    case ENOENT where identity(of: name) == nil: return false
    default: throw FileSystem.failure("write", path)
    }
  }

  /// Undoes ``exchange(with:)`` if the file that it replaced was not the expected one: the replaced file returns to the
  /// location.
  ///
  /// If another process has put yet another file at the location in the meantime, that newest file stays there. The
  /// replaced file is then kept next to it, under the name of the location with a suffix.
  ///
  /// - Parameters:
  ///   - other: The current name of the replaced file.
  ///   - file: The new file, which is now at the location. Afterwards it has the name `other`, as before the exchange.
  ///   - displaced: The suffix of the name under which the replaced file is kept.
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

  /// Keeps the file at the location under an additional, unused name: its own name with a suffix, and a number if
  /// necessary. Returns the name, or nil if `file` is no longer at the location. Throws `EMLINK` if hard links are not
  /// supported.
  package func keep(_ file: FileIdentity, suffix: String) throws(FileError) -> FileSystem.SystemPath? {
    if let kept = nameKept(of: file) { return kept }
    guard let candidate = try addName(to: name, suffix: suffix) else { return nil }
    if identity(of: candidate)?.isSameFile(as: file) == true { return candidate }
    _ = folder.remove(candidate)
    return nil
  }

  /// Creates a hard link to a file of the folder. The name of the link is the name of the location with the suffix, and
  /// a number if that name is already used. Returns the new name, or nil if the file does not exist. Throws `EMLINK` if
  /// hard links are not supported.
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

  /// Renames the file at the location to an unused name, for file systems without hard links. Returns false if `file`
  /// is no longer at the location.
  package func moveAside(_ file: FileIdentity, suffix: String) throws(FileError) -> Bool {
    guard identity(of: name) == file else { return false }
    for candidate in candidates(suffix) where identity(of: candidate) == nil {
      try FileSystem.perform(.rename, "set aside", path) { folder.rename(name, to: candidate) }
      return true
    }
    throw FileError(EEXIST, "cannot set aside \(path): \(FileSystem.message(EEXIST))")
  }

  /// Removes the file at the location. Returns false if `file` is no longer there.
  package func remove(_ file: FileIdentity) throws(FileError) -> Bool {
    // Renamed first, so that its identity can be checked.
    let out = NewFile.temporaryName(for: name)
    guard FileSystem.attempt(.rename, path, { folder.rename(name, to: out) }) == 0 else {
      if errno == ENOENT { return false }
      throw FileSystem.failure("remove", path)
    }
    let isExpected = identity(of: out) == file
    // A file that another program put there meanwhile is put back, unless yet another file exists there.
    if !isExpected, folder.link(out, to: name) != 0, errno != EEXIST {
      guard folder.rename(out, to: name) == 0 else { throw FileSystem.failure("remove", path) }
      return false
    }
    _ = FileSystem.attempt(.unlink, path) { folder.remove(out) }
    return isExpected
  }

  /// Finds the additional name that ``keep(_:suffix:)`` gave a file in a process that was killed before it replaced the
  /// file. Returns nil if the file has no such name.
  private func nameKept(of file: FileIdentity) -> FileSystem.SystemPath? {
    var status = stat()
    guard folder.status(of: name, &status) == 0, status.st_nlink > 1 else { return nil }
    let prefix = FileSystem.text(name) + FileSystem.suffixOfUnreadable
    return FileSystem.names(in: FileSystem.parent(of: realPath)).lazy.filter { $0.hasPrefix(prefix) }
      .map { FileSystem.systemPath($0) }
      .first { identity(of: $0)?.isSameFile(as: file) == true }
  }

  /// Returns the names to try for a file that is set aside.
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
