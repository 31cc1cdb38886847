/// The sequences of keys of the encoded dictionaries, as a tree: each key is a child of the key before it. Values of
/// one type usually have the same keys in the same order. So a key is compared only with those that followed the same
/// keys before, is written once, and is known to be distinct.
struct EncodedKeys {
  private struct Key {
    let text: String
    let node: FlatNode
    /// The index of the key before this one, or of a placeholder if this is the first key.
    let parent: Int
    /// The position of the key in its dictionary, from 1; 0 for a placeholder.
    let depth: Int
    /// True if this key and the keys before it are distinct.
    let isDistinct: Bool
    /// The index of the key that was last added after this one, or 0.
    var firstChild = 0
    /// The index of another key that followed the same keys as this one, or 0.
    let sibling: Int
    let isASCII: Bool

    /// Returns true if another key has the same bytes. Canonical equivalents of ASCII text that are not ASCII are
    /// longer.
    @inline(__always)
    func isSame(_ key: String) -> Bool {
      text == key && (isASCII ? text.utf8.count == key.utf8.count : text.utf8.elementsEqual(key.utf8))
    }
  }

  /// All keys. The first ``startCount`` entries are placeholders before the first keys of dictionaries. Empty until a
  /// key is added.
  private var keys: [Key] = []

  /// The index of a key that is not stored here, because there are too many keys.
  static let unknown = -1

  private static let startCount = 8
  /// The greatest number of stored keys, including placeholders. This limit and the next two exceed the number of keys
  /// of usual types. A dictionary can have any number of keys.
  private static let greatestCount = 1024
  /// The greatest number of keys that follow each other.
  private static let greatestDepth = 64
  /// The greatest number of keys that follow the same keys.
  private static let greatestBreadth = 8

  /// Returns the index of the placeholder before the first key of dictionaries with a key type.
  static func start(_ type: Any.Type) -> Int {
    Int(truncatingIfNeeded: UInt(bitPattern: ObjectIdentifier(type)) >> 4) & (startCount - 1)
  }

  /// Returns true if the key with an index and the keys before it are known to be distinct.
  func areDistinct(_ number: Int) -> Bool { number >= 0 && number < keys.count && keys[number].isDistinct }

  @inline(__always)
  func node(_ number: Int) -> FlatNode { keys[number].node }

  /// Returns the index of a key that has followed the key with index `last` before, or nil if it has not.
  @inline(__always)
  func number(of key: String, after last: Int) -> Int? {
    guard last >= 0, last < keys.count else { return nil }
    var child = keys[last].firstChild
    while child > 0 {
      if keys[child].isSame(key) { return child }
      child = keys[child].sibling
    }
    return nil
  }

  /// Adds a key that has no index yet. Returns its index, or ``unknown`` if there are too many.
  mutating func add(_ key: String, _ node: FlatNode, after last: Int) -> Int {
    if keys.isEmpty {
      let start = Key(text: "", node: .null, parent: 0, depth: 0, isDistinct: true, sibling: 0, isASCII: true)
      keys = Array(repeating: start, count: Self.startCount)
    }
    guard last >= 0, keys.count < Self.greatestCount, keys[last].depth < Self.greatestDepth,
      breadth(below: last) < Self.greatestBreadth
    else { return Self.unknown }
    let number = keys.count
    keys.append(
      Key(
        text: key, node: node, parent: last, depth: keys[last].depth + 1,
        isDistinct: keys[last].isDistinct && !isBefore(last, key), sibling: keys[last].firstChild,
        isASCII: key.utf8.allSatisfy { $0 < 0x80 }))
    keys[last].firstChild = number
    return number
  }

  private func breadth(below number: Int) -> Int {
    var count = 0
    var child = keys[number].firstChild
    while child > 0 {
      count += 1
      child = keys[child].sibling
    }
    return count
  }

  /// Returns true if a key equals the key with index `last` or a key before that one.
  private func isBefore(_ last: Int, _ key: String) -> Bool {
    var number = last
    while number >= Self.startCount {
      if keys[number].isSame(key) { return true }
      number = keys[number].parent
    }
    return false
  }
}
