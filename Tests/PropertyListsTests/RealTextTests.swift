import Foundation
import TestSupport
import Testing

@testable import PropertyLists

@Suite("Reals in text") struct RealTextTests {
  private func parsed(_ text: String) -> Double? { RealText.parse(Array(text.utf8).rawBytes) }

  @Test(arguments: [
    "9007199254740993", "9007199254740992.5", "9007199254740993.0000000000000000000", "4503599627370496.5",
    "1.7976931348623157", "0.1000000000000000055", "9999999999999999999", "18014398509481985",
    "0.0000000001234567890123", "0.000000000000000000000000001", "-12345678901234567.89", "0.00", "-0.0",
    "00000000000000000000001.5", "12345678901234567890", "18446744073709551616", "18446744073709551616.0",
    "36893488147419103232.5", "0.1234567890123456789012345", "5e-324", ".5", "5.", "+1.5",
  ])
  func `a decimal number is rounded as by the standard library`(_ text: String) {
    #expect(parsed(text)?.bitPattern == Double(text)?.bitPattern)
  }

  @Test(arguments: ["", ".", "-", "-.", "1.2.3", "1-2", "1 ", "x"])
  func `other text is not a number`(_ text: String) { #expect(parsed(text) == nil) }

  @Test func `random numbers are rounded as by the standard library`() {
    var random = SeededGenerator(seed: 19)
    for _ in 0..<LongForm.size(1_000_000, or: 20_000) {
      let digits = String(UInt64.random(in: 0...(.max), using: &random) >> UInt64.random(in: 0..<64, using: &random))
      let zeros = String(repeating: "0", count: Int.random(in: 0..<12, using: &random))
      var text = Array((zeros + digits).utf8)
      text.insert(UInt8(ascii: "."), at: Int.random(in: 0...text.count, using: &random))
      let number = String(decoding: text, as: UTF8.self)
      #expect(parsed(number)?.bitPattern == Double(number)?.bitPattern, "\(number)")
    }
  }

  @Test func `numbers halfway between two doubles are rounded to the even one`() {
    var random = SeededGenerator(seed: 23)
    for _ in 0..<LongForm.size(100_000, or: 5_000) {
      // An odd integer of 54 bits is halfway between two doubles. The last digit after the point decides.
      let middle = UInt64.random(in: 1 << 53..<1 << 54, using: &random) | 1
      for text in ["\(middle)", "\(middle).0", "\(middle).01", "\(middle - 1).99"] {
        #expect(parsed(text)?.bitPattern == Double(text)?.bitPattern, "\(text)")
      }
    }
  }
}
