#if canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#elseif canImport(Bionic)
  private import Bionic
#elseif canImport(Darwin)
  private import Darwin
#endif

/// Paths as the system has them.
extension FileSystem {
  /// Bytes, which need not be UTF-8, and a NUL.
  typealias SystemPath = [CChar]

  private static let slash = CChar(bitPattern: UInt8(ascii: "/"))

  /// The file that a path leads to when all symbolic links are followed; also if the last of them names no file yet.
  static func resolvedPath(_ path: String) -> SystemPath {
    var current = Array(path.utf8CString)
    // As many links as Linux follows.
    for _ in 0..<40 {
      var target = SystemPath(repeating: 0, count: Int(PATH_MAX) + 1)
      let length = unsafe readlink(current, &target, target.count - 1)
      guard length > 0 else { break }
      let name = target.prefix(length) + [0]
      current = name.first == slash ? Array(name) : folderPrefix(of: current) + name
    }
    return current
  }

  /// The folder that a path names something in; `.` if it names none.
  static func folder(of path: SystemPath) -> SystemPath {
    let folder = folderPrefix(of: path)
    return (folder.isEmpty ? [CChar(bitPattern: UInt8(ascii: "."))] : folder) + [0]
  }

  /// What stands before the name at the end of a path, up to the last slash.
  static func folderPrefix(of path: SystemPath) -> SystemPath {
    path.lastIndex(of: slash).map { Array(path[...$0]) } ?? []
  }

  /// The path as text; what is not UTF-8 in it is shown as replacement characters.
  static func text(_ path: SystemPath) -> String {
    String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The file that a path leads to, symbolic links followed.
  package static func target(of path: String) -> String { text(resolvedPath(path)) }

  /// The folder that holds the file a path leads to, symbolic links followed.
  package static func folderOfTarget(of path: String) -> String { parent(of: target(of: path)) }
}
