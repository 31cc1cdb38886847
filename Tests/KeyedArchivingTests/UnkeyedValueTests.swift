import Foundation
import KeyedArchiving
import PropertyLists
import TestSupport
import Testing

@Suite("Values without keys") struct UnkeyedValueTests {
  @Test func `values without keys and keys with the same name are both decoded`() throws {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: Fixtures.url("archives/unkeyed.bplist"))
    #expect(unarchiver.topLevelKeys == ["$0", "name"])
    #expect(unarchiver.unkeyedCount == 2)
    #expect(try unarchiver.decodeUnkeyed(String.self, at: 0) == "first")
    #expect(try unarchiver.decodeUnkeyed(Int.self, at: 1) == 2)
    #expect(try unarchiver.decode(String.self, forKey: "$0") == "keyed")
    #expect(try unarchiver.decodeUnkeyed((any SecureCoding).self, of: [String.self], at: 0) as? String == "first")
  }

  @Test func `a number beyond the last value is an error that says so`() throws {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: Fixtures.url("archives/unkeyed.bplist"))
    let error = archiveError { _ = try unarchiver.decodeUnkeyed(String.self, at: 2) }
    #expect(error?.kind == .valueNotFound && error?.message == "the object has no unkeyed value at index 2")
    #expect(archiveError { _ = try unarchiver.decodeUnkeyed(Int.self, at: 0) }?.kind == .typeMismatch)
  }

  private struct Pair: SecureCoding {
    static let archivedClass = ArchivedClass("Pair")
    let parts: [String]
    let keys: [String]

    init(coder: KeyedUnarchiver) throws {
      keys = coder.keys
      parts = try (0..<coder.unkeyedCount).map { try coder.decodeUnkeyed(String.self, at: $0) }
    }

    func encode(with coder: KeyedArchiver) throws {}
  }

  @Test func `values without keys in an object are decoded by the object`() throws {
    var archive = HandmadeArchive()
    let pair = archive.addObject("Pair", ["$0": archive.add("a"), "$1": archive.add("b"), "x": archive.add("c")])
    #expect(try archive.decode(Pair.self, root: pair).parts == ["a", "b"])
    #expect(try archive.decode(Pair.self, root: pair).keys == ["x"])
  }

  @Test func `every listed top-level key is decoded, whatever the spelling of its dollar sign`() throws {
    var archive = HandmadeArchive()
    archive.top = [
      "$$a": archive.add("escaped"), "$b": archive.add("bare"), "$$$c": archive.add("two"), "$": archive.add("dollar"),
      "$$d": archive.add("both"), "$d": archive.add("hidden"), "$12": archive.add("unkeyed"),
    ]
    let unarchiver = try archive.unarchiver()
    #expect(unarchiver.topLevelKeys == ["$a", "$b", "$$c", "$", "$d"])
    #expect(unarchiver.keys == unarchiver.topLevelKeys)
    let values = try unarchiver.topLevelKeys.map { key in
      #expect(unarchiver.containsValue(forKey: key))
      return try unarchiver.decode(String.self, forKey: key)
    }
    #expect(values == ["escaped", "bare", "two", "dollar", "both"])
    for key in ["$12", "$0", "$class"] {
      #expect(!unarchiver.containsValue(forKey: key))
      #expect(archiveError { _ = try unarchiver.decode(String.self, forKey: key) }?.kind == .valueNotFound)
    }
  }
}
