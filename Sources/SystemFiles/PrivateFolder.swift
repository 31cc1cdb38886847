package import FoundationEssentials

/// A folder for temporary files that nobody else may look into. It is removed with this value, unless it is to be kept.
package struct PrivateFolder: ~Copyable {
  package let path: String
  private var isKept = false
  private var registration: UnfinishedFiles.Registration?

  /// A folder among the temporary files of the system.
  ///
  /// - Parameter files: the names of the files that a signal handler removes with the folder:
  ///   ``UnfinishedFiles/removeAll()``.
  package init(files: [String] = []) throws(FileError) {
    let template = FileManager.default.temporaryDirectory.path + "/plist-XXXXXX"
    var path = Array(template.utf8CString)
    // Sound: the template ends with a NUL, and the call writes within it.
    guard FileSystem.attempt(.makeFolder, template, { unsafe mkdtemp(&path) == nil ? -1 : 0 }) == 0 else {
      throw FileSystem.failure("make", template)
    }
    self.path = FileSystem.text(path)
    registration = UnfinishedFiles.add(folder: self.path, files: files)
  }

  deinit { if !isKept { try? FileManager.default.removeItem(atPath: path) } }

  /// Leaves the folder where it is.
  package mutating func keep() {
    isKept = true
    registration = nil
  }

  /// Makes a file in the folder, for the user alone.
  package func create(_ name: String, with data: Data) throws(FileError) -> String {
    let path = "\(path)/\(name)"
    guard try FileSystem.create(path, with: data) != nil else {
      throw FileError(EEXIST, "cannot write \(path): \(FileSystem.message(EEXIST))")
    }
    return path
  }
}
