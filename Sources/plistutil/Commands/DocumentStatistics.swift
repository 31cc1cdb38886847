import PropertyLists
import ToolSupport

/// What a document is made of, in figures.
struct DocumentStatistics: Sendable {
  /// The number of values of each kind, each counted wherever it stands, keys aside.
  private(set) var counts: [PropertyList.Kind: Int] = [:]
  /// The levels of containers.
  private(set) var depth = 0
  /// The number of entries of all dictionaries.
  private(set) var keyCount = 0
  /// The bytes of all keys in UTF-8.
  private(set) var keyByteCount = 0
  /// The bytes of all strings in UTF-8, keys aside.
  private(set) var stringByteCount = 0
  /// The bytes of all data.
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
  fileprivate mutating func count(_ root: PropertyListDocument.Node, largest limit: Int) throws(PropertyListError) {
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
    let index = largest.firstIndex { $0.byteCount < byteCount } ?? largest.count
    largest.insert(Large(path: PropertyListKeyPath(path), kind: kind, byteCount: byteCount), at: index)
    if largest.count > limit { largest.removeLast() }
  }
}
