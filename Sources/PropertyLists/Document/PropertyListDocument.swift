public import FoundationEssentials
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
  /// Where the bytes of the input are.
  private let address: UInt
  let index: Index
  let rootIndex: Int
  private let rootNode: FlatNode

  deinit { releaseCopy() }

  /// Where the values are.
  enum Index: Sendable {
    case binary(BinaryLayout)
    case table(NodeTable)
  }

  /// Reads a property list.
  ///
  /// - Parameters:
  ///   - data: the whole input. It is kept, not copied, as long as the document lives.
  ///   - format: the format of the input; nil to go by how it begins.
  /// - Throws: ``PropertyListError``; for a binary property list only what is wrong with its header, its trailer and
  ///   its root.
  /// - Complexity: O(1) for the binary format, O(*n*) in the length of the input for the others.
  public convenience init(
    _ data: Data, format: PropertyListFormat? = nil, options: PropertyListReadingOptions = PropertyListReadingOptions()
  ) throws(PropertyListError) {
    try options.limits.check(inputSize: data.count)
    guard !data.isEmpty else {
      var error = TextSource.empty
      if format == nil || format == .binary { error.position = nil }
      throw error
    }
    guard let format = format ?? PropertyListFormat(detecting: data.bytes) else {
      throw PropertyListError(.unknownFormat, "no property list: neither binary, XML, OpenStep nor JSON", byteOffset: 0)
    }
    guard let text = format.format.text else {
      let layout = try BinaryLayout(data.bytes)
      let root = try layout.node(at: layout.topObject, in: data.bytes)
      self.init(format, options, data, .binary(layout), rootIndex: layout.topObject, root)
      return
    }
    var faults = FaultLog.first
    self.init(try text.read(data, options, &faults), format, options, input: data)
  }

  /// A document of a text format that has been read.
  convenience init(
    _ content: TextContent, _ format: PropertyListFormat, _ options: PropertyListReadingOptions, input: Data? = nil
  ) {
    let root = content.table.root
    self.init(
      format, options, content.text, .table(content.table), rootIndex: root, content.table.nodes[root], input: input)
  }

  private init(
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

  /// Reads a file into memory and parses it.
  ///
  /// - Throws: ``PropertyListError/Kind/inputOutput(errno:)``, or what ``init(_:format:options:)`` throws.
  public convenience init(
    contentsOf url: URL, format: PropertyListFormat? = nil,
    options: PropertyListReadingOptions = PropertyListReadingOptions()
  ) throws(PropertyListError) {
    let path = try url.filePath
    let data = try PropertyListError.converting { () throws(FileError) in
      try FileSystem.read(path, limit: options.limits.inputSize)
    }
    try self.init(data, format: format, options: options)
  }

  /// Maps a file into memory and parses it there: of a large binary property list, only the pages that are looked at
  /// are read.
  ///
  /// - Important: The file must not be shortened while the document is in use, or the operating system ends the
  ///   process. Map only files that nobody else writes to, or that are replaced as a whole, as this package does it;
  ///   read all others with ``init(contentsOf:format:options:)``.
  public convenience init(
    mapping url: URL, format: PropertyListFormat? = nil,
    options: PropertyListReadingOptions = PropertyListReadingOptions()
  ) throws(PropertyListError) {
    let path = try url.filePath
    let data = try PropertyListError.converting { () throws(FileError) in try FileSystem.map(path) }
    try self.init(data, format: format, options: options)
  }
}

extension PropertyListDocument {
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

  private func releaseCopy() {
    guard source.count <= Self.greatestCopy else { return }
    unsafe UnsafeMutableRawPointer(bitPattern: address)?.deallocate()
  }
}

extension PropertyListDocument {
  /// Checks the whole document: every object that the root leads to, the text of every string, that no key stands twice
  /// in a dictionary, that no container contains itself, and the depth.
  ///
  /// What passes can be read without error through ``root``. A tree, and output, have one more limit, how far shared
  /// references expand; and a tree has no room for two keys of one dictionary that Unicode holds equivalent.
  ///
  /// - Throws: ``PropertyListError`` with the key path of the value that is wrong.
  /// - Complexity: O(*n*) in the length of a binary document; O(1) for text formats, which were checked when they were
  ///   read.
  public func validate() throws(PropertyListError) {
    var faults = FaultLog.first
    validate(&faults)
    if let fault = faults.faults.first { throw fault }
  }

  /// As ``validate()``.
  ///
  /// - Parameter faults: where every fault goes.
  package func validate(_ faults: inout FaultLog) {
    guard case .binary(let layout) = index else { return }
    BinaryValidator.validate(layout, bytes, limits: options.limits, faults: &faults)
  }

  /// How many objects the table of a binary file has, keys and shared ones once each; how many values a text has, keys
  /// aside.
  public var objectCount: Int {
    switch index {
    case .binary(let layout): layout.objectCount
    case .table(let table):
      table.nodes.count - table.nodes.lazy.filter { $0.kind == .dictionary }.reduce(0) { $0 + $1.count }
    }
  }
}
