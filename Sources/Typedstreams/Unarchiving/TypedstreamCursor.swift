/// A cursor over the values in the groups of an object or of a stream.
struct TypedstreamCursor {
  /// The index of the next value.
  private var index: Int
  /// The index of the current group, and the index after it.
  private(set) var group: Int
  private var groupEnd: Int
  /// The index after the last group.
  let end: Int

  /// - Parameter groups: the range of the indices of the groups and everything in them.
  init(_ groups: Range<Int>, in tables: TypedstreamTables) {
    index = groups.lowerBound
    group = groups.lowerBound
    groupEnd = groups.lowerBound
    end = groups.upperBound
    enterGroup(tables)
  }

  /// The index of the next value. Nil at the end.
  @inline(__always) var next: Int? { index < end ? index : nil }

  /// An upper bound for the number of values that are left.
  var greatestCount: Int { end - index }

  /// Skips the next value, if there is one.
  @inline(__always)
  mutating func advance(_ tables: TypedstreamTables) {
    guard index < end else { return }
    index = tables.next(after: index)
    enterGroup(tables)
  }

  /// Skips the next value and returns its index. Returns nil at the end.
  @inline(__always)
  mutating func pop(_ tables: TypedstreamTables) -> Int? {
    guard let next else { return nil }
    advance(tables)
    return next
  }

  /// Skips the nodes of groups before the next value.
  @inline(__always)
  private mutating func enterGroup(_ tables: TypedstreamTables) {
    while index == groupEnd, index < end {
      group = index
      groupEnd = tables.nodes[index].end
      index += 1
    }
  }
}
