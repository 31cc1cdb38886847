import Foundation
import OrderedCollections
import TestSupport
import Testing

@testable import PropertyLists

@Suite("Editing by a path") struct KeyPathEditTests {
  static let list: PropertyList = ["a": [1, ["b": "x"], []], "n": 5, "d": ["k": true, "l": false]]

  static func path(_ text: String) throws -> PropertyListKeyPath { try PropertyListKeyPath(text) }

  /// The list after an edit, or the kind and the key path of the error.
  enum Outcome: Equatable {
    case list(PropertyList)
    case defect(PropertyListError.Kind, String)
  }

  static func outcome(of edit: (inout PropertyList) throws(PropertyListError) -> Void) -> Outcome {
    var list = list
    do throws(PropertyListError) {
      try edit(&list)
      return .list(list)
    } catch {
      #expect(list == Self.list, "a failed edit changes nothing")
      return .defect(error.kind, error.keyPath?.description ?? "none")
    }
  }

  @Test(
    arguments: [
      ("d.m", .list(["a": [1, ["b": "x"], []], "n": 5, "d": ["k": true, "l": false, "m": "v"]])),
      ("a.0", .list(["a": ["v", 1, ["b": "x"], []], "n": 5, "d": ["k": true, "l": false]])),
      ("a.3", .list(["a": [1, ["b": "x"], [], "v"], "n": 5, "d": ["k": true, "l": false]])),
      ("a.2.0", .list(["a": [1, ["b": "x"], ["v"]], "n": 5, "d": ["k": true, "l": false]])),
      ("a.1.0", .list(["a": [1, ["b": "x", "0": "v"], []], "n": 5, "d": ["k": true, "l": false]])),
      ("a.4", .defect(.noSuchValue, "a")), ("a.x", .defect(.noSuchValue, "a")), ("d.k", .defect(.valueExists, "d")),
      ("n.x", .defect(.noSuchValue, "n")), ("d.x.y", .defect(.noSuchValue, "d")), ("", .defect(.valueExists, "")),
    ] as [(String, Outcome)])
  func `insert adds a value where there is none`(_ text: String, _ expected: Outcome) throws {
    let path = try Self.path(text)
    #expect(Self.outcome { list throws(PropertyListError) in try list.insert("v", at: path) } == expected)
  }

  @Test(
    arguments: [
      ("d.k", .list(["a": [1, ["b": "x"], []], "n": 5, "d": ["k": "v", "l": false]])),
      ("a.1.b", .list(["a": [1, ["b": "v"], []], "n": 5, "d": ["k": true, "l": false]])),
      ("a", .list(["a": "v", "n": 5, "d": ["k": true, "l": false]])), ("", .list("v")),
      ("a.3", .defect(.noSuchValue, "a")), ("d.x", .defect(.noSuchValue, "d")), ("a.0.x", .defect(.noSuchValue, "a.0")),
    ] as [(String, Outcome)])
  func `replace needs a value to replace, and keeps its position`(_ text: String, _ expected: Outcome) throws {
    let path = try Self.path(text)
    #expect(Self.outcome { list throws(PropertyListError) in try list.replace("v", at: path) } == expected)
  }

  @Test(
    arguments: [
      ("d.k", true, .list(["a": [1, ["b": "x"], []], "n": 5, "d": ["l": false]])),
      ("a.0", 1, .list(["a": [["b": "x"], []], "n": 5, "d": ["k": true, "l": false]])),
      ("a", [1, ["b": "x"], []], .list(["n": 5, "d": ["k": true, "l": false]])),
      ("a.3", nil, .defect(.noSuchValue, "a")), ("", nil, .defect(.noSuchValue, "")),
    ] as [(String, PropertyList?, Outcome)])
  func `remove returns the removed value`(_ text: String, _ removed: PropertyList?, _ expected: Outcome) throws {
    let path = try Self.path(text)
    var value: PropertyList?
    #expect(Self.outcome { list throws(PropertyListError) in value = try list.remove(at: path) } == expected)
    #expect(value == removed)
  }

  @Test(
    arguments: [
      ("a", .list(["a": [1, ["b": "x"], [], "v"], "n": 5, "d": ["k": true, "l": false]])),
      ("a.2", .list(["a": [1, ["b": "x"], ["v"]], "n": 5, "d": ["k": true, "l": false]])),
      ("d", .defect(.wrongKind, "d")), ("", .defect(.wrongKind, "")), ("x", .defect(.noSuchValue, "")),
    ] as [(String, Outcome)])
  func `append needs an array`(_ text: String, _ expected: Outcome) throws {
    let path = try Self.path(text)
    #expect(Self.outcome { list throws(PropertyListError) in try list.append("v", at: path) } == expected)
  }

