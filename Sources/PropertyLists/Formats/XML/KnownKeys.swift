/// The keys of recent dictionaries, with the markup and the white space around them.
///
/// In a list of similar dictionaries, the same text is before the first, the second and each other value, such as
/// `\n\t<key>Name</key>\n\t`. It is compared with that text in a dictionary before, which is faster than reading it.
struct KnownKeys: ~Copyable {
  /// A key, and its text: from the end of the value before it to its own value.
  private struct Entry {
    let start: Int
    let length: Int
    let key: FlatNode
  }

  /// The last dictionary at a depth, and the open one.
  private struct Level {
    /// The entries of an earlier dictionary, whose keys are distinct.
    var known: [Entry] = []
    /// The index in ``known`` of the next expected entry.
    var next = 0
    /// True if the open dictionary does not have an entry before ``next``, or has too many entries to record. It then
    /// does not become the known one.
    var isPassing = false
    /// True if all keys so far are from ``known``, in the same order. So they are distinct.
    var isKnown = true
    /// The entries of the open dictionary. They are recorded from the first key that is not in ``known``.
    var read: [Entry] = []

    /// Makes the entries of the open dictionary the known ones. Both arrays keep their memory for later dictionaries.
    mutating func keepRead() { swap(&known, &read) }
  }

  private var levels: [Level] = []

  /// The maximum number of entries in ``Level/known`` that are compared with a text.
  private static let reach = 8
  /// The maximum number of entries of a dictionary that is recorded. Lists do not have larger ones.
  private static let greatestCount = 1000

  /// Begins a dictionary in a number of other containers.
  mutating func begin(depth: Int) {
    while levels.count <= depth { levels.append(Level()) }
    levels[depth].next = 0
    levels[depth].isPassing = false
    levels[depth].isKnown = true
  }

  /// Returns the key whose text is at an offset, and the length of the text, or nil if no such key is expected.
  @inline(__always)
  mutating func find(at offset: Int, depth: Int, in bytes: RawSpan) -> (key: FlatNode, length: Int)? {
    guard levels[depth].isKnown else { return nil }
    let next = levels[depth].next
    let end = min(levels[depth].known.count, next + Self.reach)
    var index = next
    while index < end {
      let entry = levels[depth].known[index]
      if entry.length <= bytes.byteCount - offset, bytes.equalBytes(offset, entry.start, count: entry.length) {
        levels[depth].next = index + 1
        if index > next { levels[depth].isPassing = true }
        return (entry.key, entry.length)
      }
      index += 1
    }
    return nil
  }

  /// Records a key that ``find(at:depth:in:)`` has not found, and the range of its text.
  mutating func note(_ key: FlatNode, _ text: Range<Int>, depth: Int) {
    if levels[depth].isKnown {
      levels[depth].isKnown = false
      levels[depth].read.removeAll(keepingCapacity: true)
      levels[depth].read.append(contentsOf: levels[depth].known[..<levels[depth].next])
    }
    if levels[depth].read.count < Self.greatestCount {
      levels[depth].read.append(Entry(start: text.lowerBound, length: text.count, key: key))
    } else {
      levels[depth].isPassing = true
    }
  }

  /// Returns true if all keys of the open dictionary are from an earlier one, so that they are distinct.
  func areKnown(depth: Int) -> Bool { levels[depth].isKnown }

  /// Ends a dictionary whose keys are distinct.
  mutating func end(depth: Int) {
    guard !levels[depth].isKnown, !levels[depth].isPassing else { return }
    levels[depth].keepRead()
  }
}
