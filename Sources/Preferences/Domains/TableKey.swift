internal import PropertyLists

/// The key of a value in a table: a string that is equal to those that strings are equal to, and hashed in a third of the
/// time.
///
/// Nearly all keys are ASCII, whose bytes say all. Strings hash the form that they are normalized to, with a function that takes
/// longer than all the rest of a read.
struct TableKey: Hashable {
  let name: String
  /// Kept, so that a read hashes once for all tables that it looks in, and other keys are told by it.
  private let hash: UInt64

  init(_ name: String) {
    self.name = name
    hash = ByteHash.hash(ascii: name) ?? Self.hashOfEqualASCII(name) ?? UInt64(bitPattern: Int64(name.hashValue))
  }

  static func == (lhs: TableKey, rhs: TableKey) -> Bool { lhs.hash == rhs.hash && lhs.name == rhs.name }

  func hash(into hasher: inout Hasher) { hasher.combine(hash) }

  // Dictionaries ask for this, and would otherwise make it of `hash(into:)` in the time that is to be saved. Each has a seed of its
  // own, so that one that is filled in the order of another is not filled from one end.
  func _rawHashValue(seed: Int) -> Int {
    // Steele, Lea and Flood's constant spreads the seed over all bits.
    let mixed = hash ^ UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed ^ mixed >> 32)
  }

  /// Three characters are equal to one of ASCII (UnicodeData.txt: canonical decompositions of a single scalar).
  private static func hashOfEqualASCII(_ name: String) -> UInt64? {
    var scalars = String.UnicodeScalarView()
    for scalar in name.unicodeScalars {
      switch scalar {
      case "\u{37E}": scalars.append(";")
      case "\u{1FEF}": scalars.append("`")
      case "\u{212A}": scalars.append("K")
      default:
        guard scalar.isASCII else { return nil }
        scalars.append(scalar)
      }
    }
    return ByteHash.hash(ascii: String(scalars))
  }
}
