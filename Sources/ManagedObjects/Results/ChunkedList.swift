internal import PropertyLists

/// An element of a ``ChunkedList``. It refers to the chunk that contains it.
protocol ListElement: AnyObject {
  var chunk: ListChunk<Self>? { get set }
}

/// A run of adjacent elements in a ``ChunkedList``.
final class ListChunk<Element: ListElement> {
  fileprivate(set) var elements: [Element]
  /// The index of the chunk in the list of chunks.
  fileprivate var index: Int

  fileprivate init(_ elements: [Element], index: Int) {
    self.elements = elements
    self.index = index
  }
}

/// A list with fast lookup of elements by index, and of indexes by element.
///
/// The list consists of chunks of a few hundred elements. Finding, inserting or removing an element reads or changes
/// one chunk, and reads the lengths of the others: about 400 numbers for 100 000 elements.
struct ChunkedList<Element: ListElement> {
  private var chunks: [ListChunk<Element>] = []
  private(set) var count = 0

  static var greatestCount: Int { 512 }

  /// Creates a list of elements, in order.
  ///
  /// - Complexity: O(*n*).
  init(_ elements: [Element] = []) {
    let size = Self.greatestCount / 2
    for start in stride(from: 0, to: elements.count, by: size) {
      let chunk = ListChunk(Array(elements[start..<min(start + size, elements.count)]), index: chunks.count)
      for element in chunk.elements { element.chunk = chunk }
      chunks.append(chunk)
    }
    count = elements.count
  }

  /// Returns the position of an element by its index in the list: the index of its chunk, and its offset in the chunk.
  /// The end of the list is in the last chunk.
  private func position(of index: Int) -> (chunk: Int, offset: Int) {
    var offset = index
    for (chunkIndex, chunk) in chunks.enumerated() {
      if offset < chunk.elements.count || chunkIndex == chunks.count - 1 { return (chunkIndex, offset) }
      offset -= chunk.elements.count
    }
    return (0, 0)
  }

  subscript(index: Int) -> Element {
    let (chunk, offset) = position(of: index)
    return chunks[chunk].elements[offset]
  }

  /// The elements, in order.
  var elements: [Element] {
    var elements: [Element] = []
    elements.reserveCapacity(count)
    for chunk in chunks { elements += chunk.elements }
    return elements
  }

  /// Returns the elements in a range of indexes.
  func elements(_ range: Range<Int>) -> [Element] {
    if range.isEmpty { return [] }
    var found: [Element] = []
    found.reserveCapacity(range.count)
    var (chunk, offset) = position(of: range.lowerBound)
    while found.count < range.count, chunk < chunks.count {
      found += chunks[chunk].elements.dropFirst(offset).prefix(range.count - found.count)
      (chunk, offset) = (chunk + 1, 0)
    }
    return found
  }

  /// Returns the index of an element; nil if it is not in a list.
  func index(of element: Element) -> Int? {
    guard let chunk = element.chunk, let offset = chunk.elements.firstIndex(where: { $0 === element }) else {
      return nil
    }
    var index = offset
    for other in chunks[..<chunk.index] { index += other.elements.count }
    return index
  }

  mutating func insert(_ element: Element, at index: Int) {
    count += 1
    if chunks.isEmpty { chunks.append(ListChunk([], index: 0)) }
    let (chunkIndex, offset) = position(of: index)
    let chunk = chunks[chunkIndex]
    chunk.elements.insert(element, at: offset)
    element.chunk = chunk
    if chunk.elements.count > Self.greatestCount { split(chunk) }
  }

  private mutating func split(_ chunk: ListChunk<Element>) {
    let half = chunk.elements.count / 2
    let second = ListChunk(Array(chunk.elements[half...]), index: chunk.index + 1)
    chunk.elements.removeSubrange(half...)
    for element in second.elements { element.chunk = second }
    chunks.insert(second, at: second.index)
    renumber(from: second.index + 1)
  }

  /// Removes an element. Does nothing if it is not in a list.
  mutating func remove(_ element: Element) {
    guard let chunk = element.chunk, let offset = chunk.elements.firstIndex(where: { $0 === element }) else { return }
    count -= 1
    chunk.elements.remove(at: offset)
    element.chunk = nil
    if chunk.elements.count < Self.greatestCount / 8 { join(chunk) }
  }

  /// Removes a chunk that has become small: moves its elements into the next chunk, or into the previous chunk if it is
  /// the last one. Does nothing if that chunk would become too large.
  private mutating func join(_ chunk: ListChunk<Element>) {
    if !chunk.elements.isEmpty {
      guard chunks.count > 1 else { return }
      let isLast = chunk.index == chunks.count - 1
      let other = chunks[isLast ? chunk.index - 1 : chunk.index + 1]
      guard other.elements.count + chunk.elements.count <= Self.greatestCount / 2 else { return }
      other.elements.insert(contentsOf: chunk.elements, at: isLast ? other.elements.count : 0)
      for element in chunk.elements { element.chunk = other }
    }
    chunks.remove(at: chunk.index)
    renumber(from: chunk.index)
  }

  private func renumber(from start: Int) {
    for index in start..<max(chunks.count, start) { chunks[index].index = index }
  }

  /// Returns the number of elements at the start of the list that satisfy a condition. No later element may satisfy it.
  ///
  /// - Complexity: O(log *n*) calls of the condition.
  func count<Failure: Error>(ofFirst isWanted: (Element) throws(Failure) -> Bool) throws(Failure) -> Int {
    let index = try chunks.partitioningIndex { chunk throws(Failure) in
      // No chunk is empty.
      try !isWanted(chunk.elements[chunk.elements.count - 1])
    }
    var count = 0
    for chunk in chunks[..<index] { count += chunk.elements.count }
    guard index < chunks.count else { return count }
    // The search above found that the last element of the chunk does not satisfy the condition.
    let others = chunks[index].elements.dropLast()
    return count + (try others.partitioningIndex { element throws(Failure) in try !isWanted(element) })
  }

  /// Returns the first defect of the list; nil if elements, chunks and counts agree. For tests.
  func _checkInvariants() -> String? {
    var found = 0
    for (index, chunk) in chunks.enumerated() {
      if chunk.index != index { return "the chunk \(index) has the index \(chunk.index)" }
      if chunk.elements.isEmpty { return "the chunk \(index) is empty" }
      if chunk.elements.count > Self.greatestCount { return "the chunk \(index) has \(chunk.elements.count) elements" }
      if chunk.elements.contains(where: { $0.chunk !== chunk }) { return "an element is not in its chunk" }
      found += chunk.elements.count
    }
    return found == count ? nil : "there are \(found) elements, but the count is \(count)"
  }
}
