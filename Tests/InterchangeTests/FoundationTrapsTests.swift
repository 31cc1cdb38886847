import Foundation
import KeyedArchiving
import PropertyLists
import Testing

/// Foundation on Linux (Swift 6.3) is not called, because each of these archives crashes it, most of them in functions
/// that throw errors.
@Suite("Archives that crash Foundation on Linux") struct FoundationTrapsTests {
  private func decode<T: KeyedArchiving.SecureCoding>(_ type: T.Type, _ data: Data) throws -> T {
    try KeyedUnarchiver.unarchivedObject(of: type, from: data)
  }

  @Test(arguments: [Decimal(7), Decimal(-12.5), .greatestFiniteMagnitude])
  func `a decimal number can be archived`(_ decimal: Decimal) throws {
    #expect(try decode(Decimal.self, KeyedArchiver.archivedData(withRootObject: decimal)) == decimal)
  }

  @Test func `an error can be archived`() throws {
    let error = Archived.Error(domain: "d", code: 1, userInfo: ["k": .integer(1)])
    #expect(try decode(Archived.Error.self, KeyedArchiver.archivedData(withRootObject: error)) == error)
  }

  @Test func `a character set from a bitmap can be archived`() throws {
    let set = Archived.CharacterSet(.bitmap(Data(repeating: 1, count: 8192)))
    #expect(try decode(Archived.CharacterSet.self, KeyedArchiver.archivedData(withRootObject: set)) == set)
  }

  @Test func `a text checking result without its regular expression is decoded`() throws {
    let match = Archived.TextCheckingResult(ranges: [.init(location: 1, length: 1)], regularExpression: nil)
    let data = try KeyedArchiver.archivedData(withRootObject: match)
    #expect(try decode(Archived.TextCheckingResult.self, data) == match)
  }

  @Test func `an object of a class that was not requested is an error, at the root and inside`() throws {
    let uuid = UUID()
    let root = try KeyedArchiver.archivedData(withRootObject: uuid)
    #expect(failure { try decode(URL.self, root) } == .classNotAllowed)
    let inside = try KeyedArchiver.archivedData(withRootObject: [uuid])
    #expect(failure { try decode([URL].self, inside) } == .classNotAllowed)
  }

  @Test
  func `a notification is decoded, also without an object`() throws {
    let notification = Archived.Notification(name: "n")
    let data = try KeyedArchiver.archivedData(withRootObject: notification)
    #expect(try decode(Archived.Notification.self, data) == notification)
  }

  @Test func `circular references are decoded`() throws {
    let (first, second) = (Link(), Link())
    (first.next, second.next) = (second, first)
    defer { first.next = nil }
    let data = try KeyedArchiver.archivedData(withRootObject: first)
    let decoded = try decode(Link.self, data)
    #expect(decoded.next !== decoded && decoded.next?.next === decoded)
    decoded.next = nil
  }

  @Test func `an array that contains itself is an error`() throws {
    let data = try archive(["NSArray", "NSObject"], ["NS.objects": [.uid(.init(1))]])
    #expect(failure { try decode([ArchivedValue].self, data) } == .circularReference)
  }

  @Test func `a class that is a string is an error`() throws {
    let list: PropertyList = [
      "$version": 100000, "$archiver": "NSKeyedArchiver", "$top": ["root": .uid(.init(1))],
      "$objects": ["$null", ["$class": .uid(.init(2))], "NSUUID"],
    ]
    let data = try list.data(format: .binary)
    #expect(failure { try decode(UUID.self, data) } == .malformed)
  }

  @Test func `a mutable string without text, or with a number instead, is an error`() throws {
    let classes: [PropertyList] = ["NSMutableString", "NSString", "NSObject"]
    let without = try archive(classes, [:])
    #expect(failure { try decode(String.self, without) } == .valueNotFound)
    let number = try archive(classes, ["NS.string": 1])
    #expect(failure { try decode(String.self, number) } == .typeMismatch)
  }

  @Test func `an error without a domain is an error`() throws {
    let data = try archive(["NSError", "NSObject"], ["NSCode": 1])
    #expect(failure { try decode(Archived.Error.self, data) } == .valueNotFound)
  }

  @Test(arguments: [1 << 60, -1])
  func `a C array with a wrong or negative count is an error`(_ count: Int) throws {
    let array: PropertyList = [
      "NS.count": .integer(.init(count)), "NS.size": 4, "NS.type": 105, "$0": 1, "$class": .uid(.init(5)),
    ]
    let data = try archive(
      ["NSValue", "NSObject"], ["$0": .uid(.init(3)), "$1": .uid(.init(4))],
      ["[1i]", array, classDescription(["_NSKeyedCoderOldStyleArray", "NSObject"])])
    #expect(failure { try decode(Archived.Value.self, data) } == .invalidContents)
  }
}

private final class Link: KeyedArchiving.SecureCoding {
  var next: Link?

  init() {}

  func encode(with coder: KeyedArchiver) throws { try coder.encode(next, forKey: "next") }

  init(coder: KeyedUnarchiver) throws {
    coder.publish(self)
    next = try coder.decodeIfPresent(Link.self, forKey: "next")
  }
}
