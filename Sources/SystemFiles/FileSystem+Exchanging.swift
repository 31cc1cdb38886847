package import FoundationEssentials

extension FileSystem {
  /// Puts `data` in the place of a file in one step, as ``replace(_:with:)`` does, unless the file is not the one any
  /// more that was read, or was written to since. Then it stays as it is.
  ///
  /// - Parameter identity: what the file was known by when it was read.
  /// - Returns: whether the data took its place.
  package static func replace(
    _ path: String, with data: Data, unlessChangedSince identity: FileIdentity
  ) throws(FileError) -> Bool {
    guard let place = try FileLocation(path), let status = try place.file(), FileIdentity(status) == identity else {
      return false
    }
    let file = try NewFile.holding(data, at: place, .same(as: status))
    let isReplaced = try file.takePlace(of: identity, settingAside: nil) { ".displaced" } != nil
    if isReplaced { try place.folder.synchronize(reportedAs: path) }
    return isReplaced
  }
}
