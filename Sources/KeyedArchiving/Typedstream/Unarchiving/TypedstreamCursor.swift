/// Goes through the values of the groups of an object, or of a stream, one after another.
struct TypedstreamCursor {
  /// The place of the next value, or of the next group.
  private var place: Int
  /// The group that is being read, and the place after it.
  private(set) var group: Int
  private var groupEnd: Int
  /// The place after the last group.
  let end: Int

  /// - Parameter groups: the places of the groups and all that is in them.
  init(_ groups: Range<Int>, in tables: TypedstreamTables) {
    place = groups.lowerBound
    group = groups.lowerBound
    groupEnd = groups.lowerBound
    end = groups.upperBound
    enterGroup(tables)
  }

  /// The place of the next value; nil at the end.
  @inline(__always) var next: Int? { place < end ? place : nil }

  /// How many values there can be at most from here on.
  var greatestCount: Int { end - place }

  /// Passes over the next value, if there is one.
  @inline(__always)
  mutating func advance(_ tables: TypedstreamTables) {
    guard place < end else { return }
    place = tables.next(after: place)
    enterGroup(tables)
  }

  /// Passes over the heads of groups that stand before the next value.
  @inline(__always)
  private mutating func enterGroup(_ tables: TypedstreamTables) {
    while place == groupEnd, place < end {
      group = place
      groupEnd = tables.nodes[place].end
      place += 1
    }
  }
}
