internal import FoundationEssentials
internal import PropertyLists
internal import SharedFiles
internal import SystemFiles

/// The bytes of a file of preferences and the state it was read in.
struct PreferencesBytes {
  let data: Data
  let identity: FileIdentity

  private static let limit = ParsingLimits().inputSize

  /// - Returns: nil if there is no file.
  init?(of path: String) throws(PropertyListError) {
    let read = try PropertyListError.converting { () throws(FileError) in
      try FileSystem.readRegularFile(path, limit: Self.limit)
    }
    guard let read else { return nil }
    (data, identity) = read
  }

  init(of file: inout LockedFile) throws(PropertyListError) {
    do throws(FileError) { data = try file.read(limit: Self.limit) } catch { throw PropertyListError(error) }
    identity = file.identity
  }
}

extension PropertyListError {
  /// True if the file cannot be read for what it is, and not for what the system could do just now.
  var isAboutFile: Bool {
    guard case .inputOutput(let code) = kind else { return true }
    return FileError.isAboutFile(code)
  }

  /// True if the path leads to no regular file, which stays so until somebody changes that.
  var isAboutPath: Bool {
    guard case .inputOutput(let code) = kind else { return false }
    return FileError.isAboutPath(code)
  }
}
