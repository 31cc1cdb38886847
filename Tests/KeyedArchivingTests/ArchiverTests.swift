import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

/// The objects of an archive.
func objects(_ data: Data) throws -> [PropertyList] { try PropertyList(data)["$objects"]?.array ?? [] }

private func uid(_ value: UInt32) -> PropertyList { .uid(.init(value)) }

@Suite("Archiver output") struct ArchiverTests {
  @Test func `objects get UIDs when they are reached, and classes after their contents`() throws {
    let list = try objects(KeyedArchiver.archivedData(withRootObject: [Point(x: 1, y: 2)]))
    #expect(
      list == [
        "$null", ["NS.objects": [uid(2)], "$class": uid(4)], ["x": 1, "y": 2, "$class": uid(3)],
        ["$classname": "Point", "$classes": ["Point", "NSObject"]],
        ["$classname": "NSArray", "$classes": ["NSArray", "NSObject"]],
      ])
  }

  @Test func `equal values are archived once, also composite ones`() throws {
    let point = Point(x: 1, y: 2)
    let list = try objects(
      KeyedArchiver.archivedData(withRootObject: [[point, point], [point, point], [Point(x: 1, y: 3)]]))
    // The outer array, one inner, one point, its class, the array's, then the other inner array and its point.
    #expect(list.count == 8)
    #expect(list[1]["NS.objects"] == [uid(2), uid(2), uid(5)] || list[1]["NS.objects"] == [uid(2), uid(2), uid(6)])
    let texts = try objects(KeyedArchiver.archivedData(withRootObject: ["a", "b", "a", "a"]))
    #expect(texts[1]["NS.objects"] == [uid(2), uid(3), uid(2), uid(2)])
  }

  @Test func `an object is archived once, and decoded as one object`() throws {
    let shared = Circle(color: "red", radius: 2)
    let equal = Circle(color: "red", radius: 2)
    let data = try KeyedArchiver.archivedData(withRootObject: [shared, equal, shared])
    let copies = try KeyedUnarchiver.unarchivedObject(of: [Circle].self, from: data)
    #expect(copies[0] === copies[2])
    #expect(copies[0] !== copies[1], "equal objects are two objects")
    #expect(copies.map(\.color) == ["red", "red", "red"])
    #expect(copies.map(\.radius) == [2, 2, 2])
  }

  @Test func `mutable objects keep their class and their identity`() throws {
    let text = Archived.Mutable("abc")
    let data = try KeyedArchiver.archivedData(withRootObject: [text, Archived.Mutable("abc"), text])
    let list = try objects(data)
    #expect(list[1]["NS.objects"] == [uid(2), uid(4), uid(2)])
    #expect(list[2]["NS.string"] == "abc")
    #expect(list[3]["$classes"] == ["NSMutableString", "NSString", "NSObject"])
    let copies = try KeyedUnarchiver.unarchivedObject(of: [Archived.Mutable<String>].self, from: data)
    #expect(copies[0] === copies[2])
    #expect(copies[0] !== copies[1])
    #expect(try KeyedUnarchiver.unarchivedObject(of: [String].self, from: data) == ["abc", "abc", "abc"])
  }

  @Test func `a circular graph is decoded to the same graph`() throws {
    let root = TreeNode("root", [TreeNode("left"), TreeNode("right", [TreeNode("leaf")])])
    root.friend = root
    root.children[0].friend = root.children[1].children[0]
    let copy = try KeyedUnarchiver.unarchivedObject(
      of: TreeNode.self, from: KeyedArchiver.archivedData(withRootObject: root))
    #expect(copy.friend === copy)
    #expect(copy.children.map(\.name) == ["left", "right"])
    #expect(copy.children[0].friend === copy.children[1].children[0])
    #expect(copy.children[1].children[0].parent === copy.children[1])
    copy.friend = nil
    root.friend = nil
  }

  @Test func `an object with only conditional references is not archived, in any order`() throws {
    let parent = TreeNode("parent", [TreeNode("child")])
    let orphan = try KeyedUnarchiver.unarchivedObject(
      of: TreeNode.self, from: KeyedArchiver.archivedData(withRootObject: parent.children[0]))
    #expect(orphan.parent == nil)

    let archiver = KeyedArchiver()
    try archiver.encodeConditionalObject(parent, forKey: "before")
    try archiver.encode(parent, forKey: "parent")
    try archiver.encodeConditionalObject(parent, forKey: "after")
    try archiver.encodeConditionalObject(nil as TreeNode?, forKey: "nothing")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData())
    let copy = try unarchiver.decode(TreeNode.self, forKey: "before")
    #expect(copy.name == "parent")
    #expect(try unarchiver.decode(TreeNode.self, forKey: "parent") === copy)
    #expect(try unarchiver.decode(TreeNode.self, forKey: "after") === copy)
    #expect(try unarchiver.decodeIfPresent(TreeNode.self, forKey: "nothing") == nil)
    #expect(unarchiver.containsValue(forKey: "nothing"))
    #expect(!unarchiver.containsValue(forKey: "other"))
  }

  @Test func `numbers keep their widths, and Booleans stay Booleans`() throws {
    let archiver = KeyedArchiver()
    try archiver.encode(true, forKey: "bool")
    try archiver.encode(Int8.min, forKey: "int8")
    try archiver.encode(Int.min, forKey: "int")
    try archiver.encode(UInt64.max, forKey: "uint64")
    try archiver.encode(Float(0.1), forKey: "float")
    try archiver.encode(0.1, forKey: "double")
    try archiver.encodeBytes(Data([1, 2, 3]), forKey: "bytes")
    try archiver.encode(propertyList: ["a": [1, 2.5, true], "b": .data(Data([9]))], forKey: "list")
    let data = try archiver.encodedData()
    let top = try #require(try PropertyList(data)["$top"])
    #expect(top["bool"] == true)
    #expect(top["int8"] == -128)
    #expect(top["int"] == .integer(.init(Int.min)))
    #expect(top["uint64"] == .integer(.init(UInt64.max)))
    #expect(top["float"] == .float(0.1))
    #expect(top["double"] == .real(0.1))
    #expect(top["bytes"] == .data(Data([1, 2, 3])))
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    #expect(try unarchiver.decode(UInt64.self, forKey: "uint64") == .max)
    #expect(try unarchiver.decode(Float.self, forKey: "float") == 0.1)
    #expect(try unarchiver.decodeBytes(forKey: "bytes") == Data([1, 2, 3]))
    #expect(try unarchiver.decodePropertyList(forKey: "list") == ["a": [1, 2.5, true], "b": .data(Data([9]))])
    #expect(Set(unarchiver.topLevelKeys) == ["bool", "int8", "int", "uint64", "float", "double", "bytes", "list"])
  }

  @Test func `keys that begin with a dollar sign do not collide with the archiver's keys`() throws {
    let archiver = KeyedArchiver()
    try archiver.encode("a", forKey: "$class")
    try archiver.encode("b", forKey: "$$")
    try archiver.encode("c", forKey: "$\u{301}")
    let data = try archiver.encodedData()
    #expect(try PropertyList(data)["$top"]?["$$class"] != nil)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    #expect(try unarchiver.decode(String.self, forKey: "$class") == "a")
    #expect(try unarchiver.decode(String.self, forKey: "$$") == "b")
    #expect(try unarchiver.decode(String.self, forKey: "$\u{301}") == "c")
    #expect(Set(unarchiver.topLevelKeys) == ["$class", "$$", "$\u{301}"])
  }

  @Test func `the string $null is a string`() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: ["$null", nil, "$null", "$nul"])
    #expect(try KeyedUnarchiver.unarchivedObject(of: [String?].self, from: data) == ["$null", nil, "$null", "$nul"])
  }

  @Test func `a replacement is archived instead of a value, once for each object`() throws {
    final class Original: SecureCoding {
      static nonisolated(unsafe) var asked = 0
      static let archivedClass = ArchivedClass("Original")
      init() {}
      init(coder: KeyedUnarchiver) throws {}
      func encode(with coder: KeyedArchiver) throws { try coder.encode(true, forKey: "original") }
      func replacementObject(for coder: KeyedArchiver) throws -> (any SecureCoding)? {
        Self.asked += 1
        return Circle(color: "blue", radius: 1)
      }
    }
    struct Fahrenheit: SecureCoding {
      static let archivedClass = ArchivedClass("Fahrenheit")
      var degrees: Double
      init(degrees: Double) { self.degrees = degrees }
      init(coder: KeyedUnarchiver) throws { degrees = try coder.decode(Double.self, forKey: "degrees") }
      func encode(with coder: KeyedArchiver) throws { try coder.encode(degrees, forKey: "degrees") }
      /// It has the same type, so it is not asked for a replacement again.
      func replacementObject(for coder: KeyedArchiver) throws -> (any SecureCoding)? {
        Fahrenheit(degrees: degrees + 1)
      }
    }
    let original = Original()
    let data = try KeyedArchiver.archivedData(withRootObject: [original, original])
    let copies = try KeyedUnarchiver.unarchivedObject(of: [Circle].self, from: data)
    #expect(copies[0] === copies[1])
    #expect(copies[0].color == "blue")
    #expect(Original.asked == 1)
    let degrees = try KeyedArchiver.archivedData(withRootObject: Fahrenheit(degrees: 1))
    #expect(try KeyedUnarchiver.unarchivedObject(of: Fahrenheit.self, from: degrees).degrees == 2)
  }

  @Test func `a decoded value can be replaced`() throws {
    final class Unique: SecureCoding, Sendable {
      static let archivedClass = ArchivedClass("Unique")
      static let shared = Unique()
      init() {}
      init(coder: KeyedUnarchiver) throws {}
      func encode(with coder: KeyedArchiver) throws {}
      func awakeAfterDecoding(by coder: KeyedUnarchiver) throws -> Unique { .shared }
    }
    let data = try KeyedArchiver.archivedData(withRootObject: [Unique(), Unique()])
    let copies = try KeyedUnarchiver.unarchivedObject(of: [Unique].self, from: data)
    #expect(copies.allSatisfy { $0 === Unique.shared })
  }

  @Test func `an archiver can rename a class, and an unarchiver can read the name`() throws {
    let archiver = KeyedArchiver()
    archiver.setClassName("Spot", for: Point.self)
    #expect(archiver.className(for: Point.self) == "Spot")
    try archiver.encode(Point(x: 1, y: 2), forKey: "root")
    let data = try archiver.encodedData()
    #expect(try objects(data)[2] == ["$classname": "Spot"])
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    #expect(throws: KeyedArchiveError.self) { try unarchiver.decode(Point.self, forKey: "root") }
    unarchiver.setClass(Point.self, forClassName: "Spot")
    #expect(try unarchiver.decode(Point.self, forKey: "root") == Point(x: 1, y: 2))
  }

  @Test func `class hints and ancestors are written as declared`() throws {
    struct Color: SecureCoding {
      static let archivedClass = ArchivedClass("UIColor", ancestors: ["NSObject"], hints: ["NSColor"])
      init() {}
      init(coder: KeyedUnarchiver) throws {}
      func encode(with coder: KeyedArchiver) throws {}
    }
    struct MacColor: SecureCoding {
      static let archivedClass = ArchivedClass("NSColor")
      init(coder: KeyedUnarchiver) throws {}
      func encode(with coder: KeyedArchiver) throws {}
    }
    let data = try KeyedArchiver.archivedData(withRootObject: Color())
    #expect(
      try objects(data)[2]
        == ["$classname": "UIColor", "$classes": ["UIColor", "NSObject"], "$classhints": ["NSColor"]])
    _ = try KeyedUnarchiver.unarchivedObject(of: MacColor.self, from: data)
  }

  @Test func `the class name is Module.Type by default, also for nested types`() throws {
    struct Local: Codable, SecureCoding { var a = 1 }
    #expect(
      Local.archivedClass.name == "KeyedArchivingTests.ArchiverTests.Local"
        || Local.archivedClass.name == "KeyedArchivingTests.Local")
    #expect(!Local.archivedClass.name.contains("("))
    #expect(Local.archivedClass.ancestors == ["NSObject"])
  }

  @Test func `sets and dictionaries are archived deterministically, in Apple's order`() throws {
    let numbers = try objects(KeyedArchiver.archivedData(withRootObject: Set([1, 2, 3, 4, 5])))
    #expect(numbers[2...6] == [3, 2, 5, 1, 4])
    var archives: Set<Data> = []
    for _ in 0..<20 {
      // Each literal has its own hash seed.
      let points = Set((0..<30).shuffled().map { Point(x: $0 % 7, y: $0) })
      let names = Dictionary(uniqueKeysWithValues: (0..<30).shuffled().map { ("key \($0)", $0) })
      archives.insert(try KeyedArchiver.archivedData(withRootObject: [points]))
      #expect(
        try KeyedUnarchiver.unarchivedObject(
          of: [String: Int].self, from: KeyedArchiver.archivedData(withRootObject: names)) == names)
    }
    #expect(archives.count == 1)
  }

  @Test func `XML archives have the same objects, and Apple's order of keys`() throws {
    let foo = Foo(kBar: "祈求者Kael", kBaz: 24)
    let data = try KeyedArchiver.archivedData(withRootObject: foo, outputFormat: .xml)
    let text = String(decoding: data, as: UTF8.self)
    #expect(text.hasPrefix("<?xml"))
    let archiver = try #require(text.range(of: "<key>$archiver</key>"))
    let version = try #require(text.range(of: "<key>$version</key>"))
    #expect(archiver.lowerBound < version.lowerBound)
    #expect(try KeyedUnarchiver.unarchivedObject(of: Foo.self, from: data).kBar == foo.kBar)
    #expect(throws: Never.self) { try PropertyListSerialization.propertyList(from: data, format: nil) }
  }

  @Test func `files are written atomically and read again`() throws {
    let folder = TemporaryFolder()
    let url = folder.url.appending(path: "points.plist")
    try KeyedArchiver.archive([Point(x: 1, y: 2)], to: url)
    #expect(folder.names == ["points.plist"])
    #expect(try KeyedUnarchiver.unarchivedObject(of: [Point].self, from: url) == [Point(x: 1, y: 2)])
    let nowhere = folder.url.appending(path: "none/points.plist")
    #expect(throws: KeyedArchiveError.self) { try KeyedArchiver.archive([Point(x: 1, y: 2)], to: nowhere) }
    #expect(throws: KeyedArchiveError.self) { try KeyedUnarchiver.unarchivedObject(of: [Point].self, from: nowhere) }
  }

  @Test func `an archiver that has failed or finished returns no more data`() throws {
    struct Broken: SecureCoding {
      struct Failure: Error {}
      static let archivedClass = ArchivedClass("Broken")
      init() {}
      init(coder: KeyedUnarchiver) throws {}
      func encode(with coder: KeyedArchiver) throws { throw Failure() }
    }
    let archiver = KeyedArchiver()
    #expect(throws: Broken.Failure.self) { try archiver.encode([Broken()], forKey: "root") }
    #expect(throws: Broken.Failure.self) { try archiver.encode(1, forKey: "other") }
    #expect(throws: Broken.Failure.self) { try archiver.encodedData() }
    let complete = KeyedArchiver()
    try complete.encode(1, forKey: "a")
    _ = try complete.encodedData()
    let error = #expect(throws: KeyedArchiveError.self) { try complete.encode(1, forKey: "b") }
    #expect(error?.kind == .finished)
    #expect(throws: KeyedArchiveError.self) { try complete.encodedData() }
  }

  @Test func `a key that is encoded twice is an error, also after other objects`() throws {
    struct Twice: SecureCoding {
      static let archivedClass = ArchivedClass("Twice")
      init() {}
      init(coder: KeyedUnarchiver) throws {}
      func encode(with coder: KeyedArchiver) throws {
        try coder.encode(1, forKey: "a")
        try coder.encode(Point(x: 0, y: 0), forKey: "b")
        try coder.encode(2, forKey: "a")
      }
    }
    let error = #expect(throws: KeyedArchiveError.self) { try KeyedArchiver.archivedData(withRootObject: Twice()) }
    #expect(error?.kind == .duplicateKey)
    #expect(error?.code == 4866)
  }

  @Test func `a chain that is too deep for the stack is an error, in both directions, on any thread`() throws {
    let chain = ChainLink.chain(length: LongForm.size(1_000_000, or: 12_000))
    defer { ChainLink.release(chain) }
    let error = #expect(throws: KeyedArchiveError.self) { try KeyedArchiver.archivedData(withRootObject: chain) }
    #expect(error?.kind == .nestedTooDeeply)
    nonisolated(unsafe) let same = chain
    let other = OnSmallStack.run { try KeyedArchiver.archivedData(withRootObject: same) }
    #expect((other.error as? KeyedArchiveError)?.kind == .nestedTooDeeply)
    let short = ChainLink.chain(length: 60)
    let copy = OnSmallStack.run {
      try KeyedUnarchiver.unarchivedObject(of: ChainLink.self, from: KeyedArchiver.archivedData(withRootObject: short))
    }
    #expect(copy.error == nil, "60 levels fit into half a megabyte")
  }
}

