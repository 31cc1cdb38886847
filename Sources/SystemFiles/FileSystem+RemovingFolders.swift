/// Folders that are removed.
///
/// The unsafe expressions are sound: paths end with a NUL.
extension FileSystem {
  /// Removes a folder that has no files. Any other stays, also one in which somebody makes a file at the same time.
  package static func removeEmptyFolder(_ path: String) { unsafe rmdir(systemPath(path)) }
}
