import ArchiveViews
import Foundation
import KeyedArchiving
import Nibs
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

@Suite("Archives nested in data") struct UnwrappingTests {
  /// An archive of one object of a class, in the form of NSKeyedArchiver.
  private static func archive(
    _ className: String, _ fields: OrderedDictionary<String, PropertyList>, _ others: [PropertyList] = []
  ) throws -> Data {
    var object = fields
    object["$class"] = .uid(PropertyList.UID(2))
    let list: PropertyList = [
      "$version": 100_000, "$archiver": "NSKeyedArchiver", "$top": ["root": .uid(PropertyList.UID(1))],
      "$objects": .array(
        ["$null", .dictionary(object), ["$classname": .string(className), "$classes": [.string(className)]]] + others),
    ]
    return try list.data(format: .binary)
  }

  private static func document(_ list: PropertyList) throws -> PropertyListDocument {
    try PropertyListDocument(list.data(format: .binary))
  }

  private func value(_ list: PropertyList) throws -> PropertyList {
    try PropertyList(Self.document(list).unwrapped().root)
  }

  @Test(arguments: [PropertyListFormat.binary, .xml, .json])
  func `other data leaves the document unchanged`(_ format: PropertyListFormat) throws {
    let data: PropertyList = format == .json ? "no data" : .data(Data("no archive".utf8))
    let list: PropertyList = ["a": [1, "$ref", ["$class": "x"]], "b": data]
    let document = try PropertyListDocument(list.data(format: format), format: format)
    #expect(try document.unwrapped() === document)
  }

  @Test func `property lists in both formats are opened, through any number of levels`() throws {
    var list: PropertyList = ["end": [1, 2.5, .data(Data([1, 2]))]]
    for level in 0..<20 { list = .data(try list.data(format: level % 2 == 0 ? .xml : .binary)) }
    #expect(try value(["x": list]) == ["x": ["end": [1, 2.5, .data(Data([1, 2]))]]])
    #expect(try value(["x": .data(PropertyList.string("text").data(format: .xml))]) == ["x": "text"])
  }

  @Test func `UIDs of any size are kept`() throws {
    var uids: [PropertyList] = [0, 5, 255, 65_536, 1 << 28, 1 << 30 - 2, 1 << 30 - 1, 1 << 30, .max].map {
      .uid(PropertyList.UID($0))
    }
    uids += uids
    let list: PropertyList = ["uids": .array(uids), "data": .data(try PropertyList.array([1]).data(format: .binary))]
    #expect(try value(list) == ["uids": .array(uids), "data": [1]])
  }

  @Test func `archives in objects and fields of archives are opened into one table`() throws {
    let inner = try Self.archive("Inner", ["n": 1, "me": .uid(PropertyList.UID(1))])
    let outer = try Self.archive("Outer", ["field": .data(inner), "object": .uid(PropertyList.UID(3))], [.data(inner)])
    #expect(
      try value(["x": .data(outer)]) == [
        "x": [
          "$class": "Outer", "field": ["$class": "Inner", "$uid": 4, "n": 1, "me": ["$ref": 4]],
          "object": ["$ref": 4],
        ]
      ])
    let archive = try KeyedArchive(outer)
    let json = try PropertyList(archive.unwrapped().jsonData(), format: .json)
    let unwrapped = try value(["x": .data(outer)])
    #expect(try json.value(at: PropertyListKeyPath("$top.root.field.n")) == 1)
    #expect(unwrapped.dictionary?["x"]?.dictionary?["field"]?.dictionary?["n"] == 1)
    #expect(try archive.unwrapped().classes.map(\.description.name).sorted() == ["Inner", "Outer"])
    #expect(try KeyedArchive.check(archive.unwrapped().document).filter { $0.severity == .error }.isEmpty)
  }

  @Test func `broken data is reported, and stays data`() throws {
    let whole = try Self.archive("A", ["n": 1])
    for broken in [whole.dropLast(), Data("bplist00".utf8), Data("<plist><dict>".utf8), Data("NIBArchive".utf8)] {
      var unwrapper = Unwrapper()
      let document = try Self.document(["a": [.data(Data(broken))]])
      #expect(try unwrapper.document(document) === document)
      #expect(unwrapper.unreadableCount == 1 && unwrapper.openedCount == 0)
      #expect(try unwrapper.unreadable.first?.path == PropertyListKeyPath("a.0"))
    }
  }

  @Test func `data can be a hundred levels deep, also in views of archives`() throws {
    var list = PropertyList.data(try Self.archive("A", ["n": 1]))
    for _ in 0..<100 { list = .data(try PropertyList.array([list]).data(format: .binary)) }
    var unwrapper = Unwrapper()
    let document = try Self.document(["x": list])
    #expect(try unwrapper.archive(in: document).classes.map(\.description.name) == ["A"])
    #expect(unwrapper.openedCount == 101)
    #expect(try document.unwrapped().root.value(forKey: "x")?.kind == .array)
  }

  @Test func `data that is shared ten thousand times is opened once`() throws {
    let data = PropertyList.data(try Self.archive("A", ["n": 1]))
    var unwrapper = Unwrapper()
    let document = try Self.document(.array(Array(repeating: data, count: 10_000)))
    #expect(try unwrapper.document(document).root.count == 10_000)
    #expect(unwrapper.openedCount == 1)
  }

  @Test func `data that doubles at every level, or is too deep, is an error, quickly`() throws {
    var doubled = PropertyList.data(Data("hello".utf8))
    for _ in 0..<40 { doubled = .data(try PropertyList.array([doubled, doubled]).data(format: .binary)) }
    var deep: PropertyList = 1
    for _ in 0..<600 { deep = .data(try PropertyList.array([deep]).data(format: .binary)) }
    for (list, kind) in [(doubled, KeyedArchiveError.Kind.limitExceeded), (deep, .nestedTooDeeply)] {
      let document = try Self.document([list])
      var error: KeyedArchiveError?
      let duration = ThreadClock.measure {
        do throws(KeyedArchiveError) { _ = try document.unwrapped() } catch let failure { error = failure }
      }
      #expect(error?.kind == kind)
      #expect(duration < ThreadClock.referenceSecond * 5)
    }
  }

  @Test func `paths lead into nested data by keys of objects and collections`() throws {
    let fields: OrderedDictionary<String, PropertyList> = [
      "NS.keys": [.uid(PropertyList.UID(3))], "NS.objects": [.uid(PropertyList.UID(4))],
    ]
    let data = try Self.archive("NSDictionary", fields, ["name", ["$class": .uid(PropertyList.UID(2)), "x": 5]])
    let document = try Self.document(["p": .data(data)])
    var unwrapper = Unwrapper()
    for path in ["p.name.x", "p.NS\\.objects.0.x"] {
      #expect(try unwrapper.value(at: PropertyListKeyPath(path), in: document).integer == 5, "\(path)")
    }
    #expect(throws: KeyedArchiveError.self) { try unwrapper.value(at: PropertyListKeyPath("p.other"), in: document) }
  }
}
