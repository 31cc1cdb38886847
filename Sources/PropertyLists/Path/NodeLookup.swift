/// Looks up values by their paths, many in one document.
///
/// A dictionary is searched from its first key on when it is asked for one. Of a dictionary that is asked again and
/// again, the keys are kept, so that *m* paths take O(*n* + *m*) and not O(*n* × *m*).
package struct NodeLookup {
  private var dictionaries: [Int: Keys] = [:]

  private struct Keys {
    var lookupCount = 0
    /// The first entry of each key, by its bytes; nil while they are not kept.
    var entries: [[UInt8]: Int]?
  }

  /// From this many lookups on, and this many entries, the keys of a dictionary are kept.
  private static let (keptLookups, keptCount) = (8, 32)

  package init() {}

  /// Returns the node that a path leads to from `node`, and throws as ``PropertyListDocument/Node/descendant(at:)``
  /// does. All nodes are of one document.
  package mutating func descendant(
    of node: PropertyListDocument.Node, at path: PropertyListKeyPath
  ) throws(PropertyListError) -> PropertyListDocument.Node {
    try node.descendant(at: path) { (dictionary, key) throws(PropertyListError) in
      try value(of: dictionary, forKey: key)
    }
  }

  /// Returns the value of a dictionary for a key, as ``PropertyListDocument/Node/value(forKey:)`` does.
  package mutating func value(
    of node: PropertyListDocument.Node, forKey key: String
  ) throws(PropertyListError) -> PropertyListDocument.Node? {
    guard node.count >= Self.keptCount else { return try node.value(forKey: key) }
    dictionaries[node.index, default: Keys()].lookupCount += 1
    guard let known = dictionaries[node.index] else { return nil }
    if let entries = known.entries { return try entries[Array(key.utf8)].map(node.value(ofEntry:)) }
    // A key that cannot be read is an error only on the way to another one.
    guard known.lookupCount == Self.keptLookups, let entries = try? node.firstEntries() else {
      return try node.value(forKey: key)
    }
    dictionaries[node.index]?.entries = entries
    return try entries[Array(key.utf8)].map(node.value(ofEntry:))
  }
}

extension PropertyListDocument.Node {
  /// Returns the first entry of each key, by its bytes in UTF-8.
  fileprivate func firstEntries() throws(PropertyListError) -> [[UInt8]: Int] {
    var entries: [[UInt8]: Int] = [:]
    entries.reserveCapacity(flat.count)
    for position in 0..<flat.count {
      var key: [UInt8] = []
      try NodeContent.appendText(document.keyNode(ofEntry: position, of: flat), in: document.bytes, to: &key)
      if entries[key] == nil { entries[key] = position }
    }
    return entries
  }
}
