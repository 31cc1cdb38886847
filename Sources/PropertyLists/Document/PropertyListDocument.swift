package import FoundationEssentials
internal import Synchronization
internal import SystemFiles

/// A property list that has been parsed, to be read and not changed.
///
/// A document is the bytes of the input and a flat index of the values in them; nothing is allocated for a value until
/// somebody asks for it. Of a binary property list the file's own offset table is the index, so that opening one takes
/// the same time whatever its size.
///
/// ```swift
/// let document = try PropertyListDocument(contentsOf: url)
/// let name = try document.root.value(forKey: "CFBundleName")?.string
/// ```
///
/// Documents of text formats have been checked completely when they are made. A binary document is checked as it is
/// read: what is wrong in a part is an error when that part is asked for. ``validate()`` checks all of it at once.
public final class PropertyListDocument: Sendable {
  /// The format the document was read from.
  public let format: PropertyListFormat
  /// What it was read with.
  public let options: PropertyListReadingOptions
  /// The top value.
  public var root: Node { Node(document: self, index: rootIndex, flat: rootNode) }

  let source: Data
  /// The whole input of a text format, for edits; nil for a document that was not read from bytes. The text that its
  /// values are in is ``source``, and often the same.
  package let input: Data?
  /// The bytes that it was read from.
  package var original: Data { input ?? source }
  /// Where the bytes of the input are.
  private let address: UInt
  let index: Index
  let rootIndex: Int
  private let rootNode: FlatNode
  let keyIndexes = Mutex(KeyIndexes())

  deinit {
    if source.count <= Self.greatestCopy { unsafe UnsafeMutableRawPointer(bitPattern: address)?.deallocate() }
  }

  /// Where the values are.
  enum Index: Sendable {
    case binary(BinaryLayout)
    case table(NodeTable)
  }

  /// A document of a text format that has been read.
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

  /// The bytes of the input. Asking `Data` for them takes longer than reading most values does.
  ///
  /// Sound: the bytes are in a block that nobody moves or changes as long as it has a second owner, and this document
  /// is one; or in a copy of its own.
  @inline(__always)
  package var bytes: RawSpan {
    @_lifetime(borrow self)
    get {
      let buffer = unsafe UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: source.count)
      return unsafe _overrideLifetime(RawSpan(_unsafeBytes: buffer), borrowing: self)
    }
  }

  /// Of inputs so short that `Data` may keep them in itself, a copy is made.
  private static var greatestCopy: Int { 64 }

  private static func address(of data: Data) -> UInt {
    unsafe data.withUnsafeBytes { bytes in
      guard bytes.count <= greatestCopy else { return UInt(bitPattern: bytes.baseAddress) }
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: greatestCopy, alignment: 8)
      unsafe copy.copyMemory(from: bytes)
      return UInt(bitPattern: copy.baseAddress)
    }
  }

  /// How many objects the table of a binary file has, keys and shared ones once each; how many values a text has, keys
  /// aside.
  ///
  /// - Complexity: O(1) for the binary format, O(*n*) in the number of values for the others.
  public var objectCount: Int {
    switch index {
    case .binary(let layout): layout.objectCount
    case .table(let table):
      table.nodes.count - table.nodes.lazy.filter { $0.kind == .dictionary }.reduce(0) { $0 + $1.count }
    }
  }

  // The document without cursors, for decoding large numbers of values: a flat node is 16 bytes and counts no
  // references. It must come from the document it is used with.

  /// The top value.
  package var flatRoot: FlatNode { root.flat }

  /// How many bytes the input has.
  package var byteCount: Int { source.count }

  /// How large a value may become when shared references are followed, in the sense of ``ParsingLimits/expandedSize``.
  package var expandedSizeLimit: Int {
    let nodeCount = if case .table(let table) = index { table.nodes.count } else { 0 }
    // A document made from a tree has bytes for strings and data only.
    return options.limits.effectiveExpandedSize(inputSize: source.count + nodeCount)
  }

  /// How many values may be decoded from an archive when shared references are followed, in the sense of
  /// ``ParsingLimits/expandedSize``.
  package var expandedValueLimit: Int { options.limits.effectiveValueCount(inputSize: source.count) }

  /// How many bytes may be made of what is shared in an archive.
  package var expandedByteLimit: Int {
    let (bytes, overflow) = expandedValueLimit.multipliedReportingOverflow(by: ParsingLimits.bytesPerValue)
    return overflow ? .max : bytes
  }

  /// The element number `position`, which is below the count of `array`.
  @inline(__always)
  package func element(_ position: Int, of array: FlatNode) throws(PropertyListError) -> FlatNode {
    switch index {
    case .binary(let layout): try layout.node(at: layout.child(position, of: array, in: bytes), in: bytes)
    case .table(let table): table.nodes[array.offset + position]
    }
  }

  /// The value of the entry number `entry`, which is below the count of `dictionary`.
  package func value(ofEntry entry: Int, of dictionary: FlatNode) throws(PropertyListError) -> FlatNode {
    switch index {
    case .binary(let layout):
      try layout.node(
        at: layout.child(layout.valuePosition(entry, of: dictionary), of: dictionary, in: bytes), in: bytes)
    case .table(let table): table.nodes[dictionary.offset + table.valuePosition(entry, of: dictionary)]
    }
  }

  /// The key of the entry number `entry`.
  package func key(ofEntry entry: Int, of dictionary: FlatNode) throws(PropertyListError) -> String {
    try NodeContent.string(keyNode(ofEntry: entry, of: dictionary), in: bytes)
  }

  /// The key of the entry number `entry`: a string, whose text nobody has looked at.
  package func keyNode(ofEntry entry: Int, of dictionary: FlatNode) throws(PropertyListError) -> FlatNode {
    switch index {
    case .binary(let layout): try layout.key(entry, of: dictionary, in: bytes)
    case .table(let table): try table.key(entry, of: dictionary, in: bytes)
    }
  }

  /// The text of a string.
  package func text(of node: FlatNode) throws(PropertyListError) -> String { try NodeContent.string(node, in: bytes) }

  /// The bytes of data.
  package func data(of node: FlatNode) -> Data { NodeContent.data(node, in: bytes) }

  /// Whether a string has this text, which is ASCII.
  package func has(_ text: StaticString, as node: FlatNode) -> Bool {
    let length = text.utf8CodeUnitCount
    switch node.encoding {
    case .ascii, .verbatim: return node.length == length && bytes.starts(with: text, at: node.offset)
    case .utf16, .xmlText, .jsonText, .base64:
      guard node.length >= length, let decoded = try? NodeContent.string(node, in: bytes) else { return false }
      return decoded == text.description
    }
  }

  /// Tells dictionaries with the same keys apart from others; see ``DictionaryShapes``.
  package func shape(
    of dictionary: FlatNode, in shapes: inout DictionaryShapes
  ) throws(PropertyListError) -> DictionaryShape {
    switch index {
    case .binary(let layout): try shapes.shape(of: dictionary, layout, in: bytes, limit: expandedSizeLimit)
    case .table(let table): try shapes.shape(of: dictionary, table, in: bytes, limit: expandedSizeLimit)
    }
  }

  /// The number of references to each object of a binary document, in O(*n*); nil for the text formats.
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
