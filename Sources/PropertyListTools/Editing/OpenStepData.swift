@_spi(Archives) internal import PropertyLists

/// The spelling of data in an OpenStep text.
struct OpenStepData {
  /// True for base64 between `<[` and `]>`.
  private let isBase64: Bool
  private let isUppercase: Bool
  /// The number of bytes per group, or nil if the bytes are not grouped.
  private let group: Int?

  /// Examines the spelling of data.
  ///
  /// - Parameter range: The data, including its brackets.
  init(_ bytes: RawSpan, in range: Range<Int>) {
    isBase64 = bytes.starts(with: "<[", at: range.lowerBound)
    var digits: Int?
    var isUppercase = false
    var offset = range.lowerBound + 1
    while offset < range.upperBound - 1 {
      let byte = bytes[offset]
      if (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte) { isUppercase = true }
      if digits == nil, byte == 0x20 || byte == 0x0A || byte == 0x0D { digits = offset - range.lowerBound - 1 }
      offset += 1
    }
    self.isUppercase = isUppercase && !isBase64
    group = digits.flatMap { $0 > 0 && $0 % 2 == 0 ? $0 / 2 : nil }
  }

  func text(of data: RawSpan) -> [UInt8] {
    var output = ByteBuffer()
    if isBase64 {
      output.append("<[")
      Base64Text.append(data, 0..<data.byteCount, to: &output)
      output.append("]>")
    } else {
      output.append("<")
      for index in 0..<data.byteCount {
        if let group, index > 0, index % group == 0 { output.append(" ") }
        output.append(hexadecimal: data[index])
      }
      output.append(">")
    }
    var text = [UInt8](output.bytes, 0..<output.count)
    if isUppercase {
      for index in text.indices where (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(text[index]) {
        text[index] -= 0x20
      }
    }
    return text
  }
}
