import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import TestSupport
import Testing
import Typedstreams

@Suite("Message bodies") struct MessageBodyTests {
  private typealias Attributes = Archived.AttributedString.Attributes

  /// A body as Messages archives it.
  private static func stream(_ text: Archived.AttributedString) throws -> Data { try typedstream(of: .object(text)) }

  private static func body(_ text: String, _ runs: [(Int, Attributes)]) throws -> MessageBody {
    let runs = runs.map { Archived.AttributedString.Run(length: $0.0, attributes: $0.1) }
    return try MessageBody(stream(Archived.AttributedString(text, runs: runs)))
  }

  private static let partName = "__kIMMessagePartAttributeName"

  @Test("all attributes of any text are decoded") func attributes() throws {
    let text = "👨‍👩‍👧‍👦 Zoë\u{FFFC}https"
    let lengths = [11, 1, 3, 1, 5]
    #expect(lengths.reduce(0, +) == text.utf16.count)
    let archive = Data([1, 2, 3])
    let url = try #require(URL(string: "https://example.org/é"))
    let body = try Self.body(
      text,
      [
        (11, ["__kIMTextBoldAttributeName": .integer(1), "__kIMTextItalicAttributeName": .integer(1)]),
        (1, [Self.partName: .integer(0), "__kIMTextEffectAttributeName": .integer(10)]),
        (3, ["__kIMMentionConfirmedMention": .string("zoe@example.org"), Self.partName: .integer(0)]),
        (
          1,
          [
            "__kIMFileTransferGUIDAttributeName": .string("at_1"), "__kIMFilenameAttributeName": .string("a.png"),
            "__kIMInlineMediaWidthAttributeName": .real(12.5), "__kIMInlineMediaHeightAttributeName": .integer(7),
            Self.partName: .integer(1), "IMAudioTranscription": .string("hello"),
          ]
        ),
        (
          5,
          [
            "__kIMLinkAttributeName": .url(url), "__kIMLinkIsRichLinkAttributeName": .boolean(true),
            "__kIMDataDetectedAttributeName": .data(archive), "__kIMPhoneNumberAttributeName": .data(archive),
            "__kIMOneTimeCodeAttributeName": .dictionary([
              .string("code"): .string("12"), .string("displayCode"): .string("1 2"),
            ]),
            "__kIMBaseWritingDirectionAttributeName": .integer(-1),
          ]
        ),
      ])
    #expect(body.text == text)
    #expect(body.runs.map { String(body.text[$0.range]) } == ["👨‍👩‍👧‍👦", " ", "Zoë", "\u{FFFC}", "https"])
    #expect(body.runs[0].styles == [.bold, .italic] && body.runs[0].part == nil)
    #expect(body.runs[1].effect == .jitter && body.runs[1].styles == [])
    #expect(body.runs[2].mention == "zoe@example.org" && body.runs[2].attachment == nil)
    let attachment = try #require(body.runs[3].attachment)
    #expect(attachment.transferID == "at_1" && attachment.fileName == "a.png")
    #expect(attachment.width == 12.5 && attachment.height == 7 && body.runs[3].transcription == "hello")
    let last = body.runs[4]
    #expect(last.link == url && last.attributes.contains(.isRichLink(true)))
    #expect(last.oneTimeCode?.code == "12" && last.oneTimeCode?.displayCode == "1 2")
    #expect(last.detected.map(\.kind) == [.data, .phoneNumber] && last.detected.map(\.archive) == [archive, archive])
    #expect(last.attributes.contains(.writingDirection(-1)))
    #expect(body.parts.map(\.number) == [nil, 0, 1, nil])
    #expect(body.parts.map { String(body.text(of: $0)) } == ["👨‍👩‍👧‍👦", " Zoë", "\u{FFFC}", "https"])
    #expect(body.parts.map { $0.attachment?.transferID } == [nil, nil, "at_1", nil])
  }

