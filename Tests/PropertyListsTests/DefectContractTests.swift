import Foundation
import TestSupport
import Testing

@testable import PropertyListTools
@testable import PropertyLists

@Suite("All defects of an input") struct DefectContractTests {
  @Test(arguments: ["xml", "binary", "hostile", "archives", "openstep", "json"].flatMap { Fixtures.names(in: $0) })
  func `the defects include the reader's error, and are empty if it has none`(_ name: String) throws {
    let data = try Fixtures.data(name)
    guard LongForm.isWanted || data.count < 50_000 else { return }
    check(data, nil)
    // Sizes are limited by the reader of the format.
    guard LongForm.isWanted || data.count < 2_000 else { return }
    for format in PropertyListFormat.allCases { check(data, format) }
  }

  @Test(arguments: Fixtures.corpus)
  func `the same is true for files of other producers`(_ url: URL) throws { check(try Data(contentsOf: url), nil) }

  /// The number of damaged inputs. `PLIST_MUTATIONS=100000` selects the long form.
  static let mutations =
    ProcessInfo.processInfo.environment["PLIST_MUTATIONS"].flatMap { Int($0) } ?? LongForm.size(4000, or: 80)

  @Test(arguments: PropertyListFormat.allCases) func `the same is true for damaged files`(_ format: PropertyListFormat)
    throws
  {
    let originals = try Self.originals(format)
    var random = SeededGenerator(seed: 5)
    for _ in 0..<Self.mutations / 4 {
      var bytes = originals.randomElement(using: &random)!
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        if format == .binary || Int.random(in: 0..<4, using: &random) == 0 {
          bytes.damage(using: &random)
        } else {
          bytes.damageText(using: &random)
        }
      }
      check(Data(bytes), format)
    }
  }

  /// Files of a format, some of them written by this package.
  static func originals(_ format: PropertyListFormat) throws -> [[UInt8]] {
    let names = ["xml", "binary", "hostile", "openstep", "json", "archives"].flatMap { Fixtures.names(in: $0) }
    let largestSize = LongForm.size(20_000, or: 4_000)
    var originals = try names.compactMap { name -> [UInt8]? in
      let data = try Fixtures.data(name)
      guard !data.isEmpty, data.count < largestSize else { return nil }
      if PropertyListFormat(detecting: data.bytes) == format { return [UInt8](data) }
      return (try? PropertyList(data).data(format: format, options: .exact)).map { [UInt8]($0) }
    }
    if format != .binary {
      let seeds = UInt64(LongForm.size(60, or: 20))
      for seed in 0..<seeds { originals.append(Array(LaidOutText(format, seed: seed).text.utf8)) }
    }
    return originals
  }

  private func check(_ data: Data, _ format: PropertyListFormat?, _ location: SourceLocation = #_sourceLocation) {
    for options in [
      PropertyListReadingOptions(),
      .init(
        limits: .init(depth: 3), recognizesUIDDictionaries: false, duplicateKeys: .keepLast,
        restoresCoercedValues: true),
    ] {
      let thrown = error { () throws(PropertyListError) in
        try PropertyListDocument(data, format: format, options: options).validate()
      }
      let start = ThreadClock.now
      let log = PropertyListDocument.defectLog(of: data, format: format, options: options, limit: 50).defects
      let duration = ThreadClock.now - start
      let allowed = ThreadClock.referenceSecond * (2 + Double(data.count) / 1000)
      if log.first != thrown || duration > allowed {
        Issue.record(
          """
          \(format.map(\.rawValue) ?? "any"): \(log.first?.description ?? "no defect") listed, \
          \(thrown?.description ?? "none") thrown, \(duration): \(data.base64EncodedString())
          """, sourceLocation: location)
      }
      let defects = PropertyListDocument.defects(in: data, format: format, options: options, limit: 50)
      #expect(defects.count == log.count && Set(defects) == Set(log), sourceLocation: location)
      #expect(
        zip(defects.compactMap(\.byteOffset), defects.compactMap(\.byteOffset).dropFirst()).allSatisfy { $0 <= $1 },
        sourceLocation: location)
      if format != .binary,
        Set(log.map { "\($0.position.map { "\($0)" } ?? $0.description) \($0.message)" }).count < log.count
      {
        Issue.record("the same twice: \(data.base64EncodedString())", sourceLocation: location)
      }
      let few = PropertyListDocument.defectLog(of: data, format: format, options: options, limit: 3).defects
      if few != Array(log.prefix(3)) {
        Issue.record("others with a lower limit: \(data.base64EncodedString())", sourceLocation: location)
      }
    }
  }
}

extension [UInt8] {
  /// Changes a text: inserts, removes or replaces characters with a meaning.
  mutating func damageText(using random: inout SeededGenerator) {
    guard !isEmpty else { return }
    let offset = Int.random(in: 0..<count, using: &random)
    let marks: [String] = [
      "<", ">", "/", "\"", "'", "&", ";", ",", "=", ":", "(", ")", "{", "}", "[", "]", "\\", "\n", " ", "-", "!", "é",
      "<key>", "</key>", "<string>", "</string>", "<dict>", "</dict>", "<array>", "</array>", "<true/>", "<!--", "-->",
      "]]>", "&amp;", "&x;", "<![CDATA[", "<foo>", "</foo>", "<integer>1</integer>", "/*", "*/", "//", "<*I5>", "<0f>",
      "\\u", "\\UD800", "\"$date\":", "null", "1e999", "00", "\u{0}", "a",
    ]
    switch Int.random(in: 0..<5, using: &random) {
    case 0: remove(at: offset)
    case 1: insert(contentsOf: Array(marks.randomElement(using: &random)!.utf8), at: offset)
    case 2: replaceSubrange(offset..<offset + 1, with: Array(marks.randomElement(using: &random)!.utf8))
    case 3:
      let length = Int.random(in: 0..<Swift.min(40, count - offset), using: &random)
      removeSubrange(offset..<offset + length)
    default:
      let length = Int.random(in: 0..<Swift.min(40, count - offset), using: &random)
      let target = Int.random(in: 0...count, using: &random)
      insert(contentsOf: Array(self[offset..<offset + length]), at: target)
    }
  }
}
