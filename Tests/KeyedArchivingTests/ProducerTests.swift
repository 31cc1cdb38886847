import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import Testing

@Suite("Archives of other software") struct ProducerTests {
  @Test func `a mutable class is read as its immutable class`() throws {
    #expect(try unarchive(String.self, archive("NSMutableString", ["NS.string": "x"])) == "x")
    #expect(try unarchive(Data.self, archive("NSMutableData", ["NS.data": .bytes([1])])) == Data([1]))
    #expect(try unarchive([Int].self, archive("NSMutableArray", ["NS.objects": [1]])) == [1])
    #expect(try unarchive(Set<Int>.self, archive("NSMutableSet", ["NS.objects": [1]])) == [1])
    #expect(try unarchive(OrderedSet<Int>.self, archive("NSMutableOrderedSet", ["NS.object.0": 1])) == [1])
    let entries: OrderedDictionary<String, PropertyList> = ["NS.keys": ["a"], "NS.objects": [1]]
    #expect(try unarchive([String: Int].self, archive("NSMutableDictionary", entries)) == ["a": 1])
    #expect(try unarchive(OrderedDictionary<String, Int>.self, archive("NSMutableDictionary", entries)) == ["a": 1])
    #expect(try unarchive(Archived.IndexSet.self, archive("NSMutableIndexSet", ["NSRangeCount": 0])).ranges.isEmpty)
    #expect(
      try unarchive(Archived.CharacterSet.self, archive("NSMutableCharacterSet", ["NSString": "a"])).form
        == .characters("a"))
    #expect(
      try unarchive(Archived.AttributedString.self, archive("NSMutableAttributedString", ["NSString": "a"]))
        == Archived.AttributedString("a"))
  }

  @Test func `inline data, and data in an object of another class, is read`() throws {
    let expected = try #require(Archived.IndexSet([1, 3]))
    let fields: OrderedDictionary<String, PropertyList> = ["NSRangeCount": 2, "NSRangeData": .uid(3)]
    let forms: [[PropertyList]] = [
      [.bytes([1, 1, 3, 1])],
      [["NS.data": .uid(5), "$class": .uid(4)], classDescription("NSData"), .bytes([1, 1, 3, 1])],
      [["NS.bytes": .bytes([1, 1, 3, 1]), "$class": .uid(4)], classDescription("NSMutableData")],
    ]
    for form in forms {
      #expect(try unarchive(Archived.IndexSet.self, archive("NSIndexSet", fields, form)) == expected)
    }
  }

  @Test func `the largest integer is read as a missing date component`() throws {
    let data = try archive(
      "NSDateComponents", ["NS.year": 2001, "NS.month": .integer(.init(Int.max)), "NS.leapMonth": true])
    var expected = DateComponents(year: 2001)
    expected.isLeapMonth = true
    #expect(try unarchive(DateComponents.self, data) == expected)
  }

  @Test func `archives with GNUstep's keys are read`() throws {
    let expression = try archive("NSRegularExpression", ["pattern": "a", "options": 1])
    #expect(try unarchive(Archived.RegularExpression.self, expression) == .init(pattern: "a", options: 1))
    let name = try archive("NSPersonNameComponents", ["givenName": "Ada"])
    #expect(try unarchive(Archived.PersonNameComponents.self, name) == .init(givenName: "Ada"))
    let date = try archive([.date(Date(timeIntervalSinceReferenceDate: 7))])
    #expect(try unarchive(Date.self, date) == Date(timeIntervalSinceReferenceDate: 7))
  }

  @Test func `archives with keys of other coders are read`() throws {
    let text = try archive("NSCharacterSet", ["NSStringObject": .uid(3)], ["abc"])
    #expect(try unarchive(Archived.CharacterSet.self, text) == .init(charactersIn: "abc"))
    let bitmap = try archive("NSCharacterSet", ["NSBuiltinID": 0, "NSBitmapObject": .uid(3)], [.bytes([1])])
    #expect(try unarchive(Archived.CharacterSet.self, bitmap) == .init(.bitmap(Data([1]))))
  }

  @Test func `a C array is read as an affine transform`() throws {
    let numbers: [PropertyList] = [.float(1), .float(2), .float(3), .float(4), .float(5), .real(6)]
    var fields: OrderedDictionary<String, PropertyList> = [
      "NS.count": 6, "NS.size": 4, "NS.type": 102, "$class": .uid(4),
    ]
    for (index, number) in numbers.enumerated() { fields["$\(index)"] = number }
    let data = try archive(
      "NSAffineTransform", ["$0": .uid(3)], [.dictionary(fields), classDescription("_NSKeyedCoderOldStyleArray")])
    #expect(try unarchive(Archived.AffineTransform.self, data) == .init(m11: 1, m12: 2, m21: 3, m22: 4, tX: 5, tY: 6))
  }

  @Test(arguments: [4, 8]) func `a long of 4 or 8 bytes is read`(_ size: Int) throws {
    let data = try archive(
      "_NSKeyedCoderOldStyleArray", ["NS.count": 1, "NS.size": .integer(.init(size)), "NS.type": 108, "$0": -5])
    #expect(try unarchive(Archived.CArray.self, data).elements == [.long(-5)])
  }

  @Test func `an attributed string that lists its only run is read`() throws {
    let data = try archive(
      "NSAttributedString", ["NSString": "ab", "NSAttributes": .uid(3), "NSAttributeInfo": .bytes([2, 0])],
      [
        ["NS.objects": [.uid(5)], "$class": .uid(4)], Description.array,
        ["NS.keys": [], "NS.objects": [], "$class": .uid(6)], Description.dictionary,
      ])
    #expect(try unarchive(Archived.AttributedString.self, data) == Archived.AttributedString("ab"))
  }

  @Test func `a text checking result without its list of ranges is read`() throws {
    let data = try archive("NSRegularExpressionCheckingResult", ["NSRangeLocation": 2, "NSRangeLength": 3])
    #expect(
      try unarchive(Archived.TextCheckingResult.self, data)
        == .init(ranges: [.init(location: 2, length: 3)], regularExpression: nil))
  }

  @Test(arguments: ["{1,2}", "{1.0, 2e0}", "{+1,   2.}"])
  func `geometry with fewer spaces or other number spellings is read`(_ text: String) throws {
    let data = try archive("NSValue", ["NS.special": 1, "NS.pointval": .string(text)])
    #expect(try unarchive(Archived.Point.self, data) == .init(x: 1, y: 2))
  }

  @Test
  func `a unit of an unknown class is read if it is allowed, and written as that class`() throws {
    let data = try archive([
      ["NS.symbol": .uid(3), "NS.specifier": 5, "$class": .uid(2)],
      classDescription(["MyUnit", "NSUnitLength", "NSDimension", "NSUnit", "NSObject"]), "x",
    ])
    #expect(error(decoding: Archived.Unit.self, data)?.kind == .classNotAllowed)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.setClass(Archived.Unit.self, forClassName: "MyUnit")
    let unit = try unarchiver.decode(Archived.Unit.self, forKey: "root")
    let again = try PropertyList(KeyedArchiver.archivedData(withRootObject: unit))
    #expect(again["$objects"]?[3]?["$classes"] == ["MyUnit", "NSUnitLength", "NSDimension", "NSUnit", "NSObject"])
  }

  @Test func `a color of UIKit is read if its hint allows it`() throws {
    let description: PropertyList = [
      "$classname": "MyColor", "$classes": ["MyColor", "NSObject"], "$classhints": ["UIColor", "NSColor"],
    ]
    let data = try archive([["UIWhite": .float(0.5), "$class": .uid(2)], description])
    let color = try unarchive(Archived.Color.self, data)
    #expect(color.components == [0.5])
    #expect(try PropertyList(KeyedArchiver.archivedData(withRootObject: color))["$objects"]?[2] == description)
  }
}
