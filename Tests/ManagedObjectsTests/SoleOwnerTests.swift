import Foundation
import ManagedObjects
import ManagedObjectsSamples
import TestSupport
import Testing

@Suite("Sole owners in to-many relationships without an inverse") struct SoleOwnerTests {
  /// Boxes contain items, in a set and in an ordered relationship. Crates are boxes.
  static let model: ManagedObjectModel = {
    let box = EntityDescription(
      "Box",
      [
        .attribute("name", .string), .relationship("items", to: "Item", isToMany: true),
        .relationship("line", to: "Item", isToMany: true, isOrdered: true),
      ])
    var crate = EntityDescription("Crate")
    crate.superentity = "Box"
    return StoreModels.model([box, crate, EntityDescription("Item", [.attribute("name", .string)])])
  }()

  private let folder = TemporaryFolder(isInMemory: true)

  private func context(_ kind: StoreKind) throws -> ManagedObjectContext {
    ManagedObjectContext(coordinator: try kind.coordinator(Self.model, folder))
  }

  private func insert(_ entity: String, _ name: String, _ context: ManagedObjectContext) throws -> ManagedObject {
    let object = try context.insert(entity)
    try object.setValue(.string(name), forKey: "name")
    return object
  }

  private func set(_ items: [ManagedObject], _ key: String, of box: ManagedObject) throws {
    let values = items.map { ManagedObject.Value.object($0) }
    try box.setValue(key == "line" ? .array(values) : .set(values), forKey: key)
  }

