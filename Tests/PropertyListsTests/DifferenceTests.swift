import Foundation
import OrderedCollections
import TestSupport
import Testing

@testable import PropertyListTools
@testable import PropertyLists

@Suite("The difference of two values") struct DifferenceTests {
  @Test(
    arguments: [
      ([:], [:], []),
      (1, 2, ["~ the root: 1 -> 2"]),
      (["a": 1], ["a": 1.0], ["~ a: 1 -> 1.0"]),
      (["a": 1, "b": 2], ["a": 1, "c": 3], ["- b: 2", "+ c: 3"]),
      (["a": ["b": ["c": 1, "d": 2]]], ["a": ["b": ["c": 5, "d": 2]]], ["~ a.b.c: 1 -> 5"]),
      (["a.b": ["x"]], ["a.b": ["x", "y\n"]], [#"+ a\.b.1: "y\n""#]),
      ([1, 2, 3], [1, 3], ["- 1: 2"]),
      ([1, 2, 3], [0, 1, 2, 3], ["+ 0: 0"]),
      ([1, 2, 3], [1, 5, 3], ["~ 1: 2 -> 5"]),
      ([1, 2, 3, 4, 5], [2, 3, 4, 5, 1], ["> 0 -> 4: 1"]),
      ([1, 2, 3, 4, 5], [5, 1, 2, 3, 4], ["> 4 -> 0: 5"]),
      ([1, 2, 3, 4], [9, 4, 1, 3], ["- 1: 2", "> 2 -> 0: 4", "+ 0: 9"]),
      (["a": 1, "b": 2, "c": 3], ["c": 3, "a": 1, "b": 2], [##"# the root: the order of keys is "c", "a", "b""##]),
      (["a": 1, "c": 3], ["a": 1, "b": 2, "c": 3], ["+ b: 2"]),
      (["a": [:]], ["a": []], ["~ a: {} -> []"]),
      // A similar element is compared in depth, although it has moved.
      (
        [["id": 1, "n": "a", "v": 1], ["id": 2, "n": "b", "v": 2]],
        [["id": 2, "n": "b", "v": 2], ["id": 1, "n": "a", "v": 9]],
        ["> 1 -> 0: {\"id\": 2, \"n\": \"b\", \"v\": 2}", "~ 1.v: 1 -> 9"]
      ),
      (
        [["id": 1, "n": "a", "v": 1], ["id": 2, "n": "b", "v": 2]], [["id": 2, "n": "b", "v": 3]],
        ["- 0: {\"id\": 1, \"n\": \"a\", \"v\": 1}", "~ 0.v: 2 -> 3"]
      ),
      // A dissimilar element is replaced as a whole.
      ([["id": 1, "n": "a"]], [["id": 2, "n": "b"]], ["~ 0: {\"id\": 1, \"n\": \"a\"} -> {\"id\": 2, \"n\": \"b\"}"]),
      ([[1, 2, 3, 4]], [[1, 2, 3, 5]], ["~ 0.3: 4 -> 5"]),
    ] as [(PropertyList, PropertyList, [String])])
  func `a difference is what a person would expect`(_ old: PropertyList, _ new: PropertyList, _ expected: [String])
    throws
  {
    let difference = PropertyListDifference(from: old, to: new)
    #expect(difference.changes.map(\.description) == expected)
    #expect(difference.isEmpty == (old == new))
    #expect(try difference.applied(to: old) == new)
    #expect(try difference.inverse.applied(to: new) == old)
  }

  @Test func `the order of keys can be ignored`() throws {
    let old: PropertyList = ["a": 1, "b": [["x": 1, "y": 2]], "c": 3]
    let new: PropertyList = ["d": 4, "c": 3, "b": [["y": 2, "x": 1], ["x": 1, "y": 2]]]
    #expect(PropertyListDifference(from: old, to: new).changes.count > 3)
    let difference = PropertyListDifference(from: old, to: new, ignoresKeyOrder: true)
    #expect(difference.description == "- a: 1\n+ d: 4\n+ b.1: {\"x\": 1, \"y\": 2}")
    #expect(try difference.applied(to: old).sorted() == new.sorted())
    #expect(try difference.inverse.applied(to: new).sorted() == old.sorted())
  }

  @Test func `reals of two widths can be distinguished`() {
    let difference = PropertyListDifference(
      from: ["a": .float(24), "b": .real(1)], to: ["a": .real(24), "b": .real(2)])
    #expect(difference.description == "~ a: 24.0 (4 bytes) -> 24.0 (8 bytes)\n~ b: 1.0 -> 2.0")
  }

  @Test(arguments: 0..<UInt64(LongForm.size(150, or: 6)))
  func `differences of random values are applied and reverted`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let forXML = seed % 2 == 0
    let old = PropertyList.random(depth: 4, forXML: forXML, using: &random)
    var new = old
    for _ in 0..<Int.random(in: 0..<30, using: &random) { new = new.changed(forXML: forXML, using: &random) }
    try check(old, new, forXML)
    try check(old, PropertyList.random(depth: 3, forXML: forXML, using: &random), forXML)
  }

  private func check(_ old: PropertyList, _ new: PropertyList, _ forXML: Bool) throws {
    let difference = PropertyListDifference(from: old, to: new)
    #expect(try difference.applied(to: old) == new)
    #expect(try difference.inverse.applied(to: new) == old)
    #expect(difference.inverse.inverse == difference)
    #expect(difference.isEmpty == (old == new))
    let loose = PropertyListDifference(from: old, to: new, ignoresKeyOrder: true)
    #expect(try loose.applied(to: old).sorted() == new.sorted())
    #expect(loose.isEmpty == (old.sorted() == new.sorted()))
    for format in PropertyListFormat.allCases where format != .xml || forXML {
      let data = try difference.patch.data(format: format, options: .init(coercion: .reversible))
      let patch = try PropertyList(data, format: format, options: .init(restoresCoercedValues: true))
      #expect(try PropertyListDifference(patch: patch) == difference)
    }
  }

  @Test func `all small arrays of few values`() throws {
    var arrays: [[PropertyList]] = [[]]
    for length in 0..<LongForm.size(4, or: 3) {
      arrays += arrays.filter { $0.count == length }.flatMap { array in
        (0..<3).map { array + [.integer(.init($0))] }
      }
    }
    for (first, old) in arrays.enumerated() {
      // The short form has every seventh pair.
      for (second, new) in arrays.enumerated() where LongForm.isWanted || (first + second).isMultiple(of: 7) {
        let difference = PropertyListDifference(from: .array(old), to: .array(new))
        #expect(try difference.applied(to: .array(old)) == .array(new))
        #expect(try difference.inverse.applied(to: .array(new)) == .array(old))
        #expect(difference.changes.count <= old.count + new.count)
      }
    }
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `permutations take no more moves than there are elements out of order`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let count = Int.random(in: 2..<200, using: &random)
    let old = (0..<count).map { PropertyList.integer(.init($0)) }
    let new = seed % 2 == 0 ? old.shuffled(using: &random) : old.reversed()
    let difference = PropertyListDifference(from: .array(old), to: .array(new))
    let still = CommonSubsequence.longestIncreasing(new.compactMap(\.int)).count
    #expect(difference.changes.count == count - still)
    #expect(difference.changes.allSatisfy { if case .move = $0 { true } else { false } })
    #expect(try difference.applied(to: .array(old)) == .array(new))
  }

  @Test func `one large dictionary among many small ones is compared in depth`() throws {
    var large = PropertyList.dictionary([:])
    for number in 0..<20_000 { large.dictionary?["k\(number)"] = .integer(.init(number)) }
    let small = PropertyList.array((0..<1200).map { ["a": .integer(.init($0)), "b": "b\($0)", "c": "c"] })
    var (old, new) = (small, small)
    for number in 0..<1200 { new.array?[number].dictionary?["c"] = "d" }
    old.array?.insert(large, at: 0)
    large.dictionary?["k5"] = -1
    new.array?.insert(large, at: 0)
    let difference = PropertyListDifference(from: old, to: new)
    #expect(difference.description.contains("~ 0.k5: 5 -> -1"))
    #expect(try difference.applied(to: old) == new)
  }

  @Test(arguments: 0..<60 as Range<UInt64>) func `the common subsequence is the longest`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func list() -> [Int] {
      (0..<Int.random(in: 0..<40, using: &random)).map { _ in Int.random(in: 0..<6, using: &random) }
    }
    let (a, b) = (list(), list())
    let pairs = CommonSubsequence.pairs(a.map { UInt64($0) }, b.map { UInt64($0) })
    #expect(pairs.allSatisfy { a[$0.0] == b[$0.1] })
    #expect(zip(pairs, pairs.dropFirst()).allSatisfy { $0.0 < $1.0 && $0.1 < $1.1 })
    var lengths = Array(repeating: Array(repeating: 0, count: b.count + 1), count: a.count + 1)
    for i in a.indices {
      for j in b.indices {
        lengths[i + 1][j + 1] = a[i] == b[j] ? lengths[i][j] + 1 : max(lengths[i][j + 1], lengths[i + 1][j])
      }
    }
    #expect(pairs.count == lengths[a.count][b.count])
  }

  @Test(arguments: ["other", "shuffled", "reversed", "behind", "before", "few values", "records"])
  func `large arrays take seconds at most, however different they are`(_ kind: String) throws {
    let count = LongForm.size(20_000, or: 1_000)
    var random = SeededGenerator(seed: 1)
    func record(_ index: Int) -> PropertyList { ["id": .integer(.init(index)), "name": "n", "flag": true] }
    var old = (0..<count).map { PropertyList.integer(.init($0)) }
    var new = old
    switch kind {
    case "other": new = (0..<count).map { .integer(.init(count + $0)) }
    case "shuffled": new.shuffle(using: &random)
    case "reversed": new.reverse()
    case "behind": new += (0..<count).map { .integer(.init(count + $0)) }
    case "before": new = (0..<count).map { .integer(.init(count + $0)) } + new
    case "few values":
      old = (0..<count).map { _ in .integer(.init(Int.random(in: 0..<9, using: &random))) }
      new = (0..<count).map { _ in .integer(.init(Int.random(in: 0..<9, using: &random))) }
    default:
      old = (0..<count).map(record)
      new = (0..<count).map { record($0 + count) }
    }
    let duration = try ThreadClock.measure {
      let difference = PropertyListDifference(from: .array(old), to: .array(new))
      let made = try difference.applied(to: .array(old))
      #expect(made == .array(new))
    }
    #expect(duration < ThreadClock.referenceSecond * LongForm.size(60, or: 2))
  }

  @Test(arguments: [false, true])
  func `many entries of a large dictionary are removed and inserted in one step`(_ ignoresKeyOrder: Bool) throws {
    func lists(_ count: Int) -> (PropertyList, PropertyList) {
      let keys = (0..<count).map { "key \($0)" }
      func list(_ keys: [String]) -> PropertyList {
        .dictionary(OrderedDictionary(uniqueKeysWithValues: keys.map { ($0, .string($0)) }))
      }
      return (
        list(keys.enumerated().filter { $0.offset % 9 != 0 }.map(\.element)),
        list(keys.enumerated().filter { $0.offset % 7 != 0 }.map(\.element))
      )
    }
    let (old, new) = lists(2_000)
    let difference = PropertyListDifference(from: old, to: new, ignoresKeyOrder: ignoresKeyOrder)
    #expect(difference.changes.count > 400)
    let growth = try ThreadClock.growth(from: 250, to: 2_000) { count in
      let (old, new) = lists(count)
      return (old, new, PropertyListDifference(from: old, to: new, ignoresKeyOrder: ignoresKeyOrder))
    } work: { input in
      let (old, new, difference) = input
      let made = try difference.applied(to: old)
      #expect(ignoresKeyOrder ? made.sorted() == new.sorted() : made == new)
      let undone = try difference.inverse.applied(to: new)
      #expect(ignoresKeyOrder ? undone.sorted() == old.sorted() : undone == old)
    }
    // The growth is 8 if they are removed and inserted one by one.
    #expect(growth < ThreadClock.greatestGrowth)
    // A change that does not match is found among them.
    var other = old
    other.dictionary?["key 1603"] = 0
    let failure = error { () throws(PropertyListError) in _ = try difference.applied(to: other) }
    #expect(failure?.kind == .conflict && failure?.keyPath == PropertyListKeyPath([.key("key 1603")]))
  }

  @Test(arguments: 0..<UInt64(LongForm.size(200, or: 40)))
  func `changes in one step have the same result as one by one`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var old: OrderedDictionary<String, PropertyList> = [:]
    for index in 0..<Int.random(in: 0..<20, using: &random) { old["old \(index)"] = .integer(.init(index)) }
    var positions = (0..<Int.random(in: 8..<20, using: &random)).map { _ in Int.random(in: -1..<30, using: &random) }
    switch seed % 4 {
    case 0: positions.sort()
    case 1: positions.sort(by: >)
    case 2: positions = Set(positions).sorted()
    default: break
    }
    var changes: [PropertyListDifference.Change] = positions.enumerated().map { index, position in
      .insertion(PropertyListKeyPath([.key("new \(index)")]), true, position: position < 0 ? nil : position)
    }
    for (key, value) in old where Bool.random(using: &random) {
      changes.append(.removal(PropertyListKeyPath([.key(key)]), value, position: 0))
    }
    var expected = PropertyList.dictionary(old)
    for change in changes { expected = try PropertyListDifference([change]).applied(to: expected) }
    #expect(try PropertyListDifference(changes).applied(to: .dictionary(old)) == expected)
  }

  @Test func `deep values, on a small stack`() throws {
    let limit = ParsingLimits.greatestDepth
    func deep(_ leaf: PropertyList) -> PropertyList {
      (0..<limit).reduce(leaf) { value, level in level % 2 == 1 ? ["k": value] : [value, 1] }
    }
    let outcome = OnSmallStack.run {
      let (old, new) = (deep("a"), deep("b"))
      let difference = PropertyListDifference(from: old, to: new)
      #expect(difference.changes.count == 1 && difference.changes.first?.path.components.count == limit)
      let made = try difference.applied(to: old)
      #expect(made == new)
    }
    #expect(outcome.error == nil)
  }
}

@Suite("Differences that cannot be applied") struct DifferenceConflictTests {
  static let old: PropertyList = ["a": [1, 2, 3], "b": "x", "c": ["k": 1]]
  static let new: PropertyList = ["a": [3, 1, 4], "b": "y", "d": true, "c": ["l": 1, "k": 1]]

