/// What becomes of each child of a container, and where each child comes from that it is to have.
struct ContainerPlan {
  /// For each child there is: the child it becomes, or -1 if it goes.
  private(set) var target: [Int]
  /// For each child there is to be: the child it was, or -1 if it is new.
  private(set) var source: [Int]
  /// For each child there is: whether it keeps its place among the others that do.
  private(set) var stays: [Bool]

  /// A plan for the entries of a dictionary: what has the same key is the same entry.
  init(oldKeys: [UInt64], newKeys: [UInt64]) {
    if oldKeys == newKeys {
      self.init(target: Array(oldKeys.indices), newCount: newKeys.count)
    } else {
      var places = Occurrences(newKeys[...])
      self.init(target: oldKeys.map { places.take($0) }, newCount: newKeys.count)
    }
    pairRest { _, _ in true }
  }

  /// A plan for the elements of an array: those that did not change are found by a longest common subsequence; of the
  /// others, the same value at two places was moved.
  init(oldElements: [ValueSignatures.Entry], newElements: [ValueSignatures.Entry]) {
    self.init(
      target: Alignment.match(oldElements.map(\.hash), newElements.map(\.hash)), newCount: newElements.count)
    var rest = Occurrences(newElements.indices.map { source[$0] < 0 ? newElements[$0].hash : 0 }[...])
    var moves: [(old: Int, new: Int)] = []
    for (old, element) in oldElements.enumerated() where target[old] < 0 {
      let new = rest.take(element.hash)
      guard new >= 0, source[new] < 0 else { continue }
      moves.append((old, new))
    }
    for move in moves {
      target[move.old] = move.new
      source[move.new] = move.old
    }
    pairRest { oldElements[$0].kind.isContainer == newElements[$1].kind.isContainer }
  }

  private init(target: [Int], newCount: Int) {
    self.target = target
    stays = Alignment.increasing(target)
    source = Array(repeating: -1, count: newCount)
    for (old, new) in target.enumerated() where new >= 0 { source[new] = old }
  }

  /// Between two children that keep their places, what goes and what comes are the same child that changed, the first the
  /// first and so on.
  private mutating func pairRest(_ canBecome: (Int, Int) -> Bool) {
    var old = 0
    var new = 0
    while true {
      let oldEnd = stays[old...].firstIndex(of: true) ?? stays.count
      let newEnd = oldEnd < stays.count ? target[oldEnd] : source.count
      let going = (old..<oldEnd).filter { target[$0] < 0 }
      let coming = (new..<newEnd).filter { source[$0] < 0 }
      for (gone, come) in zip(going, coming) where canBecome(gone, come) {
        target[gone] = come
        source[come] = gone
        stays[gone] = true
      }
      guard oldEnd < stays.count else { return }
      old = oldEnd + 1
      new = newEnd + 1
    }
  }
}