  @Test("unknown attributes, and values of unexpected types, are kept") func others() throws {
    let value: ArchivedValue = .array([.string("a"), .dictionary([.string("k"): .integer(3)]), .real(0.5)])
    let body = try Self.body(
      "ab",
      [
        (1, ["new": value, Self.partName: .string("first")]),
        (1, ["__kIMOneTimeCodeAttributeName": .dictionary([.string("code"): .integer(1)]), "when": .date(Date())]),
      ])
    #expect(
      body.runs[0].attributes == [
        .other("new", .array([.string("a"), .dictionary(["k": .integer(3)]), .real(0.5)])),
        .other(Self.partName, .string("first")),
      ])
    #expect(
      body.runs[1].attributes == [
        .other("__kIMOneTimeCodeAttributeName", .dictionary(["code": .integer(1)])),
        .other("when", .object(className: "NSDate")),
      ])
  }

  @Test("the runs of any text are decoded", arguments: 0..<20) func random(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let letters = ["a", "é", "e\u{301}", "中", "😀", "🇩🇪", "👨‍👩‍👧", "\u{FFFC}", "\n"]
    for _ in 0..<30 {
      let pieces = (0..<Int.random(in: 0..<12, using: &random)).map { _ in
        (0..<Int.random(in: 1..<9, using: &random)).compactMap { _ in letters.randomElement(using: &random) }.joined()
      }
      let parts = pieces.map { _ in Int.random(in: 0..<4, using: &random) }
      let body = try Self.body(
        pieces.joined(), zip(pieces, parts).map { ($0.utf16.count, [Self.partName: .integer(.init(Int64($1)))]) })
      #expect(body.text == pieces.joined())
      #expect(body.runs.map { Array(body.text[$0.range].utf8) } == pieces.map { Array($0.utf8) })
      #expect(body.runs.map(\.part) == parts)
      #expect(body.parts.map { body.text(of: $0) }.joined() == body.text)
    }
  }

  @Test("a body can be a plain string or an empty text") func plain() throws {
    let plain = try MessageBody(typedstream(of: .string("plain")))
    #expect(plain.text == "plain" && plain.runs.isEmpty && plain.parts.isEmpty)
    #expect(try Self.body("", []).text.isEmpty)
    #expect(try MessageBody(Data(Piece.attributedString)).runs.map(\.attributes) == [[]])
  }

  /// A string, followed by groups of runs.
  private static func broken(_ groups: [UInt8]...) -> Data {
    let text = [0x92, 0x84, 0x84] + Piece.new("NSString") + [1, 0x94] + Piece.new("+") + Piece.text("abc") + [0x86]
    return Data(
      Piece.stream(Piece.new("@"), [0x84], Piece.newClass("NSAttributedString"), text, groups.flatMap(\.self), [0x86]))
  }

  private static let dictionary: [UInt8] =
    [0x92, 0x84, 0x84] + Piece.new("NSDictionary") + [0, 0x94] + Piece.new("i") + [0, 0x86]

  @Test(
    arguments: [
      ([], "the runs end"),
      (Piece.new("iI") + [1, 2] + dictionary, "the runs end"),
      (Piece.new("iI") + [1, 4] + dictionary, "from 0 to 3 UTF-16 units, the rest of the text, not 4"),
      (Piece.new("ii") + [1, 0xFF] + dictionary, "from 0 to 3 UTF-16 units, the rest of the text, not -1"),
      (Piece.new("iI") + [2, 3] + dictionary, "number 2"), (Piece.new("iI") + [0, 3] + dictionary, "number 0"),
      (Piece.new("iI") + [1, 3], "has no dictionary"), (Piece.new("iI") + [1, 3, 0x92, 0x94], "has no dictionary"),
      (Piece.new("@@") + [0x85, 0x85], "the runs end"),
    ] as [([UInt8], String)])
  func `runs that do not match the text are an error with an offset`(groups: [UInt8], message: String) throws {
    let error = #expect(throws: TypedstreamError.self) { try MessageBody(Self.broken(groups)) }
    #expect(error?.kind == .invalidContents && error?.byteOffset != nil)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test("another class, or no object, is refused by name") func otherClasses() throws {
    let date = try typedstream(of: .date(Date()))
    let error = #expect(throws: TypedstreamError.self) { try MessageBody(date) }
    #expect(error?.kind == .classNotAllowed && error?.className == "NSDate")
    for data in [Data(Piece.stream()), Data(Piece.stream(Piece.new("i"), [1])), Data()] {
      #expect(throws: TypedstreamError.self) { try MessageBody(data) }
    }
  }

  @Test func `a body takes memory in proportion to its size, however attributes are shared`() throws {
    let text = String(repeating: "x", count: 20_000)
    // Each run has its own attributes, all with one long value.
    let runs = (0..<2_000).map { (1, ["a\($0)": ArchivedValue.string(text)] as Attributes) }
    let error = #expect(throws: TypedstreamError.self) { try Self.body(String(repeating: "y", count: 2_000), runs) }
    #expect(error?.kind == .limitExceeded && (error?.byteOffset ?? 0) > 16 && error?.objectID != nil)
    // A hundred of them are not refused.
    let few = try Self.body(String(repeating: "y", count: 50), Array(runs.prefix(50)))
    #expect(few.runs.count == 50)
  }

  @Test func `many runs with one large set of attributes are not much work`() throws {
    let names = (0..<1000).map { ("a\($0)", ArchivedValue.integer(1)) }
    let large = Attributes(uniqueKeysWithValues: names)
    let runs = (0..<400).map { (1, $0 % 2 == 0 ? large : [:]) }
    let error = #expect(throws: TypedstreamError.self) { try Self.body(String(repeating: "y", count: 400), runs) }
    #expect(error?.kind == .limitExceeded && error?.byteOffset != nil)
    let small: Attributes = ["__kIMMessagePartAttributeName": .integer(0), "b": .string("text")]
    let many = try Self.body(String(repeating: "y", count: 20_000), (0..<20_000).map { (1, $0 % 2 == 0 ? small : [:]) })
    #expect(many.runs.count == 20_000)
  }

  @Test("detected data is decoded from its archive") func detected() throws {
    let unit = MessageBody.DetectionResult(type: "Unit", text: "W", range: 2..<3, value: "watt")
    let amount = MessageBody.DetectionResult(type: "PhysicalAmount", text: "5 W", range: 0..<3, parts: [unit])
    let archiver = KeyedArchiver()
    try archiver.encode(amount, forKey: "dd-result")
    let found = MessageBody.Detected(kind: .data, archive: try archiver.encodedData())
    let result = try found.result()
    #expect(result == amount)
    #expect(throws: (any Error).self) { try MessageBody.Detected(kind: .data, archive: Data([1])).result() }
  }

  @Test("edited versions and retracted parts are decoded") func edits() throws {
    func version(_ text: String, _ date: Double) throws -> PropertyList {
      ["d": .real(date), "t": .data(try Self.stream(Archived.AttributedString(text)))]
    }
    let list: PropertyList = [
      "ec": ["0": [try version("Frist", 10), try version("First", 20.5)], "2": []], "rp": [1, 3],
      "otr": ["0": ["lo": 0, "le": 5], "1": ["lo": 5, "le": 7]], "ust": true,
    ]
    let edits = try MessageEdits(list.data(format: .binary))
    #expect(edits.versions[0]?.map(\.body.text) == ["Frist", "First"] && edits.versions[2] == [])
    #expect(edits.versions[0]?.map { $0.date.timeIntervalSinceReferenceDate } == [10, 20.5])
    #expect(edits.retracted == [1, 3] && edits.originalRanges == [0: 0..<5, 1: 5..<12])
    let other: PropertyList = ["ust": true]
    let none = try MessageEdits(other.data(format: .binary))
    #expect(none.versions.isEmpty && none.retracted.isEmpty && none.originalRanges.isEmpty)
    let findings: [PropertyList] = [
      ["ec": ["x": []]], ["ec": ["0": 7]], ["ec": ["0": [["d": 1]]]], ["ec": ["0": [["d": 1, "t": .data(Data())]]]],
      ["otr": ["0": ["lo": -1, "le": 5]]], ["otr": ["0": 7]], ["ec": ["0": [], "00": []]],
      ["otr": ["0": ["lo": 0, "le": 5], "00": ["lo": 0, "le": 5]]],
    ]
    for finding in findings {
      #expect(throws: (any Error).self) { try MessageEdits(finding.data(format: .binary)) }
    }
  }
}

