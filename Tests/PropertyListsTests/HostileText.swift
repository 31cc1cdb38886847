import Foundation
import TestSupport
import Testing

@testable import PropertyLists

/// Reads hostile texts.
struct HostileText {
  let format: PropertyListFormat
  let options: [PropertyListReadingOptions]

  /// Reads a piece that is repeated up to 16 KB, or 256 KB in the long form, after each of the prefixes.
  func readRepeated(_ piece: String, behind prefixes: [String]) {
    let text = String(repeating: piece, count: LongForm.size(1 << 18, or: 1 << 14) / piece.utf8.count)
    for prefix in prefixes {
      let input = Data((prefix + text).utf8)
      // Even a debug build needs only a fraction of this time. Quadratic work takes minutes, or seconds for 16 KB.
      let duration = ThreadClock.measure {
        for options in options { _ = try? PropertyListDocument(input, format: format, options: options) }
      }
      #expect(duration < ThreadClock.referenceSecond * (LongForm.isWanted ? 10 : 0.5), "\(prefix) \(piece)")
    }
  }

  /// Reads damaged texts, into which some of the characters are inserted, and checks the values of those that can be
  /// read.
  func readDamaged(
    _ samples: [String], changes: ClosedRange<Int>, letters: String, rounds: Int, seed: UInt64,
    check: (PropertyList) throws(PropertyListError) -> Void = { _ in }
  ) {
    var originals = samples.map { Array($0.utf8) }
    originals += samples.map { [UInt8]("\u{FEFF}\($0)".data(using: .utf16LittleEndian)!) }
    var random = SeededGenerator(seed: seed)
    var readCount = 0
    for round in 0..<rounds {
      var bytes = originals.randomElement(using: &random)!
      for _ in 0..<Int.random(in: changes, using: &random) {
        if Bool.random(using: &random) {
          bytes.damage(using: &random)
        } else {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = letters.utf8.randomElement(using: &random)!
        }
      }
      let input = Data(bytes)
      let duration = ThreadClock.measure {
        do throws(PropertyListError) {
          let document = try PropertyListDocument(input, format: format, options: options[round % options.count])
          try document.validate()
          let tree = try PropertyList(document.root)
          readCount += 1
          #expect(try tree.data(format: .binary) == document.root.data(format: .binary))
          try check(tree)
        } catch {
          #expect(error.byteOffset.map { (0...input.count).contains($0) } == true || error.kind == .duplicateKey)
          #expect(error.position != nil || error.kind == .duplicateKey)
        }
      }
      if duration > ThreadClock.referenceSecond * 2 { Issue.record("\(duration) for \(input.base64EncodedString())") }
    }
    #expect(readCount > rounds / 20, "the damage leaves too little to read")
  }
}
