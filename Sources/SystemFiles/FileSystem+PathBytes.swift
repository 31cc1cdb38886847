private import Synchronization

/// Names of files that are not UTF-8, as text.
///
/// A program that asks for it gets each byte that is no part of a character as a character of a private range, and the
/// calls of the system get the byte back. So does each byte of a character of that very range, so that any two names
/// are two texts. Without it, paths are the UTF-8 that they say.
extension FileSystem {
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
