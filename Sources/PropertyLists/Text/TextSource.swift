internal import FoundationEssentials

/// The text of an input in UTF-8, and how places in it are found in the input.
struct TextSource {
  let text: Data
  /// Where the text begins in the input, after a byte order mark.
  var start = 0
  /// The bytes of a code unit in the input; nil if places cannot be told in bytes.
  var unitWidth: Int? = 1
}

extension TextSource {
  /// Where the byte number `offset` of the UTF-8 text stands in the input.
  ///
  /// - Complexity: O(*n*) in the offset.
  func place(_ offset: Int) -> (byteOffset: Int?, position: PropertyListError.TextPosition) {
    let bytes = text.bytes
    let end = max(0, min(offset, bytes.byteCount))
    var line = 1
    var lineStart = 0
    var index = 0
    while index < end {
      let byte = bytes[index]
      index += 1
      if byte == 0x0A || (byte == 0x0D && !(index < bytes.byteCount && bytes[index] == 0x0A)) {
        line += 1
        lineStart = index
      }
    }
    var column = 1
    for index in lineStart..<max(lineStart, end) where bytes[index] & 0xC0 != 0x80 { column += 1 }
    return (originalOffset(end), PropertyListError.TextPosition(line: line, column: column))
  }

  /// Checks the text of an input that was taken as it is.
  func checkUTF8() throws(PropertyListError) {
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: Span<UInt8>(_bytes: text.bytes))
    } catch {
      let place = place(error.byteOffsets.lowerBound)
      throw PropertyListError(.malformed, "not UTF-8", byteOffset: place.byteOffset, position: place.position)
    }
  }

  /// What is wrong with an input that has no text.
  static var empty: PropertyListError {
    PropertyListError(
      .malformed, "the input is empty", byteOffset: 0, position: PropertyListError.TextPosition(line: 1, column: 1))
  }

  private func originalOffset(_ offset: Int) -> Int? {
    guard let unitWidth else { return nil }
    if unitWidth == 1 { return start + offset }
    let bytes = text.bytes
    var units = 0
    for index in 0..<offset {
      let byte = bytes[index]
      if byte & 0xC0 != 0x80 { units += unitWidth == 2 && byte >= 0xF0 ? 2 : 1 }
    }
    return start + units * unitWidth
  }
}
