import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import Testing

/// Defects of Foundation on Linux (Swift 6.3), and the correct behavior. If a test fails after an update of the
/// toolchain, the defect may have been fixed.
@Suite("Defects of Foundation on Linux") struct FoundationDefectsTests {
  @Test func `it reads the start of a date interval as its end`() throws {
    let interval = DateInterval(start: Date(timeIntervalSinceReferenceDate: 10), duration: 10)
    let data = try KeyedArchiver.archivedData(withRootObject: interval)
    #expect(try Foundations.unarchive(NSDateInterval.self, data).duration == 0)
    #expect(try KeyedUnarchiver.unarchivedObject(of: DateInterval.self, from: data) == interval)
  }

  @Test func `it writes missing date components as the largest integer`() throws {
    let components = DateComponents(year: 2001)
    let theirs = try PropertyList(Foundations.archive(components as NSDateComponents))
    #expect(theirs["$objects"]?[1]?["NS.day"] == .integer(.init(Int.max)))
    let ours = try KeyedArchiver.archivedData(withRootObject: components)
    #expect(try PropertyList(ours)["$objects"]?[1]?["NS.day"] == nil)
    #expect(try KeyedUnarchiver.unarchivedObject(of: DateComponents.self, from: ours) == components)
  }

  @Test func `it drops the user info of a notification`() throws {
    let notification = Archived.Notification(
      name: "n", object: .string("sender"), userInfo: [.string("k"): .integer(1)])
    let data = try KeyedArchiver.archivedData(withRootObject: notification)
    let theirs = try Foundations.unarchiveInsecurely(NSNotification.self, data)
    #expect(theirs.name.rawValue == "n" && theirs.userInfo == nil)
    #expect(try KeyedUnarchiver.unarchivedObject(of: Archived.Notification.self, from: data) == notification)
  }

  @Test func `it writes the string $null as nil`() throws {
    let theirs = try Foundations.archive(NSArray(array: ["$null"]))
    #expect(try Foundations.unarchive(NSArray.self, with: [NSString.self], theirs) == [])
    #expect(failure { try KeyedUnarchiver.unarchivedObject(of: [String].self, from: theirs) } == .valueNotFound)
    let ours = try KeyedArchiver.archivedData(withRootObject: ["$null"])
    #expect(try KeyedUnarchiver.unarchivedObject(of: [String].self, from: ours) == ["$null"])
  }

  @Test func `it merges equal mutable strings, and writes them as immutable`() throws {
    let (first, second) = (NSMutableString(string: "a"), NSMutableString(string: "a"))
    let theirs = try PropertyList(Foundations.archive(NSArray(array: [first, second])))
    #expect(theirs["$objects"]?[1]?["NS.objects"] == [.uid(.init(2)), .uid(.init(2))])
    #expect(theirs["$objects"]?[2] == "a")
    let ours = [Archived.Mutable("a"), Archived.Mutable("a")]
    let data = try KeyedArchiver.archivedData(withRootObject: ours)
    let read = try KeyedUnarchiver.unarchivedObject(of: [Archived.Mutable<String>].self, from: data)
    #expect(read == ours && read[0] !== read[1])
  }

