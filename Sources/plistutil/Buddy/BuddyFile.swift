import FoundationEssentials
import PropertyLists
import SystemFiles
import ToolSupport

/// The property list file that the commands of a call read and change.
struct BuddyFile {
  let path: String
  let followsLinks: Bool

  private var name: String { path.printable() }

  /// Returns the bytes and the document of the file. If the file does not exist, prints that and returns nil.
  func read() throws(BuddyError) -> (Data, PropertyListDocument)? {
    if let linkDefect { throw unreadable(linkDefect) }
    do {
      let data = try Input(file: path).data()
      return (data, try Self.document(data, named: path))
    } catch {
      guard case .inputOutput(errno: ENOENT) = error.kind else { throw unreadable(error.line(about: name)) }
      do { try output("File Doesn't Exist, Will Create: \(name)") } catch { throw unreadable(error.line(about: name)) }
      return nil
    }
  }

  /// Parses data. If a dictionary has a key twice, the last value is used, as in Apple's tool.
  static func document(_ data: Data, named path: String) throws(PropertyListError) -> PropertyListDocument {
    try RepeatedKeys.document(data, of: Input(file: path), format: nil, PropertyListReadingOptions()) { note($0) }
  }

  /// Replaces the file atomically, if its content has not changed. Only this function writes the file.
  ///
  /// - Parameter old: the content that the file had when the changes began; nil if the file did not exist.
  /// - Returns: false if another program has changed or created the file, which is then left alone.
  func save(_ new: Data, over old: Data?) throws(BuddyError) -> Bool {
    if let linkDefect { throw unwritable(linkDefect) }
    do {
      if FileSystem.exists(path) { return try replace(with: new, over: old) }
      return old == nil ? try PropertyListError.converting(make(new)) : false
    } catch {
      throw unwritable(error.line(about: name))
    }
  }

  private func replace(with new: Data, over old: Data?) throws(PropertyListError) -> Bool {
    guard FileSystem.sizeOfRegularFile(path) != nil else {
      throw PropertyListError(.inputOutput(errno: EINVAL), "cannot replace \(name): it is not a regular file")
    }
    // Keeps other processes of this tool from saving the file until this function returns.
    let lock = try EditedFile(path) {}
    return try withExtendedLifetime(lock) { () throws(PropertyListError) in
      try PropertyListError.converting { () throws(FileError) in
        let current = try FileSystem.readRegularFile(path, limit: ParsingLimits().inputSize)
        guard let current, current.data == old else { return false }
        return try FileSystem.replace(path, with: new, unlessChangedSince: current.identity)
      }
    }
  }

  private func make(_ new: Data) throws(FileError) -> Bool {
    guard try FileSystem.create(path, with: new, permissions: 0o666) == nil else {
      try FileSystem.synchronizeFolder(of: path)
      return true
    }
    // Another process has created the file in the meantime.
    if FileSystem.exists(path) { return false }
    // The folder does not exist. This call throws the error for that.
    try FileSystem.replace(path, with: new)
    return true
  }

  private func unreadable(_ reason: String) -> BuddyError {
    BuddyError("Error Reading File: \(name)", because: reason, isOutput: true)
  }

  /// Returns the error for a file that could not be saved.
  func unwritable(_ reason: String) -> BuddyError { BuddyError("Error Writing File: \(name)", because: reason) }

  /// The error message if links must not be followed and the path contains a link; otherwise nil.
  private var linkDefect: String? {
    guard !followsLinks else { return nil }
    var start = path.startIndex
    while start < path.endIndex {
      let next = path[start...].dropFirst().firstIndex(of: "/") ?? path.endIndex
      var status = stat()
      // Memory-safe: the path ends with a NUL, and the call fills the structure.
      if unsafe lstat(FileSystem.systemPath(String(path[..<next])), &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
        return "Error Opening File: \(name) [Too many levels of symbolic links]"
      }
      start = next
    }
    return nil
  }
}

extension Input {
  /// Creates an input for a file of any name: `-` is not standard input here.
  init(file path: String) { self.init(path == "-" ? "./-" : path) }
}
