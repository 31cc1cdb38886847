private import Synchronization

/// Conversions between strings and the paths of the system.
extension FileSystem {
  /// A path as bytes, which may not be UTF-8, with a final NUL.
  package typealias SystemPath = [CChar]

  /// The maximum number of links that Linux follows in a path.
  static let greatestLinkCount = 40

  static let slash = CChar(bitPattern: UInt8(ascii: "/"))

  /// Returns the path that is reached by following symbolic links of the last component. The target of the last link
  /// need not exist.
  static func resolvedPath(_ path: String) -> SystemPath {
    var current = systemPath(path)
    for _ in 0..<greatestLinkCount {
      guard let name = linkTarget(of: current) else { break }
      let folder = current[..<(current.lastIndex(of: slash).map { $0 + 1 } ?? 0)]
      current = name.first == slash ? name : folder + name
    }
    return current
  }

  /// Returns the target of a symbolic link, or nil if the path is not a link.
  private static func linkTarget(of path: SystemPath) -> SystemPath? {
    var target = SystemPath(repeating: 0, count: Int(PATH_MAX) + 1)
    let length = unsafe readlink(path, &target, target.count - 1)
    return length > 0 ? target.prefix(length) + [0] : nil
  }

  /// Returns the folders and symbolic links that an absolute path leads through, from the top, and the path itself if
  /// it is a link. If one of them is replaced, the path may lead to another file.
  package static func waypoints(of path: String) -> [String] {
    var waypoints: [String] = []
    // The names that have been passed. None of them is a link, so `..` leads back to the name before.
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

  /// Returns the path as text. Invalid UTF-8 is replaced, unless ``keepBytesOfPaths()`` has been called.
  package static func text(_ path: SystemPath) -> String {
    text(ofBytes: path.dropLast().map { UInt8(bitPattern: $0) })
  }

  /// Returns the path of the file that a path leads to, with the symbolic links of its last component followed.
  package static func target(of path: String) -> String { text(resolvedPath(path)) }

  /// Returns the path with all links resolved. If that fails, for example because a folder is missing, resolves only
  /// the links of the last component.
  package static func realPath(of path: String) -> String {
    (try? FileLocation(lookingFor: path))?.realPath ?? target(of: path)
  }

  /// Returns the folder of ``target(of:)``.
  package static func folderOfTarget(of path: String) -> String { parent(of: target(of: path)) }

  // File names that are not UTF-8, as text.
  //
  // After ``keepBytesOfPaths()``, each byte that is not part of a character becomes a character of a private range, and
  // is converted back for system calls. Each byte of a character in that range is converted, too, so that different
  // names are always different strings. Otherwise, paths are converted as UTF-8.

  /// A byte is represented by the character with this scalar value plus the byte. The bytes from 0x80 are the
  /// characters from U+10F780.
  private static let firstStandIn: UInt32 = 0x10F700
  /// The scalar values of the characters that represent bytes.
  private static let standIns = firstStandIn + 0x80...firstStandIn + 0xFF
  /// The first UTF-8 byte of all characters in the range. No character below U+100000 begins with it.
  private static let leadByte: UInt8 = 0xF4

  private static let keepsBytes = Atomic(false)

  /// Makes paths keep bytes that are not UTF-8, as private characters, from now on. Must be called once, before any
  /// path is created from bytes.
  package static func keepBytesOfPaths() { keepsBytes.store(true, ordering: .relaxed) }

  /// Returns the path in the form of the system.
  package static func systemPath(_ path: String) -> SystemPath {
    guard keepsBytes.load(ordering: .relaxed), path.utf8.contains(leadByte) else { return Array(path.utf8CString) }
    var bytes: SystemPath = []
    for scalar in path.unicodeScalars {
      if standIns.contains(scalar.value) {
        bytes.append(CChar(bitPattern: UInt8(scalar.value - firstStandIn)))
      } else {
        bytes += UTF8.encode(scalar).map { $0.map { CChar(bitPattern: $0) } } ?? []
      }
    }
    return bytes + [0]
  }

  /// Returns the string that ``systemPath(_:)`` converts to these bytes. Invalid UTF-8 becomes replacement characters,
  /// unless ``keepBytesOfPaths()`` has been called.
  package static func text(ofBytes bytes: [UInt8]) -> String {
    guard keepsBytes.load(ordering: .relaxed) else { return String(decoding: bytes, as: UTF8.self) }
    if !bytes.contains(leadByte), let text = String(validating: bytes, as: UTF8.self) { return text }
    var text = ""
    var index = 0
    while index < bytes.count {
      let character = bytes[index..<min(index + length(ofCharacter: bytes[index]), bytes.count)]
      if let valid = String(validating: character, as: UTF8.self), !hasStandIns(valid) {
        text += valid
        index += character.count
      } else {
        if let standIn = Unicode.Scalar(firstStandIn + UInt32(bytes[index])) { text.unicodeScalars.append(standIn) }
        index += 1
      }
    }
    return text
  }

  /// Converts a NUL-terminated string of the system like ``text(ofBytes:)``. Returns nil if it is not UTF-8, unless
  /// ``keepBytesOfPaths()`` has been called.
  @unsafe
  package static func text(ofCString text: UnsafePointer<CChar>) -> String? {
    if !keepsBytes.load(ordering: .relaxed) { return unsafe String(validatingCString: text) }
    return unsafe self.text(ofBytes: UnsafeBufferPointer(start: text, count: strlen(text)).map(UInt8.init(bitPattern:)))
  }

  /// Returns the length of a UTF-8 character from its first byte.
  private static func length(ofCharacter byte: UInt8) -> Int {
    switch byte {
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 1
    }
  }

  /// Returns true if a string has characters that represent bytes.
  package static func hasStandIns(_ text: String) -> Bool {
    text.utf8.contains(leadByte) && text.unicodeScalars.contains { standIns.contains($0.value) }
  }

  /// Returns a human-readable text, with `\xff` for a byte that is not UTF-8.
  package static func showingBytes(_ text: String) -> String {
    guard keepsBytes.load(ordering: .relaxed), hasStandIns(text) else { return text }
    var shown = ""
    for scalar in text.unicodeScalars {
      if standIns.contains(scalar.value) {
        shown += "\\x" + String(scalar.value - firstStandIn, radix: 16)
      } else {
        shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }
}