  @Test func `it merges true and 1`() throws {
    let theirs = try Foundations.archive(NSArray(array: [true, 1, 1.0] as [NSNumber]))
    let ours: [ArchivedValue] = [.boolean(true), .integer(1), .real(1)]
    #expect(
      try KeyedUnarchiver.unarchivedObject(of: [ArchivedValue].self, from: theirs)
        == [.boolean(true), .boolean(true), .boolean(true)])
    let data = try KeyedArchiver.archivedData(withRootObject: ours)
    #expect(try KeyedUnarchiver.unarchivedObject(of: [ArchivedValue].self, from: data) == ours)
  }

  @Test func `it ignores class names that were set`() throws {
    let theirs = NSKeyedArchiver(requiringSecureCoding: true)
    theirs.setClassName("Other", for: NamedVehicle.self)
    theirs.encode(NamedVehicle(name: "a"), forKey: "root")
    theirs.finishEncoding()
    let objects = try PropertyList(theirs.encodedData)["$objects"]
    #expect(objects?[3]?["$classname"] == "InterchangeTests.NamedVehicle")
    let ours = KeyedArchiver()
    ours.setClassName("Other", for: OurVehicle.self)
    try ours.encode(OurVehicle(), forKey: "root")
    let data = try PropertyList(ours.encodedData())
    #expect(data["$objects"]?.array?.contains { $0["$classname"] == "Other" } == true)
  }

  @Test func `it never calls replacementObject`() throws {
    let theirs = try PropertyList(Foundations.archive(Replaced()))
    #expect(theirs["$objects"]?[1]?["$class"] != nil)
    let ours = try KeyedArchiver.archivedData(withRootObject: OurReplaced())
    #expect(try KeyedUnarchiver.unarchivedObject(of: String.self, from: ours) == "replacement")
  }

  @Test func `it loses an object whose first reference is conditional`() throws {
    let theirs = NSKeyedArchiver(requiringSecureCoding: true)
    let theirObject = NamedVehicle(name: "a")
    theirs.encodeConditionalObject(theirObject, forKey: "conditional")
    theirs.encode(theirObject, forKey: "object")
    theirs.finishEncoding()
    let top = try KeyedUnarchiver(forReadingFrom: theirs.encodedData).topLevelKeys
    #expect(top == ["object"])
    let ours = KeyedArchiver()
    let ourObject = OurVehicle()
    try ours.encodeConditionalObject(ourObject, forKey: "conditional")
    try ours.encode(ourObject, forKey: "object")
    let data = try ours.encodedData()
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    let decoded = try unarchiver.decode(OurVehicle.self, forKey: "conditional")
    #expect(try unarchiver.decode(OurVehicle.self, forKey: "object") === decoded)
  }

  @Test func `it decodes numbers that do not fit as other values`() throws {
    let archiver = KeyedArchiver()
    try archiver.encode(1 << 40, forKey: "large")
    try archiver.encode(3.75, forKey: "fraction")
    try archiver.encode(2, forKey: "two")
    let data = try archiver.encodedData()
    let theirs = try NSKeyedUnarchiver(forReadingFrom: data)
    #expect(theirs.decodeInt32(forKey: "large") == 0)
    #expect(theirs.decodeInteger(forKey: "fraction") == 3)
    #expect(theirs.decodeBool(forKey: "two") == false)
    let ours = try KeyedUnarchiver(forReadingFrom: data)
    #expect(failure { try ours.decode(Int32.self, forKey: "large") } == .numberOutOfRange)
    #expect(failure { try ours.decode(Int.self, forKey: "fraction") } == .numberOutOfRange)
    #expect(try ours.decode(Bool.self, forKey: "two"))
  }

  @Test func `it checks the class of an object only once`() throws {
    let archiver = KeyedArchiver()
    let uuid = UUID()
    try archiver.encode(uuid, forKey: "UUID")
    try archiver.encode(uuid, forKey: "URL")
    let data = try archiver.encodedData()
    let theirs = try NSKeyedUnarchiver(forReadingFrom: data)
    theirs.requiresSecureCoding = true
    theirs.decodingFailurePolicy = .setErrorAndReturn
    #expect(theirs.decodeObject(of: [NSUUID.self], forKey: "UUID") is NSUUID)
    #expect(theirs.decodeObject(of: [NSURL.self], forKey: "URL") is NSUUID)
    #expect(theirs.error == nil)
    let ours = try KeyedUnarchiver(forReadingFrom: data)
    #expect(try ours.decode(UUID.self, forKey: "UUID") == uuid)
    #expect(failure { try ours.decode(URL.self, forKey: "URL") } == .classNotAllowed)
  }

  @Test func `it decodes archives without secure coding`() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: UUID())
    let theirs = try NSKeyedUnarchiver(forReadingFrom: data)
    #expect(!theirs.requiresSecureCoding)
    #expect(theirs.decodeObject(forKey: "root") is NSUUID)
    #expect(failure { try KeyedUnarchiver.unarchivedObject(of: URL.self, from: data) } == .classNotAllowed)
  }

  @Test func `it returns an object without a class as a dictionary, whatever class was requested`() throws {
    let list: PropertyList = [
      "$version": 100000, "$archiver": "NSKeyedArchiver", "$top": ["root": .uid(.init(1))],
      "$objects": ["$null", ["a": 1]],
    ]
    let data = try list.data(format: .binary)
    let theirs = try NSKeyedUnarchiver.unarchivedObject(ofClasses: [NSUUID.self], from: data)
    #expect(theirs as? [String: Int] == ["a": 1])
    #expect(failure { try KeyedUnarchiver.unarchivedObject(of: UUID.self, from: data) } == .malformed)
  }

  @Test func `it drops nil elements, and all elements if one is not a reference`() throws {
    let nothing = try archive(["NSArray", "NSObject"], ["NS.objects": [.uid(.init(0)), .uid(.init(3))]], ["a"])
    #expect(try Foundations.unarchive(NSArray.self, with: [NSString.self], nothing) == ["a"])
    #expect(failure { try KeyedUnarchiver.unarchivedObject(of: [String].self, from: nothing) } == .valueNotFound)
    let inline = try archive(["NSArray", "NSObject"], ["NS.objects": [7, .uid(.init(3))]], [8])
    #expect(try Foundations.unarchive(NSArray.self, with: [NSNumber.self], inline) == [])
    #expect(try KeyedUnarchiver.unarchivedObject(of: [Int].self, from: inline) == [7, 8])
  }

  @Test func `it reads an array whose elements are a number as empty`() throws {
    let data = try archive(["NSArray", "NSObject"], ["NS.objects": 7])
    #expect(try Foundations.unarchive(NSArray.self, data) == [])
    #expect(failure { try KeyedUnarchiver.unarchivedObject(of: [Int].self, from: data) } == .typeMismatch)
  }

  @Test func `it counts keys without values as entries of a dictionary`() throws {
    let data = try archive(
      ["NSDictionary", "NSObject"],
      ["NS.keys": [.uid(.init(3)), .uid(.init(4))], "NS.objects": [.uid(.init(3))]], ["a", "b"])
    // Using the second element would crash the process.
    #expect(try Foundations.unarchive(NSDictionary.self, with: [NSString.self], data).count == 2)
    #expect(failure { try KeyedUnarchiver.unarchivedObject(of: [String: String].self, from: data) } == .invalidContents)
  }

  @Test func `it reads a date that is text as the reference date`() throws {
    let data = try archive(["NSDate", "NSObject"], ["NS.time": "1"])
    #expect(try Foundations.unarchive(NSDate.self, data).timeIntervalSinceReferenceDate == 0)
    #expect(failure { try KeyedUnarchiver.unarchivedObject(of: Date.self, from: data) } == .typeMismatch)
  }

  @Test(arguments: [
    (-5, 3, KeyedArchiveError.Kind.numberOutOfRange), (3, -5, .numberOutOfRange), (Int.max, 3, .invalidContents),
  ])
  func `it reads indices that are out of range`(_ location: Int, _ length: Int, _ kind: KeyedArchiveError.Kind) throws {
    let data = try archive(
      ["NSIndexSet", "NSObject"],
      ["NSRangeCount": 1, "NSLocation": .integer(.init(location)), "NSLength": .integer(.init(length))])
    _ = try Foundations.unarchive(NSIndexSet.self, data)
    #expect(failure { try KeyedUnarchiver.unarchivedObject(of: Archived.IndexSet.self, from: data) } == kind)
  }

  @Test func `it reads an index path with a negative length`() throws {
    let data = try archive(["NSIndexPath", "NSObject"], ["NSIndexPathLength": -1])
    #expect(try Foundations.unarchive(NSIndexPath.self, data).length == 0)
    #expect(failure { try KeyedUnarchiver.unarchivedObject(of: IndexPath.self, from: data) } == .invalidContents)
  }

  @Test func `it reads an invalid rectangle as an empty one`() throws {
    let data = try archive(["NSValue", "NSObject"], ["NS.special": 3, "NS.rectval": .uid(.init(3))], ["nonsense"])
    #expect(try Foundations.unarchive(NSValue.self, data).rectValue == .zero)
    #expect(failure { try KeyedUnarchiver.unarchivedObject(of: Archived.Rect.self, from: data) } == .invalidContents)
  }

  @Test func `it reads a URL without text`() throws {
    let data = try archive(["NSURL", "NSObject"], ["NS.base": .uid(.init(0)), "NS.relative": .uid(.init(3))], [""])
    #expect(try Foundations.unarchive(NSURL.self, data).absoluteString == "")
    #expect(failure { try KeyedUnarchiver.unarchivedObject(of: URL.self, from: data) } == .invalidContents)
  }

  @Test func `it does not write Apple's identifiers of units`() throws {
    let theirs = try KeyedUnarchiver.unarchivedObject(
      of: Archived.Unit.self, from: Foundations.archive(UnitLength.miles))
    #expect(theirs.specifier == nil)
    var unit = theirs
    unit.specifier = 1287
    let data = try KeyedArchiver.archivedData(withRootObject: unit)
    #expect(try KeyedUnarchiver.unarchivedObject(of: Archived.Unit.self, from: data).specifier == 1287)
    #expect(try Foundations.unarchive(UnitLength.self, data) == .miles)
  }
}

