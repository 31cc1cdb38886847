/// The location of a file that may be written: an open folder, and a name in it that is no link's.
///
/// Links are followed once, when the location is looked for. Whoever moves folders or puts links in the way after that
/// changes nothing: all calls are about the name in that folder. A link that another user made, in a folder that others
/// can write to, is not followed, since it could lead to any file of the user.
///
/// The unsafe expressions are sound: names end with a NUL, and status is filled by the call that it is given to.
package struct FileLocation: Sendable {
  package let folder: OpenFolder
  let name: FileSystem.SystemPath
  /// How errors name it.
  package let path: String
  /// The path without links.
  let realPath: String
  /// Whether the name at the path is a link's, which leads here.
  let isBehindLink: Bool

  /// The location that a path leads to, links followed.
  ///
  /// - Returns: nil if there is no folder for it.
  /// - Throws: ``FileError``, also for a link that is not to be followed.
  package init?(_ path: String) throws(FileError) {
    try FileSystem.perform(.status, "write", path) { 0 }
    try self.init(lookingFor: path)
  }

  /// As ``init(_:)``, but without the call that tests can make fail.
  init?(lookingFor path: String) throws(FileError) {
    var walk = try PathWalk(path)
    guard let name = try walk.next() else { return nil }
    folder = walk.folder
    self.name = name
    self.path = path
    realPath = walk.description(of: name)
    isBehindLink = walk.isBehindLink
  }

  /// Another name in the same folder.
  init(_ name: FileSystem.SystemPath, nextTo other: FileLocation) {
    (folder, self.name) = (other.folder, name)
    realPath = FileSystem.parent(of: other.realPath) + "/" + FileSystem.text(name)
    path = realPath
    isBehindLink = false
  }

  /// The status of what is at the location; nil if nothing is there.
  func status() throws(FileError) -> stat? {
    var status = stat()
    guard FileSystem.attempt(.status, path, { folder.status(of: name, &status) }) == 0 else {
      if errno == ENOENT { return nil }
      throw FileSystem.failure("write", path)
    }
    return status
  }

  /// The regular file at the location; nil if nothing is there. Throws an error that says what is there instead, or
  /// that it belongs to another user and a link leads to it.
  package func file() throws(FileError) -> stat? {
    guard let status = try status() else { return nil }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw FileError(
        status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL,
        "cannot write \(path): \(realPath) is \(Self.description(of: status)), and no regular file")
    }
    guard !isBehindLink || status.st_uid == geteuid() else {
      throw FileError(EPERM, "cannot write \(path): it is a link to \(realPath), which belongs to another user")
    }
    return status
  }

  /// What a name in the folder stands for; nil if there is no such name. Not a call that tests make fail, since it only
  /// tells what was done.
  func identity(of name: FileSystem.SystemPath) -> FileIdentity? {
    var status = stat()
    return folder.status(of: name, &status) == 0 ? FileIdentity(status) : nil
  }

  /// Whether the path still leads to this folder.
  package var isCurrent: Bool {
    guard let current = try? FileLocation(lookingFor: path), let folder = current.folder.identity else { return false }
    return self.folder.identity?.isSameFile(as: folder) == true
  }

  /// Opens the file to lock or to read it; nil if there is none.
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

  // Files that several users save. The user who replaces a file owns the new one, which must not lock out the others.

  /// The ID of the group that the folder is shared with on purpose: members make files in it, which get its group, and
  /// no other user does (mode 2770 or 2775). Nil if it is not shared like that.
  private var sharingGroup: UInt32? {
    guard let folder = folder.identity, folder.givesItsGroup, folder.permissions & 0o022 == 0o020 else { return nil }
    return folder.group
  }

  /// True if no other user makes files in the folder.
  private var isOfOneUser: Bool { folder.identity.map { $0.isOwn && $0.permissions & 0o022 == 0 } ?? false }

  /// True if a group may read the file, and the folder is shared with that group on purpose.
  func isShared(_ file: FileIdentity) -> Bool { sharingGroup == file.group && file.permissions & 0o040 != 0 }

  /// The permissions of a new file that replaces no other: for its owner, and for the group of a folder that is shared
  /// on purpose.
  var permissionsOfNewFile: NewFile.Permissions { sharingGroup.map { .own(group: $0, mode: 0o660) } ?? .new(0o600) }

  /// Returns the permissions of a file that replaces another one. Group and permission bits are kept if that file
  /// belongs to the user of this process, or is shared on purpose. They are not if another user has set them: that user
  /// would say who reads what this process saves.
  ///
  /// - Parameter file: nil if the permissions of the other file say nothing.
  package func permissions(like file: FileIdentity?) -> NewFile.Permissions {
    guard let file, file.isOwn || isShared(file) else { return permissionsOfNewFile }
    return .own(like: file)
  }

  /// Throws an error if saving the file would lock out the user who saved it last: a file of another user, who can save
  /// to the folder, too.
  package func checkOwner(of file: FileIdentity) throws(FileError) {
    if file.isOwn || isOfOneUser || isShared(file) { return }
    throw FileError(
      EPERM,
      "cannot write \(path): the file belongs to another user. To share it, give it to a group (mode 660) in a folder "
        + "of that group (mode 2770)")
  }

  /// Throws an error if a file that cannot be read must stay where it is: one that a link leads to, and one that
  /// another user keeps for himself.
  ///
  /// - Parameter isForbidden: true if the file may not be read; false if it has been read and its contents are wrong.
  package func checkSettingAside(_ file: FileIdentity, isForbidden: Bool) throws(FileError) {
    if isBehindLink {
      throw FileError(EPERM, "cannot set aside \(path): it is a link to \(realPath), which cannot be read")
    }
    if isForbidden, !file.isOwn {
      throw FileError(EACCES, "cannot set aside \(path): it belongs to another user, and may not be read")
    }
  }
}
