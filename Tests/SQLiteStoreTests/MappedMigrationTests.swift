import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@Suite("A migration by functions and mapping models") struct MappedMigrationTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private var file: URL { folder.url.appending(path: "store.sqlite") }

  static let old: [EntityDescription] = {
    var task = EntityDescription("Task", [.attribute("due", .integer32)])
    task.superentity = "Note"
    return [
      EntityDescription(
        "Note",
        [
          .attribute("title", .string), .attribute("count", .integer32), .attribute("labels", .string),
          .relationship("author", to: "Person", inverse: "notes"),
        ]), task,
      EntityDescription(
        "Person",
        [
          .attribute("name", .string),
          .relationship("notes", to: "Note", inverse: "author", isToMany: true, isOrdered: true),
        ]),
      EntityDescription("Trash", [.attribute("title", .string)]),
    ]
  }()

  static let new: [EntityDescription] = {
    var task = EntityDescription("Task", [.attribute("due", .integer64)])
    task.superentity = "Note"
    var tag = EntityDescription(
      "Tag",
      [
        .attribute("name", .string, isOptional: false),
        .relationship("notes", to: "Note", inverse: "tags", isToMany: true),
      ])
    tag.uniquenessConstraints = [["name"]]
    return [
      EntityDescription(
        "Note",
        [
          .attribute("title", .string, isOptional: false), .attribute("count", .string),
          .attribute("words", .integer32, isOptional: false, defaultValue: .integer(7)),
          .relationship("author", to: "Person", inverse: "notes"),
          .relationship("tags", to: "Tag", inverse: "notes", isToMany: true),
        ]), task,
      EntityDescription(
        "Person",
        [
          .attribute("name", .string),
          .relationship("notes", to: "Note", inverse: "author", isToMany: true, isOrdered: true),
        ]), tag,
    ]
  }()

  private func open(_ file: URL, _ model: ManagedObjectModel) throws -> ManagedObjectContext {
    try ManagedObjectContext(SQLiteStore(file, model: model))
  }

  /// Creates notes of two people. Every third note is a task, or every `step`th.
  private func makeStore(_ count: Int, taskStep step: Int = 3) throws {
    let context = try open(file, ManagedObjectModel(entities: Self.old))
    let people = try ["Ada", "Bob"].map { name in
      let person = try context.insert("Person")
      try person.setValue(.string(name), forKey: "name")
      return person
    }
    var notes: [[ManagedObject]] = [[], []]
    for number in 1...count {
      let note = try context.insert(number % step == 0 ? "Task" : "Note")
      try note.setValues([
        "title": .string("n\(number)"), "count": .integer(Int64(number)),
        "labels": Self.isLabeled(number) ? .string("a,l\(number % 5)") : .null,
      ])
      notes[number % 2].append(note)
    }
    for (person, notes) in zip(people, notes) {
      try person.setValue(.array(notes.reversed().map { .object($0) }), forKey: "notes")
    }
    try context.insert("Trash")
    let gone = try context.insert("Note")
    try context.save()
    try context.delete(gone)
    try context.save()
  }

  /// In the short form, most notes have no labels, because each label is fetched.
  private static func isLabeled(_ number: Int) -> Bool { LongForm.isWanted || number < 10 || number % 8 == 0 }

  private static func text(_ object: ManagedObject, _ key: String) -> String? {
    if case .attribute(.string(let text))? = object[key] { text } else { nil }
  }

  private static func integer(_ object: ManagedObject, _ key: String) -> Int64? {
    if case .attribute(.integer(let number))? = object[key] { number } else { nil }
  }

  /// Converts the count to a string, and each label to a tag that notes share.
  static let policy = EntityMigrationPolicy { note, migration in
    let new = try migration.createDestinationInstances(forSource: note)
    if let count = integer(note, "count") { try new.setValue(.string("\(count)"), forKey: "count") }
    var tags: [ManagedObject.Value] = []
    for label in text(note, "labels")?.split(separator: ",").map(String.init) ?? [] {
      let request = FetchRequest("Tag", where: try ManagedPredicate(format: "name == %@", label))
      let tag = try migration.destinationContext.fetch(request).first ?? migration.destinationContext.insert("Tag")
      try tag.setValue(.string(label), forKey: "name")
      tags.append(.object(tag))
    }
    try new.setValue(.set(tags), forKey: "tags")
  }

  private func contents() throws -> [String: Data] { try SampleStoreTests.contents(of: folder) }

  @Test func `a function migrates one entity, and the other entities are inferred`() throws {
    let (count, step) = (LongForm.size(1_300, or: 570), LongForm.size(3, or: 9))
    try makeStore(count, taskStep: step)
    let new = try ManagedObjectModel(entities: Self.new)
    let reports = Mutex<[MigrationProgress]>([])
    // Batches stay small, regardless of the number of objects.
    let largest = Mutex(0)
    let policy = EntityMigrationPolicy { note, migration in
      try Self.policy.createDestinationInstances?(note, migration)
      let size = migration.sourceContext.registeredObjects.count + migration.destinationContext.registeredObjects.count
      if Self.integer(note, "count").map({ $0 % 100 == 0 }) == true { largest.withLock { $0 = max($0, size) } }
    }
    try SQLiteStore.migrate(
      file, to: new, by: StoreMapping(entities: ["Note": policy, "Task": policy]), droppedValues: .drop
    ) { progress in
      reports.withLock { $0.append(progress) }
    }
    #expect(largest.withLock { $0 } > 100 && largest.withLock { $0 } < 1_100)
    let context = try open(file, new)
    let notes = try context.fetch(FetchRequest("Note"))
    #expect(notes.count == count)
    for note in notes {
      let number = Int(try #require(Self.text(note, "count").flatMap { Int64($0) }))
      // The objects keep their numbers.
      #expect(note.objectID.key.number == Int64(try #require(Self.text(note, "title")?.dropFirst()).description))
      #expect(Self.text(note, "title") == "n\(number)" && Self.integer(note, "words") == 7)
      #expect(note.entity.name == (number % step == 0 ? "Task" : "Note"))
      guard case .set(let tags)? = note["tags"], case .object(let author)? = note["author"] else {
        Issue.record("\(number)")
        continue
      }
      #expect(Self.text(author, "name") == (number % 2 == 0 ? "Ada" : "Bob"))
      let names = tags.compactMap { if case .object(let tag) = $0 { Self.text(tag, "name") } else { nil } }
      #expect(Set(names) == (Self.isLabeled(number) ? ["a", "l\(number % 5)"] : []))
    }
    for person in try context.fetch(FetchRequest("Person")) {
      guard case .array(let notes)? = person["notes"] else { continue }
      let numbers = notes.compactMap { note -> Int? in
        if case .object(let note) = note { Self.text(note, "count").flatMap { Int($0) } } else { nil }
      }
      let parity = Self.text(person, "name") == "Ada" ? 0 : 1
      #expect(numbers == (1...count).filter { $0 % 2 == parity }.reversed())
    }
    #expect(try context.count(for: FetchRequest("Tag")) == 6)
    // A new object gets an unused number.
    let note = try context.insert("Note")
    try note.setValue(.string("x"), forKey: "title")
    try context.save()
    #expect(note.objectID.key.number == Int64(count + 2))
    let database = try PlainSQLite(file)
    #expect(try database.defects() == [])
    // The schema is that of a new store.
    let made = folder.url.appending(path: "made.sqlite")
    _ = try SQLiteStore(made, model: new)
    let tables = "SELECT name, sql FROM sqlite_schema ORDER BY name"
    #expect(try database.run(tables) == PlainSQLite(made).run(tables))
    #expect(try SQLiteStore.model(inFile: file).entityVersionHashesByName == new.entityVersionHashesByName)
    #expect(!folder.names.contains { $0.contains("migration") })
    let phases = reports.withLock { $0 }
    #expect(phases.contains { $0.phase == .objects && $0.mappingName == "NoteToNote" && $0.completedCount == 500 })
    #expect(phases.contains { $0.phase == .relationships && $0.completedCount == $0.totalCount && $0.totalCount == 2 })
    #expect(phases.allSatisfy { $0.step == 0 && $0.stepCount == 1 })
    // The number of notes that are not tasks.
    let total = count - count / step
    #expect(
      phases.filter { $0.phase == .validation && $0.mappingName == "Note" }.map { [$0.completedCount, $0.totalCount] }
        == [[0, total]] + stride(from: 500, to: total, by: 500).map { [$0, total] } + [[total, total]])
  }

  @Test func `a function creates no, one or several objects and sets relationships`() throws {
    try makeStore(9)
    let new = try ManagedObjectModel(entities: Self.new)
    let mapping = StoreMapping(entities: [
      "Note": EntityMigrationPolicy { note, migration in
        guard let count = Self.integer(note, "count"), count != 1 else { return }
        for copy in ["x", "y"] {
          let new = try migration.insert("Note", for: note)
          try new.setValue(.string("\(copy)\(count)"), forKey: "title")
        }
      },
      "Task": EntityMigrationPolicy(
        createDestinationInstances: { task, migration in try migration.createDestinationInstances(forSource: task) },
        createRelationships: { task, new, migration in
          #expect(try migration.destinationInstances(sourceInstances: [task]) == [new])
          try migration.createRelationships(forDestination: new, source: task)
          if Self.integer(task, "count") == 6 { try new.setValue(.string("six"), forKey: "title") }
        }),
      "Trash": EntityMigrationPolicy { trash, migration in
        try migration.insert("Tag", for: trash).setValue(.string("trash"), forKey: "name")
      },
    ])
    try SQLiteStore.migrate(file, to: new, by: mapping, droppedValues: .drop)
    let context = try open(file, new)
    let titles = try context.fetch(FetchRequest("Note", sortedBy: [.init("title")])).map { note in
      guard case .object(let author)? = note["author"] else { return "\(Self.text(note, "title") ?? "")-" }
      return (Self.text(note, "title") ?? "") + (Self.text(author, "name")?.prefix(1) ?? "")
    }
    #expect(titles == ["n3B", "n9B", "sixA", "x2A", "x4A", "x5B", "x7B", "x8A", "y2A", "y4A", "y5B", "y7B", "y8A"])
    #expect(try context.fetch(FetchRequest("Tag")).map { Self.text($0, "name") } == ["trash"])
    #expect(try PlainSQLite(file).defects() == [])
  }

  @Test(arguments: [false, true])
  func `a policy without createDestinationInstances cannot convert an attribute`(setsRelationships: Bool) throws {
    try makeStore(4)
    let before = try contents()
    var policy = EntityMigrationPolicy()
    if setsRelationships { policy.createRelationships = { _, _, _ in } }
    let mapping = StoreMapping(entities: ["Note": policy, "Task": policy])
    let error = #expect(throws: ManagedObjectError.self) {
      try SQLiteStore.migrate(file, to: ManagedObjectModel(entities: Self.new), by: mapping, droppedValues: .drop)
    }
    let reasons = error.map { $0.details.isEmpty ? [$0] : $0.details } ?? []
    #expect(reasons.allSatisfy { $0.code == .inferredMapping })
    #expect(reasons.contains { $0.message.contains("Note.count") })
    #expect(try contents() == before)
  }

  @Test func `a finished migration does not run again`() throws {
    try makeStore(4)
    let new = try ManagedObjectModel(entities: Self.new)
    let mapping = StoreMapping(entities: ["Note": Self.policy, "Task": Self.policy])
    try SQLiteStore.migrate(file, to: new, by: mapping, droppedValues: .drop)
    let before = try contents()
    try SQLiteStore.migrate(file, to: new, by: mapping, droppedValues: .drop)
    try SQLiteStore.migrate(file, to: new, droppedValues: .drop)
    #expect(try contents() == before)
  }

  @Test(arguments: [false, true])
  func `a migration keeps views and indexes of other programs`(isMapped: Bool) throws {
    try makeStore(4)
    let database = try PlainSQLite(file)
    _ = try database.run("CREATE VIEW titles AS SELECT ZTITLE FROM ZNOTE")
    _ = try database.run("CREATE INDEX mine ON ZNOTE (ZTITLE)")
    let before = try database.run("SELECT COUNT(*) FROM titles")
    var entities = try SQLiteStore.model(inFile: file).entityDescriptions
    if isMapped { entities = Self.new } else { entities[0].properties.append(.attribute("more", .string)) }
    let mapping = StoreMapping(entities: isMapped ? ["Note": Self.policy, "Task": Self.policy] : [:])
    try SQLiteStore.migrate(file, to: ManagedObjectModel(entities: entities), by: mapping, droppedValues: .drop)
    let after = try PlainSQLite(file)
    #expect(try after.run("SELECT COUNT(*) FROM titles") == before)
    #expect(try after.run("SELECT tbl_name FROM sqlite_schema WHERE name = 'mine'") == [["ZNOTE"]])
  }

  @Test(arguments: ["Z_PK", "ZNOTE.Z_PK"])
  func `a table with a CHECK constraint keeps its rows`(column: String) throws {
    try makeStore(4)
    let database = try PlainSQLite(file)
    let statement = try #require(try database.run("SELECT sql FROM sqlite_schema WHERE name = 'ZNOTE'").first?.first)
    let before = try database.run("SELECT Z_PK, ZTITLE FROM ZNOTE ORDER BY Z_PK")
    _ = try database.run("ALTER TABLE ZNOTE RENAME TO former")
    _ = try database.run("\(statement.dropLast()), CHECK (\(column) > 0))")
    _ = try database.run("INSERT INTO ZNOTE SELECT * FROM former")
    _ = try database.run("DROP TABLE former")
    var entities = try SQLiteStore.model(inFile: file).entityDescriptions
    entities[0].properties.append(.attribute("more", .string))
    let model = try ManagedObjectModel(entities: entities)
    if column == "Z_PK" {
      try SQLiteStore.migrate(file, to: model)
    } else {
      #expect(throws: ManagedObjectError.self) { try SQLiteStore.migrate(file, to: model) }
    }
    #expect(try PlainSQLite(file).run("SELECT Z_PK, ZTITLE FROM ZNOTE ORDER BY Z_PK") == before)
    #expect(!before.isEmpty)
  }

  struct Oops: Error {}

  @Test(arguments: ["function", "progress", "constraint", "validation", "value", "reasons", "typed"])
  func `a failed migration leaves the bytes of the store unchanged`(kind: String) throws {
    try makeStore(8)
    let before = try contents()
    var new = Self.new
    var mapping = StoreMapping(entities: ["Note": Self.policy, "Task": Self.policy])
    var codes: [ManagedObjectError.Code] = []
    var messages: [String] = []
    switch kind {
    case "function":
      mapping.entityPolicies["Person"] = EntityMigrationPolicy { _, _ in throw Oops() }
      codes = [.entityMigrationPolicy]
      messages = ["Oops()"]
    case "typed":
      mapping.entityPolicies["Person"] = EntityMigrationPolicy { person, _ in
        throw ManagedObjectError(.operation, "no", objectID: person.objectID)
      }
      codes = [.operation]
      messages = ["no"]
    case "progress":
      codes = [.migrationCancelled]
      messages = ["the migration was stopped: Oops()"]
    case "constraint":
      new[2].uniquenessConstraints = [["name"]]
      mapping.entityPolicies["Person"] = EntityMigrationPolicy { person, migration in
        try migration.createDestinationInstances(forSource: person).setValue(.string("same"), forKey: "name")
      }
      codes = [.migrationConstraint]
    case "validation":
      mapping.entityPolicies["Task"] = EntityMigrationPolicy { task, migration in
        try migration.createDestinationInstances(forSource: task).setValue(AttributeValue.null, forKey: "title")
      }
      codes = [.missingMandatoryProperty, .missingMandatoryProperty]
    case "value":
      mapping.model = MappingModel([
        EntityMapping("NoteToNote", .transform, from: "Note", to: "Note"),
        EntityMapping("PersonToPerson", .transform, from: "Person", to: "Person"),
      ])
      mapping.entityPolicies = [:]
      mapping.model?.entityMappings[1].attributeMappings = [
        PropertyMapping("name", valueExpression: try ManagedExpression(format: "CAST($source.name, 'NSNumber')"))
      ]
      codes = [.migration]
    default:
      mapping.entityPolicies = ["Nobody": Self.policy, "Person": Self.policy]
      codes = [.inferredMapping, .inferredMapping, .inferredMapping]
    }
    let model = try ManagedObjectModel(entities: new)
    let error = try #require(throws: ManagedObjectError.self) {
      try SQLiteStore.migrate(file, to: model, by: mapping, droppedValues: .drop) { progress in
        if kind == "progress", progress.phase == .relationships { throw Oops() }
      }
    }
    let all = error.details.isEmpty ? [error] : error.details
    #expect(all.map(\.code) == codes, "\(error)")
    for message in messages { #expect(all.contains { $0.message == message }, "\(error)") }
    #expect(error.fileURL == file)
    if ["function", "progress"].contains(kind) { #expect(error.underlyingError is Oops) }
    #expect(try contents() == before)
  }

  @Test func `a mapping model applies its mappings, expressions and source predicates`() throws {
    try makeStore(8)
    func value(_ text: String) throws -> ManagedExpression { try ManagedExpression(format: text) }
    var note = EntityMapping("Notes", .transform, from: "Note", to: "Note")
    note.attributeMappings = [
      PropertyMapping("title", valueExpression: try value("uppercase:($source.title)")),
      PropertyMapping("count", valueExpression: try value("$source.author.name")),
      PropertyMapping("words", valueExpression: try value("$source.count * 2 + $source.author.notes.@count")),
    ]
    note.relationshipMappings = [
      PropertyMapping(
        "author",
        valueExpression: try value(
          "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', 'People', $source.author)")),
      PropertyMapping("tags", valueExpression: try value("nil")),
    ]
    note.sourceExpression = .fetch(
      request: .method(
        "fetchRequestForSourceEntityNamed:predicateString:", of: .variable("manager"),
        arguments: [.value(.string("Note")), .value(.string("count > 1"))]),
      context: try value("$manager.sourceContext"), countOnly: false)
    let mapping = MappingModel([
      note, EntityMapping("Tasks", .remove, from: "Task"), EntityMapping("People", .copy, from: "Person", to: "Person"),
      EntityMapping("Tags", .add, to: "Tag"),
    ])
    // The mapping gives the same result after it is written and read.
    let compiled = try MappingModel(compiled: mapping.compiledData())
    let new = try ManagedObjectModel(entities: Self.new)
    let before = try contents()
    let output = folder.url.appending(path: "made/new.sqlite")
    try SQLiteStore.migrate(file, to: new, by: StoreMapping(compiled), output: output, droppedValues: .drop)
    #expect(try Data(contentsOf: file) == before["store.sqlite"])
    let context = try open(output, new)
    let lines = try context.fetch(FetchRequest("Note", sortedBy: [.init("title")])).map { note in
      guard case .object(let author)? = note["author"] else { return "?" }
      return "\(Self.text(note, "title") ?? "") \(Self.text(note, "count") ?? "") \(Self.integer(note, "words") ?? 0) "
        + "\(Self.text(author, "name") ?? "")"
    }
    #expect(lines == ["N2 Ada 8 Ada", "N4 Ada 12 Ada", "N5 Bob 14 Bob", "N7 Bob 18 Bob", "N8 Ada 20 Ada"])
    for person in try context.fetch(FetchRequest("Person", sortedBy: [.init("name")])) {
      guard case .array(let notes)? = person["notes"] else { continue }
      // The remaining objects keep their order.
      let titles = notes.compactMap { if case .object(let note) = $0 { Self.text(note, "title") } else { nil } }
      #expect(titles == (Self.text(person, "name") == "Ada" ? ["N8", "N4", "N2"] : ["N7", "N5"]))
    }
    #expect(try context.count(for: FetchRequest("Tag")) == 0)
    #expect(try PlainSQLite(output).defects() == [])
  }

  @Test func `an impossible mapping model is refused before migration with all reasons`() throws {
    try makeStore(3)
    func value(_ text: String) throws -> ManagedExpression { try ManagedExpression(format: text) }
    var note = EntityMapping("Notes", .custom, from: "Note", to: "Note")
    note.migrationPolicyClassName = "App.NotePolicy"
    note.sourceExpression = try value("$manager.everything")
    note.attributeMappings = [
      PropertyMapping("title", valueExpression: try value("$source.nothing")),
      PropertyMapping("words", valueExpression: try value("$source.title")),
      PropertyMapping("count", valueExpression: try value("FUNCTION($entityPolicy, 'make:', $source)")),
    ]
    note.relationshipMappings = [
      PropertyMapping("author", valueExpression: try value("$source.author")),
      PropertyMapping(
        "tags",
        valueExpression: try value(
          "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', 'Nobody', $source.author)")),
    ]
    let before = try contents()
    let model = MappingModel([note, EntityMapping("Other", .custom, from: "Person", to: "Person")])
    let new = try ManagedObjectModel(entities: Self.new)
    let error = try #require(throws: ManagedObjectError.self) {
      try SQLiteStore.migrate(
        file, to: new, by: StoreMapping(model, entities: ["Nobody": Self.policy]), droppedValues: .drop)
    }
    let parts = [
      "a policy for the entity \"Nobody\", which", "needs a policy for the class \"App.NotePolicy\"",
      "the source expression of the mapping", "the value of \"title\" in the mapping \"Notes\": ",
      "the value of \"words\" in the mapping \"Notes\": ",
      "the value of \"count\" in the mapping \"Notes\": $entityPolicy",
      "a relationship needs objects of the destination", "the mapping model has no mapping \"Nobody\"",
      "use a policy for the entity \"Person\"",
    ]
    for part in parts { #expect(error.details.contains { $0.message.contains(part) }, "\(part): \(error)") }
    #expect(error.details.count == parts.count, "\(error)")
    #expect(error.details.count { $0.code == .entityMigrationPolicy } == 2)
    // A mapping for other versions.
    var other = MappingModel([EntityMapping("People", .copy, from: "Person", to: "Person")])
    other.entityMappings[0].sourceEntityVersionHash = Data(repeating: 1, count: 32)
    let mismatch = #expect(throws: ManagedObjectError.self) {
      try SQLiteStore.migrate(
        file, to: ManagedObjectModel(entities: Self.new), by: StoreMapping(other), droppedValues: .drop)
    }
    #expect(mismatch?.code == .migration && mismatch?.message.contains("for another version") == true)
    #expect(try contents() == before)
  }

  @Test func `a migration removes only the files that a killed migration left`() throws {
    try makeStore(3)
    let new = try ManagedObjectModel(entities: Self.new)
    let mapping = StoreMapping(entities: ["Note": Self.policy, "Task": Self.policy])
    let scratch = folder.url.appending(path: ".store.sqlite-migration")
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    try Data("other".utf8).write(to: scratch.appending(path: "mine.txt"))
    var error = #expect(throws: ManagedObjectError.self) {
      try SQLiteStore.migrate(file, to: new, by: mapping, droppedValues: .drop)
    }
    #expect(error?.code == .migration && error?.message.contains("is in the way") == true)
    #expect(try String(contentsOf: scratch.appending(path: "mine.txt"), encoding: .utf8) == "other")
    try FileManager.default.removeItem(at: scratch)
    try Data("other".utf8).write(to: scratch)
    error = #expect(throws: ManagedObjectError.self) {
      try SQLiteStore.migrate(file, to: new, by: mapping, droppedValues: .drop)
    }
    #expect(error?.message.contains("is in the way") == true)
    #expect(try String(contentsOf: scratch, encoding: .utf8) == "other")
    try FileManager.default.removeItem(at: scratch)
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    for name in ["store-1", "store-2", "store-2-journal", "lock"] {
      try Data("half a file".utf8).write(to: scratch.appending(path: name))
    }
    try SQLiteStore.migrate(file, to: new, by: mapping, droppedValues: .drop)
    #expect(folder.names == ["store.sqlite"])
    #expect(try open(file, new).count(for: FetchRequest("Note")) == 3)
    // Also by a migration that needs no such folder.
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    try Data("half a file".utf8).write(to: scratch.appending(path: "store-1"))
    try SQLiteStore.migrate(
      file, to: ManagedObjectModel(entities: Self.new + [EntityDescription("More", [])]), droppedValues: .drop)
    #expect(folder.names == ["store.sqlite"])
  }

  @Test func `two migrations cannot create one output, and no file is overwritten`() throws {
    try makeStore(3)
    let new = try ManagedObjectModel(entities: Self.new)
    let mapping = StoreMapping(entities: ["Note": Self.policy, "Task": Self.policy])
    let output = folder.url.appending(path: "new.sqlite")
    let file = file
    try SQLiteStore.migrate(file, to: new, by: mapping, output: output, droppedValues: .drop) { progress in
      guard progress.phase == .validation else { return }
      let error = #expect(throws: ManagedObjectError.self) {
        try SQLiteStore.migrate(file, to: new, by: mapping, output: output, droppedValues: .drop)
      }
      #expect(error?.message.contains("another process is creating a store at the same path") == true)
    }
    // A reader leaves SQLite's shared-memory file and WAL.
    #expect(folder.names.filter { !$0.hasSuffix("-shm") && !$0.hasSuffix("-wal") } == ["new.sqlite", "store.sqlite"])
    let bytes = try Data(contentsOf: output)
    let error = #expect(throws: ManagedObjectError.self) {
      try SQLiteStore.migrate(file, to: new, by: mapping, output: output, droppedValues: .drop)
    }
    #expect(error?.message.contains("already") == true)
    #expect(try Data(contentsOf: output) == bytes)
    #expect(try open(output, new).count(for: FetchRequest("Note")) == 3)
  }

  @Test(arguments: ["WAL", "DELETE"])
  func `a migration blocks other saves, but others can read the old store`(journal: String) throws {
    try makeStore(3)
    #expect(try PlainSQLite(file).column("PRAGMA journal_mode = \(journal)") == [journal.lowercased()])
    let file = file
    try SQLiteStore.migrate(
      file, to: ManagedObjectModel(entities: Self.new),
      by: StoreMapping(entities: ["Note": Self.policy, "Task": Self.policy]), droppedValues: .drop
    ) { progress in
      guard progress.phase == .relationships else { return }
      let database = try PlainSQLite(file)
      #expect(try database.column("SELECT COUNT(*) FROM ZTRASH") == ["1"])
      #expect(!database.canWrite)
    }
    let database = try PlainSQLite(file)
    #expect(try database.defects() == [])
    #expect(try database.column("PRAGMA journal_mode") == [journal.lowercased()])
  }
}
