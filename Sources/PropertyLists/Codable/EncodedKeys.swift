/// The sequences of keys that dictionaries were encoded with, as a tree: each key stands below the one before it.
/// Values of a type mostly have the same keys in the same order. So a key is compared only with those that followed the
/// same keys before, is written once, and is known to be distinct.
struct EncodedKeys {
  private struct Key {
    let text: String
    let node: FlatNode
    /// The key before it.
    let parent: Int
    /// How many keys are before it.
    let depth: Int
    /// Whether no key before it is the same.
    let isDistinct: Bool
    /// The key that followed last as a new one; 0 if there was none.
    var firstChild = 0
    /// Another key that followed the same keys as this one; 0 if there is none.
    let sibling: Int
    let isASCII: Bool

    /// Whether another key has the same bytes. Equivalents of ASCII text that are not ASCII are longer.
    @inline(__always)
    func isSame(_ key: String) -> Bool {
      text == key && (isASCII ? text.utf8.count == key.utf8.count : text.utf8.elementsEqual(key.utf8))
    }
  }

  /// The keys by their numbers. The first ones stand before the first keys of dictionaries. Empty until there is a key.
  private var keys: [Key] = []

  /// What stands for the keys of a dictionary that are not kept here.
  static let unknown = -1

  private static let startCount = 8
  /// More keys than types have; dictionaries can have any.
  private static let greatestCount = 1024
  private static let greatestDepth = 64
  private static let greatestBreadth = 8

  /// The number that stands before the first key of dictionaries whose keys are of a type.
  static func start(_ type: Any.Type) -> Int {
    Int(truncatingIfNeeded: UInt(bitPattern: ObjectIdentifier(type)) >> 4) & (startCount - 1)
  }

  /// Whether the keys up to this one were found to be distinct.
  func areDistinct(_ number: Int) -> Bool { number >= 0 && number < keys.count && keys[number].isDistinct }

  @inline(__always)
  func node(_ number: Int) -> FlatNode { keys[number].node }

  /// The number of a key that followed the key with the number `last` before; nil if it has none yet.
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

  /// Adds a key that has no number yet. Returns its number, ``unknown`` if there are too many.
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

  /// Whether a key is one of those up to `last`.
  private func isBefore(_ last: Int, _ key: String) -> Bool {
    var number = last
    while number >= Self.startCount {
      if keys[number].isSame(key) { return true }
      number = keys[number].parent
    }
    return false
  }
}
