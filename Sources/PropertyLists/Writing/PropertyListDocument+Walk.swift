internal import FoundationEssentials

/// Tells the values of a document to a writer, without a tree in between.
struct DocumentWalker: ~Copyable {
  private let document: PropertyListDocument
  private let sortsKeys: Bool
  private let sizeLimit: Int
  /// The size told so far, in the sense of ``ParsingLimits/expandedSize``. Only the binary format can share.
  private var size = 0
  private var scratch: [UInt8] = []

  init(_ document: PropertyListDocument, sortsKeys: Bool) {
    self.document = document
    self.sortsKeys = sortsKeys
    sizeLimit = document.options.limits.effectiveExpandedSize(inputSize: document.source.count)
  }

  /// Recursion is bounded by `depth`, how many more levels of containers there may be.
  mutating func walk<Sink: PropertyListSink & ~Copyable>(
    _ node: FlatNode, into sink: inout Sink, depth: Int, in bytes: RawSpan
  ) throws(PropertyListError) {
    try spend(1)
    switch node.kind {
    case .null: try sink.null()
    case .boolean: try sink.boolean(node.boolean)
    case .integer, .unsignedInteger: try sink.integer(node.integer)
    case .real: try sink.real(node.real)
    case .float: try sink.float(node.float)
    case .date: try sink.date(node.real)
    case .uid: try sink.uid(node.uid)
    case .string:
      try spend(node.length)
      switch node.encoding {
      case .verbatim: try sink.string(bytes.extracting(node.offset..<node.offset + node.length))
      case .ascii:
        let content = bytes.extracting(node.offset..<node.offset + node.length)
        guard content.isASCII else { throw NodeContent.notASCII(node, in: bytes) }
        try sink.string(content)
      case .utf16, .xmlText, .base64:
        try decodeText(node, in: bytes)
        try sink.string(scratch.rawBytes)
      }
    case .data:
      try spend(node.length)
      if node.encoding == .verbatim {
        try sink.data(bytes.extracting(node.offset..<node.offset + node.length))
      } else {
        scratch.removeAll(keepingCapacity: true)
        NodeContent.appendData(node, in: bytes, to: &scratch)
        try sink.data(scratch.rawBytes)
      }
    case .array:
      try checkDepth(depth)
      try sink.beginArray(count: node.count)
      for position in 0..<node.count {
        do throws(PropertyListError) {
          try walk(child(of: node, position, in: bytes), into: &sink, depth: depth - 1, in: bytes)
        } catch {
          throw error.below(.index(position))
        }
      }
      try sink.endArray()
    case .dictionary:
      try checkDepth(depth)
      try walkDictionary(node, into: &sink, depth: depth, in: bytes)
    }
  }

  private mutating func walkDictionary<Sink: PropertyListSink & ~Copyable>(
    _ node: FlatNode, into sink: inout Sink, depth: Int, in bytes: RawSpan
  ) throws(PropertyListError) {
    try sink.beginDictionary(count: node.count)
    let order = sortsKeys ? try sortedEntries(of: node, in: bytes) : []
    if Sink.takesKeysFirst {
      for position in 0..<node.count {
        try key(sortsKeys ? order[position] : position, of: node, into: &sink, in: bytes)
      }
    }
    for position in 0..<node.count {
      let entry = sortsKeys ? order[position] : position
      do throws(PropertyListError) {
        if !Sink.takesKeysFirst { try key(entry, of: node, into: &sink, in: bytes) }
        let value = try child(of: node, document.valuePosition(entry, of: node), in: bytes)
        try walk(value, into: &sink, depth: depth - 1, in: bytes)
      } catch {
        guard let text = try? keyText(entry, of: node, in: bytes) else { throw error }
        throw error.below(.key(text))
      }
    }
    try sink.endDictionary()
  }

  private mutating func key<Sink: PropertyListSink & ~Copyable>(
    _ entry: Int, of node: FlatNode, into sink: inout Sink, in bytes: RawSpan
  ) throws(PropertyListError) {
    let key = try keyNode(entry, of: node, in: bytes)
    try spend(key.length + 1)
    if key.encoding == .verbatim {
      try sink.key(bytes.extracting(key.offset..<key.offset + key.length))
    } else {
      try decodeText(key, in: bytes)
      try sink.key(scratch.rawBytes)
    }
  }

  private mutating func decodeText(_ node: FlatNode, in bytes: RawSpan) throws(PropertyListError) {
    scratch.removeAll(keepingCapacity: true)
    try NodeContent.appendText(node, in: bytes, to: &scratch)
  }

  @inline(__always)
  private func child(of node: FlatNode, _ position: Int, in bytes: RawSpan) throws(PropertyListError) -> FlatNode {
    try document.flatNode(at: document.childIndex(of: node, position, in: bytes), in: bytes)
  }

  @inline(__always)
  private func keyNode(_ entry: Int, of node: FlatNode, in bytes: RawSpan) throws(PropertyListError) -> FlatNode {
    let place = try document.childIndex(of: node, document.keyPosition(entry, of: node), in: bytes)
    let key = try document.flatNode(at: place, in: bytes)
    guard key.kind == .string else { throw document.keyIsNoString(place) }
    return key
  }

  private func keyText(_ entry: Int, of node: FlatNode, in bytes: RawSpan) throws(PropertyListError) -> String {
    try NodeContent.string(keyNode(entry, of: node, in: bytes), in: bytes)
  }

  private func sortedEntries(of node: FlatNode, in bytes: RawSpan) throws(PropertyListError) -> [Int] {
    var texts: [[UInt8]] = []
    texts.reserveCapacity(node.count)
    for entry in 0..<node.count {
      var text: [UInt8] = []
      try NodeContent.appendText(keyNode(entry, of: node, in: bytes), in: bytes, to: &text)
      texts.append(text)
    }
    return texts.indices.sorted { KeyOrder.precedes(texts[$0], texts[$1]) }
  }

  private func checkDepth(_ depth: Int) throws(PropertyListError) {
    guard depth <= 0 else { return }
    // A circle is the better answer, if there is one.
    try document.validate()
    throw PropertyListError(.nestedTooDeeply, "containers are nested too deeply to write")
  }

  @inline(__always)
  private mutating func spend(_ length: Int) throws(PropertyListError) {
    size += length
    guard size <= sizeLimit else { throw ParsingLimits.expandsTooFar(limit: sizeLimit) }
  }
}
