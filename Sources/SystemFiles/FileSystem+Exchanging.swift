package import FoundationEssentials

extension FileSystem {
  /// Replaces a file with `data` in one step, as ``replace(_:with:)`` does, unless the file is not the one any more
  /// that was read, or was written to since. Then it stays as it is.
  ///
  /// - Parameter identity: what the file was known by when it was read.
  /// - Returns: whether the file was replaced.
  package static func replace(
    _ path: String, with data: Data, unlessChangedSince identity: FileIdentity
  ) throws(FileError) -> Bool {
    guard let location = try FileLocation(path), let status = try location.file(), FileIdentity(status) == identity
    else {
      return false
    }
    let file = try NewFile.holding(data, at: location, .same(as: status))
    let isReplaced = try file.commit(replacing: identity, settingAside: nil) { ".displaced" } != nil
    if isReplaced { try location.folder.synchronize(reportedAs: path) }
    return isReplaced
  }
}