@Suite("Message bodies of Apple's Messages", .enabled(if: !TypedstreamSamples.files.isEmpty))
struct MessageBodySampleTests {
  /// A run as an independent reader finds it.
  private static func stretches(_ name: String) -> (text: String, lengths: [Int])? {
    guard let groups = TypedstreamSamples.expected[name]?["groups"] as? [[[Any]]],
      let root = groups.first?.first?.last as? [String: Any], let parts = root["groups"] as? [[[Any]]],
      let string = parts.first?.first?.last as? [String: Any], let inner = string["groups"] as? [[[Any]]],
      let text = inner.first?.first?.last as? String
    else { return nil }
    let lengths = parts.dropFirst().compactMap { $0.count == 2 ? $0[1].last as? Int : nil }
    return (text, lengths)
  }

  @Test(arguments: TypedstreamSamples.sound)
  func `the text and the runs are the same as for another reader`(_ name: String) throws {
    let stream = try Typedstream(TypedstreamSamples.data(name))
    guard let root = stream.objects.first?.class.chain.map(\.name), root.contains("NSAttributedString") else { return }
    let body = try MessageBody(stream)
    for run in body.runs {
      for attribute in run.attributes { if case .other = attribute { Issue.record("\(attribute)") } }
      for detected in run.detected {
        let result = try detected.result()
        #expect(String(body.text[run.range]) == result.text && !result.type.isEmpty)
        let start = run.range.lowerBound.utf16Offset(in: body.text)
        #expect(result.range == start..<start + result.text.utf16.count)
      }
    }
    guard TypedstreamSamples.expected[name] != nil else { return }
    let expected = try #require(Self.stretches(name))
    #expect(body.text == expected.text)
    #expect(body.runs.map { body.text[$0.range].utf16.count } == expected.lengths)
  }

