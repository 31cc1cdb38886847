import Foundation
import Testing

@testable import PropertyLists

/// A text, and its value.
struct OpenStepSample: CustomTestStringConvertible, Sendable {
  let text: String
  let value: PropertyList

  init(_ text: String, _ value: PropertyList) {
    self.text = text
    self.value = value
  }

  var testDescription: String { text.debugDescription }
}

extension PropertyList {
  static func hex(_ bytes: UInt8...) -> PropertyList { .data(Data(bytes)) }
}

@Suite("Reading OpenStep") struct OpenStepTests {
  static let strings = [
    OpenStepSample("a", "a"), OpenStepSample(" a ", "a"), OpenStepSample("42", "42"),
    OpenStepSample("-1.5e3", "-1.5e3"), OpenStepSample("YES", "YES"),
    OpenStepSample("_$/:.-", "_$/:.-"), OpenStepSample("/usr/bin", "/usr/bin"), OpenStepSample("/", "/"),
    OpenStepSample("a//b", "a//b"),
    OpenStepSample("http://a.b/c-d", "http://a.b/c-d"), OpenStepSample("\"\"", ""), OpenStepSample("''", ""),
    OpenStepSample("\"a b\"", "a b"), OpenStepSample("'a b'", "a b"), OpenStepSample("\"it's\"", "it's"),
    OpenStepSample("'\"'", "\""),
    OpenStepSample("\"größe 日本 😀\"", "größe 日本 😀"),
    OpenStepSample("\"// no comment /* none */\"", "// no comment /* none */"),
    OpenStepSample("\"(<{=;,}>)\"", "(<{=;,}>)"),
    OpenStepSample("\"two\nlines\r\nand more\"", "two\nlines\r\nand more"),
    OpenStepSample(
      "\"eight bytes and more, before \\\"this\\\" and after\"", "eight bytes and more, before \"this\" and after"),
  ]

  static let arrays = [
    OpenStepSample("()", []), OpenStepSample("( )", []), OpenStepSample("(a)", ["a"]), OpenStepSample("(a,)", ["a"]),
    OpenStepSample("( a , b , )", ["a", "b"]),
    OpenStepSample("(en, fr)", ["en", "fr"]), OpenStepSample("((), (a, (b)), {})", [[], ["a", ["b"]], [:]]),
    OpenStepSample("(1, \"2\", <03>)", ["1", "2", .hex(3)]), OpenStepSample("(a\n,\tb)", ["a", "b"]),
  ]

  static let dictionaries = [
    OpenStepSample("{}", [:]), OpenStepSample("{ }", [:]), OpenStepSample("{a=1;}", ["a": "1"]),
    OpenStepSample("{a = 1; b = (x, y);}", ["a": "1", "b": ["x", "y"]]),
    OpenStepSample("{a;}", ["a": "a"]), OpenStepSample("{a; \"b c\" ; d = e;}", ["a": "a", "b c": "b c", "d": "e"]),
    OpenStepSample("{\"\" = '';}", ["": ""]), OpenStepSample("{1 = 2;}", ["1": "2"]),
    OpenStepSample("{'k k' = {k = {k;};};}", ["k k": ["k": ["k": "k"]]]),
    OpenStepSample("{z = 1; a = 2; m = 3;}", ["z": "1", "a": "2", "m": "3"]),
    OpenStepSample("{a = <>; b = ();}", ["a": .hex(), "b": []]),
  ]

  static let stringsFiles = [
    OpenStepSample("a = b;", ["a": "b"]), OpenStepSample("a;", ["a": "a"]),
    OpenStepSample("a ; b ;", ["a": "a", "b": "b"]),
    OpenStepSample("\"a b\" = \"c\";\n'd' = (e);\n", ["a b": "c", "d": ["e"]]),
    OpenStepSample("a = {b = c;};", ["a": ["b": "c"]]),
    OpenStepSample("/* One */\n\"a\" = \"b\";\n\n/* Two */\nc = d; // three", ["a": "b", "c": "d"]),
    OpenStepSample(" ", [:]), OpenStepSample("// nothing", [:]), OpenStepSample("/* nothing */\n\n", [:]),
  ]

  static let data = [
    OpenStepSample("<>", .hex()), OpenStepSample("< >", .hex()),
    OpenStepSample("<0fbd777e>", .hex(0x0F, 0xBD, 0x77, 0x7E)),
    OpenStepSample("<0fbd 777e>", .hex(0x0F, 0xBD, 0x77, 0x7E)), OpenStepSample("<0fbd 77>", .hex(0x0F, 0xBD, 0x77)),
    OpenStepSample("< 0F\n\tBd\r\n77>", .hex(0x0F, 0xBD, 0x77)),
    OpenStepSample("<aAbB cC>", .hex(0xAA, 0xBB, 0xCC)), OpenStepSample("<00/* nought */ff // end\n>", .hex(0, 0xFF)),
    OpenStepSample("<[]>", .hex()), OpenStepSample("<[AAEC]>", .hex(0, 1, 2)),
    OpenStepSample("<[/+8=]>", .hex(0xFF, 0xEF)),
    OpenStepSample("<[\n AA E=\r\n]>", .hex(0, 1)),
  ]

