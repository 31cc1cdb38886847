import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

/// Inline bytes of an object.
private final class Picture: SecureCoding {
  static let archivedClass = ArchivedClass("Picture")

  let bytes: Data
  let text: Archived.Mutable<String>

  init(_ bytes: Data, _ text: String) {
    self.bytes = bytes
    self.text = Archived.Mutable(text)
  }

  init(coder: KeyedUnarchiver) throws {
    bytes = try coder.decodeBytes(forKey: "bytes")
    text = try coder.decode(Archived.Mutable<String>.self, forKey: "text")
  }

  func encode(with coder: KeyedArchiver) throws {
    try coder.encodeBytes(bytes, forKey: "bytes")
    try coder.encode(text, forKey: "text")
  }
}

private struct Part: Codable, Hashable {
  var x = 1
  var y = 2
}

private struct Cell: Codable, Hashable {
  var title = "the title of a cell, which is the same in all of them, and none of the shortest at that"
  var subtitle = "a subtitle"
  var width = 1.5
  var height = 2.5
  var isHidden = false
  var notes = ["a note", "another", "and a third"]
  var parts = Array(repeating: Part(), count: 20)
}

private struct Sheet: Codable, SecureCoding, Hashable {
  static let archivedClass = ArchivedClass("Sheet")
  var cells: [Cell]
}

/// Limits against hostile archives must not refuse archives that are only repetitive.
@Suite("Repetitive archives are accepted") struct HonestArchiveTests {
  /// The default limits, or those of the short form, whose archives have about an eighth of the values.
  private static let limits = ParsingLimits(expandedSize: LongForm.size(1 << 19, or: 1 << 16))

  /// The formats of most archives. The short form has XML for a few.
  private static let formats: [PropertyListFormat] = LongForm.isWanted ? [.binary, .xml] : [.binary]

  private func expectRoundTrip<T: SecureCoding & Equatable>(
    _ value: T, formats: [PropertyListFormat] = HonestArchiveTests.formats,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for format in formats {
      let data = try KeyedArchiver.archivedData(withRootObject: value, outputFormat: format)
      let decoded = try KeyedUnarchiver.unarchivedObject(of: T.self, from: data, limits: Self.limits)
      #expect(decoded == value, sourceLocation: sourceLocation)
    }
  }

  @Test(arguments: [0, 1, 15, 16, 63, 64, 65, 127, 128, 250, 256, 257, 1000, 100_000])
  func `strings of any length`(_ length: Int) throws {
    // The short form has UTF-16 in some lengths.
    for character in LongForm.isWanted || [1, 15, 64].contains(length) ? ["a", "🙂"] : ["a"] {
      let text = String(repeating: character, count: length)
      let count = length <= 1000 ? LongForm.size(5000, or: 250) : LongForm.size(300, or: 150)
      // The overhead of XML does not depend on the length.
      let formats: [PropertyListFormat] = length == 15 ? [.binary, .xml] : [.binary]
      try expectRoundTrip(Array(repeating: text, count: count), formats: formats)
      guard length <= 1000 else { continue }
      let dictionaryCount = LongForm.size(1000, or: 125)
      try expectRoundTrip(
        Array(
          repeating: OrderedDictionary(uniqueKeysWithValues: [(text + "!", text), ("", "")]), count: dictionaryCount),
        formats: formats)
      try expectRoundTrip(
        (0..<dictionaryCount).map { OrderedDictionary(uniqueKeysWithValues: [("key", text), ("\($0)", text)]) },
        formats: formats)
    }
    let dataCount = length <= 1000 ? LongForm.size(5000, or: 600) : LongForm.size(300, or: 150)
    try expectRoundTrip(Array(repeating: Data(repeating: 1, count: length), count: dataCount), formats: [.binary])
  }

  @Test func `values and collections`() throws {
    let row = Array(repeating: ["a", "b"], count: 300)
    try expectRoundTrip(Array(repeating: row, count: LongForm.size(500, or: 60)))
    try expectRoundTrip(
      Array(repeating: Set(["a", "b", "c"]), count: LongForm.size(5000, or: 180)), formats: [.binary, .xml])
    try expectRoundTrip(Array(repeating: OrderedSet(["a", "b", "c"]), count: LongForm.size(5000, or: 180)))
    try expectRoundTrip(Array(repeating: UUID(), count: LongForm.size(5000, or: 180)))
    try expectRoundTrip(
      Array(repeating: Date(timeIntervalSinceReferenceDate: 0.5), count: LongForm.size(5000, or: 180)))
    try expectRoundTrip(
      Array(
        repeating: URL(string: "a", relativeTo: URL(string: "https://example.com/b/"))!,
        count: LongForm.size(5000, or: 180)))
    try expectRoundTrip(Array(repeating: Decimal(string: "-12.345")!, count: LongForm.size(5000, or: 180)))
    try expectRoundTrip(Array(repeating: true, count: LongForm.size(50_000, or: 1_800)))
    try expectRoundTrip(Array(repeating: 0.5, count: LongForm.size(50_000, or: 1_800)))
    try expectRoundTrip(Array(repeating: UInt64.max, count: LongForm.size(50_000, or: 1_800)))
    try expectRoundTrip(Array(repeating: Int?.none, count: LongForm.size(50_000, or: 1_800)))
    try expectRoundTrip(Array(repeating: Sheet(cells: []), count: LongForm.size(5000, or: 180)))
  }

