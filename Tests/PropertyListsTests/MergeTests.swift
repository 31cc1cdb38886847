import Foundation
import OrderedCollections
import TestSupport
import Testing

@testable import PropertyListTools
@testable import PropertyLists

@Suite("Merging") struct MergeTests {
  static let ours: PropertyList = ["a": 1, "list": [1, 2], "d": ["x": 1, "deep": ["k": "ours"]]]
  static let theirs: PropertyList = [
    "b": 2, "list": [2, 3, 3], "d": ["y": 2, "deep": ["k": "theirs", "l": 0]], "a": 1,
  ]

  @Test(
    arguments: [
      (.keepOurs, .asValues, [1, 2], "ours"), (.takeTheirs, .asValues, [2, 3, 3], "theirs"),
      (.keepOurs, .append, [1, 2, 2, 3, 3], "ours"), (.takeTheirs, .union, [1, 2, 3], "theirs"),
    ] as [(PropertyList.MergeRule, PropertyList.ArrayMergeRule, PropertyList, PropertyList)])
  func `dictionaries are merged at every level, and the rules decide about other values`(
    _ conflicts: PropertyList.MergeRule, _ arrays: PropertyList.ArrayMergeRule, _ list: PropertyList,
    _ leaf: PropertyList
  ) throws {
    var merged = Self.ours
    try merged.merge(Self.theirs, conflicts: conflicts, arrays: arrays)
    #expect(merged == ["a": 1, "list": list, "d": ["x": 1, "deep": ["k": leaf, "l": 0], "y": 2], "b": 2])
  }

  @Test(arguments: PropertyList.MergeRule.allCases)
  func `a merge changes dictionaries in place, whatever the rule`(_ rule: PropertyList.MergeRule) throws {
    func entries() -> OrderedDictionary<String, PropertyList> {
      var entries = OrderedDictionary<String, PropertyList>(minimumCapacity: 1000)
      for number in 0..<100 { entries["key \(number)"] = 1 }
      return entries
    }
    func address(_ value: PropertyList?) -> UnsafeRawPointer? {
      value?.dictionary?.values.withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress) }
    }
    var outer = entries()
    outer["inner"] = .dictionary(entries())
    var value = PropertyList.dictionary(outer)
    outer = [:]
    let addresses = (address(value), address(value["inner"]))
    for number in 0..<100 { try value.merge(["new \(number)": 1, "inner": ["new \(number)": 1]], conflicts: rule) }
    #expect(value.dictionary?.count == 201 && value["inner"]?.dictionary?.count == 200)
    #expect(addresses == (address(value), address(value["inner"])))
  }

  @Test(
    "a conflict has a path, and nothing is changed",
    arguments: [
      (theirs, .asValues, "list"), (theirs, .append, "d.deep.k"), (["d": ["x": [:]]], .asValues, "d.x"),
      (["a": 1.0], .asValues, "a"), ([], .asValues, ""), (["d": ["q": 1, "x": 2]], .union, "d.x"),
    ] as [(PropertyList, PropertyList.ArrayMergeRule, String)])
  func aConflictHasAPath(_ theirs: PropertyList, _ arrays: PropertyList.ArrayMergeRule, _ path: String) {
    var merged = Self.ours
    let failure = error { () throws(PropertyListError) in
      try merged.merge(theirs, conflicts: .fail, arrays: arrays)
    }
    #expect(failure?.kind == .conflict && failure?.keyPath?.description == path)
    #expect(merged == Self.ours)
  }

  @Test(arguments: PropertyList.MergeRule.allCases)
  func `values without a conflict are merged under every rule`(_ rule: PropertyList.MergeRule) throws {
    var merged = Self.ours
    try merged.merge(["d": ["y": 2], "list": [1, 2], "e": []], conflicts: rule)
    #expect(merged == ["a": 1, "list": [1, 2], "d": ["x": 1, "deep": ["k": "ours"], "y": 2], "e": []])
  }

  @Test func `roots that are not dictionaries`() throws {
    var list: PropertyList = [1]
    try list.merge([2], conflicts: .fail, arrays: .append)
    #expect(list == [1, 2])
    try list.merge("x", conflicts: .keepOurs)
    #expect(list == [1, 2])
    try list.merge("x", conflicts: .takeTheirs)
    #expect(list == "x")
    try list.merge(["a": 1], conflicts: .takeTheirs)
    #expect(list == ["a": 1])
  }

  @Test(arguments: 0..<UInt64(LongForm.size(20, or: 5)))
  func `merging a value with itself, or with an empty one, changes nothing`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let value = PropertyList.random(depth: 4, forXML: false, using: &random)
    for rule in PropertyList.MergeRule.allCases {
      var merged = value
      try merged.merge(value, conflicts: rule)
      #expect(merged == value)
    }
    var merged: PropertyList = [:]
    try merged.merge(["k": value], conflicts: .fail)
    try merged.merge([:], conflicts: .fail)
    #expect(merged == ["k": value])
  }

  @Test func `deep values on a small stack, and many entries without copies`() throws {
    func deep(_ key: String) -> PropertyList {
      (0..<ParsingLimits.greatestDepth - 1).reduce([.init(key): 1]) { value, _ in ["k": value] }
    }
    let outcome = OnSmallStack.run {
      var merged = deep("a")
      try merged.merge(deep("b"), conflicts: .fail)
      let path = PropertyListKeyPath(Array(repeating: .key("k"), count: ParsingLimits.greatestDepth - 1))
      #expect(try merged.value(at: path) == ["a": 1, "b": 1])
    }
    #expect(outcome.error == nil)
    let growth = try ThreadClock.growth(from: 400, to: 4_000) { count in
      var merged: PropertyList = ["inner": [:]]
      for index in 0..<count { try merged.merge(["inner": ["key \(index)": 1]] as PropertyList, conflicts: .keepOurs) }
      #expect(merged["inner"]?.dictionary?.count == count)
    }
    // With a copy for each entry, the growth is 10.
    #expect(growth < ThreadClock.greatestGrowth)
  }
}

