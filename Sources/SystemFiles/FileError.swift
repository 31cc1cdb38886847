/// The reason why a file or a folder could not be read, written or locked.
package struct FileError: Error, Hashable, Sendable {
  /// The value of `errno`.
  package let code: Int32
  /// A description in one line: what failed, the path, and the reason.
  package let message: String
  /// The maximum size that the file exceeds, in bytes, or nil for any other error.
  package let limit: Int?

  package init(_ code: Int32, _ message: String, limit: Int? = nil) {
    self.code = code
    self.message = message
    self.limit = limit
  }

  static func tooLarge(_ name: String, limit: Int) -> FileError {
    FileError(EFBIG, "cannot read \(name): it has more than \(limit) bytes", limit: limit)
  }

  package static func outOfMemory(_ name: String) -> FileError {
    FileError(ENOMEM, "cannot read \(name): \(FileSystem.message(ENOMEM))")
  }

  package static func missingLibrary(_ library: String, for name: String) -> FileError {
    #if os(Linux)
      let code = ELIBACC
    #else
      let code = ENOENT
    #endif
    return FileError(code, "cannot read \(name): no usable \(library) is installed")
  }

  /// True if another process has locked the file.
  package var isLocked: Bool { code == EWOULDBLOCK }

  /// Returns true if `code` means that this file cannot be read, and false if it means a temporary problem of the
  /// system.
  package static func isAboutFile(_ code: Int32) -> Bool { code == EACCES || code == EPERM }
}
