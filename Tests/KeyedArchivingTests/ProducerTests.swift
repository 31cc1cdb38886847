import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import Testing

@Suite("What other software writes")
struct ProducerTests {
  @Test("with a mutable class is read where the other is asked for")
  func mutableClasses() throws {
    #expect(try unarchive(String.self, archive("NSMutableString", ["NS.string": "x"])) == "x")
    #expect(try unarchive(Data.self, archive("NSMutableData", ["NS.data": .bytes([1])])) == Data([1]))
    #expect(try unarchive([Int].self, archive("NSMutableArray", ["NS.objects": [1]])) == [1])
    #expect(try unarchive(Set<Int>.self, archive("NSMutableSet", ["NS.objects": [1]])) == [1])
    #expect(try unarchive(OrderedSet<Int>.self, archive("NSMutableOrderedSet", ["NS.object.0": 1])) == [1])
    let entries: OrderedDictionary<String, PropertyList> = ["NS.keys": ["a"], "NS.objects": [1]]
    #expect(try unarchive([String: Int].self, archive("NSMutableDictionary", entries)) == ["a": 1])
    #expect(
      try unarchive(OrderedDictionary<String, Int>.self, archive("NSMutableDictionary", entries)) == ["a": 1])
    #expect(try unarchive(Archived.IndexSet.self, archive("NSMutableIndexSet", ["NSRangeCount": 0])).ranges.isEmpty)
    #expect(
      try unarchive(Archived.CharacterSet.self, archive("NSMutableCharacterSet", ["NSString": "a"])).form
        == .characters("a"))
    #expect(
      try unarchive(Archived.AttributedString.self, archive("NSMutableAttributedString", ["NSString": "a"]))
        == Archived.AttributedString("a"))
  }

  @Test("as data in the object itself, or in an object of another class, is read as data")
  func data() throws {
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

  @Test("for unset components of a date, the largest integer, is read as that")
  func unsetComponents() throws {
    let data = try archive(
      "NSDateComponents", ["NS.year": 2001, "NS.month": .integer(.init(Int.max)), "NS.leapMonth": true])
    var expected = DateComponents(year: 2001)
    expected.isLeapMonth = true
    #expect(try unarchive(DateComponents.self, data) == expected)
  }

  @Test("with GNUstep's keys is read")
  func gnustep() throws {
    let expression = try archive("NSRegularExpression", ["pattern": "a", "options": 1])
    #expect(try unarchive(Archived.RegularExpression.self, expression) == .init(pattern: "a", options: 1))
    let name = try archive("NSPersonNameComponents", ["givenName": "Ada"])
    #expect(try unarchive(Archived.PersonNameComponents.self, name) == .init(givenName: "Ada"))
    let date = try archive([.date(Date(timeIntervalSinceReferenceDate: 7))])
    #expect(try unarchive(Date.self, date) == Date(timeIntervalSinceReferenceDate: 7))
  }

  @Test("with the keys of other coders is read")
  func otherCoders() throws {
    let text = try archive("NSCharacterSet", ["NSStringObject": .uid(3)], ["abc"])
    #expect(try unarchive(Archived.CharacterSet.self, text) == .init(charactersIn: "abc"))
    let bitmap = try archive("NSCharacterSet", ["NSBuiltinID": 0, "NSBitmapObject": .uid(3)], [.bytes([1])])
    #expect(try unarchive(Archived.CharacterSet.self, bitmap) == .init(.bitmap(Data([1]))))
  }

  @Test("as a transformation, an array of C, is read")
  func arrayOfC() throws {
    let numbers: [PropertyList] = [.float(1), .float(2), .float(3), .float(4), .float(5), .real(6)]
    var fields: OrderedDictionary<String, PropertyList> = [
      "NS.count": 6, "NS.size": 4, "NS.type": 102, "$class": .uid(4),
    ]
    for (index, number) in numbers.enumerated() { fields["$\(index)"] = number }
    let data = try archive(
      "NSAffineTransform", ["$0": .uid(3)], [.dictionary(fields), classDescription("_NSKeyedCoderOldStyleArray")])
    #expect(
      try unarchive(Archived.AffineTransform.self, data) == .init(m11: 1, m12: 2, m21: 3, m22: 4, tX: 5, tY: 6))
  }

  @Test("as a long of 4 or of 8 bytes is read", arguments: [4, 8])
  func longs(_ size: Int) throws {
    let data = try archive(
      "_NSKeyedCoderOldStyleArray", ["NS.count": 1, "NS.size": .integer(.init(size)), "NS.type": 108, "$0": -5])
    #expect(try unarchive(Archived.CArray.self, data).elements == [.long(-5)])
  }

  @Test("as a text with its runs listed, though there is only one, is read")
  func oneRun() throws {
    let data = try archive(
      "NSAttributedString", ["NSString": "ab", "NSAttributes": .uid(3), "NSAttributeInfo": .bytes([2, 0])],
      [
        ["NS.objects": [.uid(5)], "$class": .uid(4)], Description.array,
        ["NS.keys": [], "NS.objects": [], "$class": .uid(6)], Description.dictionary,
      ])
    #expect(try unarchive(Archived.AttributedString.self, data) == Archived.AttributedString("ab"))
  }

  @Test("as a match without its list of ranges is read")
  func matchOfOneRange() throws {
    let data = try archive("NSRegularExpressionCheckingResult", ["NSRangeLocation": 2, "NSRangeLength": 3])
    #expect(
      try unarchive(Archived.TextCheckingResult.self, data)
        == .init(ranges: [.init(location: 2, length: 3)], regularExpression: nil))
  }

  @Test(
    "as a geometry with fewer blanks or other spellings of numbers is read",
    arguments: ["{1,2}", "{1.0, 2e0}", "{+1,   2.}"])
  func geometry(_ text: String) throws {
    let data = try archive("NSValue", ["NS.special": 1, "NS.pointval": .string(text)])
    #expect(try unarchive(Archived.Point.self, data) == .init(x: 1, y: 2))
  }

  @Test("as a unit of a class that nobody knows is read if that is said, and written as that class again")
  func unknownUnit() throws {
    let data = try archive([
      ["NS.symbol": .uid(3), "NS.specifier": 5, "$class": .uid(2)],
      classDescription(["MyUnit", "NSUnitLength", "NSDimension", "NSUnit", "NSObject"]), "x",
    ])
    #expect(error(decoding: Archived.Unit.self, data)?.kind == .classNotAllowed)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.setClass(Archived.Unit.self, forClassName: "MyUnit")
    let unit = try unarchiver.decode(Archived.Unit.self, forKey: "root")
    let again = try PropertyList(KeyedArchiver.archivedData(withRootObject: unit))
    #expect(
      again["$objects"]?[3]?["$classes"] == ["MyUnit", "NSUnitLength", "NSDimension", "NSUnit", "NSObject"])
  }

  @Test("as a color of UIKit is read where its hint says it can be")
  func hints() throws {
    let description: PropertyList = [
      "$classname": "MyColor", "$classes": ["MyColor", "NSObject"], "$classhints": ["UIColor", "NSColor"],
    ]
    let data = try archive([["UIWhite": .float(0.5), "$class": .uid(2)], description])
    let color = try unarchive(Archived.Color.self, data)
    #expect(color.components == [0.5])
    #expect(try PropertyList(KeyedArchiver.archivedData(withRootObject: color))["$objects"]?[2] == description)
  }
}

