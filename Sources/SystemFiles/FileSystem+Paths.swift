private import Synchronization

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

  // Names of files that are not UTF-8, as text.
  //
  // A program that asks for it gets each byte that is no part of a character as a character of a private range, and the
  // calls of the system get the byte back. So does each byte of a character of that very range, so that any two names
  // are two texts. Without it, paths are the UTF-8 that they say.

  /// The characters from U+10F780 on stand for the bytes from 0x80 on.
  private static let firstStandIn: UInt32 = 0x10F700
  private static let standIns = firstStandIn + 0x80...firstStandIn + 0xFF
  /// The byte that all characters of the range begin with in UTF-8, and no character below U+100000.
  private static let leadByte: UInt8 = 0xF4

  private static let keepsBytes = Atomic(false)

  /// Has characters stand for bytes from now on. To be called once, before any path is made of bytes.
  package static func keepBytesOfPaths() { keepsBytes.store(true, ordering: .relaxed) }

  /// The path as the system has it.
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

  /// Text that ``systemPath(_:)`` makes these bytes of. Where bytes are not kept, replacement characters stand for what
  /// is not UTF-8.
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

  /// As ``text(ofBytes:)``, for a text of the system, which ends with a NUL; nil if it is not UTF-8 and bytes are not
  /// kept.
  @unsafe
  package static func text(ofCString text: UnsafePointer<CChar>) -> String? {
    if !keepsBytes.load(ordering: .relaxed) { return unsafe String(validatingCString: text) }
    return unsafe self.text(ofBytes: UnsafeBufferPointer(start: text, count: strlen(text)).map(UInt8.init(bitPattern:)))
  }

  /// How many bytes a character has that begins with a byte.
  private static func length(ofCharacter byte: UInt8) -> Int {
    switch byte {
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 1
    }
  }

  /// Whether characters of a text stand for bytes that are not UTF-8.
  package static func hasStandIns(_ text: String) -> Bool {
    text.utf8.contains(leadByte) && text.unicodeScalars.contains { standIns.contains($0.value) }
  }

  /// The text for people: `\xff` for a byte that is not UTF-8.
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
