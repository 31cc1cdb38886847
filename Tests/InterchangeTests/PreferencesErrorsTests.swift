import Foundation
import KeyedArchiving
import Preferences
import PropertyLists
import Synchronization
import TestSupport
import Testing

/// Defects of Foundation's `UserDefaults` on Linux (Swift 6.3), and the correct behavior. If a test fails after an
/// update of the toolchain, the defect may have been fixed.
@Suite("Defects of UserDefaults on Linux that this package does not have") final class PreferencesErrorsTests {
  private let files: FoundationPreferences
  /// In this process, and never saved.
  private let defaults: UserDefaults
  private let store: UserPreferences

  init() throws {
    files = FoundationPreferences()
    defaults = try #require(UserDefaults(suiteName: "errors-\(UUID().uuidString)"))
    store = files.store(DomainName("com.example.errors"), arguments: ["-argument", "first"])
  }

  /// Saved before the folder is removed. Otherwise the unsaved value would recreate it.
  deinit { try? store.synchronize() }

  /// Foundation chooses the overload with a URL, which calls itself endlessly.
  @Test func `setting nil removes the value`() throws {
    store.set(1, forKey: "key")
    store.set(nil, forKey: "key")
    #expect(store.value(forKey: "key") == nil)
    store.set("text", forKey: "key")
    store.set(String?.none, forKey: "key")
    #expect(store.value(forKey: "key") == nil)
    try store.synchronize()
    #expect(files.names == [])
  }

  @Test(arguments: [UInt64(Int.max), UInt64(Int.max) + 1, .max])
  func `integers that need 64 bits are kept`(_ integer: UInt64) throws {
    let value = PropertyList.integer(.init(integer))
    try files.run("foundation-set", "theirs", input: ["key": value])
    #expect(try files.run("foundation-string", "theirs", "key").text == "nil\n")
    #expect(try files.run("string", "theirs", "key").text == "\(integer)\n")
    try files.run("set", "com.example.errors", input: ["key": value])
    #expect(try files.run("string", "com.example.errors", "key").text == "\(integer)\n")
    try store.synchronize()
    #expect(store.value(forKey: "key") == value)
    #expect(store.value(UInt64.self, forKey: "key") == integer)
    #expect(store.integer(forKey: "key") == .max)
  }

  @Test func `data that is not an archive is not a URL, and does not crash`() throws {
    #expect(try files.runToAnyEnd(["foundation-url-of-data", "theirs"]).wasKilled)
    store.set(.data(Data("no archive".utf8)), forKey: "key")
    #expect(store.url(forKey: "key") == nil)
    store.set(.data(try KeyedArchiver.archivedData(withRootObject: UUID())), forKey: "key")
    #expect(store.url(forKey: "key") == nil)
  }

  @Test func `elements of containers are not optionals`() throws {
    defaults.set([1], forKey: "key")
    let element = try #require(defaults.array(forKey: "key")?.first)
    #expect(Mirror(reflecting: element).displayStyle == .optional)
    store.set([1], forKey: "key")
    #expect(store.array(forKey: "key") == [1])
    store.set(["a": 1], forKey: "key")
    #expect(store.dictionary(forKey: "key")?["a"] == 1)
  }

  @Test func `setting a volatile domain replaces it`() {
    for entries in [["a": 1], ["b": 2]] {
      defaults.setVolatileDomain(entries, forName: "domain")
      store.setVolatileDomain(entries.mapValues { .integer(.init($0)) }, forName: "domain")
    }
    #expect(Set(defaults.volatileDomain(forName: "domain").keys) == ["a", "b"])
    #expect(store.volatileDomain(forName: "domain") == ["b": 2])
  }

  @Test func `the registration domain can be read`() {
    let key = UUID().uuidString
    defaults.register(defaults: [key: 1])
    #expect(defaults.integer(forKey: key) == 1)
    #expect(defaults.volatileDomain(forName: UserDefaults.registrationDomain).isEmpty)
    store.register(defaults: [key: 1])
    #expect(store.volatileDomain(forName: UserPreferences.registrationDomain) == [key: 1])
  }