  static let typedValues = [
    OpenStepSample("<*I5>", 5), OpenStepSample("<*I-5>", -5), OpenStepSample("<*I+5>", 5), OpenStepSample("<*I007>", 7),
    OpenStepSample("<*I-9223372036854775808>", .integer(.init(Int64.min))),
    OpenStepSample("<*I18446744073709551615>", .integer(.init(UInt64.max))),
    OpenStepSample("<*R1.5>", 1.5), OpenStepSample("<*R-0.25>", -0.25), OpenStepSample("<*R5>", .real(5)),
    OpenStepSample("<*R1e-300>", .real(1e-300)),
    OpenStepSample("<*Rnan>", .real(.nan)), OpenStepSample("<*R-inf>", .real(-.infinity)),
    OpenStepSample("<*BY>", true), OpenStepSample("<*BN>", false), OpenStepSample("<*I\"5\">", 5),
    OpenStepSample("<*B\"Y\">", true),
    OpenStepSample("<*D2001-01-01 00:00:00 +0000>", .date(Date(timeIntervalSinceReferenceDate: 0))),
    OpenStepSample("<*D\"2001-01-02 00:00:01 +0000\">", .date(Date(timeIntervalSinceReferenceDate: 86401))),
    OpenStepSample("<*D2001-01-01 01:00:00 +0100>", .date(Date(timeIntervalSinceReferenceDate: 0))),
    OpenStepSample("<*D2000-12-31 18:29:59 -0530>", .date(Date(timeIntervalSinceReferenceDate: -1))),
    OpenStepSample("<*D-0001-12-31 23:59:59 +0000>", .date(Date(timeIntervalSinceReferenceDate: -63_145_526_401))),
    OpenStepSample("{a = <*I5>; b = (<*BY>,);}", ["a": 5, "b": [true]]),
  ]

  static let betweenValues = [
    OpenStepSample("// one\n(a // two\r, /* three */ b)// four", ["a", "b"]), OpenStepSample("/**/a /* *//***/", "a"),
    OpenStepSample("{/*1*/a /* 2 */;}", ["a": "a"]), OpenStepSample("(\u{B}a\u{C},\u{2028}b\u{2029})", ["a", "b"]),
    OpenStepSample("// é\u{2028}(a)", ["a"]), OpenStepSample("/* // */ a", "a"), OpenStepSample("// /*\na", "a"),
    OpenStepSample("\u{FEFF}a", "a"),
    OpenStepSample("(/a, /*b,*/ /c)", ["/a", "/c"]),
  ]

  @Test(arguments: strings)
  func `strings have quotation marks or not`(_ sample: OpenStepSample) throws { try check(sample) }

  @Test("arrays can have a comma after the last element", arguments: arrays)
  func readsArray(_ sample: OpenStepSample) throws { try check(sample) }

  @Test(arguments: dictionaries)
  func `a key without a value in a dictionary is its own value`(_ sample: OpenStepSample) throws { try check(sample) }

  @Test(arguments: stringsFiles)
  func `strings files are dictionaries without braces`(_ sample: OpenStepSample) throws { try check(sample) }

  @Test(arguments: data)
  func `data is hexadecimal or base64`(_ sample: OpenStepSample) throws { try check(sample) }

  @Test(arguments: typedValues)
  func `typed values of GNUstep are read`(_ sample: OpenStepSample) throws { try check(sample) }

  @Test(arguments: betweenValues)
  func `white space and comments are allowed anywhere between tokens`(_ sample: OpenStepSample) throws {
    try check(sample)
  }

  private func check(_ sample: OpenStepSample) throws {
    #expect(try PropertyList(openStep: sample.text) == sample.value)
    // Inside other values, and in the other encodings, it has the same value.
    #expect(try PropertyList(PropertyListDocument(Data(sample.text.utf8), format: .openStep).root) == sample.value)
    let text = sample.text.hasPrefix("\u{FEFF}") ? String(sample.text.unicodeScalars.dropFirst()) : sample.text
    #expect(try PropertyList(openStep: " \n\(text)\n") == sample.value)
    for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian] {
      let marked = try #require("\u{FEFF}\(text)".data(using: encoding))
      #expect(try PropertyList(PropertyListDocument(marked, format: .openStep).root) == sample.value)
    }
  }

  @Test(arguments: UInt8(1)..<128)
  func `unquoted strings have Apple's characters`(_ byte: UInt8) throws {
    let character = String(Unicode.Scalar(byte))
    let isAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$/:.-".contains(character)
    let found = try? PropertyList(openStep: "(a\(character)b)")
    switch character {
    case ",": #expect(found == ["a", "b"])
    default: #expect(found == (isAllowed ? ["a\(character)b"] : nil))
    }
  }
}

