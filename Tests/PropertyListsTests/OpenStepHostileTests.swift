import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PropertyLists

@Suite("Hostile OpenStep") struct OpenStepHostileTests {
  static let text = HostileText(format: .openStep, options: [.init(), .init(duplicateKeys: .keepLast)])

  /// `depth` empty containers inside each other.
  static func nested(_ depth: Int, _ open: String, _ close: String) -> String {
    String(repeating: open, count: depth) + String(repeating: close, count: depth)
  }

  @Test(arguments: [("(", ")"), ("{k=", ";}"), ("({k=", ";},)")])
  func `the depth has a limit, which a caller can set`(_ open: String, _ close: String) throws {
    let levels = open.count(where: { $0 == "(" || $0 == "{" })
    for limit in [0, 1, 2, 512, 2000] {
      let options = PropertyListReadingOptions(limits: ParsingLimits(depth: limit))
      // The innermost value is a string, so that there are as many containers as brackets.
      let allowed =
        String(repeating: open, count: limit / levels) + "x" + String(repeating: close, count: limit / levels)
      #expect(try PropertyListDocument(openStep: allowed, options: options).objectCount == limit / levels * levels + 1)
      let tooDeep = String(repeating: open, count: limit / levels + 1)
      let found = error { () throws(PropertyListError) in _ = try PropertyList(openStep: tooDeep, options: options) }
      #expect(found?.kind == .nestedTooDeeply)
      #expect(found?.byteOffset == limit / levels * open.utf8.count + (limit % levels == 0 ? 0 : 1))
      #expect(found?.keyPath?.components.count ?? 0 == limit)
    }
  }

  @Test func `a strings file is one level of nesting`() throws {
    let options = PropertyListReadingOptions(limits: ParsingLimits(depth: 1))
    #expect(try PropertyList(openStep: "a = b;", options: options) == ["a": "b"])
    let found = error { () throws(PropertyListError) in _ = try PropertyList(openStep: "a = ();", options: options) }
    #expect(found?.kind == .nestedTooDeeply && found?.byteOffset == 4 && found?.keyPath?.description == "a")
    for text in ["a;", " "] {
      let none = PropertyListReadingOptions(limits: ParsingLimits(depth: 0))
      let found = error { () throws(PropertyListError) in _ = try PropertyList(openStep: text, options: none) }
      #expect(found?.kind == .nestedTooDeeply)
    }
  }

  @Test func `a thread with 512 KB of stack reads the allowed depth, and refuses more`() {
    let texts = [
      Self.nested(512, "(", ")"), Self.nested(512, "{k=", ";}").replacingOccurrences(of: "k=;", with: "k=x;"),
      Self.nested(1_000_000, "(", ")"), String(repeating: "a={", count: 1_000_000),
    ]
    let done = DispatchSemaphore(value: 0)
    let results = Mutex<[Bool]>([])
    let thread = Thread {
      for text in texts {
        let isRead = (try? PropertyList(openStep: text)) != nil
        results.withLock { $0.append(isRead) }
      }
      done.signal()
    }
    thread.stackSize = 512 << 10
    thread.start()
    #expect(done.waitForSignal())
    #expect(results.withLock { $0 } == [true, true, false, false])
  }

  @Test func `the size of the input has a limit, in every encoding`() throws {
    let options = PropertyListReadingOptions(limits: ParsingLimits(inputSize: 10))
    for text in ["(12345678)", "(12345678 )", "(é1234567)", "\"é12345\""] {
      let isAllowed = text.utf8.count <= 10
      let found = error { () throws(PropertyListError) in _ = try PropertyList(openStep: text, options: options) }
      #expect((found?.kind == .limitExceeded) == !isAllowed)
      let ofData = error { () throws(PropertyListError) in
        _ = try PropertyListDocument(Data(text.utf8), format: .openStep, options: options)
      }
      #expect((ofData?.kind == .limitExceeded) == !isAllowed)
    }
  }

  @Test func `the last duplicate key counts on request`() throws {
    let options = PropertyListReadingOptions(duplicateKeys: .keepLast)
    let text = #"{a = 1; b = {c; "\143" = (x);}; "\U0061" = 3; d = 4;}"#
    #expect(try PropertyList(openStep: text, options: options) == ["a": "3", "b": ["c": ["x"]], "d": "4"])
    #expect(try PropertyList(openStep: "a; a = (b, b); a = ();", options: options) == ["a": []])
    // Positions are correct after a dictionary that lost entries.
    let found = error { () throws(PropertyListError) in
      _ = try PropertyList(openStep: "(({a; a; a;}, x), (y z))", options: options)
    }
    #expect(found?.byteOffset == 21 && found?.keyPath?.description == "1.1")
  }

