import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import Testing

/// A value that is archived and decoded.
struct Sample: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// Archives the value and decodes it as its type. Expects the same value, and the same archive again.
  let check: @Sendable (PropertyListFormat) throws -> Void
  /// The value in an archive.
  let archive: @Sendable () throws -> Data
  /// Decodes a value of its type, and archives it again.
  let archiveAgain: @Sendable (Data) throws -> Data

  init<Value: SecureCoding & Equatable>(_ name: String, _ value: @autoclosure @escaping @Sendable () throws -> Value) {
    testDescription = name
    archive = { try KeyedArchiver.archivedData(withRootObject: value()) }
    archiveAgain = { try KeyedArchiver.archivedData(withRootObject: unarchive(Value.self, $0)) }
    check = { format in
      let value = try value()
      let data = try KeyedArchiver.archivedData(withRootObject: value, outputFormat: format)
      let decoded = try KeyedUnarchiver.unarchivedObject(of: Value.self, from: data)
      #expect(decoded == value)
      #expect(try KeyedArchiver.archivedData(withRootObject: decoded, outputFormat: format) == data)
    }
  }
}

@Suite("Values are decoded as archived") struct ConformanceTests {
  @Test(arguments: PropertyListFormat.allCases, Sample.basics)
  func `basic values`(_ format: PropertyListFormat, _ sample: Sample) throws { try sample.check(format) }

  @Test(arguments: PropertyListFormat.allCases, Sample.collections)
  func `collections of values`(_ format: PropertyListFormat, _ sample: Sample) throws { try sample.check(format) }

  @Test("dates, calendars, locales and time zones", arguments: PropertyListFormat.allCases, Sample.times)
  func timeValues(_ format: PropertyListFormat, _ sample: Sample) throws { try sample.check(format) }

  @Test(arguments: PropertyListFormat.allCases, Sample.values)
  func `contents of NSValue`(_ format: PropertyListFormat, _ sample: Sample) throws { try sample.check(format) }

  @Test(arguments: PropertyListFormat.allCases, Sample.structures)
  func `plain structures`(_ format: PropertyListFormat, _ sample: Sample) throws { try sample.check(format) }

  @Test(arguments: PropertyListFormat.allCases, Sample.decimals)
  func `decimal numbers`(_ format: PropertyListFormat, _ number: Decimal) throws {
    let data = try KeyedArchiver.archivedData(withRootObject: number, outputFormat: format)
    let decoded = try unarchive(Decimal.self, data)
    #expect(decoded == number || decoded.isNaN && number.isNaN)
    #expect(decoded.description == number.description)
  }

  @Test(arguments: PropertyListFormat.allCases, Sample.calendars)
  func `calendars of each kind`(_ format: PropertyListFormat, _ identifier: Calendar.Identifier) throws {
    try Sample("\(identifier)", Sample.calendar(identifier)).check(format)
  }

  @Test(arguments: PropertyListFormat.allCases, Sample.numbers)
  func `C numbers`(_ format: PropertyListFormat, _ number: Archived.CNumber) throws {
    try Sample("\(number)", Archived.Value.number(number)).check(format)
    try Sample("\(number)", Archived.CArray(number.type, [number, number]).map { Archived.Value.array($0) }).check(
      format)
  }

  @Test("every C number type is tested")
  func typesOfC() { #expect(Set(Sample.numbers.map(\.type)) == Set(Archived.CType.allCases)) }
}

@Suite("Archiving equal values") struct EqualValueTests {
  @Test func `equal values are archived once, also those of several objects`() throws {
    let path = IndexPath(indexes: [1, 2])
    let archived = try PropertyList(KeyedArchiver.archivedData(withRootObject: [path, path]))
    // Null, the array, the path, its data, and the three classes.
    #expect(archived["$objects"]?.array?.count == 7)
    #expect(archived["$objects"]?[1]?["NS.objects"] == [.uid(2), .uid(2)])
  }

  @Test func `equal values of two classes are archived twice`() throws {
    let units = ["NSUnitLength", "NSUnitMass"].map { Archived.Unit(dimension: $0, symbol: "x", converter: .identity) }
    let data = try KeyedArchiver.archivedData(withRootObject: units)
    #expect(try unarchive([Archived.Unit].self, data) == units)
    #expect(try PropertyList(data)["$objects"]?[1]?["NS.objects"]?.array?.count == 2)
    #expect(units[0] != units[1])
  }
}
