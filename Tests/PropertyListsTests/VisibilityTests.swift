import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import PropertyListTools

@Suite("Deceptive characters") struct VisibilityTests {
  /// All characters. The short form has the blocks with hidden characters, the noncharacters at the ends of the planes,
  /// and a sample of the others.
  private static let all: [Unicode.Scalar] = {
    if LongForm.isWanted { return (0...0x10FFFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init) }
    let blocks: [Range<UInt32>] = [
      0..<0x4000, 0xF800..<0x10000, 0x1BC00..<0x1BD00, 0x1D100..<0x1D200, 0xE0000..<0xE1100,
    ]
    let ends = (0...16 as ClosedRange<UInt32>).flatMap { [$0 << 16 + 0xFFFE, $0 << 16 + 0xFFFF] }
    let others = stride(from: 0 as UInt32, to: 0x110000, by: 61)
    return (blocks.flatMap { Array($0) } + ends + Array(others)).compactMap(Unicode.Scalar.init)
  }()

  @Test func `invisible characters, line ends and control characters of Unicode are hidden`() {
    let wrong = Self.all.filter { scalar in
      let isShapeless =
        [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
        || scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.isNoncharacterCodePoint
        || (0xFFF9...0xFFFB).contains(scalar.value)
      return scalar.isHidden(after: nil) != isShapeless
    }
    #expect(wrong.isEmpty, "\(wrong.prefix(5).map { String($0.value, radix: 16) })")
  }

  @Test func `every bidirectional control is hidden, whatever precedes it`() {
    for scalar in Self.all where scalar.properties.isBidiControl {
      #expect(scalar.isHidden(after: nil) && scalar.isHidden(after: "א") && scalar.isHidden(after: "a"))
    }
  }

  @Test(
    "joiners that scripts and emoji need are shown in their context",
    arguments: [
      "👩\u{200D}👧", "❤\u{FE0F}\u{200D}🔥", "1\u{FE0F}\u{20E3}", "می\u{200C}خواهم", "क\u{94D}\u{200D}ष", "葛\u{E0100}",
      "ᠠ\u{180B}",
    ])
  func whatScriptsAndPicturesNeedIsShownWhereThey(_ text: String) { #expect(text.printable() == text) }

  @Test(
    "the same characters are hidden elsewhere",
    arguments: [
      ("a\u{200D}b", #"a\u{200d}b"#), ("\u{200C}", #"\u{200c}"#), ("a\u{FE0F}", #"a\u{fe0f}"#),
      ("é\u{FE0F}\u{FE0F}", "é\u{FE0F}\\u{fe0f}"), ("é\u{200D}\u{200D}", "é\u{200D}\\u{200d}"),
      ("é\u{200B}\u{200D}", #"é\u{200b}\u{200d}"#),
    ])
  func elsewhereTheSameCharactersAreHidden(_ text: String, _ expected: String) { #expect(text.printable() == expected) }

  @Test func `no readable output contains a hidden character in a string, key, path or message`() throws {
    // Nearly all hidden characters are in the block from U+E0000. A few of them are enough for the short form.
    let hidden = Self.all.filter {
      $0.isHidden(after: nil) && (LongForm.isWanted || $0.value < 0xE0000 || $0.value % 64 == 1)
    }
    for scalar in hidden {
      let text = "a\(scalar)b"
      let before: PropertyList = ["first": .string(text), text: 1]
      let after: PropertyList = ["first": .string(text + "c"), text: 2]
      let forms = [
        String(decoding: try PropertyListDocument(before.data(format: .binary)).root.readableForm(), as: UTF8.self),
        PropertyListDifference(from: before, to: after).description,
        PropertyListKeyPath([.key(text)]).description, text.quoted,
        String(decoding: try before.data(format: .json), as: UTF8.self),
        String(
          decoding: try PropertyListDocument(before.data(format: .json)).root.outline(sortsKeys: false), as: UTF8.self),
      ]
      for form in forms { #expect(!form.unicodeScalars.contains { $0 == scalar && $0 != "\n" }, "\(form)") }
      #expect(forms[3].unicodeScalars.allSatisfy { $0.value >= 0x20 })
      // Escaped text can be read back.
      #expect(try PropertyList(Data(forms[4].utf8), format: .json) == before)
      #expect(try PropertyListKeyPath(forms[2]) == PropertyListKeyPath([.key(text)]))
    }
  }
}
