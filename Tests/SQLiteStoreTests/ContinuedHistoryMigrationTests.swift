import Foundation
import ManagedObjects
import SQLiteStore
import TestSupport
import Testing

@Suite("The history of a migrated store that Core Data has started") struct ContinuedHistoryMigrationTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private var file: URL { folder.url.appending(path: "a.sqlite") }

  /// The entities of the old model. Their numbers are 1 to 6, in this order.
  private static let entities = [
    EntityDescription("Album", [.attribute("name", .string)]),
    EntityDescription(
      "Folder",
      [.attribute("name", .string), .relationship("notes", to: "Note", inverse: "folder", isToMany: true)]),
    EntityDescription(
      "Hub",
      [
        .relationship("left", to: "Leaf", inverse: "leftHub", isToMany: true),
        .relationship("right", to: "Leaf", inverse: "rightHub", isToMany: true),
      ]),
    EntityDescription(
      "Leaf",
      [
        .relationship("leftHub", to: "Hub", inverse: "left"), .relationship("rightHub", to: "Hub", inverse: "right"),
      ]),
    EntityDescription(
      "Note",
      [
        .preserved("body"), .attribute("count", .integer32), .preserved("title"),
        .relationship("folder", to: "Folder", inverse: "notes"),
      ]),
    EntityDescription("Zeal", [.attribute("name", .string)]),
  ]

  struct Change: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let model: Result<ManagedObjectModel, any Error>
    /// The reason why the history is not kept.
    let reason: String

    init(_ description: String, _ reason: String = "", _ change: (inout [String: EntityDescription]) -> Void) {
      testDescription = description
      self.reason = reason
      var entities = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0) })
      change(&entities)
      model = Result { try ManagedObjectModel(entities: entities.sorted { $0.key < $1.key }.map(\.value)) }
    }
  }

  static let kept = [
    Change("a new entity with the last number") { $0["Zone"] = EntityDescription("Zone") },
    Change("a removed entity without recorded changes") { $0["Zeal"] = nil },
    Change("a new attribute after the others") { $0["Note"]?.properties.append(.attribute("zoom", .string)) },
    Change("a new attribute of an entity without updates") {
      $0["Album"]?.properties.append(.attribute("area", .string))
    },
    Change("a renamed attribute at the same position") {
      $0["Note"]?.properties[2] = .preserved("topic", from: "title")
    },
    Change("a required attribute with a default") {
      $0["Note"]?.properties[1] = .attribute("count", .integer32, isOptional: false, defaultValue: .integer(1))
    },
  ]

  static let refused = [
    Change("a new entity with the first number", "the number of the entity Album changes from 1 to 2") {
      $0["Aim"] = EntityDescription("Aim")
    },
    Change("a removed entity", "it has changes of the entity Album, which is removed") { $0["Album"] = nil },
    Change("a removed attribute", "the bits of Note in its updates change") {
      $0["Note"]?.properties.removeAll { $0.name == "count" }
    },
    Change("a new attribute before the others", "the bits of Note in its updates change") {
      $0["Note"]?.properties.append(.attribute("area", .string))
    },
    Change("a renamed attribute at another position", "the bits of Note in its updates change") {
      $0["Note"]?.properties[2] = .preserved("abstract", from: "title")
    },
    Change("so many new attributes that ZCOLUMNS becomes longer", "the bits of Note in its updates change") {
      for number in 1...5 { $0["Note"]?.properties.append(.attribute("zoom\(number)", .string)) }
    },
    Change("a new attribute before a to-many relationship", "the bits of Folder in its updates change") {
      $0["Folder"]?.properties.append(.attribute("zoom", .string))
    },
    Change("a transient attribute next to several to-many relationships", "the bits of Hub in its updates change") {
      $0["Zone"] = EntityDescription("Zone")
      var attribute = AttributeDescription("scratch", .string)
      attribute.isTransient = true
      $0["Hub"]?.properties.append(.attribute(attribute))
    },
    Change("an attribute that is not preserved any more", "the preserved values of deleted Note objects change") {
      $0["Note"]?.properties[0] = .attribute("body", .string)
    },
    Change("more preserved values", "preserves 3 values of deleted objects, and the history has columns for 2") {
      $0["Note"]?.properties.append(.preserved("zoom"))
    },
  ]

  private static let old = Change("") { _ in }.model

  /// Creates a store with seven transactions: insertions, updates of folders, hubs, leaves and notes, and a deletion.
  private func makeStore(isOwn: Bool = false) throws {
    do {
      let context = try ManagedObjectContext(
        SQLiteStore(file, model: Self.old.get(), access: .readWrite(tracksHistory: true)))
      context.transactionAuthor = "tests"
      let (folder, note, lost) = (
        try context.insert("Folder"), try context.insert("Note"), try context.insert("Note")
      )
      let (hub, leaf) = (try context.insert("Hub"), try context.insert("Leaf"))
      try context.insert("Album").setValue(.string("a"), forKey: "name")
      try lost.setValue(.string("lost"), forKey: "title")
      try context.save()
      try note.setValue(.string("text"), forKey: "body")
      try context.save()
      try note.setValue(AttributeValue.integer(3), forKey: "count")
      try note.setValue(.object(folder), forKey: "folder")
      try context.save()
      try folder.setValue(.string("f"), forKey: "name")
      try context.save()
      try leaf.setValue(.object(hub), forKey: "leftHub")
      try context.save()
      try leaf.setValue(.object(hub), forKey: "rightHub")
      try context.save()
      try context.delete(lost)
      try context.save()
    }
    if !isOwn { try disown() }
  }

  /// Removes the key that shows that this package has started the history.
  private func disown() throws {
    let plain = try PlainSQLite(file)
    let digits = Array(try plain.column("SELECT hex(Z_PLIST) FROM Z_METADATA")[0])
    let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
    let list = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
    var metadata = try #require(list as? [String: Any])
    try #require(metadata.removeValue(forKey: "MOPersistentHistoryTracking") != nil)
    let data = try PropertyListSerialization.data(fromPropertyList: metadata, format: .binary, options: 0)
    try plain.run("UPDATE Z_METADATA SET Z_PLIST = x'\(data.map { String(format: "%02x", $0) }.joined())'")
  }

  private static let tables = ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]

  /// Returns all values of the history as SQL literals, and its numbers in Z_PRIMARYKEY.
  private func rows(_ file: URL) throws -> [[String]] {
    let plain = try PlainSQLite(file)
    var rows: [[String]] = []
    for table in Self.tables {
      let columns = try plain.column("SELECT 'quote(' || name || ')' FROM pragma_table_info('\(table)')")
      if columns.isEmpty { continue }
      rows += try plain.run("SELECT \(columns.joined(separator: ", ")) FROM \(table) ORDER BY Z_PK")
    }
    return try rows + plain.run("SELECT * FROM Z_PRIMARYKEY WHERE Z_ENT > 16000 ORDER BY Z_ENT")
  }

  private func numbers(_ file: URL) throws -> [String] {
    try PlainSQLite(file).column("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000 ORDER BY Z_ENT")
  }

  private func count(_ file: URL) throws -> Int {
    try Self.tables.reduce(0) { count, table in
      let plain = try PlainSQLite(file)
      guard try plain.column("SELECT COUNT(*) FROM sqlite_master WHERE name = '\(table)'") == ["1"] else {
        return count
      }
      return count + (Int(try plain.column("SELECT COUNT(*) FROM \(table)")[0]) ?? 0)
    }
  }

  /// Expects that a migration throws, and that it changes no byte of the file.
  private func expectRefusal(_ reasons: String..., of migrate: () throws -> Void) throws {
    // A reader leaves an empty log.
    func bytes() -> [Data] {
      ["", "-wal", "-journal"].map { (try? Data(contentsOf: URL(filePath: file.path + $0))) ?? Data() }
    }
    let before = bytes()
    let error = #expect(throws: ManagedObjectError.self) { try migrate() }
    #expect(
      error?.code == .migration && reasons.allSatisfy { error?.message.contains($0) == true },
      "\(String(describing: error))")
    #expect(!before[0].isEmpty && bytes() == before)
  }

  @Test(arguments: kept, [false, true])
  func `a history whose rows mean the same is kept`(change: Change, isCopy: Bool) throws {
    try makeStore()
    let before = try rows(file)
    let output = isCopy ? folder.url.appending(path: "b.sqlite") : nil
    let new = try change.model.get()
    let changes = try SQLiteStore(file, model: Self.old.get()).history().flatMap(\.changes)
    try SQLiteStore.migrate(file, to: new, output: output)
    let migrated = output ?? file
    #expect(try before.count > 20 && rows(migrated) == before)

    let store = try SQLiteStore(migrated, model: new)
    #expect(store.writingObstacles == [])
    let history = try store.history()
    #expect(history.map(\.number) == Array(1...7) && history.allSatisfy { $0.author == "tests" })
    #expect(
      history.flatMap(\.changes).map { "\($0.kind) \($0.objectID)" } == changes.map { "\($0.kind) \($0.objectID)" })
    #expect(history.flatMap(\.changes).map(\.updatedProperties) == changes.map(\.updatedProperties))
    let context = try ManagedObjectContext(store)
    let note = try #require(try context.fetch(FetchRequest("Note")).first)
    try note.setValue(.string("changed"), forKey: "body")
    try context.save()
    let added = try store.history(after: 7).flatMap(\.changes)
    #expect(added.map { "\($0.objectID) \($0.updatedProperties)" } == ["Note/p1 [\"body\"]"])
    #expect(try PlainSQLite(migrated).defects() == [])
  }

  @Test(arguments: refused)
  func `a history that Core Data would convert is refused, and can begin anew`(change: Change) throws {
    try makeStore()
    let new = try change.model.get()
    try expectRefusal(change.reason, "; migrate the store with a new history (startsNewHistory)") {
      try SQLiteStore.migrate(file, to: new, droppedValues: .drop)
    }
    let numbers = try numbers(file)
    try SQLiteStore.migrate(file, to: new, droppedValues: .drop, startsNewHistory: true)
    #expect(try count(file) == 0 && self.numbers(file) == numbers)
    try checkNewHistory(file, new, last: 7)
  }

  @Test func `a copy of a store is refused by the same rules`() throws {
    try makeStore()
    let new = try Self.refused[0].model.get()
    let output = folder.url.appending(path: "b.sqlite")
    try expectRefusal(Self.refused[0].reason) { try SQLiteStore.migrate(file, to: new, output: output) }
    #expect(!FileManager.default.fileExists(atPath: output.path))
    let before = try rows(file)
    try SQLiteStore.migrate(file, to: new, output: output, startsNewHistory: true)
    #expect(try count(output) == 0 && rows(file) == before)
    try checkNewHistory(output, new, last: 7)
  }

  /// Expects that old numbers are expired, and that a save and a deletion continue the numbers.
  private func checkNewHistory(_ file: URL, _ model: ManagedObjectModel, last: Int64) throws {
    let store = try SQLiteStore(file, model: model)
    #expect(try store.writingObstacles == [] && store.history().isEmpty && store.history(after: last).isEmpty)
    let error = #expect(throws: ManagedObjectError.self) { try store.history(after: 6) }
    #expect(error?.code == .historyTokenExpired)
    let context = try ManagedObjectContext(store)
    let note = try #require(try context.fetch(FetchRequest("Note")).first)
    try note.setValue(.string("changed"), forKey: "body")
    try context.save()
    try context.delete(note)
    try context.save()
    let history = try store.history(after: last)
    #expect(history.map(\.number) == [last + 1, last + 2])
    #expect(history.first?.changes.map(\.updatedProperties) == [["body"]])
    #expect(history.last?.changes.contains { $0.kind == .delete && "\($0.objectID)" == "Note/p1" } == true)
    #expect(try PlainSQLite(file).defects() == [])
  }

  @Test(arguments: [false, true])
  func `a migration with a mapping needs a new history`(isCopy: Bool) throws {
    try makeStore()
    let output = isCopy ? folder.url.appending(path: "b.sqlite") : nil
    let new = try Self.kept[0].model.get()
    let mapping = StoreMapping(entities: ["Note": EntityMigrationPolicy()])
    try expectRefusal("the mapping creates all objects again") {
      try SQLiteStore.migrate(file, to: new, by: mapping, output: output)
    }
    let numbers = try numbers(file)
    try SQLiteStore.migrate(file, to: new, by: mapping, output: output, startsNewHistory: true)
    let migrated = output ?? file
    #expect(try count(migrated) == 0 && self.numbers(migrated) == [numbers[0], "8", numbers[2]])
    try checkNewHistory(migrated, new, last: 8)
    let stop = #expect(throws: ManagedObjectError.self) { try SQLiteStore(migrated, model: new).stopTrackingHistory() }
    #expect(stop?.code == .operation)
  }

  @Test func `the history is checked for all stages before the first one`() throws {
    try makeStore()
    let before = try rows(file)
    let (first, second, last) = try (Self.kept[0].model.get(), Self.kept[2].model.get(), Self.refused[3].model.get())
    try expectRefusal("the bits of Note in its updates change") {
      try SQLiteStore.migrate(
        file, through: StagedMigration([.init(Self.old.get()), .init(first), .init(last)]), droppedValues: .drop
      ) { _ in Issue.record("a stage has begun") }
    }
    let stages = try StagedMigration([
      .init(Self.old.get()), .init(first, willMigrate: { _ in }), .init(second),
    ])
    try SQLiteStore.migrate(file, through: stages, droppedValues: .drop)
    #expect(try rows(file) == before)
    try SQLiteStore.migrate(
      file, through: StagedMigration([.init(second), .init(last)]), droppedValues: .drop, startsNewHistory: true)
    try checkNewHistory(file, last, last: 7)
  }

  @Test func `changes that a stage's function saves are recorded, and then checked`() throws {
    try makeStore()
    let second = Change("") { $0["Album"]?.properties.append(.attribute("area", .string)) }
    let stages = try StagedMigration([
      .init(Self.old.get()),
      .init(
        second.model.get(),
        willMigrate: { context in
          for album in try context.fetch(FetchRequest("Album")) { try album.setValue(.string("b"), forKey: "name") }
        }),
    ])
    try expectRefusal("the bits of Album in its updates change") { try SQLiteStore.migrate(file, through: stages) }
    try SQLiteStore.migrate(file, through: stages, startsNewHistory: true)
    let store = try SQLiteStore(file, model: second.model.get())
    #expect(try store.history().isEmpty && numbers(file)[1] == "8")
  }

  @Test(arguments: [false, true])
  func `a migration that fails later changes no byte`(startsNewHistory: Bool) throws {
    try makeStore()
    let change = startsNewHistory ? Self.refused[0] : Self.kept[2]
    var unique = try change.model.get().entities.map(\.definition)
    for index in unique.indices where unique[index].name == "Note" {
      unique[index].properties.append(.attribute("zoo", .string, isOptional: false, defaultValue: .string("same")))
      unique[index].uniquenessConstraints = [["zoo"]]
    }
    do {
      let context = try ManagedObjectContext(SQLiteStore(file, model: Self.old.get()))
      try context.insert("Note")
      try context.save()
    }
    func bytes() -> [Data] {
      ["", "-wal", "-journal"].map { (try? Data(contentsOf: URL(filePath: file.path + $0))) ?? Data() }
    }
    let before = (bytes(), try rows(file))
    // The index is created after the rows are copied, and after the history was treated.
    let error = #expect(throws: ManagedObjectError.self) {
      try SQLiteStore.migrate(file, to: ManagedObjectModel(entities: unique), startsNewHistory: startsNewHistory)
    }
    #expect(error?.code == .migrationConstraint)
    #expect(try bytes() == before.0 && rows(file) == before.1)
  }

  @Test func `a container begins a new history on request`() throws {
    try makeStore()
    let new = try Self.refused[0].model.get()
    try expectRefusal("the number of the entity Album") {
      _ = try PersistentContainer(model: new, stores: [.sqlite(file)])
    }
    do { _ = try PersistentContainer(model: new, stores: [.sqlite(file, startsNewHistory: true)]) }
    try checkNewHistory(file, new, last: 7)
  }

  @Test func `a history that this package has started begins anew on request`() throws {
    try makeStore(isOwn: true)
    let new = try Self.refused[0].model.get()
    try SQLiteStore.migrate(file, to: new, startsNewHistory: true)
    #expect(try count(file) == 0)
    try checkNewHistory(file, new, last: 7)
    try SQLiteStore(file, model: new).stopTrackingHistory()
    #expect(try PlainSQLite(file).column("SELECT name FROM sqlite_master WHERE name = 'ACHANGE'") == [])
  }

  @Test func `a store without a history gets none`() throws {
    do {
      let context = try ManagedObjectContext(SQLiteStore(file, model: Self.old.get()))
      try context.insert("Album")
      try context.save()
    }
    try SQLiteStore.migrate(file, to: Self.refused[0].model.get(), startsNewHistory: true)
    #expect(try PlainSQLite(file).column("SELECT name FROM sqlite_master WHERE name = 'ACHANGE'") == [])
    #expect(try SQLiteStore(file, model: Self.refused[0].model.get()).metadata["MOPersistentHistoryTracking"] == nil)
  }

  @Test(arguments: [false, true])
  func `tables of CloudKit prevent every migration`(isOwn: Bool) throws {
    try makeStore(isOwn: isOwn)
    try PlainSQLite(file).run("CREATE TABLE ANSCKMETADATAENTRY ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER )")
    for startsNewHistory in [false, true] {
      for mapping in [StoreMapping(), StoreMapping(entities: ["Note": EntityMigrationPolicy()])] {
        try expectRefusal(mapping.entityPolicies.isEmpty || isOwn || startsNewHistory ? "CloudKit" : "history") {
          try SQLiteStore.migrate(
            file, to: Self.kept[0].model.get(), by: mapping, startsNewHistory: startsNewHistory)
        }
      }
    }
  }

  @Test func `a history with unknown columns is refused`() throws {
    try makeStore()
    try PlainSQLite(file).run("ALTER TABLE ACHANGE ADD COLUMN ZOTHER INTEGER")
    for startsNewHistory in [false, true] {
      try expectRefusal("the table ACHANGE of the history has other columns") {
        try SQLiteStore.migrate(file, to: Self.kept[0].model.get(), startsNewHistory: startsNewHistory)
      }
    }
  }

  @Test(arguments: [false, true], [false, true])
  func `a history of an older framework keeps its tables`(isCopy: Bool, hasFunction: Bool) throws {
    try makeStore()
    try SQLiteFile.change(
      file,
      """
      CREATE TABLE O ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR,
        ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB );
      INSERT INTO O SELECT Z_PK, Z_ENT, Z_OPT, ZTIMESTAMP, 'tests', ZBUNDLEID, ZCONTEXTNAME, ZPROCESSID, ZQUERYGEN
        FROM ATRANSACTION;
      DROP TABLE ATRANSACTION; DROP TABLE ATRANSACTIONSTRING; DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 16003;
      ALTER TABLE O RENAME TO ATRANSACTION;
      """)
    let before = try rows(file)
    let new = try Self.kept[0].model.get()
    let stage = hasFunction ? StagedMigration.Stage(new, willMigrate: { _ in }) : StagedMigration.Stage(new)
    let stages = try StagedMigration([.init(Self.old.get()), stage])
    let output = isCopy ? folder.url.appending(path: "b.sqlite") : nil
    try SQLiteStore.migrate(file, through: stages, output: output)
    #expect(try rows(output ?? file) == before)
    let names = try PlainSQLite(output ?? file).column(
      "SELECT name FROM sqlite_master WHERE name LIKE 'ATRANS%' ORDER BY 1")
    #expect(names == ["ATRANSACTION"])
    let last = try Self.refused[9].model.get()
    try SQLiteStore.migrate(output ?? file, from: new, to: last, droppedValues: .drop, startsNewHistory: true)
    try checkNewHistory(output ?? file, last, last: 7)
  }

  @Test(.enabled(if: HistorySamples.areThere))
  func `the histories of Apple's frameworks are kept, or begin anew`() throws {
    for original in HistorySamples.stores {
      let model = try SQLiteStore.model(inFile: original, writesNothing: true)
      func changed(_ name: String) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: model.entities.map(\.definition) + [EntityDescription(name)])
      }
      let file = try StoreSamples.copy(original, to: folder)
      let before = try rows(file)
      try SQLiteStore.migrate(file, to: changed("ZZLast"))
      #expect(try before.count > 3 && rows(file) == before, "\(original.lastPathComponent)")
      let store = try SQLiteStore(file, model: changed("ZZLast"))
      let changes = try store.history().flatMap(\.changes)
      #expect(try "\(changes.count)" == PlainSQLite(file).column("SELECT COUNT(*) FROM ACHANGE")[0])
    }
  }
}
