import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

@Suite("Damage") struct DamageTests {
  static let samples = Sample.basics + Sample.collections + Sample.times + Sample.values + Sample.structures

  /// For any replacement of a part of an archive, the result is a value, which may not be archivable, or a typed error.
  @Test(arguments: samples)
  func `damage anywhere in an archive is an error or another value`(_ sample: Sample) throws {
    var random = SeededGenerator(seed: 17)
    let original = try PropertyList(sample.archive())
    let objectCount = original["$objects"]?.array?.count ?? 0
    var failures = 0
    for round in 0..<LongForm.size(200, or: 20) {
      // The short form ends with the eighth round, or the first error after it.
      if !LongForm.isWanted, round >= 8, failures > 0 { break }
      var damaged = original
      for _ in 0...Int.random(in: 0..<2, using: &random) { damaged.damage(objectCount, &random) }
      do { _ = try sample.archiveAgain(damaged.data(format: .binary)) } catch let error as KeyedArchiveError {
        #expect(!error.message.isEmpty)
        failures += 1
      }
    }
    #expect(failures > 0)
  }
}

extension PropertyList {
  /// Replaces something in an archive, more likely at a deep level.
  mutating func damage(_ objectCount: Int, _ random: inout SeededGenerator) {
    let stays = Int.random(in: 0..<8, using: &random) > 0
    if stays, let count = array?.count, count > 0 {
      array?[Int.random(in: 0..<count, using: &random)].damage(objectCount, &random)
    } else if stays, let count = dictionary?.count, count > 0 {
      let index = Int.random(in: 0..<count, using: &random)
      if Int.random(in: 0..<12, using: &random) == 0 {
        dictionary?.remove(at: index)
      } else {
        dictionary?.values[index].damage(objectCount, &random)
      }
    } else {
      self = Self.random(objectCount, &random)
    }
  }

  private static func random(_ objectCount: Int, _ random: inout SeededGenerator) -> PropertyList {
    let bytes = Data((0..<Int.random(in: 0..<30, using: &random)).map { _ in random.next() as UInt8 })
    let values: [PropertyList] = [
      0, 1, 2, 8, -1, 1000, 9_223_372_036_854_775_807, -9_223_372_036_854_775_808, 18_446_744_073_709_551_615,
      .real(.nan), .real(.infinity), 0.5, .float(1e30), true, false, "", "$null", "{1, 2}", "GMT+0100", "é🙂",
      .data(bytes), .bytes([0x80]), .bytes([1, 0, 2, 0xFF]), [], [:], .null, .date(.distantFuture), ["NS.objects"],
      .uid(0), .uid(.max), .uid(UInt32.random(in: 0..<UInt32(objectCount + 2), using: &random)),
      .uid(UInt32.random(in: 0..<UInt32(objectCount + 2), using: &random)),
    ]
    return values.randomElement(using: &random) ?? .null
  }
}
