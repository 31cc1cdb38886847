internal import FoundationEssentials
internal import KeyedArchiving
internal import Nibs
@_spi(Archives) internal import PropertyLists
internal import Typedstreams

/// Writes objects of Foundation's classes as values.
extension ArchiveTreeWriter {
  /// Writes an object of a Foundation class, such as a string or an array, as its value. Returns false, without
  /// writing, for objects of other classes and for objects that do not have the keys of their class.
  mutating func writeNaturally(_ node: FlatNode, _ name: String, classPosition: Int) throws(KeyedArchiveError) -> Bool {
    guard node.count <= 3, let layout = FoundationLayout(className: name) else { return false }
    var fields: [String: (position: Int, value: FlatNode)] = [:]
    do {
      for entry in 0..<node.count where entry != classPosition {
        let value = try reader.value(ofEntry: entry, of: node)
        fields[try reader.key(ofEntry: entry, of: node)] = (entry, value)
      }
    } catch {
      try reader.tolerate(error)
      return false
    }
    guard fields.count == node.count - 1, fields.count == layout.keys.count, let first = fields[layout.keys[0]] else {
      return false
    }
    let value = first.value
    let prefix = layout.isTold ? "" : name + " "
    switch layout.form {
    case .array, .set:
      guard value.kind == .array else { return false }
      write(prefix)
      try begin(.elements, value, "[", "]", inlineDepth: 1)
    case .dictionary:
      guard let values = fields[layout.keys[1]]?.value, value.kind == .array, values.kind == .array,
        value.count == values.count
      else { return false }
      write(prefix)
      try begin(.pairs(values: values, isValueDue: false), value, "{", "}", inlineDepth: 1)
    case .string, .data:
      guard value.kind == (layout.form == .string ? .string : .data) else { return false }
      write(prefix)
      try write(scalar: value)
    case .date:
      guard value.kind == .real else { return false }
      write(FlatNode.date(value.real).plainText)
    case .uuid:
      guard value.kind == .data else { return false }
      let bytes = try reader.data(of: value)
      guard bytes.count == 16 else { return false }
      write(prefix + UUID(bytes.bytes).uuidString)
    case .url:
      guard let base = fields[layout.keys[1]]?.value, let text = try text(ofURL: value) else { return false }
      write(prefix + text.quotedInFull)
      if try isNothing(base) { return true }
      beginFields(of: node, without: [classPosition, first.position])
    }
    return true
  }

  private mutating func isNothing(_ reference: FlatNode) throws(KeyedArchiveError) -> Bool {
    guard reference.kind == .uid, reference.uid < reader.objects.count else { return false }
    do { return archive.document.isNullObject(try reader.object(reference.uid)) } catch {
      try reader.tolerate(error)
      return false
    }
  }

  /// Returns the text of a URL, or nil if the text is shown as a separate object.
  private mutating func text(ofURL node: FlatNode) throws(KeyedArchiveError) -> String? {
    do {
      guard node.kind == .uid else { return node.kind == .string ? try reader.text(of: node) : nil }
      let object = try reader.object(node.uid)
      guard object.kind == .string, !archive.document.isNullObject(object),
        RenderedObjects.isShort(object) || !objects.isShared(node.uid)
      else { return nil }
      let text = try reader.text(of: object)
      objects.meet(node.uid)
      return text
    } catch {
      try reader.tolerate(error)
      return nil
    }
  }
}
