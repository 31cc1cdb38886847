import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

/// Randomly damaged archives, decoded as every type.
@Suite("Randomly damaged archives") struct MutationTests {
  /// The number of damaged archives. `ARCHIVE_MUTATIONS=1000000` selects the long form.
  static let mutations =
    ProcessInfo.processInfo.environment["ARCHIVE_MUTATIONS"].flatMap { Int($0) } ?? LongForm.size(4000, or: 120)

  /// An archive to damage.
  struct Original: Sendable {
    let data: Data
    let tree: PropertyList
    /// The types that the undamaged archive can be decoded as.
    let types: [DeclaredType]

    init?(_ data: Data) {
      guard let document = try? PropertyListDocument(data), let tree = try? PropertyList(document.root) else {
        return nil
      }
      self.data = data
      self.tree = tree
      types = DeclaredType.all.filter { (try? $0.read(document)) != nil }
    }
  }

  /// The archives of all samples in both formats, and of the corpus. The short form has every third sample, and every
  /// fifth of these as XML.
  static let originals: [Original] = {
    var originals: [Data] = []
    for (index, sample) in LongForm.cases(DamageTests.samples, every: 3).enumerated() {
      guard let data = try? sample.archive(), data.count < 10_000 else { continue }
      originals.append(data)
      if LongForm.isWanted || index.isMultiple(of: 5), let xml = try? PropertyList(data).data(format: .xml) {
        originals.append(xml)
      }
    }
    let root = TreeNode("root", [TreeNode("left"), TreeNode("right", [TreeNode("leaf")])])
    root.friend = root.children[0]
    for format in PropertyListFormat.allCases {
      if let data = try? KeyedArchiver.archivedData(withRootObject: root, outputFormat: format) {
        originals.append(data)
      }
    }
    for name in Fixtures.names(in: "archives") { if let data = try? Fixtures.data(name) { originals.append(data) } }
    for file in Fixtures.corpus where file.pathExtension == "archive" || file.lastPathComponent.hasPrefix("NSKeyed") {
      if let data = try? Data(contentsOf: file), data.count < 20_000 { originals.append(data) }
    }
    return originals.compactMap { Original($0) }
  }()

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `a damaged archive gives a value or an error, quickly and with little memory`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let memory = peakMemory
    var (decoded, refused) = (0, 0)
    for _ in 0..<Self.mutations / 4 {
      let original = Self.originals.randomElement(using: &random)!
      let input = Bool.random(using: &random) ? original.damagedBytes(&random) : original.damagedTree(&random)
      guard let input, let document = try? PropertyListDocument(input) else { continue }
      for index in 0..<6 {
        let types = index % 2 == 0 ? original.types : DeclaredType.all
        guard let type = types.randomElement(using: &random) else { continue }
        let duration = ThreadClock.measure {
          do {
            try type.read(document)
            decoded += 1
          } catch is KeyedArchiveError {
            refused += 1
          } catch {
            Issue.record("\(error): \(input.base64EncodedString())")
          }
        }
        if duration > ThreadClock.referenceSecond * 3 {
          Issue.record("\(duration) for \(type.name): \(input.base64EncodedString())")
        }
      }
    }
    #expect(decoded > 0 && refused > 0)
    #expect(peakMemory - memory < 2 << 30, "no archive of a few kilobytes takes gigabytes")
  }

}

extension MutationTests.Original {
  fileprivate func damagedBytes(_ random: inout SeededGenerator) -> Data? {
    var bytes = [UInt8](data)
    for _ in 0..<Int.random(in: 1...6, using: &random) { bytes.damage(using: &random) }
    return Data(bytes)
  }

  /// Damages the structure of an archive: replaces values, exchanges objects and classes, and inserts objects of other
  /// archives.
  fileprivate func damagedTree(_ random: inout SeededGenerator) -> Data? {
    var tree = tree
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      guard var objects = tree["$objects"]?.array, objects.count > 1 else { break }
      let index = Int.random(in: 1..<objects.count, using: &random)
      let other = Int.random(in: 1..<objects.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: objects.swapAt(index, other)
      case 1:
        // Another class, or an invalid one.
        objects[index].dictionary?["$class"] = .reference(other)
      case 2:
        // A reference to another object, possibly back to itself.
        let keys = objects[index].dictionary?.keys.filter { $0 != "$class" } ?? []
        if let key = keys.randomElement(using: &random) {
          if let count = objects[index][key]?.array?.count, count > 0 {
            objects[index].dictionary?[key]?.array?[Int.random(in: 0..<count, using: &random)] = .reference(other)
          } else {
            objects[index].dictionary?[key] = .reference(other)
          }
        }
      case 3:
        // An array that repeats an element.
        let keys = objects[index].dictionary?.keys.filter { objects[index][$0]?.kind == .array } ?? []
        if let key = keys.randomElement(using: &random), let elements = objects[index][key]?.array {
          objects[index].dictionary?[key] = .array(elements + elements + [.reference(other)])
        }
      case 4:
        let donor = MutationTests.originals.randomElement(using: &random)!
        if let object = donor.tree["$objects"]?.array?.randomElement(using: &random) { objects[index] = object }
      default:
        tree.dictionary?["$objects"] = .array(objects)
        tree.damage(objects.count, &random)
        continue
      }
      tree.dictionary?["$objects"] = .array(objects)
    }
    return try? tree.data(format: Int.random(in: 0..<4, using: &random) == 0 ? .xml : .binary)
  }
}
