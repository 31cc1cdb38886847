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
}