/// Foundation of the toolchain as a producer and a reader. What it does otherwise is in the comments.
@Suite("Foundation on Linux")
struct FoundationArchiveTests {
  /// Archives an object of Foundation's and decodes it here.
  private func decode<T: SecureCoding>(_ type: T.Type, from object: NSObject) throws -> T {
    try unarchive(type, NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: false))
  }

  /// Archives a value here and has Foundation decode it.
  private func foundation<T: NSObject & NSCoding>(_ type: T.Type, from value: some SecureCoding) throws -> T? {
    try NSKeyedUnarchiver.unarchivedObject(ofClass: type, from: KeyedArchiver.archivedData(withRootObject: value))
  }

  @Test("index sets and paths are exchanged")
  func indices() throws {
    let set = NSMutableIndexSet(indexesIn: NSRange(location: 3, length: 4))
    set.add(in: NSRange(location: 1000, length: 1_000_000))
    let expected = try #require(Archived.IndexSet(ranges: [3..<7, 1000..<1_001_000]))
    #expect(try decode(Archived.IndexSet.self, from: set) == expected)
    #expect(try foundation(NSIndexSet.self, from: expected) == set)
    let path = IndexPath(indexes: [4, 8, 15, 16, 23, 42])
    #expect(try decode(IndexPath.self, from: path as NSIndexPath) == path)
    #expect(try foundation(NSIndexPath.self, from: path) == path as NSIndexPath)
  }

  @Test("values are exchanged")
  func values() throws {
    let rect = NSRect(x: 1, y: 2.5, width: 3, height: 4)
    #expect(try decode(Archived.Rect.self, from: NSValue(rect: rect)) == .init(x: 1, y: 2.5, width: 3, height: 4))
    #expect(try foundation(NSValue.self, from: Archived.Rect(x: 1, y: 2.5, width: 3, height: 4))?.rectValue == rect)
    let range = NSRange(location: 5, length: 6)
    #expect(try decode(Archived.Range.self, from: NSValue(range: range)) == .init(location: 5, length: 6))
    #expect(try foundation(NSValue.self, from: Archived.Range(location: 5, length: 6))?.rangeValue == range)
    let transform = NSAffineTransform(transform: AffineTransform(m11: 1, m12: 2, m21: 3, m22: 4, tX: 5, tY: 6))
    #expect(
      try decode(Archived.AffineTransform.self, from: transform)
        == .init(m11: 1, m12: 2, m21: 3, m22: 4, tX: 5, tY: 6))
  }

  @Test("locales, time zones, calendars and dates are exchanged")
  func times() throws {
    let locale = Locale(identifier: "de_DE")
    #expect(try decode(Locale.self, from: locale as NSLocale) == locale)
    #expect(try foundation(NSLocale.self, from: locale) == locale as NSLocale)
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    #expect(try decode(TimeZone.self, from: zone as NSTimeZone) == zone)
    #expect(try foundation(NSTimeZone.self, from: zone)?.name == "Europe/Berlin")
    let calendar = Sample.calendar(.gregorian)
    #expect(try decode(Calendar.self, from: calendar as NSCalendar) == calendar)
    #expect(try foundation(NSCalendar.self, from: calendar)?.firstWeekday == 3)
    let components = DateComponents(year: 2001, month: 2)
    let foundations = NSDateComponents()
    foundations.year = 2001
    foundations.month = 2
    var read = try decode(DateComponents.self, from: foundations)
    #expect(read.isLeapMonth == false, "Foundation writes what is not set")
    read.isLeapMonth = nil
    #expect(read == components)
  }

  @Test("measurements are exchanged")
  func measurements() throws {
    let measurement = NSMeasurement(doubleValue: 45, unit: UnitLength.miles)
    let read = try decode(Archived.Measurement.self, from: measurement)
    #expect(read.value == 45)
    #expect(read.unit.symbol == "mi")
    #expect(read.unit.unitClass.name == "NSUnitLength")
    #expect(read.unit.converter == .linear(coefficient: 1609.34))
    let back = try NSKeyedUnarchiver.unarchivedObject(
      ofClasses: [NSMeasurement.self, Unit.self, UnitLength.self],
      from: KeyedArchiver.archivedData(withRootObject: read))
    #expect(back as? NSMeasurement == measurement)
  }

  @Test("text is exchanged")
  func text() throws {
    let text = NSMutableAttributedString(string: "0123456789", attributes: [.init("Size"): 1])
    text.addAttributes([.init("Font"): "Times"], range: NSRange(location: 3, length: 4))
    let read = try decode(Archived.AttributedString.self, from: text)
    #expect(read.runs.map(\.length) == [3, 4, 3])
    #expect(read.runs[1].attributes["Font"] == .string("Times"))
    #expect(try foundation(NSAttributedString.self, from: read)?.isEqual(to: text) == true)
    let expression = try NSRegularExpression(pattern: "a(b)?(c)", options: .caseInsensitive)
    let match = try #require(expression.firstMatch(in: "xAc", range: NSRange(location: 0, length: 3)))
    let result = try decode(Archived.TextCheckingResult.self, from: match)
    #expect(result.ranges == [.init(location: 1, length: 2), .notFound, .init(location: 2, length: 1)])
    #expect(result.regularExpression == .init(pattern: "a(b)?(c)", options: 1))
    #expect(
      try decode(Archived.CharacterSet.self, from: NSCharacterSet.alphanumerics as NSCharacterSet).form == .builtIn(10))
  }

  /// Not an error: archiving one ends the process.
  @Test("formatters and other classes are read")
  func others() throws {
    let formatter = ByteCountFormatter()
    formatter.includesUnit = false
    formatter.countStyle = .binary
    let read = try decode(Archived.ByteCountFormatter.self, from: formatter)
    #expect(!read.includesUnit && read.countStyle == 3 && read.includesCount)
    let dates = ISO8601DateFormatter()
    dates.timeZone = TimeZone(identifier: "Europe/Berlin")
    let readDates = try decode(Archived.ISO8601DateFormatter.self, from: dates)
    #expect(readDates.timeZone?.name == "Europe/Berlin")
    #expect(readDates.formatOptions == Archived.ISO8601DateFormatter.internetDateTime)
    let intervals = DateIntervalFormatter()
    intervals.locale = Locale(identifier: "de_DE")
    intervals.dateStyle = .long
    let readIntervals = try decode(Archived.DateIntervalFormatter.self, from: intervals)
    #expect(readIntervals.locale?.identifier == "de_DE" && readIntervals.dateStyle == 3)
    let set = NSCountedSet(array: [1, 2, 2])
    #expect(try decode(Archived.CountedSet<Int>.self, from: set) == [1, 2, 2])
    let item = NSURLQueryItem(name: "a", value: "b")
    #expect(try decode(Archived.URLQueryItem.self, from: item) == .init(name: "a", value: "b"))
    var name = PersonNameComponents()
    name.givenName = "Ada"
    #expect(
      try decode(Archived.PersonNameComponents.self, from: name as NSPersonNameComponents) == .init(givenName: "Ada"))
  }
}
