/// A folder that is open, so that names can be used in it wherever it is moved.
///
/// The unsafe expressions are sound: names end with a NUL, and what a call fills is given to it whole.
package final class OpenFolder: Sendable {
  let descriptor: Int32

  /// - Parameter descriptor: closed with this value.
  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { _ = close(descriptor) }

  var identity: FileIdentity? {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? FileIdentity(status) : nil
  }

  /// What a name stands for: a link counts as itself.
  func status(of name: FileSystem.SystemPath, _ status: inout stat) -> Int32 {
    unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW)
  }

  /// Opens a file of the folder. None of the three standard descriptors is taken for it.
  func open(_ name: FileSystem.SystemPath, _ flags: Int32, mode: mode_t = 0) -> Int32 {
    FileSystem.aboveStandard(unsafe openat(descriptor, name, flags | O_CLOEXEC, mode))
  }

  /// Opens the folder itself, to lock it or to bring it to the disk.
  package func openAgain() -> Int32 { open(Array(".".utf8CString), O_RDONLY | O_DIRECTORY) }

  /// Another name for a file of the folder.
  func link(_ name: FileSystem.SystemPath, to other: FileSystem.SystemPath) -> Int32 {
    unsafe linkat(descriptor, name, descriptor, other, 0)
  }

  func rename(_ name: FileSystem.SystemPath, to other: FileSystem.SystemPath) -> Int32 {
    unsafe renameat(descriptor, name, descriptor, other)
  }

  func remove(_ name: FileSystem.SystemPath) -> Int32 { unsafe unlinkat(descriptor, name, 0) }

  /// Brings the names in the folder to the disk.
  func synchronize(reportedAs path: String) throws(FileError) {
    let descriptor = FileSystem.attempt(.open, path) { openAgain() }
    guard descriptor >= 0 else {
      // A folder may let its owner make files in it and not read it; the names are safe when the system gets to it.
      if errno == EACCES { return }
      throw FileSystem.failure("write", path)
    }
    defer { _ = close(descriptor) }
    guard FileSystem.attempt(.synchronize, path, { fsync(descriptor) }) == 0 else {
      // Some file systems cannot do this for a folder; the file is complete all the same.
      if errno == EINVAL || errno == EROFS || errno == ENOTSUP || errno == EBADF { return }
      throw FileSystem.failure("write", path)
    }
  }
}
