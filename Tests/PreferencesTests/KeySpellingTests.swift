import Foundation
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

@testable import Preferences

@Suite("Keys are compared by their bytes") struct KeySpellingTests {
  private let saved = SavedFile()
  private static let composed = "caf\u{E9}"
  private static let decomposed = "cafe\u{301}"
  private static let spellings = [composed, decomposed]

  /// The keys of a file, or of a dictionary in it, with their values.
  private static func entries(_ node: PropertyListDocument.Node) throws -> [[UInt8]: PropertyList] {
    try (0..<node.count).reduce(into: [:]) { entries, position in
      let (key, value) = try node.entry(at: position)
      entries[Array(key.utf8)] = try PropertyList(value)
    }
  }

  private static func entries(_ saved: SavedFile) throws -> [[UInt8]: PropertyList] {
    try entries(PropertyListDocument(contentsOf: saved.url).root)
  }

  private static func bytes(_ entries: [(String, PropertyList)]) -> [[UInt8]: PropertyList] {
    Dictionary(uniqueKeysWithValues: entries.map { (Array($0.0.utf8), $0.1) })
  }

  private static func xml(_ entries: [(String, String)]) -> String {
    entries.map { "<key>\($0.0)</key>\($0.1)" }.joined()
  }

  /// Writes the entries of a dictionary as XML or binary.
  private static func write(_ entries: String, _ format: PropertyListFormat, to saved: SavedFile) throws {
    let text = Data("<plist version=\"1.0\"><dict>\(entries)</dict></plist>".utf8)
    try saved.write(format == .xml ? text : PropertyListDocument(text).root.data(format: .binary))
  }

  private static let twins = xml([
    (composed, "<integer>1</integer>"), (decomposed, "<integer>2</integer>"), ("other", "<integer>3</integer>"),
  ])

  @Test(arguments: formats)
  func `two spellings in a file are two values, which stay when another is saved`(_ format: PropertyListFormat) throws {
    try Self.write(Self.twins, format, to: saved)
    let store = saved.open()
    #expect(Self.spellings.map { store.integer(forKey: $0) } == [1, 2])
    store.set(4, forKey: "other")
    try store.synchronize()
    let expected = Self.bytes([(Self.composed, 1), (Self.decomposed, 2), ("other", 4)])
    #expect(try Self.entries(saved) == expected)
    store.set(5, forKey: Self.decomposed)
    store.removeValue(forKey: Self.composed)
    try store.synchronize()
    #expect(try Self.entries(saved) == Self.bytes([(Self.decomposed, 5), ("other", 4)]))
    #expect(saved.namesSetAside.isEmpty)
    #expect(ReportedErrors.about(saved.path).isEmpty)
  }

  private static let formats: [PropertyListFormat] = [.binary, .xml]

  @Test func `two spellings that are set are two values`() throws {
    let store = saved.open()
    store.register(defaults: [Self.composed: "registered"])
    #expect(store.value(forKey: Self.decomposed) == nil)
    for (index, spelling) in Self.spellings.enumerated() { store.set(.init(index), forKey: spelling) }
    try store.synchronize()
    #expect(try Self.entries(saved) == Self.bytes([(Self.composed, 0), (Self.decomposed, 1)]))
    #expect(Self.spellings.map { saved.open().integer(forKey: $0) } == [0, 1])
    try store.update(forKey: Self.decomposed) { $0 = .integer(.init(($0?.int ?? 0) + 10)) }
    #expect(try Self.entries(saved) == Self.bytes([(Self.composed, 0), (Self.decomposed, 11)]))
  }

  @Test func `two spellings in arguments are two values`() throws {
    let store = UserPreferences(
      suiteName: saved.domain, locations: PreferencesLocations(folder: saved.location, host: "here"),
      arguments: Self.spellings.flatMap { ["-" + $0, "\($0.utf8.count)"] })
    #expect(Self.spellings.map { store.string(forKey: $0) } == ["5", "6"])
  }

