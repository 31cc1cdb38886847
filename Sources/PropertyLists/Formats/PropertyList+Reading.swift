public import FoundationEssentials

extension PropertyList {
  /// Reads a property list in any format.
  ///
  /// ```swift
  /// let response = Data(#"{"title": "Groceries", "tags": ["home", "weekly"]}"#.utf8)
  /// let note = try PropertyList(response, format: .json)
  /// let tags = note["tags"]?.array?.compactMap(\.string)   // ["home", "weekly"]
  /// ```
  ///
  /// - Parameter format: The format of `data`, or nil to detect it from its beginning.
  /// - Throws: ``PropertyListError``, such as ``PropertyListError/Kind/unknownFormat`` if no format is detected,
  ///   ``PropertyListError/Kind/malformed``, ``PropertyListError/Kind/duplicateKey``, and the errors of
  ///   ``ParsingLimits``.
  /// - Complexity: O(*n*) in the length of `data`.
  public init(
    _ data: Data, format: PropertyListFormat? = nil, options: PropertyListReadingOptions = PropertyListReadingOptions()
  ) throws(PropertyListError) {
    try self.init(PropertyListDocument(data, format: format, options: options).root)
  }

  /// Reads a file in any format.
  ///
  /// ```swift
  /// var settings = try PropertyList(contentsOf: url)
  /// try settings.set(14, at: PropertyListKeyPath("editor.fontSize"))
  /// try settings.write(to: url, format: .xml)
  /// ```
  ///
  /// - Parameter format: The format of the file, or nil to detect it from its beginning.
  /// - Throws: ``PropertyListError/Kind/inputOutput(errno:)`` if the file cannot be read, with `EINVAL` if `url` is
  ///   not a file URL, and the errors of ``init(_:format:options:)``.
  /// - Complexity: O(*n*) in the length of the file.
  public init(
    contentsOf url: URL, format: PropertyListFormat? = nil,
    options: PropertyListReadingOptions = PropertyListReadingOptions()
  ) throws(PropertyListError) {
    try self.init(PropertyListDocument(contentsOf: url, format: format, options: options).root)
  }

  /// Creates a property list from a node of a document, with all values in it.
  ///
  /// ```swift
  /// let document = try PropertyListDocument(contentsOf: url)
  /// var editor = try PropertyList(document.root.descendant(at: PropertyListKeyPath("settings.editor")))
  /// ```
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
