import Foundation
import Testing

@testable import PropertyLists

/// A text and why it is refused: the message, the byte, line and column, and the key path.
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

@Suite("What is no OpenStep") struct OpenStepDefectTests {
  static let structure: [OpenStepDefect] = [
    .init("", "the input is empty", 0, "1:1"),
    .init("\n )", #"")" where a value is due"#, 2, "2:2"),
    .init("[a]", #""[" where a value is due"#, 0, "1:1"),
    .init("é", #""é" where a value is due"#, 0, "1:1"),
    .init("a b", #""b" where "=", ";" or the end of the text is due"#, 2, "1:3"),
    .init("() b", #""b" where the end of the text is due"#, 3, "1:4"),
    .init("{};", #"";" where the end of the text is due"#, 2, "1:3"),
    .init("(a b)", #""b" where "," or ")" is due"#, 3, "1:4", "1"),
    .init("(,)", #""," where a value or ")" is due"#, 1, "1:2", "0"),
    .init("(a,,)", #""," where a value or ")" is due"#, 3, "1:4", "1"),
    .init("(a;)", #"";" where "," or ")" is due"#, 2, "1:3", "1"),
    .init("(a}", #""}" where "," or ")" is due"#, 2, "1:3", "1"),
    .init("(a", #"the end of the text where "," or ")" is due; the "(" stands at 1:1"#, 2, "1:3", "1"),
    .init(
      "{\n  k = (a, \n", #"the end of the text where a value or ")" is due; the "(" stands at 2:7"#, 13, "3:1", "k.1"),
    .init("{a = 1; b}", #""}" where "=" or ";" is due"#, 9, "1:10", "b"),
    .init("{a = 1}", #""}" where ";" is due"#, 6, "1:7"),
    .init("{a = ;}", #"";" where a value is due"#, 5, "1:6", "a"),
    .init("{= 1;}", #""=" where a key or "}" is due"#, 1, "1:2"),
    .init("{(a) = 1;}", #""(" where a key or "}" is due"#, 1, "1:2"),
    .init("{<00> = 1;}", #""<" where a key or "}" is due"#, 1, "1:2"),
    .init("{a: 1}", #""1" where "=" or ";" is due"#, 4, "1:5", "a:"),
    .init("{a = 1;", #"the end of the text where a key or "}" is due; the "{" stands at 1:1"#, 7, "1:8"),
    .init("a = b", #"the end of the text where ";" is due"#, 5, "1:6"),
    .init("a = b; }", #""}" where a key is due"#, 7, "1:8"),
    .init("a =", #"the end of the text where a value is due"#, 3, "1:4", "a"),
    .init("a; b", #"the end of the text where "=" or ";" is due"#, 4, "1:5", "b"),
    .init("(a@b)", #""@" in a string without quotation marks"#, 2, "1:3", "1"),
    .init("(größe)", #""ö" in a string without quotation marks"#, 3, "1:4", "1"),
    .init("a/**/b", #""*" in a string without quotation marks"#, 2, "1:3"),
    .init("\"a\"b", #""b" where "=", ";" or the end of the text is due"#, 3, "1:4"),
    .init("(a, /* b)", "a comment without its end", 4, "1:5", "1"),
    .init("/*/", "a comment without its end", 0, "1:1"),
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
      .init(#"("ä\376")"#, #"no character of NeXTSTEP has the number \376"#, 4, "1:4", "0"),
      .init(#""\400""#, #"no character of NeXTSTEP has the number \400"#, 1, "1:2"),
      .init(#""\U""#, "no hexadecimal digit after the escape of a character", 1, "1:2"),
      .init(#""C:\user""#, "no hexadecimal digit after the escape of a character", 3, "1:4"),
      .init(#"{a = "\UD83D";}"#, "a UTF-16 surrogate without its partner in a string", 6, "1:7", "a"),
      .init(#""\UDE00""#, "a UTF-16 surrogate without its partner in a string", 1, "1:2"),
      .init(#""\UD83D\U0041""#, "a UTF-16 surrogate without its partner in a string", 1, "1:2"),
      .init(#""\UD83D\n""#, "a UTF-16 surrogate without its partner in a string", 1, "1:2"),
      .init(#""\UD83D\U""#, "a UTF-16 surrogate without its partner in a string", 1, "1:2"),
      .init("(<0fb>)", "a hexadecimal digit without the second one of its byte", 4, "1:5", "0"),
      .init("<0 f>", "a hexadecimal digit without the second one of its byte", 1, "1:2"),
      .init("<0", "a hexadecimal digit without the second one of its byte", 1, "1:2"),
      .init("<0g>", "a hexadecimal digit without the second one of its byte", 1, "1:2"),
      .init("<00 é>", #""é" where a hexadecimal digit or ">" is due"#, 4, "1:5"),
      .init("(<00 ", #"data without its closing ">""#, 1, "1:2", "0"),
      .init("<[AAEC>", #"data without its closing "]>""#, 0, "1:1"),
      .init("<[AAEC]", #"data without its closing "]>""#, 0, "1:1"),
      .init("(<[AA*C]>)", "a character that is not base64 in <[ ]>", 1, "1:2", "0"),
      .init("<[AAE]>", "the base64 in <[ ]> is cut off", 0, "1:1"),
      .init("<[AAE=AA==]>", "more after the end of the base64 in <[ ]>", 0, "1:1"),
      .init("(<*I5", #"a value without its closing ">""#, 1, "1:2", "0"),
    ]
    + [
      "<*>", "<*I>", "<*Ix>", "<*I5 >", "<*I5-5>", "<*I->", "<*I0x10>", "<*I18446744073709551616>",
      "<*I-9223372036854775809>", "<*R>", "<*R1,5>", "<*R1e999>", "<*B>", "<*BYES>", "<*By>", "<*Bé>", "<*D>",
      "<*D2001-01-01T00:00:00Z>", "<*D2001-01-01 00:00:00>", "<*D2001-02-30 00:00:00 +0000>",
      "<*D2001-01-01 00:00:00 +2400>", "<*D2001-01-01 00:00:00 +0060>", "<*D 00:00:00 +0000>",
      "<*D2001-01-01 00:00:00 0000>", "<*D2001-01-01_00:00:00 +0000>", "<*D2001-01-01 00:00:00_+0000>", "<*D +0000>",
      "<*D+0000>", "<*Xa>", "<*éa>", "<*\"I5\">", "<*I\">",
    ].map { .init($0, "no value of the types I, R, B, D, F, T, N and X: \($0.quoted)", 0, "1:1") }

  @Test(arguments: structure)
  func `is refused where the marks are wrong`(_ defect: OpenStepDefect) throws { try check(defect) }

  @Test("is refused where strings, data and typed values are wrong", arguments: scalars)
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
    // In UTF-16 the same is wrong in the same line and column, at another offset.
    let utf16 = try #require("\u{FEFF}\(defect.text)".data(using: .utf16LittleEndian))
    var expected = found
    let before = String(decoding: Array(defect.text.utf8.prefix(defect.offset)), as: UTF8.self)
    expected.byteOffset = 2 + 2 * before.utf16.count
    #expect(
      error { () throws(PropertyListError) in _ = try PropertyListDocument(utf16, format: .openStep) } == expected)
  }

  @Test func `bytes that are not in their encoding are refused with their offset`() throws {
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
