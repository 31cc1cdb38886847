import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import TestSupport
import Testing

@Suite("Migrations between random pairs of model versions") struct RandomMigrationTests {
  private static let mark = Data("EXT!".utf8)
  /// A query for the tables of entities.
  private static let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'Z|_%' ESCAPE '|'"

  /// Inserts objects with random values and relationships.
  static func fill(_ store: any PersistentStore, _ sketch: ModelSketch, _ numbers: inout RandomNumbers) throws {
    let context = try ManagedObjectContext(store)
    var objects: [Int: [ManagedObject]] = [:]
    for entity in sketch.entities where !entity.isAbstract {
      for _ in 0..<numbers.below(8) {
        let object = try context.insert(entity.name)
        for attribute in sketch.attributes(entity.id) {
          if attribute.isOptional, numbers.once(in: 4) {
            try object.setValue(AttributeValue.null, forKey: attribute.name)
          } else {
            try object.setValue(value(attribute, &numbers), forKey: attribute.name)
          }
        }
        objects[entity.id, default: []].append(object)
      }
    }
    // A deleted object has used a number.
    let extra = try sketch.entities.filter { !$0.isAbstract }.map { entity in
      let object = try context.insert(entity.name)
      for attribute in sketch.attributes(entity.id) where !attribute.isOptional {
        try object.setValue(value(attribute, &numbers), forKey: attribute.name)
      }
      return object
    }
    try context.save()
    for object in extra { try context.delete(object) }
    for owner in sketch.entities {
      for relationship in owner.relationships where (relationship.inverse ?? .max) >= relationship.id {
        let targets = sketch.subtree(relationship.target).flatMap { objects[$0] ?? [] }
        guard !targets.isEmpty else { continue }
        var free = targets.shuffled(using: &numbers)
        for object in sketch.subtree(owner.id).flatMap({ objects[$0] ?? [] }) {
          if numbers.once(in: 4) { continue }
          if relationship.isToMany {
            // Without an inverse, an object has only one owner.
            let count = min(numbers.below(4), free.count)
            let chosen = Array(free.prefix(count))
            if relationship.inverse == nil { free.removeFirst(count) } else { free.shuffle(using: &numbers) }
            let values = chosen.map { ManagedObject.Value.object($0) }
            try object.setValue(relationship.isOrdered ? .array(values) : .set(values), forKey: relationship.name)
          } else {
            try object.setValue(.object(numbers.pick(targets)), forKey: relationship.name)
          }
        }
      }
    }
    try context.save()
  }

  private static func value(
    _ attribute: ModelSketch.Attribute, _ numbers: inout RandomNumbers
  ) throws -> ManagedObject.Value {
    let value: AttributeValue =
      switch attribute.type {
      case .string: .string(numbers.pick(RandomObjects.texts))
      case .integer16, .integer32: .integer(numbers.pick(RandomObjects.integers))
      case .integer64: .integer(numbers.pick(RandomObjects.longs))
      case .double: .double(numbers.pick(RandomObjects.doubles))
      case .float: .float(numbers.pick(RandomObjects.floats))
      case .decimal: .decimal(Decimal(numbers.below(100_000)) / 8)
      case .boolean: .boolean(Bool.random(using: &numbers))
      case .date: .date(Date(timeIntervalSinceReferenceDate: numbers.pick(RandomObjects.dates)))
      case .binary where attribute.isExternal: .data(mark + Data([1, UInt8(numbers.below(200))]))
      case .binary, .transformable: .data(numbers.pick(RandomObjects.blobs + [Data([2]), Data([2, 1])]))
      case .uuid: .uuid(numbers.pick(RandomObjects.uuids))
      case .uri: .url(numbers.pick(RandomObjects.urls))
      default: .null
      }
    return .attribute(value)
  }

  /// Moves some of the values that may be external to external files, as Core Data does.
  private static func putIntoFiles(_ file: URL, _ numbers: inout RandomNumbers) throws {
    let database = try PlainSQLite(file)
    let folder = support(file)
    for table in try database.column(tables) {
      for column in try database.column("SELECT name FROM pragma_table_info('\(table)') WHERE type = 'BLOB'") {
        let rows = try database.run(
          "SELECT Z_PK, hex(substr(\(column), 2)) FROM \(table) WHERE hex(\(column)) LIKE '0145585421%'")
        for row in rows where numbers.once(in: 2) {
          let name = UUID().uuidString
          try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
          let bytes = stride(from: 0, to: row[1].count, by: 2).compactMap { offset in
            UInt8(row[1].dropFirst(offset).prefix(2), radix: 16)
          }
          try Data(bytes).write(to: folder.appending(path: name))
          try database.run(
            "UPDATE \(table) SET \(column) = CAST(x'02' || CAST('\(name)' AS BLOB) || x'00' AS BLOB) "
              + "WHERE Z_PK = \(row[0])")
        }
      }
    }
  }

