/// An open folder. Names in it can be used even after it is moved.
///
/// The unsafe expressions are sound: names end with a NUL, and the variables that calls fill have the required size.
package final class OpenFolder: Sendable {
  let descriptor: Int32

  /// Creates an open folder from its descriptor, which is closed with this value.
  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { _ = close(descriptor) }

  var identity: FileIdentity? {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? FileIdentity(status) : nil
  }

  /// Gets the status of a name, without following a link. Returns 0, or -1 if that fails (`errno`).
  func status(of name: FileSystem.SystemPath, _ status: inout stat) -> Int32 {
    unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW)
  }

  /// Opens a file of the folder. The result is never one of the three standard descriptors.
  func open(_ name: FileSystem.SystemPath, _ flags: Int32, mode: mode_t = 0) -> Int32 {
    FileSystem.aboveStandard(unsafe openat(descriptor, name, flags | O_CLOEXEC, mode))
  }

  /// Opens the folder itself, for locking or syncing it.
  package func openAgain() -> Int32 { open(Array(".".utf8CString), O_RDONLY | O_DIRECTORY) }

  /// Creates a hard link to a file of the folder. Returns 0, or -1 if that fails (`errno`).
  func link(_ name: FileSystem.SystemPath, to other: FileSystem.SystemPath) -> Int32 {
    unsafe linkat(descriptor, name, descriptor, other, 0)
  }

  func rename(_ name: FileSystem.SystemPath, to other: FileSystem.SystemPath) -> Int32 {
    unsafe renameat(descriptor, name, descriptor, other)
  }

  func remove(_ name: FileSystem.SystemPath) -> Int32 { unsafe unlinkat(descriptor, name, 0) }

  /// Syncs the names in the folder to the disk.
  func synchronize(reportedAs path: String) throws(FileError) {
    let descriptor = FileSystem.attempt(.open, path) { openAgain() }
    guard descriptor >= 0 else {
      // A folder may allow creating files but not reading it. Its names become durable when the system writes them.
      if errno == EACCES { return }
      throw FileSystem.failure("write", path)
    }
    defer { _ = close(descriptor) }
    guard FileSystem.attempt(.synchronize, path, { fsync(descriptor) }) == 0 else {
      // Some file systems do not support this for folders. The file itself is complete nevertheless.
      if errno == EINVAL || errno == EROFS || errno == ENOTSUP || errno == EBADF { return }
      throw FileSystem.failure("write", path)
    }
  }
}
