/// The keys of dictionaries that have the same keys in the same order, and how they are looked up.
package final class DictionaryShape {
  /// In the order of the file.
  package let keys: [String]
  /// Only for many keys; few are compared one by one.
  private let positions: [String: Int]
  /// Where the first, the second, … key was found: like dictionaries are asked for their keys in the same order.
  /// Sound: nobody else's code runs while they are looked at or changed.
  @exclusivity(unchecked) private var guesses: [Int] = []

  /// Where the key `$class` is, which every object of a keyed archive has.
  package let classPosition: Int?

  fileprivate init(_ keys: [String], _ positions: [String: Int]) {
    self.keys = keys
    self.positions = positions
    classPosition = keys.firstIndex(of: "$class")
  }

  /// No keys.
  package convenience init() { self.init([], [:]) }

  fileprivate static let mostComparedKeys = 12

  /// The position of a key; nil if there is none. `found` keys of the same dictionary were looked up before.
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

/// The shapes that dictionaries of a document have had lately.
package struct DictionaryShapes {
  private var cache = DictionaryCache<DictionaryShape>()
  private let empty = DictionaryShape()
  /// How many keys were read, and bytes of them: keys of a small file can overlap, and be of any amount.
  private var keySize = 0

  package init() {}

  /// The shape of a dictionary. `limit` is how many keys and bytes of them may be read for all dictionaries.
  /// - Throws: ``PropertyListError/Kind/duplicateKey``, ``PropertyListError/Kind/limitExceeded``, what is wrong with a
  /// key.
  mutating func shape(
    of node: FlatNode, _ source: some NodeSource, in bytes: RawSpan, limit: Int
  ) throws(PropertyListError) -> DictionaryShape {
    guard node.count > 0 else { return empty }
    if let known = try cache.find(node, source, in: bytes) { return known }
    // As many as are found in the file; the count alone may promise any number.
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
