import Foundation
import PropertyLists
import TestSupport
import Testing

/// The result of decoding a file of XML, or the same file in the binary format: the value as text, or the case of the
/// error with its coding path.
struct Decoding: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let xml: Data
  let foundation: @Sendable (Data) -> String
  let ours: @Sendable (Data) -> String

  /// - Parameter value: an element of an array in XML.
  init<T: Decodable & Sendable>(_ type: T.Type, _ value: String) {
    testDescription = "\(type) of \(value)"
    xml = Data("<plist version=\"1.0\"><array>\(value)</array></plist>".utf8)
    foundation = { data in
      Self.outcome { try Foundation.PropertyListDecoder().decode([T].self, from: data) }
    }
    ours = { data in Self.outcome { try PropertyLists.PropertyListDecoder().decode([T].self, from: data) } }
  }

  func binary() throws -> Data { try PropertyList(xml).data(format: .binary) }

  static func outcome<T>(_ body: () throws -> T) -> String {
    do { return "\(try body())" } catch DecodingError.typeMismatch(let type, let context) {
      return "typeMismatch \(type) \(path(context.codingPath))"
    } catch DecodingError.valueNotFound(_, let context) {
      return "valueNotFound \(path(context.codingPath))"
    } catch DecodingError.keyNotFound(let key, let context) {
      return "keyNotFound \(key.stringValue) \(path(context.codingPath))"
    } catch DecodingError.dataCorrupted(let context) {
      return "dataCorrupted \(path(context.codingPath))"
    } catch EncodingError.invalidValue(_, let context) {
      return "invalidValue \(path(context.codingPath))"
    } catch {
      return "\(error)"
    }
  }

  private static func path(_ path: [any CodingKey]) -> String {
    path.map { "/\($0.stringValue)\($0.intValue.map { "#\($0)" } ?? "")" }.joined()
  }
}

@Suite("Codable compared with Foundation: conversions and errors") struct PropertyListCodableErrorTests {
  struct Field<T: Codable & Sendable>: Codable, Sendable {
    var value: T
  }

  /// Decodes an optional superclass.
  struct Sub: Decodable, Sendable {
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      let nested = try container.superDecoder()
      guard try nested.singleValueContainer().decodeNil() else {
        _ = try nested.container(keyedBy: Keys.self)
        return
      }
      _ = try container.superDecoder(forKey: .none).unkeyedContainer()
    }