  @Test(
    arguments: [
      (["a": [1, 2, 3], "b": "z", "c": ["k": 1]], "b"), (["a": [1, 2, 3], "c": ["k": 1]], ""),
      (["a": [1, 7, 3], "b": "x", "c": ["k": 1]], "a.1"), (["a": 1, "b": "x", "c": ["k": 1]], "a"),
      (["a": [1, 2, 3], "b": "x", "c": ["k": 1], "d": 0], ""),
      (["a": [1, 2, 3], "b": "x", "c": ["l": 5]], "c"),
      (["a": [1, 2, 3], "b": "x", "c": 5], "c"), ([], ""),
    ] as [(PropertyList, String)])
  func `a mismatch is refused with its path`(_ other: PropertyList, _ path: String) throws {
    let difference = PropertyListDifference(from: Self.old, to: Self.new)
    let failure = error { () throws(PropertyListError) in _ = try difference.applied(to: other) }
    #expect(failure?.kind == .conflict)
    #expect(failure?.keyPath?.description == path)
  }

  @Test func `values without changes can differ`() throws {
    let difference = PropertyListDifference(from: Self.old, to: Self.new)
    let other: PropertyList = ["e": 0, "b": "x", "c": ["z": 0, "k": 1], "a": [1, 2, 3, 9]]
    #expect(
      try difference.applied(to: other)
        == ["e": 0, "b": "y", "d": true, "c": ["l": 1, "z": 0, "k": 1], "a": [3, 1, 4, 9]])
  }