/// Archives in the form of Apple's software.
@Suite("Valid archives that Foundation on Linux refuses") struct FoundationRefusalTests {
  /// Foundation reports a missing key as damage (4865), even an optional one.
  private func isRefused<T: NSObject & NSCoding>(
    _ type: T.Type, with others: [AnyClass] = [], _ data: Data, _ code: CocoaError.Code = .coderValueNotFound
  ) -> Bool {
    do {
      _ = try Foundations.unarchive(type, with: others, data)
      return false
    } catch {
      return (error as? CocoaError)?.code == code
    }
  }

  @Test func `an attributed string with one run, which has no list of runs`() throws {
    let text = Archived.AttributedString("ab", attributes: ["Size": .integer(1)])
    let data = try KeyedArchiver.archivedData(withRootObject: text)
    #expect(isRefused(NSAttributedString.self, with: [NSString.self, NSDictionary.self, NSNumber.self], data))
    #expect(try KeyedUnarchiver.unarchivedObject(of: Archived.AttributedString.self, from: data) == text)
  }

  @Test func `date components, because missing ones are absent`() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: DateComponents(year: 2001))
    #expect(isRefused(NSDateComponents.self, data))
    #expect(try KeyedUnarchiver.unarchivedObject(of: DateComponents.self, from: data) == DateComponents(year: 2001))
  }

  @Test func `an error without user info`() throws {
    let data = try archive(["NSError", "NSObject"], ["NSDomain": .uid(.init(3)), "NSCode": 5], ["d"])
    #expect(isRefused(NSError.self, data))
    #expect(try KeyedUnarchiver.unarchivedObject(of: Archived.Error.self, from: data) == .init(domain: "d", code: 5))
  }

  @Test func `an affine transform of 24 bytes`() throws {
    let transformation = Archived.AffineTransform(m11: 1, m12: 2, m21: 3, m22: 4, tX: 5, tY: 6)
    let data = try KeyedArchiver.archivedData(withRootObject: transformation)
    #expect(try PropertyList(data)["$objects"]?[1]?["NSTransformStruct"]?.data?.count == 24)
    #expect(isRefused(NSAffineTransform.self, data))
    #expect(try KeyedUnarchiver.unarchivedObject(of: Archived.AffineTransform.self, from: data) == transformation)
  }

  @Test(arguments: [Decimal(7), Decimal(-12.5)])
  func `a decimal number, whose class is unknown`(_ decimal: Decimal) throws {
    let data = try KeyedArchiver.archivedData(withRootObject: decimal)
    #expect(isRefused(NSDecimalNumber.self, data, .coderReadCorrupt))
    #expect(try KeyedUnarchiver.unarchivedObject(of: Decimal.self, from: data) == decimal)
  }

  @Test func `a custom object without its optional values`() throws {
    let data = try archive(["InterchangeTests.Optionally", "NSObject"], [:])
    #expect(isRefused(Optionally.self, data))
    #expect(try KeyedUnarchiver.unarchivedObject(of: OurOptionally.self, from: data).name == nil)
  }
}

final class Optionally: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }

  func encode(with coder: NSCoder) {}

  init?(coder: NSCoder) { _ = coder.decodeObject(of: NSString.self, forKey: "name") }
}

private struct OurOptionally: KeyedArchiving.SecureCoding {
  static let archivedClass = ArchivedClass("InterchangeTests.Optionally")

  let name: String?

  func encode(with coder: KeyedArchiver) throws { try coder.encode(name, forKey: "name") }

  init(coder: KeyedUnarchiver) throws { name = try coder.decodeIfPresent(String.self, forKey: "name") }
}

/// An object with a replacement in archives.
final class Replaced: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }

  override init() {}

  func encode(with coder: NSCoder) {}

  init?(coder: NSCoder) {}

  override func replacementObject(for archiver: NSKeyedArchiver) -> Any? { NSString(string: "replacement") }
}

private final class OurReplaced: KeyedArchiving.SecureCoding {
  init() {}

  func encode(with coder: KeyedArchiver) {}

  init(coder: KeyedUnarchiver) {}

  func replacementObject(for coder: KeyedArchiver) -> (any KeyedArchiving.SecureCoding)? { "replacement" }
}
