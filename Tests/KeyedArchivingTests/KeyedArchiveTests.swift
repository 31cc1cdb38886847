import ArchiveViews
import Foundation
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

@testable import KeyedArchiving

extension PropertyList {
  /// A class description.
  static func described(_ name: String, _ ancestors: String..., hints: [String] = []) -> PropertyList {
    var description: PropertyList = [
      "$classname": .string(name), "$classes": .array(([name] + ancestors + ["NSObject"]).map { .string($0) }),
    ]
    if !hints.isEmpty { description.dictionary?["$classhints"] = .array(hints.map { .string($0) }) }
    return description
  }

  /// An archive of objects. The first has the UID 1.
  static func archive(top: PropertyList = ["root": .uid(1)], objects: [PropertyList]) -> PropertyList {
    ["$version": 100000, "$archiver": "NSKeyedArchiver", "$top": top, "$objects": .array(["$null"] + objects)]
  }
}

/// An archive of objects. The first has the UID 1.
func keyedArchive(
  top: PropertyList = ["root": .uid(1)], format: PropertyListFormat = .binary, _ objects: PropertyList...
) throws -> KeyedArchive {
  try KeyedArchive(PropertyList.archive(top: top, objects: objects).data(format: format, options: .exact))
}

/// Two people who are each other's friends, in a shared array.
func twoFriends(format: PropertyListFormat = .binary) throws -> KeyedArchive {
  try keyedArchive(
    format: format,
    ["name": .uid(2), "age": 36, "friends": .uid(3), "$class": .uid(6)],
    "Ada",
    ["NS.objects": [.uid(1), .uid(4)], "$class": .uid(7)],
    ["name": .uid(5), "friends": .uid(3), "boss": .uid(0), "$class": .uid(6)],
    "Charles",
    .described("Person"), .described("NSArray"))
}

@Suite("Archives without their classes") struct KeyedArchiveTests {
  @Test(arguments: PropertyListFormat.allCases)
  func `an archive has an archiver, top-level keys, and objects by UID`(_ format: PropertyListFormat) throws {
    let archive = try twoFriends(format: format)
    #expect(archive.archiver == "NSKeyedArchiver")
    #expect(archive.document.format == format)
    let top = try archive.topLevelFields
    #expect(top.map(\.key) == ["root"])
    guard case .reference(PropertyList.UID(1)) = top[0].value else {
      Issue.record("root leads to \(top[0].value)")
      return
    }
    #expect(archive.objects.count == 8)
    #expect(
      archive.objects.map(\.kind) == [
        .null, .instance, .string, .instance, .instance, .string, .classDescription, .classDescription,
      ])
    #expect(archive.objects.map(\.uid.value) == Array(0..<8))
    #expect(archive.objects.map(\.className) == [nil, "Person", nil, "NSArray", "Person", nil, "Person", "NSArray"])
  }

  @Test func `an archive is read from a file`() throws {
    let archive = try KeyedArchive(contentsOf: Fixtures.url("archives/foo-ios.bplist"))
    let foo = archive.objects[PropertyList.UID(1)]
    #expect(foo.className == "Foo")
    #expect(foo.classDescription?.uid == PropertyList.UID(3))
    let fields = try foo.fields
    #expect(fields.map(\.key) == ["kBar", "kBaz"])
    guard case .inline(let kBaz) = fields[1].value else {
      Issue.record("kBaz leads to \(fields[1].value)")
      return
    }
    #expect(kBaz.real == 24 && kBaz.isFloat)
    #expect(try archive.objects[PropertyList.UID(2)].value?.string == "祈求者Kael")
  }

  @Test func `a property list that is not an archive is refused with a reason`() throws {
    let cases: [(PropertyList, String)] = [
      (["$objects"], "its root is not a dictionary"),
      (["$version": 100000], "it has no string $archiver"),
      (["$archiver": "A"], "it has no integer $version"),
      (["$archiver": "A", "$version": 2], "its $version is 2, not 100000"),
      (["$archiver": "A", "$version": 100000], "it has no dictionary $top"),
      (["$archiver": "A", "$version": 100000, "$top": [:]], "it has no array $objects"),
    ]
    for (list, reason) in cases {
      let error = #expect(throws: KeyedArchiveError.self) { try KeyedArchive(list.data(format: .binary)) }
      #expect(error?.kind == .notAnArchive)
      #expect(error?.message.hasSuffix(": " + reason) == true, "\(error?.message ?? "")")
    }
    let error = #expect(throws: KeyedArchiveError.self) { try KeyedArchive(Data("text".utf8)) }
    #expect(error?.code == 3840)
  }

  @Test func `native values have no fields`() throws {
    let moment = Date(timeIntervalSinceReferenceDate: 1.5)
    let archive = try keyedArchive("text", 3, 2.5, .float(0.5), true, .data(Data([1])), .date(moment), .null)
    let objects = archive.objects
    #expect(objects.map(\.kind) == [.null, .string, .integer, .real, .real, .boolean, .data, .date, .null])
    let values = try objects.dropFirst().dropLast().map { try PropertyList(#require($0.value)) }
    #expect(values == ["text", 3, 2.5, .float(0.5), true, .data(Data([1])), .date(moment)])
    #expect(objects.first?.value == nil && objects.last?.value == nil)
    #expect(try objects.allSatisfy { try $0.fields.isEmpty })
  }

  @Test func `a key that begins with a dollar sign keeps it, and a value without a key has its number`() throws {
    let archive = try keyedArchive(
      top: ["$$top": .uid(1), "$0": 7],
      ["$$class": 1, "$$$two": 2, "$0": 3, "plain": 4, "$class": .uid(2)], .described("Thing"))
    #expect(try archive.topLevelFields.map(\.key) == ["$top", "$0"])
    #expect(try archive.objects[PropertyList.UID(1)].fields.map(\.key) == ["$class", "$$two", "$0", "plain"])
  }

  @Test func `invalid objects, and references out of the table, are malformed`() throws {
    let archive = try keyedArchive([1], .uid(3), ["a": 1], ["$class": .uid(9)], ["$classname": 3])
    let objects = archive.objects
    #expect(objects.dropFirst().map(\.kind) == [.malformed, .malformed, .malformed, .instance, .classDescription])
    #expect(objects.allSatisfy { $0.className == nil })
    let beyond = objects[PropertyList.UID(100)]
    #expect(beyond.kind == .malformed && beyond.uid == PropertyList.UID(100))
    #expect(beyond.value == nil && beyond.className == nil)
    let error = #expect(throws: KeyedArchiveError.self) { try beyond.fields }
    #expect(error?.uid == PropertyList.UID(100))
    #expect(throws: KeyedArchiveError.self) { try beyond.node }
  }

  @Test func `the objects are a bidirectional collection`() throws {
    let objects = try twoFriends().objects
    #expect(objects.distance(from: objects.startIndex, to: objects.endIndex) == 8)
    #expect(objects.reversed().first?.uid == PropertyList.UID(7))
    #expect(objects[objects.index(objects.endIndex, offsetBy: -2)].className == "Person")
    #expect(objects.indices.count == 8)
  }
}

@Suite("Classes of archives") struct KeyedArchiveClassesTests {
  @Test func `classes are listed with ancestors, hints and numbers of objects`() throws {
    let archive = try keyedArchive(
      ["$class": .uid(3)], ["$class": .uid(3)], .described("UIColor", hints: ["NSColor"]), .described("Unused", "Base"),
      ["$classname": "Renamed"], ["$class": .uid(5)])
    #expect(
      try archive.classes == [
        .init(
          description: .init(uid: .init(3), name: "UIColor", classes: ["UIColor", "NSObject"], hints: ["NSColor"]),
          instanceCount: 2),
        .init(
          description: .init(uid: .init(4), name: "Unused", classes: ["Unused", "Base", "NSObject"], hints: []),
          instanceCount: 0),
        .init(description: .init(uid: .init(5), name: "Renamed", classes: [], hints: []), instanceCount: 1),
      ])
  }

  @Test(.enabled(if: !Fixtures.archives.isEmpty)) func `classes of real archives are found`() throws {
    let url = try #require(
      Fixtures.archives.first { $0.lastPathComponent == "NSTextCheckingResult-SimpleRegex.archive" })
    let classes = try KeyedArchive(contentsOf: url).classes
    #expect(
      classes.map(\.description.name) == [
        "NSRegularExpression", "NSValue", "NSMutableArray", "NSSimpleRegularExpressionCheckingResult",
      ])
    #expect(classes.map(\.instanceCount) == [1, 1, 1, 1])
    #expect(
      classes.last?.description.classes == [
        "NSSimpleRegularExpressionCheckingResult", "NSRegularExpressionCheckingResult", "NSTextCheckingResult",
        "NSObject",
      ])
  }
}

