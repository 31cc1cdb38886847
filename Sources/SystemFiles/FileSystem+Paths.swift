/// Paths as the system has them.
extension FileSystem {
  /// Bytes, which need not be UTF-8, and a NUL.
  package typealias SystemPath = [CChar]

  /// How many links Linux follows on the way to a file.
  static let greatestLinkCount = 40

  static let slash = CChar(bitPattern: UInt8(ascii: "/"))

  /// The file that a path leads to when all symbolic links are followed; also if the last of them names no file yet.
  static func resolvedPath(_ path: String) -> SystemPath {
    var current = systemPath(path)
    for _ in 0..<greatestLinkCount {
      guard let name = linkTarget(of: current) else { break }
      let folder = current[..<(current.lastIndex(of: slash).map { $0 + 1 } ?? 0)]
      current = name.first == slash ? name : folder + name
    }
    return current
  }

  /// What a symbolic link says; nil if it is none.
  private static func linkTarget(of path: SystemPath) -> SystemPath? {
    var target = SystemPath(repeating: 0, count: Int(PATH_MAX) + 1)
    let length = unsafe readlink(path, &target, target.count - 1)
    return length > 0 ? target.prefix(length) + [0] : nil
  }

  /// The folders and symbolic links that an absolute path leads through, from the top; itself if it is such a link. If
  /// one is replaced by another, the path leads elsewhere.
  package static func waypoints(of path: String) -> [String] {
    var waypoints: [String] = []
    // What is passed has no links in it, so the folder above it is the one its name says.
    var passed: [Substring] = []
    var ahead = Array(path.split(separator: "/").reversed())
    var linkCount = 0
    while let name = ahead.popLast() {
      switch name {
      case ".": continue
      case "..":
        _ = passed.popLast()
        continue
      default: break
      }
      let next = "/" + (passed + [name]).joined(separator: "/")
      if let target = linkTarget(of: systemPath(next)).map({ text($0) }), linkCount < greatestLinkCount {
        linkCount += 1
        waypoints.append(next)
        if target.hasPrefix("/") { passed = [] }
        ahead += target.split(separator: "/").reversed()
      } else {
        if !ahead.isEmpty { waypoints.append(next) }
        passed.append(name)
      }
    }
    return waypoints
  }

  /// The path as text; what is not UTF-8 in it is shown as replacement characters.
  package static func text(_ path: SystemPath) -> String {
    text(ofBytes: path.dropLast().map { UInt8(bitPattern: $0) })
  }

  /// The file that a path leads to, symbolic links followed.
  package static func target(of path: String) -> String { text(resolvedPath(path)) }

  /// The path without links that leads where a path does, as far as that can be told.
  package static func realPath(of path: String) -> String {
    (try? FileLocation(lookingFor: path))?.realPath ?? target(of: path)
  }

  /// The folder that holds the file a path leads to, symbolic links followed.
  package static func folderOfTarget(of path: String) -> String { parent(of: target(of: path)) }
}