  private static func support(_ file: URL) -> URL {
    file.deletingLastPathComponent().appending(path: ".store_SUPPORT/_EXTERNAL_DATA")
  }

  /// Returns the statements of tables and indexes, and the entities without their highest numbers.
  private static func schema(_ database: PlainSQLite) throws -> [String] {
    try database.run("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").map {
      $0.joined(separator: " | ")
    }
      + database.run("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 ORDER BY 1").map {
        $0.joined(separator: " ")
      }
  }

  private static func contents(_ folder: TemporaryFolder) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    let all = FileManager.default.enumerator(atPath: folder.url.path)?.allObjects as? [String] ?? []
    for name in all { contents[name] = (try? Data(contentsOf: folder.url.appending(path: name))) ?? Data() }
    return contents
  }

  /// - Returns: True if the store was migrated, false if the migration was rejected.
  private static func check(seed: Int, withReader: Bool) throws -> Bool? {
    var maker = SketchMaker(seed: seed)
    let old = maker.sketch
    let count = 1 + maker.numbers.below(4)
    maker.mutate(count: count)
    let new = maker.sketch
    let expectation = MigrationExpectation(old: old, new: new)
    if expectation.isAmbiguous { return nil }
    let comment = Comment(rawValue: "seed \(seed): \(maker.log.joined(separator: ", "))")
    let folder = TemporaryFolder(isInMemory: true)
    let file = folder.url.appending(path: "store.sqlite")
    let tracksHistory = seed % 2 == 1
    try fill(
      SQLiteStore(file, model: old.model(), access: .readWrite(tracksHistory: tracksHistory)), old, &maker.numbers)
    try putIntoFiles(file, &maker.numbers)
    let (oldModel, newModel) = (try old.model(), try new.model())
    let before = try StoreDump(SQLiteStore(file, model: oldModel, access: .readOnly))
    let history = try SQLiteStore(file, model: oldModel, access: .readOnly).history()
    #expect(history.count == (tracksHistory ? 2 : 0), comment)
    let highest = Dictionary(
      try PlainSQLite(file).run("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY").map { ($0[0], Int($0[1]) ?? 0) },
      uniquingKeysWith: { first, _ in first })
    let bytes = try contents(folder)
    let copies = TemporaryFolder(isInMemory: true)
    let copy = try StoreSamples.copy(file, to: copies)
    let refusals = expectation.refusals
    do throws(ManagedObjectError) { try SQLiteStore.migrate(file, to: newModel, droppedValues: .drop) } catch {
      let messages = (error.details.isEmpty ? [error] : error.details).map(\.message)
      let expected = refusals.isEmpty ? expectation.abstracted(before) : refusals
      #expect(!expected.isEmpty && error.details.allSatisfy { $0.code == .inferredMapping }, "\(comment): \(error)")
      for name in expected {
        #expect(messages.contains { $0.contains("\"\(name)\"") }, "\(comment): \(name) \(messages)")
      }
      for message in messages {
        #expect(expected.contains { message.contains("\"\($0)\"") }, "\(comment): \(message), not \(expected)")
      }
      #expect(try contents(folder) == bytes, comment)
      return false
    }
    #expect(refusals == [] && expectation.abstracted(before) == [], comment)
    var expected = before
    expected.objects = expectation.objects(before)
    expected.counts = [:]
    for entity in new.entities {
      expected.counts[entity.name] = expected.objects.keys.count { $0.hasPrefix("\(entity.name)/") }
    }
    let after: StoreDump
    do {
      let store = try SQLiteStore(file, model: newModel, access: .readOnly)
      #expect(store.writingObstacles == [], comment)
      after = try StoreDump(store)
      #expect(try store.history().map(\.shown) == history.map { expectation.shown($0) }, comment)
    }
    expected.metadata = after.metadata
    #expect(after.differences(from: expected) == [], comment)
    #expect(after.metadata["NSStoreUUID"] == before.metadata["NSStoreUUID"], comment)
    #expect(
      try SQLiteStore.model(inFile: file).entityVersionHashesByName == newModel.entityVersionHashesByName, comment)
    // The tables are the same as in a new store.
    let made = folder.url.appending(path: "made.sqlite")
    _ = try SQLiteStore(made, model: newModel, access: .readWrite(tracksHistory: tracksHistory))
    let database = try PlainSQLite(file)
    #expect(try schema(database) == schema(PlainSQLite(made)), comment)
    #expect(try database.defects() == [], comment)
    for row in try database.run("SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY") {
      guard let entity = new.entities.first(where: { $0.name == row[0] }) else { continue }
      let known = new.subtree(entity.id).compactMap { old.entity($0) == nil ? nil : old.root($0) }.first
      let number = entity.parent == nil ? known.flatMap { old.entity($0) }.map { highest[$0.name] ?? 0 } ?? 0 : 0
      #expect(row[1] == "\(number)", "\(comment): Z_MAX of \(row[0])")
    }
    // There are no unreferenced files.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: support(file).path)) ?? []
    #expect(names.count == (try references(database)), comment)
    // A store that already has the new model is not changed.
    let isOther = try SQLiteStore.model(inFile: copy).entityVersionHashesByName != newModel.entityVersionHashesByName
    if isOther, seed % 4 == 0 || LongForm.isWanted { try checkMapped(copy, expectation, expected, comment) }
    // The reader does not support the order of a relationship that is its own inverse: no file of Core Data with one
    // was found.
    if withReader, !new.entities.flatMap(\.relationships).contains(where: { $0.inverse == $0.id && $0.isOrdered }) {
      var found = try StoreReader.objects(of: file)
      found.metadata = after.metadata
      #expect(found.differences(from: after) == [], comment)
      // It does not know either that owners can be of several entities.
      #expect(found.notices.filter { !$0.hasSuffix("which no property needs") } == [], comment)
    }
    return true
  }

  /// Makes the same changes with a mapping, which creates all objects anew.
  private static func checkMapped(
    _ file: URL, _ expectation: MigrationExpectation, _ expected: StoreDump, _ comment: Comment
  ) throws {
    let model = try expectation.new.model()
    guard let entity = expectation.old.entities.first else { return }
    try SQLiteStore.migrate(
      file, to: model, by: StoreMapping(entities: [entity.name: EntityMigrationPolicy()]), droppedValues: .drop)
    var after = try StoreDump(SQLiteStore(file, model: model, access: .readOnly))
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
    let database = try PlainSQLite(file)
    #expect(try database.defects() == [], comment)
    #expect(try references(database) == 0, comment)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: support(file).path)) ?? []
    #expect(names == [], comment)
  }

  /// Returns the number of values in external files.
  private static func references(_ database: PlainSQLite) throws -> Int {
    var count = 0
    for table in try database.column(tables) {
      for column in try database.column("SELECT name FROM pragma_table_info('\(table)') WHERE type = 'BLOB'") {
        count += try database.run(
          "SELECT 1 FROM \(table) WHERE length(\(column)) = 38 AND hex(\(column)) LIKE '02%00'"
        ).count
      }
    }
    return count
  }

  @Test func `a migration changes each value as inferred, or reports all reasons`() throws {
    var (changed, refused) = (0, 0)
    let count = LongForm.size(all: 4_000, 600, or: 8)
    for seed in 0..<count {
      do {
        let withReader = StoreReader.isAvailable && seed % (LongForm.isWanted ? 4 : 20) == 0
        let result = try Self.check(seed: seed, withReader: withReader)
        if result == true { changed += 1 } else if result == false { refused += 1 }
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
    #expect(changed > count / LongForm.size(3, or: 12), "\(changed) changed, \(refused) refused")
    if LongForm.isWanted { #expect(refused > count / 12, "\(changed) changed, \(refused) refused") }
    if LongForm.isWanted { print("\(changed) pairs changed, \(refused) refused") }
  }
}

extension PersistentHistoryTransaction {
  /// The number, then the changes by object.
  fileprivate var shown: [String] {
    ["\(number)"] + changes.map { "\($0.kind) \($0.objectID) \($0.updatedProperties.sorted())" }
  }
}

extension MigrationExpectation {
  /// Returns the ``PersistentHistoryTransaction/shown`` text of a transaction after the migration.
  fileprivate func shown(_ transaction: PersistentHistoryTransaction) -> [String] {
    ["\(transaction.number)"]
      + transaction.changes.compactMap { change in
        let name = change.objectID.entity.name
        guard let entity = old.entities.first(where: { $0.name == name }), let other = new.entity(entity.id) else {
          return nil
        }
        let ids =
          old.attributes(entity.id).filter { change.updatedProperties.contains($0.name) }.map(\.id)
          + old.relationships(entity.id).filter { change.updatedProperties.contains($0.name) }.map(\.id)
        let names =
          new.attributes(entity.id).filter { ids.contains($0.id) }.map(\.name)
          + new.relationships(entity.id).filter { ids.contains($0.id) }.map(\.name)
        return "\(change.kind) \(other.name + "\(change.objectID)".dropFirst(name.count)) \(names.sorted())"
      }
  }
}

extension StoreDump.Targets {
  mutating func sort() {
    if case .many(let names) = self { self = .many(names.sorted { $0.utf8.precedes($1.utf8) }) }
  }
}
