import Foundation
import Testing

@testable import PropertyLists

/// A text, and its error: the message, the byte offset, line and column, and the key path.
struct OpenStepDefect: CustomTestStringConvertible, Sendable {
  let text: String
  let message: String
  let offset: Int
  let position: String
  let keyPath: String?
  let kind: PropertyListError.Kind

  init(
    _ text: String, _ message: String, _ offset: Int, _ position: String, _ keyPath: String? = nil,
    kind: PropertyListError.Kind = .malformed
  ) {
    (self.text, self.message, self.offset) = (text, message, offset)
    (self.position, self.keyPath, self.kind) = (position, keyPath, kind)
  }

  var testDescription: String { text.debugDescription }
}

@Suite("Invalid OpenStep") struct OpenStepDefectTests {
  static let structure: [OpenStepDefect] = [
    .init("", "the input is empty", 0, "1:1"),
    .init("\n )", #"expected a value, found ")""#, 2, "2:2"),
    .init("[a]", #"expected a value, found "[""#, 0, "1:1"),
    .init("é", #"expected a value, found "é""#, 0, "1:1"),
    .init("a b", #"expected "=", ";" or the end of the text, found "b""#, 2, "1:3"),
    .init("() b", #"expected the end of the text, found "b""#, 3, "1:4"),
    .init("{};", #"expected the end of the text, found ";""#, 2, "1:3"),
    .init("(a b)", #"expected "," or ")", found "b""#, 3, "1:4", "1"),
    .init("(,)", #"expected a value or ")", found ",""#, 1, "1:2", "0"),
    .init("(a,,)", #"expected a value or ")", found ",""#, 3, "1:4", "1"),
    .init("(a;)", #"expected "," or ")", found ";""#, 2, "1:3", "1"),
    .init("(a}", #"expected "," or ")", found "}""#, 2, "1:3", "1"),
    .init("(a", #"expected "," or ")", found the end of the text; the "(" at 1:1 is not closed"#, 2, "1:3", "1"),
    .init(
      "{\n  k = (a, \n", #"expected a value or ")", found the end of the text; the "(" at 2:7 is not closed"#, 13,
      "3:1", "k.1"),
    .init("{a = 1; b}", #"expected "=" or ";", found "}""#, 9, "1:10", "b"),
    .init("{a = 1}", #"expected ";", found "}""#, 6, "1:7"),
    .init("{a = ;}", #"expected a value, found ";""#, 5, "1:6", "a"),
    .init("{= 1;}", #"expected a key or "}", found "=""#, 1, "1:2"),
    .init("{(a) = 1;}", #"expected a key or "}", found "(""#, 1, "1:2"),
    .init("{<00> = 1;}", #"expected a key or "}", found "<""#, 1, "1:2"),
    .init("{a: 1}", #"expected "=" or ";", found "1""#, 4, "1:5", "a:"),
    .init("{a = 1;", #"expected a key or "}", found the end of the text; the "{" at 1:1 is not closed"#, 7, "1:8"),
    .init("a = b", #"expected ";", found the end of the text"#, 5, "1:6"),
    .init("a = b; }", #"expected a key, found "}""#, 7, "1:8"),
    .init("a =", #"expected a value, found the end of the text"#, 3, "1:4", "a"),
    .init("a; b", #"expected "=" or ";", found the end of the text"#, 4, "1:5", "b"),
    .init("(a@b)", #"a string that contains "@" needs quotation marks"#, 2, "1:3", "1"),
    .init("(größe)", #"a string that contains "ö" needs quotation marks"#, 3, "1:4", "1"),
    .init("a/**/b", #"a string that contains "*" needs quotation marks"#, 2, "1:3"),
    .init("\"a\"b", #"expected "=", ";" or the end of the text, found "b""#, 3, "1:4"),
    .init("(a, /* b)", "an unterminated comment", 4, "1:5", "1"),
    .init("/*/", "an unterminated comment", 0, "1:1"),
    .init("{a = 1; b = 2;\n a = 3;}", #"duplicate key "a""#, 16, "2:2", kind: .duplicateKey),
    .init(#"x = {b = {c = 1;}; d; "\142" = (); e;};"#, #"duplicate key "b""#, 22, "1:23", "x", kind: .duplicateKey),
    .init("a; 'a' = 2;", #"duplicate key "a""#, 3, "1:4", kind: .duplicateKey),
  ]

  static let scalars: [OpenStepDefect] =
    [
      .init("(\"a", "a string without its closing quotation mark", 1, "1:2", "0"),
      .init("{\n'a\"", "a string without its closing quotation mark", 2, "2:1"),
      .init(#""a\"#, "a string without its closing quotation mark", 0, "1:1"),
      .init(#""a\""#, "a string without its closing quotation mark", 0, "1:1"),
      .init(#"("ä\376")"#, #"the NeXTSTEP encoding has no character \376"#, 4, "1:4", "0"),
      .init(#""\400""#, #"the NeXTSTEP encoding has no character \400"#, 1, "1:2"),
      .init(#""\U""#, #"an escape "\U" without hexadecimal digits"#, 1, "1:2"),
      .init(#""C:\user""#, #"an escape "\u" without hexadecimal digits"#, 3, "1:4"),
      .init(#"{a = "\UD83D";}"#, "an unpaired UTF-16 surrogate in a string", 6, "1:7", "a"),
      .init(#""\UDE00""#, "an unpaired UTF-16 surrogate in a string", 1, "1:2"),
      .init(#""\UD83D\U0041""#, "an unpaired UTF-16 surrogate in a string", 1, "1:2"),
      .init(#""\UD83D\n""#, "an unpaired UTF-16 surrogate in a string", 1, "1:2"),
      .init(#""\UD83D\U""#, "an unpaired UTF-16 surrogate in a string", 1, "1:2"),
      .init("(<0fb>)", "a byte with only one hexadecimal digit", 4, "1:5", "0"),
      .init("<0 f>", "a byte with only one hexadecimal digit", 1, "1:2"),
      .init("<0", "a byte with only one hexadecimal digit", 1, "1:2"),
      .init("<0g>", "a byte with only one hexadecimal digit", 1, "1:2"),
      .init("<00 é>", #"expected a hexadecimal digit or ">", found "é""#, 4, "1:5"),
      .init("(<00 ", #"data without its closing ">""#, 1, "1:2", "0"),
      .init("<[AAEC>", #"data without its closing "]>""#, 0, "1:1"),
      .init("<[AAEC]", #"data without its closing "]>""#, 0, "1:1"),
      .init("(<[AA*C]>)", "a character in <[ ]> is not base64", 1, "1:2", "0"),
      .init("<[AAE]>", "the base64 in <[ ]> is incomplete or has wrong padding", 0, "1:1"),
      .init("<[AAE=AA==]>", "extra text after the end of the base64 in <[ ]>", 0, "1:1"),
      .init("(<*I5", #"a value without its closing ">""#, 1, "1:2", "0"),
    ]
    + [
      "<*>", "<*I>", "<*Ix>", "<*I5 >", "<*I5-5>", "<*I->", "<*I0x10>", "<*I18446744073709551616>",
      "<*I-9223372036854775809>", "<*R>", "<*R1,5>", "<*R1e999>", "<*B>", "<*BYES>", "<*By>", "<*Bé>", "<*D>",
      "<*D2001-01-01T00:00:00Z>", "<*D2001-01-01 00:00:00>", "<*D2001-02-30 00:00:00 +0000>",
      "<*D2001-01-01 00:00:00 +2400>", "<*D2001-01-01 00:00:00 +0060>", "<*D 00:00:00 +0000>",
      "<*D2001-01-01 00:00:00 0000>", "<*D2001-01-01_00:00:00 +0000>", "<*D2001-01-01 00:00:00_+0000>", "<*D +0000>",
      "<*D+0000>", "<*Xa>", "<*éa>", "<*\"I5\">", "<*I\">",
    ].map { .init($0, "\($0.quoted) is not a value of type I, R, B, D, F, T, N or X", 0, "1:1") }

  @Test(arguments: structure)
  func `wrong punctuation is refused`(_ defect: OpenStepDefect) throws { try check(defect) }

  @Test("invalid strings, data and typed values are refused", arguments: scalars)
  func refusesScalar(_ defect: OpenStepDefect) throws { try check(defect) }

  private func check(_ defect: OpenStepDefect) throws {
    let found = try #require(error { () throws(PropertyListError) in _ = try PropertyList(openStep: defect.text) })
    #expect(found.message == defect.message)
    #expect(found.kind == defect.kind)
    #expect(found.byteOffset == defect.offset)
    #expect(found.position.map { "\($0.line):\($0.column)" } == defect.position)
    #expect(found.keyPath?.description == defect.keyPath)
    let utf8 = error { () throws(PropertyListError) in
      _ = try PropertyListDocument(Data(defect.text.utf8), format: .openStep)
    }
    #expect(utf8 == found)
    guard !defect.text.isEmpty else { return }
    // In UTF-16, the error has the same line and column, but another offset.
    let utf16 = try #require("\u{FEFF}\(defect.text)".data(using: .utf16LittleEndian))
    var expected = found
    let before = String(decoding: Array(defect.text.utf8.prefix(defect.offset)), as: UTF8.self)
    expected.byteOffset = 2 + 2 * before.utf16.count
    #expect(
      error { () throws(PropertyListError) in _ = try PropertyListDocument(utf16, format: .openStep) } == expected)
  }

  @Test func `bytes that are invalid in their encoding are refused with their offset`() throws {
    let found = error { () throws(PropertyListError) in
      _ = try PropertyListDocument(Data("(a,\n\"b".utf8) + [0xC3] + Data("\")".utf8), format: .openStep)
    }
    #expect(found?.message == "not UTF-8" && found?.byteOffset == 6 && found?.position == .init(line: 2, column: 3))
    let surrogate = error { () throws(PropertyListError) in
      _ = try PropertyListDocument(Data([0xFF, 0xFE, 0x22, 0, 0x3D, 0xD8, 0x22, 0]), format: .openStep)
    }
    #expect(surrogate?.byteOffset == 4 && surrogate?.position == .init(line: 1, column: 2))
    let latin1 = error { () throws(PropertyListError) in
      _ = try PropertyListDocument(Data([0xEF, 0xBB, 0xBF, 0x61, 0x3B, 0x2F, 0x2F, 0xE9]), format: .openStep)
    }
    #expect(latin1?.byteOffset == 7 && latin1?.position == .init(line: 1, column: 5))
  }

  @Test func `messages are one line, and short`() throws {
    let long = String(repeating: "x", count: 100_000)
    for text in ["{\"\u{1B}[2J\(long)\"; \"\u{1B}[2J\(long)\";}", "<*I\(long)\n>", "(a\u{1B}"] {
      let found = try #require(error { () throws(PropertyListError) in _ = try PropertyList(openStep: text) })
      #expect(!found.message.contains { $0.isNewline || $0 == "\u{1B}" } && found.message.utf8.count < 400)
    }
  }
}
