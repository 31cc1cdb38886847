package import FoundationEssentials
internal import Synchronization
internal import SystemFiles

/// A parsed, immutable property list.
///
/// A document consists of the bytes of the input and a flat index of their values. A value is created only when you
/// read it. For a binary property list, the file's own offset table is the index, so that opening one takes the same
/// time whatever its size.
///
/// ```swift
/// let document = try PropertyListDocument(contentsOf: url)
/// let name = try document.root.value(forKey: "CFBundleName")?.string
/// ```
///
/// Documents in text formats are checked completely when they are read. A binary document is checked while you read it:
/// an error in a value is thrown when you read that value. ``validate()`` checks all of it at once.
public final class PropertyListDocument: Sendable {
  /// The format that the document was read from.
  public let format: PropertyListFormat
  /// The options that the document was read with.
  public let options: PropertyListReadingOptions
  /// The root value.
  public var root: Node { Node(document: self, index: rootIndex, flat: rootNode) }

  let source: Data
  /// The original input, before its text was converted to UTF-8. Editing a text needs it. Nil for a binary document,
  /// and for a document that was not read from bytes. The values refer to ``source``, which is often the same data.
  package let input: Data?
  /// The bytes that the document was read from.
  package var original: Data { input ?? source }
  /// The address of ``bytes``.
  private let address: UInt
  let index: Index
  let rootIndex: Int
  private let rootNode: FlatNode
  let keyIndexes = Mutex(KeyIndexes())

  deinit {
    if source.count <= Self.greatestCopy { unsafe UnsafeMutableRawPointer(bitPattern: address)?.deallocate() }
  }

  /// The index of the values.
  enum Index: Sendable {
    case binary(BinaryLayout)
    case table(NodeTable)
  }

  /// Creates a document from the content of a text format.
  convenience init(
    _ content: TextContent, _ format: PropertyListFormat, _ options: PropertyListReadingOptions, input: Data? = nil
  ) {
    let root = content.table.root
    self.init(
      format, options, content.text, .table(content.table), rootIndex: root, content.table.nodes[root], input: input)
  }

  init(
    _ format: PropertyListFormat, _ options: PropertyListReadingOptions, _ source: Data, _ index: Index, rootIndex: Int,
    _ rootNode: FlatNode, input: Data? = nil
  ) {
    self.format = format
    self.input = input
    self.options = options
    self.source = source
    address = Self.address(of: source)
    self.index = index
    self.rootIndex = rootIndex
    self.rootNode = rootNode
  }

