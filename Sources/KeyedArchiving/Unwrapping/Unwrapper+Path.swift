internal import FoundationEssentials
@_spi(Archives) public import PropertyLists

extension Unwrapper {
  /// The value at a path that goes on inside of data that can be opened. Only data on the way and at its end is opened.
  ///
  /// In an archive a path goes through objects by their keys, and through Foundation's collections by the indices and
  /// keys of their elements: `items.0.Name`. References are followed. The keys of the form of ``document(_:)`` are keys
  /// as well: `NS\.objects`, `$uid`.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/propertyList(_:)`` with `noSuchValue` and the path up to the value that has no
  ///   such key or index; as ``document(_:)``.
  /// - Complexity: O(*n*) in the data on the way and in the value.
  public mutating func value(
    at path: PropertyListKeyPath, in document: PropertyListDocument
  ) throws(KeyedArchiveError) -> PropertyListDocument.Node {
    begin(document)
    var place = OpenedPlace(node: document.root)
    if let archive = try? KeyedArchive(document) { place = OpenedPlace(archiveRoot: try self.document(archive).root) }
    for (depth, component) in path.components.enumerated() {
      let way = PropertyListKeyPath(Array(path.components[..<depth]))
      while place.objects == nil, let content = try open(place.node.flat, in: place.node.document, at: way) {
        place = try self.place(of: content)
      }
      do throws(PropertyListError) {
        try place.enter(component)
      } catch {
        var error = error
        if error.kind == .noSuchValue { error.keyPath = way }
        throw KeyedArchiveError(error)
      }
    }
    if place.objects == nil {
      let known = unreadable.count
      let value = try unwrapped(place.node)
      for index in known..<unreadable.count {
        let way = PropertyListKeyPath(path.components + unreadable[index].path.components)
        unreadable[index] = Unreadable(path: way, error: unreadable[index].error)
      }
      return value
    }
    return try translated(place.resolved())
  }

  private mutating func place(of content: NestedContent) throws(KeyedArchiveError) -> OpenedPlace {
    switch content {
    case .propertyList(let document): OpenedPlace(node: document.root)
    case .archive(let archive): OpenedPlace(archiveRoot: try document(archive).root)
    }
  }
}

/// A value on a path, in a property list or in what an archive became.
private struct OpenedPlace {
  private(set) var node: PropertyListDocument.Node
  /// The top of the archive; nil in a property list.
  private(set) var objects: PropertyListDocument.Node?
  /// The objects that have a `$uid`; nil until one is asked for.
  private var marked: [PropertyList.Integer: PropertyListDocument.Node]?

  init(node: PropertyListDocument.Node) { self.node = node }

  init(archiveRoot root: PropertyListDocument.Node) {
    node = root
    objects = root
  }

  /// Goes on to a child.
  mutating func enter(_ component: PropertyListKeyPath.Component) throws(PropertyListError) {
    if objects != nil, let child = try objectChild(component) {
      node = child
    } else {
      node = try node.descendant(at: PropertyListKeyPath([component]))
    }
  }

  /// The value itself, in the place of a reference.
  func resolved() throws(PropertyListError) -> PropertyListDocument.Node {
    var copy = self
    return try copy.target(of: node) ?? node
  }

  /// A value that a path reaches, but not by a key of the dictionary that is there; nil for others.
  private mutating func objectChild(
    _ component: PropertyListKeyPath.Component
  ) throws(PropertyListError) -> PropertyListDocument.Node? {
    guard node.kind == .dictionary else { return nil }
    if try node.value(forKey: component.text) != nil { return nil }
    var object = try target(of: node) ?? node
    if let inner = try object.value(forKey: "$object") { object = inner }
    switch object.kind {
    case .array:
      guard let index = component.arrayIndex(in: object.count), index < object.count else { return nil }
      return try object.child(at: index)
    case .dictionary:
      if let value = try object.value(forKey: component.text) { return value }
      return try element(component, of: object)
    default: return nil
    }
  }

  /// The object that a reference leads to; nil for what is none.
  private mutating func target(
    of node: PropertyListDocument.Node
  ) throws(PropertyListError) -> PropertyListDocument.Node? {
    guard let root = objects, node.kind == .dictionary, node.count == 1,
      let uid = try node.value(forKey: "$ref")?.integer
    else { return nil }
    if let marked { return marked[uid] }
    var found: [PropertyList.Integer: PropertyListDocument.Node] = [:]
    var walk = NodeWalk(root)
    while let node = try walk.next() {
      if node.kind == .dictionary, let uid = try node.value(forKey: "$uid")?.integer { found[uid] = node }
    }
    marked = found
    return found[uid]
  }

  /// An element of one of Foundation's collections.
  private mutating func element(
    _ component: PropertyListKeyPath.Component, of object: PropertyListDocument.Node
  ) throws(PropertyListError) -> PropertyListDocument.Node? {
    guard let name = try object.value(forKey: "$class")?.string, let layout = FoundationLayout(className: name),
      layout.isCollection, let values = try object.value(forKey: "NS.objects"), values.kind == .array
    else { return nil }
    guard layout.form == .dictionary else {
      guard let index = component.arrayIndex(in: values.count), index < values.count else { return nil }
      return try values.child(at: index)
    }
    guard let keys = try object.value(forKey: "NS.keys"), keys.kind == .array else { return nil }
    for position in 0..<min(keys.count, values.count) {
      var key = try keys.child(at: position)
      key = try target(of: key) ?? key
      if let inner = try key.value(forKey: "$object") { key = inner }
      if try key.string == component.text || key.integer?.description == component.text {
        return try values.child(at: position)
      }
    }
    return nil
  }
}
