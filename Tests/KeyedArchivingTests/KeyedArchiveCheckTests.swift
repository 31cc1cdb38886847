import ArchiveViews
import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import KeyedArchiving

@Suite("Checking archives") struct KeyedArchiveCheckTests {
  /// An expected finding.
  struct Expected: Hashable, CustomStringConvertible {
    let kind: KeyedArchive.Finding.Kind
    let uid: UInt32?
    let path: String
    let message: String?

    init(_ kind: KeyedArchive.Finding.Kind, _ uid: UInt32? = nil, _ path: String = "", _ message: String? = nil) {
      self.kind = kind
      self.uid = uid
      self.path = path
      self.message = message
    }

    var description: String { "\(kind) \(uid.map(String.init) ?? "-") \(path) \(message ?? "")" }
  }

  private func expect(_ expected: [Expected], in data: Data, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let findings = KeyedArchive.check(try PropertyListDocument(data))
    let found = zip(findings, expected + Array(repeating: Expected(.root), count: findings.count)).map {
      finding, expected in
      // The message is compared if one is expected.
      Expected(
        finding.kind, finding.uid?.value, KeyedArchiveError.spelled(finding.path),
        expected.message == nil ? nil : finding.message)
    }
    #expect(found == expected, "\(findings.map(\.description).joined(separator: "\n"))", sourceLocation: sourceLocation)
    for finding in findings {
      #expect(!finding.message.contains("\n") && finding.description.hasSuffix(finding.message))
    }
  }

  @Test(arguments: PropertyListFormat.allCases)
  func `valid archives have no findings`(_ format: PropertyListFormat) throws {
    #expect(try twoFriends(format: format).check().isEmpty)
    #expect(try KeyedArchive(contentsOf: Fixtures.url("archives/foo-ios.bplist")).check().isEmpty)
    let archive = try keyedArchive(
      top: ["root": .uid(1), "inline": [["k": .uid(2)] as PropertyList, 2.5], "nothing": .uid(0)], format: format,
      ["NS.objects": [.uid(2), .uid(3), .uid(4), .uid(5), .uid(6), .uid(7), .uid(8)], "$class": .uid(9)],
      ["NS.string": .uid(10), "$class": .uid(11)], ["NS.bytes": .data(Data([97])), "$class": .uid(11)],
      ["NS.time": 1.5, "$class": .uid(12)], ["NS.uuidbytes": .data(Data(count: 16)), "$class": .uid(13)],
      ["NS.relative": .uid(2), "NS.base": .uid(0), "$class": .uid(14)],
      ["NS.keys": [.uid(10)], "NS.objects": [.uid(7)], "$class": .uid(15)], "$null",
      .described("NSMutableArray", "NSArray"), "text", .described("NSString"), .described("NSDate"),
      .described("NSUUID"), .described("NSURL"), .described("NSMutableDictionary", "NSDictionary"))
    #expect(archive.check().isEmpty, "\(archive.check())")
  }

  @Test(arguments: Fixtures.archives) func `archives of Apple have no findings`(_ url: URL) throws {
    let findings = try KeyedArchive(contentsOf: url).check()
    #expect(findings.isEmpty, "\(findings)")
  }

  @Test func `archives of this package have no findings`() throws {
    let url = try #require(URL(string: "index.html", relativeTo: URL(string: "https://www.swift.org/")))
    let archiver = KeyedArchiver()
    try archiver.encode(["one": [Foo(kBar: "bar", kBaz: 1), Foo(kBar: "bar", kBaz: 2)], "two": []], forKey: "foos")
    try archiver.encode([Date.now: [UUID()]], forKey: "dates")
    try archiver.encode(Set([url]), forKey: "$urls")
    try archiver.encode(Archived.Mutable("text"), forKey: "text")
    let archive = try KeyedArchive(archiver.encodedData())
    #expect(archive.check().isEmpty, "\(archive.check())")
  }