  /// Words, each with an animation.
  private static let effects: [(String, MessageBody.Effect)] = [
    ("Big", .big), ("small ", .small), ("shake", .shake), ("nod", .nod), ("explode ", .explode), ("ripple", .ripple),
    ("bloom", .bloom), ("jitter", .jitter),
  ]

  @Test("the attributes match the text") func words() throws {
    func body(_ name: String) throws -> MessageBody? {
      TypedstreamSamples.files.contains(name) ? try MessageBody(TypedstreamSamples.data(name)) : nil
    }
    if let body = try body("imessage-TextEffects") {
      for (word, effect) in Self.effects {
        #expect(body.runs.contains { body.text[$0.range] == word && $0.effect == effect }, "\(word)")
      }
    }
    if let body = try body("imessage-TextStyles") {
      let styles: [String: MessageBody.Styles] = [
        "Bold": .bold, "underline": .underline, "italic": .italic, "strikethrough": .strikethrough,
        "four": [.bold, .italic, .underline, .strikethrough],
      ]
      for (word, style) in styles {
        #expect(body.runs.contains { body.text[$0.range] == word && $0.styles == style }, "\(word)")
      }
    }
    if let body = try body("imessage-Mention") {
      #expect(body.runs.map(\.mention) == [nil, "+15558675309", nil] && body.text[body.runs[1].range] == "Dad")
    }
    if let body = try body("imessage-MultiPart") {
      #expect(body.parts.map(\.number) == [0, 1, 2, 3, 4, 5])
      #expect(body.parts.map { $0.attachment != nil } == [true, false, true, false, true, false])
      #expect(body.text(of: body.parts[3]) == "test 2 ")
    }
    if let body = try body("imessage-Attachment") {
      let first = try #require(body.parts.first)
      let attachment = try #require(first.attachment)
      #expect(attachment.fileName == "Messages Image(785748029).png")
      #expect(attachment.width == 952 && attachment.height == 1139)
    }
    if let body = try body("imessage-Code") {
      #expect(body.runs[0].oneTimeCode?.code == "000123")
      #expect(try body.runs[0].detected.map { try $0.result().type } == ["AuthCode"])
    }
    if let body = try body("imessage-URL") {
      #expect(body.runs[0].link?.absoluteString == "https://github.com/ReagentX/Logria")
    }
    if let body = try body("imessage-Array") {
      let detected = try #require(body.runs[1].detected.first)
      let result = try detected.result()
      #expect(result.parts.map(\.type) == ["IntegralValue", "Multiplier", "Unit"])
      #expect(result.parts.map(\.value) == [nil, "1000000", "watt"])
    }
  }
}
