public import KeyedArchiving
@_spi(Archives) internal import PropertyLists

/// An attributed string is decoded from an `NSAttributedString`: the text, then its runs. A run consists of the number
/// of a set of attributes, counted from 1, and a length in UTF-16 units. After the first run that uses a set, the set
/// itself follows.
extension Archived.AttributedString: TypedstreamDecodable {
  public static var typedstreamClasses: [String] { ["NSAttributedString", "NSMutableAttributedString"] }

  public init(from groups: inout TypedstreamGroups) throws {
    let text = try groups.decode(String.self)
    let length = text.utf16.count
    var sets: [(attributes: Attributes, weight: Int)] = []
    var runs: [Run] = []
    var indices: [Int] = []
    var sum = 0
    while sum < length {
      let number = try groups.decode(Int.self)
      let runLength = try groups.decode(Int.self)
      try groups.require(
        runLength > 0 && runLength <= length - sum,
        "the length of a run must be from 1 to \(length - sum) UTF-16 units, the rest of the text, not \(runLength)")
      try groups.require(
        number > 0 && number <= sets.count + 1,
        "a run refers to attributes number \(number), but \(sets.count) are known")
      if number > sets.count {
        let before = groups.unarchiver.budget.spent
        let attributes = try groups.decode(Attributes.self)
        sets.append((attributes, groups.unarchiver.budget.spent - before))
      } else {
        // Each run is charged for its attributes, because comparing and hashing the text takes time for each run.
        try groups.unarchiver.spend(values: sets[number - 1].weight)
      }
      runs.append(Run(length: runLength, attributes: sets[number - 1].attributes))
      indices.append(number - 1)
      sum += runLength
    }
    try groups.finish()
    self.init(text: text, runs: runs, list: sets.map(\.attributes), indices: indices)
  }
}
