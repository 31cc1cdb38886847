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

  /// A plan for the elements of an array: those that did not change, and those that did but are alike, keep their places
  /// as far as their order is the same; of the others, the same value at two places was moved.
  ///
  /// - Parameters:
  ///   - oldElements: the hashes of the elements, as `newElements`.
  ///   - oldElement: what is known of the element at a place, as `newElement`.
  init(
    oldElements: [UInt64], newElements: [UInt64], oldElement: (Int) -> Alignment.Element,
    newElement: (Int) -> Alignment.Element
  ) {
    self.init(
      target: Alignment.match(oldElements, newElements, oldElement: oldElement, newElement: newElement),
      newCount: newElements.count)
    var rest = Occurrences(newElements.indices.map { source[$0] < 0 ? newElements[$0] : 0 }[...])
    for (old, element) in oldElements.enumerated() where target[old] < 0 {
      let new = rest.take(element)
      guard new >= 0, source[new] < 0 else { continue }
      target[old] = new
      source[new] = old
    }
    pairRest { oldElement($0).canBecome(newElement($1)) }
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
