internal import FoundationEssentials
public import KeyedArchiving
internal import Nibs
@_spi(Archives) public import PropertyLists
internal import Typedstreams

extension Unwrapper {
  /// Returns the value at a path that may lead into property lists and archives in data. Only data on the path, and
  /// data in the value at its end, is opened.
  ///
  /// In an archive, a step of the path is a key of an object. In one of Foundation's collections, it is the index or
  /// key of an element: `items.0.Name`. References are followed. A step can also be a key of the dictionary that
  /// ``document(_:)`` creates for an object: `NS\.objects`, `$uid`.
  ///
  /// - Throws: `KeyedArchiveError.Kind.propertyList(_:)` with `noSuchValue` if there is no such value, with the path to
  ///   the last value on the way, which does not have the next key or index; the errors of ``document(_:)``.
  /// - Complexity: O(*n*) in the size of the data on the path and of the value.
  public mutating func value(
    at path: PropertyListKeyPath, in document: PropertyListDocument
  ) throws(KeyedArchiveError) -> PropertyListDocument.Node {
    var lookup = UnwrappedLookup(document, self)
    defer { self = lookup.unwrapper }
    return try lookup.value(at: path)
  }
}

/// Looks up many values of one document by paths that may lead into property lists and archives in data.
///
/// Data on several paths is opened only once, and large dictionaries that are searched again get an index. So *m* paths
/// take O(*n* + *m*) time instead of O(*n* × *m*).
package struct UnwrappedLookup {
  /// The unwrapper, with its notes about data that could not be opened.
  package private(set) var unwrapper: Unwrapper
  private let document: PropertyListDocument
  private var root: OpenedValue?
  /// The contents of each data value on a path. Nil for data that has no known format or cannot be read.
  private var opened: [NodeID: OpenedValue?] = [:]

  private struct NodeID: Hashable {
    let document: ObjectIdentifier
    let index: Int
  }

  package init(_ document: PropertyListDocument, _ unwrapper: Unwrapper = Unwrapper()) {
    self.document = document
    self.unwrapper = unwrapper
  }

  /// Returns the value at a path; see ``Unwrapper/value(at:in:)``.
  package mutating func value(at path: PropertyListKeyPath) throws(KeyedArchiveError) -> PropertyListDocument.Node {
    unwrapper.begin(document)
    var current = try start()
    for (depth, component) in path.components.enumerated() {
      let way = PropertyListKeyPath(Array(path.components[..<depth]))
      while current.objects == nil, let content = try content(of: current.node, at: way) { current = content }
      do {
        if let objects = current.objects {
          try current.enter(component, objects)
        } else {
          current = OpenedValue(node: try current.node.descendant(at: PropertyListKeyPath([component])))
        }
      } catch {
        var error = error
        if error.kind == .noSuchValue { error.keyPath = way }
        throw KeyedArchiveError(error)
      }
    }
    guard current.objects == nil else { return try translated(current.resolved()) }
    let known = unwrapper.unreadable.count
    let value = try unwrapper.unwrapped(current.node)
    unwrapper.locateUnreadable(from: known, below: path)
    return value
  }

  private mutating func start() throws(KeyedArchiveError) -> OpenedValue {
    if let root { return root }
    var value = OpenedValue(node: document.root)
    if let archive = try? KeyedArchive(document) {
      value = OpenedValue(archiveRoot: try unwrapper.document(archive).root)
    }
    root = value
    return value
  }

  /// Returns the property list or archive that data contains. Returns nil for other values, and for data that has no
  /// known format or cannot be read.
  private mutating func content(
    of node: PropertyListDocument.Node, at path: PropertyListKeyPath
  ) throws(KeyedArchiveError) -> OpenedValue? {
    guard node.kind == .data else { return nil }
    let id = NodeID(document: ObjectIdentifier(node.document), index: node.index)
    if let known = opened[id] { return known }
    var content: OpenedValue?
    switch try unwrapper.open(node.flat, in: node.document, at: path) {
    case .propertyList(let document): content = OpenedValue(node: document.root)
    case .archive(let archive): content = OpenedValue(archiveRoot: try unwrapper.document(archive).root)
    case nil: break
    }
    opened[id] = content
    return content
  }
}

/// The objects of an opened archive, in the form of ``Unwrapper/document(_:)``, with indexes for lookups.
private final class OpenedObjects {
  let root: PropertyListDocument.Node
  /// The objects that have a `$uid`, by this number. Nil until the first lookup.
  var marked: [PropertyList.Integer: PropertyListDocument.Node]?
  /// For each `NSDictionary` that was searched, by its node index, the position of the value for each key.
  var positions: [Int: [String: Int]] = [:]

