@_spi(Archives) internal import PropertyLists

/// A mapping of the old children of a container to the new ones, and back.
struct ContainerPlan {
  /// For each old child, the index of its new counterpart, or -1 if it is removed.
  private(set) var target: [Int]
  /// For each new child, the index of its old counterpart, or -1 if it is new.
  private(set) var source: [Int]
  /// For each old child, true if it does not move. All children that do not move keep their order.
  private(set) var stays: [Bool]

  /// Creates a plan for the entries of a dictionary. Entries with the same key match. Old entries with a nil key are
  /// removed.
  init(oldKeys: [UInt64?], newKeys: [UInt64]) {
    if oldKeys == newKeys {
      self.init(target: Array(oldKeys.indices), newCount: newKeys.count)
    } else {
      var target = Array(repeating: -1, count: oldKeys.count)
      let keyed = oldKeys.indices.filter { oldKeys[$0] != nil }
      for (position, new) in CommonSubsequence.equalPairs(keyed.compactMap { oldKeys[$0] }, newKeys) {
        target[keyed[position]] = new
      }
      self.init(target: target, newCount: newKeys.count)
      pairRest { oldKeys[$0] != nil }
    }
  }

  /// Creates a plan for the elements of an array. A scalar never matches a container.
  init(
    oldElements: [Int], _ old: ValueSignatures, newElements: [Int], _ new: ValueSignatures, budget: inout WorkBudget
  ) {
    let matching = ArrayMatching(oldElements, old, newElements, new, budget: &budget)
    var target = Array(repeating: -1, count: oldElements.count)
    for (index, source) in matching.sources.enumerated() {
      guard let source else { continue }
      let (before, after) = (old[oldElements[source]].kind, new[newElements[index]].kind)
      if before.isContainer == after.isContainer { target[source] = index }
    }
    self.init(target: target, newCount: newElements.count)
  }

  private init(target: [Int], newCount: Int) {
    self.target = target
    stays = Array(repeating: false, count: target.count)
    let kept = target.indices.filter { target[$0] >= 0 }
    for position in CommonSubsequence.longestIncreasing(kept.map { target[$0] }) { stays[kept[position]] = true }
    source = Array(repeating: -1, count: newCount)
    for (old, new) in target.enumerated() where new >= 0 { source[new] = old }
  }

  /// Finds renamed keys: pairs a removed entry with a new entry that is between the same two children that keep their
  /// positions.
  private mutating func pairRest(where isEntry: (Int) -> Bool) {
    var old = 0
    var new = 0
    while true {
      let oldEnd = stays[old...].firstIndex(of: true) ?? stays.count
      let newEnd = oldEnd < stays.count ? target[oldEnd] : source.count
      let going = (old..<oldEnd).filter { target[$0] < 0 && isEntry($0) }
      let coming = (new..<newEnd).filter { source[$0] < 0 }
      for (gone, come) in zip(going, coming) {
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
