import FoundationEssentials
import PropertyLists
import SystemFiles
import ToolSupport

/// The bytes of a file or of standard input, read in pieces, with the position of the next one. They end when a signal
/// asks this process to end.
final class TextInput {
  /// The name for messages.
  let name: String
  private let descriptor: Int32
  private var bytes: [UInt8] = []
  private var index = 0
  private var isAtEnd = false
  private var isAfterCarriageReturn = false
  private(set) var position = PropertyListError.TextPosition(line: 1, column: 1)

  /// - Parameter path: the path of a file; `-` for standard input.
  init(_ path: String) throws(PropertyListError) {
    if path == "-" {
      name = "standard input"
      descriptor = 0
    } else {
      name = FileSystem.showingBytes(path).printable()
      descriptor = try PropertyListError.converting(FileSystem.openToRead(path))
    }
  }

  deinit { if descriptor != 0 { _ = close(descriptor) } }

  /// The next byte, which stays; nil at the end.
  func peek() throws(PropertyListError) -> UInt8? {
    if index == bytes.count { try fill() }
    return index < bytes.count ? bytes[index] : nil
  }

  /// Takes the next byte; nil at the end.
  func next() throws(PropertyListError) -> UInt8? {
    guard let byte = try peek() else { return nil }
    index += 1
    switch byte {
    case 10 where isAfterCarriageReturn: break
    case 10, 13:
      position.line += 1
      position.column = 1
    // The other bytes of a scalar do not count.
    case 0x80..<0xC0: break
    default: position.column += 1
    }
    isAfterCarriageReturn = byte == 13
    return byte
  }

  /// Takes the bytes that mark UTF-8 at the beginning of a file.
  ///
  /// - Throws: `PropertyListError` for a file in UTF-16.
  func takeByteOrderMark() throws(PropertyListError) {
    guard position.line == 1, position.column == 1, let first = try peek() else { return }
    if first == 0xFE || first == 0xFF {
      throw failure("the text is not UTF-8; iconv -f UTF-16 -t UTF-8 converts UTF-16")
    }
    guard bytes[index...].starts(with: [0xEF, 0xBB, 0xBF]) else { return }
    index += 3
  }

  /// Takes spaces, tabs and ends of lines.
  func skipWhitespace() throws(PropertyListError) {
    while let byte = try peek(), [9, 10, 13, 32].contains(byte) { _ = try next() }
  }

  /// An error at a position; by default at that of the next byte.
  func failure(_ message: String, at position: PropertyListError.TextPosition? = nil) -> PropertyListError {
    PropertyListError(.malformed, message, position: position ?? self.position)
  }

  private func fill() throws(PropertyListError) {
    bytes = []
    index = 0
    // A pipe can give one byte at a time, and a byte order mark has three.
    while bytes.count < 3, !isAtEnd {
      let data = try PropertyListError.converting(
        FileSystem.readSome(descriptor, named: name) { Signals.interruptedBy == nil })
      isAtEnd = data.isEmpty
      bytes += data
    }
  }
}
