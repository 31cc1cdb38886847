import Foundation
import KeyedArchiving
import PropertyLists
import TestSupport
import Testing

/// Damaged bytes of archives: whatever they are asked for as, nothing worse than an error comes of it.
@Suite("Archives with damaged bytes")
struct MutationTests {
  /// How many damaged archives are decoded. The short form runs always; `ARCHIVE_MUTATIONS=1000000` is the long one.
  static let mutations = ProcessInfo.processInfo.environment["ARCHIVE_MUTATIONS"].flatMap { Int($0) } ?? 6000

  /// An archive, and ways to decode it as what it is.
  private struct Original {
    let bytes: [UInt8]
    let decode: @Sendable (Data) throws -> Void
  }

  /// Decoded as any value, with the types of this test's models among those allowed.
  private static func asAnything(_ data: Data) throws {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.additionalTypes = [Foo.self, Point.self, Circle.self, Square.self]
    for key in unarchiver.topLevelKeys {
      let value = try unarchiver.decode(ArchivedValue.self, forKey: key)
      _ = try KeyedArchiver.archivedData(withRootObject: value)
    }
  }

  private static func originals() throws -> [Original] {
    var originals: [Original] = []
    for file in MacArchive.files {
      guard let archive = MacArchive.all[file.name] else { continue }
      originals.append(
        Original(bytes: [UInt8](try Data(contentsOf: file))) { data in _ = try archive.archiveAgain(data) })
    }
    let foo = try Fixtures.data("archives/foo-ios.bplist")
    originals.append(
      Original(bytes: [UInt8](foo)) { _ = try KeyedUnarchiver.unarchivedObject(of: Foo.self, from: $0) })
    let root = TreeNode("root", [TreeNode("left"), TreeNode("right", [TreeNode("leaf")])])
    root.friend = root.children[0]
    for format in [PropertyListFormat.binary, .xml] {
      let tree = try KeyedArchiver.archivedData(withRootObject: root, outputFormat: format)
      originals.append(
        Original(bytes: [UInt8](tree)) { _ = try KeyedUnarchiver.unarchivedObject(of: TreeNode.self, from: $0) })
    }
    for sample in DamageTests.samples {
      let data = try sample.archive()
      guard data.count < 5000 else { continue }
      originals.append(Original(bytes: [UInt8](data)) { _ = try sample.archiveAgain($0) })
    }
    return originals
  }

  @Test("never trap, and take no time", arguments: [1, 2, 3, 4] as [UInt64])
  func damage(_ seed: UInt64) throws {
    let originals = try Self.originals()
    var random = SeededGenerator(seed: seed)
    var (decoded, refused) = (0, 0)
    for _ in 0..<Self.mutations / 4 {
      guard let original = originals.randomElement(using: &random),
        let other = originals.randomElement(using: &random)
      else { return }
      var bytes = original.bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) { bytes.damage(using: &random) }
      let input = Data(bytes)
      let duration = ContinuousClock().measure {
        // As what it was, as something else, as anything.
        for decode in [original.decode, other.decode, Self.asAnything] {
          do {
            try decode(input)
            decoded += 1
          } catch {
            refused += 1
            if !(error is KeyedArchiveError) { Issue.record("\(error) for \(input.base64EncodedString())") }
          }
        }
      }
      // In proportion to the size, with room for a busy machine and a debug build.
      let allowed = Duration.seconds(2) + .milliseconds(1) * input.count
      if duration > allowed { Issue.record("\(duration) for \(input.base64EncodedString())") }
    }
    #expect(decoded > 0 && refused > 0)
  }
}
