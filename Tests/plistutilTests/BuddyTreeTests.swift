import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import plistutil

@Suite("The tree of PlistBuddy's commands") struct BuddyTreeTests {
  private static func key(_ key: String) -> PropertyListKeyPath { PropertyListKeyPath([.key(key)]) }

  @Test(arguments: 1...UInt64(LongForm.size(40, or: 4)))
  func `changes have the same result as in a property list`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var value: PropertyList = [
      "d": .dictionary(.init(uniqueKeysWithValues: (0..<50).map { ("k\($0)", ["n": .string("\($0)")]) })),
      "a": .array((0..<600).map { .string("\($0)") }), "s": "scalar",
    ]
    let tree = BuddyTree(value)
    for step in 0..<400 {
      let new = PropertyList.string("new \(step)")
      let key = PropertyListKeyPath.Component.key("k\(Int.random(in: 0..<80, using: &random))")
      let index = PropertyListKeyPath.Component.index(Int.random(in: 0..<900, using: &random))
      let paths: [PropertyListKeyPath] = [
        .init([.key("d"), key]), .init([.key("a"), index]), .init([.key("d"), key, .key("n")]),
        .init([.key("s"), key]), .init([key]),
      ]
      let path = paths[Int.random(in: 0..<paths.count, using: &random)]
      let edits: [PropertyListEdit] = [.insert(new, at: path), .replace(new, at: path), .remove(at: path)]
      let edit = edits[Int.random(in: 0..<3, using: &random)]
      let expected = error { () throws(PropertyListError) in try value.apply(edit) }
      let found = error { () throws(PropertyListError) in try tree.apply(edit) }
      #expect(expected?.kind == found?.kind || expected?.kind == .valueExists, "\(edit)")
    }
    // Including the order of the keys.
    #expect(tree.value.debugDescription == value.debugDescription)
    #expect(tree.count == value.dictionary?.count)
  }

  private func error(_ body: () throws(PropertyListError) -> Void) -> PropertyListError? {
    do throws(PropertyListError) { try body() } catch { return error }
    return nil
  }

  @Test(arguments: [true, false]) func `fewer entries are moved than removed`(_ isFromStart: Bool) {
    let count = LongForm.size(10_000, or: 2_000)
    let entries = BuddyEntries(.init(uniqueKeysWithValues: (0..<count).map { ("\($0)", .string("\($0)")) }))
    for number in 0..<count {
      #expect(entries.remove("\(isFromStart ? number : count - 1 - number)"))
      if number % (count / 10) == 0 { #expect(entries.all.map(\.key).count == entries.count) }
    }
    #expect(entries.count == 0 && entries.movedCount < count)
  }

  @Test("an entry that is removed and added again is the last one") func addedAgain() throws {
    let tree = BuddyTree(["a": "1", "b": "2"])
    for number in 0..<1000 {
      try tree.apply(.remove(at: Self.key("a")))
      try tree.apply(.insert(.string("\(number)"), at: Self.key("a")))
      #expect(tree.value.dictionary.map { Array($0.keys) } == ["b", "a"])
    }
  }

  @Test("chunks of an array stay short and few") func chunks() {
    let elements = BuddyElements([])
    for number in 0..<5_000 { elements.insert(BuddyTree(.string("\(number)")), at: 0) }
    #expect(elements.shape.longest <= BuddyElements.greatestCount)
    #expect(elements.shape.chunkCount <= 5_000 / (BuddyElements.greatestCount / 4))
    #expect(elements.all.map(\.value) == (0..<5_000).reversed().map { .string("\($0)") })
    for _ in 0..<4_900 { elements.remove(at: 0) }
    #expect(elements.all.map(\.value) == (0..<100).reversed().map { .string("\($0)") })
    #expect(elements.shape.chunkCount <= 2)
    for _ in 0..<100 { elements.remove(at: elements.count - 1) }
    #expect(elements.count == 0 && elements.shape.chunkCount == 0)
  }
}
