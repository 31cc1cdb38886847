import Foundation
import TestSupport
import Testing

@testable import PropertyLists

@Suite("Hostile JSON") struct JSONHostileTests {
  static let allOptions = [
    PropertyListReadingOptions(), .init(duplicateKeys: .keepLast), .init(restoresCoercedValues: true),
    .init(duplicateKeys: .keepLast, restoresCoercedValues: true),
  ]

  static let text = HostileText(format: .json, options: allOptions)

  @Test(arguments: [("[", "]"), ("{\"k\":", "}"), ("[1,{\"k\":", "}]")])
  func `the depth has a limit, which a caller can set`(_ open: String, _ close: String) throws {
    let levels = open.count(where: { $0 == "[" || $0 == "{" })
    for limit in [0, 2, 512, 2000] {
      let options = PropertyListReadingOptions(limits: ParsingLimits(depth: limit))
      let count = limit / levels
      let allowed = String(repeating: open, count: count) + "1" + String(repeating: close, count: count)
      _ = try PropertyListDocument(Data(allowed.utf8), format: .json, options: options)
      let found = JSONTests.defect(String(repeating: open, count: count + 1), options: options)
      #expect(found?.kind == .nestedTooDeeply && found?.keyPath?.components.count ?? 0 == limit)
      #expect(found?.byteOffset == count * open.utf8.count && found?.position != nil)
    }
  }

  @Test
  func `a thread with 512 KB of stack reads and writes the allowed depth, and refuses more`() throws {
    let outcome = OnSmallStack.run { () throws -> [Bool] in
      let deep = Data((String(repeating: "[{\"k\":", count: 1000) + "1" + String(repeating: "}]", count: 1000)).utf8)
      let options = PropertyListReadingOptions(limits: ParsingLimits(depth: .max), restoresCoercedValues: true)
      let document = try PropertyListDocument(deep, format: .json, options: options)
      let tree = try PropertyList(document.root)
      let written = try tree.data(format: .json, options: .init(depth: .max, coercion: .reversible, isCompact: true))
      let refused = [String(repeating: "[", count: 1_000_000), String(repeating: "{\"k\":", count: 1_000_000)].map {
        JSONTests.defect($0, options: options)?.kind == .nestedTooDeeply
      }
      return [written == deep + Data("\n".utf8)] + refused
    }
    #expect(outcome.value as? [Bool] == [true, true, true])
  }

  @Test func `the size of the input has a limit`() throws {
    let options = PropertyListReadingOptions(limits: ParsingLimits(inputSize: 4))
    #expect(try JSONTests.read("[10]", options: options) == [10])
    #expect(JSONTests.defect("[100]", options: options)?.kind == .limitExceeded)
  }

  /// Each is repeated to form the complete text, valid or not.
  static let repeated = [
    "[", "{", "{\"a\":", "[1,", "1,", "\"", "\\", "\"\\", "\\\"", "\\u", "\\u0041", "\\ud800", "\\ud83d\\ude00", "1",
    "0", "9.",
    ".1", "1e", "e9", "-", "é", " ", "\n", "{},", "[],", "\"a\":1,", "\"$date\":1,", "{\"$date\":1},",
    "{\"$$date\":1},",
    "{\"$data\":\"\\/\\/8=\"},", "null,", "true", "]", "}", ":", ",", "/", "\u{0}", "\u{FEFF}", "\u{2028}",
  ]

  @Test(arguments: repeated) func `reading takes time in proportion to the size`(_ piece: String) {
    let prefixes = ["", "[", "{", "\"", "0.", "1e", "{\"a\":", "{\"$date\":\"", "{\"$float\":1"]
    // The short form has a quarter of the prefixes for each piece, and others for the next piece.
    let first = (Self.repeated.firstIndex(of: piece) ?? 0) % 4
    let few = stride(from: first, to: prefixes.count, by: 4).map { prefixes[$0] }
    Self.text.readRepeated(piece, behind: LongForm.isWanted ? prefixes : few)
  }

  @Test func `large values are read completely`() throws {
    let count = LongForm.size(100_000, or: 3_000)
    let list =
      "["
      + Array(repeating: #"{"name":"a \"b\" \u00e9","n":5,"d":{"$data":"\/\/8="}}"#, count: count).joined(
        separator: ",") + "]"
    let document = try PropertyListDocument(Data(list.utf8), options: JSONCoercionTests.restoring)
    #expect(document.root.count == count)
    let last: PropertyList = ["name": "a \"b\" é", "n": 5, "d": .data(Data([255, 255]))]
    #expect(try PropertyList(document.root.child(at: count - 1)) == last)
    let entries = "{" + (0..<count).map { "\"key\($0)\":\($0)" }.joined(separator: ",\n") + "}"
    let tree = try JSONTests.read(entries)
    #expect(tree.dictionary?.count == count && tree["key\(count - 1)"] == .integer(.init(count - 1)))
  }

  static let samples = [
    #"{"a":[1,-2.5e3,true,false,null,"x\"\\\/\b\f\n\r\t\u0041\ud83d\ude00y"],"b":{"c":{},"d":[]},"é":"größe"}"#,
    #"[{"name":"one","n":1},{"name":"two","n":2},{"name":"three","n":18446744073709551615}]"# + "\n",
    #"{ "$date" : "2001-01-01T00:00:00.5Z" }                                        "#,
    #"[{"$date":"2001-01-01T00:00:00.5Z"},{"$data":"AAEC\/w=="},{"CF$UID":3},{"$real":"nan"},{"$float":0.1}]"#,
    #"[{"$$date":1},{"$real":"nan(0x7ff8000000000001)"},{"$float":"-inf"},{"$date":1e300},{"$CF$UID":[]}]"#,
  ]

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `damaged texts never trap, and every error has a position`(_ seed: UInt64) {
    Self.text.readDamaged(
      Self.samples, changes: 0...5, letters: #"{}[]:,"\/$u07e-. a"#, rounds: RandomTests.mutations / 3, seed: seed
    ) { tree throws(PropertyListError) in
      let written = try tree.data(format: .json, options: JSONCoercionTests.reversible)
      #expect(try PropertyList(written, format: .json, options: JSONCoercionTests.restoring) == tree)
    }
  }

  @Test func `every truncated text is refused at its end or before`() throws {
    for sample in Self.samples {
      let bytes = Array(sample.trimmingCharacters(in: .whitespacesAndNewlines).utf8)
      for count in 1..<bytes.count {
        guard let text = String(validating: bytes[..<count], as: UTF8.self) else { continue }
        for options in Self.allOptions {
          let found = try #require(JSONTests.defect(text, options: options))
          #expect((0...count).contains(found.byteOffset ?? -1) && found.position != nil)
        }
      }
    }
  }
}
