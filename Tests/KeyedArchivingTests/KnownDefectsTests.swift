import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import Testing

/// Defects of other implementations, one test for each: the same input gives a value or an error here. The comment of a
/// test names the implementation, the class, and the defect.
///
/// | file | defects of |
/// |---|---|
/// | this one | Foundation's `NSKeyedUnarchiver` on Linux |
/// | `KnownDefectsTests+Archiver.swift` | Foundation's `NSKeyedArchiver` on Linux |
/// | `KnownDefectsTests+Classes.swift`, `KnownDefectsTests+Values.swift` | Foundation's classes on Linux |
/// | `KnownDefectsTests+Others.swift` | Swift's runtime, GNUstep, libplist, nska_deserialize, Apple |
///
/// One defect has no test: exchange with Apple's systems is an open issue of Foundation on Linux as a whole
/// (https://github.com/swiftlang/swift-corelibs-foundation/issues/3615). `MacArchiveTests` has archives of macOS.
@Suite("Defects of other implementations that this package does not have") struct KnownDefectsTests {
  /// An archive whose root is an object of a class that is never allowed.
  static func widget() throws -> Data { try archive("Widget", ["size": 1]) }

  /// Foundation on Linux, NSKeyedUnarchiver: an object is cached only after its initializer returns, so a circle
  /// overflows the stack, as does an NSArray that contains itself
  /// (https://github.com/swiftlang/swift-corelibs-foundation/issues/4214).
  @Test func `a circular object is one object, and an array that contains itself is an error`() throws {
    let unarchiver = try HandmadeArchive.unarchiver {
      let node = $0.next
      let name = PropertyList.reference(node.index + 2)
      let root = $0.addObject(
        "TreeNode", ["name": name, "children": .reference(node.index + 3), "friend": node, "parent": node])
      $0.add("self")
      _ = $0.addArray([node])
      return root
    }
    let node = try unarchiver.decode(TreeNode.self, forKey: "root")
    #expect(node.name == "self")
    #expect(node.friend === node && node.parent === node)
    #expect(node.children.count == 1 && node.children.first === node)
    (node.friend, node.children) = (nil, [])

    let link = try archive("ChainLink", ["next": .uid(1)])
    #expect(error(decoding: ChainLink.self, link)?.kind == .circularReference)
    let array = try archive("NSArray", ["NS.objects": [.uid(1)]])
    #expect(error(decoding: ArchivedValue.self, array)?.kind == .circularReference)
  }

  /// Foundation on Linux, NSKeyedUnarchiver: "Value was of unexpected class" crashes, at the root and inside.
  @Test func `a class that is not allowed is a thrown error, at the root and inside`() throws {
    let atRoot = error(decoding: UUID.self, try Self.widget())
    #expect(atRoot?.kind == .classNotAllowed && atRoot?.className == "Widget")
    let below = error(
      decoding: [UUID].self,
      try archive([
        ["NS.objects": [.uid(3)], "$class": .uid(2)], Description.array, ["size": 1, "$class": .uid(4)],
        classDescription("Widget"),
      ]))
    #expect(below?.kind == .classNotAllowed && below?.className == "Widget")
    #expect(below?.path?.description == "root.0")
  }

  /// Foundation on Linux, NSKeyedUnarchiver: a class without secure coding, such as NSNotification, crashes.
  @Test
  func `a notification in place of another class is a thrown error, and a value if it was requested`() throws {
    let data = try archive("NSNotification", ["NS.name": "saved", "NS.object": .uid(0), "NS.userinfo": .uid(0)])
    #expect(error(decoding: URL.self, data)?.kind == .classNotAllowed)
    #expect(error(decoding: ArchivedValue.self, data)?.kind == .classNotAllowed)
    #expect(try unarchive(Archived.Notification.self, data) == .init(name: "saved"))
  }