  @Test func `an observer of one spelling gets only changes of that spelling`() async throws {
    let store = saved.open()
    var changes = store.changes(forKey: Self.decomposed).makeAsyncIterator()
    store.set(1, forKey: Self.composed)
    store.set(2, forKey: Self.decomposed)
    let change = await changes.next()
    #expect(change?.key.utf8.elementsEqual(Self.decomposed.utf8) == true)
    #expect(change?.newValue == 2 && change?.oldValue == nil)
    try await store.synchronize()
  }

  @Test(
    "a Swift dictionary has one of two spellings, and storing it keeps the other", arguments: formats)
  func aDictionaryOfStringsHasOneOfTwoSpellings(_ format: PropertyListFormat) throws {
    try Self.write(Self.twins, format, to: saved)
    let store = saved.open()
    var values = try #require(store.persistentDomain(store.domain))
    #expect(values == [Self.composed: 1, "other": 3])
    #expect(values.keys.first?.utf8.elementsEqual(Self.composed.utf8) == true)
    #expect(store.dictionaryRepresentation() == [Self.composed: 1, "other": 3])
    values["other"] = 4
    store.setPersistentDomain(store.domain, to: values)
    try store.synchronize()
    #expect(try Self.entries(saved) == Self.bytes([(Self.composed, 1), (Self.decomposed, 2), ("other", 4)]))
    // Removing the visible spelling removes the key in both spellings.
    values[Self.composed] = nil
    store.setPersistentDomain(store.domain, to: values)
    try store.synchronize()
    #expect(try Self.entries(saved) == Self.bytes([("other", 4)]))
    store.setPersistentDomain(store.domain, to: [Self.decomposed: 5])
    try store.synchronize()
    #expect(try Self.entries(saved) == Self.bytes([(Self.decomposed, 5)]))
  }

  @Test(arguments: formats)
  func `PreferencesFile keeps spellings that a Swift dictionary cannot show`(_ format: PropertyListFormat) throws {
    try Self.write(Self.twins, format, to: saved)
    let file = PreferencesFile(at: saved.url)
    #expect(try file.values() == [Self.composed: 1, "other": 3])
    try file.update { values in values?["other"] = 4 }
    #expect(try Self.entries(saved) == Self.bytes([(Self.composed, 1), (Self.decomposed, 2), ("other", 4)]))
    try file.update { values in values?[Self.decomposed] = 5 }
    #expect(try Self.entries(saved) == Self.bytes([(Self.composed, 5), (Self.decomposed, 2), ("other", 4)]))
    try file.update { values in values = [:] }
    #expect(try file.values() ?? [:] == [:])
  }

  @Test(arguments: formats)
  func `two spellings inside a value stay until the value is set`(_ format: PropertyListFormat) throws {
    try Self.write(
      "<key>list</key><array><dict>\(Self.twins)</dict><integer>7</integer></array><key>other</key><integer>3</integer>",
      format, to: saved)
    let store = saved.open()
    let list = store.array(forKey: "list")
    #expect(list == [[Self.composed: 1, "other": 3], 7])
    store.set(4, forKey: "other")
    try store.synchronize()
    try PreferencesFile(at: saved.url).update { values in values?["third"] = 3 }
    try store.synchronize()
    var values = try #require(store.persistentDomain(store.domain))
    values["fourth"] = 4
    store.setPersistentDomain(store.domain, to: values)
    try store.synchronize()
    let root = try PropertyListDocument(contentsOf: saved.url).root
    #expect(root.count == 4)
    let inner = try #require(try root.value(forKey: "list")?.child(at: 0))
    #expect(try Self.entries(inner) == Self.bytes([(Self.composed, 1), (Self.decomposed, 2), ("other", 3)]))
    #expect(PropertyListFormat(detecting: try #require(saved.bytes).bytes) == format)
    store.set("new", forKey: "list")
    try store.synchronize()
    #expect(try Self.entries(saved)[Array("list".utf8)] == "new")
    #expect(saved.namesSetAside.isEmpty)
    #expect(ReportedErrors.about(saved.path).isEmpty)
  }
}
