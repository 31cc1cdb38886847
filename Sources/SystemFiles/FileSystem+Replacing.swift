package import FoundationEssentials

/// Functions that replace and create files atomically: a reader sees either the old contents or the complete new
/// contents.
///
/// The unsafe expressions are sound: paths end with a NUL, and status variables are filled by the calls that get them.
extension FileSystem {
  /// Replaces a file with `data` atomically: writes a new file next to it, syncs it to the disk, and renames it.
  ///
  /// A symbolic link is followed, and its target is replaced. Throws for a link that another user made in a folder that
  /// others can write to, and for a link to a file of another user. The new file gets the permission bits of the old
  /// one, and its owner if the system allows that. If the path leads to a terminal, a pipe or another file that is not
  /// a regular file, the data is written to it.
  package static func replace(_ path: String, with data: Data) throws(FileError) {
    let replacement = try Replacement(of: path)
    try replacement.output.write(data)
    try replacement.commit()
  }

  /// Creates a file atomically and syncs its contents; the caller syncs the folder to make the name durable. Returns
  /// the identity of the file. Returns nil if the folder is missing, or if a file exists already; that file is not
  /// changed.
  ///
  /// - Parameter permissions: The permission bits, as for `open`. If nil, only the owner and the group that the folder
  ///   is shared with may read and write the file.
  package static func create(
    _ path: String, with data: Data, permissions: mode_t? = nil
  ) throws(FileError) -> FileIdentity? {
    guard let location = try FileLocation(path) else { return nil }
    let permissions: NewFile.Permissions = permissions.map { .new($0) } ?? location.permissionsOfNewFile
    return try NewFile.holding(data, at: location, permissions).commitAsNew()
  }

  /// Returns true if the contents must be written to the path itself, because it leads to a file that cannot be
  /// replaced, such as a terminal.
  fileprivate static func isWrittenTo(_ path: String) throws(FileError) -> Bool {
    if namesOpenFile(path) { return true }
    var status = stat()
    guard attempt(.status, path, { unsafe stat(systemPath(path), &status) }) == 0, status.st_mode & S_IFMT != S_IFREG,
      status.st_mode & S_IFMT != S_IFDIR
    else { return false }
    // If it is a link, it must be one that may be followed. The final target of a path such as `/dev/stdout` is known
    // only to the system.
    _ = try FileLocation(path)
    return true
  }

  /// Returns true if a path names the descriptor of an open file. Renaming cannot replace such a file.
  private static func namesOpenFile(_ path: String) -> Bool {
    if path.hasPrefix("/dev/fd/") || ["/dev/stdin", "/dev/stdout", "/dev/stderr"].contains(path) { return true }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == 5 && parts[1] == "proc" && parts[3] == "fd"
  }

  /// Returns true if two paths lead to the same file.
  package static func isSameFile(_ path: String, _ other: String) -> Bool {
    guard let first = try? FileIdentity(at: path), let second = try? FileIdentity(at: other) else { return false }
    return first.isSameFile(as: second)
  }

  /// Syncs the folder of a file to the disk. Only after that is a new name, or the removal of a name, durable.
  package static func synchronizeFolder(of path: String) throws(FileError) {
    try FileLocation(path)?.folder.synchronize(reportedAs: path)
  }
}

/// Replaces one file atomically, like ``FileSystem/replace(_:with:)``, with contents that are written in pieces.
/// Nothing changes unless the replacement is committed.
package struct Replacement: ~Copyable {
  /// The output for the new contents of the file.
  package let output: FileOutput
  /// The new file. Nil if the path leads to a terminal, a pipe or another file that cannot be replaced; the contents
  /// are then written to the path itself.
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

  /// Replaces the file with the new contents, and syncs the contents and the name to the disk.
  package consuming func commit() throws(FileError) {
    let path = output.name
    guard let file = try finish(isOnDisk: true) else { return }
    try file.commit()
    try FileSystem.synchronizeFolder(of: path)
  }

  /// Replaces a file that must still be in the state `original` with the new contents, and syncs the contents and the
  /// name to the disk. Returns false, without changing anything, if the file has been replaced or written to.
  package consuming func commit(insteadOf original: Replacements.Original) throws(FileError) -> Bool {
    let path = output.name
    guard let file = try finish(isOnDisk: true) else { return true }
    guard try Self.exchange(file, original) else { return false }
    try FileSystem.synchronizeFolder(of: path)
    return true
  }

  /// Replaces the original with the new file. Returns false if the original has changed.
  static func exchange(_ file: consuming NewFile, _ original: Replacements.Original) throws(FileError) -> Bool {
    try file.commit(replacing: original.identity, settingAside: nil) { ".displaced" } != nil
  }

  /// Finishes writing the new file.
  ///
  /// - Returns: The new file, or nil if the contents were written to the path itself.
  consuming func finish(isOnDisk: Bool) throws(FileError) -> NewFile? { try file?.finish(isOnDisk: isOnDisk) }
}

extension FileSystem {
  /// Replaces a file with `data` atomically, like ``replace(_:with:)``. Does nothing if another process has replaced
  /// the file, or written to it, since it was read.
  ///
  /// - Parameter identity: The identity of the file when it was read.
  /// - Returns: False if the file has changed and was not replaced.
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

  // Renaming and removing files. Foundation does not support names that are not UTF-8.

  /// Renames a file or a folder on the same file system. Replaces an existing file with the new name.
  package static func move(_ path: String, to other: String) throws(FileError) {
    try perform(.rename, "rename a file to", other) { unsafe rename(systemPath(path), systemPath(other)) }
  }

  /// Removes a file or a link.
  package static func remove(_ path: String) throws(FileError) {
    try perform(.unlink, "remove", path) { unsafe unlink(systemPath(path)) }
  }

  /// Removes a file or a link. Errors are ignored.
  package static func removeFile(_ path: String) { _ = attempt(.unlink, path) { unsafe unlink(systemPath(path)) } }
}
