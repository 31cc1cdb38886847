import PropertyLists

/// What a document is made of, in figures.
struct DocumentStatistics: Sendable {
  /// How many values of each kind there are, each counted wherever it stands, keys aside.
  private(set) var counts: [PropertyList.Kind: Int] = [:]
  /// How many levels of containers there are.
  private(set) var depth = 0
  /// How many entries the dictionaries have.
  private(set) var keyCount = 0
  /// How many bytes the keys have in UTF-8, together.
  private(set) var keyByteCount = 0
  /// How many bytes the strings have in UTF-8, keys aside, together.
  private(set) var stringByteCount = 0
  /// How many bytes the data has, together.
  private(set) var dataByteCount = 0
  /// The largest strings and data, the largest first.
  private(set) var largest: [Large] = []
  /// The object table of a binary document.
  fileprivate(set) var objects: Objects?

  /// A string or data.
  struct Large: Sendable {
    let path: PropertyListKeyPath
    let kind: PropertyList.Kind
    let byteCount: Int
  }

  /// The numbers of objects: of all, of those that more than one reference leads to, and of those that none does.
  typealias Objects = (count: Int, sharedCount: Int, unreferencedCount: Int)
}

extension PropertyListDocument {
  /// Counts what is in the document, and tells so many of the largest values. Throws what is wrong with a binary
  /// document, also if shared references expand too far.
  func statistics(largest: Int) throws(PropertyListError) -> DocumentStatistics {
    try validate()
    var statistics = DocumentStatistics()
    try statistics.count(root, largest: largest)
    statistics.objects = try referenceCounts().map { counts in
      (counts.count, counts.count { $0 > 1 }, counts.count { $0 == 0 })
    }
    return statistics
  }
}

extension DocumentStatistics {
  /// Counts all below a value, whose document has been checked.
  fileprivate mutating func count(
    _ root: PropertyListDocument.Node, largest limit: Int
  ) throws(PropertyListError) {
    var walk = NodeWalk(root)
    while let node = try walk.next() {
      counts[node.kind, default: 0] += 1
      if case .key(let key)? = walk.path.last {
        keyCount += 1
        keyByteCount += key.utf8.count
      }
      switch node.kind {
      case .string:
        let byteCount = try node.string?.utf8.count ?? 0
        stringByteCount += byteCount
        note(walk.path, node.kind, byteCount, limit)
      case .data:
        let byteCount = node.data?.count ?? 0
        dataByteCount += byteCount
        note(walk.path, node.kind, byteCount, limit)
      case .array, .dictionary: depth = max(depth, walk.path.count + 1)
      default: break
      }
    }
  }

  private mutating func note(
    _ path: [PropertyListKeyPath.Component], _ kind: PropertyList.Kind, _ byteCount: Int, _ limit: Int
  ) {
    guard largest.count < limit || byteCount > largest.last?.byteCount ?? .max else { return }
    let place = largest.firstIndex { $0.byteCount < byteCount } ?? largest.count
    largest.insert(Large(path: PropertyListKeyPath(path), kind: kind, byteCount: byteCount), at: place)
    if largest.count > limit { largest.removeLast() }
  }
}
