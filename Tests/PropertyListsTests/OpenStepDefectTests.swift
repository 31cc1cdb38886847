import Foundation
import Testing

@testable import PropertyLists

/// A text and why it is refused.
struct OpenStepDefect: CustomTestStringConvertible, Sendable {
  let text: String
  let message: String
  let offset: Int
  let position: String
  var keyPath: String?
  var kind = PropertyListError.Kind.malformed

  var testDescription: String { text.debugDescription }
}

@Suite("What is no OpenStep") struct OpenStepDefectTests {
  static let structure = [
    OpenStepDefect(text: "", message: "the input is empty", offset: 0, position: "1:1"),
    OpenStepDefect(text: "\n )", message: #"")" where a value is due"#, offset: 2, position: "2:2"),
    OpenStepDefect(text: "[a]", message: #""[" where a value is due"#, offset: 0, position: "1:1"),
    OpenStepDefect(text: "é", message: #""é" where a value is due"#, offset: 0, position: "1:1"),
    OpenStepDefect(
      text: "a b", message: #""b" where "=", ";" or the end of the text is due"#, offset: 2, position: "1:3"),
    OpenStepDefect(text: "() b", message: #""b" where the end of the text is due"#, offset: 3, position: "1:4"),
    OpenStepDefect(text: "{};", message: #"";" where the end of the text is due"#, offset: 2, position: "1:3"),
    OpenStepDefect(text: "(a b)", message: #""b" where "," or ")" is due"#, offset: 3, position: "1:4", keyPath: "1"),
    OpenStepDefect(text: "(,)", message: #""," where a value or ")" is due"#, offset: 1, position: "1:2", keyPath: "0"),
    OpenStepDefect(
      text: "(a,,)", message: #""," where a value or ")" is due"#, offset: 3, position: "1:4", keyPath: "1"),
    OpenStepDefect(text: "(a;)", message: #"";" where "," or ")" is due"#, offset: 2, position: "1:3", keyPath: "1"),
    OpenStepDefect(text: "(a}", message: #""}" where "," or ")" is due"#, offset: 2, position: "1:3", keyPath: "1"),
    OpenStepDefect(
      text: "(a", message: #"the end of the text where "," or ")" is due; the "(" stands at 1:1"#, offset: 2,
      position: "1:3", keyPath: "1"),
    OpenStepDefect(
      text: "{\n  k = (a, \n", message: #"the end of the text where a value or ")" is due; the "(" stands at 2:7"#,
      offset: 13, position: "3:1", keyPath: "k.1"),
    OpenStepDefect(
      text: "{a = 1; b}", message: #""}" where "=" or ";" is due"#, offset: 9, position: "1:10", keyPath: "b"),
    OpenStepDefect(text: "{a = 1}", message: #""}" where ";" is due"#, offset: 6, position: "1:7"),
    OpenStepDefect(text: "{a = ;}", message: #"";" where a value is due"#, offset: 5, position: "1:6", keyPath: "a"),
    OpenStepDefect(text: "{= 1;}", message: #""=" where a key or "}" is due"#, offset: 1, position: "1:2"),
    OpenStepDefect(text: "{(a) = 1;}", message: #""(" where a key or "}" is due"#, offset: 1, position: "1:2"),
    OpenStepDefect(text: "{<00> = 1;}", message: #""<" where a key or "}" is due"#, offset: 1, position: "1:2"),
    OpenStepDefect(text: "{a: 1}", message: #""1" where "=" or ";" is due"#, offset: 4, position: "1:5", keyPath: "a:"),
    OpenStepDefect(
      text: "{a = 1;", message: #"the end of the text where a key or "}" is due; the "{" stands at 1:1"#, offset: 7,
      position: "1:8"),
    OpenStepDefect(text: "a = b", message: #"the end of the text where ";" is due"#, offset: 5, position: "1:6"),
    OpenStepDefect(text: "a = b; }", message: #""}" where a key is due"#, offset: 7, position: "1:8"),
    OpenStepDefect(
      text: "a =", message: #"the end of the text where a value is due"#, offset: 3, position: "1:4", keyPath: "a"),
    OpenStepDefect(
      text: "a; b", message: #"the end of the text where "=" or ";" is due"#, offset: 4, position: "1:5", keyPath: "b"),
    OpenStepDefect(
      text: "(a@b)", message: #""@" in a string without quotation marks"#, offset: 2, position: "1:3", keyPath: "1"),
    OpenStepDefect(
      text: "(größe)", message: #""ö" in a string without quotation marks"#, offset: 3, position: "1:4", keyPath: "1"),
    OpenStepDefect(text: "a/**/b", message: #""*" in a string without quotation marks"#, offset: 2, position: "1:3"),
    OpenStepDefect(
      text: "\"a\"b", message: #""b" where "=", ";" or the end of the text is due"#, offset: 3, position: "1:4"),
    OpenStepDefect(text: "(a, /* b)", message: "a comment without its end", offset: 4, position: "1:5", keyPath: "1"),
    OpenStepDefect(text: "/*/", message: "a comment without its end", offset: 0, position: "1:1"),
    OpenStepDefect(
      text: "{a = 1; b = 2;\n a = 3;}", message: #"duplicate key "a""#, offset: 16,
      position: "2:2", kind: .duplicateKey),
    OpenStepDefect(
      text: #"x = {b = {c = 1;}; d; "\142" = (); e;};"#, message: #"duplicate key "b""#,
      offset: 22,
      position: "1:23", keyPath: "x", kind: .duplicateKey),
    OpenStepDefect(
      text: "a; 'a' = 2;", message: #"duplicate key "a""#, offset: 3, position: "1:4",
      kind: .duplicateKey),
  ]

  static let scalars =
    [
      OpenStepDefect(
        text: "(\"a", message: "a string without its closing quotation mark", offset: 1, position: "1:2", keyPath: "0"),
      OpenStepDefect(
        text: "{\n'a\"", message: "a string without its closing quotation mark", offset: 2, position: "2:1"),
      OpenStepDefect(text: #""a\"#, message: "a string without its closing quotation mark", offset: 0, position: "1:1"),
      OpenStepDefect(
        text: #""a\""#, message: "a string without its closing quotation mark", offset: 0, position: "1:1"),
      OpenStepDefect(
        text: #"("ä\376")"#, message: #"no character of NeXTSTEP has the number \376"#, offset: 4, position: "1:4",
        keyPath: "0"),
      OpenStepDefect(
        text: #""\400""#, message: #"no character of NeXTSTEP has the number \400"#, offset: 1, position: "1:2"),
      OpenStepDefect(
        text: #""\U""#, message: "no hexadecimal digit after the escape of a character", offset: 1, position: "1:2"),
      OpenStepDefect(
        text: #""C:\user""#, message: "no hexadecimal digit after the escape of a character", offset: 3, position: "1:4"
      ),
      OpenStepDefect(
        text: #"{a = "\UD83D";}"#, message: "a UTF-16 surrogate without its partner in a string", offset: 6,
        position: "1:7", keyPath: "a"),
      OpenStepDefect(
        text: #""\UDE00""#, message: "a UTF-16 surrogate without its partner in a string", offset: 1, position: "1:2"),
      OpenStepDefect(
        text: #""\UD83D\U0041""#, message: "a UTF-16 surrogate without its partner in a string", offset: 1,
        position: "1:2"),
      OpenStepDefect(
        text: #""\UD83D\n""#, message: "a UTF-16 surrogate without its partner in a string", offset: 1,
        position: "1:2"),
      OpenStepDefect(
        text: #""\UD83D\U""#, message: "a UTF-16 surrogate without its partner in a string", offset: 1,
        position: "1:2"),
      OpenStepDefect(
        text: "(<0fb>)", message: "a hexadecimal digit without the second one of its byte", offset: 4, position: "1:5",
        keyPath: "0"),
      OpenStepDefect(
        text: "<0 f>", message: "a hexadecimal digit without the second one of its byte", offset: 1, position: "1:2"),
      OpenStepDefect(
        text: "<0", message: "a hexadecimal digit without the second one of its byte", offset: 1, position: "1:2"),
      OpenStepDefect(
        text: "<0g>", message: "a hexadecimal digit without the second one of its byte", offset: 1, position: "1:2"),
      OpenStepDefect(
        text: "<00 é>", message: #""é" where a hexadecimal digit or ">" is due"#, offset: 4, position: "1:5"),
      OpenStepDefect(
        text: "(<00 ", message: #"data without its closing ">""#, offset: 1, position: "1:2", keyPath: "0"),
      OpenStepDefect(text: "<[AAEC>", message: #"data without its closing "]>""#, offset: 0, position: "1:1"),
      OpenStepDefect(text: "<[AAEC]", message: #"data without its closing "]>""#, offset: 0, position: "1:1"),
      OpenStepDefect(
        text: "(<[AA*C]>)", message: "a character that is not base64 in <[ ]>", offset: 1, position: "1:2", keyPath: "0"
      ),
      OpenStepDefect(text: "<[AAE]>", message: "the base64 in <[ ]> is cut off", offset: 0, position: "1:1"),
      OpenStepDefect(
        text: "<[AAE=AA==]>", message: "more after the end of the base64 in <[ ]>", offset: 0, position: "1:1"),
      OpenStepDefect(
        text: "(<*I5", message: #"a value without its closing ">""#, offset: 1, position: "1:2", keyPath: "0"),
    ]
    + [
      "<*>", "<*I>", "<*Ix>", "<*I5 >", "<*I5-5>", "<*I->", "<*I0x10>", "<*I18446744073709551616>",
      "<*I-9223372036854775809>",
      "<*R>", "<*R1,5>", "<*R1e999>", "<*B>", "<*BYES>", "<*By>", "<*Bé>", "<*D>", "<*D2001-01-01T00:00:00Z>",
      "<*D2001-01-01 00:00:00>",
      "<*D2001-02-30 00:00:00 +0000>", "<*D2001-01-01 00:00:00 +2400>", "<*D2001-01-01 00:00:00 +0060>",
      "<*D 00:00:00 +0000>",
      "<*D2001-01-01 00:00:00 0000>", "<*D2001-01-01_00:00:00 +0000>", "<*D2001-01-01 00:00:00_+0000>", "<*D +0000>",
      "<*D+0000>",
      "<*Xa>", "<*éa>", "<*\"I5\">", "<*I\">",
    ].map {
      OpenStepDefect(
        text: $0, message: "no value of the types I, R, B, D, F, T, N and X: \($0.quoted)", offset: 0, position: "1:1")
    }

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
