internal import Synchronization

/// Indexes of the keys of a document's wide dictionaries.
///
/// A lookup normally compares the keys from the first one. A wide dictionary that is searched repeatedly gets an index,
/// so that *m* lookups take O(*n* + *m*) instead of O(*n* × *m*).
struct KeyIndexes {
  /// The minimum number of entries of a dictionary that gets an index.
  static let leastEntryCount = 32
  /// The number of lookups after which a dictionary gets an index: the lookup with this number, counted from 1, creates
  /// it.
  private static let leastLookupCount = 8

  private var dictionaries: [Int: State] = [:]

  private enum State {
    case searched(count: Int)
    case indexed([UInt64: Int])
  }

  /// The way to look up a key.
  enum Lookup {
    /// Compare all keys.
    case search
    /// Create the index, and store it.
    case makeIndex
    /// Use this index: the positions of the entries, by the hashes of their keys.
    case index([UInt64: Int])
  }

  /// Returns the way to look up a key of a dictionary, and counts the lookup.
  mutating func lookup(inDictionary index: Int) -> Lookup {
    switch dictionaries[index, default: .searched(count: 0)] {
    case .indexed(let positions): return .index(positions)
    case .searched(let count):
      dictionaries[index] = .searched(count: count + 1)
      return count + 1 == Self.leastLookupCount ? .makeIndex : .search
    }
  }

  mutating func store(_ positions: [UInt64: Int], ofDictionary index: Int) { dictionaries[index] = .indexed(positions) }
}

extension PropertyListDocument.Node {
  /// Returns the value for a key of a dictionary, or nil if the key is missing.
  ///
  /// - Throws: See ``value(forKey:)``.
  func valueOfDictionary(forKey key: [UInt8]) throws(PropertyListError) -> PropertyListDocument.Node? {
    guard flat.count >= KeyIndexes.leastEntryCount else { return try search(forKey: key) }
    switch document.keyIndexes.withLock({ $0.lookup(inDictionary: index) }) {
    case .search: return try search(forKey: key)
    case .makeIndex:
      // A key that cannot be read is an error only if it precedes the key that is searched for.
      guard let positions = try? keyPositions() else { return try search(forKey: key) }
      document.keyIndexes.withLock { $0.store(positions, ofDictionary: index) }
      return try find(key, positions)
    case .index(let positions): return try find(key, positions)
    }
  }

  private func find(
    _ key: [UInt8], _ positions: [UInt64: Int]
  ) throws(PropertyListError) -> PropertyListDocument.Node? {
    guard let position = positions[Self.hash(key)] else { return nil }
    var decoded: [UInt8] = []
    try appendKey(ofEntry: position, to: &decoded)
    // Two keys may have the same hash.
    return decoded == key ? try value(ofEntry: position) : try search(forKey: key)
  }

  /// Returns the first position of each key, by its hash. Returns nil if the keys together are longer than the file,
  /// because they share bytes. Reading all of them could take too long.
  private func keyPositions() throws(PropertyListError) -> [UInt64: Int]? {
    var length = 0
    for position in 0..<flat.count { length += try document.keyNode(ofEntry: position, of: flat).length }
    if length > document.bytes.byteCount { return nil }
    var positions: [UInt64: Int] = [:]
    positions.reserveCapacity(flat.count)
    var key: [UInt8] = []
    for position in 0..<flat.count {
      key.removeAll(keepingCapacity: true)
      try appendKey(ofEntry: position, to: &key)
      let hash = Self.hash(key)
      if positions[hash] == nil { positions[hash] = position }
    }
    return positions
  }

  private func appendKey(ofEntry position: Int, to key: inout [UInt8]) throws(PropertyListError) {
    try NodeContent.appendText(document.keyNode(ofEntry: position, of: flat), in: document.bytes, to: &key)
  }

  private static func hash(_ key: [UInt8]) -> UInt64 {
    ByteHash.hash(key.rawBytes, from: 0, count: key.count, seed: ByteHash.seed)
  }

  private func search(forKey key: [UInt8]) throws(PropertyListError) -> PropertyListDocument.Node? {
    let bytes = document.bytes
    var decoded: [UInt8] = []
    for position in 0..<flat.count {
      let node = try document.keyNode(ofEntry: position, of: flat)
      let isEqual: Bool
      if node.encoding == .ascii || node.encoding == .verbatim {
        isEqual = node.length == key.count && bytes.extracting(node.range).hasSameBytes(as: key.rawBytes)
      } else {
        decoded.removeAll(keepingCapacity: true)
        try NodeContent.appendText(node, in: bytes, to: &decoded)
        isEqual = decoded == key
      }
      if isEqual, node.encoding == .ascii, !key.rawBytes.isASCII { throw NodeContent.notASCII(node, in: bytes) }
      if isEqual { return try value(ofEntry: position) }
    }
    return nil
  }
}
