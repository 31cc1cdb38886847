import PropertyLists
import ToolSupport

/// The number and size of the values in a document.
struct DocumentStatistics: Sendable {
  /// The number of values of each kind, without keys. A shared value is counted once for each reference.
  private(set) var counts: [PropertyList.Kind: Int] = [:]
  /// The number of nested levels of containers.
  private(set) var depth = 0
  /// The number of entries in all dictionaries.
  private(set) var keyCount = 0
  /// The size of all keys in UTF-8, in bytes.
  private(set) var keyByteCount = 0
  /// The size of all strings in UTF-8, without keys, in bytes.
  private(set) var stringByteCount = 0
  /// The size of all data, in bytes.
  private(set) var dataByteCount = 0
  /// The largest strings and data, in descending order.
  private(set) var largest: [Large] = []
  /// The object counts of a binary document; nil for other formats.
  fileprivate(set) var objects: Objects?

  /// A string or data.
  struct Large: Sendable {
    let path: PropertyListKeyPath
    let kind: PropertyList.Kind
    let byteCount: Int
  }

  /// The number of objects (`count`), and the numbers of objects with more than one reference (`sharedCount`) and
  /// without a reference (`unreferencedCount`).
  typealias Objects = (count: Int, sharedCount: Int, unreferencedCount: Int)
}

extension PropertyListDocument {
  /// Returns the statistics of the document. Throws if a binary document has a defect, or if its shared references
  /// expand too far.
  ///
  /// - Parameter largest: The maximum number of values in ``DocumentStatistics/largest``.
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
  /// Counts all values from a root down. The document has been validated.
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
