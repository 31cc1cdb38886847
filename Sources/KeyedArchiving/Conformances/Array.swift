@_spi(Archives) internal import PropertyLists

/// Archived as an `NSArray`, with the elements in `NS.objects`. `NSMutableArray` is also read.
extension Array: SecureCoding where Element: SecureCoding {
  public static var archivedClass: ArchivedClass { ArchivedArray.archivedClass }

  public func encode(with coder: KeyedArchiver) throws {
    // A collection does not count as a nesting level, because its type limits how deep it can be. An array of
    // `ArchivedValue` can contain arrays to any depth, so it counts.
    if Element.self != ArchivedValue.self { coder.noteCollection() }
    try coder.encode(references: self, forRawKey: "NS.objects")
  }

  public init(coder: KeyedUnarchiver) throws {
    if Element.self != ArchivedValue.self { coder.noteCollection() }
    self = try coder.decodeElements(forRawKey: "NS.objects") { try Element._unarchive($0, by: coder) }
  }
}

/// An array whose elements may have several types. Archived as an `NSArray`.
struct ArchivedArray: SecureCoding {
  static let archivedClass = ArchivedClass("NSArray", aliases: ["NSMutableArray"])

  let elements: [any SecureCoding]

  init(_ elements: [any SecureCoding]) { self.elements = elements }

  init(coder: KeyedUnarchiver) throws {
    elements = try coder.decodeElements(forRawKey: "NS.objects") { try ArchivedValue._unarchive($0, by: coder).base }
  }

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(elements: elements, forRawKey: "NS.objects") { try $0._archive(by: coder).node }
  }
}

extension Array: ContainerOfSeveralTypes {
  static func unarchive(
    of types: [any SecureCoding.Type], at reference: ArchivedReference, by coder: KeyedUnarchiver
  ) throws -> [Element] {
    try coder.once(reference, ArchivedArray.self) {
      try coder.decodeElements(forRawKey: "NS.objects") { try coder.value(Element.self, of: types, at: $0) }
    }
  }
}

extension KeyedArchiver {
  /// Archives elements, and encodes an inline array of references to them.
  @inline(__always)
  func encode<S: Sequence>(references: S, forRawKey key: String) throws where S.Element: SecureCoding {
    try encode(elements: references, forRawKey: key) { element throws in try element._archive(by: self).node }
  }

  /// Encodes an inline array of the nodes that a closure returns for elements.
  @inline(__always)
  func encode<S: Sequence>(elements sequence: S, forRawKey key: String, _ node: (S.Element) throws -> FlatNode) throws {
    try encode(rawKey: key) { coder in try coder.array(sequence, node) }
  }

  @inline(__always)
  private func array<S: Sequence>(_ sequence: S, _ node: (S.Element) throws -> FlatNode) throws -> FlatNode {
    let start = elements.count
    var index = 0
    for element in sequence {
      current.step = .index(index)
      let node = try node(element)
      // Apple's collections cannot contain nil, so it is archived as `NSNull`.
      elements.append(node == .uid(0) ? try Archived.Null()._archive(by: self).node : node)
      index += 1
    }
    let contents = try pool.container(.array, elements.span.extracting(start...))
    elements.removeLast(index)
    return contents
  }
}
