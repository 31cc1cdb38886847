import Foundation
import PropertyLists
import TestSupport
import Testing

/// A value, and the results of this package's coders and Foundation's for it and for each other's files.
struct CodableCase: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let check: @Sendable () throws -> Void

  init<T: Codable & Sendable>(_ name: String, _ value: T, isSame: @escaping @Sendable (T, T) -> Bool) {
    testDescription = name
    check = {
      // In an array, because Foundation does not write scalars as roots.
      let values = [value, value]
      func expectSame(_ decoded: [T], _ what: Comment) {
        #expect(decoded.count == 2 && decoded.allSatisfy { isSame($0, value) }, what)
      }
      let tree = try PropertyLists.PropertyListEncoder().encodeToPropertyList(values)
      expectSame(try PropertyLists.PropertyListDecoder().decode(from: tree), "the tree comes back")
      for format in Coders.foundationFormats {
        let ours = try Coders.encode(values, format)
        let theirs = try Coders.foundationEncode(values, format)
        #expect(try FoundationTests.foundationXML(ours) == FoundationTests.foundationXML(theirs), "\(format)")
        #expect(try FoundationTests.ourXML(PropertyList(ours)) == FoundationTests.ourXML(PropertyList(theirs)))
        expectSame(try Foundation.PropertyListDecoder().decode([T].self, from: ours), "Foundation reads our \(format)")
        expectSame(try PropertyLists.PropertyListDecoder().decode([T].self, from: theirs), "we read its \(format)")
        expectSame(try PropertyLists.PropertyListDecoder().decode([T].self, from: ours), "we read our own \(format)")
      }
      for format in [PropertyListFormat.openStep, .json] {
        let data = try Coders.encode(values, format, options: PropertyListWritingOptions(coercion: .reversible))
        var decoder = PropertyLists.PropertyListDecoder()
        decoder.readingOptions.restoresCoercedValues = true
        expectSame(try decoder.decode([T].self, from: data, format: format), "we read our own \(format)")
      }
      #expect(try PropertyList(Coders.encode(values, .binary)) == tree)
    }
  }

  init<T: Codable & Equatable & Sendable>(_ name: String, _ value: T) {
    self.init(name, value, isSame: { (decoded: T, value: T) in decoded == value })
  }
}

enum Coders {
  /// The formats that Foundation writes.
  static let foundationFormats = [PropertyListFormat.binary, .xml]

  static func encode<T: Encodable>(
    _ value: T, _ format: PropertyListFormat, options: PropertyListWritingOptions = PropertyListWritingOptions()
  ) throws -> Data {
    var encoder = PropertyLists.PropertyListEncoder()
    encoder.writingOptions = options
    encoder.outputFormat = format
    return try encoder.encode(value)
  }

  static func foundationEncode<T: Encodable>(_ value: T, _ format: PropertyListFormat) throws -> Data {
    let encoder = Foundation.PropertyListEncoder()
    encoder.outputFormat = format == .binary ? .binary : .xml
    return try encoder.encode(value)
  }
}

@Suite("Codable compared with Foundation") struct PropertyListCodableInterchangeTests {
  typealias Models = CodableModels

  static let cases: [CodableCase] =
    [
      CodableCase("true", true), CodableCase("an integer", -7), CodableCase("a string", "Größe <&> 🙂"),
      CodableCase("an empty string", ""), CodableCase("a long string", String(repeating: "abcdé", count: 100)),
      CodableCase("a real", 0.1), CodableCase("not a number", Double.nan) { $0.isNaN && $1.isNaN },
      CodableCase("a date", Date(timeIntervalSinceReferenceDate: -86400)),
      CodableCase("data", Data((0...255).map { UInt8($0) })), CodableCase("no data", Data()),
      CodableCase("all numbers", Models.AllNumbers()), CodableCase("an empty struct", Models.Empty()),
      CodableCase("a wrapped empty struct", Models.Wrapped(Models.Empty())),
      CodableCase("no array", [Int]()), CodableCase("no dictionary", [String: Int]()),
      CodableCase("nothing", Int?.none),
      CodableCase("nothing in something", Int??.some(nil)) { decoded, _ in decoded == Int??.none },
      CodableCase("a level", Models.Level.high), CodableCase("a negative number", Models.Number.minus),
      CodableCase("no optionals", Models.Optionals()),
      CodableCase(
        "optionals",
        Models.Optionals(integer: 1, text: "$nul", date: .init(timeIntervalSinceReferenceDate: 1), list: [nil, 2, nil])),
      CodableCase("explicit nil", Models.ExplicitNil()),
      CodableCase("explicit nil, and values", Models.ExplicitNil(integer: 3, level: .low)),
      CodableCase(
        "enumerations with values",
        [Models.Shape.none, .circle(radius: 2), .pair(.none, .pair(.circle(radius: 1), .text(nil, count: 3)))]),
      CodableCase("strange keys", [Models.StrangeKeys()]), CodableCase("keys that are integers", Models.IntegerKeys()),
      CodableCase("a subclass", Models.Derived("name", 3)),
      CodableCase("containers filled in turn", Models.Interleaved()),
      CodableCase("a key that is encoded twice", Models.TwiceTheSameKey()),
      CodableCase("a value in a value", Models.Wrapped(Models.Wrapped([1.5: Models.Level.low]))),
      CodableCase("dictionary with strings", ["b": [1], "a": [], "ä": [2, 3]]),
      CodableCase("dictionary with integers", [1: "a", -20: "b"]),
      CodableCase("dictionary with levels", [Models.Level.low: 1]), CodableCase("dictionary with reals", [0.5: 1]),
      CodableCase("dictionary with UUIDs", [UUID(): UUID()]), CodableCase("a set", Set(["a"])),
      CodableCase("a set of sets", Set([Set([1])])),
      CodableCase("a contiguous array", ContiguousArray([UInt8(1), 255])), CodableCase("a range", 1..<3),
      CodableCase("a closed range", "a"..."z"), CodableCase("a partial range", [(1.5)...].map(\.lowerBound)),
      CodableCase("a duration", Duration.seconds(3)), CodableCase("a vector", SIMD4<Float>(1, 2, 3, 4)),
    ] + foundationValues

