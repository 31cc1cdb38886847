/// Functions that restore the values that ``PropertyListWritingOptions/Coercion/reversible`` wrote as dictionaries.
extension JSONTokenReader {
  /// Returns the value that the innermost container represents, or nil if it is an ordinary container. Call this at the
  /// end of the container.
  ///
  /// If the writer added a dollar sign to the only key of an ordinary dictionary, removes it. The writer does so for
  /// dictionaries that look like a form.
  ///
  /// - Parameter offset: The offset of the container.
  /// - Throws: ``PropertyListError/Kind/malformed`` if a dictionary has the key of a form, but its value does not fit
  ///   the form.
  mutating func restoredValue(at offset: Int) throws(PropertyListError) -> FlatNode? {
    guard let (key, value) = builder.onlyEntry, key.length > 0 else { return nil }
    // After a defect, a null may replace a value.
    if value.kind == .null, !defects.defects.isEmpty { return nil }
    switch lexer.bytes[key.offset] {
    // Other first characters cannot begin the key of a form.
    case UInt8(ascii: "$"), UInt8(ascii: "C"), UInt8(ascii: "\\"): break
    default: return nil
    }
    let name = text(of: key)
    guard let form = CoercedForm(key: name.rawBytes) else {
      if CoercedForm.hasToBeEscaped(key: name.rawBytes) { builder.replaceOnlyKey(with: unescaped(key)) }
      return nil
    }
    let restored =
      switch form {
      case .date: date(value, after: key)
      case .data: data(value)
      case .real: value.kind == .string ? SpecialReal.parse(text(of: value).rawBytes).map(FlatNode.real) : nil
      case .float: float(value, after: key)
      case .uid: value.kind == .integer ? UInt32(exactly: value.integer).map(FlatNode.uid) : nil
      }
    if restored == nil { try defects.report(failure(form.defect, at: offset)) }
    return restored
  }

  /// Returns the offset of the value that follows a key.
  private func start(ofValueAfter key: FlatNode) -> Int {
    var index = key.offset + key.length + 1
    while index < lexer.bytes.byteCount - 1,
      lexer.bytes[index].isWhiteSpace || lexer.bytes[index] == UInt8(ascii: ":")
        || lexer.bytes[index] == UInt8(ascii: "=") || lexer.bytes[index] == UInt8(ascii: ">")
    { index += 1 }
    return index
  }

  private func text(of node: FlatNode) -> [UInt8] {
    var text: [UInt8] = []
    NodeContent.appendCheckedText(node, in: lexer.bytes, to: &text)
    return text
  }

  /// Returns a key without its first dollar sign, which may be written as an escape.
  private func unescaped(_ key: FlatNode) -> FlatNode {
    let length = lexer.bytes[key.offset] == UInt8(ascii: "\\") ? 6 : 1
    return .string(key.encoding, offset: key.offset + length, length: key.length - length)
  }

  private func date(_ value: FlatNode, after key: FlatNode) -> FlatNode? {
    // A form inside a form is invalid. The inner form may already have been replaced with a real, so the text is
    // examined.
    guard lexer.bytes[start(ofValueAfter: key)] != UInt8(ascii: "{") else { return nil }
    switch value.kind {
    case .integer, .unsignedInteger: return .date(Double(value.integer.int128))
    case .real: return .date(value.real)
    case .string:
      let text = text(of: value)
      return (DateText.parseExact(text.rawBytes) ?? SpecialReal.parse(text.rawBytes)).map(FlatNode.date)
    default: return nil
    }
  }

  private mutating func data(_ value: FlatNode) -> FlatNode? {
    guard value.kind == .string else { return nil }
    if value.encoding == .verbatim {
      guard
        Base64Text.defect(in: lexer.bytes.extracting(value.offset..<value.offset + value.length), called: "")
          == nil
      else { return nil }
      return .data(.base64, offset: value.offset, length: value.length)
    }
    // Base64 with escapes, for example escaped slashes.
    let text = text(of: value)
    guard Base64Text.defect(in: text.rawBytes, called: "") == nil else { return nil }
    let start = added.count
    Base64Text.decode(text.rawBytes, into: &added)
    return .data(.verbatim, offset: lexer.bytes.byteCount + start, length: added.count - start)
  }

  /// Returns the 4-byte real that a form represents. The digits of a number are parsed again, because a conversion of
  /// the 8-byte real would round a second time.
  private func float(_ value: FlatNode, after key: FlatNode) -> FlatNode? {
    switch value.kind {
    case .string: return SpecialReal.parseFloat(text(of: value).rawBytes).map(FlatNode.float)
    case .integer, .unsignedInteger, .real:
      let start = start(ofValueAfter: key)
      var numberEnd = start
      while numberEnd < lexer.bytes.byteCount, lexer.bytes[numberEnd] > 0x20,
        lexer.bytes[numberEnd] != UInt8(ascii: "}")
      { numberEnd += 1 }
      let digits = String(knownUTF8: lexer.bytes.extracting(start..<numberEnd), isASCII: false)
      return Float(digits).flatMap { $0.isFinite ? .float($0) : nil }
    default: return nil
    }
  }
}

extension CoercedForm {
  /// The message for a dictionary that has the key of the form and an unsuitable value.
  fileprivate var defect: String {
    switch self {
    case .date:
      #""$date" needs a date such as "2001-01-01T00:00:00.5Z", seconds from 2001, "nan", "inf" or "-inf""#
    case .data: #""$data" needs a string in base64"#
    case .real: #""$real" needs "nan", "inf" or "-inf""#
    case .float: #""$float" needs a number that fits into a 4-byte real, "nan", "inf" or "-inf""#
    case .uid: #""CF$UID" needs an integer from 0 to 4294967295"#
    }
  }
}
