/// A file that belongs to another one, and that is written in place.
extension FileLocation {
  /// The location of the companion of a file: in its folder, with a hidden name that ends with `suffix`.
  package func companion(_ suffix: String) -> FileLocation {
    let hidden = [CChar(bitPattern: UInt8(ascii: "."))] + name.dropLast() + suffix.utf8CString
    return FileLocation(hidden, nextTo: self)
  }

  /// Opens the file, and makes it if it is missing and `isMade` is true. Returns nil if it is missing or not trusted:
  /// it must be a regular file without another name, and belong to the user of this process or to the group that the
  /// folder is shared with.
  package func openCompanion(isMade: Bool) throws(FileError) -> (descriptor: Int32, identity: FileIdentity)? {
    let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | (isMade ? O_CREAT : 0)
    let descriptor = FileSystem.attempt(.open, path) { folder.open(name, flags, mode: 0o600) }
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw FileSystem.failure("open", path)
    }
    var status = stat()
    if unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 {
      let identity = FileIdentity(status)
      if identity.isOwn || isShared(identity) { return (descriptor, identity) }
    }
    _ = close(descriptor)
    return nil
  }

  /// True if the path still leads to the file that was opened.
  package func hasFile(_ file: FileIdentity) -> Bool { identity(of: name)?.isSameFile(as: file) == true }

  /// Removes the file.
  package func removeCompanion() { _ = FileSystem.attempt(.unlink, path) { folder.remove(name) } }

  /// Gives a file that was opened group and permission bits of another one, as far as the system allows that. Who
  /// shares the folder on purpose may write to it, as to the folder.
  package func setPermissions(of descriptor: Int32, like file: FileIdentity) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return }
    let current = FileIdentity(status)
    let permissions = file.permissions | (isShared(file) ? 0o020 : 0)
    if current.group == file.group, current.permissions == permissions { return }
    let hasGroup = current.group == file.group || fchown(descriptor, uid_t.max, file.group) == 0
    _ = fchmod(descriptor, hasGroup ? permissions : permissions & 0o707)
  }
}
