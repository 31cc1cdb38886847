/// Files that get another name, or none.
///
/// Foundation has no names that are not UTF-8. The unsafe expressions are sound: paths end with a NUL.
extension FileSystem {
  /// Gives a file or a folder another name on the same file system, in place of whatever file has it.
  package static func move(_ path: String, to other: String) throws(FileError) {
    try perform(.rename, "make", other) { unsafe rename(systemPath(path), systemPath(other)) }
  }

  /// Removes a file or a link. What cannot be removed stays.
  package static func removeFile(_ path: String) { _ = attempt(.unlink, path) { unsafe unlink(systemPath(path)) } }
}