@Suite("Three-way merging") struct ThreeWayMergeTests {
  static let base: PropertyList = ["a": 1, "b": 2, "d": ["x": 1, "y": 2, "deep": ["k": 0]], "list": [1]]

  @Test(
    "a change by only one side is kept",
    arguments: [
      (base, base, base),
      (["a": 5, "b": 2, "d": ["x": 1, "y": 2, "deep": ["k": 0]], "list": [1]], base, nil),
      (
        ["a": 1, "d": ["x": 1, "y": 2, "deep": ["k": 7]], "list": [1], "new": 0],
        ["b": 2, "a": 3, "d": ["y": 2, "deep": ["k": 0, "l": 1]], "list": [1, 2], "other": 0],
        ["a": 3, "d": ["y": 2, "deep": ["k": 7, "l": 1]], "list": [1, 2], "new": 0, "other": 0]
      ),
      ([:], [:], [:]), ("x", "x", "x"), (base, "x", "x"),
      (["a": 1, "b": 2, "d": ["x": 9], "list": [1]], ["a": 1, "b": 2, "d": ["x": 9], "list": [1]], nil),
    ] as [(PropertyList, PropertyList, PropertyList?)])
  func whatOnlyOneHasChangedIsTakenFrom(_ ours: PropertyList, _ theirs: PropertyList, _ expected: PropertyList?) throws
  {
    for rule in PropertyList.MergeRule.allCases {
      var merged = ours
      try merged.merge(theirs, since: Self.base, conflicts: rule)
      #expect(merged == expected ?? ours)
      var other = theirs
      try other.merge(ours, since: Self.base, conflicts: rule)
      #expect(other.sorted() == merged.sorted(), "it is the same from either side, up to the order of keys")
    }
  }

  @Test(
    "the rule decides about changes by both sides",
    arguments: [
      (["a": 5], ["a": 6], "a"), (["a": 5], [:], "a"), ([:], ["a": 5], "a"),
      (["d": ["x": [1]]], ["d": ["x": [2]]], "d.x"),
      (["d": 1], ["d": ["x": 2]], "d"), (["n": 1], ["n": 2], "n"), ("x", "y", ""), ([1], ["a": 5], ""),
    ] as [(PropertyList, PropertyList, String)])
  func whatBothHaveChangedIsForTheRule(_ ours: PropertyList, _ theirs: PropertyList, _ location: String) throws {
    let base: PropertyList = ["a": 1, "d": ["x": 1]]
    var merged = ours
    let failure = error { () throws(PropertyListError) in
      try merged.merge(theirs, since: base, conflicts: .fail)
    }
    #expect(failure?.kind == .conflict && failure?.keyPath?.description == location)
    #expect(merged == ours)
    let path = try PropertyListKeyPath(location)
    try merged.merge(theirs, since: base, conflicts: .keepOurs)
    #expect((try? merged.value(at: path)) == (try? ours.value(at: path)))
    merged = ours
    try merged.merge(theirs, since: base, conflicts: .takeTheirs)
    #expect((try? merged.value(at: path)) == (try? theirs.value(at: path)))
  }

  @Test(arguments: 0..<UInt64(LongForm.size(40, or: 8)))
  func `merging with the base changes nothing`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let base = PropertyList.random(depth: 4, forXML: false, using: &random)
    var ours = base
    for _ in 0..<9 { ours = ours.changed(forXML: false, using: &random) }
    var merged = ours
    try merged.merge(base, since: base, conflicts: .fail)
    #expect(merged == ours)
    merged = base
    try merged.merge(ours, since: base, conflicts: .fail)
    #expect(merged.sorted() == ours.sorted())
    try merged.merge(ours, since: base, conflicts: .fail)
    #expect(merged.sorted() == ours.sorted())
  }

  @Test func `deep values, on a small stack`() {
    let limit = ParsingLimits.greatestDepth
    func deep(_ leaf: PropertyList) -> PropertyList { (0..<limit - 1).reduce(leaf) { value, _ in ["k": value] } }
    let outcome = OnSmallStack.run {
      var merged = deep(["a": 1, "b": 2])
      try merged.merge(deep(["a": 1, "c": 1]), since: deep(["a": 0]), conflicts: .fail)
      #expect(merged == deep(["a": 1, "b": 2, "c": 1]))
    }
    #expect(outcome.error == nil)
  }

  @Test func `merging takes time in proportion to the entries`() throws {
    let growth = try ThreadClock.growth(from: 500, to: 4_000) { count in
      PropertyList.dictionary(.init(uniqueKeysWithValues: (0..<count).map { ("key\($0)", .boolean(true)) }))
    } work: { base in
      var (merged, theirs) = (base, base)
      merged.dictionary?["ours"] = 1
      theirs.dictionary?["theirs"] = 2
      try merged.merge(theirs, since: base, conflicts: .fail)
      #expect(merged.dictionary?.count == (base.dictionary?.count ?? 0) + 2 && merged["theirs"] == 2)
    }
    #expect(growth < ThreadClock.greatestGrowth)
  }
}
