internal import SystemFiles

/// Passes all values of a document to a sink, without creating a ``PropertyList`` and without recursion.
struct DocumentWalker<Source: NodeSource>: ~Copyable {
  private let source: Source
  private let document: PropertyListDocument
  private let sortsKeys: Bool
  private let depthLimit: Int
  /// The size that may still be written, in the units of ``ParsingLimits/expandedSize``. In addition to its size, each
  /// value counts one for each level of nesting, because text formats indent it.
  private var budget: WorkBudget
  private var scratch: [UInt8] = []
  /// The containers around the current one.
  private var outer: [Frame] = []
  private var current = Frame(node: .null, order: [])

  /// An open container.
  private struct Frame {
    let node: FlatNode
    /// The entries of a dictionary in the order of their sorted keys, or empty for the original order.
    let order: [Int]
    var next = 0

    func entry(_ position: Int) -> Int { order.isEmpty ? position : order[position] }
  }

  /// The path of the first date that has a fraction of a second.
  private(set) var fraction: PropertyListKeyPath?

  /// The file that gets the output of a writer in pieces; nil if the writer keeps all of it.
  private let output: FileOutput?

  /// The number of bytes that a writer collects before they are written to the file.
  private static var greatestReadyByteCount: Int { 1 << 20 }

  init(_ source: Source, _ document: PropertyListDocument, _ options: PropertyListWritingOptions, output: FileOutput?) {
    self.output = output
    self.source = source
    self.document = document
    sortsKeys = options.sortsKeys
    depthLimit = options.effectiveDepth
    budget = WorkBudget(
      source.sharedNodeCount == 0
        ? .max : document.options.limits.effectiveExpandedSize(inputSize: document.source.count))
  }

  /// Passes the value of a node, and everything in it, to a sink.
  package mutating func walk<Sink: PropertyListSink & ~Copyable>(
    _ root: FlatNode, into sink: inout Sink, in bytes: RawSpan
  ) throws(PropertyListError) {
    do {
      // A container around the root, so that the root is treated like other children.
      current = Frame(node: .container(.array, offset: 0, count: 1), order: [], next: 1)
      try tell(root, to: &sink, in: bytes)
      while true {
        while current.next < current.node.count {
          let position = current.next
          current.next = position + 1
          var child = position
          if current.node.kind == .dictionary {
            let entry = current.entry(position)
            if !Sink.takesKeysFirst { try tellKey(entry, of: current.node, to: &sink, in: bytes) }
            child = source.valuePosition(entry, of: current.node)
          }
          try tell(source.node(at: source.child(child, of: current.node, in: bytes), in: bytes), to: &sink, in: bytes)
          if let output, sink.readyByteCount > Self.greatestReadyByteCount { try sink.drain(to: output) }
        }
        guard let parent = outer.popLast() else { return }
        if current.node.kind == .dictionary { try sink.endDictionary() } else { try sink.endArray() }
        current = parent
      }
    } catch {
      throw error.located(at: path(in: bytes))
    }
  }

  /// Passes a scalar to the sink, or begins a container.
  @inline(__always)
  private mutating func tell<Sink: PropertyListSink & ~Copyable>(
    _ node: FlatNode, to sink: inout Sink, in bytes: RawSpan
  ) throws(PropertyListError) {
    try spend(1 + outer.count)
    switch node.kind {
    case .null: try sink.null()
    case .boolean: try sink.boolean(node.boolean)
    case .integer, .unsignedInteger: try sink.integer(node.integer)
    case .real: try sink.real(node.real)
    case .float: try sink.float(node.float)
    case .date:
      try sink.date(node.real)
      if fraction == nil, node.real != node.real.rounded(.down), !node.real.isNaN {
        fraction = PropertyListKeyPath(path(in: bytes))
      }
    case .uid: try sink.uid(node.uid)
    case .string:
      try spend(node.length)
      switch node.encoding {
      case .verbatim: try sink.string(bytes.extracting(node.range))
      case .ascii:
        let content = bytes.extracting(node.range)
        guard content.isASCII else { throw NodeContent.notASCII(node, in: bytes) }
        try sink.string(content)
      case .utf16, .xmlText, .jsonText, .base64:
        try decodeText(node, in: bytes)
        try sink.string(scratch.rawBytes)
      }
    case .data:
      try spend(node.length)
      if node.encoding == .verbatim {
        try sink.data(bytes.extracting(node.range))
      } else {
        scratch.removeAll(keepingCapacity: true)
        NodeContent.appendData(node, in: bytes, to: &scratch)
        try sink.data(scratch.rawBytes)
      }
    case .array, .dictionary: try begin(node, to: &sink, in: bytes)
    }
  }

  private mutating func begin<Sink: PropertyListSink & ~Copyable>(
    _ node: FlatNode, to sink: inout Sink, in bytes: RawSpan
  ) throws(PropertyListError) {
    guard outer.count < depthLimit else {
      // Reports a circular reference instead, if there is one.
      try document.validate()
      throw ParsingLimits.nestedTooDeeply(limit: depthLimit)
    }
    // Checked before a writer reserves capacity for the children.
    try spend(node.count)
    let isSorted = sortsKeys && node.kind == .dictionary
    let frame = Frame(node: node, order: isSorted ? try sortedEntries(of: node, in: bytes) : [])
    if node.kind == .array {
      try sink.beginArray(count: node.count)
    } else {
      try sink.beginDictionary(count: node.count)
      if Sink.takesKeysFirst {
        for position in 0..<node.count { try tellKey(frame.entry(position), of: node, to: &sink, in: bytes) }
      }
    }
    outer.append(current)
    current = frame
  }

  private mutating func tellKey<Sink: PropertyListSink & ~Copyable>(
    _ entry: Int, of node: FlatNode, to sink: inout Sink, in bytes: RawSpan
  ) throws(PropertyListError) {
    let key = try source.key(entry, of: node, in: bytes)
    // Sorted keys were counted when they were sorted.
    if !sortsKeys { try spend(key.length + 1) }
    if key.encoding == .verbatim {
      try sink.key(bytes.extracting(key.range))
    } else {
      try decodeText(key, in: bytes)
      try sink.key(scratch.rawBytes)
    }
  }

  private mutating func decodeText(_ node: FlatNode, in bytes: RawSpan) throws(PropertyListError) {
    scratch.removeAll(keepingCapacity: true)
    try NodeContent.appendText(node, in: bytes, to: &scratch)
  }

  private mutating func sortedEntries(of node: FlatNode, in bytes: RawSpan) throws(PropertyListError) -> [Int] {
    var texts: [[UInt8]] = []
    for entry in 0..<node.count {
      let key = try source.key(entry, of: node, in: bytes)
      try spend(key.length + 1)
      var text: [UInt8] = []
      try NodeContent.appendText(key, in: bytes, to: &text)
      texts.append(text)
    }
    return texts.indices.sorted { KeyOrder.precedes(texts[$0], texts[$1]) }
  }

  @inline(__always)
  private mutating func spend(_ length: Int) throws(PropertyListError) {
    guard budget.spend(length) else { throw ParsingLimits.expandsTooFar(limit: budget.limit) }
  }

  /// Returns the path to the value that was begun last. Each open container adds one component.
  private func path(in bytes: RawSpan) -> [PropertyListKeyPath.Component] {
    // The outermost frame is the container around the root.
    (outer + [current]).dropFirst().filter { $0.next > 0 }.compactMap {
      source.step(to: $0.entry($0.next - 1), of: $0.node, in: bytes)
    }
  }
}
