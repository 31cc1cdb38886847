import Foundation
import KeyedArchiving
import PropertyLists
import TestSupport
import Testing

/// The class that an app on iOS archived in `Fixtures/archives/foo-ios.bplist`.
final class Foo: SecureCoding {
  static let archivedClass = ArchivedClass("Foo")

  let kBar: String
  let kBaz: Float

  init(kBar: String, kBaz: Float) {
    self.kBar = kBar
    self.kBaz = kBaz
  }

  init(coder: KeyedUnarchiver) throws {
    kBar = try coder.decode(String.self, forKey: "kBar")
    kBaz = try coder.decode(Float.self, forKey: "kBaz")
  }

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(kBar, forKey: "kBar")
    try coder.encode(kBaz, forKey: "kBaz")
  }
}

@Suite("An archive that iOS wrote") struct SeedTests {
  @Test func `the archive is decoded to the archived value`() throws {
    let foo = try KeyedUnarchiver.unarchivedObject(of: Foo.self, from: Fixtures.data("archives/foo-ios.bplist"))
    #expect(foo.kBar == "祈求者Kael")
    #expect(foo.kBaz == 24)
  }

  @Test func `archiving again gives the same bytes`() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Foo(kBar: "祈求者Kael", kBaz: 24))
    #expect(data.count == 241)
    #expect(data == (try Fixtures.data("archives/foo-ios.bplist")))
  }
}
