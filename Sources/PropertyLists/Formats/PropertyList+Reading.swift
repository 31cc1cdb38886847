public import FoundationEssentials

extension PropertyList {
  /// Reads a property list in any format.
  ///
  /// - Parameter format: The format of `data`, or nil to detect it from its beginning.
  /// - Throws: ``PropertyListError``.
  /// - Complexity: O(*n*) in the length of `data`.
  public init(
    _ data: Data, format: PropertyListFormat? = nil, options: PropertyListReadingOptions = PropertyListReadingOptions()
  ) throws(PropertyListError) {
    try self.init(PropertyListDocument(data, format: format, options: options).root)
  }

  /// Reads a file in any format.
  ///
  /// - Parameter format: The format of the file, or nil to detect it from its beginning.
  /// - Throws: ``PropertyListError``; of kind ``PropertyListError/Kind/inputOutput(errno:)`` if the file cannot be
  ///   read.
  /// - Complexity: O(*n*) in the length of the file.
  public init(
    contentsOf url: URL, format: PropertyListFormat? = nil,
    options: PropertyListReadingOptions = PropertyListReadingOptions()
  ) throws(PropertyListError) {
    try self.init(PropertyListDocument(contentsOf: url, format: format, options: options).root)
  }

  /// Creates a property list from a node of a document, with all values in it.
  ///
  /// Objects that are referenced several times in a binary document are created once and shared.
  ///
  /// - Throws: ``PropertyListError``: the errors of a binary document below `node`; in every format,
  ///   ``PropertyListError/Kind/duplicateKey`` if two keys are equal as Swift strings, which are compared by canonical
  ///   equivalence.
  /// - Complexity: O(*n*) in the bytes below `node`.
  public init(_ node: PropertyListDocument.Node) throws(PropertyListError) {
    let document = node.document
    guard node.flat.kind.isContainer else {
      do { self = try NodeContent.scalar(node.flat, in: document.bytes) } catch { throw error.located(at: []) }
      return
    }
    let isWhole = node.index == document.rootIndex
    switch document.index {
    case .binary(let layout):
      self = try TreeBuilder(layout, document, isWhole: isWhole).build(node.index, in: document.bytes)
    case .table(let table):
      self = try TreeBuilder(table, document, isWhole: isWhole).build(node.index, in: document.bytes)
    }
  }
}
