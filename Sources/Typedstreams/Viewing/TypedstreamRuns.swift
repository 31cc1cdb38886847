/// The runs of an attributed string in a typedstream. A run consists of the number of a set of attributes, counted from
/// 1, and a length. After the first run that uses a set, the set itself follows.
struct TypedstreamRuns {
  /// For each run, two numbers, as in keyed archives: its length, and the index of its set of attributes in ``sets``.
  private(set) var numbers: [UInt64] = []
  /// The node index of each set of attributes.
  private(set) var sets: [Int] = []

  /// Reads the runs of an attributed string. Returns nil if the values are not those of an attributed string.
  ///
  /// - Parameter values: the node indices of all values of the object. The first is the text.
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
