internal import FoundationEssentials
internal import KeyedArchiving
internal import PropertyLists

/// Writes the objects of an archive to a page.
struct ArchiveObjectWriter: ~Copyable {
  let archive: KeyedArchive
  /// For each group: the keys that its Foundation class uses to encode an object; nil if its class is not one of
  /// Foundation's.
  let layouts: [FoundationLayout?]
  private(set) var values: NodeValues
  var page: PageWriter

  consuming func takePage() -> PageWriter { page }

  /// Writes the row for the top level of the archive (`$top`).
  mutating func writeTop() throws(PropertyListError) {
    page.beginRow(group: 0, key: 0)
    if let top = try? archive.document.root.value(forKey: "$top") {
      try writeFields(of: top, isInstance: false)
    } else {
      page.unreadable("the archive has no $top")
    }
    try page.endRow()
  }

  mutating func write(_ object: KeyedArchive.Object, group: Int) throws(PropertyListError) {
    page.beginRow(group: group, key: Int64(object.uid.value))
    do throws(KeyedArchiveError) {
      let node = try object.node
      do throws(PropertyListError) { try write(node, group) } catch { throw KeyedArchiveError(error) }
    } catch {
      // Errors of values inside the object have already been written in place of the values. Only an exceeded limit
      // ends the writing of the page.
      if case .propertyList(let inner) = error.kind, inner.kind == .limitExceeded { throw inner }
      page.unreadable(error.message)
    }
    try page.endRow()
  }

  private mutating func write(_ node: PropertyListDocument.Node, _ group: Int) throws(PropertyListError) {
    guard node.kind == .dictionary else { return try values.write(node, to: &page) }
    if let layout = layouts[group], try writeNaturally(node, layout) { return }
    try writeFields(of: node, isInstance: true)
  }

  private mutating func writeFields(of node: PropertyListDocument.Node, isInstance: Bool) throws(PropertyListError) {
    page.beginDictionary()
    for position in 0..<node.count {
      let field: (key: String, value: PropertyListDocument.Node)
      do throws(PropertyListError) { field = try node.entry(at: position) } catch {
        page.key("\(position)")
        page.unreadable(error.message)
        try values.spend(64)
        continue
      }
      if isInstance, field.key == "$class", field.value.kind == .uid { continue }
      try values.spend(field.key.utf8.count)
      page.key(ArchiveKey.unescaped(field.key))
      try values.write(field.value, to: &page)
    }
    page.end()
  }

  /// Writes an object of a Foundation class as the value that it represents, such as a date or a list. Returns false,
  /// without writing, if the object does not have the keys and values that its class encodes.
  private mutating func writeNaturally(
    _ node: PropertyListDocument.Node, _ layout: FoundationLayout
  ) throws(PropertyListError) -> Bool {
    guard node.count == layout.keys.count + 1 else { return false }
    var parts: [PropertyListDocument.Node] = []
    for key in layout.keys {
      guard let part = try? node.value(forKey: key) else { return false }
      parts.append(part)
    }
    let first = parts[0]
    switch layout.form {
    case .array, .set:
      guard first.kind == .array else { return false }
      try values.write(first, to: &page)
    case .dictionary:
      guard first.kind == .array, parts[1].kind == .array, first.count == parts[1].count else { return false }
      try writePairs(first, parts[1])
    case .string:
      guard let text = (try? first.string) ?? nil else { return false }
      try values.spend(text.utf8.count)
      page.text(text)
    case .data:
      guard first.kind == .data else { return false }
      try values.write(first, to: &page)
    case .date:
      guard let seconds = first.real else { return false }
      page.date(seconds)
    case .uuid:
      guard let bytes = first.data, bytes.count == 16 else { return false }
      page.uuid(UUID(bytes.bytes).uuidString)
    case .url:
      guard let base = parts[1].uid, archive.objects[base].kind == .null, let uid = first.uid,
        let text = (try? archive.objects[uid].node.string) ?? nil
      else { return false }
      try values.spend(text.utf8.count)
      page.address(text)
    }
    return true
  }

  private mutating func writePairs(
    _ keys: PropertyListDocument.Node, _ elements: PropertyListDocument.Node
  ) throws(PropertyListError) {
    page.beginPairs()
    for position in 0..<keys.count {
      for list in [keys, elements] {
        do throws(PropertyListError) { try values.write(list.child(at: position), to: &page) } catch {
          if error.kind == .limitExceeded { throw error }
          page.unreadable(error.message)
          try values.spend(64)
        }
      }
    }
    page.end()
  }
}
