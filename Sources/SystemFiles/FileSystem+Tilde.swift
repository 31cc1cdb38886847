internal import FoundationEssentials

/// Functions that replace `~` by a home folder in paths, and back, as `NSString` does.
extension FileSystem {
  /// Replaces `~` at the beginning of a path with the home folder, and `~NAME` with the home folder of that user. If
  /// the folder is unknown, the path is not changed.
  package static func expandingTilde(in path: String, home: String?) -> String {
    guard path.hasPrefix("~") else { return path }
    let end = path.firstIndex(of: "/") ?? path.endIndex
    let user = String(path[..<end].dropFirst())
    let folder = user.isEmpty ? home : FileManager.default.homeDirectory(forUser: user)?.path
    guard let folder else { return path }
    return (folder == "/" && end < path.endIndex ? "" : folder) + path[end...]
  }

  /// Replaces the home folder at the beginning of a path with `~`. Compares bytes, as file systems do: two Unicode
  /// spellings are two folders.
  package static func abbreviatingWithTilde(_ path: String, home: String?) -> String {
    guard let home, home != "/", path.utf8.starts(with: home.utf8) else { return path }
    let rest = Substring(path.utf8.dropFirst(home.utf8.count))
    return rest.isEmpty || rest.utf8.first == UInt8(ascii: "/") ? "~" + rest : path
  }
}