  /// Foundation on Linux, NSKeyedUnarchiver: a dictionary without `$class` is returned unchanged, with its UIDs,
  /// whatever class was requested.
  @Test func `an object without a class is an error`() throws {
    let data = try archive([["secret": .uid(2)], "text"])
    for type in [ArchivedValue.self, [String: String].self, UUID.self] as [any SecureCoding.Type] {
      let failure = archiveError { _ = try KeyedUnarchiver.unarchivedObject(of: [type], from: data) }
      #expect(failure?.kind == .malformed && failure?.uid?.value == 1)
    }
    #expect(error(decoding: [String: ArchivedValue].self, data)?.kind == .malformed)
    #expect(error(decoding: ArchivedValue.self, data)?.kind == .malformed)
  }

  /// Foundation on Linux, NSKeyedUnarchiver: a `$class` that refers to a string traps.
  @Test func `an object whose class is a string is an error`() throws {
    let data = try archive([["NS.uuidbytes": .data(Data(0..<16)), "$class": .uid(2)], "NSUUID"])
    #expect(error(decoding: UUID.self, data)?.kind == .malformed)
    let inline = try archive([["NS.uuidbytes": .data(Data(0..<16)), "$class": "NSUUID"]])
    #expect(error(decoding: UUID.self, inline)?.kind == .malformed)
  }

  /// Foundation on Linux, NSKeyedUnarchiver: the allowed classes are checked only the first time. An NSUUID is then
  /// returned for a requested NSURL.
  @Test func `an object that was decoded before is refused where its class is not allowed`() throws {
    var archive = HandmadeArchive()
    let uuid = archive.addUUID()
    let link = archive.addObject("ChainLink", ["next": .reference(0)])
    archive.top = ["uuid": uuid, "link": link]
    let unarchiver = try archive.unarchiver(root: uuid)
    for _ in 0..<3 {
      #expect(try unarchiver.decode(UUID.self, forKey: "uuid").uuid.15 == 15)
      #expect(archiveError { _ = try unarchiver.decode(URL.self, forKey: "uuid") }?.kind == .classNotAllowed)
      #expect(archiveError { _ = try unarchiver.decode(URL.self, forKey: "root") }?.kind == .classNotAllowed)
      #expect(try unarchiver.decode(ChainLink.self, forKey: "link").next == nil)
      #expect(archiveError { _ = try unarchiver.decode(TreeNode.self, forKey: "link") }?.kind == .classNotAllowed)
    }
  }

  /// Foundation on Linux, NSKeyedUnarchiver: a missing optional key fails the whole call with error 4865, as for an
  /// NSError without NSUserInfo.
  @Test func `an optional key is nil, and the rest is decoded`() throws {
    let data = try archive("NSError", ["NSDomain": .uid(3), "NSCode": 7], ["domain"])
    #expect(try unarchive(Archived.Error.self, data) == .init(domain: "domain", code: 7))
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    #expect(try unarchiver.decodeIfPresent(String.self, forKey: "none") == nil)
    #expect(try unarchiver.decode(Archived.Error.self, forKey: "root").code == 7)
    // A missing required key is still an error.
    #expect(archiveError { _ = try unarchiver.decode(String.self, forKey: "none") }?.code == 4865)
  }

