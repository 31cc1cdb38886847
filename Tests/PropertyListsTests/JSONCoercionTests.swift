import Foundation
import OrderedCollections
import TestSupport
import Testing

@testable import PropertyLists

@Suite("Reversible coercion in JSON") struct JSONCoercionTests {
  static let reversible = PropertyListWritingOptions(coercion: .reversible, isCompact: true)
  static let restoring = PropertyListReadingOptions(restoresCoercedValues: true)

  static func date(_ seconds: Double) -> PropertyList { JSONWritingTests.date(seconds) }

  static let forms: [(PropertyList, String)] = [
    (date(0), #"{"$date":"2001-01-01T00:00:00Z"}"#), (date(0.5), #"{"$date":"2001-01-01T00:00:00.5Z"}"#),
    (date(-0.5), #"{"$date":"2000-12-31T23:59:59.5Z"}"#), (date(-0.0), #"{"$date":-0.0}"#),
    (date(631_152_000.1), #"{"$date":"2021-01-01T00:00:00.1Z"}"#),
    (date(-1e-5), #"{"$date":"2000-12-31T23:59:59.99999Z"}"#),
    (date(1.5e-7), #"{"$date":"2001-01-01T00:00:00.00000015Z"}"#),
    (date(1e-300), #"{"$date":1e-300}"#), (date(252_423_993_599), #"{"$date":"9999-12-31T23:59:59Z"}"#),
    (date(252_423_993_600), #"{"$date":252423993600.0}"#),
    (date(-63_113_904_000), #"{"$date":"0001-01-01T00:00:00Z"}"#),
    (date(-63_113_904_001), #"{"$date":-63113904001.0}"#), (date(1e300), #"{"$date":1e+300}"#),
    (date(.nan), #"{"$date":"nan"}"#), (date(.infinity), #"{"$date":"inf"}"#), (date(-.infinity), #"{"$date":"-inf"}"#),
    (.data(Data([0, 1, 2, 255])), #"{"$data":"AAEC/w=="}"#), (.data(Data()), #"{"$data":""}"#),
    (.uid(.init(3)), #"{"CF$UID":3}"#),
    (.uid(.init(.max)), #"{"CF$UID":4294967295}"#), (.real(.nan), #"{"$real":"nan"}"#),
    (.real(.infinity), #"{"$real":"inf"}"#),
    (.real(-.infinity), #"{"$real":"-inf"}"#),
    (.real(Double(bitPattern: 0xFFF8_0000_0000_0001)), #"{"$real":"nan(0xfff8000000000001)"}"#),
    (.real(Double(bitPattern: 0x7FF0_0000_0000_0001)), #"{"$real":"nan(0x7ff0000000000001)"}"#),
    (.float(1.5), #"{"$float":1.5}"#), (.float(0.1), #"{"$float":0.1}"#), (.float(-0.0), #"{"$float":-0.0}"#),
    (.float(.greatestFiniteMagnitude), #"{"$float":3.4028235e+38}"#),
    (.float(.leastNonzeroMagnitude), #"{"$float":1e-45}"#),
    (.float(.nan), #"{"$float":"nan"}"#), (.float(.infinity), #"{"$float":"inf"}"#),
    (.float(-.infinity), #"{"$float":"-inf"}"#),
    (.float(Float(bitPattern: 0xFF80_0001)), #"{"$float":"nan(0xff800001)"}"#),
    (["$date": 1], #"{"$$date":1}"#), (["$$date": 1], #"{"$$$date":1}"#), (["CF$UID": 3], #"{"$CF$UID":3}"#),
    (["$CF$UID": 3], #"{"$$CF$UID":3}"#),
    (["$data": ["$real": ["$float": [:]]]], #"{"$$data":{"$$real":{"$$float":{}}}}"#),
    (["date": 1], #"{"date":1}"#), (["$dates": 1], #"{"$dates":1}"#), (["$": 1], #"{"$":1}"#), (["": 1], #"{"":1}"#),
    (["$date": 1, "b": 2], #"{"$date":1,"b":2}"#), (["$real": .real(.nan)], #"{"$$real":{"$real":"nan"}}"#),
  ]

  @Test(arguments: forms) func `each tagged form is written and read back`(_ value: PropertyList, _ text: String) throws
  {
    #expect(try JSONWritingTests.text(value, options: Self.reversible) == text + "\n")
    #expect(try JSONTests.read(text, options: Self.restoring) == value)
    // With spaces, and inside other values.
    let nested: PropertyList = ["a": [value, 1], "$b": value]
    let pretty = try JSONWritingTests.text(nested, options: .init(coercion: .reversible))
    #expect(try JSONTests.read(pretty, options: Self.restoring) == nested)
    let document = try PropertyListDocument(nested.data(format: .binary))
    #expect(try document.root.data(format: .json, options: .init(coercion: .reversible)) == Data(pretty.utf8))
  }

  @Test(
    arguments: [
      (#"{"\u0024date":"2001-01-01T00:00:00.50Z"}"#, date(0.5)), (#"{"$date":5}"#, date(5)),
      (#"{"$date" : -5.5 }"#, date(-5.5)),
      (#"{"$date":"2001-01-01T00:00:00.000000000000000000000000000000Z"}"#, date(0)),
      (#"{"$date":"2000-12-31T23:59:59.9000000000000000000000000000Z"}"#, date(-0.1)),
      (#"{"$data":"AAEC\/w=="}"#, .data(Data([0, 1, 2, 255]))), (#"{"$data":"AA\nEC"}"#, .data(Data([0, 1, 2]))),
      (#"{"$float":1}"#, .float(1)), (#"{"$float" :  1.25e1 }"#, .float(12.5)),
      (#"{"\u0024\u0024date":1}"#, ["$date": 1]),
      (#"{"\u0043F$UID":7}"#, .uid(.init(7))), (#"{"$\u0043F$UID":7}"#, ["CF$UID": 7]),
      ("{\"$float\"\n:\t0.1\n}", .float(0.1)),
    ] as [(String, PropertyList)])
  func `other spellings of tagged forms are read`(_ text: String, _ expected: PropertyList) throws {
    #expect(try JSONTests.read("[\(text)]", options: Self.restoring) == [expected])
    #expect(try JSONTests.read(text) != expected)
  }

  @Test func `data with escapes in its base64 is read next to other values`() throws {
    let text = #"[{"$data":"\/\/\/\/"}, "a\/b", {"$data":"AAEC"}, {"$data":"AA\u003d="}, {"k": {"$data":"\/\/8="}}]"#
    let expected: PropertyList = [
      .data(Data([255, 255, 255])), "a/b", .data(Data([0, 1, 2])), .data(Data([0])), ["k": .data(Data([255, 255]))],
    ]
    let document = try PropertyListDocument(Data(text.utf8), format: .json, options: Self.restoring)
    #expect(try PropertyList(document.root) == expected)
    #expect(try document.root.data(format: .binary) == expected.data(format: .binary))
    #expect(
      try PropertyListDocument(document.root.data(format: .xml)).root.child(at: 4).value(forKey: "k")?.data?.count == 2)
  }

  @Test(arguments: [
    #"{"$date":null}"#, #"{"$date":true}"#, #"{"$date":"2001-01-01"}"#, #"{"$date":"2001-01-01T00:00:00"}"#,
    #"{"$date":"2001-02-30T00:00:00Z"}"#, #"{"$date":"2001-01-01T00:00:00.Z"}"#,
    #"{"$date":"2001-01-01T00:00:00.5"}"#,
    #"{"$date":"2001-01-01T00:00:00.5xZ"}"#, #"{"$date":"2001-01-01T00:00:00+01:00"}"#, #"{"$date":""}"#,
    #"{"$date":"-1-01-01T00:00:00Z"}"#,
    #"{"$date":"20010-01-01T00:00:00Z"}"#, #"{"$date":"-0001-01-01T00:00:00Z"}"#, #"{"$date":{"$real":"nan"}}"#,
    #"{"$date":"infinity"}"#,
    #"{"$data":1}"#, #"{"$data":"AAE"}"#, #"{"$data":"@@@@"}"#, #"{"$data":"AA\u0000="}"#, #"{"$data":["AAEC"]}"#,
    #"{"CF$UID":-1}"#, #"{"CF$UID":4294967296}"#, #"{"CF$UID":1.0}"#, #"{"CF$UID":"1"}"#, #"{"CF$UID":-0}"#,
    #"{"$real":1.5}"#, #"{"$real":"NaN"}"#, #"{"$real":"+inf"}"#, #"{"$real":"nan(0x7ff0000000000000)"}"#,
    #"{"$real":"nan(0x1)"}"#,
    #"{"$real":"nan(0x+ff8000000000001)"}"#, #"{"$float":"1.5"}"#, #"{"$float":1e39}"#, #"{"$float":null}"#,
    #"{"$float":"nan(0x7f800000)"}"#, #"{"$float":[]}"#,
  ])
  func `an object with the key of a tagged form and other contents is an error`(_ text: String) throws {
    let found = try #require(JSONTests.defect("{\"a\": [1, \(text)]}", options: Self.restoring), "\(text) was read")
    #expect(found.kind == .malformed && found.byteOffset == 10 && found.position == .init(line: 1, column: 11))
    #expect(found.keyPath == PropertyListKeyPath([.key("a"), .index(1)]))
    _ = try JSONTests.read(text)
  }

  @Test func `a tagged form is not a level of nesting`() throws {
    for innermost in [Self.date(0), .uid(.init(1)), .data(Data([1])), .float(2), .real(.nan)] {
      var value = innermost
      for level in 0..<512 { value = level % 2 == 0 ? [value] : ["$date": value] }
      #expect(try PropertyList(value.data(format: .json, options: Self.reversible), options: Self.restoring) == value)
    }
    let tooDeep = String(repeating: "[", count: 512) + "{\"a\":1}" + String(repeating: "]", count: 512)
    let found = JSONTests.defect(tooDeep, options: Self.restoring)
    #expect(found?.kind == .nestedTooDeeply && found?.byteOffset == 512 && found?.keyPath?.components.count == 512)
    let further = JSONTests.defect(String(repeating: "[", count: 512) + "{\"$date\":[", options: Self.restoring)
    #expect(further?.kind == .nestedTooDeeply && further?.byteOffset == 521)
  }

  @Test func `if the last duplicate key counts, it makes the tagged form`() throws {
    let options = PropertyListReadingOptions(duplicateKeys: .keepLast, restoresCoercedValues: true)
    #expect(try JSONTests.read(#"{"$float":1,"$float":2.5}"#, options: options) == .float(2.5))
    #expect(try JSONTests.read(#"{"$$date":1,"$$date":2}"#, options: options) == ["$date": 2])
  }

  @Test(arguments: 0..<UInt64(LongForm.size(120, or: 6)))
  func `any tree is read back exactly`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let value = PropertyList.random(depth: 4, forXML: false, using: &random).withOddParts(using: &random)
    for isCompact in [false, true] {
      let options = PropertyListWritingOptions(coercion: .reversible, isCompact: isCompact)
      let data = try value.data(format: .json, options: options)
      let document = try PropertyListDocument(data, format: .json, options: Self.restoring)
      #expect(try PropertyList(document.root) == value)
      #expect(try document.root.data(format: .json, options: options) == data)
      #expect(try document.root.data(format: .binary) == value.data(format: .binary))
      // It is also JSON for others.
      _ = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
    }
  }

  @Test(arguments: 0..<8) func `every date is read back exactly`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<LongForm.size(2000, or: 80) {
      let seconds: Double =
        switch Int.random(in: 0..<5, using: &random) {
        case 0: Double(bitPattern: random.next())
        case 1: Double.random(in: -63_113_904_000...252_423_993_600, using: &random)
        case 2: Double.random(in: -1e9...1e9, using: &random)
        case 3: Double.random(in: -2...2, using: &random)
        default: Double(Int.random(in: -1_000_000_000...1_000_000_000, using: &random)) / 1000
        }
      let data = try Self.date(seconds).data(format: .json, options: Self.reversible)
      #expect(try PropertyList(data, format: .json, options: Self.restoring) == Self.date(seconds), "\(seconds)")
    }
  }
}

extension PropertyList {
  /// The same value, with some of its parts replaced by dictionaries that resemble tagged forms, and by unusual reals.
  fileprivate func withOddParts(using random: inout SeededGenerator) -> PropertyList {
    switch self {
    case .array(let elements): return .array(elements.map { $0.withOddParts(using: &random) })
    case .dictionary(let entries): return .dictionary(entries.mapValues { $0.withOddParts(using: &random) })
    default:
      switch Int.random(in: 0..<12, using: &random) {
      case 0:
        let name = ["date", "data", "real", "float", "CF$UID", ""].randomElement(using: &random)!
        return .dictionary([String(repeating: "$", count: .random(in: 0..<4, using: &random)) + name: self])
      case 1: return .real(.nan)
      case 2: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: random.next())))
      case 3: return .real(Double(bitPattern: 0x7FF0_0000_0000_0000 | random.next()))
      case 4: return .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: random.next())))
      default: return self
      }
    }
  }
}
