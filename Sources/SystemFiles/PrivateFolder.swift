package import FoundationEssentials

/// A folder for temporary files that only the user can read. It is removed with this value, unless ``keep()`` is
/// called.
package struct PrivateFolder: ~Copyable {
  package let path: String
  private var isKept = false
  private var registration: UnfinishedFiles.Registration?

  /// Creates a folder in the system's folder for temporary files.
  ///
  /// - Parameter files: The names of the files that a signal handler removes with the folder; see
  ///   ``UnfinishedFiles/removeAll()``.
  package init(files: [String] = []) throws(FileError) {
    let template = FileManager.default.temporaryDirectory.path + "/plist-XXXXXX"
    var path = Array(template.utf8CString)
    // Memory-safe: the template ends with a NUL, and the call writes only within it.
    guard FileSystem.attempt(.makeFolder, template, { unsafe mkdtemp(&path) == nil ? -1 : 0 }) == 0 else {
      throw FileSystem.failure("create", template)
    }
    self.path = FileSystem.text(path)
    registration = UnfinishedFiles.add(folder: self.path, files: files)
  }

  deinit { if !isKept { try? FileManager.default.removeItem(atPath: path) } }

  /// Prevents the removal of the folder.
  package mutating func keep() {
    isKept = true
    registration = nil
  }

  /// Creates a file in the folder, for the user only. Returns its path.
  package func create(_ name: String, with data: Data) throws(FileError) -> String {
    let path = "\(path)/\(name)"
    guard try FileSystem.create(path, with: data) != nil else {
      throw FileError(EEXIST, "cannot write \(path): \(FileSystem.message(EEXIST))")
    }
    return path
  }
}
