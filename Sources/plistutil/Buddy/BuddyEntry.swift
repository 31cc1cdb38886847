import PropertyLists

/// The way to a value as a command spells it.
struct BuddyEntry {
  /// As messages show it.
  let text: String
  /// Whether it begins at the root, and not in the working container.
  let isAbsolute: Bool
  /// The keys and indices, without the empty ones that stand for nothing.
  let names: [String]
  /// Whether it ends with a colon. That leads into a container: to the place behind the elements of an array or to the
  /// last of them, and to the empty key of a dictionary.
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

  /// The way that a new value, or one to take out, has: to its container, and then one step.
  var steps: [String] { endsWithColon ? names + [""] : names }
}

extension BuddyWord.Part {
  /// Whether there is nothing between two colons. The empty key is between quotation marks.
  fileprivate var isNothing: Bool { text.isEmpty && !isQuoted }
}

/// A value and the way to it.
struct BuddyPlace {
  let path: PropertyListKeyPath
  let node: PropertyListDocument.Node

  init(_ path: PropertyListKeyPath, _ node: PropertyListDocument.Node) {
    self.path = path
    self.node = node
  }

  /// The child by its key or index; nil if there is none.
  func child(_ name: String) throws(PropertyListError) -> BuddyPlace? {
    switch node.kind {
    case .dictionary:
      return try node.value(forKey: name).map { BuddyPlace(path.appending(.key(name)), $0) }
    case .array:
      guard let index = PropertyListKeyPath.Component(name).arrayIndex, index < node.count else { return nil }
      return BuddyPlace(path.appending(.index(index)), try node.child(at: index))
    default: return nil
    }
  }

  /// The last element of an array; nil for an empty one and for what is none.
  func lastElement() throws(PropertyListError) -> BuddyPlace? {
    guard node.kind == .array, node.count > 0 else { return nil }
    return try child(String(node.count - 1))
  }

  /// The value that the names lead to from here; nil if there is none.
  func descendant(_ names: some Sequence<String>) throws(PropertyListError) -> BuddyPlace? {
    var place = self
    for name in names {
      guard let child = try place.child(name) else { return nil }
      place = child
    }
    return place
  }
}
