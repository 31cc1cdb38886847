import ArchiveViews
import Foundation
import KeyedArchiving
import PropertyLists
import TestSupport
import Testing

@Suite("Graphs of archives") struct KeyedArchiveGraphTests {
  @Test func `a graph shows objects, values, references and circles`() throws {
    #expect(
      try twoFriends().graph() == #"""
        digraph archive {
          graph [rankdir=LR];
          node [shape=box, fontname="Helvetica"];
          top [label="top\l", shape=ellipse];
          top -> o1 [label="root"];
          o1 [label="#1 Person\lname: \"Ada\"\lage: 36\l"];
          o1 -> o3 [label="friends"];
          o3 [label="#3 NSArray\l"];
          o3 -> o1 [label="[0]", style=dashed, color=red, constraint=false];
          o3 -> o4 [label="[1]"];
          o4 [label="#4 Person\lname: \"Charles\"\lboss: nil\l"];
          o4 -> o3 [label="friends", style=dashed, color=red, constraint=false];
        }

        """#)
  }

  @Test func `repeated references are blue, and references out of the table are red`() throws {
    let archive = try keyedArchive(
      top: ["a": .uid(1), "b": .uid(1), "c": .uid(99), "n": 5],
      ["list": [.uid(2), ["k": .uid(2)]], "$class": .uid(3)], ["x": 1, "$class": .uid(3)], .described("Node"))
    let graph = try GraphvizText(archive.graph())
    #expect(graph.nodes["top"]?["label"] == "top\nn: 5\n")
    #expect(graph.nodes["o99"]?["label"] == "#99 outside the object table")
    let edges: Set<GraphvizText.Edge> = [
      .init(source: "top", target: "o1", attributes: ["label": "a"]),
      .init(source: "top", target: "o1", attributes: ["label": "b", "color": "blue"]),
      .init(source: "top", target: "o99", attributes: ["label": "c", "color": "red"]),
      .init(source: "o1", target: "o2", attributes: ["label": "list[0]"]),
      .init(source: "o1", target: "o2", attributes: ["label": "list[1].k", "color": "blue"]),
    ]
    #expect(Set(graph.edges) == edges)
  }

  @Test func `collections have indices and keys, and unreachable objects are shown`() throws {
    let archive = try keyedArchive(
      ["NS.keys": [.uid(2), .uid(4)], "NS.objects": [.uid(3), .uid(3)], "$class": .uid(5)],
      "name", ["NS.objects": [1, .uid(2)], "$class": .uid(6)], ["x": 1, "$class": .uid(7)],
      .described("NSDictionary"), .described("NSSet"), .described("Point"), ["y": 2, "$class": .uid(7)])
    let graph = try GraphvizText(archive.graph())
    #expect(
      Set(graph.edges.filter { $0.source == "o1" }.map { $0.attributes["label"] }) == ["\"name\"", "key 1", "value 1"])
    #expect(graph.nodes["o3"]?["label"] == "#3 NSSet\n[0]: 1\n[1]: \"name\"\n")
    #expect(graph.nodes["o8"] == ["label": "#8 Point\ny: 2\n", "style": "dashed"])
    #expect(graph.nodes.keys.sorted() == ["o1", "o3", "o4", "o8", "top"])
  }

  @Test func `the graph of any archive is valid for Graphviz`() throws {
    let nasty = "a\"b\\n\\\"c\n\u{0}\u{1B}[31m{}<>;]\\"
    let archive = try keyedArchive(
      [nasty: .string(nasty), "list": [.string(nasty)], "o": .uid(3), "$class": .uid(2)],
      ["$classname": .string(nasty), "$classes": [.string(nasty)]],
      .string(String(repeating: nasty, count: 20)))
    let graph = try GraphvizText(archive.graph())
    #expect(graph.nodes["o1"]?["label"]?.contains(#"a"b\n\"c\u{a}\u{0}\u{1b}[31m{}<>;]\"#) == true)
    #expect(graph.edges.map(\.target) == ["o1", "o3"])
  }

  @Test func `a box shows how much it leaves out`() throws {
    let archive = try keyedArchive(
      ["NS.objects": .array((0..<100).map { .integer(.init($0)) }), "$class": .uid(2)], .described("NSArray"))
    let label = try #require(GraphvizText(archive.graph()).nodes["o1"]?["label"])
    #expect(label.hasSuffix("[23]: 23\n… 76 more\n"))
  }

  @Test func `a graph can begin at one object and end after some references`() throws {
    var objects: [PropertyList] = []
    for uid in 1..<10 as Range<UInt32> { objects.append(["next": .uid(uid + 1), "$class": .uid(11)]) }
    objects.append(["next": .uid(0), "$class": .uid(11)])
    objects.append(.described("Node"))
    let archive = try KeyedArchive(PropertyList.archive(objects: objects).data(format: .binary))
    let graph = try GraphvizText(archive.graph(of: PropertyList.UID(3), depth: 2))
    #expect(graph.nodes.keys.sorted() == ["o3", "o4", "o5"])
    #expect(graph.nodes["o5"]?["label"] == "#5 Node\n…\n")
    #expect(throws: KeyedArchiveError.self) { try archive.graph(of: PropertyList.UID(99)) }
  }
}

@Suite("Parts of archive trees") struct KeyedArchivePartTests {
  @Test func `a path leads through objects and collections`() throws {
    let archive = try twoFriends()
    func tree(_ path: String) throws -> String { try archive.tree(at: PropertyListKeyPath(path)) }
    #expect(try tree("root.name") == "\"Ada\"")
    #expect(try tree("root.friends.1.name") == "\"Charles\"")
    #expect(try tree("root.friends.NS\\.objects.1.boss") == "nil")
    #expect(
      try tree("root.friends.1") == """
        Person
          name: "Charles"
          friends: #3 [
            #1 Person
              name: "Ada"
              age: 36
              friends: → #3
            → #4
          ]
          boss: nil
        """)
    let failure = #expect(throws: KeyedArchiveError.self) { try tree("root.friends.7") }
    #expect(failure?.kind == .valueNotFound)
    #expect(failure?.path == PropertyListKeyPath([.key("root"), .key("friends")]))
  }

  @Test func `a path leads through dictionaries by string and number keys`() throws {
    let archive = try keyedArchive(
      top: ["root": .uid(1), "$0": 7],
      ["NS.keys": [.uid(2), .uid(3)], "NS.objects": [.uid(4), .uid(5)], "$class": .uid(6)], "a.b", 12, "text", "number",
      .described("NSMutableDictionary"))
    #expect(try archive.tree(at: PropertyListKeyPath([.key("root"), .key("a.b")])) == "\"text\"")
    #expect(try archive.tree(at: PropertyListKeyPath([.key("root"), .index(12)])) == "\"number\"")
    #expect(try archive.tree(at: PropertyListKeyPath([.key("$0")])) == "7")
  }

  @Test func `a part is an object by UID, down to a depth`() throws {
    let archive = try twoFriends()
    #expect(try archive.tree(of: PropertyList.UID(3), depth: 1) == "#3 [\n  #1 Person …\n  Person …\n]")
    #expect(try archive.tree(of: PropertyList.UID(4), at: PropertyListKeyPath("name")) == "\"Charles\"")
    #expect(try archive.tree(depth: 0) == "root: #1 Person …")
    #expect(try archive.tree(depth: 1) == "root: #1 Person\n  name: \"Ada\"\n  age: 36\n  friends: #3 [… 2]")
    #expect(throws: KeyedArchiveError.self) { try archive.tree(of: PropertyList.UID(99)) }
  }

  @Test func `an object that was cut off is shown once, and named where it occurs again`() throws {
    let archive = try keyedArchive(
      ["a": .uid(2), "b": .uid(2), "$class": .uid(3)], ["x": 1, "$class": .uid(3)], .described("Node"))
    #expect(try archive.tree(depth: 1) == "root: Node\n  a: #2 Node …\n  b: → #2")
  }
}

@Suite("Swift names for the classes of an archive") struct SwiftTypeNameTests {
  @Test(
    arguments: [
      ("NSURL", "URL"), ("NSMutableString", "String"), ("NSArray", "[ArchivedValue]"),
      ("NSDictionary", "[ArchivedValue: ArchivedValue]"), ("NSMutableSet", "Set<ArchivedValue>"),
      ("NSNull", "Archived.Null"), ("NSNumber", "Double"), ("NSDecimalNumber", "Decimal"), ("Person", "Person"),
      ("MyApp.Person", "MyApp.Person"), ("_TtC5MyApp6Person", "MyApp.Person"), ("UIColor", "Archived.Color"),
      ("a b", nil), ("", nil), ("A..B", nil), ("1A", nil), ("A\n.self, B", nil),
    ] as [(String, String?)])
  func `the names are those of this package's types, or custom names`(_ className: String, _ expected: String?) throws {
    let archive = try keyedArchive(["$class": .uid(2)], .described(className))
    #expect(try archive.classes.map(\.description.swiftTypeName) == [expected])
  }
}
