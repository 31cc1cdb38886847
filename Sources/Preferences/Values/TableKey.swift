internal import OrderedCollections
internal import PropertyLists

/// The key of a value in a ``DomainTable``. Two keys are equal if their bytes are equal. Hashing a key takes a third of
/// the time of hashing a string.
///
/// Swift treats strings as equal if they are canonically equivalent in Unicode. A file can contain two equivalent
/// strings, and each is a separate key.
struct TableKey: Hashable, Sendable {
  let name: String
  /// The hash of the name. It is stored so that a read hashes the key only once for all tables, and so that most
  /// comparisons of different keys compare only hashes. The lowest bit is set if all characters are ASCII.
  let hash: UInt64

  init(_ name: String) {
    let (hash, isASCII) = ByteHash.hash(name)
    self.init(name, hash: hash & ~1 | (isASCII ? 1 : 0))
  }

  /// - Parameter hash: the ``hash`` of another key with the same name.
  init(_ name: String, hash: UInt64) {
    self.name = name
    self.hash = hash
  }

  var isASCII: Bool { hash & 1 != 0 }

  static func == (lhs: TableKey, rhs: TableKey) -> Bool {
    guard lhs.hash == rhs.hash else { return false }
    // Nearly all keys are ASCII. ASCII strings are equal if their bytes are, and compare faster.
    return lhs.isASCII ? lhs.name == rhs.name : lhs.name.utf8.elementsEqual(rhs.name.utf8)
  }

  func hash(into hasher: inout Hasher) { hasher.combine(hash) }

  // Called by dictionaries. With the default implementation, which uses `hash(into:)`, a lookup takes 21 ns instead of
  // 4, and a read searches several tables. Each dictionary has its own seed, so that filling one in the order of
  // another does not cause clusters.
  func _rawHashValue(seed: Int) -> Int {
    // The constant of Steele, Lea and Flood spreads the seed over all bits.
    let mixed = hash ^ UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed ^ mixed >> 32)
  }
}

/// Keys are ordered by their bytes.
extension TableKey: Comparable {
  static func < (lhs: TableKey, rhs: TableKey) -> Bool { lhs.name.utf8.lexicographicallyPrecedes(rhs.name.utf8) }
}

/// Conversions to dictionaries with string keys. Such a dictionary can contain only one of several canonically
/// equivalent keys. It contains the shortest key; among keys of the same length, the key whose bytes come first.
extension Collection<TableKey> {
  /// The keys that a dictionary with string keys cannot contain. The value is the equivalent key that the dictionary
  /// contains instead.
  ///
  /// - Complexity: O(*n*) in the number of keys.
  var hiddenSpellings: [TableKey: TableKey] {
    // ASCII keys are only equivalent to keys that are not ASCII.
    guard contains(where: { !$0.isASCII }) else { return [:] }
    var groups: [String: [TableKey]] = [:]
    for key in self { groups[key.name, default: []].append(key) }
    var hidden: [TableKey: TableKey] = [:]
    for keys in groups.values where keys.count > 1 {
      let shown = keys.min { ($0.name.utf8.count, $0) < ($1.name.utf8.count, $1) }
      for key in keys where key != shown { hidden[key] = shown }
    }
    return hidden
  }
}

extension OrderedDictionary<TableKey, PropertyList> {
  /// The entries with string keys. Only one of several canonically equivalent keys is included.
  var byName: OrderedDictionary<String, PropertyList> {
    let hidden = keys.hiddenSpellings
    return OrderedDictionary<String, PropertyList>(
      uniqueKeysWithValues: lazy.filter { hidden[$0.key] == nil }.map { ($0.key.name, $0.value) })
  }
}

extension [TableKey: PropertyList] {
  /// The values with string keys. Only one of several canonically equivalent keys is included.
  var byName: [String: PropertyList] {
    let hidden = keys.hiddenSpellings
    return [String: PropertyList](
      uniqueKeysWithValues: lazy.filter { hidden[$0.key] == nil }.map { ($0.key.name, $0.value) })
  }
}