  @Test func `dictionaryRepresentation has the values of all domains`() throws {
    try files.run("foundation-set", ".GlobalPreferences", input: ["global": 1])
    try files.run("foundation-set", "theirs", input: ["application": 2])
    let theirs = try files.run("foundation-get", "theirs", "-argument", "first").output
    #expect(try PropertyList(theirs) == ["application": 2])
    #expect(try files.run("foundation-string", "theirs", "argument", "-argument", "first").text == "first\n")
    store.set(2, forKey: "application")
    store.register(defaults: ["registered": 3, "application": 4])
    try store.synchronize()
    #expect(store.dictionaryRepresentation() == ["argument": "first", "application": 2, "global": 1, "registered": 3])
  }

  @Test(arguments: ["https://a.b/c?d=e#f", "mailto:a@b", "data:,x"])
  func `a URL that is not a file URL keeps its host`(_ text: String) throws {
    let url = try #require(URL(string: text))
    defaults.set(url, forKey: "key")
    #expect(defaults.url(forKey: "key") != url)
    store.set(url, forKey: "key")
    #expect(store.url(forKey: "key") == url)
    // In the form that Apple stores.
    let archive = try #require(store.data(forKey: "key"))
    #expect(try Foundations.unarchive(NSURL.self, archive) as URL == url)
  }

  @Test func `a file URL is stored as a path, and text with a scheme is a URL`() throws {
    store.set(URL(filePath: "/a b/c"), forKey: "key")
    #expect(store.value(forKey: "key") == "/a b/c")
    #expect(store.url(forKey: "key") == URL(filePath: "/a b/c"))
    let home = FileManager.default.homeDirectoryForCurrentUser
    store.set(home.appending(path: "x"), forKey: "key")
    #expect(store.value(forKey: "key") == "~/x")
    #expect(store.url(forKey: "key")?.path == home.appending(path: "x").path)
    defaults.set("file:///x", forKey: "key")
    #expect(defaults.url(forKey: "key")?.path == FileManager.default.currentDirectoryPath + "/file:///x")
    store.set("file:///x", forKey: "key")
    #expect(store.url(forKey: "key")?.path == "/x")
  }

  @Test func `the global domain cannot be a suite`() throws {
    try files.run("foundation-set", "NSGlobalDomain", input: ["key": "value"])
    #expect(files.names == ["NSGlobalDomain.plist"])
    #expect(try files.run("foundation-string", "-", "key").text == "nil\n")
    let name = "NSGlobalDomain"
    #expect(throws: PreferencesError.invalidName(name, reason: "it is reserved")) { try DomainName(name) }
    store.set("value", forKey: "key", in: .global)
    try store.synchronize()
    #expect(files.names == [".GlobalPreferences.plist", "NSGlobalDomain.plist"])
    #expect(try files.run("string", "-", "key").text == "value\n")
  }

  @Test func `a suite name cannot lead out of the folder`() throws {
    let files = FoundationPreferences(subfolder: "configuration")
    try files.run("foundation-set", "../escaped/suite", input: ["key": 1])
    #expect(files.folder.names.contains("escaped"))
    let name = "../escaped/suite"
    #expect(throws: PreferencesError.invalidName(name, reason: "it contains a path separator")) { try DomainName(name) }
  }

  @Test func `an empty key is an error`() throws {
    try files.run("foundation-set", "theirs", input: ["": 1])
    #expect(try files.run("foundation-string", "theirs", "").text == "1\n")
    let ours = try files.run("set", "com.example.errors", input: ["": 1, "key": 2])
    #expect(ours.errors == "preferences: a key must have at least one character\n")
    try store.synchronize()
    #expect(store.persistentDomain(store.domain) == ["key": 2])
  }

