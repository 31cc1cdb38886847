import PropertyLists

/// The path of a value in the syntax of a command.
struct BuddyEntry {
  /// The path as messages show it.
  let text: String
  /// True if the path begins at the root; false if it begins in the working container.
  let isAbsolute: Bool
  /// The keys and indices, without empty components.
  let names: [String]
  /// True if the path ends with a colon. In an array, the colon means the end or the last element, depending on the
  /// command. In a dictionary, it means the empty key if the command adds or removes a value, and is ignored by other
  /// commands.
  let endsWithColon: Bool

  init(_ word: BuddyWord) {
    let parts = word.parts
    let isSeparated = parts.count > 1
    isAbsolute = isSeparated && parts[0].isNothing
    endsWithColon = isSeparated && parts[parts.count - 1].isNothing
    names = parts.filter { !$0.isNothing }.map(\.text)
    text =
      parts.map { part in
        part.text.split(separator: ":", omittingEmptySubsequences: false).joined(separator: "\\:")
      }.joined(separator: ":").printable()
  }

  /// The keys and indices that lead to a value that a command adds or removes. The last one is empty if the path ends
  /// with a colon.
  var steps: [String] { endsWithColon ? names + [""] : names }
}

extension BuddyWord.Part {
  /// True if the part is empty and has no quotation marks. A part of two quotation marks is an empty key instead.
  fileprivate var isNothing: Bool { text.isEmpty && !isQuoted }
}

/// A value that a command finds, and its path.
struct BuddyTarget {
  let path: PropertyListKeyPath
  private let content: Content

  /// The value: a node of the document, or a node of the tree that contains the changes of earlier commands.
  private enum Content {
    case node(PropertyListDocument.Node)
    case tree(BuddyTree)
  }

  init(_ path: PropertyListKeyPath, _ node: PropertyListDocument.Node) {
    self.path = path
    content = .node(node)
  }

  init(_ path: PropertyListKeyPath, _ tree: BuddyTree) {
    self.path = path
    content = .tree(tree)
  }

  var kind: PropertyList.Kind {
    switch content {
    case .node(let node): node.kind
    case .tree(let tree): tree.kind
    }
  }

  /// The number of elements of an array, or of entries of a dictionary; 0 for every other kind.
  var count: Int {
    switch content {
    case .node(let node): node.count
    case .tree(let tree): tree.count
    }
  }

  var value: PropertyList {
    get throws(PropertyListError) {
      switch content {
      case .node(let node): try PropertyList(node)
      case .tree(let tree): tree.value
      }
    }
  }

  /// Returns the child with a key or index; nil if it does not exist.
  func child(_ name: String) throws(PropertyListError) -> BuddyTarget? {
    switch kind {
    case .dictionary:
      let path = path.appending(.key(name))
      return switch content {
      case .node(let node): try node.value(forKey: name).map { BuddyTarget(path, $0) }
      case .tree(let tree): tree.child(.key(name)).map { BuddyTarget(path, $0) }
      }
    case .array:
      guard let index = PropertyListKeyPath.Component(name).arrayIndex, index < count else { return nil }
      let path = path.appending(.index(index))
      return switch content {
      case .node(let node): BuddyTarget(path, try node.child(at: index))
      case .tree(let tree): tree.child(.index(index)).map { BuddyTarget(path, $0) }
      }
    default: return nil
    }
  }

  /// Returns the last element of an array; nil for an empty array and for other values.
  func lastElement() throws(PropertyListError) -> BuddyTarget? {
    guard kind == .array, count > 0 else { return nil }
    return try child(String(count - 1))
  }

  /// Returns the value that keys and indices lead to from this value; nil if it does not exist.
  func descendant(_ names: some Sequence<String>) throws(PropertyListError) -> BuddyTarget? {
    var target = self
    for name in names {
      guard let child = try target.child(name) else { return nil }
      target = child
    }
    return target
  }
}
