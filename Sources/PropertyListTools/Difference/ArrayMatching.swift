@_spi(Archives) internal import PropertyLists

/// The matching of the elements of a new array with those of an old one. It matches, one after the other: equal
/// elements in order, equal elements at any position, similar containers between matched elements, similar containers
/// at any position, and finally, as replacements, elements between the same two matched elements.
struct ArrayMatching {
  private var old: Elements
  private var new: Elements
  /// The number of child comparisons that may still be made to find similar containers.
  private var budget: WorkBudget

  /// For each element of the new array, the index of its match in the old array; nil if it has none.
  private(set) var sources: [Int?]
  private var isTaken: [Bool]
  /// For each element of the new array, true if it is so similar to its match that the two are compared in depth.
  private(set) var isAlike: [Bool]

  /// The maximum number of child comparisons for all arrays of a value.
  static let standardBudget = WorkBudget(20_000_000)

  /// The maximum number of pairs of elements that are compared at a time.
  private static let greatestTable = 1 << 18

  /// Matches the elements of two arrays. An element is represented by its index in the signatures of its array.
  /// `budget` is the number of child comparisons that may be made. The matching reduces it by the number that it makes.
  init(
    _ old: [Int], _ oldSignatures: ValueSignatures, _ new: [Int], _ newSignatures: ValueSignatures,
    budget: inout WorkBudget
  ) {
    (self.old, self.new) = (Elements(old, oldSignatures), Elements(new, newSignatures))
    self.budget = budget
    let (a, b) = (self.old.hashes, self.new.hashes)
    sources = Array(repeating: nil, count: b.count)
    isTaken = Array(repeating: false, count: a.count)
    isAlike = Array(repeating: false, count: b.count)
    var anchors = CommonSubsequence.pairs(a, b)
    for (i, j) in anchors { match(i, j) }
    let movable = (a.indices.filter { !isTaken[$0] }, b.indices.filter { sources[$0] == nil })
    for (i, j) in CommonSubsequence.equalPairs(movable.0.map { a[$0] }, movable.1.map { b[$0] }) {
      match(movable.0[i], movable.1[j])
    }
    anchors = between(anchors) { $0.matchAlike($1, $2) }
    matchAlikeAnywhere()
    _ = between(anchors) { $0.matchReplaced($1, $2) }
    budget = self.budget
  }

  private mutating func match(_ i: Int, _ j: Int) {
    sources[j] = i
    isTaken[i] = true
  }

  /// Calls `body` for each gap between consecutive pairs of matched elements, with the unmatched elements of both
  /// arrays in the gap. `body` returns new pairs. Returns all pairs, in order.
  private mutating func between(
    _ anchors: [(Int, Int)], _ body: (inout ArrayMatching, [Int], [Int]) -> [(Int, Int)]
  ) -> [(Int, Int)] {
    var pairs: [(Int, Int)] = []
    var (i, j) = (0, 0)
    for (nextI, nextJ) in anchors + [(isTaken.count, sources.count)] {
      if i < nextI, j < nextJ {
        let left = ((i..<nextI).filter { !isTaken[$0] }, (j..<nextJ).filter { sources[$0] == nil })
        if !left.0.isEmpty, !left.1.isEmpty { pairs += body(&self, left.0, left.1) }
      }
      if nextI < isTaken.count { pairs.append((nextI, nextJ)) }
      (i, j) = (nextI + 1, nextJ + 1)
    }
    return pairs
  }

  /// Matches similar containers in order, with the greatest total likeness.
  private mutating func matchAlike(_ left: [Int], _ right: [Int]) -> [(Int, Int)] {
    let pairs =
      left.count * right.count <= Self.greatestTable
      ? bestPairs(left, right) { $0.likeness($1, $2) } : zip(left, right).filter { likeness($0, $1) > 0 }
    for (i, j) in pairs { matchAlike(i, j) }
    return pairs
  }

  /// Returns the pairs of elements, in order, whose total score is the greatest. A pair with the score 0 is not used.
  private mutating func bestPairs(
    _ left: [Int], _ right: [Int], _ score: (inout ArrayMatching, Int, Int) -> Int
  ) -> [(Int, Int)] {
    // `best[row * width + column]` is the best total score for the elements of `left` from `row` on and the elements of
    // `right` from `column` on.
    let width = right.count + 1
    var best = Array(repeating: 0, count: (left.count + 1) * width)
    var scores = Array(repeating: 0, count: left.count * right.count)
    for row in left.indices.reversed() {
      for column in right.indices.reversed() {
        let score = score(&self, left[row], right[column])
        scores[row * right.count + column] = score
        best[row * width + column] = max(
          best[(row + 1) * width + column], best[row * width + column + 1],
          score > 0 ? best[(row + 1) * width + column + 1] + score : 0)
      }
    }
    var pairs: [(Int, Int)] = []
    var (row, column) = (0, 0)
    while row < left.count, column < right.count {
      let score = scores[row * right.count + column]
      let value = best[row * width + column]
      if score > 0, value == best[(row + 1) * width + column + 1] + score {
        pairs.append((left[row], right[column]))
        (row, column) = (row + 1, column + 1)
      } else if value == best[(row + 1) * width + column] {
        row += 1
      } else {
        column += 1
      }
    }
    return pairs
  }