  @Test(
    arguments: [
      ([], ""), ([:], ""), (["changes": 1], ""), (["changes": [1]], "changes.0"),
      (["changes": [["change": "insert", "path": "a"]]], "changes.0"),
      (["changes": [["change": "explode", "path": "a"]]], "changes.0"),
      (["changes": [["change": "insert", "path": "a..b", "value": 1]]], "changes.0"),
      (["changes": [["change": "insert", "path": 1, "value": 1]]], "changes.0"),
      (["changes": [["change": "insert", "path": "a", "value": 1, "position": "x"]]], "changes.0"),
      (["changes": [["change": "move", "path": "a", "to": 1, "value": 1]]], "changes.0"),
      (["changes": [["change": "reorder", "path": "a", "from": ["a"], "to": ["a", 1]]]], "changes.0"),
    ] as [(PropertyList, String)])
  func `an invalid patch is an error with its position`(_ patch: PropertyList, _ path: String) {
    let failure = error { () throws(PropertyListError) in _ = try PropertyListDifference(patch: patch) }
    #expect(failure?.kind == .malformed && failure?.keyPath?.description ?? "" == path)
  }

  @Test(
    arguments: [
      .move(PropertyListKeyPath([.key("a"), .index(0)]), to: 3, 1),
      .move(PropertyListKeyPath([.key("a"), .index(0)]), to: -1, 1),
      .move(PropertyListKeyPath([.key("b")]), to: 0, "x"), .move(PropertyListKeyPath(), to: 0, old),
      .reordering(PropertyListKeyPath(), from: [], to: ["a", "q"]),
      .reordering(PropertyListKeyPath(), from: [], to: ["a", "a"]),
      .reordering(PropertyListKeyPath([.key("a")]), from: [], to: []),
      .removal(PropertyListKeyPath(), old, position: nil),
      .insertion(PropertyListKeyPath(), 1, position: 0),
    ] as [PropertyListDifference.Change])
  func `invalid hand-made changes are refused`(_ change: PropertyListDifference.Change) {
    let failure = error { () throws(PropertyListError) in
      _ = try PropertyListDifference([change]).applied(to: Self.old)
    }
    #expect(failure?.kind == .conflict)
  }

