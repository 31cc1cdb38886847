internal import FoundationEssentials

/// Reads strings and data out of the bytes of a document. Only this type knows every ``ContentEncoding``.
package enum NodeContent {
  /// A string whose text its reader has checked: one of a node table.
  static func text(_ node: FlatNode, in document: RawSpan) -> String {
    let content = document.extracting(node.range)
    guard node.encoding.hasEscapes else { return String(knownUTF8: content, isASCII: false) }
    var text: [UInt8] = []
    appendCheckedText(node, in: document, to: &text)
    return String(knownUTF8: text.rawBytes, isASCII: false)
  }

  /// A string of any document. Throws for bytes of a binary document that are no text.
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

  /// The UTF-8 text of a string of any document, put after what is in `buffer`.
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

  /// The UTF-8 text of a string that its reader has checked, put after what is in `buffer`.
  static func appendCheckedText(_ node: FlatNode, in document: RawSpan, to buffer: inout [UInt8]) {
    let content = document.extracting(node.range)
    switch node.encoding {
    case .xmlText: XMLText.decode(content, into: &buffer)
    case .jsonText: JSONText.decode(content, into: &buffer)
    case .verbatim, .ascii, .utf16, .base64: buffer.append(bytes: content)
    }
  }

  /// The bytes of data.
  static func data(_ node: FlatNode, in document: RawSpan) -> Data {
    var bytes: [UInt8] = []
    appendData(node, in: document, to: &bytes)
    return Data(bytes)
  }

  /// The bytes of data, put after what is in `buffer`.
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
    // Sound: the buffer is only read, and inside the closure.
    unsafe bytes.withUnsafeBytes { unsafe append(contentsOf: $0) }
  }

  /// Makes room for `size` more bytes; again and again without moving what is there each time.
  @inline(__always)
  mutating func reserve(_ size: Int) {
    if count + size > capacity { reserveCapacity(Swift.max(count + size, 2 * capacity)) }
  }
}
