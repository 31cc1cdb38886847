/// Functions that read values in angle brackets: data, and GNUstep's typed values.
extension OpenStepTokenReader {
  /// Reads the value that begins at the next byte, a `<`.
  mutating func readAngleBrackets() throws(PropertyListError) -> FlatNode {
    let token = lexer.next()
    let range = token.range
    if let defect = token.defect {
      guard token.kind == .data, defect.kind == .halfByte || defect.kind == .noDigit else {
        lexer.index = range.lowerBound
        throw failure(defect)
      }
      try defects.report(failure(defect))
    }
    if token.kind == .typedValue { return try readTypedValue(range) }
    let start = text.count
    if token.kind == .base64 {
      let content = lexer.bytes.extracting(range.lowerBound + 2..<range.upperBound - 2)
      if let defect = Base64Text.defect(in: content, called: "<[ ]>") {
        try defects.report(failure(defect, at: range.lowerBound))
      } else {
        Base64Text.decode(content, into: &text)
      }
    } else {
      decodeHexadecimal(token)
    }
    return .data(.verbatim, offset: start, length: text.count - start)
  }

  /// Decodes data such as `<0fbd 777e>`: two digits per byte, with white space and comments between bytes.
  private mutating func decodeHexadecimal(_ data: OpenStepToken) {
    let bytes = lexer.bytes
    text.reserve(data.range.count / 2)
    if data.isPlain, data.defect == nil {
      for offset in stride(from: data.range.lowerBound + 1, to: data.range.upperBound - 1, by: 2) {
        text.append(Self.value(ofDigit: bytes[offset]) << 4 | Self.value(ofDigit: bytes[offset + 1]))
      }
      return
    }
    var lexer = OpenStepLexer(bytes, at: data.range.lowerBound + 1)
    while lexer.index + 1 < data.range.upperBound {
      if let high = lexer.byte.hexadecimalValue, let low = bytes[lexer.index + 1].hexadecimalValue {
        text.append(high << 4 | low)
        lexer.index += 2
      } else {
        let start = lexer.index
        lexer.passTrivia()
        if lexer.index == start { return }
      }
    }
  }

  /// Returns the value of a hexadecimal digit. Bit 6 is set in letters only; the low four bits of A to F are 1 to 6.
  @inline(__always)
  private static func value(ofDigit digit: UInt8) -> UInt8 { digit & 0xF + digit >> 6 * 9 }

  /// Reads a value of GNUstep: an integer `<*I5>`, a real `<*R1.5>`, a boolean `<*BY>` or `<*BN>`, or a date
  /// `<*D2001-01-01 00:00:00 +0000>`. The text after the letter may be in quotation marks. Also reads the additional
  /// forms of this package (see `OpenStepWriter+Coercion.swift`).
  private mutating func readTypedValue(_ range: Range<Int>) throws(PropertyListError) -> FlatNode {
    let content = lexer.bytes.extracting(range.lowerBound + 2..<range.upperBound - 1)
    // Valid values are shorter. Only the beginning of longer content is examined, because its ">" may belong to another
    // value.
    let beginning = content.extracting(..<min(content.byteCount, 512))
    if content.byteCount > 0, content.byteCount <= 512,
      let node = Self.typedValue(content[0], Self.unquoted(content.extracting(1...)))
    {
      return node
    }
    let shown = String(decoding: [UInt8](beginning, 0..<beginning.byteCount), as: UTF8.self)
    let defect = failure(
      "\("<*\(shown)>".quoted) is not a value of type I, R, B, D, F, T, N or X", at: range.lowerBound)
    guard beginning.firstIndex(of: UInt8(ascii: ";"), from: 0) == nil else {
      lexer.index = range.lowerBound
      throw defect
    }
    try defects.report(defect)
    return .null
  }

  @_lifetime(copy content)
  private static func unquoted(_ content: RawSpan) -> RawSpan {
    let count = content.byteCount
    guard count >= 2, content[0] == UInt8(ascii: "\""), content[count - 1] == UInt8(ascii: "\"") else { return content }
    return content.extracting(1..<count - 1)
  }

  private static func typedValue(_ type: UInt8, _ content: RawSpan) -> FlatNode? {
    switch type {
    case UInt8(ascii: "I"): integer(content)
    case UInt8(ascii: "R"): RealText.parse(content).map(FlatNode.real)
    case UInt8(ascii: "B"): boolean(content)
    case UInt8(ascii: "D"): DateText.parseWithZone(content).map(FlatNode.date)
    case UInt8(ascii: "F"): RealText.parseFloat(content).map(FlatNode.float)
    case UInt8(ascii: "T"): RealText.parse(content).map(FlatNode.date)
    case UInt8(ascii: "N"): content.byteCount == 0 ? .null : nil
    case UInt8(ascii: "X"): bits(content)
    default: nil
    }
  }

  /// Parses decimal digits after an optional sign. Returns nil if there is any other character; GNUstep's reader would
  /// use the digits before it.
  private static func integer(_ content: RawSpan) -> FlatNode? {
    for index in 0..<content.byteCount {
      switch content[index] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): continue
      case UInt8(ascii: "-"), UInt8(ascii: "+"): guard index == 0 else { return nil }
      default: return nil
      }
    }
    return IntegerText.parse(content).map(FlatNode.integer)
  }

  private static func boolean(_ content: RawSpan) -> FlatNode? {
    guard content.byteCount == 1, content[0] == UInt8(ascii: "Y") || content[0] == UInt8(ascii: "N") else { return nil }
    return .boolean(content[0] == UInt8(ascii: "Y"))
  }

  /// Parses a letter for the kind of a value, followed by the bits of the value in hexadecimal digits.
  private static func bits(_ content: RawSpan) -> FlatNode? {
    guard content.byteCount > 0, content.byteCount == (content[0] == UInt8(ascii: "F") ? 9 : 17),
      let bits = content.extracting(1...).hexadecimalNumber
    else { return nil }
    switch content[0] {
    case UInt8(ascii: "R"): return .real(Double(bitPattern: bits))
    case UInt8(ascii: "F"): return .float(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    case UInt8(ascii: "T"): return .date(Double(bitPattern: bits))
    default: return nil
    }
  }
}
