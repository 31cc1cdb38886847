import FoundationEssentials
import PropertyLists
import SystemFiles
import ToolSupport

/// The file of a call.
struct BuddyFile {
  let path: String
  let followsLinks: Bool

  private var name: String { path.printable() }

  /// The bytes of the file and what is in them; nil if there is no such file, which is said.
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

  /// The document of bytes. Of a key that a dictionary has twice, the last value counts, as in Apple's tool.
  static func document(_ data: Data, named path: String) throws(PropertyListError) -> PropertyListDocument {
    try RepeatedKeys.document(data, of: Input(file: path), format: nil, PropertyListReadingOptions()) { note($0) }
  }

  /// Replaces the file with bytes, in one step, if its content is still the one that they were made of. Only this
  /// function writes the file.
  ///
  /// - Parameter old: the content; nil if there was no file.
  /// - Returns: false if another program has changed or made the file, which is left alone then.
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
      throw PropertyListError(.inputOutput(errno: EINVAL), "cannot replace \(name): it is no regular file")
    }
    // Until this returns, no other process of this tool saves the file.
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
    // Another process was faster.
    if FileSystem.exists(path) { return false }
    // There is no folder for it, which this says.
    try FileSystem.replace(path, with: new)
    return true
  }

  private func unreadable(_ reason: String) -> BuddyError {
    BuddyError("Error Reading File: \(name)", because: reason, isOutput: true)
  }

  /// The error of a file that could not be saved.
  func unwritable(_ reason: String) -> BuddyError { BuddyError("Error Writing File: \(name)", because: reason) }

  /// What is wrong if links are not to be followed and one is in the path.
  private var linkDefect: String? {
    guard !followsLinks else { return nil }
    var start = path.startIndex
    while start < path.endIndex {
      let next = path[start...].dropFirst().firstIndex(of: "/") ?? path.endIndex
      var status = stat()
      // Sound: the path ends with a NUL, and the call fills the structure.
      if unsafe lstat(FileSystem.systemPath(String(path[..<next])), &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
        return "Error Opening File: \(name) [Too many levels of symbolic links]"
      }
      start = next
    }
    return nil
  }
}

extension Input {
  /// A file, whatever its name is: none stands for standard input.
  init(file path: String) { self.init(path == "-" ? "./-" : path) }
}
