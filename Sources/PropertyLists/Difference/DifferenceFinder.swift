internal import OrderedCollections

/// Goes through two values at once and notes what is different.
struct DifferenceFinder {
  private let ignoresKeyOrder: Bool
  private var numbers: ValueNumbers
  private var changes: [PropertyListDifference.Change] = []
  /// The pairs of values that are still to compare, the next at the end.
  private var pending: [Pair] = []
  /// How many entries may be compared to find out which elements of arrays are alike.
  private var budget = 20_000_000

  private struct Pair {
    let path: PropertyListKeyPath
    let old: PropertyList
    let oldNumber: Int
    let new: PropertyList
    let newNumber: Int
    /// Whether changes inside are told, and not the whole as replaced.
    let isAlike: Bool
  }

  /// How many elements may be shifted in all to make the changes of one container.
  private static let greatestShift = 1_000_000_000

  init(ignoresKeyOrder: Bool) {
    self.ignoresKeyOrder = ignoresKeyOrder
    numbers = ValueNumbers(ignoresKeyOrder: ignoresKeyOrder)
  }

  mutating func changes(from old: PropertyList, to new: PropertyList) -> [PropertyListDifference.Change] {
    let (oldNumber, newNumber) = (numbers.number(old), numbers.number(new))
    pending = [
      Pair(
        path: PropertyListKeyPath(), old: old, oldNumber: oldNumber, new: new, newNumber: newNumber, isAlike: true)
    ]
    while let pair = pending.popLast() {
      if pair.oldNumber != pair.newNumber { compare(pair) }
    }
    return changes
  }

  private mutating func compare(_ pair: Pair) {
    switch (pair.old, pair.new) {
    case (.dictionary(let old), .dictionary(let new)) where pair.isAlike: compare(pair, old, new)
    case (.array(let old), .array(let new)) where pair.isAlike: compare(pair, old, new)
    default: replace(pair)
    }
  }

  private mutating func replace(_ pair: Pair) {
    changes.append(.replacement(pair.path, old: pair.old, new: pair.new))
  }

  private static func isTooLong(_ plan: Rearrangement, _ oldCount: Int, _ newCount: Int) -> Bool {
    let steps = plan.removals.count + plan.moves.count + plan.insertions.count
    return steps * max(oldCount, newCount) > greatestShift
  }

  private mutating func compare(_ pair: Pair, _ old: [PropertyList], _ new: [PropertyList]) {
    let (a, b) = (numbers.children(of: pair.oldNumber), numbers.children(of: pair.newNumber))
    let matching = ArrayMatching(old, a, new, b, numbers, budget: &budget)
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
      guard let source, a[source] != b[index] else { continue }
      pending.append(
        Pair(
          path: pair.path.appending(.index(index)), old: old[source], oldNumber: a[source], new: new[index],
          newNumber: b[index], isAlike: matching.isAlike[index]))
    }
  }

  private mutating func compare(
    _ pair: Pair, _ old: OrderedDictionary<String, PropertyList>, _ new: OrderedDictionary<String, PropertyList>
  ) {
    let sources = new.keys.map { old.index(forKey: $0) }
    let plan = Rearrangement(of: old.count, sources: sources)
    guard !Self.isTooLong(plan, old.count, new.count) else { return replace(pair) }
    // A key stays the same whatever goes before it, so that the order of the file can be kept.
    for (count, index) in plan.removals.reversed().enumerated() {
      let (key, value) = old.elements[index]
      changes.append(.removal(pair.path.appending(.key(key)), value, position: ignoresKeyOrder ? nil : index - count))
    }
    if !plan.moves.isEmpty, !ignoresKeyOrder {
      changes.append(
        .reordering(
          pair.path, from: old.keys.filter { new[$0] != nil }, to: new.keys.filter { old[$0] != nil }))
    }
    for index in plan.insertions {
      let (key, value) = new.elements[index]
      changes.append(.insertion(pair.path.appending(.key(key)), value, position: ignoresKeyOrder ? nil : index))
    }
    for (index, source) in sources.enumerated().reversed() {
      guard let source else { continue }
      let (key, value) = new.elements[index]
      // Both have the key.
      let oldNumber = numbers.child(key, of: pair.oldNumber) ?? 0
      let newNumber = numbers.child(key, of: pair.newNumber) ?? 0
      guard oldNumber != newNumber else { continue }
      pending.append(
        Pair(
          path: pair.path.appending(.key(key)), old: old.values[source], oldNumber: oldNumber, new: value,
          newNumber: newNumber, isAlike: true))
    }
  }
}
