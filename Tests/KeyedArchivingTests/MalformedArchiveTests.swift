import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import Testing

@Suite("Archives that break the rules of their format") struct MalformedArchiveTests {
  /// A finding in an archive whose root is a string in an object, `NSMutableString`.
  struct Finding: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let kind: KeyedArchiveError.Kind
    let root: PropertyList
    let objects: [PropertyList]

    init(
      _ description: String, kind: KeyedArchiveError.Kind = .malformed, root: PropertyList = .reference(1),
      _ objects: PropertyList...
    ) {
      testDescription = description
      self.kind = kind
      self.root = root
      self.objects = objects
    }
  }

  private static let description: PropertyList = [
    "$classname": "NSMutableString", "$classes": ["NSMutableString", "NSString", "NSObject"],
  ]

  private static func object(_ description: PropertyList) -> PropertyList {
    ["NS.string": "text", "$class": description]
  }

  static let findings: [Finding] = [
    Finding("an object without a class", ["NS.string": "text"]),
    Finding("an object without anything", [:]),
    Finding("an object whose class is a string", object("NSString"), description),
    Finding("an object whose class is a string in the object table", object(.reference(2)), "NSString"),
    Finding("an object whose class is nothing", object(.reference(0))),
    Finding("an object whose class is a number", object(2), description),
    Finding("an object with an inline class", object(description)),
    Finding("an object that is its own class", object(.reference(1))),
    Finding("an object whose class is outside the object table", object(.reference(3)), description),
    Finding("an object whose class has the greatest UID there is", object(.uid(.init(.max))), description),
    Finding("an object whose class is a UID in the object table", object(.reference(2)), .reference(3), description),
    Finding("an object whose class is an array", object(.reference(2)), [description]),
    Finding("a class without a name", object(.reference(2)), ["$classes": ["NSMutableString", "NSObject"]]),
    Finding(
      "a class whose name is not a string", object(.reference(2)), ["$classname": 5, "$classes": ["NSMutableString"]]),
    Finding(
      "a class whose name is a reference", object(.reference(2)), ["$classname": .reference(3)], "NSMutableString"),
    Finding(
      "a class that is another by its ancestors", object(.reference(2)),
      ["$classname": "NSMutableString", "$classes": ["NSArray", "NSObject"]]),
    Finding("a class without even itself", object(.reference(2)), ["$classname": "NSMutableString", "$classes": []]),
    Finding(
      "a class whose ancestors are not strings", object(.reference(2)),
      ["$classname": "NSMutableString", "$classes": ["NSMutableString", 1]]),
    Finding(
      "a class whose ancestors are not an array", object(.reference(2)),
      ["$classname": "NSMutableString", "$classes": "NSMutableString"]),
    Finding(
      "a class with too many ancestors", object(.reference(2)),
      ["$classname": "NSMutableString", "$classes": .array(Array(repeating: "NSMutableString", count: 300))]),
    Finding(
      "a class whose hints are not strings", object(.reference(2)),
      ["$classname": "NSMutableString", "$classhints": [[]]]),
    Finding("an object in place of a reference to it", root: object(.reference(1)), description),
    Finding("a dictionary in place of an object", root: ["NS.string": "text"]),
    Finding("a reference out of the object table", root: .reference(1)),
    Finding("a reference far out of the object table", root: .uid(.init(.max))),
    Finding("a reference to a reference", .reference(2), object(.reference(3)), description),
    Finding("a reference to itself", .reference(1)),
    Finding("an array in place of an object", kind: .typeMismatch, ["text"]),
    Finding("an array in place of a reference", kind: .typeMismatch, root: ["text"]),
    Finding("nothing", kind: .valueNotFound, root: .reference(0)),
    Finding("null", kind: .valueNotFound, .null),
    Finding("null in place of a reference", kind: .valueNotFound, root: .null),
    Finding("the string $null", kind: .valueNotFound, "$null"),
  ]

  @Test(arguments: findings) func `malformed archives are refused, and the error names the object`(_ finding: Finding)
    throws
  {
    var archive = HandmadeArchive()
    archive.objects += finding.objects
    for type in [String.self, Archived.Mutable<String>.self, [String].self, Float.self] as [any SecureCoding.Type] {
      let unarchiver = try archive.unarchiver(root: finding.root)
      for _ in 0..<3 {
        let error = archiveError { _ = try unarchiver.decode(of: [type], forKey: "root") }
        #expect(error?.kind == finding.kind, "\(error?.description ?? "was decoded")")
        #expect(error?.path?.description == "root")
        if finding.kind == .malformed, finding.root == .reference(1), !finding.objects.isEmpty {
          #expect(error?.uid?.value == 1)
        }
      }
    }
    let unarchiver = try archive.unarchiver(root: finding.root)
    if finding.kind != .typeMismatch {
      #expect(archiveError { _ = try unarchiver.decode(String.self, forKey: "root") }?.kind == finding.kind)
      #expect(archiveError { _ = try unarchiver.decode(ArchivedValue.self, forKey: "root") }?.kind == finding.kind)
    }
    if finding.kind == .valueNotFound {
      #expect(try unarchiver.decodeIfPresent(String.self, forKey: "root") == nil)
      #expect(try unarchiver.decodeIfPresent(of: [String.self], forKey: "root") == nil)
    } else {
      #expect(archiveError { _ = try unarchiver.decodeIfPresent(String.self, forKey: "root") }?.kind == finding.kind)
    }
  }

  @Test func `a class description can lack its ancestors, or have too many`() throws {
    let descriptions: [PropertyList] = [
      ["$classname": "NSMutableString"],
      [
        "$classes": ["NSMutableString", "NSString", "NSObject"], "$classname": "NSMutableString", "$class": "odd",
        "more": [:],
      ],
      ["$classname": "Unknown", "$classhints": ["NSString"]],
    ]
    for description in descriptions {
      var archive = HandmadeArchive()
      archive.objects += [Self.object(.reference(2)), description]
      #expect(try archive.decode(String.self, root: .reference(1)) == "text")
    }
  }

  @Test(
    arguments: [
      ([], "its root is not a dictionary"), ([:], "it has no string $archiver"),
      (["$archiver": 1], "it has no string $archiver"), (["$archiver": "A"], "it has no integer $version"),
      (["$archiver": "A", "$version": "100000"], "it has no integer $version"),
      (["$archiver": "A", "$version": 100_001], "its $version is 100001, not 100000"),
      (["$archiver": "A", "$version": 18_446_744_073_709_551_615], "it has no integer $version"),
      (["$archiver": "A", "$version": 100_000], "it has no dictionary $top"),
      (["$archiver": "A", "$version": 100_000, "$top": []], "it has no dictionary $top"),
      (["$archiver": "A", "$version": 100_000, "$top": [:]], "it has no array $objects"),
      (["$archiver": "A", "$version": 100_000, "$top": [:], "$objects": "$null"], "it has no array $objects"),
    ] as [(PropertyList, String)])
  func `a property list that is not an archive is an error that says what is missing`(
    _ root: PropertyList, _ reason: String
  ) throws {
    for format in PropertyListFormat.allCases {
      let error = archiveError { _ = try KeyedUnarchiver(forReadingFrom: root.data(format: format, options: .exact)) }
      #expect(error?.kind == .notAnArchive && error?.code == 3840)
      #expect(error?.message == "the property list is not a keyed archive: \(reason)")
    }
  }

  @Test func `an archive without objects has no target for references`() throws {
    var archive = HandmadeArchive()
    archive.objects = []
    archive.top = ["number": 5]
    let unarchiver = try archive.unarchiver(root: .reference(0))
    #expect(try unarchiver.decode(Int.self, forKey: "number") == 5)
    #expect(archiveError { _ = try unarchiver.decode(Int.self, forKey: "root") }?.kind == .malformed)
    #expect(archiveError { _ = try unarchiver.decode(Int.self, forKey: "none") }?.kind == .valueNotFound)
  }

  @Test func `a duplicate key in an object is an error, in every format`() throws {
    var archive = HandmadeArchive()
    let text = archive.add("text")
    archive.top = ["kex": text, "key": text]
    for format in PropertyListFormat.allCases {
      var data = try archive.data(format: format)
      data.replaceSubrange(try #require(data.firstRange(of: Data("kex".utf8))), with: Data("key".utf8))
      let error = archiveError { _ = try KeyedUnarchiver(forReadingFrom: data) }
      guard case .propertyList(let cause) = error?.kind else {
        Issue.record("\(error?.description ?? "was read")")
        continue
      }
      #expect(cause.kind == .duplicateKey)
    }
  }

  @Test func `counts and offsets out of the file are errors when they are used`() throws {
    for promised in [1 << 31, 1 << 40, Int(Int32.max), .max] {
      for marker in [0xA0, 0xD0, 0x40, 0x50, 0x60] as [UInt8] {
        var file = HandmadeBinary()
        let broken = file.add(marker: marker, promising: promised)
        let objects = file.add(array: [file.add(string: "$null"), broken])
        let root = file.addArchive(objects: objects, root: file.add(uid: 1))
        let unarchiver = try KeyedUnarchiver(forReadingFrom: file.data(root: root))
        #expect(throws: KeyedArchiveError.self) { try unarchiver.decode([String].self, forKey: "root") }
        #expect(throws: KeyedArchiveError.self) { try unarchiver.decode(ArchivedValue.self, forKey: "root") }
        var list = HandmadeBinary()
        let table = list.add(marker: 0xA0, promising: promised)
        let archive = list.addArchive(objects: table, root: list.add(uid: 1))
        #expect(throws: KeyedArchiveError.self) { try KeyedUnarchiver(forReadingFrom: list.data(root: archive)) }
      }
    }
  }
}
