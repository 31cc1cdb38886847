internal import OrderedCollections
internal import PropertyLists

/// The key of a value in a table: a string that is equal to another if their bytes are, hashed in a third of the time
/// that a string takes.
///
/// To strings, spellings are equal that Unicode holds equivalent. A file can have two of them, and each is a key of its
/// own.
struct TableKey: Hashable, Sendable {
  let name: String
  /// Kept, so that a read hashes once for all tables that it looks in, and other keys are told by it. The lowest bit is
  /// set if all characters are ASCII.
  let hash: UInt64

  init(_ name: String) {
    let (hash, isASCII) = ByteHash.hash(name)
    self.init(name, hash: hash & ~1 | (isASCII ? 1 : 0))
  }

  /// - Parameter hash: the ``hash`` of another key of this name.
  init(_ name: String, hash: UInt64) {
    self.name = name
    self.hash = hash
  }

  var isASCII: Bool { hash & 1 != 0 }

  static func == (lhs: TableKey, rhs: TableKey) -> Bool {
    guard lhs.hash == rhs.hash else { return false }
    // Nearly all keys are ASCII, whose strings are equal when their bytes are, and are compared faster.
    return lhs.isASCII ? lhs.name == rhs.name : lhs.name.utf8.elementsEqual(rhs.name.utf8)
  }

  func hash(into hasher: inout Hasher) { hasher.combine(hash) }

  // Dictionaries ask for this. Made of `hash(into:)`, a look takes 21 ns instead of 4, and a read looks into several
  // tables. Each has a seed of its own, so that one that is filled in the order of another is not filled from one end.
  func _rawHashValue(seed: Int) -> Int {
    // Steele, Lea and Flood's constant spreads the seed over all bits.
    let mixed = hash ^ UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed ^ mixed >> 32)
  }
}

/// In the order of the bytes.
extension TableKey: Comparable {
  static func < (lhs: TableKey, rhs: TableKey) -> Bool { lhs.name.utf8.lexicographicallyPrecedes(rhs.name.utf8) }
}

/// Dictionaries of strings, which have room for one of two spellings of a key: the shortest stands for all, and of
/// several such the one whose bytes come first.
extension Collection<TableKey> {
  /// The spellings that others stand for, with the one that does.
  ///
  /// - Complexity: O(*n*) in the number of keys.
  var hiddenSpellings: [TableKey: TableKey] {
    // Nothing is equivalent to ASCII but what isn't.
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
  /// The entries by strings: of two spellings of a key one.
  var byName: OrderedDictionary<String, PropertyList> {
    let hidden = keys.hiddenSpellings
    return OrderedDictionary<String, PropertyList>(
      uniqueKeysWithValues: lazy.filter { hidden[$0.key] == nil }.map { ($0.key.name, $0.value) })
  }
}

extension [TableKey: PropertyList] {
  /// The values by strings: of two spellings of a key one.
  var byName: [String: PropertyList] {
    let hidden = keys.hiddenSpellings
    return [String: PropertyList](
      uniqueKeysWithValues: lazy.filter { hidden[$0.key] == nil }.map { ($0.key.name, $0.value) })
  }
}
