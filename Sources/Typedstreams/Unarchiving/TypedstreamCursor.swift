/// Goes through the values of the groups of an object, or of a stream, one after another.
struct TypedstreamCursor {
  /// The index of the next value, or of the next group.
  private var index: Int
  /// The index of the group that is being read, and the index after the group.
  private(set) var group: Int
  private var groupEnd: Int
  /// The index after the last group.
  let end: Int

  /// - Parameter groups: the indexes of the groups and of all that is in them.
  init(_ groups: Range<Int>, in tables: TypedstreamTables) {
    index = groups.lowerBound
    group = groups.lowerBound
    groupEnd = groups.lowerBound
    end = groups.upperBound
    enterGroup(tables)
  }

  /// The index of the next value; nil at the end.
  @inline(__always) var next: Int? { index < end ? index : nil }

  /// How many values there can be at most from here on.
  var greatestCount: Int { end - index }

  /// Passes over the next value, if there is one.
  @inline(__always)
  mutating func advance(_ tables: TypedstreamTables) {
    guard index < end else { return }
    index = tables.next(after: index)
    enterGroup(tables)
  }

  /// Passes over the next value, and returns its index; nil at the end.
  @inline(__always)
  mutating func pop(_ tables: TypedstreamTables) -> Int? {
    guard let next else { return nil }
    advance(tables)
    return next
  }

  /// Passes over the heads of groups that stand before the next value.
  @inline(__always)
  private mutating func enterGroup(_ tables: TypedstreamTables) {
    while index == groupEnd, index < end {
      group = index
      groupEnd = tables.nodes[index].end
      index += 1
    }
  }
}
