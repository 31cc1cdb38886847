import Foundation
import TestSupport
import Testing

@testable import PropertyLists

@Suite("Key paths") struct KeyPathTests {
  typealias Component = PropertyListKeyPath.Component
  typealias Syntax = PropertyListKeyPath.Syntax

  @Test(
    "each syntax is parsed as in its own tool",
    arguments: [
      ("", nil, []), ("a", nil, ["a"]), ("items.0.name", nil, ["items", "0", "name"]),
      (#"a\.b.c"#, nil, ["a.b", "c"]), (#"a\b\\c\n"#, nil, [#"a\b\c\n"#]), ("a b.ü", nil, ["a b", "ü"]),
      (#"a."b.c".""."\"x\"""#, nil, ["a", "b.c", "", #""x""#]), (#"a"b"#, nil, [#"a"b"#]),
      (#""a\nb\t\u{7f}\q""#, nil, ["a\nb\t\u{7F}\\q"]), (#"\/usr.\:x"#, nil, ["/usr", ":x"]),
      ("/", nil, []), ("/a//b/0/", nil, ["a", "b", "0"]), ("a/b", .slashes, ["a", "b"]), ("//", .slashes, []),
      (#"a\/b\\"#, .slashes, [#"a/b\"#]), ("/a.b/c:d", nil, ["a.b", "c:d"]), (#"/"""#, nil, [""]),
      (":", nil, []), ("", .colons, []), (":a:b:0", nil, ["a", "b", "0"]), ("a:b", .colons, ["a", "b"]),
      (#":a\:b"#, nil, ["a:b"]), ("a:b", nil, ["a:b"]), ("/a", .dots, ["/a"]), (":a", .dots, [":a"]),
    ] as [(String, Syntax?, [String])])
  func eachSyntaxIsReadAsTheToolReads(_ text: String, _ syntax: Syntax?, _ expected: [String]) throws {
    #expect(try PropertyListKeyPath(text, syntax: syntax).components.map(\.text) == expected)
  }

  @Test(
    arguments: [
      (".", nil), ("a..b", nil), (".a", nil), ("a.", nil), ("::", nil), ("a::b", .colons), (#""a"#, nil),
      (#"a."b"c"#, nil), (#"/a/"b"#, nil), (#""\u{110000}""#, nil), (#""\u{}""#, nil), (#""\u{41"#, nil),
      (#""\u{+41}""#, nil),
    ] as [(String, Syntax?)])
  func `an invalid path is an error that shows it`(_ text: String, _ syntax: Syntax?) {
    let failure = error { () throws(PropertyListError) in _ = try PropertyListKeyPath(text, syntax: syntax) }
    #expect(failure?.kind == .malformed)
    #expect(failure?.message.contains("is not a key path") == true)
  }

  @Test func `a path is printed in the tool's syntax`() {
    let path = PropertyListKeyPath([.key("a.b"), .index(0), .key("c/d:e"), .key(#"C:\dir"#), .key("")])
    #expect(path.description == #"a\.b.0.c/d:e.C:\dir."""#)
    #expect(path.text(.slashes) == #"/a.b/0/c\/d:e/C:\dir/"""#)
    #expect(path.text(.colons) == #":a.b:0:c/d\:e:C\:\dir:"""#)
    #expect(PropertyListKeyPath([.key("/usr")]).description == #"\/usr"#)
    #expect(PropertyListKeyPath([.key("two\nlines")]).description == #""two\nlines""#)
    #expect(Syntax.allCases.map { PropertyListKeyPath().text($0) } == ["", "/", ":"])
  }

  @Test(arguments: 0..<40 as Range<UInt64>) func `a printed path is parsed to the same path`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<LongForm.size(200, or: 20) {
      let path = PropertyListKeyPath.random(using: &random)
      for syntax in Syntax.allCases {
        let text = path.text(syntax)
        let read = try PropertyListKeyPath(text, syntax: syntax)
        #expect(read == path && read.text(syntax) == text)
        #expect(try PropertyListKeyPath(text) == path)
        // Equal strings may differ in their bytes, and a file may have both.
        #expect(read.components.map { Array($0.text.utf8) } == path.components.map { Array($0.text.utf8) })
        #expect(text.printable() == text)
      }
    }
  }

  @Test func `digits are an index or a key, depending on the container`() throws {
    #expect(Component("7") == .index(7) && Component.key("7") == .index(7) && Component.key("-7") == .index(-7))
    #expect(Set([Component.key("7"), .index(7), .key("07"), .index(-7), .key("-7")]).count == 3)
    #expect(Component.key("07") != .index(7) && Component.key("+7") != .index(7) && Component.key("") != .index(0))
    #expect(Component.key("9223372036854775807") == .index(.max))
    #expect(Component.key("9223372036854775808").arrayIndex == nil)
    let list: PropertyList = ["0": ["x", "y"]]
    for path in ["0.1", "0.01", #""0"."1""#] {
      #expect(try list.value(at: PropertyListKeyPath(path)) == "y")
      #expect(try PropertyListDocument(list.data(format: .xml)).root.descendant(at: .init(path)).string == "y")
    }
  }
}

@Suite("Looking up a key path") struct KeyPathLookupTests {
  static let list: PropertyList = ["a": [1, ["b": "x"], []], "": ["c.d": true], "n": 5]

  @Test(
    "a tree and a document return the same value",
    arguments: [
      ("", list), ("a.0", 1), ("a.1.b", "x"), ("\"\".c\\.d", true), ("/a/2", []), (":n", 5), ("a.-3", 1),
      ("a.-2.b", "x"), ("a.-1", []),
    ] as [(String, PropertyList)], [.binary, .xml] as [PropertyListFormat])
  func theSameValueFromATreeAndFrom(_ lookup: (text: String, value: PropertyList), _ format: PropertyListFormat) throws
  {
    let path = try PropertyListKeyPath(lookup.text)
    #expect(try Self.list.value(at: path) == lookup.value)
    let document = try PropertyListDocument(Self.list.data(format: format))
    #expect(try PropertyList(document.root.descendant(at: path)) == lookup.value)
  }

  @Test(
    "a path that does not exist is an error with position and reason",
    arguments: [
      ("b", #"no key "b""#, ""), ("a.3", #""3" is not an index of an array of 3"#, "a"),
      ("a.x.y", #""x" is not an index of an array of 3"#, "a"),
      ("a.-4", #""-4" is not an index of an array of 3"#, "a"),
      ("a.99999999999999999999", #""99999999999999999999" is not an index of an array of 3"#, "a"),
      ("a.1.c.d", #"no key "c""#, "a.1"), ("n.x", #"no "x" in a value of kind integer"#, "n"),
      ("a.1.b.0", #"no "0" in a value of kind string"#, "a.1.b"),
    ])
  func aPathThatLeavesTheValueSaysWhere(_ text: String, _ message: String, _ location: String) throws {
    let path = try PropertyListKeyPath(text)
    let expected = PropertyListError(.noSuchValue, message, keyPath: try PropertyListKeyPath(location))
    #expect(error { () throws(PropertyListError) in _ = try Self.list.value(at: path) } == expected)
    let document = try PropertyListDocument(Self.list.data(format: .binary))
    #expect(error { () throws(PropertyListError) in _ = try document.root.descendant(at: path) } == expected)
  }

  @Test("damage in a binary document matters only on the path")
  func damagedDocument() throws {
    // An array whose element 0 is an object that the file does not have, and element 1 a boolean.
    let bytes: [UInt8] =
      Array("bplist00".utf8) + [0xA1, 0x01, 0xA2, 0x07, 0x02, 0x09] + [8, 10, 13]
      + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 3] + Array(repeating: 0, count: 8)
      + [0, 0, 0, 0, 0, 0, 0, 14]
    let document = try PropertyListDocument(Data(bytes))
    #expect(try document.root.descendant(at: .init("0.1")).boolean == true)
    let failure = error { () throws(PropertyListError) in _ = try document.root.descendant(at: .init("0.0")) }
    #expect(failure?.kind == .malformed && failure?.keyPath == PropertyListKeyPath([.index(0), .index(0)]))
  }
}

extension PropertyListKeyPath {
  /// A path of keys that are hard to spell.
  static func random(using random: inout SeededGenerator) -> PropertyListKeyPath {
    let pieces = [
      ".", "/", ":", "\\", "\"", " ", "a", "0", "-", "n", "u{41}", "\u{301}", "é", "e\u{301}", "\n", "\r", "\t", "\0",
      "\u{7F}", "\u{85}", "\u{2028}", "\u{202E}", "😀", "\r\n", "'", "*",
    ]
    return PropertyListKeyPath(
      (0..<Int.random(in: 0..<5, using: &random)).map { _ in
        if Int.random(in: 0..<4, using: &random) == 0 { return .index(Int.random(in: 0..<12, using: &random)) }
        return .key(
          (0..<Int.random(in: 0..<6, using: &random)).map { _ in pieces.randomElement(using: &random)! }.joined())
      })
  }
}
