import Foundation
import KeyedArchiving
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Archives whose object graphs are changed at random: references lead elsewhere, objects change class and kind, and
/// each occurs many times in the next.
///
/// `GRAPH_FUZZ_SECONDS=600` selects the long form. `GRAPH_FUZZ_MILLISECONDS` is the allowed processor time for each
/// input; the default is four reference seconds.
@Suite("Random object graphs of at most 64 KB", .serialized) struct GraphFuzzTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let seconds = environment["GRAPH_FUZZ_SECONDS"].flatMap { Double($0) } ?? (LongForm.isWanted ? 3 : 0)
  private static let milliseconds =
    environment["GRAPH_FUZZ_MILLISECONDS"].flatMap { Double($0) } ?? ThreadClock.referenceSecond * 4 / .milliseconds(1)

  private static let largestInput = 64 << 10
  private static let largestMemory = 64 << 20

  /// The processor time of this thread, in milliseconds.
  private static var processorTime: Double { ThreadClock.now / .milliseconds(1) }

  @Test func `graphs are decoded, hashed, compared and archived quickly, or refused`() throws {
    var random = SeededGenerator(seed: Self.environment["GRAPH_FUZZ_SEED"].flatMap { UInt64($0) } ?? 11)
    let end = ContinuousClock.now + .seconds(Self.seconds)
    let originals = MutationTests.originals.filter { $0.data.count <= Self.largestInput / 2 }
    var (inputs, used, refused, slowest) = (0, 0, 0, 0.0)
    while ContinuousClock.now < end || inputs < LongForm.size(300, or: 50) {
      let original = try #require(originals.randomElement(using: &random))
      guard let input = bent(original.tree, &random), input.count <= Self.largestInput,
        let document = try? PropertyListDocument(input)
      else { continue }
      inputs += 1
      let type = try #require(
        (Bool.random(using: &random) ? original.types : DeclaredType.all)
          .randomElement(using: &random) ?? DeclaredType.all.first)
      let memory = peakMemory
      let start = Self.processorTime
      do {
        try type.use(document)
        used += 1
      } catch is KeyedArchiveError {
        refused += 1
      } catch {
        Issue.record("\(error) for \(type.name): \(input.base64EncodedString())")
      }
      let time = Self.processorTime - start
      slowest = max(slowest, time)
      if time > Self.milliseconds { Issue.record("\(time) ms for \(type.name): \(input.base64EncodedString())") }
      let growth = peakMemory - memory
      if growth > Self.largestMemory {
        Issue.record("\(growth >> 20) MB for \(type.name): \(input.base64EncodedString())")
      }
    }
    #expect(used > 0 && refused > 0)
    if Self.seconds > 10 { print("\(inputs) inputs, \(used) used, \(refused) refused, at most \(slowest) ms") }
  }

  private func bent(_ tree: PropertyList, _ random: inout SeededGenerator) -> Data? {
    guard var objects = tree["$objects"]?.array, objects.count > 1 else { return nil }
    for _ in 0..<Int.random(in: 1...6, using: &random) { bend(&objects, &random) }
    var tree = tree
    tree.dictionary?["$objects"] = .array(objects)
    return try? tree.data(format: .binary)
  }

  private func bend(_ objects: inout [PropertyList], _ random: inout SeededGenerator) {
    let index = Int.random(in: 1..<objects.count, using: &random)
    let other = Int.random(in: 1..<objects.count, using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: objects.swapAt(index, other)
    case 1:
      let classUID = objects[other]["$class"] ?? .reference(other)
      objects[index].dictionary?["$class"] = classUID
    case 2:
      let count = objects.count
      objects[index] = repointed(objects[index], to: count, &random)
    case 3:
      // Another kind.
      let kinds: [PropertyList] = [
        "text", 1, 0.5, true, .data(Data(repeating: 7, count: 100)), .date(Date(timeIntervalSinceReferenceDate: 0)),
        .reference(other), .array([.reference(other)]),
        ["NS.objects": [.reference(other)], "$class": .reference(index)],
      ]
      objects[index] = kinds.randomElement(using: &random) ?? "text"
    case 4: nest(&objects, at: index, &random)
    case 5: multiply(&objects, at: index, &random)
    case 6:
      // An object of another archive, with its class if there is room for it.
      guard let donor = MutationTests.originals.randomElement(using: &random)?.tree["$objects"]?.array else { return }
      let offset = objects.count - 1
      objects += donor.dropFirst().map { shifted($0, by: offset) }
      if let object = objects.randomElement(using: &random) { objects[index] = object }
    default: collide(&objects, at: index, &random)
    }
  }

  /// Wraps an object repeatedly in the same kind of object, which refers to the previous one at least twice.
  private func nest(_ objects: inout [PropertyList], at index: Int, _ random: inout SeededGenerator) {
    guard let classUID = arrayClass(in: &objects, &random) else { return }
    let width = Int.random(in: 1...4, using: &random)
    objects.append(objects[index])
    for _ in 0..<Int.random(in: 1...300, using: &random) {
      let inner = PropertyList.reference(objects.count - 1)
      objects.append(["NS.objects": .array(Array(repeating: inner, count: width)), "$class": classUID])
    }
    objects[index] = objects[objects.count - 1]
  }

  /// Repeats the contents of an object's collections a hundred times.
  private func multiply(_ objects: inout [PropertyList], at index: Int, _ random: inout SeededGenerator) {
    for key in objects[index].dictionary?.keys ?? [] {
      guard let elements = objects[index][key]?.array, !elements.isEmpty, elements.count < 200 else { continue }
      let count = Int.random(in: 2...100, using: &random)
      objects[index].dictionary?[key] = .array(Array(repeating: elements, count: count).flatMap { $0 })
    }
  }

  /// Turns an object into a set of data values with the same hash.
  private func collide(_ objects: inout [PropertyList], at index: Int, _ random: inout SeededGenerator) {
    guard let classUID = arrayClass(in: &objects, &random) else { return }
    let references = (0..<Int.random(in: 2...500, using: &random)).map { number in
      objects.append(.data(Data(repeating: 0, count: 80) + withUnsafeBytes(of: UInt16(number)) { Data($0) }))
      return PropertyList.reference(objects.count - 1)
    }
    objects[index] = ["NS.objects": .array(references), "NS.keys": .array(references), "$class": classUID]
  }

  private func arrayClass(in objects: inout [PropertyList], _ random: inout SeededGenerator) -> PropertyList? {
    let names = ["NSArray", "NSSet", "NSDictionary", "NSMutableArray", "NSOrderedSet"]
    guard let name = names.randomElement(using: &random) else { return nil }
    objects.append(classDescription(.string(name)))
    return .reference(objects.count - 1)
  }

  private func repointed(_ object: PropertyList, to count: Int, _ random: inout SeededGenerator) -> PropertyList {
    switch object {
    case .uid where Bool.random(using: &random): return .reference(Int.random(in: 0..<count, using: &random))
    case .array(let elements): return .array(elements.map { repointed($0, to: count, &random) })
    case .dictionary(var entries):
      for key in entries.keys where key != "$class" || Int.random(in: 0..<10, using: &random) == 0 {
        if let value = entries[key] { entries[key] = repointed(value, to: count, &random) }
      }
      return .dictionary(entries)
    default: return object
    }
  }

  private func shifted(_ object: PropertyList, by offset: Int) -> PropertyList {
    switch object {
    case .uid(let uid): uid.value == 0 ? object : .reference(Int(uid.value) + offset)
    case .array(let elements): .array(elements.map { shifted($0, by: offset) })
    case .dictionary(let entries): .dictionary(entries.mapValues { shifted($0, by: offset) })
    default: object
    }
  }
}
