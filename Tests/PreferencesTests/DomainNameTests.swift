import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import Preferences

@Suite("Names of domains") struct DomainNameTests {
  @Test(arguments: [
    "com.example.notes", "notes", "a", "my tool", "Ünï 🙂", "...", "a..b", "..a", ".hidden", "~", "-", "a:b", "a*?",
    "com.example.notes.plist", "NSglobalDomain", "NSGlobalDomain2", String(repeating: "n", count: 180),
    String(repeating: "é", count: 90),
  ])
  func `domain names are file names without the extension`(_ name: String) throws {
    let domain = try DomainName(name)
    #expect(domain.rawValue == name)
    #expect(domain.description == name)
    #expect(domain == DomainName(nearestTo: name))
  }

  @Test(arguments: [
    ("", "it is empty"), (".", "it names a folder"), ("..", "it names a folder"),
    ("/", "it contains a path separator"), ("a/b", "it contains a path separator"),
    ("../a", "it contains a path separator"), ("/etc/passwd", "it contains a path separator"),
    ("a\\b", "it contains a path separator"), ("..\\a", "it contains a path separator"),
    ("a\0b", "it contains a control character"), ("a\n", "it contains a control character"),
    ("\u{7F}", "it contains a control character"), ("\t", "it contains a control character"),
    (String(repeating: "n", count: 181), "it has more than 180 bytes"),
    (String(repeating: "é", count: 91), "it has more than 180 bytes"),
    ("NSGlobalDomain", "it is reserved"), (".GlobalPreferences", "it is reserved"),
    ("NSArgumentDomain", "it is reserved"), ("NSRegistrationDomain", "it is reserved"),
  ])
  func `domain names cannot contain a path`(_ name: String, _ reason: String) throws {
    let error = PreferencesError.invalidName(name, reason: reason)
    #expect(throws: error) { try DomainName(name) }
    #expect("\(error)".hasSuffix("is not a valid domain name: \(reason)"))
    // A process name can be such a text. It gets a similar domain name.
    #expect(try DomainName(DomainName(nearestTo: name).rawValue) == DomainName(nearestTo: name))
  }

  @Test(arguments: [
    ("a/b", "a_b"), ("..", "_.."), (".", "_."), ("", "_"), ("a\nb", "a_b"), ("NSGlobalDomain", "_NSGlobalDomain"),
    (String(repeating: "é", count: 100), String(repeating: "é", count: 90)), ("../../x", ".._.._x"),
  ])
  func `a process name gives a valid domain name`(_ text: String, _ name: String) {
    #expect(DomainName(nearestTo: text).rawValue == name)
  }

  @Test func `domain names are compared by their bytes, like file names`() throws {
    let (composed, decomposed) = (DomainName("\u{E9}"), DomainName("e\u{301}"))
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed]).count == 2)
    #expect(DomainName("a") != DomainName("A"))
    #expect(DomainName("Z") < DomainName("a"))
    #expect([DomainName("b"), DomainName("é"), DomainName("a")].sorted().map(\.rawValue) == ["a", "b", "é"])
  }

  @Test func `domain names can be literals`() throws {
    let name: DomainName = "com.example.notes"
    let text = "com.example.notes"
    #expect(name == (try DomainName(text)))
    #expect(PersistentDomain("com.example.notes", host: .current).name == name)
    let decomposed: DomainName = "e\u{301}"
    #expect(decomposed.rawValue.utf8.elementsEqual("e\u{301}".utf8))
  }

  #if os(Linux) || os(macOS)
    @Test func `an invalid literal ends the program`() async {
      await #expect(processExitsWith: .failure) { _ = "../elsewhere" as DomainName }
    }
  #endif

  @Test func `domain names are converted to file names and back`() throws {
    #expect(DomainName("a.b").fileName(host: nil) == "a.b.plist")
    #expect(DomainName("a.b").fileName(host: "h") == "a.b.h.plist")
    #expect(DomainName.global.fileName(host: nil) == ".GlobalPreferences.plist")
    #expect(DomainName.global.fileName(host: "h") == ".GlobalPreferences.h.plist")
    #expect(DomainName(fileName: "a.b.plist")?.rawValue == "a.b")
    #expect(DomainName(fileName: ".GlobalPreferences.plist") == .global)
    for name in ["a", ".plist", "a.plist.tmp", ".a.plist", "NSGlobalDomain.plist", "a.plist.unreadable-1"] {
      #expect(DomainName(fileName: name) == nil, "\(name)")
    }
  }
}
