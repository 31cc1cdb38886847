/// The location of a file that may be written: an open folder, and a name in it that is not a symbolic link.
///
/// Links are followed once, when the location is created. Moving folders or creating links after that has no effect,
/// because all calls refer to the name in that folder. A link that another user made in a folder that others can write
/// to is not followed, because it could lead to any file of the user.
///
/// The unsafe expressions are sound: names end with a NUL, and status variables are filled by the calls that get them.
package struct FileLocation: Sendable {
  package let folder: OpenFolder
  let name: FileSystem.SystemPath
  /// The path from the caller. If the location was created from another one in the same folder, such as that of a
  /// companion file, this is its real path.
  package let path: String
  /// The path with all links resolved.
  let realPath: String
  /// True if the name at the path is a link that leads to this location.
  let isBehindLink: Bool

  /// Creates the location that a path leads to, and follows links.
  ///
  /// - Returns: Nil if its folder does not exist.
  /// - Throws: ``FileError``, also for a link that must not be followed.
  package init?(_ path: String) throws(FileError) {
    try FileSystem.perform(.status, "write", path) { 0 }
    try self.init(lookingFor: path)
  }

  /// Creates the location like ``init(_:)``, but without the call that tests can make fail.
  init?(lookingFor path: String) throws(FileError) {
    var walk = try PathWalk(path)
    guard let name = try walk.next() else { return nil }
    folder = walk.folder
    self.name = name
    self.path = path
    realPath = walk.description(of: name)
    isBehindLink = walk.isBehindLink
  }

  /// Creates the location of another name in the same folder.
  init(_ name: FileSystem.SystemPath, nextTo other: FileLocation) {
    (folder, self.name) = (other.folder, name)
    realPath = FileSystem.parent(of: other.realPath) + "/" + FileSystem.text(name)
    path = realPath
    isBehindLink = false
  }

  /// Returns the status of the file at the location, or nil if none exists.
  func status() throws(FileError) -> stat? {
    var status = stat()
    guard FileSystem.attempt(.status, path, { folder.status(of: name, &status) }) == 0 else {
      if errno == ENOENT { return nil }
      throw FileSystem.failure("write", path)
    }
    return status
  }

  /// Returns the status of the regular file at the location, or nil if none exists. Throws if another kind of file is
  /// there, or if the path is a link to a file of another user.
  package func file() throws(FileError) -> stat? {
    guard let status = try status() else { return nil }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw FileError(
        status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL,
        "cannot write \(path): \(realPath) is \(Self.description(of: status)), not a regular file")
    }
    guard !isBehindLink || status.st_uid == geteuid() else {
      throw FileError(EPERM, "cannot write \(path): it is a link to \(realPath), which belongs to another user")
    }
    return status
  }

  /// Returns the identity of a file in the folder, or nil if none exists. Tests cannot make this call fail, because it
  /// only checks the result of other calls.
  func identity(of name: FileSystem.SystemPath) -> FileIdentity? {
    var status = stat()
    return folder.status(of: name, &status) == 0 ? FileIdentity(status) : nil
  }

  /// True if the path still leads to this folder.
  package var isCurrent: Bool {
    guard let current = try? FileLocation(lookingFor: path), let folder = current.folder.identity else { return false }
    return self.folder.identity?.isSameFile(as: folder) == true
  }

  /// Opens the file for locking or reading. Returns nil if it does not exist.
  package func open(_ flags: Int32) throws(FileError) -> Int32? {
    let descriptor = FileSystem.attempt(.open, path) { folder.open(name, flags | O_NOFOLLOW | O_NONBLOCK) }
    if descriptor >= 0 { return descriptor }
    if errno == ENOENT { return nil }
    throw FileSystem.failure("open", path)
  }

  private static func description(of status: stat) -> String {
    switch status.st_mode & S_IFMT {
    case S_IFDIR: "a folder"
    case S_IFLNK: "a link"
    case S_IFIFO: "a pipe"
    case S_IFSOCK: "a socket"
    default: "a device"
    }
  }

  /// Returns the location of a companion file. It is in the same folder, and has a hidden name that ends with `suffix`.
  package func companion(_ suffix: String) -> FileLocation {
    let hidden = [CChar(bitPattern: UInt8(ascii: "."))] + name.dropLast() + suffix.utf8CString
    return FileLocation(hidden, nextTo: self)
  }

  /// Opens the file, and creates it if it is missing and `isMade` is true. Returns nil if the file is missing or cannot
  /// be trusted.
  ///
  /// A file can be trusted if it is a regular file with only one name, and belongs to the user of this process or to
  /// the group that the folder is shared with.
  ///
  /// - Throws: ``FileError`` if the file cannot be opened, for example because it is a link.
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

  /// Returns true if `file` is still at the location, regardless of changes to its contents.
  package func hasFile(_ file: FileIdentity) -> Bool { identity(of: name)?.isSameFile(as: file) == true }

  /// Removes the companion file at this location.
  package func removeCompanion() { _ = FileSystem.attempt(.unlink, path) { folder.remove(name) } }

  /// Gives an open file the group and permission bits of another file. If the system does not allow that group, clears
  /// the bits for the group. If the other file is shared with the group of the folder (``isShared(_:)``), also allows
  /// the group to write the open file.
  package func setPermissions(of descriptor: Int32, like file: FileIdentity) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return }
    let current = FileIdentity(status)
    let permissions = file.permissions | (isShared(file) ? 0o020 : 0)
    if current.group == file.group, current.permissions == permissions { return }
    let hasGroup = current.group == file.group || fchown(descriptor, uid_t.max, file.group) == 0
    _ = fchmod(descriptor, hasGroup ? permissions : permissions & 0o707)
  }

  // Files that several users save. The user who replaces a file owns the new one, which must not lock out other users.

  /// The ID of the group that the folder is shared with; nil if it is not shared. A folder is shared with its group if
  /// members of the group can create files in it, other users cannot, and new files get the group of the folder (mode
  /// 2770 or 2775).
  private var sharingGroup: UInt32? {
    guard let folder = folder.identity, folder.givesItsGroup, folder.permissions & 0o022 == 0o020 else { return nil }
    return folder.group
  }

  /// True if no other user can create files in the folder.
  private var isOfOneUser: Bool { folder.identity.map { $0.isOwn && $0.permissions & 0o022 == 0 } ?? false }

  /// Returns true if a file is shared: its folder is shared with the group of the file (mode 2770 or 2775), and the
  /// group may read the file.
  func isShared(_ file: FileIdentity) -> Bool { sharingGroup == file.group && file.permissions & 0o040 != 0 }

  /// The permissions of a new file that does not replace another one: its owner may read and write it, and so may the
  /// group that the folder is shared with.
  var permissionsOfNewFile: NewFile.Permissions { sharingGroup.map { .own(group: $0, mode: 0o660) } ?? .new(0o600) }

  /// Returns the permissions for a new file that replaces an old one. The new file gets the group and permission bits
  /// of the old file if that belongs to the user of this process, or is shared with the group of its folder
  /// (``isShared(_:)``). It does not get bits that another user has set, because that user could then decide who reads
  /// the data that this process saves.
  ///
  /// - Parameter file: The old file, or nil to ignore its permissions.
  package func permissions(like file: FileIdentity?) -> NewFile.Permissions {
    guard let file, file.isOwn || isShared(file) else { return permissionsOfNewFile }
    return .own(like: file)
  }

  /// Throws an error if this process must not replace a file. This is the case if the file is not shared and belongs to
  /// another user, and also other users than that of this process can create files in the folder. The new file would
  /// lock out that user.
  package func checkOwner(of file: FileIdentity) throws(FileError) {
    if file.isOwn || isOfOneUser || isShared(file) { return }
    throw FileError(
      EPERM,
      "cannot write \(path): the file belongs to another user. To share it, give it to a group (mode 660) in a folder "
        + "of that group (mode 2770)")
  }

  /// Throws an error if a file that cannot be read must not be set aside. This is the case if the path is a link, or if
  /// the file belongs to another user and this process may not read it.
  ///
  /// - Parameter isForbidden: True if this process may not read the file; false if it has read the file, and the
  ///   contents are wrong.
  package func checkSettingAside(_ file: FileIdentity, isForbidden: Bool) throws(FileError) {
    if isBehindLink {
      throw FileError(EPERM, "cannot set aside \(path): it is a link to \(realPath), which cannot be read")
    }
    if isForbidden, !file.isOwn {
      throw FileError(EACCES, "cannot set aside \(path): it belongs to another user, and cannot be read")
    }
  }
}
