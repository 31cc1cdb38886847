@_spi(Archives) internal import PropertyLists

/// What has been archived of opaque objects, by the archives that they come from and their UIDs there.
struct ArchivedOpaqueObjects {
  fileprivate var uids: [Place: UInt32] = [:]
  fileprivate var documents: Set<ObjectIdentifier> = []

  fileprivate struct Place: Hashable {
    let document: ObjectIdentifier
    let uid: UInt32
  }
}

extension KeyedArchiver {
  /// A reference to an opaque object, which is archived the first time with all that it leads to.
  ///
  /// Depth costs no stack.
  func reference(to object: OpaqueObject) throws -> ArchivedReference {
    if extent != nil { return try reference(toOrder: object) }
    let archive = object.source.archive
    let document = archive.document
    // Kept alive, so that no other document gets the same identity.
    if opaque.documents.insert(ObjectIdentifier(document)).inserted { retained.append(document) }
    var reader = ArchiveReader(forAllOf: archive)
    var copies: [OpaqueCopy] = []
    let uid = try copy(object.uid, &reader, &copies)
    while let copy = copies.last {
      if copy.next < copy.references.count {
        copies[copies.count - 1].next += 1
        _ = try self.copy(copy.references[copy.next], &reader, &copies)
      } else {
        try finish(copy, of: document)
        copies.removeLast()
      }
    }
    return ArchivedReference(node: .uid(uid))
  }

  /// An object that is being archived.
  private struct OpaqueCopy {
    let node: FlatNode
    /// Where it stands in the new archive.
    let uid: UInt32
    let description: KeyedArchive.ClassDescription
    /// The objects that it leads to, in the archive that it comes from.
    let references: [UInt32]
    var next = 0
  }

  /// Begins to archive what a UID leads to, unless it is archived or begun.
  ///
  /// - Returns: where it stands in the new archive.
  private func copy(
    _ uid: UInt32, _ reader: inout ArchiveReader, _ copies: inout [OpaqueCopy]
  ) throws -> UInt32 {
    let document = reader.document
    let place = ArchivedOpaqueObjects.Place(document: ObjectIdentifier(document), uid: uid)
    if let known = opaque.uids[place] { return known }
    let node = try reader.object(uid)
    let copied: UInt32
    switch node.kind {
    case .string where document.isNullObject(node): copied = 0
    case .null, .array, .uid: copied = 0
    case .string: copied = try pool.string(document.text(of: node))
    case .data: copied = try pool.data(document.data(of: node))
    case .boolean, .integer, .unsignedInteger, .real, .float: copied = try pool.number(node)
    case .date:
      copied = try pool.reserve()
      try pool.fill(copied, with: node)
    case .dictionary:
      let (description, classPosition) = try classDescription(ofOpaque: node, &reader)
      copied = try pool.reserve()
      var references: [UInt32] = []
      for entry in 0..<node.count where entry != classPosition {
        try collect(document.value(ofEntry: entry, of: node), of: document, &references)
      }
      copies.append(OpaqueCopy(node: node, uid: copied, description: description, references: references))
    }
    opaque.uids[place] = copied
    return copied
  }

  private func classDescription(
    ofOpaque node: FlatNode, _ reader: inout ArchiveReader
  ) throws -> (KeyedArchive.ClassDescription, position: Int) {
    guard let position = try reader.keyPositions(of: node).classReference,
      let description = try reader.classDescription(ofInstance: node, classPosition: position)
    else { throw KeyedArchiveError(.invalidValue, "an opaque object without a class") }
    return (description, position)
  }

  /// The references in a value.
  private func collect(
    _ node: FlatNode, of document: PropertyListDocument, _ references: inout [UInt32]
  ) throws(PropertyListError) {
    switch node.kind {
    case .uid: references.append(node.uid)
    case .array:
      for position in 0..<node.count { try collect(document.element(position, of: node), of: document, &references) }
    case .dictionary:
      for entry in 0..<node.count {
        try collect(document.value(ofEntry: entry, of: node), of: document, &references)
      }
    default: break
    }
  }

  /// Fills in an object whose references are all known.
  private func finish(_ copy: OpaqueCopy, of document: PropertyListDocument) throws {
    let classUID = try classes.write(opaque: copy.description, into: &pool)
    let contents = try contents(of: copy.node, of: document, classUID: classUID) { uid in
      opaque.uids[ArchivedOpaqueObjects.Place(document: ObjectIdentifier(document), uid: uid)] ?? 0
    }
    try pool.fill(copy.uid, with: contents)
  }

  /// The entries of an object, in the order of the archive that it comes from.
  private func contents(
    of node: FlatNode, of document: PropertyListDocument, classUID: UInt32, _ target: (UInt32) -> UInt32
  ) throws -> FlatNode {
    var entries: [FlatNode] = []
    for entry in 0..<node.count {
      let key = try document.key(ofEntry: entry, of: node)
      entries.append(try pool.inline(key))
      entries.append(
        key == "$class"
          ? .uid(classUID) : try inline(try document.value(ofEntry: entry, of: node), of: document, target))
    }
    return try pool.container(.dictionary, entries.span, isShared: false)
  }

  /// A value that stands in an object itself.
  private func inline(
    _ node: FlatNode, of document: PropertyListDocument, _ target: (UInt32) -> UInt32
  ) throws -> FlatNode {
    switch node.kind {
    case .uid: return .uid(target(node.uid))
    case .string: return try pool.inline(document.text(of: node))
    case .data: return try pool.inline(document.data(of: node))
    case .null, .boolean, .integer, .unsignedInteger, .real, .float, .date: return node
    case .array:
      var elements: [FlatNode] = []
      for position in 0..<node.count {
        elements.append(try inline(document.element(position, of: node), of: document, target))
      }
      return try pool.container(.array, elements.span)
    case .dictionary:
      var entries: [FlatNode] = []
      for entry in 0..<node.count {
        entries.append(try pool.inline(document.key(ofEntry: entry, of: node)))
        entries.append(try inline(document.value(ofEntry: entry, of: node), of: document, target))
      }
      return try pool.container(.dictionary, entries.span)
    }
  }

  /// For an archiver that only orders elements: the object by itself, and nothing that it leads to.
  private func reference(toOrder object: OpaqueObject) throws -> ArchivedReference {
    guard (extent?.objectCount ?? 0) > 0 else { return ArchivedReference(node: .uid(0)) }
    extent?.objectCount -= 1
    let archive = object.source.archive
    var reader = ArchiveReader(archive)
    let node = try reader.object(object.uid)
    let classUID = try classes.write(opaque: classDescription(ofOpaque: node, &reader).0, into: &pool)
    let uid = try pool.reserve()
    try pool.fill(uid, with: contents(of: node, of: archive.document, classUID: classUID) { _ in 0 })
    return ArchivedReference(node: .uid(uid))
  }
}