  @Test func `a UID can be written as a dictionary by default`() throws {
    #expect(try PropertyList(openStep: "(a, {CF$UID = <*I7>;})") == ["a", .uid(.init(7))])
    #expect(try PropertyList(openStep: "{CF$UID = 7;}") == ["CF$UID": "7"])
    let options = PropertyListReadingOptions(recognizesUIDDictionaries: false)
    #expect(try PropertyList(openStep: "{CF$UID = <*I7>;}", options: options) == ["CF$UID": 7])
  }

  /// Each is repeated to form the complete text, valid or not.
  static let repeated = [
    "(", "{", "{a=", "a={", "(a,", "a,", "\"", "'", "\\", "\"\\", "\\\"", "\"\\U", "\"\\1", "<", "<0", "<00", "00 ",
    "<[", "<[A", "<*",
    "<*I1", "<*I1>,", "/", "/*", "/*/", "/**/", "*/", "//", "//\n", "/ ", "é", "\u{2028}", " ", "\n", ";", "a;", "a a",
    "=", "a=b;", ")", "}",
    ">", "]", "]>", "\u{0}", "\u{FEFF}", "a=\"\";", "(),", "()", "{};", "\"\\U00e9",
  ]

  @Test(arguments: repeated) func `reading takes time in proportion to the size`(_ piece: String) {
    let prefixes = ["", "(", "{", "\"", "<", "<[", "<*I", "/*", "a = ", "(x, "]
    // The short form has a third of the prefixes for each piece, and others for the next piece.
    let first = (Self.repeated.firstIndex(of: piece) ?? 0) % 3
    let few = stride(from: first, to: prefixes.count, by: 3).map { prefixes[$0] }
    Self.text.readRepeated(piece, behind: LongForm.isWanted ? prefixes : few)
  }

  @Test func `large values are read completely`() throws {
    let count = LongForm.size(100_000, or: 3_000)
    let list = "(" + String(repeating: #"{name = "a \"b\" \U00e9"; n = <*I5>; d = <00ff>;}, "#, count: count) + ")"
    let document = try PropertyListDocument(Data(list.utf8), format: .openStep)
    #expect(document.root.kind == .array && document.root.count == count)
    let last: PropertyList = ["name": "a \"b\" é", "n": 5, "d": .hex(0, 255)]
    #expect(try PropertyList(document.root.child(at: count - 1)) == last)
    let entries = (0..<count).map { "key\($0) = \($0);" }.joined(separator: "\n")
    let tree = try PropertyList(openStep: entries)
    #expect(tree.dictionary?.count == count && tree["key\(count - 1)"] == "\(count - 1)")
    let string = String(repeating: #"\"x"#, count: count)
    #expect(try PropertyList(openStep: "\"\(string)\"").string?.utf8.count == 2 * count)
  }

  static let samples = [
    #"{ "Some ASCII string" = 'Test'; list = (a, b/c, "d \"e\" \U00e9\101\n", <0fbd 777e>, <[AAEC]>, ); k; }"#,
    #"/* Comment */ "key one" = "value"; // other"# + "\n" + #"'two' = { nested = ((), {}, "\UD83D\UDE00"); };"#,
    "(<*I5>, <*R-1.5e3>, <*BY>, <*BN>, <*D2001-01-01 00:00:00 +0000>, {a = <*I\"7\">;}, \"größe\u{2028}\")",
    """
    {
    \ta = (
    \t\t1,
    \t\t{
    \t\t\tb = ({ c = "0.25"; });
    \t\t}
    \t);
    \tz = "\\\\";
    }

    """,
  ]

  @Test(arguments: [1, 2, 3] as [UInt64]) func `damaged texts never trap, and are read quickly`(_ seed: UInt64) {
    Self.text.readDamaged(
      Self.samples, changes: 0...6, letters: #"(){}<>[]*=;,"'\/U07 a"#, rounds: RandomTests.mutations / 2, seed: seed)
  }

  @Test func `every truncated text is read in part, or refused at its end or before`() throws {
    for sample in Self.samples {
      let bytes = Array(sample.utf8)
      for count in 0..<bytes.count {
        guard let text = String(validating: bytes[..<count], as: UTF8.self) else { continue }
        let found = error { () throws(PropertyListError) in _ = try PropertyList(openStep: text) }
        if let found { #expect((0...count).contains(found.byteOffset ?? -1) && found.position != nil) }
      }
    }
  }
}
