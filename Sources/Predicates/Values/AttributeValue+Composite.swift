package import FoundationEssentials
package import KeyedArchiving
internal import OrderedCollections

/// The values of composite attributes in files that have one value for an attribute: the bytes of a keyed archive of a
/// dictionary, as Core Data has such a value in memory.
extension AttributeValue {
  /// The greatest depth of nested composite values, as in models.
  private static let greatestDepth = 16

  /// The value of a composite attribute that an archive of a dictionary has; nil for other bytes.
  package init?(archivedComposite data: Data) {
    guard let coder = try? KeyedUnarchiver(forReadingFrom: data),
      let value = try? coder.decode(ArchivedValue.self, forKey: KeyedArchiver.rootObjectKey)
    else { return nil }
    // Each leaf takes a byte at least, unless objects of the archive are there several times.
    self.init(composite: value, count: data.count)
  }

  /// The value of a composite attribute from a dictionary: null for an empty one. Nil for other values, and
  /// for more leaves than `count`.
  package init?(composite value: ArchivedValue, count: Int = 10_000) {
    var rest = count
    self.init(composite: value, &rest, depth: 0)
  }

  private init?(composite value: ArchivedValue, _ rest: inout Int, depth: Int) {
    guard case .dictionary(let entries) = value, depth < Self.greatestDepth else { return nil }
    var leaves: [String: AttributeValue] = [:]
    for (key, value) in entries {
      rest -= 1
      guard rest >= 0, case .string(let name) = key,
        let leaf = AttributeValue(value) ?? AttributeValue(composite: value, &rest, depth: depth + 1)
      else { return nil }
      leaves[name] = leaf
    }
    self = leaves.isEmpty ? .null : .composite(leaves)
  }

  /// The leaf of a composite value that names lead to; the value itself without names, and null where no leaf is.
  package func leaf(at path: ArraySlice<String>) -> AttributeValue {
    guard let name = path.first else { return self }
    guard case .composite(let leaves) = self, let leaf = leaves[name] else { return .null }
    return leaf.leaf(at: path.dropFirst())
  }

  /// The leaves of a composite value in the order of their names; nil for other values.
  package var leavesInOrder: [(name: String, value: AttributeValue)]? {
    guard case .composite(let leaves) = self else { return nil }
    return leaves.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { (name: $0.key, value: $0.value) }
  }
}
