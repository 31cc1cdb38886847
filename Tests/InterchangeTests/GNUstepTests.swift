import Foundation
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

/// GNUstep's tool `pl`, which reads OpenStep from standard input and writes it in ASCII.
@Suite("Comparison with GNUstep", .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/pl")))
struct GNUstepTests {
  /// GNUstep's result for a text; nil if it refuses it.
  static func gnustep(_ text: String) throws -> PropertyList? {
    // For inputs of some lengths, the tool reads a byte after the end, or crashes.
    for padding in 1...40 {
      let input = Data((text + String(repeating: "\n", count: padding)).utf8)
      let result = try Program.run(URL(filePath: "/usr/bin/pl"), [], input: input)
      if !result.output.allSatisfy({ $0 == UInt8(ascii: "\n") }) { return try PropertyList(openStep: result.text) }
      if result.errors.contains("Parse failed"), !result.errors.contains("extra data after parsed string") {
        return nil
      }
    }
    Issue.record("pl neither reads nor refuses \(text)")
    return nil
  }

  static func text(
    _ value: PropertyList, _ dialect: PropertyListWritingOptions.OpenStepDialect = .openStep, isCompact: Bool = false
  ) throws -> String {
    let options = PropertyListWritingOptions(isCompact: isCompact, openStepDialect: dialect)
    return String(decoding: try value.data(format: .openStep, options: options), as: UTF8.self)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `GNUstep reads the same values from our OpenStep`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let value: PropertyList = ["a": Self.random(depth: 3, using: &random)]
    let text = try Self.text(value, isCompact: seed & 1 == 1)
    #expect(try Self.gnustep(text)?.withSortedKeys() == value.withSortedKeys(), "\(text)")
  }

  /// Except a byte order mark at the beginning of a string, which it drops, escaped or not.
  @Test func `GNUstep reads every character the same`() throws {
    let scalars = Array(0..<0x250) + [0x2028, 0x2029, 0xFFFD, 0x1F600, 0x10FFFD] as [UInt32]
    let characters = scalars.map { Character(Unicode.Scalar($0)!) }
    let value = PropertyList.array(characters.flatMap { [.string("x\($0)1"), .string("\($0)")] })
    let found = try #require(try Self.gnustep(Self.text(value))?.array)
    #expect(found.count == 2 * scalars.count)
    for (found, expected) in zip(found, value.array ?? []) { #expect(found == expected) }
  }

  @Test(
    "GNUstep reads the same typed values, and prints them without types",
    arguments: [
      (5, "5"), (-5, "-5"), (.integer(.init(Int64.min)), "-9223372036854775808"),
      (.integer(.init(UInt64.max)), "18446744073709551615"), (1.5, "1.5"), (0.1, "0.1"), (true, "1"), (false, "0"),
      (.date(Date(timeIntervalSinceReferenceDate: 86401)), "2001-01-02 00:00:01 +0000"),
    ] as [(PropertyList, String)])
  func valuesWithATypeMeanTheSameToGNUstep(_ value: PropertyList, _ printed: String) throws {
    #expect(try Self.gnustep(Self.text([value], .gnustep)) == [.string(printed)])
  }

  @Test(arguments: ["<*F1.5>", "<*T0.5>", "<*N>", "<*XR7ff8000000000001>"])
  func `GNUstep refuses values that it has no notation for`(_ text: String) throws {
    #expect(try PropertyList(openStep: text) != .string(text))
    #expect(try Self.gnustep("(\(text))") == nil)
  }

  @Test func `GNUstep reads the same values from a strings file`() throws {
    let value: PropertyList = ["a b": "c\n\"d\"\\", "é日😀": "", "": "x"]
    #expect(try Self.gnustep(Self.text(value, .strings))?.withSortedKeys() == value.withSortedKeys())
  }

  private static func random(depth: Int, using random: inout SeededGenerator) -> PropertyList {
    switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &random) {
    case 0, 1, 2: return .string(text(using: &random))
    case 3:
      return .data(
        Data((0..<Int.random(in: 0..<20, using: &random)).map { _ in UInt8.random(in: .min ... .max, using: &random) }))
    case 4:
      return .array(
        (0..<Int.random(in: 0..<8, using: &random)).map { _ in Self.random(depth: depth - 1, using: &random) })
    default:
      var entries: OrderedDictionary<String, PropertyList> = [:]
      for _ in 0..<Int.random(in: 0..<8, using: &random) {
        entries[text(using: &random)] = Self.random(depth: depth - 1, using: &random)
      }
      return .dictionary(entries)
    }
  }

  private static func text(using random: inout SeededGenerator) -> String {
    let characters = Array("abcXYZ019_$/:.- \n\r\t\"'\\(){}<>=;,*\u{7}\u{1B}éÆß€日😀\u{2028}\u{0}\u{85}".unicodeScalars)
    var text = ""
    for _ in 0..<Int.random(in: 0..<14, using: &random) {
      text.unicodeScalars.append(characters.randomElement(using: &random)!)
    }
    return text
  }
}

extension PropertyList {
  func withSortedKeys() -> PropertyList {
    switch self {
    case .array(let elements): .array(elements.map { $0.withSortedKeys() })
    case .dictionary(var entries):
      {
        entries.sort { $0.key.unicodeScalars.lexicographicallyPrecedes($1.key.unicodeScalars) }
        return .dictionary(entries.mapValues { $0.withSortedKeys() })
      }()
    default: self
    }
  }
}
