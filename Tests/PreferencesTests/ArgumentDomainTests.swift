import Foundation
import Preferences
import PropertyLists
import TestSupport
import Testing

@Suite("The domain of the command line") struct ArgumentDomainTests {
  private func store(_ arguments: [String]) throws -> UserPreferences {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    return UserPreferences(
      suiteName: DomainName("com.example.arguments"), locations: PreferencesLocations(folder: folder),
      arguments: arguments)
  }

  @Test(
    arguments: [
      ([], [:]),
      (["-size", "12"], ["size": "12"]),
      (["-size", "12", "-name", "a b"], ["size": "12", "name": "a b"]),
      (["open", "-size", "12", "file"], ["size": "12"]),
      (["-name", ""], ["name": ""]),
      (["-é", "ü"], ["é": "ü"]),
      (["-a=b", "c"], ["a=b": "c"]),
      // The last of several values counts.
      (["-size", "12", "-size", "13"], ["size": "13"]),
      // A key without a value is an option of the program.
      (["-size"], [:]),
      (["-verbose", "-size", "12"], ["size": "12"]),
      (["-size", "12", "-verbose"], ["size": "12"]),
      (["-size", "-size", "12"], ["size": "12"]),
      // So are arguments with two hyphens, and those that are not options.
      (["--size", "12"], [:]),
      (["--size", "-name", "a"], ["name": "a"]),
      (["size", "12"], [:]),
      // Two hyphens alone end the pairs.
      (["-size", "12", "--", "-name", "a"], ["size": "12"]),
      (["-size", "--", "12"], [:]),
      // A single hyphen is a value, not a key.
      (["-file", "-"], ["file": "-"]),
      (["-", "value"], [:]),
      // Numbers are values.
      (["-size", "-5"], ["size": "-5"]),
      (["-size", "-1.5e-3", "-x", "-.5"], ["size": "-1.5e-3", "x": "-.5"]),
      (["-size", "-5", "-6", "7"], ["size": "-5", "6": "7"]),
      (["-a", "-5x"], [:]),
      (["-a", "-inf", "b"], ["inf": "b"]),
      (["-a", "-nan", "b"], ["nan": "b"]),
    ] as [([String], [String: String])])
  func `pairs of -key and value are read`(_ arguments: [String], _ expected: [String: String]) throws {
    let values = try store(arguments).volatileDomain(forName: UserPreferences.argumentDomain)
    #expect(values == expected.mapValues { .string($0) })
  }

  @Test(
    arguments: [
      ("{a = 1; b = (c, d);}", ["a": "1", "b": ["c", "d"]]),
      ("(1, \"b c\", {})", ["1", "b c", [:]]),
      ("{}", [:]), ("()", []), (" \t{a = 1;}", ["a": "1"]),
      ("\"quoted \\n text\"", "quoted \n text"),
      ("<0102 ff>", .data(Data([1, 2, 255]))),
      ("<integer>5</integer>", 5), ("\n<integer>-5</integer>\n", -5), ("<real>1.5</real>", 1.5), ("<true/>", true),
      ("<string> a </string>", " a "),
      ("<date>2001-01-01T00:00:01Z</date>", .date(Date(timeIntervalSinceReferenceDate: 1))),
      ("<data>AQL/</data>", .data(Data([1, 2, 255]))),
      ("<array><integer>1</integer><false/></array>", [1, false]),
      ("<dict><key>a</key><dict><key>b</key><real>2</real></dict></dict>", ["a": ["b": 2.0]]),
      ("<plist version=\"1.0\"><integer>7</integer></plist>", 7),
      ("<?xml version=\"1.0\"?><plist version=\"1.0\"><array/></plist>", []),
    ] as [(String, PropertyList)])
  func `values in property list syntax are property lists`(_ text: String, _ expected: PropertyList) throws {
    #expect(try store(["-key", text]).value(forKey: "key") == expected)
  }

  @Test(arguments: [
    "1", "true", " 42 ", "[1,2]", "{\"k\":1}", "{", "{a=1}", "{a=1;} b", "(", "(1", "\"open", "'single'", "<", "<01",
    "<html>", "<integer>x</integer>", "<a/>", "a = b;", String(repeating: "(", count: 100_000),
    String(repeating: "(", count: 505) + String(repeating: ")", count: 505),
  ])
  func `other text is a string`(_ text: String) throws {
    #expect(try store(["-key", text]).value(forKey: "key") == .string(text))
  }

  @Test func `arguments override set values, and are converted in the same way`() throws {
    let store = try store(["-size", "-7", "-flag", "YES", "-list", "(a, b)", "-url", "/a b"])
    store.register(defaults: ["size": 1])
    store.set(2, forKey: "size")
    #expect(store.integer(forKey: "size") == -7)
    #expect(store.double(forKey: "size") == -7)
    #expect(store.bool(forKey: "flag"))
    #expect(store.stringArray(forKey: "list") == ["a", "b"])
    #expect(store.url(forKey: "url")?.path == "/a b")
    #expect(store[PreferenceKey<Int>("size", default: 0)] == -7)
    #expect(store[PreferenceKey<Bool>("flag", default: false)])
    #expect(try #require(store.effectiveValue(forKey: "size")) == ("-7", .arguments))
    #expect(!store.isForced(forKey: "size"))
    // The argument is not saved, and the set value is still stored.
    #expect(store.value(forKey: "size", in: store.domain) == 2)
    store.removePersistentDomain(store.domain)
  }

  @Test func `the argument domain can be replaced and cleared by name`() throws {
    let (store, other) = (try store(["-a", "1"]), try store(["-a", "2"]))
    store.setVolatileDomain(["b": 3], forName: UserPreferences.argumentDomain)
    #expect(store.value(forKey: "a") == nil)
    #expect(store.integer(forKey: "b") == 3)
    #expect(other.integer(forKey: "a") == 2)
    store.removeVolatileDomain(forName: UserPreferences.argumentDomain)
    #expect(store.volatileDomain(forName: UserPreferences.argumentDomain) == [:])
    #expect(store.volatileDomainNames == [UserPreferences.argumentDomain, UserPreferences.registrationDomain])
  }
}
