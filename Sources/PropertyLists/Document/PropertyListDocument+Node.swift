public import FoundationEssentials

extension PropertyListDocument {
  /// A cursor to one value of a document of any format. The children of the value are also cursors.
  ///
  /// ```swift
  /// let note = try document.root.descendant(at: PropertyListKeyPath("notes.0"))
  /// let title = try note.value(forKey: "title")?.string
  /// for position in 0..<note.count {
  ///   let (key, value) = try note.entry(at: position)
  ///   print(key, value.kind)   // title string
  /// }
  /// ```
  ///
  /// A node retains its document. To change a value, create a ``PropertyList`` with ``PropertyList/init(_:)``.
  public struct Node: Sendable {
    /// The document that contains the value.
    public let document: PropertyListDocument
    /// The object index in a binary document; the index in the node table of other documents.
    package let index: Int
    package let flat: FlatNode
  }
}

extension PropertyListDocument.Node {
  /// The kind of the value. Reals of both widths are of kind `real`.
  public var kind: PropertyList.Kind {
    switch flat.kind {
    case .null: .null
    case .boolean: .boolean
    case .integer, .unsignedInteger: .integer
    case .real, .float: .real
    case .date: .date
    case .uid: .uid
    case .string: .string
    case .data: .data
    case .array: .array
    case .dictionary: .dictionary
    }
  }

  /// The number of elements of an array or entries of a dictionary, or 0 for every other kind.
  public var count: Int { flat.kind.isContainer ? flat.count : 0 }

  // Scalars. Each property is nil unless the node has the requested kind. Values are not converted.

  /// The text of a string; nil for other kinds.
  ///
  /// - Throws: ``PropertyListError/Kind/malformed`` if the text is invalid in a binary document.
  /// - Complexity: O(*n*) in the length of the text.
  public var string: String? {
    get throws(PropertyListError) { flat.kind == .string ? try NodeContent.string(flat, in: document.bytes) : nil }
  }

  /// The bytes of data; nil for other kinds.
  ///
  /// - Complexity: O(*n*) in the number of bytes.
  public var data: Data? { flat.kind == .data ? NodeContent.data(flat, in: document.bytes) : nil }

  /// The value of an integer; nil for other kinds.
  public var integer: PropertyList.Integer? {
    flat.kind == .integer || flat.kind == .unsignedInteger ? flat.integer : nil
  }

  /// The value of a 4-byte or 8-byte real; nil for other kinds. A double represents both exactly.
  public var real: Double? {
    switch flat.kind {
    case .real: flat.real
    case .float: Double(flat.float)
    default: nil
    }
  }

  /// True if the node is a 4-byte real.
  public var isFloat: Bool { flat.kind == .float }

  /// The value of a boolean; nil for other kinds.
  public var boolean: Bool? { flat.kind == .boolean ? flat.boolean : nil }

  /// The value of a date; nil for other kinds.
  public var date: Date? { flat.kind == .date ? Date(timeIntervalSinceReferenceDate: flat.real) : nil }

  /// The UID, which is the index of an object in the object table of a keyed archive; nil for other kinds.
  public var uid: PropertyList.UID? { flat.kind == .uid ? PropertyList.UID(flat.uid) : nil }

  // Containers.

  /// Returns the element of an array at a position.
  ///
  /// - Throws: ``PropertyListError/Kind/noSuchValue`` if the position is out of range or this is not an array, or an
  ///   error of a binary document if the element cannot be read.
  /// - Complexity: O(1).
  public func child(at position: Int) throws(PropertyListError) -> PropertyListDocument.Node {
    guard flat.kind == .array, position >= 0, position < flat.count else {
      throw PropertyListError(
        .noSuchValue, "no element \(position) in a value of kind \(kind.rawValue) with count \(count)")
    }
    return try document.child(position, of: flat)
  }

  /// Returns the key and value of a dictionary's entry at a position, in the order of the file.
  ///
  /// - Throws: ``PropertyListError/Kind/noSuchValue`` if the position is out of range or this is not a dictionary, or
  ///   an error of a binary document if the entry cannot be read.
  /// - Complexity: O(*k*) in the length of the key.
  public func entry(at position: Int) throws(PropertyListError) -> (key: String, value: PropertyListDocument.Node) {
    guard flat.kind == .dictionary, position >= 0, position < flat.count else {
      throw PropertyListError(
        .noSuchValue, "no entry \(position) in a value of kind \(kind.rawValue) with count \(count)")
    }
    return (try document.key(ofEntry: position, of: flat), try document.child(position, of: flat))
  }

  /// Returns the value for a key of a dictionary, or nil if the key is missing or this is not a dictionary.
  ///
  /// Keys are compared by their Unicode scalars, as in Apple's readers.
  ///
  /// - Throws: An error of a binary document if the value or a key cannot be read.
  /// - Complexity: O(*n*) in the number of entries. The eighth lookup in a dictionary of 32 entries or more creates an
  ///   index of its keys, which the document keeps. Later lookups take O(1) on average.
  public func value(forKey key: String) throws(PropertyListError) -> PropertyListDocument.Node? {
    guard flat.kind == .dictionary else { return nil }
    return try valueOfDictionary(forKey: Array(key.utf8))
  }

  /// Returns the value of the entry at a position, which must be in range.
  package func value(ofEntry position: Int) throws(PropertyListError) -> PropertyListDocument.Node {
    try document.child(position, of: flat)
  }

  /// The elements of an array, or the values of a dictionary, in order. Empty for other kinds.
  ///
  /// ```swift
  /// if let notes = try document.root.value(forKey: "notes") {
  ///   for note in notes.children {
  ///     print(try note.get().value(forKey: "title")?.string ?? "untitled")
  ///   }
  /// }
  /// ```
  public var children: Children { Children(parent: self) }

  /// A sequence of the children of a node. Each element is a `Result`, because the `next()` of an iterator cannot
  /// throw.
  public struct Children: Sequence, Sendable {
    fileprivate let parent: PropertyListDocument.Node

    /// Returns an iterator that begins at the first child.
    public func makeIterator() -> Iterator { Iterator(parent: parent) }

    /// An iterator over the children.
    public struct Iterator: IteratorProtocol {
      fileprivate let parent: PropertyListDocument.Node
      fileprivate var position = 0

      /// Returns the next child, or the error if it cannot be read in a binary document. Returns nil after the last
      /// child.
      public mutating func next() -> Result<PropertyListDocument.Node, PropertyListError>? {
        guard position < parent.count else { return nil }
        defer { position += 1 }
        return Result { () throws(PropertyListError) in try parent.document.child(position, of: parent.flat) }
      }
    }
  }
}

extension PropertyListDocument {
  /// Returns an element, or the value of an entry.
  fileprivate func child(_ position: Int, of container: FlatNode) throws(PropertyListError) -> Node {
    switch index {
    case .binary(let layout): try child(position, of: container, layout)
    case .table(let table): try child(position, of: container, table)
    }
  }

  private func child(
    _ position: Int, of container: FlatNode, _ source: some NodeSource
  ) throws(PropertyListError) -> Node {
    let childIndex = try source.value(position, of: container, in: bytes)
    return Node(document: self, index: childIndex, flat: try source.node(at: childIndex, in: bytes))
  }
}
