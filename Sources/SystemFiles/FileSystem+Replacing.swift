package import FoundationEssentials

/// Files that are replaced or made in one step: whoever opens one finds what was there before, or all that is there
/// now.
///
/// The unsafe expressions are sound: paths end with a NUL, and status is filled by the call that it is given to.
extension FileSystem {
  /// Replaces a file with `data` in one step: writes a new file beside it, brings it to the disk, then renames it.
  ///
  /// A symbolic link is followed, so that the file it names is replaced and not the link; but not one that another user
  /// made in a folder that others can write to, and not to a file that belongs to another user. The permission bits of
  /// the old file are kept, and its owner where the system allows that. What is no regular file, such as a terminal or
  /// a pipe, is written to.
  package static func replace(_ path: String, with data: Data) throws(FileError) {
    let replacement = try Replacement(of: path)
    try replacement.output.write(data)
    try replacement.commit()
  }

  /// Makes a file that must not exist yet, in one step. It is on the disk, and its name is when its folder is. Returns
  /// what the file is known by; nil if there is a file already, which is left as it is, or no folder.
  ///
  /// - Parameter permissions: as for `open`; nil for its owner only, and for the group of a folder that is shared on
  ///   purpose.
  package static func create(
    _ path: String, with data: Data, permissions: mode_t? = nil
  ) throws(FileError) -> FileIdentity? {
    guard let location = try FileLocation(path) else { return nil }
    let permissions: NewFile.Permissions = permissions.map { .new($0) } ?? location.permissionsOfNewFile
    return try NewFile.holding(data, at: location, permissions).commitAsNew()
  }

  /// Whether a path leads to something that is written to, as a terminal is, and that is not replaced by a file.
  fileprivate static func isWrittenTo(_ path: String) throws(FileError) -> Bool {
    if namesOpenFile(path) { return true }
    var status = stat()
    guard attempt(.status, path, { unsafe stat(systemPath(path), &status) }) == 0, status.st_mode & S_IFMT != S_IFREG,
      status.st_mode & S_IFMT != S_IFDIR
    else { return false }
    // A link to it is to be one that may be followed. To where it leads in the end only the system knows, as for
    // `/dev/stdout`.
    _ = try FileLocation(path)
    return true
  }

  /// Whether a path names a file by a descriptor that a process has open on it; there is nothing to rename then.
  private static func namesOpenFile(_ path: String) -> Bool {
    if path.hasPrefix("/dev/fd/") || ["/dev/stdin", "/dev/stdout", "/dev/stderr"].contains(path) { return true }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == 5 && parts[1] == "proc" && parts[3] == "fd"
  }

  /// Whether two paths lead to the same file.
  package static func isSameFile(_ path: String, _ other: String) -> Bool {
    guard let first = try? FileIdentity(at: path), let second = try? FileIdentity(at: other) else { return false }
    return first.isSameFile(as: second)
  }

  /// Brings to the disk the name of a file, or that there is none any more.
  package static func synchronizeFolder(of path: String) throws(FileError) {
    try FileLocation(path)?.folder.synchronize(reportedAs: path)
  }
}

/// The replacement of one file, as ``FileSystem/replace(_:with:)`` does it, for what is written piece by piece. Nothing
/// changes unless it is committed.
package struct Replacement: ~Copyable {
  /// What the file is to hold is written here.
  package let output: FileOutput
  /// Nil for what is no regular file, such as a terminal or a pipe; that is written to.
  private let file: UnfinishedFile?

  deinit { if file == nil { _ = close(output.descriptor) } }

  package init(of path: String) throws(FileError) {
    if try FileSystem.isWrittenTo(path) {
      let descriptor = try FileSystem.perform(.open, "open", path) {
        unsafe open(FileSystem.systemPath(path), O_WRONLY | O_TRUNC | O_CLOEXEC)
      }
      output = FileOutput(descriptor: descriptor, name: path)
      file = nil
      return
    }
    guard let location = try FileLocation(path) else {
      throw FileError(ENOENT, "cannot write \(path): \(FileSystem.message(ENOENT))")
    }
    let permissions: NewFile.Permissions = try location.file().map { .same(as: $0) } ?? .new(0o666)
    FileSystem.removeAbandonedFilesOnce(beside: location)
    let file = try UnfinishedFile(at: location, permissions)
    output = file.output
    self.file = file
  }

  /// Replaces the file with what was written. It is on the disk then, and so is its name.
  package consuming func commit() throws(FileError) {
    let path = output.name
    guard let file = try finish(isOnDisk: true) else { return }
    try file.commit()
    try FileSystem.synchronizeFolder(of: path)
  }

  /// Replaces a file that must still be in the state `original` with what was written. It is on the disk then, and so
  /// is its name. Returns false if another file is there by now, or it was written to; nothing has changed then.
  package consuming func commit(insteadOf original: Replacements.Original) throws(FileError) -> Bool {
    let path = output.name
    guard let file = try finish(isOnDisk: true) else { return true }
    guard try Self.exchange(file, original) else { return false }
    try FileSystem.synchronizeFolder(of: path)
    return true
  }

  /// Returns whether the new file has replaced the other.
  static func exchange(_ file: consuming NewFile, _ original: Replacements.Original) throws(FileError) -> Bool {
    try file.commit(replacing: original.identity, settingAside: nil) { ".displaced" } != nil
  }

  /// - Returns: nil for what was written to.
  consuming func finish(isOnDisk: Bool) throws(FileError) -> NewFile? { try file?.finish(isOnDisk: isOnDisk) }
}

extension FileSystem {
  /// Replaces a file with `data` in one step, as ``replace(_:with:)`` does, unless the file is not the one any more
  /// that was read, or was written to since. Then it stays as it is.
  ///
  /// - Parameter identity: what the file was known by when it was read.
  /// - Returns: whether the file was replaced.
  package static func replace(
    _ path: String, with data: Data, unlessChangedSince identity: FileIdentity
  ) throws(FileError) -> Bool {
    guard let location = try FileLocation(path), let status = try location.file(), FileIdentity(status) == identity
    else { return false }
    let file = try NewFile.holding(data, at: location, .same(as: status))
    let isReplaced = try file.commit(replacing: identity, settingAside: nil) { ".displaced" } != nil
    if isReplaced { try location.folder.synchronize(reportedAs: path) }
    return isReplaced
  }

  // Files that get another name, or none. Foundation has no names that are not UTF-8.

  /// Gives a file or a folder another name on the same file system, in place of whatever file has it.
  package static func move(_ path: String, to other: String) throws(FileError) {
    try perform(.rename, "make", other) { unsafe rename(systemPath(path), systemPath(other)) }
  }

  /// Removes a file or a link. What cannot be removed stays.
  package static func removeFile(_ path: String) { _ = attempt(.unlink, path) { unsafe unlink(systemPath(path)) } }
}