  @Test func `values of any type, and sets of large ones`() throws {
    let value = ArchivedValue.array([
      .string("text"), .integer(1), .dictionary([.string("key"): .data(Data(count: 100))]),
    ])
    try expectRoundTrip(Array(repeating: value, count: LongForm.size(5000, or: 180)), formats: [.binary, .xml])
    let element = ArchivedValue.array(Array(repeating: value, count: 100))
    let numbers = 0..<LongForm.size(200, or: 25)
    try expectRoundTrip(ArchivedValue.set(OrderedSet(numbers.map { .array([.integer(.init($0)), element]) })))
    let text = String(repeating: "text", count: 10_000)
    let lists = 0..<LongForm.size(200, or: 100)
    try expectRoundTrip(Set(lists.map { ["\($0)", text] }))
    try expectRoundTrip(Dictionary(uniqueKeysWithValues: lists.map { (["\($0)", text], $0) }))
    let count = LongForm.size(50, or: 18)
    try expectRoundTrip(Set((0..<count).map { first in Set((0..<count).map { [first, $0] }) }))
  }

  @Test func `NaN as keys and elements`() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: [Double.nan: "nan", 1: "one", -.nan: "other"])
    let decoded = try KeyedUnarchiver.unarchivedObject(of: [Double: String].self, from: data)
    #expect(decoded.values.sorted() == ["nan", "one", "other"])
    #expect(decoded.keys.filter(\.isNaN).count == 2)
    let set = try KeyedArchiver.archivedData(withRootObject: Set([Double.nan, 1, .nan]))
    #expect(try KeyedUnarchiver.unarchivedObject(of: Set<Double>.self, from: set).count == 3)
  }

  @Test func `inline bytes of objects`() throws {
    let bytes = Data((0..<10_000).map { UInt8(truncatingIfNeeded: $0) })
    let text = String(repeating: "a text ", count: 1000)
    let pictures = (0..<1000).map { _ in Picture(bytes, text) }
    let data = try KeyedArchiver.archivedData(withRootObject: pictures)
    let decoded = try KeyedUnarchiver.unarchivedObject(of: [Picture].self, from: data)
    #expect(decoded.count == 1000 && decoded.allSatisfy { $0.bytes == bytes && $0.text.value == text })
  }

  @Test func `Codable values without a class`() throws {
    try expectRoundTrip(
      Sheet(cells: Array(repeating: Cell(), count: LongForm.size(4000, or: 150))), formats: [.binary, .xml])
    let other = Cell(title: "another", notes: [])
    try expectRoundTrip(Sheet(cells: (0..<LongForm.size(4000, or: 150)).map { $0 % 3 == 0 ? other : Cell() }))
  }

  /// A value that is archived as another value.
  private struct Wrapper<Wrapped: Codable & Equatable>: Codable, Equatable {
    let wrapped: Wrapped

    init(_ wrapped: Wrapped) { self.wrapped = wrapped }

    init(from decoder: any Decoder) throws { wrapped = try decoder.singleValueContainer().decode(Wrapped.self) }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(wrapped)
    }
  }

  @Test func `Codable values that forward their encoding to other values`() throws {
    let value = Wrapper(Wrapper(Wrapper(Wrapper(Cell()))))
    let archiver = KeyedArchiver()
    try archiver.encodeEncodable(value, forKey: "one")
    try archiver.encodeEncodable([value, value], forKey: "two")
    try archiver.encodeEncodable(Wrapper(Wrapper([Wrapper(1), Wrapper(1)])), forKey: "numbers")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData())
    #expect(try unarchiver.decodeDecodable(forKey: "one") == value)
    #expect(try unarchiver.decodeDecodable(forKey: "two") == [value, value])
    #expect(try unarchiver.decodeDecodable(forKey: "numbers") == Wrapper(Wrapper([Wrapper(1), Wrapper(1)])))
  }

  private final class Box: Codable { var number = 1 }

  @Test func `Codable classes without identity stay separate if they are equal`() throws {
    let archiver = KeyedArchiver()
    try archiver.encodeEncodable((0..<5).map { _ in [Box()] }, forKey: "boxes")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData())
    let boxes = try unarchiver.decodeDecodable([[Box]].self, forKey: "boxes").joined()
    #expect(Set(boxes.map { ObjectIdentifier($0) }).count == 5)
  }

  @Test func `a program can decode the same value repeatedly`() throws {
    let archiver = KeyedArchiver()
    let text = String(repeating: "text", count: 10)
    try archiver.encode(text, forKey: "text")
    try archiver.encode([1, 2, 3], forKey: "numbers")
    try archiver.encode(UUID(), forKey: "uuid")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData(), limits: Self.limits)
    for _ in 0..<LongForm.size(50_000, or: 6_000) {
      let again = try unarchiver.decode(String.self, forKey: "text")
      guard again == text else { return #expect(again == text) }
      _ = try unarchiver.decode(UUID.self, forKey: "uuid")
      _ = try unarchiver.decode(of: [String.self, [Int].self], forKey: "numbers")
    }
    #expect(try unarchiver.decode([Int].self, forKey: "numbers") == [1, 2, 3])
  }
}
