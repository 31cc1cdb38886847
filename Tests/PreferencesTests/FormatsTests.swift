import Foundation
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

@testable import Preferences

@Suite("Files in all formats of preferences") struct FormatsTests {
  static let openStep: [(text: String, values: OrderedDictionary<String, PropertyList>)] = [
    ("{ a = 1; b = (x, \"y z\"); c = <0102>; }", ["a": "1", "b": ["x", "y z"], "c": .data(Data([1, 2]))]),
    ("/* By hand */\na = <*I5>; // typed\nb = <*BY>;\n", ["a": 5, "b": true]),
    ("{ a = { CF$UID = <*I3>; }; }", ["a": ["CF$UID": 3]]), ("{ a = 1; a = 2; }", ["a": "2"]), ("{}", [:]),
    ("{\n}\n", [:]),
  ]

  @Test("an OpenStep file is read, and becomes binary when it is saved", arguments: openStep)
  func readsOpenStep(_ text: String, _ values: OrderedDictionary<String, PropertyList>) throws {
    let file = SavedFile()
    try file.write(Data(text.utf8))
    let store = file.open()
    #expect(store.persistentDomain(store.domain) ?? [:] == values)
    try store.synchronize()
    #expect(file.bytes == Data(text.utf8), "who only reads leaves it as it is")
    store.set("new", forKey: "n")
    try store.synchronize()
    var expected = values
    expected["n"] = "new"
    #expect(try file.contents() == expected)
    let bytes = try #require(file.bytes)
    #expect(PropertyListFormat(detecting: bytes.bytes) == .binary)
    #expect(file.namesSetAside == [])
    #expect(ReportedErrors.about(file.path).isEmpty)
  }

  @Test("files have the same values as in Foundation", arguments: openStep.filter { !$0.text.contains("<*") })
  func andHasTheValuesThatFoundationFinds(_ text: String, _ values: OrderedDictionary<String, PropertyList>) throws {
    // Of duplicate keys, Foundation reads the first. This reader does the same only if it skips the second.
    guard !text.contains("a = 2") else { return }
    let read = try PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil)
    let binary = try PropertyListSerialization.data(fromPropertyList: read, format: .binary, options: 0)
    let found = try #require(try PropertyList(binary).dictionary)
    #expect(found.count == values.count)
    for (key, value) in values { #expect(found[key] == value) }
  }
}
