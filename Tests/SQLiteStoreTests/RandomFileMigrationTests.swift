import Foundation
import ManagedObjects
import ManagedObjectsSamples
import TestSupport
import Testing

@Suite("Migrations of XML and binary stores between random pairs of model versions")
struct RandomFileMigrationTests {
  private enum Kind: CaseIterable {
    case xml, binary

    func open(_ file: URL, _ model: ManagedObjectModel, isReadOnly: Bool) throws -> any PersistentStore {
      switch self {
      case .xml: try XMLStore(file, model: model, isReadOnly: isReadOnly)
      case .binary: try BinaryStore(file, model: model, isReadOnly: isReadOnly)
      }
    }
  }

  /// - Returns: True if the store was migrated, false if the migration was rejected, nil if the result is undefined.
  private static func check(seed: Int, _ kind: Kind) throws -> Bool? {
    var maker = SketchMaker(seed: seed)
    let old = maker.sketch
    maker.mutate(count: 1 + maker.numbers.below(4))
    let new = maker.sketch
    let expectation = MigrationExpectation(old: old, new: new)
    if expectation.isAmbiguous { return nil }
    let comment = Comment(rawValue: "\(kind), seed \(seed): \(maker.log.joined(separator: ", "))")
    let folder = TemporaryFolder(isInMemory: true)
    let file = folder.url.appending(path: "store")
    let (oldModel, newModel) = (try old.model(), try new.model())
    try RandomMigrationTests.fill(kind.open(file, oldModel, isReadOnly: false), old, &maker.numbers)
    let before = try StoreDump(kind.open(file, oldModel, isReadOnly: true))
    let bytes = try Data(contentsOf: file)
    let copy = folder.url.appending(path: "copy")
    try bytes.write(to: copy)
    let refusals = expectation.refusals.union(expectation.abstracted(before))
    do throws(ManagedObjectError) {
      try StoreFile.migrate(file, from: [newModel, oldModel], to: newModel, droppedValues: .drop)
    } catch {
      let messages = (error.details.isEmpty ? [error] : error.details).map(\.message)
      #expect(!refusals.isEmpty && error.details.allSatisfy { $0.code == .inferredMapping }, "\(comment): \(error)")
      for message in messages {
        #expect(refusals.contains { message.contains("\"\($0)\"") }, "\(comment): \(message), not \(refusals)")
      }
      #expect(try Data(contentsOf: file) == bytes, comment)
      return false
    }
    let isOther = oldModel.entityVersionHashesByName != newModel.entityVersionHashesByName
    #expect(refusals == [] || !isOther, comment)
    if !isOther { return nil }
    var expected = before
    expected.objects = expectation.objects(before)
    expected.counts = [:]
    for entity in new.entities {
      expected.counts[entity.name] = expected.objects.keys.count { $0.hasPrefix("\(entity.name)/") }
    }
    let store = try kind.open(file, newModel, isReadOnly: true)
    let after = try StoreDump(store)
    expected.metadata = after.metadata
    #expect(after.differences(from: expected) == [], comment)
    #expect(after.metadata["NSStoreUUID"] == before.metadata["NSStoreUUID"], comment)
    #expect(Set(folder.names) == ["store", "copy"], comment)
    try checkMapped(copy, kind, expectation, expected, comment)
    return true
  }

  /// Makes the same changes with a mapping, which creates all objects anew.
  private static func checkMapped(
    _ file: URL, _ kind: Kind, _ expectation: MigrationExpectation, _ expected: StoreDump, _ comment: Comment
  ) throws {
    let model = try expectation.new.model()
    guard let entity = expectation.old.entities.first else { return }
    try StoreFile.migrate(
      file, from: [expectation.old.model()], to: model,
      by: StoreMapping(entities: [entity.name: EntityMigrationPolicy()]), droppedValues: .drop)
    var after = try StoreDump(kind.open(file, model, isReadOnly: true))
    var expected = expected
    expected.metadata = after.metadata
    for name in expected.objects.keys {
      expected.objects[name]?.version = after.objects[name]?.version ?? 0
      for key in expectation.newOrders {
        after.objects[name]?.relationships[key]?.sort()
        expected.objects[name]?.relationships[key]?.sort()
      }
    }
    #expect(after.differences(from: expected) == [], "mapped, \(comment)")
  }

  @Test(arguments: Kind.allCases)
  private func `a migration changes each value as in an SQLite store, or reports all reasons`(kind: Kind) throws {
    var (changed, refused) = (0, 0)
    let count = LongForm.size(all: 4_000, 600, or: 12)
    for seed in 0..<count {
      do {
        let result = try Self.check(seed: seed, kind)
        if result == true { changed += 1 } else if result == false { refused += 1 }
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
    #expect(changed > count / LongForm.size(3, or: 12), "\(changed) changed, \(refused) refused")
  }
}