@Suite("References of archives") struct KeyedArchiveReferencesTests {
  @Test(arguments: PropertyListFormat.allCases)
  func `a reference has a source, a path and a target, also in circles`(_ format: PropertyListFormat) throws {
    #expect(
      try twoFriends(format: format).references().map(\.description) == [
        "root → #1", "#1 name → #2", "#1 friends → #3", "#3 NS.objects[0] → #1", "#3 NS.objects[1] → #4",
        "#4 name → #5", "#4 friends → #3",
      ])
  }

  @Test func `references to an object are found`() throws {
    let references = try twoFriends().references(to: PropertyList.UID(3))
    #expect(references.map(\.source?.value) == [1, 4])
    #expect(references.map(\.path.description) == ["friends", "friends"])
    #expect(try twoFriends().references(to: PropertyList.UID(6)).isEmpty, "classes are no part of an object")
  }

  @Test func `references in dictionaries and arrays of objects are found, except to nil`() throws {
    let archive = try keyedArchive(
      top: ["root": .uid(1), "list": [.uid(2), .uid(99)]],
      ["a": ["b": [[.uid(1)], .uid(0), .uid(2)]], "$$k": .uid(3), "$class": .uid(4)], "$null", "text",
      .described("Thing"))
    #expect(
      try archive.references().map(\.description) == ["root → #1", "list[1] → #99", "#1 a.b[0][0] → #1", "#1 $k → #3"])
    #expect(try archive.references().first?.source == nil)
  }

  @Test func `references of unreachable objects are found`() throws {
    let archive = try keyedArchive("root", [.uid(1)], .uid(1))
    #expect(try archive.references().map(\.description) == ["root → #1", "#2 [0] → #1", "#3  → #1"])
  }
}

extension Fixtures {
  /// The archives of the corpus.
  static let archives = corpus.filter { url in
    guard let document = try? PropertyListDocument(contentsOf: url) else { return false }
    return (try? KeyedArchive(document)) != nil
  }
}