  @Test func `a position out of range is clamped`() throws {
    let path = PropertyListKeyPath([.key("n")])
    for (position, keys) in [(-5, ["a", "b", "c", "n"]), (99, ["a", "b", "c", "n"]), (0, ["n", "a", "b", "c"])] {
      let difference = PropertyListDifference([.insertion(path, 1, position: position)])
      #expect(try difference.applied(to: Self.old).dictionary?.keys.elements == keys)
    }
  }
}

extension PropertyList {
  /// The value with one random change.
  func changed(forXML: Bool, using random: inout SeededGenerator) -> PropertyList {
    func other() -> PropertyList { .random(depth: 1, forXML: forXML, using: &random) }
    switch self {
    case .array(var elements):
      guard let index = elements.indices.randomElement(using: &random) else { return .array([other()]) }
      switch Int.random(in: 0..<7, using: &random) {
      case 0: elements.remove(at: index)
      case 1: elements.insert(other(), at: index)
      case 2: elements.insert(elements.remove(at: index), at: elements.indices.randomElement(using: &random) ?? 0)
      case 3: elements.append(elements[index])
      default: elements[index] = elements[index].changed(forXML: forXML, using: &random)
      }
      return .array(elements)
    case .dictionary(var entries):
      guard let index = entries.elements.indices.randomElement(using: &random) else { return ["new": other()] }
      switch Int.random(in: 0..<7, using: &random) {
      case 0: entries.remove(at: index)
      case 1: entries.updateValue(other(), forKey: "new \(Int.random(in: 0..<99, using: &random))", insertingAt: index)
      case 2: entries.shuffle(using: &random)
      case 3: entries.swapAt(index, 0)
      default: entries.values[index] = entries.values[index].changed(forXML: forXML, using: &random)
      }
      return .dictionary(entries)
    default: return other()
    }
  }
}