  init(_ root: PropertyListDocument.Node) { self.root = root }
}

/// A value on a path, in a property list or in an opened archive.
private struct OpenedValue {
  private(set) var node: PropertyListDocument.Node
  /// The objects of the opened archive; nil in a property list.
  let objects: OpenedObjects?

  init(node: PropertyListDocument.Node) {
    self.node = node
    objects = nil
  }

  init(archiveRoot root: PropertyListDocument.Node) {
    node = root
    objects = OpenedObjects(root)
  }

  /// Replaces the value with its child in an opened archive. Throws if the child is not found.
  mutating func enter(_ component: PropertyListKeyPath.Component, _ objects: OpenedObjects) throws(PropertyListError) {
    if let child = try objectChild(component, objects) {
      node = child
    } else {
      node = try node.descendant(at: PropertyListKeyPath([component]))
    }
  }

  /// Returns the object that a reference leads to, or the value itself if it is not a reference.
  func resolved() throws(PropertyListError) -> PropertyListDocument.Node {
    guard let objects, let target = try target(of: node, objects) else { return node }
    return target
  }

  /// Returns a child that is not directly in the dictionary: a child of the object that a `$ref` leads to, a child of
  /// an `$object`, or an element of one of Foundation's collections. Returns nil if not found.
  private func objectChild(
    _ component: PropertyListKeyPath.Component, _ objects: OpenedObjects
  ) throws(PropertyListError) -> PropertyListDocument.Node? {
    guard node.kind == .dictionary else { return nil }
    if try node.value(forKey: component.text) != nil { return nil }
    var object = try target(of: node, objects) ?? node
    if let inner = try object.value(forKey: "$object") { object = inner }
    switch object.kind {
    case .array:
      guard let index = component.arrayIndex(in: object.count), index < object.count else { return nil }
      return try object.child(at: index)
    case .dictionary:
      if let value = try object.value(forKey: component.text) { return value }
      return try element(component, of: object, objects)
    default: return nil
    }
  }

  /// Returns the object that a reference, `{"$ref": 7}`, leads to, or nil if the value is not a reference.
  private func target(
    of node: PropertyListDocument.Node, _ objects: OpenedObjects
  ) throws(PropertyListError) -> PropertyListDocument.Node? {
    guard node.kind == .dictionary, node.count == 1, let uid = try node.value(forKey: "$ref")?.integer
    else { return nil }
    if let marked = objects.marked { return marked[uid] }
    var found: [PropertyList.Integer: PropertyListDocument.Node] = [:]
    var walk = NodeWalk(objects.root)
    while let node = try walk.next() {
      if node.kind == .dictionary, let uid = try node.value(forKey: "$uid")?.integer { found[uid] = node }
    }
    objects.marked = found
    return found[uid]
  }

  /// Returns an element of one of Foundation's collections, by its index or key. Returns nil if not found.
  private func element(
    _ component: PropertyListKeyPath.Component, of object: PropertyListDocument.Node, _ objects: OpenedObjects
  ) throws(PropertyListError) -> PropertyListDocument.Node? {
    guard let name = try object.value(forKey: "$class")?.string, let layout = FoundationLayout(className: name),
      layout.isCollection, let values = try object.value(forKey: "NS.objects"), values.kind == .array
    else { return nil }
    guard layout.form == .dictionary else {
      guard let index = component.arrayIndex(in: values.count), index < values.count else { return nil }
      return try values.child(at: index)
    }
    guard let keys = try object.value(forKey: "NS.keys"), keys.kind == .array else { return nil }
    if objects.positions[object.index] == nil {
      objects.positions[object.index] = try positions(of: keys, count: values.count, objects)
    }
    guard let position = objects.positions[object.index]?[component.text] else { return nil }
    return try values.child(at: position)
  }

  /// Returns the position of each key that is a string or an integer. For a key that occurs twice, this is the first
  /// position.
  private func positions(
    of keys: PropertyListDocument.Node, count: Int, _ objects: OpenedObjects
  ) throws(PropertyListError) -> [String: Int] {
    var positions: [String: Int] = [:]
    for position in 0..<min(keys.count, count) {
      var key = try keys.child(at: position)
      key = try target(of: key, objects) ?? key
      if let inner = try key.value(forKey: "$object") { key = inner }
      guard let text = try key.string ?? key.integer?.description, positions[text] == nil else { continue }
      positions[text] = position
    }
    return positions
  }
}
