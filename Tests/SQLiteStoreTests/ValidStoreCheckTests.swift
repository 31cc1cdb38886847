import Foundation
import ManagedObjects
import SQLiteStore
import StoreInspection
import TestSupport
import Testing

@Suite("A check of a store that a context has saved") struct ValidStoreCheckTests {
  private let folder = TemporaryFolder(isInMemory: true)

  private static let names = ["a.xml", "a.bin", "a.sqlite"]

  /// Creates objects in a new store, and closes it.
  ///
  /// - Parameter name: The name of the file. Its extension is the kind of store.
  private func store<Result>(
    _ name: String, _ model: ManagedObjectModel, _ body: (ManagedObjectContext) throws -> Result
  ) throws -> (file: URL, result: Result) {
    let file = folder.url.appending(path: name)
    let coordinator = PersistentStoreCoordinator(model: model)
    switch file.pathExtension {
    case "xml": try coordinator.add(XMLStore(file, model: model))
    case "bin": try coordinator.add(BinaryStore(file, model: model))
    default: try coordinator.add(SQLiteStore(file, model: model))
    }
    return (file, try body(ManagedObjectContext(coordinator: coordinator)))
  }

  @Test(arguments: names)
  func `a required to-many relationship without a minimum count may be empty`(name: String) throws {
    let items = RelationshipDescription("items", to: "Item", isToMany: true, isOptional: false)
    var pair = RelationshipDescription("pair", to: "Item", inverse: "box", isToMany: true, isOptional: false)
    pair.minimumCount = 2
    let item = EntityDescription("Item", [.relationship("box", to: "Box", inverse: "pair")])
    let model = try ManagedObjectModel(entities: [
      EntityDescription("Box", [.relationship(items), .relationship(pair)]), item,
    ])
    let (file, number) = try store(name, model) { context in
      context.validatesOnSave = false
      let box = try context.insert("Box")
      try context.save()
      return box.objectID.key.number
    }
    #expect(try StoreFindings(file, model: model).texts == ["object-count Box/p\(number) pair"])
  }

  @Test(arguments: names)
  func `a reference is valid to a deleted object but not to one that never existed`(name: String) throws {
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Box", [.relationship("items", to: "Item", inverse: "box", isToMany: true, deleteRule: .noAction)]),
      EntityDescription(
        "Item", [.relationship("box", to: "Box", inverse: "items"), .relationship("next", to: "Item")]),
    ])
    let (file, numbers) = try store(name, model) { context in
      let box = try context.insert("Box")
      let items = [try context.insert("Item"), try context.insert("Item")]
      try items[0].setValue(.object(box), forKey: "box")
      try items[0].setValue(.object(items[1]), forKey: "next")
      try context.save()
      let numbers = [box, items[0]].map(\.objectID.key.number)
      try context.delete(box)
      try context.delete(items[1])
      try context.save()
      return numbers
    }
    #expect(try StoreFindings(file, model: model).texts == [])
    switch file.pathExtension {
    case "xml":
      let text = try String(contentsOf: file, encoding: .utf8)
      let reference = "idrefs=\"z\(numbers[0])\""
      try #require(text.contains(reference))
      try Data(text.replacing(reference, with: "idrefs=\"z999\"").utf8).write(to: file)
    case "sqlite": try PlainSQLite(file).run("UPDATE ZITEM SET ZBOX = 999")
    default: return
    }
    #expect(try StoreFindings(file, model: model).texts == ["dangling-reference Item/p\(numbers[1]) box"])
  }
}