  /// Foundation on Linux, NSKeyedUnarchiver: init(forReadingFrom:) does not turn requiresSecureCoding on.
  @Test func `an unarchiver checks classes from the start`() throws {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: Self.widget())
    let failure = archiveError { _ = try unarchiver.decode(ArchivedValue.self, forKey: "root") }
    #expect(failure?.kind == .classNotAllowed && failure?.className == "Widget")
    #expect(archiveError { _ = try unarchiver.decode(of: [], forKey: "root") }?.kind == .classNotAllowed)
  }

  /// Foundation on Linux, NSKeyedUnarchiver: after a decoding error, the policy raiseException crashes
  /// (https://github.com/swiftlang/swift/issues/86344).
  @Test func `after a caught decoding error, the unarchiver can be used`() throws {
    let unarchiver = try HandmadeArchive.unarchiver {
      $0.top = ["number": 5, "text": "five"]
      return $0.addObject("Widget")
    }
    for _ in 0..<3 {
      #expect(archiveError { _ = try unarchiver.decode(Int.self, forKey: "text") }?.kind == .typeMismatch)
      #expect(archiveError { _ = try unarchiver.decode(UUID.self, forKey: "root") }?.kind == .classNotAllowed)
      #expect(try unarchiver.decode(Int.self, forKey: "number") == 5)
    }
  }

  /// Foundation on Linux, NSKeyedUnarchiver: decodeBool of the integer 2 is false.
  @Test func `a Boolean that is written as a number is false only for 0`() throws {
    var archive = HandmadeArchive()
    archive.top = ["two": 2, "minus": -1, "zero": 0, "true": true, "real": 2.0]
    let unarchiver = try archive.unarchiver()
    #expect(try unarchiver.decode(Bool.self, forKey: "two"))
    #expect(try unarchiver.decode(Bool.self, forKey: "minus"))
    #expect(try unarchiver.decode(Bool.self, forKey: "true"))
    #expect(try !unarchiver.decode(Bool.self, forKey: "zero"))
    #expect(archiveError { _ = try unarchiver.decode(Bool.self, forKey: "real") }?.kind == .numberOutOfRange)
  }

  /// Foundation on Linux, NSKeyedUnarchiver: decodeInt32 of 2^40 is 0, and of 3.75 it is 3.
  @Test func `a number that does not fit is an error`() throws {
    var archive = HandmadeArchive()
    archive.top = ["large": 1_099_511_627_776, "fraction": 3.75, "whole": 3.0]
    let unarchiver = try archive.unarchiver()
    #expect(archiveError { _ = try unarchiver.decode(Int32.self, forKey: "large") }?.kind == .numberOutOfRange)
    #expect(archiveError { _ = try unarchiver.decode(Int32.self, forKey: "fraction") }?.kind == .numberOutOfRange)
    #expect(archiveError { _ = try unarchiver.decode(Int.self, forKey: "fraction") }?.kind == .numberOutOfRange)
    #expect(try unarchiver.decode(Int64.self, forKey: "large") == 1 << 40)
    #expect(try unarchiver.decode(Int32.self, forKey: "whole") == 3)
    #expect(try unarchiver.decode(Double.self, forKey: "fraction") == 3.75)
  }

  /// Foundation on Linux, NSKeyedUnarchiver: ten fatal errors crash, such as "Decoder already finished", "cannot decode
  /// structs", "array type is missing" and "Cannot unset requiresSecureCoding". An unarchiver here need not be
  /// finished, and has no switch for security.
  @Test func `an unarchiver need not be finished, and invalid structures and C arrays are errors`() throws {
    let structure = try archive("NSValue", ["$0": .uid(3), "$1": .uid(4)], ["{Point=dd}", "{1, 2}"])
    #expect(error(decoding: Archived.Value.self, structure)?.kind == .invalidContents)

    var fields: OrderedDictionary<String, PropertyList> = [
      "NS.count": 1, "NS.size": 4, "NS.type": 105, "$0": 9, "$class": .uid(5),
    ]
    func arrayOfC() throws -> Data {
      try archive(
        "NSValue", ["$0": .uid(3), "$1": .uid(4)],
        ["[1i]", .dictionary(fields), classDescription("_NSKeyedCoderOldStyleArray")])
    }
    let whole = try arrayOfC()
    for key in ["NS.type", "NS.size", "NS.count"] {
      let value = fields.removeValue(forKey: key)
      #expect(error(decoding: Archived.Value.self, try arrayOfC())?.kind == .valueNotFound)
      fields[key] = value
    }

    let unarchiver = try KeyedUnarchiver(forReadingFrom: whole)
    for _ in 0..<3 {
      guard case .array(let array) = try unarchiver.decode(Archived.Value.self, forKey: "root") else {
        Issue.record("no array of C was decoded")
        continue
      }
      #expect(array.elements == [.int(9)])
      #expect(archiveError { _ = try unarchiver.decode(Int.self, forKey: "none") }?.kind == .valueNotFound)
    }
  }
}
