import Foundation
import Preferences
import PropertyLists
import TestSupport
import Testing

@Suite("Domains with files") struct PersistentDomainTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private let store: UserPreferences

  init() {
    store = UserPreferences(
      suiteName: DomainName("com.example.own"), locations: PreferencesLocations(folder: folder.url, host: "here"),
      arguments: [])
  }

  /// The name, nil for the global domain; the host, and the file.
  static let domains: [(String?, PreferencesHost, String)] = [
    ("com.example.own", .any, "com.example.own.plist"),
    ("com.example.own", .current, "ByHost/com.example.own.here.plist"),
    ("other", .any, "other.plist"), ("other", .current, "ByHost/other.here.plist"),
    (nil, .any, ".GlobalPreferences.plist"), (nil, .current, "ByHost/.GlobalPreferences.here.plist"),
  ]

  private func domain(_ name: String?, _ host: PreferencesHost) throws -> PersistentDomain {
    PersistentDomain(try name.map { try DomainName($0) } ?? .global, host: host)
  }

  private func file(_ name: String) -> PropertyList? { try? PropertyList(contentsOf: folder.url.appending(path: name)) }

  @Test(arguments: domains)
  func `domains are read, replaced and removed`(_ domainName: String?, _ host: PreferencesHost, _ name: String) throws {
    let domain = try domain(domainName, host)
    #expect(store.persistentDomain(domain) == nil)
    store.setPersistentDomain(domain, to: ["b": 1, "a": 2])
    #expect(store.persistentDomain(domain) == ["a": 2, "b": 1])
    try store.synchronize()
    #expect(file(name) == ["b": 1, "a": 2])
    // In the order of the file, so that changed values are stored in that order.
    #expect(store.persistentDomain(domain) == ["b": 1, "a": 2])

    store.setPersistentDomain(domain, to: ["c": 3])
    #expect(store.persistentDomain(domain) == ["c": 3])
    try store.synchronize()
    #expect(file(name) == ["c": 3])

    store.removePersistentDomain(domain)
    #expect(store.persistentDomain(domain) == nil)
    try store.synchronize()
    #expect(!FileManager.default.fileExists(atPath: folder.path(name)))
  }

  @Test("single keys of a domain can be set, independent of the search list", arguments: domains)
  func haveValuesForSingleKeys(_ domainName: String?, _ host: PreferencesHost, _ name: String) throws {
    let domain = try domain(domainName, host)
    store.set("own", forKey: "key", in: PersistentDomain(store.domain.name, host: .current))
    store.set("value", forKey: "key", in: domain)
    store.set("more", forKey: "more", in: domain)
    #expect(store.value(forKey: "key", in: domain) == "value")
    store.set(nil, forKey: "more", in: domain)
    #expect(store.value(forKey: "more", in: domain) == nil)
    try store.synchronize()
    #expect(file(name) == ["key": "value"])
  }

  @Test func `a replaced domain loses earlier saves of others, and keeps later ones`() throws {
    let other = UserPreferences(
      suiteName: DomainName("com.example.own"), locations: PreferencesLocations(folder: folder.url, host: "here"),
      arguments: [])
    let contents: PropertyList = ["before": 1]
    try contents.data(format: .xml).write(to: URL(filePath: folder.path("com.example.own.plist")))
    try store.synchronize()
    #expect(other.integer(forKey: "before") == 1)
    store.setPersistentDomain(store.domain, to: ["new": 2])
    other.set(3, forKey: "after")
    try store.synchronize()
    #expect(other.persistentDomain(store.domain) == ["new": 2, "after": 3])
    #expect(file("com.example.own.plist") == ["new": 2, "after": 3])
  }

  @Test func `values that cannot be stored are left out`() throws {
    store.setPersistentDomain(store.domain, to: ["null": .null, "key": 1, "deep": [.uid(.init(1))]])
    #expect(store.persistentDomain(store.domain) == ["key": 1])
    try store.synchronize()
  }

  @Test(arguments: [(500, true), (501, false)])
  func `values can have 500 levels, and no more`(_ levels: Int, _ isStored: Bool) throws {
    let file = SavedFile()
    let store = file.open()
    store.set((1..<levels).reduce(PropertyList.array([])) { value, _ in [value] }, forKey: "deep")
    try store.synchronize()
    #expect((store.value(forKey: "deep") != nil) == isStored)
    #expect(try file.contents()?.count == (isStored ? 1 : nil))
  }

  @Test func `domains are listed by name, without other files of the folder`() throws {
    #expect(store.persistentDomainNames == [])
    for name in [
      "b.plist", "a.b.plist", ".GlobalPreferences.plist", "c.txt", ".hidden.plist", "NSGlobalDomain.plist", "é.plist",
      "b.plist.unreadable-20261121T130501Z", ".b.plist.1.tmp", "plist",
    ] { try Data().write(to: URL(filePath: folder.path(name))) }
    try FileManager.default.createDirectory(atPath: folder.path("ByHost"), withIntermediateDirectories: true)
    try Data().write(to: URL(filePath: folder.path("ByHost/x.here.plist")))
    #expect(store.persistentDomainNames.map(\.rawValue) == ["NSGlobalDomain", "a.b", "b", "é"])
    #expect(store.persistentDomainNames.first == .global)
  }

  @Test func `the values of a store are set in its domain`() throws {
    #expect(store.domain == PersistentDomain(DomainName("com.example.own"), host: .any))
    store.set(1, forKey: "key")
    #expect(store.value(forKey: "key", in: store.domain) == 1)
    #expect(UserPreferences.standard.domain.host == .any)
    try store.synchronize()
  }
}
