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
}
