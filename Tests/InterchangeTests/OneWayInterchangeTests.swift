import Foundation
import KeyedArchiving
import PropertyLists
import Testing

/// Conversions that only one side supports. `FoundationDefectsTests` tests what the other side does.
@Suite("Archives that work in one direction only") struct OneWayInterchangeTests {
  private func decode<T: KeyedArchiving.SecureCoding>(
    _ type: T.Type, from object: NSObject, secure: Bool = true, _ format: PropertyListFormat
  ) throws -> T {
    try KeyedUnarchiver.unarchivedObject(of: type, from: Foundations.archive(object, secure: secure, format: format))
  }

  @Test(arguments: PropertyListFormat.ofArchives)
  func `the string $null is archived in a box, which Foundation opens`(_ format: PropertyListFormat) throws {
    let data = try KeyedArchiver.archivedData(withRootObject: ["$null", "a", "$null"], outputFormat: format)
    #expect(try Foundations.unarchive(NSArray.self, with: [NSString.self], data) == ["$null", "a", "$null"])
  }

  @Test(arguments: PropertyListFormat.ofArchives)
  func `a date interval of Foundation is read`(_ format: PropertyListFormat) throws {
    let interval = DateInterval(start: Date(timeIntervalSinceReferenceDate: 10), duration: 10)
    #expect(try decode(DateInterval.self, from: interval as NSDateInterval, format) == interval)
  }

  @Test(arguments: PropertyListFormat.ofArchives)
  func `date components with few values are read`(_ format: PropertyListFormat) throws {
    let components = DateComponents(year: 2001, month: 2)
    var expected = components
    // Foundation has no third state.
    expected.isLeapMonth = false
    #expect(try decode(DateComponents.self, from: components as NSDateComponents, format) == expected)
  }

  @Test(arguments: PropertyListFormat.ofArchives)
  func `an affine transform is read from Foundation's C array`(_ format: PropertyListFormat) throws {
    let transform = NSAffineTransform(transform: AffineTransform(m11: 1, m12: 2, m21: 3, m22: 4, tX: 5, tY: 6))
    #expect(
      try decode(Archived.AffineTransform.self, from: transform, format)
        == .init(m11: 1, m12: 2, m21: 3, m22: 4, tX: 5, tY: 6))
  }

  @Test(arguments: PropertyListFormat.ofArchives)
  func `Foundation reads a mutable string as mutable`(_ format: PropertyListFormat) throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Archived.Mutable("abc"), outputFormat: format)
    #expect(try Foundations.unarchive(NSMutableString.self, data) == "abc")
  }

  @Test(arguments: PropertyListFormat.ofArchives)
  func `an inverted character set: Foundation writes a bitmap`(_ format: PropertyListFormat) throws {
    let inverted = NSCharacterSet(charactersIn: "abc").inverted as NSCharacterSet
    let read = try decode(Archived.CharacterSet.self, from: inverted, format)
    guard case .bitmap(let bitmap) = read.form else {
      Issue.record("\(read)")
      return
    }
    // One bit for each scalar: a, b and c are 0x61 to 0x63.
    #expect(bitmap.prefix(13) == Data(repeating: 0xFF, count: 12) + [0xF1])
    for value in [read, Archived.CharacterSet(.characters("abc"), isInverted: true)] {
      let data = try KeyedArchiver.archivedData(withRootObject: value, outputFormat: format)
      let set = try Foundations.unarchive(NSCharacterSet.self, data)
      #expect(set.longCharacterIsMember(0x41) && !set.longCharacterIsMember(0x61))
    }
  }

  @Test func `Foundation reads a calendar and a time zone that have only a name`() throws {
    let calendar = try KeyedArchiver.archivedData(withRootObject: Archived.Calendar(identifier: "gregorian"))
    #expect(try Foundations.unarchive(NSCalendar.self, calendar).calendarIdentifier == .gregorian)
    let zone = try KeyedArchiver.archivedData(withRootObject: Archived.TimeZone(name: "Europe/Berlin"))
    #expect(try Foundations.unarchive(NSTimeZone.self, zone).name == "Europe/Berlin")
  }

  @Test(arguments: PropertyListFormat.ofArchives)
  func `units of Foundation are read`(_ format: PropertyListFormat) throws {
    let miles = try decode(
      Archived.Measurement.self, from: NSMeasurement(doubleValue: 45, unit: UnitLength.miles), format)
    #expect(miles.value == 45 && miles.unit.symbol == "mi" && miles.unit.unitClass.name == "NSUnitLength")
    #expect(miles.unit.converter == .linear(coefficient: 1609.34))
    let heat = try decode(Archived.Unit.self, from: UnitTemperature.fahrenheit, format)
    #expect(heat.unitClass.ancestors == ["NSDimension", "NSUnit", "NSObject"])
    #expect(heat.symbol == "°F")
    let back = try Foundations.unarchive(
      NSMeasurement.self, with: [Unit.self, UnitLength.self],
      KeyedArchiver.archivedData(withRootObject: miles, outputFormat: format))
    #expect(back == NSMeasurement(doubleValue: 45, unit: UnitLength.miles))
    let fuel = Archived.Unit(dimension: "NSUnitFuelEfficiency", symbol: "mpg", converter: .reciprocal(235.215))
    let theirs = try Foundations.unarchive(UnitFuelEfficiency.self, KeyedArchiver.archivedData(withRootObject: fuel))
    #expect(theirs == UnitFuelEfficiency.milesPerGallon)
    #expect(theirs.converter.baseUnitValue(fromValue: 1) == 235.215)
  }

  @Test(arguments: PropertyListFormat.ofArchives) func `a notification of Foundation is read`(
    _ format: PropertyListFormat
  ) throws {
    let notification = NSNotification(
      name: .init("n"), object: NSString(string: "sender"), userInfo: ["k": NSNumber(value: 1)])
    #expect(
      try decode(Archived.Notification.self, from: notification, secure: false, format)
        == .init(name: "n", object: .string("sender"), userInfo: [.string("k"): .integer(1)]))
  }

  @Test(arguments: PropertyListFormat.ofArchives)
  func `a date interval formatter of Foundation is read`(_ format: PropertyListFormat) throws {
    let formatter = DateIntervalFormatter()
    formatter.locale = Locale(identifier: "de_DE")
    formatter.dateStyle = .long
    let read = try decode(Archived.DateIntervalFormatter.self, from: formatter, secure: false, format)
    #expect(read.locale?.identifier == "de_DE" && read.dateStyle == 3)
  }

  @Test(arguments: PropertyListFormat.ofArchives)
  func `Foundation reads an error`(_ format: PropertyListFormat) throws {
    let error = Archived.Error(
      domain: "outer", code: -4,
      userInfo: [
        "NSUnderlyingError": .object(Archived.Error(domain: "inner", code: 2, userInfo: [:])), "number": .integer(4),
        "text": .string("t"),
      ])
    let data = try KeyedArchiver.archivedData(withRootObject: error, outputFormat: format)
    let read = try Foundations.unarchive(NSError.self, with: [NSDictionary.self, NSString.self, NSNumber.self], data)
    #expect(read.domain == "outer" && read.code == -4)
    #expect(read.userInfo["number"] as? Int == 4 && read.userInfo["text"] as? String == "t")
    #expect((read.userInfo["NSUnderlyingError"] as? NSError)?.domain == "inner")
    let plain = try KeyedArchiver.archivedData(
      withRootObject: Archived.Error(domain: "d", code: 1), outputFormat: format)
    #expect(try Foundations.unarchive(NSError.self, plain).userInfo.isEmpty)
  }
}
