internal import OrderedCollections
@_spi(Archives) internal import PropertyLists

/// A parallel traversal of two values that records their differences.
struct DifferenceFinder {
  private let ignoresKeyOrder: Bool
  private let oldSignatures: ValueSignatures
  private let newSignatures: ValueSignatures
  private var changes: [PropertyListDifference.Change] = []
  /// The pairs of values that remain to be compared. The next one is at the end.
  private var pending: [Pair] = []
  /// The number of child comparisons that may be made to find similar elements of arrays.
  private var budget = ArrayMatching.standardBudget

  private struct Pair {
    let path: PropertyListKeyPath
    let old: PropertyList
    /// The index of `old` in ``oldSignatures``.
    let oldIndex: Int
    let new: PropertyList
    /// The index of `new` in ``newSignatures``.
    let newIndex: Int
    /// True if changes inside are reported; if false, the whole value is reported as replaced.
    let isAlike: Bool
  }

  /// The maximum total number of elements that are shifted to apply the changes of one container. If there are more,
  /// the container is replaced as a whole.
  private static let greatestShift = 1_000_000_000

  /// Returns the changes that turn the old value into the new one.
  static func changes(
    from old: PropertyList, to new: PropertyList, ignoresKeyOrder: Bool
  ) -> [PropertyListDifference.Change] {
    var finder = DifferenceFinder(old, new, ignoresKeyOrder: ignoresKeyOrder)
    finder.pending = [Pair(path: PropertyListKeyPath(), old: old, oldIndex: 0, new: new, newIndex: 0, isAlike: true)]
    while let pair = finder.pending.popLast() {
      if finder.isChanged(pair.oldIndex, pair.newIndex) { finder.compare(pair) }
    }
    return finder.changes
  }

  private init(_ old: PropertyList, _ new: PropertyList, ignoresKeyOrder: Bool) {
    self.ignoresKeyOrder = ignoresKeyOrder
    let options: SignatureOptions = ignoresKeyOrder ? [.ignoresSpelling, .ignoresKeyOrder] : .ignoresSpelling
    oldSignatures = ValueSignatures(of: old, options)
    newSignatures = ValueSignatures(of: new, options)
  }

  private func isChanged(_ old: Int, _ new: Int) -> Bool { oldSignatures[old].hash != newSignatures[new].hash }

  private mutating func compare(_ pair: Pair) {
    switch (pair.old, pair.new) {
    case (.dictionary(let old), .dictionary(let new)) where pair.isAlike: compare(pair, old, new)
    case (.array(let old), .array(let new)) where pair.isAlike: compare(pair, old, new)
    default: replace(pair)
    }
  }

  private mutating func replace(_ pair: Pair) { changes.append(.replacement(pair.path, old: pair.old, new: pair.new)) }

  private static func isTooLong(_ plan: Rearrangement, _ oldCount: Int, _ newCount: Int) -> Bool {
    let steps = plan.removals.count + plan.moves.count + plan.insertions.count
    return steps * max(oldCount, newCount) > greatestShift
  }

  private mutating func compare(_ pair: Pair, _ old: [PropertyList], _ new: [PropertyList]) {
    let (a, b) = (oldSignatures.children(of: pair.oldIndex), newSignatures.children(of: pair.newIndex))
    let matching = ArrayMatching(a, oldSignatures, b, newSignatures, budget: &budget)
    let plan = Rearrangement(of: old.count, sources: matching.sources)
    guard !Self.isTooLong(plan, old.count, new.count) else { return replace(pair) }
    for index in plan.removals {
      changes.append(.removal(pair.path.appending(.index(index)), old[index], position: nil))
    }
    for move in plan.moves {
      guard let source = matching.sources[move.child] else { continue }
      changes.append(.move(pair.path.appending(.index(move.from)), to: move.to, old[source]))
    }
    for index in plan.insertions {
      changes.append(.insertion(pair.path.appending(.index(index)), new[index], position: nil))
    }
    for (index, source) in matching.sources.enumerated().reversed() {
      guard let source, isChanged(a[source], b[index]) else { continue }
      pending.append(
        Pair(
          path: pair.path.appending(.index(index)), old: old[source], oldIndex: a[source], new: new[index],
          newIndex: b[index], isAlike: matching.isAlike[index]))
    }
  }

  private mutating func compare(
    _ pair: Pair, _ old: OrderedDictionary<String, PropertyList>, _ new: OrderedDictionary<String, PropertyList>
  ) {
    let sources = new.keys.map { old.index(forKey: $0) }
    let plan = Rearrangement(of: old.count, sources: sources)
    guard !Self.isTooLong(plan, old.count, new.count) else { return replace(pair) }
    // Unlike an index, a key stays the same when an earlier entry is removed, so removals can be in the order of the
    // file.
    for (count, index) in plan.removals.reversed().enumerated() {
      let (key, value) = old.elements[index]
      changes.append(.removal(pair.path.appending(.key(key)), value, position: ignoresKeyOrder ? nil : index - count))
    }
    if !plan.moves.isEmpty, !ignoresKeyOrder {
      changes.append(
        .reordering(pair.path, from: old.keys.filter { new[$0] != nil }, to: new.keys.filter { old[$0] != nil }))
    }
    for index in plan.insertions {
      let (key, value) = new.elements[index]
      changes.append(.insertion(pair.path.appending(.key(key)), value, position: ignoresKeyOrder ? nil : index))
    }
    let (a, b) = (oldSignatures.children(of: pair.oldIndex), newSignatures.children(of: pair.newIndex))
    for (index, source) in sources.enumerated().reversed() {
      guard let source, isChanged(a[source], b[index]) else { continue }
      let (key, value) = new.elements[index]
      pending.append(
        Pair(
          path: pair.path.appending(.key(key)), old: old.values[source], oldIndex: a[source], new: value,
          newIndex: b[index], isAlike: true))
    }
  }
}
