@_spi(Archives) internal import PropertyLists

extension KeyedUnarchiver {
  /// Prepares the unarchiver to read the contents of an opaque object. Allows the same opaque classes as when the
  /// object was decoded.
  func reads(within source: OpaqueSource) {
    for name in source.classNames { setClass(OpaqueObject.self, forClassName: name) }
    opaque.source = source
    opaque.isWithin = true
  }

  /// The greatest nesting depth of inline arrays and dictionaries in an object.
  private static var greatestInlineDepth: Int { 512 }

  /// Returns the opaque object with a UID. Throws if this object, or an object that it leads to, cannot be archived
  /// again.
  func opaqueObject(_ uid: UInt32) throws -> OpaqueObject {
    let source = try opaqueSource()
    if !opaque.isWithin {
      if opaque.sizes[uid] == nil { try checkOpaque(uid) }
      // The object weighs as much as its size, because archiving it again takes work in proportion to its size.
      try weigh(opaque.sizes[uid] ?? 1)
    }
    try spend(1)
    return OpaqueObject(source: source, uid: uid)
  }

  private func opaqueSource() throws -> OpaqueSource {
    if let source = opaque.source { return source }
    let source = OpaqueSource(try KeyedArchive(document), classNames: classes.opaqueNames)
    opaque.source = source
    return source
  }

  private func checkOpaque(_ root: UInt32) throws {
    var reader = try opaque.reader ?? ArchiveReader(forAllOf: KeyedArchive(document))
    opaque.reader = nil
    defer { opaque.reader = reader }
    var sizes: [UInt32: Int] = [:]
    var seen: Set<UInt32> = [root]
    var waiting = [root]
    while let uid = waiting.popLast() {
      guard opaque.sizes[uid] == nil else { continue }
      var size = 1
      var references: [UInt32] = []
      do { try look(at: uid, &reader, &size, &references) } catch { throw located(error, uid) }
      sizes[uid] = size
      for reference in references where seen.insert(reference).inserted { waiting.append(reference) }
    }
    opaque.sizes.merge(sizes) { $1 }
  }

  private func located(_ error: KeyedArchiveError, _ uid: UInt32) -> KeyedArchiveError {
    guard error.path == nil else { return error }
    var located = failure(error.kind, error.message)
    located.uid = PropertyList.UID(uid)
    located.className = error.className
    return located
  }

  /// Checks that an object can be archived again. Adds the object's size to `size`, and the UIDs that it contains to
  /// `references`.
  private func look(
    at uid: UInt32, _ reader: inout ArchiveReader, _ size: inout Int, _ references: inout [UInt32]
  ) throws(KeyedArchiveError) {
    let node = try reader.object(uid)
    switch node.kind {
    case .null, .boolean, .integer, .unsignedInteger, .real, .float, .date, .string, .data:
      return try look(into: node, depth: 0, &reader, &size, &references)
    case .array, .uid: throw KeyedArchiveError(.malformed, "expected an object, found \(node.kindName)")
    case .dictionary: break
    }
    guard let position = try reader.keyPositions(of: node).classReference,
      let description = try reader.classDescription(ofInstance: node, classPosition: position)
    else { throw KeyedArchiveError(.malformed, "an object has no class") }
    guard classes.isOpaque(description.name) || KeyedArchive.ClassDescription.isKnown(description.name) else {
      throw KeyedArchiveError(
        .classNotAllowed,
        "an opaque object refers to an object of the class \(description.name.quoted), which may not be opaque",
        className: description.name)
    }
    // Reading the keys throws if one is a duplicate.
    _ = try reader.shape(of: node)
    size += node.count
    for entry in 0..<node.count where entry != position {
      try look(into: reader.value(ofEntry: entry, of: node), depth: 1, &reader, &size, &references)
    }
  }

  private func look(
    into node: FlatNode, depth: Int, _ reader: inout ArchiveReader, _ size: inout Int, _ references: inout [UInt32]
  ) throws(KeyedArchiveError) {
    switch node.kind {
    case .uid: references.append(node.uid)
    case .string, .data:
      size += 1 + node.length >> 6
      if node.kind == .string { _ = try reader.text(of: node) } else { try reader.spend(1 + node.length) }
    case .null, .boolean, .integer, .unsignedInteger, .real, .float, .date: break
    case .array, .dictionary:
      size += node.count
      try checkInline(depth)
      if node.kind == .dictionary { _ = try reader.shape(of: node) }
      for position in 0..<node.count {
        try look(into: reader.child(position, of: node), depth: depth + 1, &reader, &size, &references)
      }
    }
  }

  private func checkInline(_ depth: Int) throws(KeyedArchiveError) {
    guard depth <= Self.greatestInlineDepth else {
      throw KeyedArchiveError(
        .nestedTooDeeply, "values in an object are nested more than \(Self.greatestInlineDepth) deep")
    }
    guard depth & 15 == 15 else { return }
    do { try checkStack() } catch {
      throw error as? KeyedArchiveError ?? KeyedArchiveError(.nestedTooDeeply, "\(error)")
    }
  }
}