  private mutating func matchAlike(_ i: Int, _ j: Int) {
    match(i, j)
    isAlike[j] = true
  }

  /// Matches containers that were both moved and changed: each new one with the most similar old one.
  private mutating func matchAlikeAnywhere() {
    var left = isTaken.indices.filter { !isTaken[$0] && old.isContainer($0) }
    let right = sources.indices.filter { sources[$0] == nil && new.isContainer($0) }
    guard left.count * right.count <= Self.greatestTable else { return }
    for j in right {
      var best = (score: 0, position: 0)
      for (position, i) in left.enumerated() {
        let score = likeness(i, j)
        if score > best.score { best = (score, position) }
      }
      if best.score > 0 { matchAlike(left.remove(at: best.position), j) }
    }
  }

  /// Matches the remaining elements between two matched ones, in order, as replacements: elements of the same kind if
  /// possible, else a container with a container, and a scalar with a scalar.
  private mutating func matchReplaced(_ left: [Int], _ right: [Int]) -> [(Int, Int)] {
    let pairs =
      left.count * right.count <= Self.greatestTable
      ? bestPairs(left, right) { matching, i, j in
        if matching.old.kind(i) == matching.new.kind(j) { return 4 }
        return matching.old.isContainer(i) == matching.new.isContainer(j) ? 2 : 1
      } : Array(zip(left, right))
    for (i, j) in pairs { match(i, j) }
    return []
  }

  /// Returns the likeness of two containers of the same kind: the share of their children that is equal, in
  /// thousandths. Returns 0 if the share is too small, if the elements are not such containers, or if the budget is
  /// used up.
  ///
  /// In dictionaries, the share must be more than half. An entry counts as one half if its key is in both dictionaries,
  /// as three quarters if the two values are also containers of the same kind, and as one if the two values are equal.
  /// In arrays, at least half of the elements must be equal.
  private mutating func likeness(_ i: Int, _ j: Int) -> Int {
    let kind = old.kind(i)
    guard kind.isContainer, kind == new.kind(j) else { return 0 }
    let (children, others) = (old.children(of: i), new.children(of: j))
    let count = max(children.count, others.count)
    guard min(children.count, others.count) * 2 >= count, budget.spend(count) else { return 0 }
    var quarters = 0
    var (left, right) = (0, 0)
    while left < children.count, right < others.count {
      let (child, other) = (children[left], others[right])
      if child.precedes(other) {
        left += 1
      } else if other.precedes(child) {
        right += 1
      } else {
        quarters += child.hash == other.hash ? 4 : child.kind.isContainer && child.kind == other.kind ? 3 : 2
        left += 1
        right += 1
      }
    }
    guard kind == .dictionary else { return quarters >= 2 * count && quarters > 0 ? 250 * quarters / count : 0 }
    return quarters > 2 * count ? 250 * quarters / count : 0
  }

  /// The elements of one of the arrays.
  private struct Elements {
    let hashes: [UInt64]
    private let elements: [Int]
    private let signatures: ValueSignatures
    /// The sorted children of each container that was examined before, by the container's index in the array.
    private var known: [Int: [Child]] = [:]

    init(_ elements: [Int], _ signatures: ValueSignatures) {
      self.elements = elements
      self.signatures = signatures
      hashes = elements.map { signatures[$0].hash }
    }

    func kind(_ index: Int) -> NodeKind { signatures[elements[index]].kind }

    func isContainer(_ index: Int) -> Bool { kind(index).isContainer }

    /// Returns the children of a container, sorted so that two containers can be compared.
    mutating func children(of index: Int) -> [Child] {
      if let children = known[index] { return children }
      let isArray = kind(index) == .array
      var children = signatures.children(of: elements[index]).map { child in
        let entry = signatures[child]
        return Child(name: isArray ? entry.hash : entry.key, hash: entry.hash, kind: entry.kind)
      }
      children.sort { $0.precedes($1) }
      known[index] = children
      return children
    }
  }

  /// A child of a container that is being compared: an entry of a dictionary, identified by its key, or an element of
  /// an array, identified by its hash.
  private struct Child {
    let name: UInt64
    let hash: UInt64
    let kind: NodeKind

    func precedes(_ other: Child) -> Bool { name < other.name }
  }
}
