import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("plistutil archive") struct ArchiveVerbTests {
  private static let foo = Fixtures.url("archives/foo-ios.bplist").path

  /// Two people who know each other, an array that both have, and an unreferenced picture.
  private static let friends: PropertyList = {
    func described(_ name: String) -> PropertyList {
      ["$classname": .string(name), "$classes": [.string(name), "NSObject"]]
    }
    func uid(_ value: UInt32) -> PropertyList { .uid(.init(value)) }
    return [
      "$version": 100000, "$archiver": "NSKeyedArchiver", "$top": ["root": uid(1)],
      "$objects": [
        "$null", ["name": uid(2), "friends": uid(3), "$class": uid(6)], "Ada",
        ["NS.objects": [uid(1), uid(4)], "$class": uid(7)],
        ["name": uid(5), "friends": uid(3), "$class": uid(6)], "Charles", described("Model.Person"),
        described("NSArray"), ["size": 12, "$class": uid(9)], described("Picture"),
      ],
    ]
  }()

  private func friends(_ format: PropertyListFormat = .binary) throws -> Data {
    try Self.friends.data(format: format, options: .init(coercion: .reversible))
  }

  @Test(arguments: ["show", "classes", "check", "dot", "json", "html", "groups"])
  func `each verb has help with an example`(_ verb: String) throws {
    let help = try #require(try Tool.description(of: "archive", verb)["discussion"]?.string)
    #expect(help.contains("plistutil archive \(verb)"))
  }

  @Test func `the help of archive lists its verbs`() throws {
    let help = try Tool.run("archive", "--help")
    #expect(help.status == 0)
    for verb in ["show", "classes", "check", "dot", "json", "html", "groups"] {
      #expect(help.text.contains("\n  \(verb) "), "\(verb)")
    }
  }

  @Test(arguments: PropertyListFormat.allCases)
  func `show prints the objects as a tree, in every format`(_ format: PropertyListFormat) throws {
    let result = try Tool.run("archive", "show", input: friends(format))
    #expect(result.status == 0 && result.errors.isEmpty)
    #expect(
      result.text == """
        root: #1 Model.Person
          name: "Ada"
          friends: #3 [
            → #1
            Model.Person
              name: "Charles"
              friends: → #3
          ]
        (not reachable from a top-level key:)
          #8 Picture
            size: 12

        """)
  }

  @Test func `show prints a part, down to a depth`() throws {
    let input = try friends()
    #expect(try Tool.run("archive", "show", "--key", "root.friends.1.name", input: input).text == "\"Charles\"\n")
    #expect(try Tool.run("archive", "show", "--object", "8", input: input).text == "#8 Picture\n  size: 12\n")
    #expect(try Tool.run("archive", "show", "--depth", "0", input: input).text == "root: #1 Model.Person …\n")
    #expect(
      try Tool.run("archive", "show", "--object", "4", "--key", "friends", "--depth", "0", input: input).text
        == "#3 [… 2]\n")
    let lost = try Tool.run("archive", "show", "--key", "root.enemies", input: input)
    #expect(lost.status == 1 && lost.output.isEmpty)
    #expect(lost.errors == "<stdin>: error: there is no value at \"enemies\" (in root)\n")
    #expect(try Tool.run("archive", "show", "--object", "99", input: input).status != 0)
    #expect(try Tool.run("archive", "show", "--depth", "-1", input: input).status == 64)
  }

  @Test func `classes prints the classes and how many objects each has, or a list for Swift, or JSON`() throws {
    let input = try friends()
    #expect(
      try Tool.run("archive", "classes", input: input).text == """
        2 Model.Person: NSObject
        1 NSArray: NSObject
        1 Picture: NSObject

        """)
    #expect(
      try Tool.run("archive", "classes", "--swift", input: input).text == """
        [
          Model.Person.self,
          Picture.self,
          [ArchivedValue].self,
        ]

        """)
    let json = try PropertyList(Tool.run("archive", "classes", "--json", input: input).output, format: .json)
    let first: PropertyList = [
      "name": "Model.Person", "count": 2, "uid": 6, "classes": ["Model.Person", "NSObject"], "swift": "Model.Person",
    ]
    #expect(try json.value(at: PropertyListKeyPath("classes.0")) == first)
  }

  /// An archive with a reference to a missing object.
  private func dangling() throws -> Data {
    let list: PropertyList = [
      "$version": 100000, "$archiver": "NSKeyedArchiver", "$top": ["root": .uid(.init(1))],
      "$objects": ["$null", ["$class": .uid(.init(2)), "a": .uid(.init(9))], ["$classname": "A", "$classes": ["A"]]],
    ]
    return try list.data(format: .binary)
  }

  @Test func `check reports each defect, and exits with 3 for errors`() throws {
    let sound = try Tool.run("archive", "check", Self.foo)
    #expect(sound.status == 0 && sound.errors.isEmpty)
    #expect(sound.text == "\(Self.foo): OK (archive of NSKeyedArchiver, 4 objects)\n")
    let defective = try Tool.run("archive", "check", input: dangling())
    #expect(defective.status == 3 && defective.output.isEmpty)
    #expect(defective.errors.hasPrefix("<stdin>: error: object 1, a: "))
    let both = try Tool.run("archive", "check", "--json", Self.foo, "-", input: dangling())
    #expect(both.status == 3)
    let lines = both.text.split(separator: "\n")
    #expect(lines.first == "{\"file\":\"\(Self.foo)\",\"faults\":[]}")
    #expect(lines.last?.contains("\"severity\":\"error\",\"kind\":\"danglingReference\"") == true)
    #expect(lines.last?.contains("\"object\":1") == true)
  }

  @Test func `check reports oddities of a decodable archive, and exits with 0`() throws {
    let unused = try Tool.run("archive", "check", input: friends())
    #expect(unused.status == 0 && unused.text == "<stdin>: OK (archive of NSKeyedArchiver, 10 objects)\n")
    #expect(unused.errors.hasPrefix("<stdin>: note: object 8: no top-level key leads to this object\n"))
    var list = Self.friends
    list.dictionary?["$archiver"] = "MyArchiver"
    let other = try Tool.run("archive", "check", input: list.data(format: .binary))
    #expect(other.status == 0 && other.text == "<stdin>: OK (archive of MyArchiver, 10 objects)\n")
    #expect(other.errors.hasPrefix("<stdin>: warning: the archiver is \"MyArchiver\""))
    let json = try Tool.run("archive", "check", "--json", input: friends())
    #expect(json.status == 0 && json.text.contains("\"severity\":\"note\",\"kind\":\"unreachableObject\""))
  }

  @Test func `dot writes input for Graphviz`() throws {
    let folder = TemporaryFolder()
    let picture = folder.path("friends.dot")
    let result = try Tool.run("archive", "dot", "-o", picture, input: friends())
    #expect(result.status == 0 && result.output.isEmpty)
    let text = try String(contentsOfFile: picture, encoding: .utf8)
    let graph = try GraphvizText(text)
    #expect(graph.nodes.keys.sorted() == ["o1", "o3", "o4", "o8", "top"])
    #expect(graph.edges.count == 5)
    #expect(graph.edges.count { $0.attributes["style"] == "dashed" } == 2)
    #expect(graph.nodes["o4"]?["label"] == "#4 Model.Person\nname: \"Charles\"\n")
    let part = try GraphvizText(Tool.run("archive", "dot", "--object", "4", "--depth", "0", input: friends()).text)
    #expect(part.nodes.keys.sorted() == ["o4"])
    guard let program = Self.graphviz else { return }
    let drawn = try Program.run(program, ["-Tplain"], input: Data(text.utf8))
    #expect(drawn.status == 0 && drawn.errors.isEmpty)
    #expect(drawn.text.split(separator: "\n").count { $0.hasPrefix("node ") } == 5)
  }

  /// Graphviz's own program, if it is installed.
  private static let graphviz = ["/usr/bin/dot", "/opt/homebrew/bin/dot"].first(where: FileManager.default.fileExists)
    .map { URL(filePath: $0) }

  @Test func `json writes the objects as JSON, on several lines or one`() throws {
    let result = try Tool.run("archive", "json", input: friends())
    let value = try PropertyList(result.output, format: .json)
    #expect(try value.value(at: PropertyListKeyPath("$top.root.friends.NS\\.objects.0.$ref")) == 1)
    let compact = try Tool.run("archive", "json", "--compact", input: friends())
    #expect(try PropertyList(compact.output, format: .json) == value)
    #expect(compact.text.filter { $0 == "\n" }.count == 1)
  }

  @Test(arguments: ["show", "classes", "check", "dot", "json"])
  func `a file that is not an archive is an error`(_ verb: String) throws {
    let path = Fixtures.url("xml/integers.plist").path
    let result = try Tool.run("archive", verb, path)
    #expect(result.status == 3 && result.output.isEmpty)
    #expect(result.errors.hasPrefix("\(path): error: the property list is not a keyed archive: "))
    guard LongForm.isWanted || verb == "json" else { return }
    #expect(try Tool.run("archive", verb, Fixtures.url("hostile/text").path).status == 3)
    #expect(try Tool.run("archive", verb, "/nowhere").status == 1)
  }

  @Test func `the output names each file, and a failing file does not stop the others`() throws {
    let folder = TemporaryFolder()
    try friends().write(to: URL(filePath: folder.path("b.plist")))
    try friends(.xml).write(to: URL(filePath: folder.path("c.plist")))
    try Data("<plist><true/></plist>".utf8).write(to: URL(filePath: folder.path("a.plist")))
    let shown = try Tool.run("archive", "show", "-r", "--depth", "0", folder.path(""))
    #expect(shown.status == 3)
    let names = ["b", "c"].map { folder.path("\($0).plist") }
    #expect(shown.text == names.map { "\($0):\nroot: #1 Model.Person …\n" }.joined())
    #expect(shown.errors.contains("a.plist: error: "))
    let swift = try Tool.run("archive", "classes", "--swift", "-r", folder.path(""))
    #expect(swift.status == 3 && swift.text.contains("  Model.Person.self,\n"))
  }

  @Test(arguments: ["show", "classes", "check", "dot", "json"])
  func `30 000 nested objects take about ten times as long as 3 000`(_ verb: String) throws {
    func time(_ count: UInt32) throws -> Duration {
      var objects: [PropertyList] = ["$null"]
      for uid in 1..<count { objects.append(["next": .uid(.init(uid + 1)), "$class": .uid(.init(count + 1))]) }
      objects += ["end", ["$classname": "Node", "$classes": ["Node"]]]
      let archive: PropertyList = [
        "$version": 100000, "$archiver": "NSKeyedArchiver", "$top": ["root": .uid(.init(1))],
        "$objects": .array(objects),
      ]
      let data = try archive.data(format: .binary)
      let result = try Tool.run(["archive", verb], input: data)
      #expect(result.status == 0 && result.errors.isEmpty)
      #expect(result.output.count < 40 * data.count)
      return result.processorTime
    }
    let (small, large) = (try time(3_000), try time(30_000))
    #expect(large < small * 10 * ThreadClock.greatestGrowth, "\(small), \(large)")
  }

  @Test func `damaged and hostile archives end with an error or a view`() throws {
    let folder = TemporaryFolder()
    var random = SeededGenerator(seed: 5)
    let original = try [UInt8](friends())
    for number in 0..<60 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...4, using: &random) { bytes.damage(using: &random) }
      try Data(bytes).write(to: URL(filePath: folder.path("\(number).plist")))
    }
    for verb in ["show", "classes", "check", "dot", "json"] {
      let result = try Tool.run("archive", verb, "-r", folder.path(""))
      #expect(!result.wasKilled && [0, 1, 3, 4, 5].contains(result.status), "\(verb): \(result.errors)")
    }
  }

  @Test func `archives of other producers are shown, checked and drawn`() throws {
    let archives = Fixtures.corpus.filter { $0.pathExtension == "archive" }
    guard !archives.isEmpty else { return }
    let folder = TemporaryFolder()
    let paths = try archives.enumerated().map { index, url in
      let path = folder.path("\(index)-\(url.lastPathComponent)")
      try FileManager.default.copyItem(at: url, to: URL(filePath: path))
      return path
    }
    func run(_ arguments: String...) throws -> Program {
      let result = try Tool.run(["archive"] + arguments + paths)
      #expect(result.status == 0 && result.errors.isEmpty, "\(arguments): \(result.errors)")
      return result
    }
    #expect(try Tool.run(["archive", "check"] + paths).status == 0)
    let shown = try run("show").text
    for path in paths { #expect(shown.contains("\(path):\nroot: "), "\(path)") }
    _ = try run("dot", "--outfolder", folder.path("dot"))
    _ = try run("json", "--outfolder", folder.path("json"))
    for path in paths {
      let name = URL(filePath: path).lastPathComponent
      let graph = try GraphvizText(String(contentsOfFile: folder.path("dot/\(name)"), encoding: .utf8))
      #expect(graph.nodes["o1"] != nil, "\(name)")
      let json = try Data(contentsOf: URL(filePath: folder.path("json/\(name)")))
      #expect(try PropertyList(json, format: .json).kind == .dictionary, "\(name)")
    }
    let types = try run("classes", "--swift").text
    #expect(types.hasPrefix("[") && !types.contains("not a Swift type"), "\(types)")
  }
}