  @Test(
    arguments: [
      ("n", .list(["a": [1, ["b": "x"], []], "n": "v", "d": ["k": true, "l": false]])),
      ("x.y.0", .list(["a": [1, ["b": "x"], []], "n": 5, "d": ["k": true, "l": false], "x": ["y": ["0": "v"]]])),
      ("a.1.c.d", .list(["a": [1, ["b": "x", "c": ["d": "v"]], []], "n": 5, "d": ["k": true, "l": false]])),
      ("a.3.c", .list(["a": [1, ["b": "x"], [], ["c": "v"]], "n": 5, "d": ["k": true, "l": false]])),
      ("a.0", .list(["a": ["v", ["b": "x"], []], "n": 5, "d": ["k": true, "l": false]])), ("", .list("v")),
      ("a.4", .defect(.noSuchValue, "a")), ("a.x", .defect(.noSuchValue, "a")), ("n.x", .defect(.noSuchValue, "n")),
    ] as [(String, Outcome)])
  func `set creates missing dictionaries`(_ text: String, _ expected: Outcome) throws {
    let path = try Self.path(text)
    #expect(Self.outcome { list throws(PropertyListError) in try list.set("v", at: path) } == expected)
  }

  @Test func `an edit does not change earlier copies`() throws {
    var list = Self.list
    let before = list
    try list.set(1, at: Self.path("d.k"))
    try list.remove(at: Self.path("a.1"))
    #expect(before == Self.list && list["d"]?["k"] == 1)
  }

  @Test func `many edits of a large value make no copies`() throws {
    let values = try Self.path("rows.1")
    let growth = try ThreadClock.growth(from: 500, to: 4_000) { count in
      var list: PropertyList = ["rows": [[:], []]]
      for index in 0..<count {
        let key = PropertyListKeyPath([.key("rows"), .index(0), .key("key \(index)")])
        try list.insert("x", at: key)
        try list.replace("y", at: key)
        try list.set("z", at: key)
        try list.append("x", at: values)
        try list.insert("y", at: values.appending(.index(index + 1)))
        if index % 2 == 0 { try list.remove(at: values.appending(.index(index))) }
      }
      try list.remove(at: PropertyListKeyPath("rows.0.key 7"))
      #expect(list["rows"]?[1]?.array?.count == 2 * count - count / 2)
      #expect(list["rows"]?[0]?.dictionary?.count == count - 1)
    }
    // With a copy for each edit, the growth is 8.
    #expect(growth < ThreadClock.greatestGrowth)
  }

  @Test func `an edit cannot exceed the depth limit`() throws {
    let limit = ParsingLimits.greatestDepth
    func deep(_ depth: Int) -> PropertyList { (0..<depth).reduce("leaf") { value, _ in ["k": value] } }
    func path(_ depth: Int) -> PropertyListKeyPath { PropertyListKeyPath(Array(repeating: .key("k"), count: depth)) }
    var list: PropertyList = [:]
    try list.set(deep(1), at: path(limit - 1))
    #expect(try list.data(format: .binary, options: .init(depth: limit)).count > limit)
    #expect(try list.value(at: path(limit)) == "leaf")
    let tooDeep: [(PropertyListKeyPath, PropertyList)] = [
      (path(limit - 1), deep(2)), (path(limit + 1), 1), (path(1_000_000), 1), (path(limit - 1), [[1]]),
    ]
    for (target, value) in tooDeep {
      #expect(error { () throws(PropertyListError) in try list.set(value, at: target) }?.kind == .nestedTooDeeply)
    }
    for target in [path(limit), path(limit - 1)] {
      let failure = error { () throws(PropertyListError) in try list.replace([[1]], at: target) }
      #expect(failure?.kind == .nestedTooDeeply)
    }
    nonisolated(unsafe) var deepest = list
    list = .null
    let outcome = OnSmallStack.run {
      try deepest.replace("new", at: path(limit))
      #expect(try deepest.remove(at: path(limit)) == "new")
      deepest = .null
    }
    #expect(outcome.error == nil)
  }
}
