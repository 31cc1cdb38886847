import Foundation
import ManagedObjects
import PropertyLists
import SQLiteStore
import TestSupport
import Testing

@Suite("SQLite stores after random changes", .enabled(if: StoreReader.isAvailable)) struct ChangedStoreTests {
  /// Adds tables of another program to a store.
  private static func addOwnParts(_ file: URL) throws -> String {
    let schema = try StoreReader.schema(of: file)
    let row = try #require(schema.primaryKeys.first { $0.parent == 0 && $0.number < 16_000 })
    let table = "Z\(row.name.uppercased())"
    try SQLiteFile.change(
      file,
      """
      ALTER TABLE \(table) ADD COLUMN ZOWNPART VARCHAR;
      UPDATE \(table) SET ZOWNPART = 'own ' || Z_PK;
      CREATE TABLE OWN (A, B BLOB); INSERT INTO OWN VALUES (1, X'00FF'), ('a', NULL);
      CREATE INDEX OWN_INDEX ON \(table) (ZOWNPART);
      CREATE TRIGGER OWN_TRIGGER AFTER UPDATE ON \(table) BEGIN SELECT 1; END;
      """)
    return table
  }

  /// Changes a store at random, and compares its contents with the expected ones.
  private func check(_ file: URL, _ model: ManagedObjectModel, _ compiled: URL?, seed: UInt64) throws {
    let name = file.lastPathComponent
    let ownTable = try Self.addOwnParts(file)
    let before = try StoreReader.rows(of: file)
    let schema = try StoreReader.schema(of: file)
    let old = try StoreReader.objects(of: file, model: compiled)
    var changes: RandomChanges
    do {
      let coordinator = PersistentStoreCoordinator(model: model)
      try coordinator.add(SQLiteStore(file, model: model, access: .readWrite(allowsTriggers: true)))
      changes = RandomChanges(ManagedObjectContext(coordinator: coordinator), model, seed: seed)
      try changes.run(count: LongForm.size(400, or: 40))
    }
    #expect(changes.saves > changes.refusals, "\(name): \(changes.lastRefusal)")
    #expect(try SQLiteFile.integrity(of: file) == "ok")
    // The independent reader finds the same objects, and so does the context.
    var expected = try StoreReader.objects(of: file, model: compiled)
    expected.metadata["NSStoreType"] = "SQLite"
    let found = try StoreDump(SQLiteStore(file, model: model, access: .readOnly))
    #expect(found.differences(from: expected) == [], "\(name)")
    #expect(try Self.differences(changes.context, model, found) == [], "\(name)")
    // The only notices are those of the original store.
    let odd = expected.notices.filter { !old.notices.contains($0) && !Self.isAboutOneSide($0, model) }
    #expect(odd == [], "\(name)")
    // The first save with a history makes the rows of its tables.
    let differences = try StoreReader.schema(of: file).differences(from: schema)
    #expect(differences.filter { !$0.hasPrefix("Z_PRIMARYKEY: 1600") } == [], "\(name)")
    // Unchanged objects and rows are the same as before.
    let after = try StoreReader.rows(of: file)
    for (object, value) in old.objects where !changes.touched.contains(object) {
      #expect(found.objects[object]?.version == value.version, "\(name) \(object)")
    }
    for (table, rows) in before.tables {
      let new = try #require(after.tables[table])
      #expect(new.columns == rows.columns)
      for (key, row) in rows.rows {
        let location = "\(name) \(table) \(key)"
        if table == "Z_PRIMARYKEY" {
          #expect(new.rows[key]?.filter { $0.key != "Z_MAX" } == row.filter { $0.key != "Z_MAX" }, "\(location)")
        } else if row.keys.contains("Z_OPT") {
          let isTouched = changes.touched.contains { $0.hasSuffix("/p\(key)") }
          if !isTouched { #expect(new.rows[key] == row, "\(location)") }
          if table == ownTable, let row = new.rows[key] {
            #expect(row["ZOWNPART"] == .string("own \(key)"), "\(location)")
          }
        } else if table.hasPrefix("Z_"), table != "Z_METADATA", table != "Z_MODELCACHE" {
          let ids = key.split(separator: ",")
          let isTouched = changes.touched.contains { name in ids.contains { name.hasSuffix("/p\($0)") } }
          if !isTouched { #expect(new.rows[key] == row, "\(location)") }
        } else {
          #expect(new.rows[key] == row, "\(location)")
        }
      }
    }
    for row in schema.primaryKeys where row.number < 16_000 && row.parent != 0 {
      #expect(after.tables["Z_PRIMARYKEY"]?.rows["\(row.number)"]?["Z_MAX"] == .integer(.init(row.max)))
    }
  }

  /// True if the notice is about a deleted object in a relationship without an inverse, which is allowed.
  private static func isAboutOneSide(_ notice: String, _ model: ManagedObjectModel) -> Bool {
    guard notice.hasSuffix("which is not there"), let entity = model[String(notice.prefix { $0 != "/" })],
      let key = notice.split(separator: " ").first?.split(separator: ".").last,
      let relationship = entity.relationship(named: String(key))
    else { return false }
    return relationship.inverse == nil
  }

  /// Returns the differences between the objects of a context and a dump.
  private static func differences(
    _ context: ManagedObjectContext, _ model: ManagedObjectModel, _ dump: StoreDump
  ) throws -> [String] {
    var own = dump
    own.objects = [:]
    for entity in model.entities where !entity.isAbstract {
      var request = FetchRequest(entity.name)
      request.includesSubentities = false
      for object in try context.fetch(request) {
        let name = RandomChanges.name(object)
        var copy = StoreDump.Object(version: dump.objects[name]?.version ?? 0)
        for attribute in entity.attributes {
          guard dump.objects[name]?.attributes.keys.contains(attribute.name) == true,
            case .attribute(let value)? = object[attribute.name]
          else { continue }
          copy.attributes[attribute.name] = .some(value.text)
        }
        for relationship in entity.relationships where !relationship.isTransient {
          let value = object[relationship.name] ?? .null
          copy.relationships[relationship.name] = relationship.isToMany ? .many(names(value)) : .one(names(value).first)
        }
        own.objects[name] = copy
      }
    }
    return own.differences(from: dump)
  }

  private static func names(_ value: ManagedObject.Value) -> [String] {
    switch value {
    case .attribute: []
    case .object(let object): [RandomChanges.name(object)]
    case .array(let elements): elements.flatMap(names)
    case .set(let elements): elements.flatMap(names).sorted { $0.utf8.precedes($1.utf8) }
    }
  }

  @Test(arguments: 15..<UInt64(LongForm.size(17, or: 16)))
  func `an independent reader finds the changes, and all other rows are the same`(seed: UInt64) throws {
    let withModel = Set(try StoreSamples.storesWithModel())
    // The short form changes every fifth store.
    for (index, original) in StoreSamples.stores.enumerated() where LongForm.isWanted || index % 5 == 0 {
      let folder = TemporaryFolder(isInMemory: true)
      let file = try StoreSamples.copy(original, to: folder)
      if withModel.contains(original) {
        let model = try SQLiteStore.model(inFile: file, writesNothing: true)
        let store = try SQLiteStore(file, model: model, access: .readOnly(writesNothing: true))
        if store.writingObstacles.isEmpty {
          try check(file, model, nil, seed: seed)
        } else {
          try checkRefusal(file, model)
        }
        continue
      }
      try SQLiteFile.change(file, "UPDATE Z_METADATA SET Z_PLIST = NULL")
      let model = try ManagedObjectModel(columnsOf: StoreReader.schema(of: file))
      let compiled = URL(filePath: folder.path("made.mom"))
      try model.compiledData().write(to: compiled)
      try check(file, model, compiled, seed: seed)
    }
  }

  /// Checks that a store that cannot be written is unchanged after an attempt to save.
  private func checkRefusal(_ file: URL, _ model: ManagedObjectModel) throws {
    let (rows, objects) = (try StoreReader.rows(of: file), try StoreReader.objects(of: file))
    let coordinator = PersistentStoreCoordinator(model: model)
    let store = try SQLiteStore(file, model: model)
    try coordinator.add(store)
    let context = ManagedObjectContext(coordinator: coordinator)
    for entity in model.entities where !entity.isAbstract {
      for object in try context.fetch(FetchRequest(entity.name)).prefix(3) { try context.delete(object) }
    }
    let error = #expect(throws: ManagedObjectError.self) {
      // A sample without objects.
      if context.hasChanges { try context.save() } else { try store.save(StoreChanges()) }
    }
    #expect(error?.code == .save && error?.message.contains(store.writingObstacles[0]) == true)
    #expect(try StoreDump(store).differences(from: objects) == [])
    #expect(try StoreReader.rows(of: file).differences(from: rows) == [])
  }

  @Test(arguments: 0..<LongForm.size(8, or: 1))
  func `an independent reader finds the changes of a store written by hand`(seed: Int) throws {
    let entities = LibraryStore.model.entities.map { entity in
      var definition = entity.definition
      definition.properties.removeAll { $0.name == "undefined" }
      return definition
    }
    let model = try ManagedObjectModel(entities: entities)
    let folder = TemporaryFolder(isInMemory: true)
    let file = try LibraryStore.write(
      to: folder, change: "UPDATE Z_METADATA SET Z_PLIST = NULL; DROP INDEX Z_Person_UNIQUE_name;")
    let compiled = URL(filePath: folder.path("made.mom"))
    try model.compiledData().write(to: compiled)
    try check(file, model, compiled, seed: UInt64(seed))
  }
}
