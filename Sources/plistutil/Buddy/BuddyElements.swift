import PropertyLists

/// The elements of an array that is changed, in chunks of a few hundred.
///
/// Finding, inserting or removing an element touches one chunk and the lengths of the others: about 400 numbers for
/// 100 000 elements.
final class BuddyElements {
  private var chunks: [[BuddyTree]] = []
  /// The numbers of elements of the chunks.
  private var counts: [Int] = []
  private(set) var count: Int

  static let greatestCount = 512

  init(_ elements: [PropertyList]) {
    count = elements.count
    let size = Self.greatestCount / 2
    for start in stride(from: 0, to: elements.count, by: size) {
      chunks.append(elements[start..<min(start + size, elements.count)].map(BuddyTree.init))
      counts.append(chunks[chunks.count - 1].count)
    }
  }

  var all: some Sequence<BuddyTree> { chunks.lazy.joined() }

  /// The number of elements of the longest chunk, and the number of chunks.
  var shape: (longest: Int, chunkCount: Int) { (counts.max() ?? 0, chunks.count) }

  /// The chunk of an index, and the offset in it. The end is in the last chunk.
  private func position(of index: Int) -> (chunk: Int, offset: Int) {
    var offset = index
    for (chunk, count) in counts.enumerated() {
      if offset < count || chunk == counts.count - 1 { return (chunk, offset) }
      offset -= count
    }
    return (0, 0)
  }

  subscript(index: Int) -> BuddyTree {
    let (chunk, offset) = position(of: index)
    return chunks[chunk][offset]
  }

  func insert(_ element: BuddyTree, at index: Int) {
    if chunks.isEmpty {
      chunks.append([])
      counts.append(0)
    }
    let (chunk, offset) = position(of: index)
    chunks[chunk].insert(element, at: offset)
    counts[chunk] += 1
    count += 1
    guard counts[chunk] > Self.greatestCount else { return }
    let half = counts[chunk] / 2
    let second = Array(chunks[chunk][half...])
    chunks[chunk].removeSubrange(half...)
    counts[chunk] = half
    chunks.insert(second, at: chunk + 1)
    counts.insert(second.count, at: chunk + 1)
  }

  func remove(at index: Int) {
    let (chunk, offset) = position(of: index)
    chunks[chunk].remove(at: offset)
    counts[chunk] -= 1
    count -= 1
    guard counts[chunk] < Self.greatestCount / 8 else { return }
    // What is left goes into the next chunk, or the one before.
    if counts[chunk] > 0 {
      guard chunks.count > 1 else { return }
      let isLast = chunk == chunks.count - 1
      let other = isLast ? chunk - 1 : chunk + 1
      guard counts[other] + counts[chunk] <= Self.greatestCount / 2 else { return }
      chunks[other].insert(contentsOf: chunks[chunk], at: isLast ? counts[other] : 0)
      counts[other] += counts[chunk]
    }
    chunks.remove(at: chunk)
    counts.remove(at: chunk)
  }
}
