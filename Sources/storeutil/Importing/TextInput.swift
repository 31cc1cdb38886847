import FoundationEssentials
import PropertyLists
import SystemFiles
import ToolSupport

/// The bytes of a file or of standard input, read in pieces, with the position of the next byte. The input ends when a
/// signal asks this process to end.
final class TextInput {
  /// The name in messages.
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

  /// Returns the next byte without consuming it; nil at the end.
  func peek() throws(PropertyListError) -> UInt8? {
    if index == bytes.count { try fill() }
    return index < bytes.count ? bytes[index] : nil
  }

  /// Consumes and returns the next byte; nil at the end.
  func next() throws(PropertyListError) -> UInt8? {
    guard let byte = try peek() else { return nil }
    index += 1
    switch byte {
    case 10 where isAfterCarriageReturn: break
    case 10, 13:
      position.line += 1
      position.column = 1
    // Continuation bytes of UTF-8 do not count as columns.
    case 0x80..<0xC0: break
    default: position.column += 1
    }
    isAfterCarriageReturn = byte == 13
    return byte
  }

  /// Skips a UTF-8 byte order mark at the beginning of a file.
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

  /// Skips spaces, tabs and line ends.
  func skipWhitespace() throws(PropertyListError) {
    while let byte = try peek(), [9, 10, 13, 32].contains(byte) { _ = try next() }
  }

  /// Returns an error at a position; by default, at the position of the next byte.
  func failure(_ message: String, at position: PropertyListError.TextPosition? = nil) -> PropertyListError {
    PropertyListError(.malformed, message, position: position ?? self.position)
  }

  private func fill() throws(PropertyListError) {
    bytes = []
    index = 0
    // A pipe can deliver one byte at a time, and a byte order mark has three.
    while bytes.count < 3, !isAtEnd {
      let data = try PropertyListError.converting(
        FileSystem.readSome(descriptor, named: name) { Signals.interruptedBy == nil })
      isAtEnd = data.isEmpty
      bytes += data
    }
  }
}
