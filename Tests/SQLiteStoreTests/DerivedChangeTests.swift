import Foundation
import ManagedObjects
import Testing

@testable import SQLiteStore

@Suite("Triggers of derived attributes") struct DerivedChangeTests {
  private static let model: ManagedObjectModel = {
    let item = EntityDescription(
      "Item", [.attribute("size", .integer32), .relationship("owner", to: "Owner", inverse: "items")])
    let owner = EntityDescription(
      "Owner", [.attribute("sum", .integer32), .relationship("items", to: "Item", inverse: "owner", isToMany: true)])
    do { return try ManagedObjectModel(entities: [item, owner]) } catch { fatalError("\(error)") }
  }()

  @Test(arguments: [
    "NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
  ])
  func `a trigger of a derived attribute reports the rows it changed`(_ function: String) throws {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + end) } }
    let store = try SQLiteStore(file, model: Self.model)
    let item = try #require(Self.model["Item"])
    let owner = try #require(Self.model["Owner"])
    let keys = try store.makeKeys([item.index, owner.index])
    var (one, other) = (
      StoreRow(key: keys[0], version: 1, values: item.emptyValues),
      StoreRow(key: keys[1], version: 1, values: owner.emptyValues)
    )
    one.values[try #require(item.relationship(named: "owner")).slot] = .toOne(keys[1])
    other.values[try #require(owner.relationship(named: "items")).slot] = .toMany([keys[0]])
    var changes = StoreChanges()
    changes.inserted = [one, other]
    try store.save(changes)
    try Database(path: file.path, .readWrite).execute(
      """
      CREATE TRIGGER Z_DA_ZITEM_SIZE AFTER UPDATE OF ZSIZE ON ZITEM BEGIN
        UPDATE ZOWNER SET ZSUM = (SELECT SUM(ZSIZE) FROM ZITEM WHERE ZOWNER = NEW.ZOWNER) WHERE Z_PK = NEW.ZOWNER;
        SELECT \(function)('ZOWNER', Z_ENT, Z_PK, 'sum', ZSUM) FROM ZOWNER WHERE Z_PK = NEW.ZOWNER;
      END
      """)
    let again = try SQLiteStore(file, model: Self.model, access: .readWrite(allowsTriggers: true))
    let entity = try #require(again.model["Item"])
    guard case .rows(let rows) = try again.fetch(FetchRequest("Item"), of: entity), var row = rows.first else {
      Issue.record("no rows")
      return
    }
    row.values[try #require(item.attribute(named: "size")).slot] = .attribute(.integer(5))
    changes = StoreChanges()
    changes.updated = [row]
    let owned = RowKey(store: again.number, entityIndex: owner.index, number: keys[1].number)
    #expect(try again.save(changes) == [owned])
    let found = try #require(try again.rows([owned])[0])
    #expect(found.values[try #require(owner.attribute(named: "sum")).slot] == .attribute(.integer(5)))
    // They are reported once.
    changes.updated = [try #require(try again.rows([row.key])[0])]
    #expect(try again.save(changes) == [])
  }
}
