import Foundation
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

@testable import Preferences

@Suite("PreferencesFile") struct PreferencesFileTests {
  private let saved = SavedFile()

  private static func file(_ saved: SavedFile) -> PreferencesFile {
    PreferencesFile(
      PersistentDomain(saved.domain), locations: PreferencesLocations(folder: saved.location, host: "here"))
  }

  @Test func `a file has the path of its domain, or its own path`() throws {
    let locations = PreferencesLocations(folder: saved.location, host: "here")
    #expect(Self.file(saved).path == saved.path)
    let host = PersistentDomain(saved.domain, host: .current)
    let folder = saved.location.path
    #expect(PreferencesFile(host, locations: locations).path == "\(folder)/ByHost/com.example.saved.here.plist")
    #expect(
      PreferencesFile(host, locations: locations.onHost("there")).path
        == "\(folder)/ByHost/com.example.saved.there.plist")
    #expect(PreferencesFile(.global, locations: locations).path == "\(folder)/.GlobalPreferences.plist")
    #expect(PreferencesFile(at: saved.url).path == saved.path)
    #expect(PreferencesFile(at: try #require(URL(string: "https://example.com/a"))).path == nil)
  }

  @Test func `reading returns the current contents, and creates nothing`() throws {
    let saved = SavedFile(below: "no/such/folder")
    #expect(try Self.file(saved).values() == nil)
    #expect(saved.folder.names == [])
    let other = try SavedFile(["z": 1, "a": 2], .xml)
    #expect(try Self.file(other).values() == ["z": 1, "a": 2])
    try other.write(["z": ["CF$UID": 2]])
    #expect(try Self.file(other).values() == ["z": ["CF$UID": 2]])
  }

  @Test(arguments: UnreadableFileTests.unreadable)
  func `an unreadable file is an error, and is left unchanged`(_ name: String, _ bytes: Data) throws {
    try saved.write(bytes)
    let found = failure { () throws(PreferencesError) in _ = try Self.file(saved).values() }
    guard case .unreadable(saved.path, let setAside, _) = found else {
      Issue.record("\(String(describing: found))")
      return
    }
    #expect(setAside.hasPrefix(saved.path + ".unreadable-"))
    #expect(saved.bytes == bytes)
    // Changing it begins a new one.
    try Self.file(saved).update { values in
      #expect(values == nil)
      values = ["a": "new"]
    }
    #expect(try saved.contents() == ["a": "new"])
    #expect(saved.namesSetAside.count == 1)
    #expect(ReportedErrors.about(saved.path).count == 1)
  }

  @Test(arguments: [PropertyListFormat.binary, .xml])
  func `an update changes the values, and keeps order and format`(_ format: PropertyListFormat) throws {
    try saved.write(["z": 1, "a": 2, "m": 3], format)
    try Self.file(saved).update { values in
      values?["n"] = 4
      values?["a"] = nil
      values?["z"] = "one"
    }
    let contents = try #require(try saved.contents())
    #expect(Array(contents.keys) == ["z", "m", "n"] && contents["z"] == "one")
    #expect(PropertyListFormat(detecting: try #require(saved.bytes).bytes) == format)
  }

  @Test func `the file and its folder are created when needed, for the owner only`() throws {
    let saved = SavedFile(below: "one/two")
    try Self.file(saved).update { $0 = nil }
    #expect(saved.folder.names == [])
    try Self.file(saved).update { values in
      #expect(values == nil)
      values = ["a": 1]
    }
    #expect(try saved.contents() == ["a": 1])
    #expect(saved.permissions == 0o600)
  }

  @Test func `an update to nil removes the file, and one to an empty dictionary empties it`() throws {
    for contents in [["a": 1, "b": 2], [:]] as [OrderedDictionary<String, PropertyList>] {
      try saved.write(contents)
      try Self.file(saved).update { $0 = [:] }
      #expect(try saved.contents() == [:])
      try Self.file(saved).update { $0 = nil }
      #expect(saved.bytes == nil)
    }
  }

  @Test func `a change that changes nothing, or fails, does not touch the file`() throws {
    let bytes = Data("/* by hand */ { a = 1; }".utf8)
    try saved.write(bytes)
    try Self.file(saved).update { values in values?["a"] = "1" }
    #expect(saved.bytes == bytes)
    let error = PreferencesError.notStorable(key: "a", reason: "said so")
    #expect(throws: error) {
      try Self.file(saved).update { values in
        values?["a"] = "2"
        throw error
      }
    }
    let null = failure { () throws(PreferencesError) in try Self.file(saved).update { $0?["n"] = .null } }
    #expect(null == .notStorable(key: "n", reason: "it is a null, or contains one"))
    let empty = failure { () throws(PreferencesError) in try Self.file(saved).update { $0?[""] = 1 } }
    #expect(empty == .emptyKey)
    #expect(saved.bytes == bytes)
  }

  @Test func `many writers lose nothing`() throws {
    let turns = LongForm.size(25, or: 5)
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for number in 0..<turns {
        do {
          try Self.file(saved).update { values in
            var all = values ?? [:]
            all["count"] = .integer(.init((all["count"]?.int ?? 0) + 1))
            all["\(thread) \(number)"] = true
            values = all
          }
        } catch {
          Issue.record(error)
        }
      }
    }
    #expect(try saved.contents()?["count"] == .integer(.init(8 * turns)))
    #expect(try saved.contents()?.count == 8 * turns + 1)
  }

  @Test func `stores and the file report each other's changes`() async throws {
    let store = saved.open()
    try Self.file(saved).update { $0 = ["a": 1] }
    #expect(eventually { store.integer(forKey: "a") == 1 })
    let changes = Self.file(saved).changes()
    store.set("global", forKey: "g", in: .global)
    store.set(2, forKey: "a")
    try await store.synchronize()
    var iterator = changes.makeAsyncIterator()
    let change = await iterator.next()
    #expect(change == PreferenceChange(key: "a", oldValue: 1, newValue: 2, source: nil))
    try Self.file(saved).update { $0 = nil }
    let removal = await iterator.next()
    #expect(removal?.key == "a" && removal?.oldValue == 2 && removal?.newValue == nil)
  }

  @Test func `the domains of a folder are found by their file names, for any host or one`() throws {
    let locations = PreferencesLocations(folder: saved.location, host: "here")
    #expect(locations.domainNames() == [] && locations.domainNames(.current) == [])
    for domain in ["b.two", "a.one"] {
      for host in PreferencesHost.allCases {
        try PreferencesFile(PersistentDomain(try DomainName(domain), host: host), locations: locations)
          .update { $0 = ["a": 1] }
      }
    }
    try PreferencesFile(.global, locations: locations).update { $0 = ["a": 1] }
    try Data().write(to: saved.location.appending(path: "no-domain.txt"))
    #expect(locations.domainNames().map(\.rawValue) == ["NSGlobalDomain", "a.one", "b.two"])
    #expect(locations.domainNames(.current).map(\.rawValue) == ["a.one", "b.two"])
    #expect(locations.onHost("there").domainNames(.current) == [])
    #expect(saved.open().persistentDomainNames == locations.domainNames())
  }
}