  /// The bytes that the values refer to. The address is cached, because accessing the bytes of `Data` takes longer than
  /// reading most values.
  ///
  /// Memory-safe: the bytes are in a block that is neither moved nor changed while it has a second owner, such as this
  /// document, or in a copy that belongs to the document.
  @inline(__always)
  package var bytes: RawSpan {
    @_lifetime(borrow self)
    get {
      let buffer = unsafe UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: source.count)
      return unsafe _overrideLifetime(RawSpan(_unsafeBytes: buffer), borrowing: self)
    }
  }

  /// The maximum size, in bytes, of data that is copied, because `Data` may store such data inline.
  private static var greatestCopy: Int { 64 }

  private static func address(of data: Data) -> UInt {
    unsafe data.withUnsafeBytes { bytes in
      guard bytes.count <= greatestCopy else { return UInt(bitPattern: bytes.baseAddress) }
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: greatestCopy, alignment: 8)
      unsafe copy.copyMemory(from: bytes)
      return UInt(bitPattern: copy.baseAddress)
    }
  }

  /// For a binary document, the number of objects in the object table, which normally has each key and each shared
  /// value once. For a text, the number of values, without keys.
  ///
  /// - Complexity: O(1) for the binary format, O(*n*) in the number of values for the others.
  public var objectCount: Int {
    switch index {
    case .binary(let layout): layout.objectCount
    case .table(let table):
      table.nodes.count - table.nodes.lazy.filter { $0.kind == .dictionary }.reduce(0) { $0 + $1.count }
    }
  }

  // Access without cursors, for decoding large numbers of values: a ``FlatNode`` has 16 bytes and needs no reference
  // counting. A node must only be passed to the document that it comes from.

  /// The root value.
  package var flatRoot: FlatNode { root.flat }

  /// The number of bytes that the values refer to.
  package var byteCount: Int { source.count }

  /// The maximum size of a value with all shared references expanded, in the units of ``ParsingLimits/expandedSize``.
  package var expandedSizeLimit: Int {
    let nodeCount = if case .table(let table) = index { table.nodes.count } else { 0 }
    // A document that was created from a ``PropertyList`` has bytes for strings and data only, so its nodes are added.
    return options.limits.effectiveExpandedSize(inputSize: source.count + nodeCount)
  }

  /// The number of values that may be decoded from an archive with all shared references expanded, in the units of
  /// ``ParsingLimits/expandedSize``.
  package var expandedValueLimit: Int { options.limits.effectiveValueCount(inputSize: source.count) }

  /// The number of bytes that the shared parts of an archive may expand to.
  package var expandedByteLimit: Int {
    let (bytes, overflow) = expandedValueLimit.multipliedReportingOverflow(by: ParsingLimits.bytesPerValue)
    return overflow ? .max : bytes
  }

  /// Returns the element of an array at a position, which must be in range.
  @inline(__always)
  package func element(_ position: Int, of array: FlatNode) throws(PropertyListError) -> FlatNode {
    switch index {
    case .binary(let layout): try layout.node(at: layout.child(position, of: array, in: bytes), in: bytes)
    case .table(let table): table.nodes[array.offset + position]
    }
  }

  /// Returns the value of the entry of a dictionary at a position, which must be in range.
  package func value(ofEntry entry: Int, of dictionary: FlatNode) throws(PropertyListError) -> FlatNode {
    switch index {
    case .binary(let layout):
      try layout.node(
        at: layout.child(layout.valuePosition(entry, of: dictionary), of: dictionary, in: bytes), in: bytes)
    case .table(let table): table.nodes[dictionary.offset + table.valuePosition(entry, of: dictionary)]
    }
  }

  /// Returns the key of the entry at a position.
  package func key(ofEntry entry: Int, of dictionary: FlatNode) throws(PropertyListError) -> String {
    try NodeContent.string(keyNode(ofEntry: entry, of: dictionary), in: bytes)
  }

  /// Returns the key node of the entry at a position. It is a string whose text has not been checked.
  package func keyNode(ofEntry entry: Int, of dictionary: FlatNode) throws(PropertyListError) -> FlatNode {
    switch index {
    case .binary(let layout): try layout.key(entry, of: dictionary, in: bytes)
    case .table(let table): try table.key(entry, of: dictionary, in: bytes)
    }
  }

  /// Returns the text of a string.
  package func text(of node: FlatNode) throws(PropertyListError) -> String { try NodeContent.string(node, in: bytes) }

  /// Returns the text of a string. `recentStrings` is a cache, so that equal strings share their memory.
  func text(of node: FlatNode, in recentStrings: inout RecentStrings) throws(PropertyListError) -> String {
    try recentStrings.string(node, in: bytes)
  }

  /// Returns the bytes of data.
  package func data(of node: FlatNode) -> Data { NodeContent.data(node, in: bytes) }

  /// Returns true if the text of a string node is `text`, which must be ASCII.
  package func has(_ text: StaticString, as node: FlatNode) -> Bool {
    let length = text.utf8CodeUnitCount
    switch node.encoding {
    case .ascii, .verbatim: return node.length == length && bytes.starts(with: text, at: node.offset)
    case .utf16, .xmlText, .jsonText, .base64:
      guard node.length >= length, let decoded = try? NodeContent.string(node, in: bytes) else { return false }
      return decoded == text.description
    }
  }

  /// Returns the keys of a dictionary. `shapes` is a cache, so that dictionaries with the same keys share the result.
  package func shape(
    of dictionary: FlatNode, in shapes: inout DictionaryShapes
  ) throws(PropertyListError) -> DictionaryShape {
    switch index {
    case .binary(let layout): try shapes.shape(of: dictionary, layout, in: bytes, limit: expandedSizeLimit)
    case .table(let table): try shapes.shape(of: dictionary, table, in: bytes, limit: expandedSizeLimit)
    }
  }

  /// Returns the number of references to each object of a binary document, in O(*n*) time, or nil for text formats.
  package func referenceCounts() throws(PropertyListError) -> [Int]? {
    guard case .binary(let layout) = index else { return nil }
    let bytes = self.bytes
    var references = Array(repeating: 0, count: layout.objectCount)
    references[rootIndex] = 1
    var pending = [rootIndex]
    while let index = pending.popLast() {
      let node = try layout.node(at: index, in: bytes)
      guard node.kind.isContainer else { continue }
      for position in 0..<(node.kind == .dictionary ? 2 : 1) * node.count {
        let child = try layout.child(position, of: node, in: bytes)
        references[child] += 1
        if references[child] == 1 { pending.append(child) }
      }
    }
    return references
  }
}