@Suite("The order of Core Foundation's hash tables") struct CoreFoundationOrderTests {
  @Test(arguments: [
    (["NS.keys", "NS.objects", "$class"], ["NS.keys", "NS.objects", "$class"]),
    (["NS.string", "$class"], ["$class", "NS.string"]),
    (["NS.base", "NS.relative", "$class"], ["NS.base", "$class", "NS.relative"]),
    (
      ["title", "author", "date", "published", "array", "$class"],
      ["array", "author", "title", "$class", "published", "date"]
    ),
  ])
  func `the order is the same as in archives of macOS`(_ encoded: [String], _ stored: [String]) throws {
    struct Fields: SecureCoding {
      static let archivedClass = ArchivedClass("Fields")
      var keys: [String]
      init(keys: [String]) { self.keys = keys }
      init(coder: KeyedUnarchiver) throws { keys = [] }
      func encode(with coder: KeyedArchiver) throws { for key in keys { try coder.encode(true, forKey: key) } }
    }
    let data = try KeyedArchiver.archivedData(withRootObject: Fields(keys: encoded.dropLast()))
    #expect(try objects(data)[1].dictionary.map { Array($0.keys) } == stored)
  }
}

@Suite("Property lists in objects") struct InlinePropertyListTests {
  struct Holder: SecureCoding {
    static let archivedClass = ArchivedClass("Holder")
    var list: PropertyList
    init(list: PropertyList) { self.list = list }
    init(coder: KeyedUnarchiver) throws { list = try coder.decodePropertyList(forKey: "list") }
    func encode(with coder: KeyedArchiver) throws { try coder.encode(propertyList: list, forKey: "list") }
  }

