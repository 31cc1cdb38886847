internal import FoundationEssentials

extension PropertyListDocument {
  /// A tree as a document, so that there is one decoder for both.
  ///
  /// - Complexity: O(*n*) in the size of the tree.
  convenience init(_ tree: PropertyList, options: PropertyListReadingOptions) throws(PropertyListError) {
    var writer = NodeTableWriter()
    try tree.walk(into: &writer, sortsKeys: false, depth: options.limits.effectiveDepth)
    self.init(writer.finish(), .binary, options)
  }
}

/// Writes a node table. The text of all strings, and data, stand one behind the other.
private struct NodeTableWriter: PropertyListSink, ~Copyable {
  static var takesKeysFirst: Bool { false }

  private var text = ByteBuffer()
  /// The keys of a tree are distinct, and its dictionaries are what they are.
  private var builder = NodeTableBuilder(
    options: PropertyListReadingOptions(recognizesUIDDictionaries: false, duplicateKeys: .keepLast), expectedNodes: 0)

  init() {}

  consuming func finish() -> TextContent { TextContent(text: text.takeData(), table: builder.finish()) }

  mutating func null() { builder.append(.null) }
  mutating func boolean(_ value: Bool) { builder.append(.boolean(value)) }
  mutating func integer(_ value: PropertyList.Integer) { builder.append(.integer(value)) }
  mutating func real(_ value: Double) { builder.append(.real(value)) }
  mutating func float(_ value: Float) { builder.append(.float(value)) }
  mutating func date(_ seconds: Double) { builder.append(.date(seconds)) }
  mutating func uid(_ value: UInt32) { builder.append(.uid(value)) }

  mutating func string(_ utf8: RawSpan) {
    builder.append(.string(.verbatim, offset: text.count, length: utf8.byteCount))
    text.append(utf8)
  }

  mutating func key(_ utf8: RawSpan) { string(utf8) }

  mutating func data(_ bytes: RawSpan) {
    builder.append(.data(.verbatim, offset: text.count, length: bytes.byteCount))
    text.append(bytes)
  }

  mutating func beginArray(count: Int) { builder.open(.array) }
  mutating func endArray() { close() }
  mutating func beginDictionary(count: Int) { builder.open(.dictionary) }
  mutating func endDictionary() { close() }

  private mutating func close() { Self.close(&builder, text) }

  private static func close(_ builder: inout NodeTableBuilder, _ text: borrowing ByteBuffer) {
    _ = builder.close(in: text.bytes)
  }
}