  /// Property lists that are not archives, and their defects.
  static let otherLists: [(PropertyList, [Expected])] = [
    (["$objects"], [.init(.root)]),
    ([:], [.init(.archiver), .init(.version), .init(.top), .init(.objectTable)]),
    (
      ["$archiver": 1, "$version": "1", "$top": [], "$objects": [:]],
      [.init(.archiver), .init(.version), .init(.top), .init(.objectTable)]
    ),
    (
      ["$archiver": "A", "$version": 1, "$top": ["root": .uid(9)], "$objects": ["$null"]],
      [
        .init(
          .version, nil, "", "the property list is not a keyed archive: its $version is 1, not 100000"),
        .init(.otherArchiver, nil, "", #"the archiver is "A"; Apple's readers accept only "NSKeyedArchiver""#),
        .init(.danglingReference, nil, "$top.root"),
      ]
    ),
    (["$archiver": "NSKeyedArchiver", "$version": 100000, "$top": ["root": .uid(1)]], [.init(.objectTable)]),
    (
      ["$archiver": "NSKeyedArchiver", "$version": 100000, "$objects": ["$null", ["a": .uid(7)] as PropertyList]],
      [.init(.top), .init(.missingClass, 1), .init(.danglingReference, 1, "a")]
    ),
    (["$archiver": "NSKeyedArchiver", "$version": 100000, "$top": [:], "$objects": []], [.init(.firstObject)]),
    (
      ["$archiver": "NSKeyedArchiver", "$version": 100000, "$top": ["root": .uid(0)], "$objects": ["text"]],
      [.init(.firstObject, 0, "", "the first object is a string, not the string $null")]
    ),
  ]

  @Test(arguments: otherLists)
  func `findings say what is missing from a property list that is not an archive`(
    _ list: PropertyList, _ expected: [Expected]
  ) throws {
    try expect(expected, in: list.data(format: .binary))
    try expect(expected, in: list.data(format: .xml))
  }

  /// Objects from UID 1, and their defects. The key `root` refers to UID 1.
  static let damagedObjects: [([PropertyList], [Expected])] = [
    // References.
    (
      [["a": [1, ["b": .uid(9)] as PropertyList], "$class": .uid(2)], .described("C")],
      [.init(.danglingReference, 1, "a[1].b")]
    ),
    ([["$class": .uid(9)]], [.init(.danglingReference, 1, "$class")]),
    ([["a": .uid(2), "$class": .uid(2)], .described("C")], [.init(.referenceToClass, 1, "a")]),
    // Objects.
    ([.uid(2), "text"], [.init(.invalidObject, 1, "", "a UID cannot be an object of an archive")]),
    ([[.uid(2)], "text"], [.init(.invalidObject, 1, "", "an array cannot be an object of an archive")]),
    ([["a": 1]], [.init(.missingClass, 1)]),
    (
      [["$class": .uid(2)], "text", .described("C"), "$null", ["$class": .uid(3)]],
      [
        .init(.invalidClass, 1, "$class", "object 2 is not a class description"), .init(.unreachableObject, 3),
        .init(.unreachableObject, 5),
      ]
    ),
    ([["$class": "C"]], [.init(.invalidClass, 1, "$class", "expected a UID as $class, found a string")]),
    ([["$class": .uid(1)]], [.init(.invalidClass, 1, "$class")]),
    ([["$class": .uid(0)]], [.init(.invalidClass, 1, "$class")]),
    (
      [["a": ["$class": .uid(2)], "$class": .uid(2)], .described("C")],
      [.init(.inlineObject, 1, "a"), .init(.referenceToClass, 1, "a.$class")]
    ),
    // Classes.
    (
      [["a": .uid(2), "$class": .uid(3)], ["$class": .uid(4)], .described("C"), .described("C")],
      [.init(.classDescribedTwice, 4, "", #"the class "C" is also described by object 3"#)]
    ),
    (
      [["$class": .uid(2)], ["x": 1]],
      [.init(.classDescription, 2, "", "the class description has no string $classname")]
    ),
    ([["$class": .uid(2)], ["$classname": 1, "$classes": ["C"]]], [.init(.classDescription, 2)]),
    (
      [["$class": .uid(2)], ["$classname": "C", "$classes": ["D", "NSObject"]]],
      [.init(.classDescription, 2, "", #"the class "C" is missing from its $classes"#)]
    ),
    ([["$class": .uid(2)], ["$classname": "C", "$classes": ["C", 1]]], [.init(.classDescription, 2)]),
    ([["$class": .uid(2)], ["$classname": "C", "$classhints": "D"]], [.init(.classDescription, 2)]),
    ([["$class": .uid(2)], ["$classname": "C"]], []),
    // Reachability.
    (
      ["root", ["a": .uid(3), "$class": .uid(4)], "text", .described("C")],
      [.init(.unreachableObject, 2), .init(.unreachableObject, 3), .init(.unreachableObject, 4)]
    ),
    (
      ["root", ["a": .uid(2), "$class": .uid(3)], .described("C")],
      [.init(.unreachableObject, 2), .init(.unreachableObject, 3)]
    ),
    (["root", "$null"], []),
  ]

  @Test(arguments: damagedObjects)
  func `defects of objects are found with their paths`(_ objects: [PropertyList], _ expected: [Expected]) throws {
    let list = PropertyList.archive(objects: objects)
    try expect(expected, in: list.data(format: .binary))
    try expect(expected, in: list.data(format: .xml))
  }

  /// The class of an object, its contents, and its defects.
  static let damagedContents: [(String, PropertyList, String)] = [
    ("NSArray", [:], "an NSArray has no array NS.objects"),
    ("NSMutableArray", ["NS.objects": 1], "an NSMutableArray has no array NS.objects"),
    ("NSSet", ["NS.objects": "text"], "an NSSet has no array NS.objects"),
    ("NSDictionary", ["NS.objects": []], "an NSDictionary has no array NS.keys"),
    ("NSDictionary", ["NS.keys": []], "an NSDictionary has no array NS.objects"),
    (
      "NSMutableDictionary", ["NS.keys": ["a", "b"], "NS.objects": [1]],
      "an NSMutableDictionary has 2 keys, but 1 values"
    ),
    ("NSDate", [:], "an NSDate has no NS.time"),
    ("NSDate", ["NS.time": 5], "an NSDate has an integer as NS.time, not a real"),
    ("NSUUID", [:], "an NSUUID has no NS.uuidbytes"),
    ("NSUUID", ["NS.uuidbytes": .data(Data(count: 15))], "an NSUUID has 15 bytes, not 16"),
    ("NSUUID", ["NS.uuidbytes": "0123456789abcdef"], "an NSUUID has a string as NS.uuidbytes, not data"),
    ("NSURL", ["NS.base": .uid(0)], "an NSURL has no NS.relative"),
    ("NSURL", ["NS.base": .uid(0), "NS.relative": .uid(0)], "an NSURL has an NS.relative that is not a string"),
    ("NSString", [:], "an NSString has no string NS.string"),
    ("NSMutableString", ["NS.string": 5], "an NSMutableString has an NS.string that is not a string"),
  ]

  @Test("objects that Apple's reader would refuse are found", arguments: damagedContents)
  func findsObjectsOfFoundationsClassesThatApplesReaderWould(_ name: String, _ object: PropertyList, _ message: String)
    throws
  {
    var object = object
    object.dictionary?["$class"] = .uid(2)
    let list = PropertyList.archive(objects: [object, .described(name)])
    try expect([.init(.invalidContents, 1, "", message)], in: list.data(format: .binary))
    // Another class can have any contents.
    let other = PropertyList.archive(objects: [object, .described("My" + name)])
    try expect([], in: other.data(format: .binary))
  }

  @Test func `immutable collections that contain themselves are found`() throws {
    func array(_ uids: UInt32..., class uid: UInt32) -> PropertyList {
      ["NS.objects": .array(uids.map { .uid($0) }), "$class": .uid(uid)]
    }
    let list = PropertyList.archive(objects: [
      array(1, 2, 5, class: 9), array(3, class: 9), array(4, class: 10),
      ["NS.keys": [.uid(4)], "NS.objects": [.uid(2)], "$class": .uid(11)],
      // A circle through a mutable object is allowed.
      array(6, class: 9), array(5, 7, 8, class: 12), ["a": .uid(5), "$class": .uid(13)], array(8, class: 12),
      .described("NSArray"), .described("NSSet"), .described("NSDictionary"),
      .described("NSMutableArray", "NSArray"), .described("Person"),
    ])
    try expect(
      [
        .init(.circularCollection, 1, "", "the immutable collection contains itself"),
        .init(.circularCollection, 2, "", "the immutable collection contains itself, through #3, #4"),
      ], in: list.data(format: .binary))
  }

  @Test func `duplicate keys are found in the archive, at the top, in objects and in dictionaries`() throws {
    var list = PropertyList.archive(
      top: ["root": .uid(1), "a1": 1, "a2": 2],
      objects: [["list": [["b1": 1, "b2": 2] as PropertyList], "c1": 1, "c2": 2, "$class": .uid(2)], .described("C")])
    list.dictionary?["d1"] = 1
    list.dictionary?["d2"] = 2
    var data = try list.data(format: .binary)
    for letter in "abcd" { data = try data.replacing("\(letter)2", with: Array("\(letter)1".utf8)) }
    try expect(
      [
        .init(.duplicateKey, nil, ""), .init(.duplicateKey, nil, "$top", #"duplicate key "a1""#),
        .init(.duplicateKey, 1, ""), .init(.duplicateKey, 1, "list[0]"),
      ], in: data)
  }

  @Test func `unreadable values and keys are found`() throws {
    let list = PropertyList.archive(
      top: ["root": .uid(1), "t": "top!"],
      objects: [
        ["one": "one!", "list": [1, "two!"], "key!": 3, "other": .uid(2), "$class": .uid(4)], "native!", "good",
        ["$classname": "C", "$classes": ["C", "super!"]],
      ])
    var data = try list.data(format: .binary)
    for text in ["top!", "one!", "two!", "key!", "native!", "super!"] {
      data = try data.replacing(text, with: Array(text.utf8.dropLast()) + [0xFF])
    }
    try expect(
      [
        .init(.unreadableValue, nil, "$top.t"), .init(.unreadableValue, 1, ""), .init(.unreadableValue, 1, "one"),
        .init(.unreadableValue, 1, "list[1]"), .init(.unreadableValue, 2, ""), .init(.unreachableObject, 3),
        .init(.unreadableValue, 4, "$classes[1]"),
      ], in: data)
  }

  @Test func `containers that contain themselves, or are nested too deeply, are found`() throws {
    var deep: PropertyList = []
    for _ in 0..<600 { deep = [deep] }
    let list = PropertyList.archive(top: ["root": .uid(1), "deep": deep], objects: ["root"])
    let data = try list.data(format: .binary, options: .init(depth: 1000))
    let findings = KeyedArchive.check(try PropertyListDocument(data))
    #expect(findings.map(\.kind) == [.unreadableValue])
    #expect(findings.first?.message == "arrays and dictionaries are nested more than 512 deep")
    #expect(findings.first?.description.contains("levels deep)") == true)
    // An array whose only element is itself.
    var file = BinaryFile(archiveWithRootUID: 1)
    let list2 = file.reserve()
    file.objects[list2] = file.array([list2, list2])
    file.finishArchive(objects: [list2])
    try expect(
      [.init(.invalidObject, 1), .init(.unreadableValue, 1, "[0]"), .init(.unreadableValue, 1, "[1]")], in: file.data)
  }

  @Test func `checking stops at overlapping objects`() throws {
    let (size, limits) =
      LongForm.isWanted
      ? (3000, ParsingLimits()) : (200, ParsingLimits(expandedSize: 1 << 14, expansionRatio: 1))
    let file = BinaryFile.sharedDictionary(entries: size, objects: size)
    let findings = KeyedArchive.check(try PropertyListDocument(file.data, options: .init(limits: limits)))
    #expect(findings.last?.kind == .limitExceeded)
    #expect(findings.dropLast().allSatisfy { $0.kind == .missingClass })
  }

  @Test func `each finding has a severity: decodable contents are not errors`() throws {
    var archive = HandmadeArchive()
    let root = archive.add("root")
    archive.addObject("Unused")
    var list = archive.propertyList(root: root)
    list.dictionary?["$archiver"] = "MyArchiver"
    let findings = KeyedArchive.check(try PropertyListDocument(list.data(format: .binary)))
    #expect(findings.map(\.severity) == [.warning, .note, .note])
    #expect(
      try KeyedUnarchiver(forReadingFrom: list.data(format: .binary)).decode(String.self, forKey: "root") == "root")
    for kind in KeyedArchive.Finding.Kind.allCases where kind != .otherArchiver && kind != .unreachableObject {
      #expect(KeyedArchive.Finding(kind, "").severity == .error)
    }
  }

  @Test func `every kind of finding has a test`() {
    let found = Set(Self.otherLists.flatMap { $0.1.map(\.kind) } + Self.damagedObjects.flatMap { $0.1.map(\.kind) })
    let elsewhere: Set<KeyedArchive.Finding.Kind> = [
      .invalidContents, .circularCollection, .duplicateKey, .unreadableValue, .limitExceeded,
    ]
    #expect(found.union(elsewhere) == Set(KeyedArchive.Finding.Kind.allCases))
    #expect(found.isDisjoint(with: elsewhere))
  }

  @Test func `findings have positions`() throws {
    let archive = try keyedArchive(["a\u{1B}": [1, .uid(9)], "$class": .uid(2)], .described("C"))
    #expect(
      archive.check().map(\.description) == [
        #"object 1, a\u{1b}[1]: the UID 9 is outside the object table, which has 3 objects"#
      ])
  }
}