  /// Returns the error of a save, or nil if it succeeds.
  private func saveError(_ context: ManagedObjectContext) -> ManagedObjectError? {
    do throws(ManagedObjectError) {
      try context.save()
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `two owners of an object in one save are an error`(kind: StoreKind) throws {
    for key in ["items", "line"] {
      let context = try context(kind)
      let (first, second) = (try insert("Box", "a", context), try insert("Crate", "b", context))
      let item = try insert("Item", "x", context)
      try set([item], key, of: first)
      try set([item], key, of: second)
      let error = try #require(saveError(context))
      #expect(error.code == .constraintValidation && error.key == key && error.fileURL == nil)
      #expect(error.objectID == second.objectID && error.relatedObjectIDs == [item.objectID, first.objectID])
      #expect(error.description == "\(second.objectID) \(key): \(error.message) (\(item.objectID), \(first.objectID))")
      // Nothing is saved. Everything can be saved after one owner removes the item.
      #expect(item.objectID.isTemporary && context.insertedObjects.count == 3)
      try set([], key, of: first)
      try context.save()
      try context.refreshAllObjects()
      #expect(second[key] == (key == "line" ? .array([.object(item)]) : .set([.object(item)])))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a save can change owners and entities with fewer properties`(kind: StoreKind) throws {
    let context = try context(kind)
    let box = try insert("Box", "a", context)
    let (item, other) = (try insert("Item", "x", context), try insert("Item", "y", context))
    try context.save()
    try set([item], "items", of: box)
    try other.setValue(.string("z"), forKey: "name")
    try context.save()
    try context.refreshAllObjects()
    #expect(box["items"] == .set([.object(item)]) && other["name"] == .attribute(.string("z")))
  }

  @Test(arguments: StoreKind.allCases)
  func `an object can have owners in two relationships`(kind: StoreKind) throws {
    let context = try context(kind)
    let (first, second) = (try insert("Box", "a", context), try insert("Box", "b", context))
    let item = try insert("Item", "x", context)
    try set([item], "items", of: first)
    try set([item], "line", of: second)
    try context.save()
    try context.refreshAllObjects()
    #expect(first["items"] == .set([.object(item)]) && second["line"] == .array([.object(item)]))
  }

  @Test(arguments: StoreKind.allCases)
  func `a second owner is an error until the stored owner removes the object`(kind: StoreKind) throws {
    let context = try context(kind)
    let (first, second) = (try insert("Box", "a", context), try insert("Box", "b", context))
    let (item, free) = (try insert("Item", "x", context), try insert("Item", "y", context))
    try set([item], "items", of: first)
    try context.save()

    // This context has not read the other owner.
    let other = ManagedObjectContext(coordinator: context.coordinator)
    let (box, same) = (try other.object(with: second.objectID), try other.object(with: item.objectID))
    try set([same, try other.object(with: free.objectID)], "items", of: box)
    let error = try #require(saveError(other))
    #expect(error.code == .constraintValidation && error.objectID == second.objectID)
    #expect(error.relatedObjectIDs == [item.objectID, first.objectID])
    #expect(other.updatedObjects == [box])
    try set([], "items", of: try other.object(with: first.objectID))
    try other.save()
    try context.refreshAllObjects()
    #expect(first["items"] == .set([]) && second["items"] == .set([.object(item), .object(free)]))
  }

  @Test(arguments: StoreKind.allCases) func `a deleted owner releases its objects`(kind: StoreKind) throws {
    let context = try context(kind)
    let (first, second) = (try insert("Box", "a", context), try insert("Box", "b", context))
    let item = try insert("Item", "x", context)
    try set([item], "items", of: first)
    try context.save()
    try context.delete(first)
    try set([item], "items", of: second)
    try context.save()
    try context.refreshAllObjects()
    #expect(second["items"] == .set([.object(item)]))
  }

  @Test(arguments: StoreKind.allCases) func `one error lists all objects with two owners`(kind: StoreKind) throws {
    let context = try context(kind)
    let boxes = try ["a", "b", "c"].map { try insert("Box", $0, context) }
    let items = try ["x", "y"].map { try insert("Item", $0, context) }
    try set([items[0]], "line", of: boxes[0])
    try set(items, "line", of: boxes[1])
    try set([items[1], items[0]], "line", of: boxes[2])
    let error = try #require(saveError(context))
    #expect(error.code == .multipleErrors && error.fileURL == nil)
    #expect(error.details.map(\.objectID) == [boxes[1], boxes[2], boxes[2]].map(\.objectID))
    #expect(
      error.details.map(\.relatedObjectIDs) == [
        [items[0].objectID, boxes[0].objectID], [items[1].objectID, boxes[1].objectID],
        [items[0].objectID, boxes[0].objectID],
      ])
  }

  @Test func `a file with two owners of an object is readable and can be fixed`() throws {
    let url = folder.url.appending(path: "a.xml")
    let context = ManagedObjectContext(coordinator: PersistentStoreCoordinator(model: Self.model))
    try context.coordinator.add(XMLStore(url, model: Self.model))
    let boxes = try ["a", "b", "c"].map { try insert("Box", $0, context) }
    let items = try ["x", "y"].map { try insert("Item", $0, context) }
    try set([items[0]], "line", of: boxes[0])
    try set([items[1]], "line", of: boxes[1])
    try context.save()
    // Another program also gives the second box's item to the first one.
    var text = try String(contentsOf: url, encoding: .utf8)
    let reference = { (item: ManagedObject) in "idrefs=\"z\(item.objectID.key.number)\"" }
    let (one, two) = (reference(items[0]), reference(items[1]))
    try #require(text.contains(one) && text.contains(two))
    text = text.replacingOccurrences(of: two, with: one)
    try Data(text.utf8).write(to: url)

    let other = try ManagedObjectContext(XMLStore(url, model: Self.model))
    let found = try other.fetch(FetchRequest("Box", sortedBy: [.init("name")]))
    let item = try #require(try other.fetch(FetchRequest("Item", sortedBy: [.init("name")])).first)
    #expect(found.map { $0["line"] } == [.array([.object(item)]), .array([.object(item)]), .array([])])
    try found[1].setValue(.string("d"), forKey: "name")
    try other.save()
    try set([item], "line", of: found[2])
    #expect(saveError(other)?.relatedObjectIDs == [item.objectID, found[0].objectID])
    try set([], "line", of: found[0])
    #expect(saveError(other)?.relatedObjectIDs == [item.objectID, found[1].objectID])
    try set([], "line", of: found[1])
    try other.save()
    #expect(found[2]["line"] == .array([.object(item)]))
  }

  /// The errors of saves and the contents of the store, by name.
  private struct Outcome: Equatable {
    var errors: [String] = []
    var contents: [String] = []
  }

  /// Makes random changes to the objects of a store. They depend only on the random numbers.
  private func outcome(_ coordinator: PersistentStoreCoordinator, _ numbers: inout SeededGenerator) throws -> Outcome {
    let context = ManagedObjectContext(coordinator: coordinator)
    let names = [FetchRequest.SortDescriptor("name")]
    var boxes = try context.fetch(FetchRequest("Box", sortedBy: names))
    var items = try context.fetch(FetchRequest("Item", sortedBy: names))
    for _ in 0..<Int.random(in: 1...4, using: &numbers) {
      let choice = Int.random(in: 0..<12, using: &numbers)
      let name = String(format: "%08x", UInt32.random(in: 0 ... .max, using: &numbers))
      switch choice {
      case 0: boxes.append(try insert(numbers.next() % 2 == 0 ? "Box" : "Crate", name, context))
      case 1: items.append(try insert("Item", name, context))
      case 2 where boxes.count > 3: try context.delete(boxes.remove(at: .random(in: 0..<boxes.count, using: &numbers)))
      case 3 where items.count > 3: try context.delete(items.remove(at: .random(in: 0..<items.count, using: &numbers)))
      default:
        guard let box = boxes.randomElement(using: &numbers) else { continue }
        let chosen = items.shuffled(using: &numbers).prefix(Int.random(in: 0...2, using: &numbers))
        try set(Array(chosen), choice % 2 == 0 ? "items" : "line", of: box)
      }
    }
    func name(_ id: ManagedObjectID?) -> String {
      guard let id, let object = try? context.object(with: id) else { return "?" }
      return "\(object["name"] ?? .null)"
    }
    var outcome = Outcome()
    if let error = saveError(context) {
      outcome.errors = (error.details.isEmpty ? [error] : error.details).map {
        "\($0.code) \($0.key ?? "") \(name($0.objectID)) \($0.relatedObjectIDs.map { name($0) })"
      }
    }
    let reader = ManagedObjectContext(coordinator: coordinator)
    for box in try reader.fetch(FetchRequest("Box", sortedBy: names)) {
      for key in ["items", "line"] {
        let held: [ManagedObject] =
          switch box[key] {
          case .set(let all): all.compactMap { if case .object(let item) = $0 { item } else { nil } }
          case .array(let all): all.compactMap { if case .object(let item) = $0 { item } else { nil } }
          default: []
          }
        let texts = held.map { "\($0["name"] ?? .null)" }
        outcome.contents.append("\(box["name"] ?? .null) \(key) \(key == "line" ? texts : texts.sorted())")
      }
    }
    return outcome
  }

  @Test(arguments: 0..<UInt64(LongForm.size(4, or: 1)))
  func `all kinds of store have equal errors and contents`(seed: UInt64) throws {
    let coordinators = try StoreKind.allCases.map { try $0.coordinator(Self.model, folder) }
    var numbers = coordinators.map { _ in SeededGenerator(seed: seed) }
    var (saved, refused) = (0, 0)
    for step in 0..<LongForm.size(500, or: 40) {
      let outcomes = try coordinators.indices.map { try outcome(coordinators[$0], &numbers[$0]) }
      for (kind, outcome) in zip(StoreKind.allCases, outcomes) {
        #expect(outcome == outcomes[0], "\(kind) in step \(step)")
      }
      if outcomes[0].errors.isEmpty { saved += 1 } else { refused += 1 }
      if Set(outcomes.map { "\($0)" }).count > 1 { return }
    }
    #expect(saved > 10 && refused > 3)
  }
}