  static let foundationValues: [CodableCase] = [
    CodableCase("a URL", URL(string: "https://swift.org/a%20b?c#d")!),
    CodableCase("a relative URL", URL(string: "c/d?e", relativeTo: URL(string: "https://swift.org/a/b"))!),
    CodableCase("a file URL", URL(filePath: "/a b/c", directoryHint: .isDirectory)), CodableCase("a UUID", UUID()),
    CodableCase("a decimal", Decimal(string: "-123456789012345678901234567890.123")!),
    CodableCase("a decimal that is NaN", Decimal.nan), CodableCase("a locale", Locale(identifier: "de_DE")),
    CodableCase("a time zone", TimeZone(identifier: "Europe/Berlin")!),
    CodableCase("a calendar", Calendar(identifier: .hebrew)),
    CodableCase("date components", DateComponents(timeZone: .gmt, year: 2026, month: 2, weekday: 3)),
    CodableCase("an interval", DateInterval(start: Date(timeIntervalSinceReferenceDate: 0), duration: 7)),
    CodableCase("an index path", IndexPath(indexes: [1, 2, 3])), CodableCase("an index set", IndexSet([1, 2, 3, 7])),
    CodableCase("characters", CharacterSet(charactersIn: "aä🙂")),
    CodableCase("a measurement", Measurement(value: 3, unit: UnitLength.miles)),
    CodableCase("a rectangle", CGRect(x: 1, y: 2.5, width: 3, height: 4)), CodableCase("a point", CGPoint(x: 1, y: 2)),
    CodableCase("components", URLComponents(string: "https://a:b@swift.org:80/c?d=e#f")!),
    CodableCase("a transform", AffineTransform(translationByX: 1, byY: 2)),
  ]

  @Test(arguments: cases)
  func `each decodes what the other encodes`(_ testCase: CodableCase) throws { try testCase.check() }

  @Test(arguments: 0..<UInt64(LongForm.size(40, or: 4)))
  func `any value, decoded as each of several types`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let value = CodableModels.Anything.array([.random(depth: 4, using: &random), .random(depth: 4, using: &random)])
    for format in Coders.foundationFormats {
      let ours = try Coders.encode(value, format)
      let theirs = try Coders.foundationEncode(value, format)
      #expect(try FoundationTests.foundationXML(ours) == FoundationTests.foundationXML(theirs))
      let foundation = Foundation.PropertyListDecoder()
      #expect(try foundation.decode(CodableModels.Anything.self, from: ours) == foundation.decode(from: theirs))
      let decoder = PropertyLists.PropertyListDecoder()
      #expect(try decoder.decode(CodableModels.Anything.self, from: theirs) == foundation.decode(from: theirs))
      #expect(try decoder.decode(CodableModels.Anything.self, from: PropertyList(ours)) == decoder.decode(from: ours))
    }
  }

  @Test func `userInfo and coding paths are the same`() throws {
    let value = ["list": [Models.Context(found: "a"), .init(found: "b")]]
    var encoder = PropertyLists.PropertyListEncoder()
    encoder.userInfo[Models.Context.key] = "here"
    let foundationEncoder = Foundation.PropertyListEncoder()
    foundationEncoder.userInfo[Models.Context.key] = "here"
    let ours = try encoder.encode(value)
    #expect(try PropertyList(ours) == PropertyList(foundationEncoder.encode(value)))
    var decoder = PropertyLists.PropertyListDecoder()
    decoder.userInfo[Models.Context.key] = "there"
    let foundationDecoder = Foundation.PropertyListDecoder()
    foundationDecoder.userInfo[Models.Context.key] = "there"
    let decoded = try decoder.decode([String: [Models.Context]].self, from: ours)
    #expect(try decoded == foundationDecoder.decode(from: ours))
    #expect(decoded["list"]?.first?.found.hasPrefix("there") == true)
  }
}

extension Foundation.PropertyListDecoder {
  fileprivate func decode<T: Decodable>(from data: Data) throws -> T { try decode(T.self, from: data) }
}
