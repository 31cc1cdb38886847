@_spi(Archives) internal import PropertyLists

extension KeyedArchiver {
  /// Archives an opaque object and all objects that it leads to, unless they have been archived, and returns a
  /// reference to the opaque object. Does not recurse.
  func reference(to object: OpaqueObject) throws -> ArchivedReference {
    if extent != nil { return try reference(toOrder: object) }
    let archive = object.source.archive
    let document = archive.document
    // The document must stay alive, so that no other document gets the same identity.
    if copied[ObjectIdentifier(document)] == nil { retained.append(document) }
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

  private struct OpaqueCopy {
    let node: FlatNode
    let uid: UInt32
    let description: KeyedArchive.ClassDescription
    /// The UIDs of the objects that the object refers to, in the source archive.
    let references: [UInt32]
    var next = 0
  }

  /// Begins to archive an object of the source archive, unless that object was begun or archived before. Returns the
  /// object's UID in the new archive. An object whose contents must be set later is appended to `copies`.
  private func copy(_ uid: UInt32, _ reader: inout ArchiveReader, _ copies: inout [OpaqueCopy]) throws -> UInt32 {
    let document = reader.document
    if let known = copied[ObjectIdentifier(document)]?[uid] { return known }
    let node = try reader.object(uid)
    let copy: UInt32
    switch node.kind {
    case .string where document.isNullObject(node): copy = 0
    case .null, .array, .uid: copy = 0
    case .string: copy = try pool.string(document.text(of: node))
    case .data: copy = try pool.data(document.data(of: node))
    case .boolean, .integer, .unsignedInteger, .real, .float: copy = try pool.object(ofScalar: node)
    case .date:
      copy = try pool.reserve()
      try pool.fill(copy, with: node)
    case .dictionary:
      let (description, classPosition) = try classDescription(ofOpaque: node, &reader)
      copy = try pool.reserve()
      var references: [UInt32] = []
      for entry in 0..<node.count where entry != classPosition {
        try collect(document.value(ofEntry: entry, of: node), of: document, &references)
      }
      copies.append(OpaqueCopy(node: node, uid: copy, description: description, references: references))
    }
    copied[ObjectIdentifier(document), default: [:]][uid] = copy
    return copy
  }

  private func classDescription(
    ofOpaque node: FlatNode, _ reader: inout ArchiveReader
  ) throws -> (KeyedArchive.ClassDescription, position: Int) {
    guard let position = try reader.keyPositions(of: node).classReference,
      let description = try reader.classDescription(ofInstance: node, classPosition: position)
    else { throw KeyedArchiveError(.invalidValue, "an opaque object has no class") }
    return (description, position)
  }

  /// Appends the UIDs in a value of an object to `references`, in order. Does not recurse.
  private func collect(
    _ node: FlatNode, of document: PropertyListDocument, _ references: inout [UInt32]
  ) throws(PropertyListError) {
    var pending = [node]
    while let node = pending.popLast() {
      switch node.kind {
      case .uid: references.append(node.uid)
      case .array:
        for position in (0..<node.count).reversed() { pending.append(try document.element(position, of: node)) }
      case .dictionary:
        for entry in (0..<node.count).reversed() { pending.append(try document.value(ofEntry: entry, of: node)) }
      default: break
      }
    }
  }

  /// Sets the contents of an object in the new archive. All objects that it refers to must have a UID in the new
  /// archive.
  private func finish(_ copy: OpaqueCopy, of document: PropertyListDocument) throws {
    let classUID = try classes.write(opaque: copy.description, into: &pool)
    let contents = try contents(of: copy.node, of: document, classUID: classUID) { uid in
      copied[ObjectIdentifier(document)]?[uid] ?? 0
    }
    try pool.fill(copy.uid, with: contents)
  }

  /// Copies the dictionary of an object to the new archive, with keys in the order of the source archive, and returns
  /// its node. `target` returns the new UID of the object that has the given UID in the source archive.
  private func contents(
    of node: FlatNode, of document: PropertyListDocument, classUID: UInt32, _ target: (UInt32) -> UInt32
  ) throws -> FlatNode {
    var entries: [FlatNode] = []
    for entry in 0..<node.count {
      let key = try document.key(ofEntry: entry, of: node)
      entries.append(try pool.inline(key))
      entries.append(
        key == "$class"
          ? .uid(classUID) : try inline(document.value(ofEntry: entry, of: node), of: document, depth: 1, target))
    }
    return try pool.container(.dictionary, entries.span, isShared: false)
  }

  /// Copies an inline value of an object to the new archive, and returns its node. Recurses once for each level; the
  /// number of levels was limited when the object was decoded.
  private func inline(
    _ node: FlatNode, of document: PropertyListDocument, depth: Int, _ target: (UInt32) -> UInt32
  ) throws -> FlatNode {
    if depth & 15 == 15 { try checkStack() }
    switch node.kind {
    case .uid: return .uid(target(node.uid))
    case .string: return try pool.inline(document.text(of: node))
    case .data: return try pool.inline(document.data(of: node))
    case .null, .boolean, .integer, .unsignedInteger, .real, .float, .date: return node
    case .array:
      var elements: [FlatNode] = []
      for position in 0..<node.count {
        elements.append(try inline(document.element(position, of: node), of: document, depth: depth + 1, target))
      }
      return try pool.container(.array, elements.span)
    case .dictionary:
      var entries: [FlatNode] = []
      for entry in 0..<node.count {
        entries.append(try pool.inline(document.key(ofEntry: entry, of: node)))
        entries.append(try inline(document.value(ofEntry: entry, of: node), of: document, depth: depth + 1, target))
      }
      return try pool.container(.dictionary, entries.span)
    }
  }

  /// Archives an opaque object without the objects that it refers to, and returns a reference to it. Used in an archive
  /// that is made only to order elements; see ``CanonicalOrder``. Returns a reference to nil if the archive may not
  /// contain more objects.
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
