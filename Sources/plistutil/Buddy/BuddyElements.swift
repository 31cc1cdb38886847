import PropertyLists

/// The elements of an array during editing, in chunks of up to 512.
///
/// Finding, inserting or removing an element touches one chunk and the lengths of the others. An array of 100 000
/// elements has about 400 chunks.
final class BuddyElements {
  private var chunks: [[BuddyTree]] = []
  private(set) var count: Int

  static let greatestCount = 512

  init(_ elements: [PropertyList]) {
    count = elements.count
    let size = Self.greatestCount / 2
    for start in stride(from: 0, to: elements.count, by: size) {
      chunks.append(elements[start..<min(start + size, elements.count)].map(BuddyTree.init))
    }
  }

  var all: some Sequence<BuddyTree> { chunks.lazy.joined() }

  /// The number of elements of the longest chunk, and the number of chunks.
  var shape: (longest: Int, chunkCount: Int) { (chunks.map(\.count).max() ?? 0, chunks.count) }

  /// Returns the chunk that contains an element, and the element's index in the chunk. The index after the last element
  /// is in the last chunk.
  private func position(of index: Int) -> (chunk: Int, offset: Int) {
    var offset = index
    for chunk in chunks.indices {
      if offset < chunks[chunk].count || chunk == chunks.count - 1 { return (chunk, offset) }
      offset -= chunks[chunk].count
    }
    return (0, 0)
  }

  subscript(index: Int) -> BuddyTree {
    let (chunk, offset) = position(of: index)
    return chunks[chunk][offset]
  }

  func insert(_ element: BuddyTree, at index: Int) {
    if chunks.isEmpty { chunks.append([]) }
    let (chunk, offset) = position(of: index)
    chunks[chunk].insert(element, at: offset)
    count += 1
    guard chunks[chunk].count > Self.greatestCount else { return }
    let half = chunks[chunk].count / 2
    chunks.insert(Array(chunks[chunk][half...]), at: chunk + 1)
    chunks[chunk].removeSubrange(half...)
  }

  func remove(at index: Int) {
    let (chunk, offset) = position(of: index)
    chunks[chunk].remove(at: offset)
    count -= 1
    let rest = chunks[chunk].count
    guard rest < Self.greatestCount / 8 else { return }
    // A short chunk is merged into the next one, or into the previous one at the end.
    if rest > 0 {
      guard chunks.count > 1 else { return }
      let isLast = chunk == chunks.count - 1
      let other = isLast ? chunk - 1 : chunk + 1
      guard chunks[other].count + rest <= Self.greatestCount / 2 else { return }
      chunks[other].insert(contentsOf: chunks[chunk], at: isLast ? chunks[other].count : 0)
    }
    chunks.remove(at: chunk)
  }
}
