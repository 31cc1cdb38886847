/// Why a file, or a folder, could not be read, written or locked.
package struct FileError: Error, Hashable, Sendable {
  /// The value of `errno`.
  package let code: Int32
  /// What failed, with the path, and why: one line.
  package let message: String
  /// How many bytes a file may have that has more; nil for any other error.
  package let limit: Int?

  package init(_ code: Int32, _ message: String, limit: Int? = nil) {
    self.code = code
    self.message = message
    self.limit = limit
  }

  static func tooLarge(limit: Int) -> FileError { FileError(EFBIG, "more than \(limit) bytes", limit: limit) }

  package static func outOfMemory(_ name: String) -> FileError {
    FileError(ENOMEM, "cannot read \(name): \(FileSystem.message(ENOMEM))")
  }

  package static func missingLibrary(_ library: String, for name: String) -> FileError {
    #if os(Linux)
      let code = ELIBACC
    #else
      let code = ENOENT
    #endif
    return FileError(code, "cannot read \(name): no \(library) is installed that can be used")
  }

  /// True if another process has the file locked.
  package var isLocked: Bool { code == EWOULDBLOCK }

  /// True if `code` says that the file cannot be read for what it is, and not for what the system could do just now.
  package static func isAboutFile(_ code: Int32) -> Bool { code == EACCES || code == EPERM }
}
