/// A cursor over the values in the groups of an object or of a stream.
struct TypedstreamCursor {
  /// The node index of the next value.
  private var index: Int
  /// The node index of the current group: the values that were archived together with the next value.
  private(set) var group: Int
  /// The node index after the last value of the current group.
  private var groupEnd: Int
  /// The node index after the last group.
  let end: Int

  /// Creates a cursor before the first value.
  ///
  /// - Parameter groups: the range of the node indices of the groups and everything in them.
  init(_ groups: Range<Int>, in tables: TypedstreamTables) {
    index = groups.lowerBound
    group = groups.lowerBound
    groupEnd = groups.lowerBound
    end = groups.upperBound
    enterGroup(tables)
  }

  /// The node index of the next value. Nil at the end.
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

  /// Skips the next value and returns its node index. Returns nil at the end.
  @inline(__always)
  mutating func pop(_ tables: TypedstreamTables) -> Int? {
    guard let next else { return nil }
    advance(tables)
    return next
  }

  /// Enters the next group if the current one has no more values. Skips empty groups.
  @inline(__always)
  private mutating func enterGroup(_ tables: TypedstreamTables) {
    while index == groupEnd, index < end {
      group = index
      groupEnd = tables.nodes[index].end
      index += 1
    }
  }
}
