internal import FoundationEssentials
internal import KeyedArchiving
internal import Nibs
@_spi(Archives) internal import PropertyLists
internal import Typedstreams

/// The content of an object's box in a graph: its class, its own values, and its references.
struct ObjectBox {
  private(set) var title = ""
  private(set) var lines: [String] = []
  /// The number of values that are left out, because ``lines`` is full.
  private(set) var omittedCount = 0
  private(set) var references: [(label: String, target: UInt32)] = []

  private static var greatestLineCount: Int { 24 }
  private static var greatestLength: Int { 60 }

  /// Creates the box of an object, or of the top of the archive. Its lines show which values cannot be read.
  init(_ uid: UInt32?, of archive: KeyedArchive, _ reader: inout ArchiveReader) throws(KeyedArchiveError) {
    do {
      if let uid { try fill(reader.object(uid), &reader) } else { try addValues(of: archive.topNode.flat, &reader) }
    } catch {
      try reader.tolerate(error)
      add("unreadable: \(error.message)")
    }
  }

  private mutating func fill(_ node: FlatNode, _ reader: inout ArchiveReader) throws(KeyedArchiveError) {
    switch node.kind {
    case .dictionary:
      let positions = try reader.keyPositions(of: node)
      if let position = positions.classReference {
        try fillInstance(node, classPosition: position, &reader)
      } else {
        title = positions.className == nil ? "dictionary" : "class"
        try addValues(of: node, &reader)
      }
    case .array:
      title = "array"
      try addValues(of: node, &reader)
    case .uid:
      title = "reference"
      references.append(("", node.uid))
    case .null, .boolean, .integer, .unsignedInteger, .real, .float, .date, .string, .data:
      title = try Self.text(of: node, &reader)
    }
  }

  private mutating func fillInstance(
    _ node: FlatNode, classPosition: Int, _ reader: inout ArchiveReader
  ) throws(KeyedArchiveError) {
    let description = try reader.classDescription(ofInstance: node, classPosition: classPosition)
    title = description.map { $0.name.printable(limit: Self.greatestLength) } ?? "no class"
    if let description, let layout = FoundationLayout(className: description.name), layout.isCollection,
      try addElements(of: node, layout, &reader)
    {
      return
    }
    try addValues(of: node, without: classPosition, &reader)
  }

  /// Adds the elements of one of Foundation's collections, with their indices or keys. Returns false, without adding
  /// any, if the object does not have the keys of its class.
  private mutating func addElements(
    of node: FlatNode, _ layout: FoundationLayout, _ reader: inout ArchiveReader
  ) throws(KeyedArchiveError) -> Bool {
    guard node.count == layout.keys.count + 1 else { return false }
    var parts: [FlatNode] = []
    for key in layout.keys {
      for entry in 0..<node.count where try reader.key(ofEntry: entry, of: node) == key {
        parts.append(try reader.value(ofEntry: entry, of: node))
      }
    }
    guard parts.count == layout.keys.count, parts.allSatisfy({ $0.kind == .array && $0.count == parts[0].count }) else {
      return false
    }
    for position in 0..<parts[0].count {
      let element = try reader.element(position, of: parts[parts.count - 1])
      guard layout.form == .dictionary else {
        try add("[\(position)]", element, &reader)
        continue
      }
      let key = try reader.element(position, of: parts[0])
      if let text = try shortText(ofObject: key, &reader) {
        try add(text, element, &reader)
      } else {
        try add("key \(position)", key, &reader)
        try add("value \(position)", element, &reader)
      }
    }
    return true
  }

  private mutating func addValues(
    of container: FlatNode, without skipped: Int? = nil, _ reader: inout ArchiveReader
  ) throws(KeyedArchiveError) {
    var frames: [(node: FlatNode, label: String, next: Int)] = [(container, "", 0)]
    while let frame = frames.last {
      guard frame.next < frame.node.count else {
        frames.removeLast()
        continue
      }
      frames[frames.count - 1].next += 1
      let isOutermost = frames.count == 1
      if isOutermost, frame.next == skipped { continue }
      let label: String
      if frame.node.kind == .array {
        label = frame.label + "[\(frame.next)]"
      } else {
        let key = try reader.key(ofEntry: frame.next, of: frame.node)
        let name = (isOutermost ? ArchiveKey.unescaped(key) : key).printable(limit: Self.greatestLength)
        label = frame.label.isEmpty ? name : "\(frame.label).\(name)"
      }
      let child = try reader.child(frame.next, of: frame.node)
      if child.kind.isContainer, child.count > 0 {
        try reader.checkNesting(of: child, in: frames.lazy.map(\.node), depth: frames.count)
        try reader.spend(label.utf8.count)
        frames.append((child, label, 0))
      } else {
        try add(label, child, &reader)
      }
    }
  }

  private mutating func add(
    _ label: String, _ node: FlatNode, _ reader: inout ArchiveReader
  ) throws(KeyedArchiveError) {
    try reader.spend(label.utf8.count + 16)
    if let text = try shortText(ofObject: node, &reader) {
      add("\(label): \(text)")
    } else if node.kind == .uid {
      references.append((label, node.uid))
    } else {
      add("\(label): \(try Self.text(of: node, &reader))")
    }
  }

  private mutating func add(_ line: String) {
    if lines.count < Self.greatestLineCount { lines.append(line) } else { omittedCount += 1 }
  }

  /// Returns the text of a short object, which is shown in the boxes that refer to it. Returns nil for any other
  /// object.
  private func shortText(ofObject node: FlatNode, _ reader: inout ArchiveReader) throws(KeyedArchiveError) -> String? {
    guard node.kind == .uid, node.uid < reader.objects.count else { return nil }
    let object: FlatNode
    do { object = try reader.object(node.uid) } catch {
      try reader.tolerate(error)
      return nil
    }
    if reader.document.isNullObject(object) { return "nil" }
    return RenderedObjects.isShort(object) ? try Self.text(of: object, &reader) : nil
  }

  /// Returns the text of a scalar or an empty container.
  private static func text(of node: FlatNode, _ reader: inout ArchiveReader) throws(KeyedArchiveError) -> String {
    switch node.kind {
    case .string: return try "\"\(reader.text(of: node).printable(limit: greatestLength))\""
    case .data:
      let bytes = try reader.data(of: node)
      let text = PropertyList.data(Data(bytes.prefix(16))).debugDescription
      return bytes.count > 16 ? "\(text) … \(bytes.count) bytes" : text
    case .array: return "[]"
    case .dictionary: return "{}"
    case .uid: return "#\(node.uid)"
    case .null, .boolean, .integer, .unsignedInteger, .real, .float, .date: return node.plainText
    }
  }
}
