/// The keys of all encoded dictionaries, as a tree. The parent of a key is the preceding key of the same dictionary.
///
/// Values of one type usually have the same keys in the same order, so their dictionaries share a path in the tree. So
/// a key is compared only with the children of the preceding key. If it equals one of them, its text is not stored
/// again, and it is not compared with the other keys of its dictionary: ``Key/isDistinct`` of the child has the result
/// of that comparison.
struct EncodedKeys {
  private struct Key {
    let text: String
    let node: FlatNode
    /// The index of the key before this one in a dictionary, or of a placeholder if this is the first key of a
    /// dictionary.
    let parent: Int
    /// The position of the key in its dictionary, from 1; 0 for a placeholder.
    let depth: Int
    /// True if this key and the keys before it are distinct.
    let isDistinct: Bool
    /// The index of the child that was added last; 0 before the first one.
    var firstChild = 0
    /// The index of the child of the same parent that was added before this one; 0 for the first child.
    let sibling: Int
    let isASCII: Bool

    /// Returns true if `key` has the same bytes as this key. If this key is ASCII, an equal string of the same length
    /// has the same bytes: other canonically equivalent text, such as U+212A for `K`, is longer in UTF-8.
    @inline(__always)
    func isSame(_ key: String) -> Bool {
      text == key && (isASCII ? text.utf8.count == key.utf8.count : text.utf8.elementsEqual(key.utf8))
    }
  }

  /// All keys. The first ``startCount`` entries are placeholders: the parents of the first keys of dictionaries. Empty
  /// until a key is added.
  private var keys: [Key] = []

  /// The index that is used for every key that is not stored here, because a limit is reached.
  static let unknown = -1

  private static let startCount = 8
  /// The maximum number of stored keys, including placeholders. The types of a program usually have fewer. Keys that
  /// exceed a limit are encoded, but not stored here.
  private static let greatestCount = 1024
  /// The maximum position in a dictionary, from 1, of a stored key.
  private static let greatestDepth = 64
  /// The maximum number of children of a key or a placeholder.
  private static let greatestBreadth = 8

  /// Returns the index of the placeholder that is the parent of a dictionary's first key. It depends on the type of the
  /// keys.
  static func start(_ type: Any.Type) -> Int {
    Int(truncatingIfNeeded: UInt(bitPattern: ObjectIdentifier(type)) >> 4) & (startCount - 1)
  }

  /// Returns true if a key and the keys before it in its dictionary are known to be distinct.
  ///
  /// - Parameter number: The index of the key.
  func areDistinct(_ number: Int) -> Bool { number >= 0 && number < keys.count && keys[number].isDistinct }

  @inline(__always)
  func node(_ number: Int) -> FlatNode { keys[number].node }

  /// Returns the index of a key, if a dictionary already has this key after the key with index `last`; otherwise nil.
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

  /// Returns true if a key equals the key with index `last`, or one of the keys before that key.
  private func isBefore(_ last: Int, _ key: String) -> Bool {
    var number = last
    while number >= Self.startCount {
      if keys[number].isSame(key) { return true }
      number = keys[number].parent
    }
    return false
  }
}