    enum Keys: CodingKey { case none }
  }

  /// Reads an array past its end.
  struct TooMany: Decodable, Sendable {
    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      while !container.isAtEnd { _ = try container.decode(Int.self) }
      _ = try container.decodeIfPresent(Int.self)
      _ = try container.decode(String.self)
    }
  }

  /// After an error, an element is decoded as another type.
  struct SecondTry: Decodable, Sendable {
    var found: [String] = []

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      while !container.isAtEnd {
        if let value = try? container.decode(Int.self) {
          found.append("integer \(value)")
        } else if let nested = try? container.nestedContainer(keyedBy: CodableModels.Interleaved.TableKeys.self) {
          found.append("keys \(nested.allKeys.map(\.stringValue).sorted())")
        } else if let nested = try? container.nestedUnkeyedContainer() {
          found.append("count \(nested.count ?? -1)")
        } else if try container.decodeNil() {
          found.append("nil")
        } else {
          found.append("text \(try container.decode(String.self))")
        }
      }
    }
  }

  static let alike: [Decoding] =
    [
      Decoding(Int.self, "<integer>1</integer>"), Decoding(Int.self, "<real>1.0</real>"),
      Decoding(Int.self, "<real>-0.0</real>"), Decoding(Int.self, "<real>1.5</real>"),
      Decoding(Int.self, "<real>1e30</real>"), Decoding(Int.self, "<real>nan</real>"),
      Decoding(Int.self, "<real>+infinity</real>"), Decoding(UInt8.self, "<real>255</real>"),
      Decoding(UInt8.self, "<real>256</real>"), Decoding(Int8.self, "<integer>127</integer>"),
      Decoding(Int8.self, "<integer>128</integer>"), Decoding(UInt16.self, "<integer>-1</integer>"),
      Decoding(Int32.self, "<integer>2147483648</integer>"), Decoding(UInt32.self, "<integer>4294967295</integer>"),
      Decoding(Int64.self, "<integer>18446744073709551615</integer>"),
      Decoding(UInt64.self, "<integer>18446744073709551615</integer>"),
      Decoding(UInt.self, "<integer>-9223372036854775808</integer>"), Decoding(Int.self, "<true/>"),
      Decoding(Int.self, "<string>1</string>"), Decoding(Int.self, "<date>2001-01-01T00:00:00Z</date>"),
      Decoding(Int.self, "<data></data>"), Decoding(Int.self, "<array/>"), Decoding(Int.self, "<dict/>"),
      Decoding(Bool.self, "<integer>1</integer>"), Decoding(Bool.self, "<string>YES</string>"),
      Decoding(Double.self, "<integer>9007199254740993</integer>"),
      Decoding(Double.self, "<integer>18446744073709551615</integer>"), Decoding(Double.self, "<true/>"),
      Decoding(Double.self, "<string>1</string>"), Decoding(Float.self, "<integer>16777217</integer>"),
      Decoding(Float.self, "<real>0.5</real>"), Decoding(Float.self, "<real>nan</real>"),
      Decoding(Float.self, "<real>-infinity</real>"), Decoding(Float.self, "<string>a</string>"),
      Decoding(String.self, "<integer>1</integer>"), Decoding(String.self, "<true/>"),
      Decoding(String.self, "<string>$null</string>"), Decoding(String?.self, "<string>$null</string>"),
      Decoding(Int.self, "<string>$null</string>"), Decoding(Date.self, "<string>$null</string>"),
      Decoding(Date.self, "<real>1</real>"), Decoding(Data.self, "<string>a</string>"),
      Decoding(Data.self, "<array><integer>1</integer></array>"), Decoding(Data.self, "<string>$null</string>"),
      Decoding([Int].self, "<string>$null</string>"), Decoding([Int].self, "<dict/>"),
      Decoding([Int].self, "<string>a</string>"), Decoding([Int?].self, "<array><string>$null</string></array>"),
      Decoding([String: Int].self, "<array/>"), Decoding([String: Int].self, "<string>$null</string>"),
      Decoding([Int: Int].self, "<dict><key>7</key><integer>1</integer></dict>"),
      Decoding([Int: Int].self, "<dict><key>x</key><integer>1</integer></dict>"),
      Decoding([Double: Int].self, "<array><real>1</real></array>"), Decoding(Set<Int>.self, "<integer>1</integer>"),
      Decoding(URL.self, "<string>a</string>"), Decoding(UUID.self, "<string>a</string>"),
      Decoding(URL.self, "<dict><key>relative</key><string></string></dict>"),
      Decoding(Decimal.self, "<real>1.5</real>"),
    ] + alikeContainers

  static let alikeContainers: [Decoding] = [
    Decoding(Field<Int>.self, "<dict/>"), Decoding(Field<Int>.self, "<array/>"),
    Decoding(Field<Int>.self, "<string>$null</string>"),
    Decoding(Field<Int>.self, "<dict><key>value</key><string>$null</string></dict>"),
    Decoding(Field<Int?>.self, "<dict><key>value</key><string>$null</string></dict>"),
    Decoding(Field<Int?>.self, "<dict><key>value</key><string>a</string></dict>"),
    Decoding(Field<Field<[Int8]>>.self, twice("<array><integer>1</integer><integer>1000</integer></array>")),
    Decoding(Field<Field<[Date]>>.self, twice("<array><integer>1</integer></array>")),
    Decoding(Field<Field<[String: Bool]>>.self, twice("<dict><key>a b</key><integer>1</integer></dict>")),
    Decoding(CodableModels.Level.self, "<string>medium</string>"),
    Decoding(CodableModels.Number.self, "<integer>2</integer>"),
    Decoding(CodableModels.Shape.self, "<dict/>"), Decoding(CodableModels.Shape.self, "<string>none</string>"),
    Decoding(CodableModels.Shape.self, "<dict><key>none</key><dict/><key>pair</key><dict/></dict>"),
    Decoding(CodableModels.Shape.self, "<dict><key>pair</key><dict><key>_0</key><dict/></dict></dict>"),
    Decoding(CodableModels.Shape.self, "<dict><key>pair</key><array/></dict>"),
    Decoding(CodableModels.IntegerKeys.self, "<dict><key>7</key><integer>1</integer></dict>"),
    Decoding(CodableModels.Derived.self, "<dict><key>size</key><integer>1</integer></dict>"),
    Decoding(Sub.self, "<dict/>"), Decoding(Sub.self, "<dict><key>super</key><array/></dict>"),
    Decoding(Sub.self, "<dict><key>super</key><dict/></dict>"), Decoding(TooMany.self, "<array/>"),
    Decoding(TooMany.self, "<array><integer>1</integer><string>a</string></array>"),
    Decoding(
      SecondTry.self,
      """
      <array><string>a</string><integer>1</integer><dict><key>first</key><true/><key>x</key><true/></dict><array><true/>\
      </array><string>$null</string><string>b</string></array>
      """),
  ]

  private static func twice(_ value: String) -> String {
    "<dict><key>value</key><dict><key>value</key>\(value)</dict></dict>"
  }

  @Test(arguments: alike) func `values and errors are the same, with the same paths`(_ decoding: Decoding) throws {
    for data in [decoding.xml, try decoding.binary()] {
      #expect(decoding.ours(data) == decoding.foundation(data))
    }
  }

  /// Differences in decoding from Foundation, with the reason.
  struct Difference: CustomTestStringConvertible, Sendable {
    let decoding: Decoding
    let foundationXML: String
    let foundationBinary: String
    let ours: String
    let reason: String

    var testDescription: String { reason }
  }

  static let differences = [
    Difference(
      decoding: Decoding(Float.self, "<real>0.1</real>"), foundationXML: "[0.1]",
      foundationBinary: "dataCorrupted /Index 0#0", ours: "[0.1]",
      reason: "a float is the nearest to the real of the file, in every format"),
    Difference(
      decoding: Decoding(Float.self, "<real>1e300</real>"), foundationXML: "[inf]",
      foundationBinary: "dataCorrupted /Index 0#0", ours: "dataCorrupted /Index 0#0",
      reason: "a number is not infinity, in every format"),
    Difference(
      decoding: Decoding(Float16.self, "<real>0.1</real>"), foundationXML: "[0.1]",
      foundationBinary: "dataCorrupted /Index 0#0", ours: "[0.1]", reason: "a half float goes by way of a float"),
    Difference(
      decoding: Decoding(Int128.self, "<integer>-1</integer>"), foundationXML: "typeMismatch Int128 /Index 0#0",
      foundationBinary: "typeMismatch Int128 /Index 0#0", ours: "[-1]", reason: "integers of 128 bits are integers"),
    Difference(
      decoding: Decoding(UInt128.self, "<integer>-1</integer>"), foundationXML: "typeMismatch UInt128 /Index 0#0",
      foundationBinary: "typeMismatch UInt128 /Index 0#0", ours: "dataCorrupted /Index 0#0",
      reason: "integers of 128 bits have a range too"),
  ]

  @Test(arguments: differences) func `the differences, each with its reason`(_ difference: Difference) throws {
    let decoding = difference.decoding
    let binary = try decoding.binary()
    #expect(decoding.foundation(decoding.xml) == difference.foundationXML)
    #expect(decoding.foundation(binary) == difference.foundationBinary)
    #expect(decoding.ours(decoding.xml) == difference.ours)
    #expect(decoding.ours(binary) == difference.ours)
  }

  @Test func `a root can be a scalar; Foundation reads scalars, but writes only data`() throws {
    func check<T: Codable & Equatable>(_ value: T) throws {
      #expect(throws: EncodingError.self) { try Foundation.PropertyListEncoder().encode(value) }
      let data = try PropertyLists.PropertyListEncoder().encode(value)
      #expect(try Foundation.PropertyListDecoder().decode(T.self, from: data) == value)
      #expect(try PropertyLists.PropertyListDecoder().decode(T.self, from: data) == value)
    }
    try check(1)
    try check("a")
    try check(true)
    try check(1.5)
    try check(Date(timeIntervalSinceReferenceDate: 1))
    try check(Int?.none)
    try check(CodableModels.Level.high)
    try check(UUID())
  }

  @Test("the text $null is refused, because it comes back as nil; Foundation writes it, and does not read it back")
  func nullText() throws {
    let texts = ["key": ["a", "$null"]]
    let theirs = try Foundation.PropertyListEncoder().encode(texts)
    #expect(
      Decoding.outcome { try Foundation.PropertyListDecoder().decode([String: [String]].self, from: theirs) }
        == "valueNotFound /key/Index 1#1")
    #expect(Decoding.outcome { try PropertyLists.PropertyListEncoder().encode(texts) } == "invalidValue /key/Index 1#1")
    #expect(try PropertyLists.PropertyListEncoder().encodeToPropertyList(["$null": "null"]) == ["$null": "null"])
  }

  @Test func `null objects of binary files are nil in both`() throws {
    let data = try PropertyList.array([.null, 1]).data(format: .binary)
    #expect(try Foundation.PropertyListDecoder().decode([Int?].self, from: data) == [nil, 1])
    #expect(try PropertyLists.PropertyListDecoder().decode([Int?].self, from: data) == [nil, 1])
    let expected = "valueNotFound /Index 0#0"
    #expect(Decoding.outcome { try Foundation.PropertyListDecoder().decode([Int].self, from: data) } == expected)
    #expect(Decoding.outcome { try PropertyLists.PropertyListDecoder().decode([Int].self, from: data) } == expected)
  }

  @Test func `integers of 128 bits are written if 64 are enough; Foundation writes none`() throws {
    let encoder = PropertyLists.PropertyListEncoder()
    #expect(try encoder.encodeToPropertyList([Int128(Int64.min), 5]) == [.integer(.init(Int64.min)), 5])
    #expect(try encoder.encodeToPropertyList(["a": UInt128(UInt64.max)]) == ["a": .integer(.init(UInt64.max))])
    #expect(Decoding.outcome { try encoder.encode(["a": [Int128.max]]) } == "invalidValue /a/Index 0#0")
    #expect(throws: EncodingError.self) { try Foundation.PropertyListEncoder().encode([Int128(5)]) }
  }

  @Test func `a value that encodes nothing is refused by both at the root, and is an empty dictionary elsewhere`()
    throws
  {
    struct Nothing: Encodable { func encode(to encoder: any Encoder) {} }
    #expect(throws: EncodingError.self) { try Foundation.PropertyListEncoder().encode(Nothing()) }
    #expect(throws: EncodingError.self) { try PropertyLists.PropertyListEncoder().encode(Nothing()) }
    for format in Coders.foundationFormats {
      let theirs = try Coders.foundationEncode(["a": Nothing()], format)
      #expect(try PropertyList(theirs) == ["a": [:]])
      #expect(try PropertyList(Coders.encode(["a": Nothing()], format)) == ["a": [:]])
    }
  }
}