  @Test func `fractions of a second are kept, also if the file was XML`() throws {
    let moment = Date(timeIntervalSinceReferenceDate: 700_000_000.123)
    try files.run("foundation-set", "com.example.errors", input: ["key": .date(moment)])
    #expect(
      try PropertyList(files.run("foundation-get", "com.example.errors").output)
        == ["key": .date(Date(timeIntervalSinceReferenceDate: 700_000_000))])
    try files.run("set", "com.example.errors", input: ["key": .date(moment)])
    #expect(try PropertyList(files.run("get", "com.example.errors").output) == ["key": .date(moment)])
    try store.synchronize()
    #expect(store.date(forKey: "key") == moment)
  }

  @Test func `a 4-byte real prints as it was set after a reload, too`() throws {
    try files.run("foundation-set", "theirs", input: ["key": .float(12.34)])
    #expect(try files.run("foundation-string", "theirs", "key").text == "12.34000015258789\n")
    try files.run("set", "com.example.errors", input: ["key": .float(12.34)])
    #expect(try files.run("string", "com.example.errors", "key").text == "12.34\n")
  }

  @Test func `values are saved at exit without a call`() throws {
    try files.run("foundation-set-unsaved", "theirs", "a", "b")
    #expect(files.names == [])
    try files.run("set-unsaved", "com.example.errors", "a", "b")
    #expect(files.names == ["com.example.errors.plist"])
    try store.synchronize()
    #expect(store.persistentDomain(store.domain) == ["a": "a", "b": "b"])
  }

  /// Foundation loses about a third of them, which varies.
  @Test func `three processes that set many keys each lose no values`() throws {
    let count = LongForm.size(200, or: 40)
    let errors = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 3) { [files] process in
      do { try files.run("count", "com.example.errors", "process\(process)", "\(count)") } catch {
        errors.withLock { $0.append("\(error)") }
      }
    }
    #expect(errors.withLock { $0 } == [])
    let values = try #require(PropertyList(files.file("com.example.errors.plist")).dictionary)
    #expect(values.count == 3 * count)
    for process in 0..<3 {
      for index in 0..<count { #expect(values["process\(process)-\(index)"] == .integer(.init(index))) }
    }
  }

  @Test func `an unreadable file is kept`() throws {
    let damage = Data("bplist00 and no more".utf8)
    for suite in ["theirs", "ours"] {
      let url = URL(filePath: files.folder.path("\(suite).plist"))
      try damage.write(to: url)
      // Long ago, so that no program is still writing it.
      try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: url.path)
    }
    try files.run("foundation-set", "theirs", input: ["key": 1])
    #expect(try PropertyList(files.file("theirs.plist")) == ["key": 1])
    #expect(files.folder.names.filter { $0.hasPrefix("theirs") } == ["theirs.plist"])
    let run = try files.run("set", "ours", input: ["key": 1])
    #expect(try PropertyList(files.file("ours.plist")) == ["key": 1])
    let aside = try #require(files.folder.names.first { $0.hasPrefix("ours.plist.unreadable-") })
    #expect(try files.file(aside) == damage)
    #expect(run.errors.contains(aside))
  }

  /// Foundation reads nothing from a file that contains one, and overwrites it.
  @Test(arguments: [PropertyList.null, .uid(.init(1)), ["a": [.null]]])
  func `values that Apple's reader refuses are not stored`(_ value: PropertyList) throws {
    let contents: PropertyList = ["bad": value, "good": "kept"]
    try contents.data(format: .binary).write(to: URL(filePath: files.folder.path("theirs.plist")))
    #expect(try files.run("foundation-string", "theirs", "good").text == "nil\n")
    let run = try files.run("set", "com.example.errors", input: contents)
    #expect(run.errors.contains("the value for \"bad\" cannot be stored"))
    #expect(try files.run("foundation-string", "com.example.errors", "good").text == "kept\n")
  }

  @Test func `managed values are forced, other values are not`() throws {
    let managed = files.folder.url.appending(path: "managed")
    try FileManager.default.createDirectory(at: managed, withIntermediateDirectories: true)
    let contents: PropertyList = ["managed": 1]
    try contents.data(format: .xml).write(to: managed.appending(path: "com.example.managed.plist"))
    let store = UserPreferences(
      suiteName: DomainName("com.example.managed"),
      locations: PreferencesLocations(folder: files.folder.url, managedFolders: [managed]), arguments: [])
    store.set(2, forKey: "managed")
    store.set(3, forKey: "own")
    #expect(store.integer(forKey: "managed") == 1)
    #expect(store.isForced(forKey: "managed"))
    #expect(!store.isForced(forKey: "own"))
    #expect(!store.isForced(forKey: "none"))
    // Foundation has no managed values.
    #expect(!defaults.objectIsForced(forKey: "managed"))
    try store.synchronize()
  }
}
