package import FoundationEssentials

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Bionic)
  internal import Bionic
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Files that are replaced or made in one step: whoever opens one finds what was there before, or all that is there now.
///
/// The unsafe expressions are sound: paths end with a NUL, and status is filled by the call that it is given to.
extension FileSystem {
  /// Puts `data` in the place of a file in one step: into a new file beside it, on the disk, then renamed.
  ///
  /// A symbolic link is followed, so that the file it names is replaced and not the link; but not one that another user made in a
  /// folder that others can write to, and not to a file that belongs to another user. The permission bits of the old file are kept,
  /// and its owner where the system allows that. What is no regular file, such as a terminal or a pipe, is written to.
  package static func replace(_ path: String, with data: Data) throws(PropertyListError) {
    try replace(path) { output throws(PropertyListError) in try output.write(data) }
  }

  /// As ``replace(_:with:)``, with what `body` writes.
  package static func replace(
    _ path: String, writing body: (FileOutput) throws(PropertyListError) -> Void
  ) throws(PropertyListError) {
    guard let file = try newFile(for: path, writing: body) else { return }
    try file.takePlace()
    try synchronizeFolder(of: path)
  }

  /// A new file that can take the place of the one at a path.
  ///
  /// - Parameter isOnDisk: whether it has to be on the disk.
  /// - Returns: nil for what is no regular file, such as a terminal or a pipe; it has been written to.
  static func newFile(
    for path: String, isOnDisk: Bool = true, writing body: (FileOutput) throws(PropertyListError) -> Void
  ) throws(PropertyListError) -> NewFile? {
    if try isWrittenTo(path) {
      try writeThrough(path, body)
      return nil
    }
    guard let place = try FilePlace(path) else {
      throw PropertyListError(.inputOutput(errno: ENOENT), "cannot write \(path): \(message(ENOENT))")
    }
    let permissions: NewFile.Permissions = try place.file().map { .same(as: $0) } ?? .new(0o666)
    return try NewFile(at: place, permissions, isOnDisk: isOnDisk, writing: body)
  }

  /// Makes a file that must not exist yet, in one step, readable and writable for its owner only. It is on the disk, and its name is
  /// when its folder is.
  ///
  /// - Returns: what the file is known by; nil if there is a file already, which is left as it is, or no folder.
  package static func create(_ path: String, with data: Data) throws(PropertyListError) -> FileIdentity? {
    guard let place = try FilePlace(path) else { return nil }
    return try NewFile(at: place, holding: data, .new(0o600)).takeFreePlace()
  }

  /// Whether a path leads to something that is written to, as a terminal is, and that no file takes the place of.
  private static func isWrittenTo(_ path: String) throws(PropertyListError) -> Bool {
    if namesOpenFile(path) { return true }
    var status = stat()
    guard attempt(.status, path, { unsafe stat(path, &status) }) == 0, status.st_mode & S_IFMT != S_IFREG,
      status.st_mode & S_IFMT != S_IFDIR
    else { return false }
    // A link to it is to be one that may be followed. To where it leads in the end only the system knows, as for `/dev/stdout`.
    _ = try FilePlace(path)
    return true
  }

  /// Whether a path names a file by a descriptor that a process has open on it; there is nothing to rename then.
  private static func namesOpenFile(_ path: String) -> Bool {
    if path.hasPrefix("/dev/fd/") || ["/dev/stdin", "/dev/stdout", "/dev/stderr"].contains(path) { return true }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == 5 && parts[1] == "proc" && parts[3] == "fd"
  }

  private static func writeThrough(
    _ path: String, _ body: (FileOutput) throws(PropertyListError) -> Void
  ) throws(PropertyListError) {
    let descriptor = attempt(.open, path) { unsafe open(path, O_WRONLY | O_TRUNC | O_CLOEXEC) }
    guard descriptor >= 0 else { throw failure("open", path) }
    defer { _ = close(descriptor) }
    try body(FileOutput(descriptor: descriptor, name: path))
  }

  /// Sees to it that the name of a file, or that there is none any more, is on the disk.
  package static func synchronizeFolder(of path: String) throws(PropertyListError) {
    try FilePlace(path)?.folder.synchronize(reportedAs: path)
  }
}
