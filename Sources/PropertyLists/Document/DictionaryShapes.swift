/// A list of keys, in order, that one or more dictionaries have, with a fast lookup.
package final class DictionaryShape {
  /// The keys, in the order of the file.
  package let keys: [String]
  /// The positions of the keys. Empty if there are only a few keys, which are compared one by one.
  private let positions: [String: Int]
  /// Element *n* is the position of the key that was last found after *n* other keys of the same dictionary. Similar
  /// dictionaries are usually searched for their keys in the same order. So the lookup after *n* other keys compares
  /// the key at this position first. Memory-safe: no code outside this package runs while the array is read or changed.
  @exclusivity(unchecked) private var guesses: [Int] = []

  /// The position of the key `$class`, which every object of a keyed archive has, or nil if it is missing.
  package let classPosition: Int?

  fileprivate init(_ keys: [String], _ positions: [String: Int]) {
    self.keys = keys
    self.positions = positions
    classPosition = keys.firstIndex(of: "$class")
  }

  /// Creates a shape without keys.
  package convenience init() { self.init([], [:]) }

  fileprivate static let mostComparedKeys = 12

  /// Returns the position of a key, or nil if it is missing. `found` is the number of keys that were already found in
  /// this dictionary. It is used only to guess the position.
  @inline(__always)
  package func position(of key: String, found: Int) -> Int? {
    if unsafe found < guesses.count, unsafe keys[guesses[found]] == key { return unsafe guesses[found] }
    return search(key, found: found)
  }

  @inline(never)
  private func search(_ key: String, found: Int) -> Int? {
    guard let position = positions.isEmpty ? keys.firstIndex(of: key) : positions[key] else { return nil }
    if unsafe found < guesses.count {
      unsafe guesses[found] = position
    } else if unsafe found == guesses.count {
      unsafe guesses.append(position)
    }
    return position
  }
}

/// A cache of the ``DictionaryShape`` of recent dictionaries of a document.
package struct DictionaryShapes {
  private var cache = DictionaryCache<DictionaryShape>()
  private let empty = DictionaryShape()
  /// The number of keys that were read, plus their bytes. It is limited, because the keys of a small file can overlap,
  /// and then have any total size.
  private var keySize = 0

  package init() {}

  /// Returns the shape of a dictionary. `limit` is the number of keys plus their bytes that may be read for all
  /// dictionaries.
  ///
  /// - Throws: ``PropertyListError/Kind/duplicateKey``, ``PropertyListError/Kind/limitExceeded``, and the error of a
  ///   key.
  mutating func shape(
    of node: FlatNode, _ source: some NodeSource, in bytes: RawSpan, limit: Int
  ) throws(PropertyListError) -> DictionaryShape {
    guard node.count > 0 else { return empty }
    if let known = try cache.find(node, source, in: bytes) { return known }
    // No capacity is reserved, because the count in the file may be wrong and large.
    var keys: [String] = []
    var positions: [String: Int] = [:]
    for entry in 0..<node.count {
      let keyNode = try source.key(entry, of: node, in: bytes)
      keySize += 1 + keyNode.length
      guard keySize <= limit else { throw ParsingLimits.expandsTooFar(limit: limit) }
      let key = try NodeContent.string(keyNode, in: bytes)
      let former: String?
      if node.count > DictionaryShape.mostComparedKeys {
        former = positions.updateValue(entry, forKey: key).map { keys[$0] }
      } else {
        former = keys.first { $0 == key }
      }
      if let former { throw .duplicateKey(key, former) }
      keys.append(key)
    }
    let shape = DictionaryShape(keys, positions)
    try cache.store(shape, of: node, source, in: bytes)
    return shape
  }
}
