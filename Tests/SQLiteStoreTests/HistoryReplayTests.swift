import Foundation
import ManagedObjects
import SQLiteStore
import StoreInspection
import TestSupport
import Testing

/// The saves of a program that uses Core Data are made again through a context. The recorded changes must be equal.
@Suite("Replayed saves", .enabled(if: HistorySamples.areThere)) struct HistoryReplayTests {
  private let folder = TemporaryFolder(isInMemory: true)

  /// The saves. `+` inserts an object, `-` deletes one, and `~` changes properties of one. The value of a relationship
  /// is an object or `nil`, and an attribute without a value gets a new one.
  private static let saves = [
    "+Item.1", "+Item.2", "+CraftingRecipe.1 producedItem=Item.1",
    "+Component.1 craftingRecipe=CraftingRecipe.1 item=Item.2", "-Item.2 -Component.1", "+Item.3",
    "~CraftingRecipe.1 producedItemCount", "+Component.2 craftingRecipe=CraftingRecipe.1 item=Item.3", "+Item.4",
    "+CraftingRecipe.2 producedItem=Item.4", "~CraftingRecipe.2 producedItemCount",
    "~CraftingRecipe.2 producedItemCount", "+Item.5", "+Item.6", "-Item.6", "-Item.3 -Component.2", "-Item.4",
    "-Item.5",
    "+Item.7", "+Item.8", "+Item.9", "+Item.10", "+Item.11", "+CraftingRecipe.3 producedItem=Item.7",
    "~CraftingRecipe.3 producedItemCount", "+Component.3 craftingRecipe=CraftingRecipe.3 item=Item.8",
    "~Component.3 craftingRecipe=nil", "+Component.4 craftingRecipe=CraftingRecipe.3 item=Item.8",
    "+Component.5 craftingRecipe=CraftingRecipe.3 item=Item.9",
    "+Component.6 craftingRecipe=CraftingRecipe.3 item=Item.11", "+CraftingRecipe.4 producedItem=Item.9",
    "~CraftingRecipe.4 producedItemCount", "~CraftingRecipe.4 producedItemCount", "+Item.12", "~Item.9 name",
    "~Item.9 name", "~Item.9 name", "+Component.7 craftingRecipe=CraftingRecipe.4 item=Item.12",
  ]

  /// Makes the changes of a save.
  ///
  /// - Parameter readsParents: True if the objects that lose or get an object in a relationship have been read before.
  private func make(_ save: String, _ context: ManagedObjectContext, _ file: URL) throws {
    func object(_ name: some StringProtocol) throws -> ManagedObject {
      let parts = name.split(separator: ".")
      let number = try #require(Int64(parts[1]))
      let entity = String(parts[0])
      return try #require(try context.fetch(FetchRequest(entity)).first { $0.objectID.key.number == number })
    }
    var current: ManagedObject?
    for word in save.split(separator: " ") {
      switch word.first {
      case "+":
        let object = try context.insert(String(word.dropFirst().prefix { $0 != "." }))
        for attribute in object.entity.attributes { try set(attribute, of: object, context) }
        current = object
      case "-": try context.delete(object(word.dropFirst()))
      case "~": current = try object(word.dropFirst())
      default:
        let parts = word.split(separator: "=")
        let target = try #require(current)
        if parts.count == 2 {
          try target.setValue(
            parts[1] == "nil" ? .attribute(.null) : .object(object(parts[1])), forKey: String(parts[0]))
        } else {
          try set(#require(target.entity.attribute(named: String(parts[0]))), of: target, context)
        }
      }
    }
  }

  private func set(
    _ attribute: ManagedObjectModel.Entity.Attribute, of object: ManagedObject, _ context: ManagedObjectContext
  ) throws {
    let value: AttributeValue =
      switch attribute.definition.type {
      case .string: .string(UUID().uuidString)
      case .uuid: .uuid(UUID())
      case .boolean: .boolean(true)
      default: .integer(Int64.random(in: 1...1_000_000))
      }
    try object.setValue(.attribute(value), forKey: attribute.name)
  }

  @Test(arguments: [false, true])
  func `the recorded changes equal those of Core Data`(forgetsObjects: Bool) throws {
    let sample = try HistorySamples.gameStore(folder)
    let model = try SQLiteStore.model(inFile: sample, writesNothing: true)
    let file = folder.url.appending(path: "replay.sqlite")
    let store = try SQLiteStore(file, model: model, access: .readWrite(tracksHistory: true))
    let context = try ManagedObjectContext(store)
    let truth = try HistorySamples.truth()
    for (index, save) in Self.saves.enumerated() {
      if forgetsObjects { context.reset() }
      try make(save, context, file)
      try context.save()
      let number = Int64(index + 1)
      let expected = Set(truth.filter { $0.transaction == number }.map(\.row))
      let found = try HistoryRow.all(file).filter { $0.transaction == number }
      #expect(Set(found) == expected, "\(save)")
      #expect(found.map(\.kind) == found.map(\.kind).sorted())
    }
    #expect(try HistoryRow.all(file).count == 55)
    #expect(truth.count == 55)
    #expect(
      try PlainSQLite(file).run("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT") == [
        ["Component", "7"], ["CraftingRecipe", "4"], ["Item", "12"], ["CHANGE", "55"], ["TRANSACTION", "38"],
        ["TRANSACTIONSTRING", "1"],
      ])
    #expect(try PlainSQLite(file).defects() == [])
  }

  @Test func `a history of Core Data is continued with the next numbers`() throws {
    let file = try HistorySamples.gameStore(folder)
    let plain = try PlainSQLite(file)
    let numbers = "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000 ORDER BY Z_ENT"
    let before = try plain.column(numbers).compactMap(Int64.init)
    let texts = try plain.run("SELECT * FROM ATRANSACTIONSTRING")
    let rows = try HistoryRow.all(file)
    let store = try SQLiteStore(file, model: SQLiteStore.model(inFile: file))
    #expect(store.writingObstacles == [])
    let context = try ManagedObjectContext(store)
    let recipe = try #require(try context.fetch(FetchRequest("CraftingRecipe")).first)
    let component = try context.insert("Component")
    for attribute in component.entity.attributes { try set(attribute, of: component, context) }
    try component.setValue(.object(recipe), forKey: "craftingRecipe")
    try context.save()
    let (key, other) = (component.objectID.key.number, recipe.objectID.key.number)
    let number = before[1] + 1
    #expect(
      try HistoryRow.all(file) == rows + [
        HistoryRow(transaction: number, kind: 0, entity: "Component", number: key, bits: "NULL"),
        HistoryRow(transaction: number, kind: 1, entity: "CraftingRecipe", number: other, bits: "20"),
      ])
    #expect(try plain.column(numbers).compactMap(Int64.init) == [before[0] + 2, number, before[2] + 1])
    #expect(try plain.run("SELECT * FROM ATRANSACTIONSTRING").prefix(texts.count) == texts[...])
    #expect(try plain.column("SELECT MAX(Z_PK) FROM ATRANSACTIONSTRING") == ["\(before[2] + 1)"])
    let last = try #require(try store.history(after: number - 1).last)
    #expect(last.changes.last?.updatedProperties == ["requiredComponents"] && last.author == nil)
  }

  @Test func `a new history has the tables and indexes of Core Data`() throws {
    let sample = try HistorySamples.gameStore(folder)
    let file = folder.url.appending(path: "new.sqlite")
    _ = try SQLiteStore(
      file, model: SQLiteStore.model(inFile: sample, writesNothing: true), access: .readWrite(tracksHistory: true))
    let schema =
      "SELECT type, name, sql FROM sqlite_schema WHERE tbl_name IN ('ACHANGE', 'ATRANSACTION', 'ATRANSACTIONSTRING') "
      + "ORDER BY name"
    let expected = try PlainSQLite(sample).run(schema)
    #expect(try PlainSQLite(file).run(schema) == expected && expected.count == 11)
  }

  @Test func `an inspected history has the same changed properties`() throws {
    let file = try HistorySamples.accountStore(folder)
    let store = try SQLiteStore(withModelInFile: file, writesNothing: true)
    var expected: [[String]] = []
    for change in try store.history().flatMap(\.changes) where change.kind == .update {
      expected.append(change.updatedProperties)
    }
    var inspected: [[String]] = []
    try StoreHistory(file).run { transaction in
      inspected += transaction.changes.filter { $0.kind == .update }.map { $0.updatedProperties ?? ["?"] }
    }
    #expect(inspected == expected && expected.count == 742)
    // The only updates without a property are those with which a folder gets an account.
    #expect(expected.count(where: \.isEmpty) == 4)
    #expect(Set(expected.flatMap(\.self)).isSuperset(of: ["transactions", "sousOperations", "status", "rubric"]))
  }
}
