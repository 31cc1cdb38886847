internal import FoundationEssentials

/// Functions that read strings and data from the bytes of a document. Only this type knows every ``ContentEncoding``.
package enum NodeContent {
  /// Returns a string of a node table. The reader has already validated its text.
  static func text(_ node: FlatNode, in document: RawSpan) -> String {
    let content = document.extracting(node.range)
    guard node.encoding.hasEscapes else { return String(knownUTF8: content, isASCII: false) }
    var text: [UInt8] = []
    appendCheckedText(node, in: document, to: &text)
    return String(knownUTF8: text.rawBytes, isASCII: false)
  }

  /// Returns a string. Throws if its text is invalid, which is possible only in a binary document.
  @inline(__always)
  static func string(_ node: FlatNode, in document: RawSpan) throws(PropertyListError) -> String {
    let content = document.extracting(node.range)
    switch node.encoding {
    case .ascii:
      guard content.isASCII else { throw notASCII(node, in: document) }
      return String(knownUTF8: content, isASCII: true)
    case .utf16:
      var text: [UInt8] = []
      try UTF16Text.decodeBigEndian(content, offset: node.offset, into: &text)
      return String(knownUTF8: text.rawBytes, isASCII: false)
    case .verbatim, .xmlText, .jsonText, .base64: return text(node, in: document)
    }
  }

  /// Returns the value of a node that is not a container.
  static func scalar(_ node: FlatNode, in document: RawSpan) throws(PropertyListError) -> PropertyList {
    switch node.kind {
    case .string: .string(try string(node, in: document))
    case .data: .data(data(node, in: document))
    default: PropertyList(scalar: node)
    }
  }

  /// Appends a string to `buffer`, as UTF-8. Throws if its text is invalid, which is possible only in a binary
  /// document.
  static func appendText(_ node: FlatNode, in document: RawSpan, to buffer: inout [UInt8]) throws(PropertyListError) {
    let content = document.extracting(node.range)
    switch node.encoding {
    case .ascii:
      guard content.isASCII else { throw notASCII(node, in: document) }
      buffer.append(bytes: content)
    case .utf16: try UTF16Text.decodeBigEndian(content, offset: node.offset, into: &buffer)
    case .verbatim, .xmlText, .jsonText, .base64: appendCheckedText(node, in: document, to: &buffer)
    }
  }

  /// Appends a string to `buffer`, as UTF-8. The reader must have validated its text.
  static func appendCheckedText(_ node: FlatNode, in document: RawSpan, to buffer: inout [UInt8]) {
    let content = document.extracting(node.range)
    switch node.encoding {
    case .xmlText: XMLText.decode(content, into: &buffer)
    case .jsonText: JSONText.decode(content, into: &buffer)
    case .verbatim, .ascii, .utf16, .base64: buffer.append(bytes: content)
    }
  }

  /// Returns the bytes of data.
  static func data(_ node: FlatNode, in document: RawSpan) -> Data {
    var scratch: [UInt8] = []
    return data(node, in: document, scratch: &scratch)
  }

  /// Returns the bytes of data. The contents of `scratch` are replaced if the data must be decoded.
  static func data(_ node: FlatNode, in document: RawSpan, scratch: inout [UInt8]) -> Data {
    guard node.encoding == .base64 else {
      // Memory-safe: the bytes are only read, and only in the closure.
      return unsafe document.extracting(node.range).withUnsafeBytes { unsafe Data($0) }
    }
    scratch.removeAll(keepingCapacity: true)
    appendData(node, in: document, to: &scratch)
    return Data(scratch)
  }

  /// Appends the bytes of data to `buffer`.
  static func appendData(_ node: FlatNode, in document: RawSpan, to buffer: inout [UInt8]) {
    let content = document.extracting(node.range)
    if node.encoding == .base64 { Base64Text.decode(content, into: &buffer) } else { buffer.append(bytes: content) }
  }

  static func notASCII(_ node: FlatNode, in document: RawSpan) -> PropertyListError {
    var offset = node.offset
    while document[offset] < 0x80 { offset += 1 }
    return .malformed("the byte 0x\(String(document[offset], radix: 16)) in an ASCII string", at: offset)
  }
}

extension [UInt8] {
  @inlinable @inline(__always)
  package mutating func append(bytes: RawSpan) {
    // Memory-safe: the buffer is only read, and only in the closure.
    unsafe bytes.withUnsafeBytes { unsafe append(contentsOf: $0) }
  }

  /// Reserves capacity for `size` more bytes. The capacity grows geometrically, so that repeated calls do not copy each
  /// time.
  @inline(__always)
  mutating func reserve(_ size: Int) {
    if count + size > capacity { reserveCapacity(Swift.max(count + size, 2 * capacity)) }
  }
}
