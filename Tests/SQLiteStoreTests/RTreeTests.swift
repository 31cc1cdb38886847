import Foundation
import ManagedObjects
import SQLiteStore
import TestSupport
import Testing

@Suite("An SQLite store with an R-tree index") struct RTreeTests {
  private static func model(hasIndex: Bool) throws -> ManagedObjectModel {
    var place = EntityDescription(
      "Place", [.attribute("name", .string), .attribute("latitude", .double), .attribute("longitude", .double)])
    if hasIndex {
      place.fetchIndexes = [
        FetchIndexDescription(
          "byPosition", ["latitude", "longitude"].map { .init(.property($0), kind: .rTree) })
      ]
    }
    return try ManagedObjectModel(entities: [place])
  }

  /// The table and the trigger for insertions are those of a file of Core Data. The other triggers are in the same
  /// form.
  private static let table = """
    CREATE VIRTUAL TABLE Z_RT_Place_byPosition USING RTREE (Z_PK INTEGER PRIMARY KEY, ZLATITUDE_MIN FLOAT, \
    ZLATITUDE_MAX FLOAT, ZLONGITUDE_MIN FLOAT, ZLONGITUDE_MAX FLOAT);
    """

  private static func trigger(_ name: String, _ event: String) -> String {
    let start = "CREATE TRIGGER Z_RT_Place_byPosition_\(name) AFTER \(event) ON ZPLACE FOR EACH ROW BEGIN"
    if event == "DELETE" { return "\(start) DELETE FROM Z_RT_Place_byPosition WHERE Z_PK = OLD.Z_PK ; END;" }
    return """
      \(start) INSERT OR REPLACE INTO Z_RT_Place_byPosition (Z_PK, ZLATITUDE_MIN, ZLATITUDE_MAX, ZLONGITUDE_MIN, \
      ZLONGITUDE_MAX) VALUES (NEW.Z_PK, NEW.ZLATITUDE ,NEW.ZLATITUDE, NEW.ZLONGITUDE, NEW.ZLONGITUDE) ; END;
      """
  }

  private static let triggers = [
    trigger("INSERT", "INSERT"), trigger("UPDATE", "UPDATE OF ZLATITUDE, ZLONGITUDE"), trigger("DELETE", "DELETE"),
  ]

  private static let obstacle = "the index Place.byPosition is an R-tree"

  /// The triggers of an R-tree index cannot run, because the schema of a file is not trusted. Only the text of the
  /// trigger for insertions is known.
  @Test(arguments: [[], [table], [table] + triggers])
  func `a store with an R-tree index is read and not saved`(parts: [String]) throws {
    let folder = TemporaryFolder(isInMemory: true)
    let file = folder.url.appending(path: "a.sqlite")
    do {
      let context = try ManagedObjectContext(SQLiteStore(file, model: Self.model(hasIndex: false)))
      try context.insert("Place").setValues([
        "name": .string("old"), "latitude": .double(1), "longitude": .double(2),
      ])
      try context.save()
    }
    let entry = parts.isEmpty ? "" : "INSERT INTO Z_RT_Place_byPosition VALUES (1, 1, 1, 2, 2);"
    try SQLiteFile.change(file, parts.joined() + entry)

    // The index is not in the hash of the entity.
    let store = try SQLiteStore(file, model: Self.model(hasIndex: true))
    #expect(store.writingObstacles.first == Self.obstacle)
    #expect(!store.writingObstacles.contains { $0.contains("is not one of Core Data's") })
    let context = try ManagedObjectContext(store)
    let request = FetchRequest("Place", where: try ManagedPredicate(format: "latitude < 2 AND longitude == 2"))
    let place = try #require(try context.fetch(request).first)
    #expect(place["name"] == .attribute(.string("old")))
    try place.setValue(.double(5), forKey: "latitude")
    let error = #expect(throws: ManagedObjectError.self) { try context.save() }
    #expect(error?.code == .save && error?.message.contains(Self.obstacle) == true)
    #expect(try PlainSQLite(file).column("SELECT ZLATITUDE FROM ZPLACE") == ["1.0"])
  }
}
