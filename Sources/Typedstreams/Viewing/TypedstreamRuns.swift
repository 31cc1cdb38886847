/// The runs of an attributed string, as its values have them: for each the number of a set of attributes from 1 on and
/// a length, and after the first run of each set the set itself.
struct TypedstreamRuns {
  /// For each run its length and the number of its set from 0 on, as keyed archives have them.
  private(set) var numbers: [UInt64] = []
  /// The node indexes of the sets.
  private(set) var sets: [Int] = []

  /// - Parameter values: the node indexes of all values of the object, of which the first is the text.
  /// - Returns: nil if they are not those of an attributed string.
  init?(_ values: [Int], in tables: TypedstreamTables) {
    func isObject(_ position: Int) -> Bool {
      let kind = tables.nodes[values[position]].kind
      return kind == .object || kind == .reference
    }
    func number(_ position: Int) -> UInt64? { TypedstreamNumber(tables.nodes[values[position]])?.integer(UInt64.self) }
    guard !values.isEmpty, isObject(0) else { return nil }
    var position = 1
    while position < values.count {
      guard position + 1 < values.count, let set = number(position), let length = number(position + 1), set > 0,
        set <= UInt64(sets.count + 1)
      else { return nil }
      position += 2
      if set > UInt64(sets.count) {
        guard position < values.count, isObject(position) else { return nil }
        sets.append(values[position])
        position += 1
      }
      numbers += [length, set - 1]
    }
  }
}
