import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

private final class Listener: NSObject, KeyedArchiving.SecureCoding {
  override init() {}
  init(coder: KeyedUnarchiver) throws {}
  func encode(with coder: KeyedArchiver) throws {}
}

@Suite("Details of Apple's layouts") struct AppleLayoutTests {
  /// The names of the classes of an archive.
  private func classNames(_ value: some KeyedArchiving.SecureCoding) throws -> [String] {
    try KeyedArchive(KeyedArchiver.archivedData(withRootObject: value)).classes.map(\.description.name)
  }

  @Test func `an empty relative URL is decoded, and archived in the same form`() throws {
    let data = try Fixtures.data("archives/empty-relative-url.bplist")
    let url = try unarchive(URL.self, data)
    #expect(url.relativeString.isEmpty)
    #expect(url.baseURL == URL(string: "http://example.com/a/b?c"))
    let again = try unarchive(URL.self, KeyedArchiver.archivedData(withRootObject: url))
    #expect(again.relativeString.isEmpty && again.baseURL == url.baseURL)
    var archive = HandmadeArchive()
    let lone = archive.addObject("NSURL", ["NS.base": .reference(0), "NS.relative": archive.add("")])
    #expect(archiveError { _ = try archive.decode(URL.self, root: lone) }?.kind == .invalidContents)
  }

  @Test func `a subclass of NSObject lists it once as an ancestor, under its usual name`() throws {
    #expect(Listener.archivedClass.ancestors == ["NSObject"])
    #expect(ArchivedClass(NSObject.self) == ArchivedClass("NSObject", ancestors: []))
    let archive = try KeyedArchive(KeyedArchiver.archivedData(withRootObject: Listener()))
    #expect(try archive.classes.map(\.description.classes) == [[Listener.archivedClass.name, "NSObject"]])
  }

  @Test func `a class whose ancestor has the reflection name of NSObject is read`() throws {
    var archive = HandmadeArchive()
    let description = archive.addClass(Listener.archivedClass.name, ancestors: ["Foundation.NSObject", "NSObject"])
    let object = archive.add(["$class": description])
    #expect(throws: Never.self) { try archive.decode(Listener.self, root: object) }
    let hinted = archive.add([
      "$class": archive.addClass("Other", hints: ["Foundation.NSUUID"]), "NS.uuidbytes": .data(Data(count: 16)),
    ])
    #expect(try archive.decode(UUID.self, root: hinted).uuid.0 == 0)
  }

  @Test func `the ranges of a text checking result are mutable, except for many ranges`() throws {
    func match(_ count: Int) -> Archived.TextCheckingResult {
      Archived.TextCheckingResult(
        ranges: (0..<count).map { Archived.Range(location: $0, length: 1) }, regularExpression: nil)
    }
    #expect(try classNames(match(1)).contains("NSMutableArray"))
    #expect(try classNames(match(7)).contains("NSMutableArray"))
    let many = try classNames(match(8))
    #expect(many.contains("NSArray") && !many.contains("NSMutableArray"))
    #expect(many.contains("NSComplexRegularExpressionCheckingResult"))
  }

  @Test func `the text of a mutable attributed string is a mutable string`() throws {
    let text = Archived.AttributedString("ab", attributes: ["a": .integer(1)])
    let data = try KeyedArchiver.archivedData(withRootObject: Archived.Mutable(text))
    let objects = try objects(data)
    #expect(objects.contains { $0["NS.string"] == "ab" })
    #expect(try classNames(Archived.Mutable(text)).contains("NSMutableString"))
    #expect(try !classNames(text).contains("NSMutableString"))
    #expect(try unarchive(Archived.AttributedString.self, data) == text)
    #expect(try unarchive(Archived.Mutable<Archived.AttributedString>.self, data).value == text)
  }

  @Test func `dictionaries of Core Data share their key sets`() throws {
    var archive = HandmadeArchive()
    let texts = ["a", "b", "x", "y", "empty"].map { archive.add(.string($0)) }
    let keys = archive.addArray([texts[0], texts[1]])
    let mapping = archive.addObject("NSKnownKeysMappingStrategy1", ["keys": keys, "length": 2, "version": 1])
    let tables = [[texts[2], texts[3]], [texts[3], texts[2]]].map { values in
      archive.addObject(
        "NSKnownKeysDictionary1",
        ["searchMapping": mapping, "values": archive.addArray(values), "emptyToken": texts[4], "version": 1])
    }
    let root = archive.addArray(tables)
    let coder = try archive.unarchiver(root: root)
    #expect(
      try coder.decode([OrderedDictionary<String, String>].self, forKey: "root")
        == [["a": "x", "b": "y"], ["a": "y", "b": "x"]])
    #expect(
      try archive.unarchiver(root: tables[0]).decode(ArchivedValue.self, forKey: "root")
        == .dictionary([.string("a"): .string("x"), .string("b"): .string("y")]))
  }

  @Test func `dictionaries of Core Data without a value, or that are their own keys, are refused`() throws {
    var archive = HandmadeArchive()
    let text = archive.add("a")
    let keys = archive.addArray([text, archive.add("b")])
    let mapping = archive.addObject("NSKnownKeysMappingStrategy1", ["keys": keys])
    let short = archive.addObject(
      "NSKnownKeysDictionary1", ["searchMapping": mapping, "values": archive.addArray([text])])
    let circle = archive.addObject("NSKnownKeysDictionary1", ["values": keys])
    archive.objects[circle.index].dictionary?["searchMapping"] = circle
    for root in [short, circle] {
      #expect(throws: KeyedArchiveError.self) {
        try archive.unarchiver(root: root).decode([String: String].self, forKey: "root")
      }
    }
  }
}