  private func nested(_ depth: Int) -> PropertyList {
    var list: PropertyList = 1
    for level in 0..<depth { list = level % 2 == 0 ? [list] : ["a": list] }
    return list
  }

  @Test(arguments: [PropertyListFormat.binary, .xml])
  func `property lists are decoded unchanged`(_ format: PropertyListFormat) throws {
    let list: PropertyList = [
      "a": [1, 2.5, true, "text"], "b": .data(Data([9])), "c": .date(Date(timeIntervalSince1970: 0)),
    ]
    let data = try KeyedArchiver.archivedData(withRootObject: Holder(list: list), outputFormat: format)
    #expect(try KeyedUnarchiver.unarchivedObject(of: Holder.self, from: data).list == list)
    let other = try KeyedArchiver.archivedData(withRootObject: Holder(list: nested(400)), outputFormat: format)
    #expect(try KeyedUnarchiver.unarchivedObject(of: Holder.self, from: other).list == nested(400))
  }

  @Test func `property lists that are nested too deeply, or contain UIDs, are errors`() throws {
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedArchiver.archivedData(withRootObject: Holder(list: nested(600)))
    }
    #expect(error?.kind == .nestedTooDeeply)
    let uid = #expect(throws: KeyedArchiveError.self) {
      try KeyedArchiver.archivedData(withRootObject: Holder(list: [.uid(.init(1))]))
    }
    #expect(uid?.kind == .invalidValue)
    let small = OnSmallStack.run { [self] in
      try KeyedUnarchiver.unarchivedObject(
        of: Holder.self, from: KeyedArchiver.archivedData(withRootObject: Holder(list: nested(500)))
      ).list
    }
    #expect(small.error == nil || (small.error as? KeyedArchiveError)?.kind == .nestedTooDeeply)
  }

  @Test func `property lists in many objects take time in proportion to their size`() throws {
    let growth = try ThreadClock.growth(from: 1_000, to: LongForm.size(20_000, or: 8_000)) { count in
      try KeyedArchiver.archivedData(withRootObject: (0..<count).map { Holder(list: [.integer(.init($0)), "x"]) })
    } work: { data in
      let holders = try KeyedUnarchiver.unarchivedObject(of: [Holder].self, from: data)
      #expect(holders.count >= 1_000)
    }
    #expect(growth < ThreadClock.greatestGrowth, "it was 8 or more when each was prepared for the whole archive")
  }
}
