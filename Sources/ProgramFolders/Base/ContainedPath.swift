internal import PropertyLists

/// A relative path that cannot lead out of a folder: names separated by `/`.
struct ContainedPath {
  /// The path.
  let path: String

  /// The greatest length of a name, in bytes (`NAME_MAX` of Linux and macOS).
  private static let greatestLength = 255

  /// Creates a path of one or more names.
  ///
  /// - Throws: ``ProgramFoldersError/invalidName(_:reason:)`` if the path is absolute, or if a name is empty, is `.` or
  ///   `..`, contains a NUL, or is longer than 255 bytes.
  init(_ path: String) throws(ProgramFoldersError) {
    if path.hasPrefix("/") { throw .invalidName(path, reason: "it is an absolute path") }
    for name in path.split(separator: "/", omittingEmptySubsequences: false) {
      if let reason = Self.defect(of: name) { throw .invalidName(path, reason: reason) }
    }
    self.path = path
  }

  /// Creates a path of one name.
  ///
  /// - Throws: As ``init(_:)``, and if the name contains `/`.
  init(name: String) throws(ProgramFoldersError) {
    if name.utf8.contains(UInt8(ascii: "/")) { throw .invalidName(name, reason: "it contains a slash") }
    try self.init(name)
  }

  private static func defect(of name: Substring) -> String? {
    switch name {
    case "": "a name is empty"
    case ".", "..": "it leaves the folder"
    default:
      if name.utf8.contains(0) {
        "it contains a NUL"
      } else if name.utf8.count > greatestLength {
        "a name has more than \(greatestLength) bytes"
      } else {
        nil
      }
    }
  }
}
