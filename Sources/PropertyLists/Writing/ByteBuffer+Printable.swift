/// Text that no terminal takes commands from.
extension ByteBuffer {
  /// Text with the escapes of JSON for control characters, and nothing around it. ``JSONText/append(quoted:to:)`` puts it
  /// between quotation marks.
  mutating func append(printable text: RawSpan) {
    for index in 0..<text.byteCount {
      let byte = text[index]
      switch byte {
      case 0x0A: append("\\n")
      case 0x0D: append("\\r")
      case 0x09: append("\\t")
      case 0..<0x20, 0x7F:
        append("\\u00")
        append(hexadecimal: byte)
      // The control characters U+0080 to U+009F, which terminals obey too, are the byte 0xC2 and the next.
      case 0xC2 where index + 1 < text.byteCount && text[index + 1] < 0xA0: append("\\u00")
      case 0x80..<0xA0 where index > 0 && text[index - 1] == 0xC2: append(hexadecimal: byte)
      default: append(byte: byte)
      }
    }
  }
}
