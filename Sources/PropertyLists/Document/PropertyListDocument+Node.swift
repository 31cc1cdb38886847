public import FoundationEssentials

extension PropertyListDocument {
  /// A cursor: one value of a document. It knows no format; its children are cursors too.
  public struct Node: Sendable {
    /// The document this is a part of.
    public let document: PropertyListDocument
    /// The number of the object in a binary document; the index in the node table of other documents.
    package let index: Int
    package let flat: FlatNode
  }
}

extension PropertyListDocument.Node {
  /// The kind of the value; reals of both widths are `real`.
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

  /// The number of elements of an array, or of entries of a dictionary; 0 for every other kind.
  public var count: Int { flat.kind.isContainer ? flat.count : 0 }

  // Scalars: the value if the node is of that kind, else nil. Nothing is converted.

  /// The text of a string.
  ///
  /// - Throws: ``PropertyListError/Kind/malformed`` for bytes of a binary document that are no text.
  /// - Complexity: O(*n*) in its length.
  public var string: String? {
    get throws(PropertyListError) { flat.kind == .string ? try NodeContent.string(flat, in: document.bytes) : nil }
  }

  /// The bytes of data.
  ///
  /// - Complexity: O(*n*) in their number.
  public var data: Data? { flat.kind == .data ? NodeContent.data(flat, in: document.bytes) : nil }

  /// The integer, exactly.
  public var integer: PropertyList.Integer? {
    flat.kind == .integer || flat.kind == .unsignedInteger ? flat.integer : nil
  }

  /// The real of either width, as a double, which holds both exactly.
  public var real: Double? {
    switch flat.kind {
    case .real: flat.real
    case .float: Double(flat.float)
    default: nil
    }
  }

  /// Whether the node is a 4-byte real.
  public var isFloat: Bool { flat.kind == .float }

  /// The truth value of a boolean.
  public var boolean: Bool? { flat.kind == .boolean ? flat.boolean : nil }

  /// The moment of a date.
  public var date: Date? { flat.kind == .date ? Date(timeIntervalSinceReferenceDate: flat.real) : nil }

  /// The index that a UID of a keyed archive refers to.
  public var uid: PropertyList.UID? { flat.kind == .uid ? PropertyList.UID(flat.uid) : nil }

  // Containers.

  /// The element number `position` of an array.
  ///
  /// - Throws: ``PropertyListError/Kind/noSuchValue`` if there is none, or what is wrong with it in a binary document.
  /// - Complexity: O(1).
  public func child(at position: Int) throws(PropertyListError) -> PropertyListDocument.Node {
    guard flat.kind == .array, position >= 0, position < flat.count else {
      throw PropertyListError(.noSuchValue, "no element \(position) in a value of kind \(kind.rawValue) with \(count)")
    }
    return try document.child(position, of: flat)
  }

  /// The key and the value of the entry number `position` of a dictionary, in the order of the file.
  ///
  /// - Throws: ``PropertyListError/Kind/noSuchValue`` if there is none, or what is wrong with it in a binary document.
  /// - Complexity: O(*k*) in the length of the key.
  public func entry(at position: Int) throws(PropertyListError) -> (key: String, value: PropertyListDocument.Node) {
    guard flat.kind == .dictionary, position >= 0, position < flat.count else {
      throw PropertyListError(.noSuchValue, "no entry \(position) in a value of kind \(kind.rawValue) with \(count)")
    }
    return (try document.key(ofEntry: position, of: flat), try document.child(position, of: flat))
  }

  /// The value of a dictionary for a key; nil if there is none, or if this is no dictionary.
  ///
  /// Keys are compared by their Unicode scalars, as Apple does.
  ///
  /// - Throws: what is wrong with a key or with the value in a binary document.
  /// - Complexity: O(*n*) in the number of entries. The eighth lookup in a dictionary of 32 entries or more makes an
  ///   index of its keys, which the document keeps; lookups after that take O(1) on average.
  public func value(forKey key: String) throws(PropertyListError) -> PropertyListDocument.Node? {
    guard flat.kind == .dictionary else { return nil }
    return try valueOfDictionary(forKey: Array(key.utf8))
  }

  /// The value of the entry number `position`, which is below the count of this dictionary.
  package func value(ofEntry position: Int) throws(PropertyListError) -> PropertyListDocument.Node {
    try document.child(position, of: flat)
  }

  /// The elements of an array, or the values of a dictionary, in order; none for other kinds.
  public var children: Children { Children(parent: self) }

  /// The sequence ``children``. Its iterator's `next()` cannot throw, so each element is a result.
  public struct Children: Sequence, Sendable {
    fileprivate let parent: PropertyListDocument.Node

    /// From the first child on.
    public func makeIterator() -> Iterator { Iterator(parent: parent) }

    /// Goes from child to child.
    public struct Iterator: IteratorProtocol {
      fileprivate let parent: PropertyListDocument.Node
      fileprivate var position = 0

      /// The next child, or what is wrong with it in a binary document.
      public mutating func next() -> Result<PropertyListDocument.Node, PropertyListError>? {
        guard position < parent.count else { return nil }
        defer { position += 1 }
        return Result { () throws(PropertyListError) in try parent.document.child(position, of: parent.flat) }
      }
    }
  }
}

extension PropertyListDocument {
  /// An element, or the value of an entry.
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
