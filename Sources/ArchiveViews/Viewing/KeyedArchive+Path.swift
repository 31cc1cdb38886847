internal import KeyedArchiving
internal import Nibs
@_spi(Archives) internal import PropertyLists
internal import Typedstreams

extension KeyedArchive {
  /// What a path leads to from an object, or from the top of the archive: a reference, or a value.
  func node(at path: PropertyListKeyPath, of object: PropertyList.UID?) throws(KeyedArchiveError)
    -> PropertyListDocument.Node
  {
    var node = topNode
    if let object { node = try objects[object].node }
    for (depth, component) in path.components.enumerated() {
      do {
        node = try child(component, of: depth == 0 ? node : resolved(node), isTop: depth == 0 && object == nil)
      } catch {
        var error = error
        if error.path == nil { error.path = PropertyListKeyPath(Array(path.components[..<depth])) }
        throw error
      }
    }
    return node
  }

  /// The object that a reference leads to; another value itself.
  private func resolved(_ node: PropertyListDocument.Node) throws(KeyedArchiveError) -> PropertyListDocument.Node {
    guard let uid = node.uid else { return node }
    let object = try objects[uid].node
    guard object.uid == nil else { throw KeyedArchiveError(.malformed, "an object that is a reference", uid: uid) }
    return object
  }

  private func child(
    _ component: PropertyListKeyPath.Component, of node: PropertyListDocument.Node, isTop: Bool
  ) throws(KeyedArchiveError) -> PropertyListDocument.Node {
    do {
      switch node.kind {
      case .array:
        if let index = component.arrayIndex, index < node.count { return try node.child(at: index) }
      case .dictionary:
        let key = component.text
        if let value = try node.value(forKey: ArchiveKey.escaped(key)) { return value }
        if !isTop, let value = try element(component, of: node) { return value }
        if let value = try node.value(forKey: key) { return value }
      default: break
      }
    } catch {
      throw KeyedArchiveError(error)
    }
    throw KeyedArchiveError(.valueNotFound, "there is nothing under \(component.text.quoted)")
  }

  /// An element of one of Foundation's collections, by its index or its key; nil if there is none.
  private func element(
    _ component: PropertyListKeyPath.Component, of object: PropertyListDocument.Node
  ) throws(PropertyListError) -> PropertyListDocument.Node? {
    guard let classUID = try object.value(forKey: "$class")?.uid, let name = objects[classUID].className,
      let layout = FoundationLayout(className: name), let first = try object.value(forKey: layout.keys[0]),
      first.kind == .array
    else { return nil }
    switch layout.form {
    case .array, .set:
      guard let index = component.arrayIndex, index < first.count else { return nil }
      return try first.child(at: index)
    case .dictionary:
      guard let values = try object.value(forKey: layout.keys[1]), values.kind == .array else { return nil }
      for position in 0..<min(first.count, values.count) {
        guard let uid = try first.child(at: position).uid, let key = try? objects[uid].node else { continue }
        if try key.string == component.text || key.integer?.description == component.text {
          return try values.child(at: position)
        }
      }
      return nil
    case .string, .data, .date, .uuid, .url: return nil
    }
  }
}