/// The characters after a backslash.
extension OpenStepTests {
  static let escapes = [
    OpenStepSample(#""\a""#, "\u{7}"), OpenStepSample(#""\b""#, "\u{8}"), OpenStepSample(#""\f""#, "\u{C}"),
    OpenStepSample(#""\n""#, "\n"),
    OpenStepSample(#""\r""#, "\r"), OpenStepSample(#""\t""#, "\t"), OpenStepSample(#""\v""#, "\u{B}"),
    OpenStepSample(#""\\""#, "\\"),
    OpenStepSample(#""\"""#, "\""), OpenStepSample(#""\'""#, "'"), OpenStepSample(#"'\''"#, "'"),
    OpenStepSample(#"'\"'"#, "\""),
    OpenStepSample("\"a\\\nb\"", "a\nb"), OpenStepSample("\"a\\\r\nb\"", "a\r\nb"), OpenStepSample(#""\\n""#, "\\n"),
    OpenStepSample(#""\\\\""#, "\\\\"),
    OpenStepSample(#""\é\日\😀""#, "é日😀"),
    OpenStepSample(#""a\nb\tc and much more text \"after\" it""#, "a\nb\tc and much more text \"after\" it"),
  ]

  static let octalEscapes = [
    OpenStepSample(#""\0""#, "\0"), OpenStepSample(#""\7""#, "\u{7}"), OpenStepSample(#""\12""#, "\n"),
    OpenStepSample(#""\101""#, "A"),
    OpenStepSample(#""\1018""#, "A8"), OpenStepSample(#""\1011""#, "A1"), OpenStepSample(#""\08""#, "\u{0}8"),
    OpenStepSample(#""\0001""#, "\u{0}1"),
    OpenStepSample(#""\200""#, "\u{A0}"), OpenStepSample(#""\331""#, "ä"), OpenStepSample(#""\341""#, "Æ"),
    OpenStepSample(#""\256\257""#, "\u{FB01}\u{FB02}"),
    OpenStepSample(#""\375""#, "\u{FF}"), OpenStepSample(#""\8\9""#, "89"),
  ]

  static let unicodeEscapes = [
    OpenStepSample(#""\U00e9""#, "é"), OpenStepSample(#""\U00E9\U00E9""#, "éé"), OpenStepSample(#""\u00e9""#, "é"),
    OpenStepSample(#""\U12345""#, "\u{1234}5"),
    OpenStepSample(#""\Ue9""#, "é"), OpenStepSample(#""\U41 \U9x""#, "A \tx"), OpenStepSample(#""\U0000""#, "\0"),
    OpenStepSample(#""\UFFFE""#, "\u{FFFE}"),
    OpenStepSample(#""\UD83D\UDE00""#, "😀"), OpenStepSample(#""x\ud83d\uDE00y""#, "x😀y"),
    OpenStepSample(#""\Ud83d\ude00\UD83D\UDE00""#, "😀😀"),
    OpenStepSample(#"{"\U00e9" = "\U00e8";}"#, ["é": "è"]), OpenStepSample(#""\\U00e9""#, #"\U00e9"#),
  ]

  @Test(arguments: escapes)
  func `characters are escaped by a letter, or by a backslash alone`(_ sample: OpenStepSample) throws {
    try check(sample)
  }

  @Test(arguments: octalEscapes)
  func `characters are escaped by one to three octal digits`(_ sample: OpenStepSample) throws { try check(sample) }

  @Test(arguments: unicodeEscapes)
  func `characters are escaped as UTF-16 code units`(_ sample: OpenStepSample) throws { try check(sample) }

  @Test func `octal escapes are characters of the NeXTSTEP encoding`() throws {
    for number in 0..<512 {
      let digits = String(number + 512, radix: 8).dropFirst()
      let found = try? PropertyList(openStep: "\"\\\(digits)\"")
      // Foundation has the same table, for which there is no other use.
      let expected = UInt8(exactly: number).flatMap { String(bytes: [$0], encoding: .nextstep) }
      #expect(found == expected.map(PropertyList.string), "\\\(digits)")
      #expect((expected == nil) == (number > 0o375))
    }
  }

  @Test(arguments: UInt8(1)..<128)
  func `every character without a special meaning stands for itself`(_ byte: UInt8) throws {
    let character = Character(Unicode.Scalar(byte))
    guard !"abfnrtvuU01234567".contains(character) else { return }
    #expect(try PropertyList(openStep: "\"\\\(character)\"") == .string(String(character)))
  }
}
