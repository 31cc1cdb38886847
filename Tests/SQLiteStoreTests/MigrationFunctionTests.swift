import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@Suite("Functions that migrate objects, and their limits") struct MigrationFunctionTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private var file: URL { folder.url.appending(path: "store.sqlite") }

  private static let entities = [
    EntityDescription("Note", [.attribute("title", .string), .relationship("author", to: "Person", inverse: "notes")]),
    EntityDescription(
      "Person",
      [
        .attribute("name", .string), .relationship("favorite", to: "Note"),
        .relationship("notes", to: "Note", inverse: "author", isToMany: true, isOrdered: true),
        .relationship("tags", to: "Tag", inverse: "people", isToMany: true),
      ]),
    EntityDescription(
      "Tag",
      [.attribute("name", .string), .relationship("people", to: "Person", inverse: "tags", isToMany: true)]),
  ]

  private static func old() throws -> ManagedObjectModel { try ManagedObjectModel(entities: entities) }

  /// The same model, with a date in notes.
  private static func new() throws -> ManagedObjectModel {
    var entities = entities
    entities[0].properties.append(.attribute("date", .date))
    return try ManagedObjectModel(entities: entities)
  }

  private func open(_ model: ManagedObjectModel) throws -> ManagedObjectContext {
    try ManagedObjectContext(SQLiteStore(file, model: model))
  }

  /// Creates notes of a person. The last note is the person's favourite.
  private func makeStore(_ titles: [String]) throws {
    let context = try open(Self.old())
    let person = try context.insert("Person")
    let tag = try context.insert("Tag")
    let notes = try titles.map { title in
      let note = try context.insert("Note")
      try note.setValue(.string(title), forKey: "title")
      return note
    }
    try person.setValue(.string("Ada"), forKey: "name")
    try tag.setValue(.string("old"), forKey: "name")
    try person.setValue(.array(notes.map { .object($0) }), forKey: "notes")
    try person.setValue(notes.last.map { .object($0) } ?? .null, forKey: "favorite")
    try person.setValue(.set([.object(tag)]), forKey: "tags")
    try context.save()
  }

  private static func text(_ object: ManagedObject, _ key: String) -> String {
    if case .attribute(.string(let text))? = object[key] { text } else { "" }
  }

  private static func texts(_ objects: ManagedObject.Value?, _ key: String) -> [String] {
    let elements: [ManagedObject.Value] =
      switch objects {
      case .array(let elements), .set(let elements): elements
      case .object?: objects.map { [$0] } ?? []
      default: []
      }
    return elements.map { if case .object(let object) = $0 { text(object, key) } else { "" } }
  }

  /// Returns all files except SQLite's shared-memory file and WAL, which readers leave.
  private func contents() throws -> [String: Data] {
    try SampleStoreTests.contents(of: folder).filter { !$0.key.hasSuffix("-shm") && !$0.key.hasSuffix("-wal") }
  }

  @Test(arguments: [false, true])
  func `relationships of the mapping are added to those a function set`(byFunction: Bool) throws {
    try makeStore(["a", "b"])
    var policy = EntityMigrationPolicy { person, migration in
      let new = try migration.createDestinationInstances(forSource: person)
      let note = try migration.destinationContext.insert("Note")
      try note.setValue(.string("more"), forKey: "title")
      try note.setValue(.object(new), forKey: "author")
      let tag = try migration.destinationContext.insert("Tag")
      try tag.setValue(.string("new"), forKey: "name")
      try new.setValue(.set([.object(tag)]), forKey: "tags")
      try new.setValue(.object(note), forKey: "favorite")
    }
    if byFunction {
      policy.createRelationships = { person, new, migration in
        try migration.createRelationships(forDestination: new, source: person)
      }
    }
    try SQLiteStore.migrate(file, to: Self.new(), by: StoreMapping(entities: ["Person": policy]))
    let context = try open(Self.new())
    let person = try #require(try context.fetch(FetchRequest("Person")).first)
    #expect(Self.texts(person["notes"], "title") == ["a", "b", "more"])
    #expect(Self.texts(person["tags"], "name").sorted() == ["new", "old"])
    #expect(Self.texts(person["favorite"], "title") == ["b"])
  }

  @Test func `a deleted destination object is not found and has no references`() throws {
    try makeStore(["a", "at once", "later"])
    let calls = Mutex(0)
    let mapping = StoreMapping(entities: [
      "Note": EntityMigrationPolicy { note, migration in
        let new = try migration.createDestinationInstances(forSource: note)
        #expect(try migration.destinationInstances(sourceInstances: [note]) == [new])
        guard Self.text(note, "title") == "at once" else { return }
        try migration.destinationContext.delete(new)
        #expect(try migration.destinationInstances(sourceInstances: [note]) == [])
      },
      "Person": EntityMigrationPolicy(
        createDestinationInstances: { person, migration in
          try migration.createDestinationInstances(forSource: person)
          let notes = try migration.sourceContext.fetch(FetchRequest("Note", sortedBy: [.init("title")]))
          let found = try migration.destinationInstances(forEntityMappingName: "NoteToNote", sourceInstances: notes)
          #expect(found.map { Self.text($0, "title") } == ["a", "later"])
          try migration.destinationContext.delete(#require(found.last))
          #expect(try migration.destinationInstances(sourceInstances: notes) == [found[0]])
        }),
      "Tag": EntityMigrationPolicy(createRelationships: { tag, new, migration in
        let notes = try migration.sourceContext.fetch(FetchRequest("Note"))
        #expect(try migration.destinationInstances(sourceInstances: notes).count == 1)
        try migration.createRelationships(forDestination: new, source: tag)
        calls.withLock { $0 += 1 }
      }),
    ])
    try SQLiteStore.migrate(file, to: Self.new(), by: mapping)
    #expect(calls.withLock { $0 } == 1)
    let database = try PlainSQLite(file)
    #expect(try database.column("SELECT ZTITLE FROM ZNOTE") == ["a"])
    #expect(try database.column("SELECT ZFAVORITE FROM ZPERSON") == ["NULL"])
    let context = try open(Self.new())
    let person = try #require(try context.fetch(FetchRequest("Person")).first)
    #expect(Self.texts(person["notes"], "title") == ["a"] && Self.texts(person["tags"], "name") == ["old"])
  }

  @Test func `inserting an object for a source object fails after relationships begin`() throws {
    try makeStore(["a"])
    let before = try contents()
    let policy = EntityMigrationPolicy(createRelationships: { note, _, migration in
      try migration.insert("Note", for: note)
    })
    let error = #expect(throws: ManagedObjectError.self) {
      try SQLiteStore.migrate(file, to: Self.new(), by: StoreMapping(entities: ["Note": policy]))
    }
    #expect(error?.code == .invalidState)
    #expect(error?.message.contains("before relationships are set") == true)
    #expect(try contents() == before)
  }

  private enum Way: CaseIterable { case inPlace, byFunction, output }

  private func migrate(_ way: Way) throws {
    switch way {
    case .inPlace: try SQLiteStore.migrate(file, to: Self.new())
    case .byFunction:
      try SQLiteStore.migrate(file, to: Self.new(), by: StoreMapping(entities: ["Note": EntityMigrationPolicy()]))
    case .output: try SQLiteStore.migrate(file, to: Self.new(), output: folder.url.appending(path: "made/new.sqlite"))
    }
  }

  @Test(
    arguments: [
      (
        "UPDATE ZNOTE SET Z_ENT = 99",
        "2 rows of the table \"ZNOTE\" whose Z_ENT is not an entity of the table, such as the integer 99"
      ),
      ("UPDATE ZNOTE SET Z_ENT = 2 WHERE Z_PK = 1", "1 row of the table \"ZNOTE\" whose Z_ENT"),
      ("UPDATE ZNOTE SET Z_ENT = NULL WHERE Z_PK = 1", "such as NULL"),
      ("UPDATE ZNOTE SET Z_ENT = 'x' WHERE Z_PK = 1", "such as the text \"x\""),
      ("UPDATE ZNOTE SET Z_PK = 0 WHERE Z_PK = 1", "1 row of the table \"ZNOTE\" whose Z_PK is not positive"),
      ("UPDATE ZPERSON SET Z_PK = -7", "\"ZPERSON\" whose Z_PK is not positive, such as the integer -7"),
    ])
  func `rows that are not objects are counted in the error`(statement: String, message: String) throws {
    try makeStore(["a", "b"])
    try PlainSQLite(file).run(statement)
    let before = try contents()
    for way in Way.allCases {
      let error = #expect(throws: ManagedObjectError.self) { try migrate(way) }
      #expect(error?.code == .migration && error?.message.contains(message) == true, "\(way): \(error?.message ?? "")")
      #expect(try contents() == before, "\(way)")
    }
  }

  @Test(arguments: [false, true])
  func `a store with a history of another program is not migrated, even into a new store`(withOutput: Bool) throws {
    try makeStore(["a"])
    try PlainSQLite(file).run("CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY)")
    let before = try contents()
    let error = #expect(throws: ManagedObjectError.self) { try migrate(withOutput ? .output : .inPlace) }
    #expect(error?.code == .migration && error?.message.contains("the history has no table ACHANGE") == true)
    #expect(try contents() == before)
  }

  @Test func `a description finds the model of a store that does not contain it`() throws {
    try makeStore(["a"])
    try PlainSQLite(file).run("DELETE FROM Z_MODELCACHE")
    var description = PersistentStoreDescription.sqlite(file)
    let error = #expect(throws: ManagedObjectError.self) {
      try PersistentContainer(model: Self.new(), stores: [description])
    }
    #expect(error?.code == .missingSourceModel)
    description.sourceModels = try [Self.new(), Self.old()]
    let container = try PersistentContainer(model: Self.new(), stores: [description])
    #expect(try container.newContext().count(for: FetchRequest("Note")) == 1)
  }

  @Test func `an inferred migration reports progress by table, and can be cancelled`() throws {
    try makeStore(["a", "b"])
    struct Oops: Error {}
    let before = try contents()
    for (phase, count) in [(MigrationProgress.Phase.objects, 0), (.relationships, 2)] {
      let error = #expect(throws: ManagedObjectError.self) {
        try SQLiteStore.migrate(file, to: Self.new()) { progress in
          if progress.phase == phase, progress.completedCount == count { throw Oops() }
        }
      }
      #expect(error?.code == .migrationCancelled && error?.underlyingError is Oops && error?.fileURL == file)
      #expect(try contents() == before)
    }
    let own = ManagedObjectError(.operation, "not now")
    let error = #expect(throws: ManagedObjectError.self) {
      try SQLiteStore.migrate(file, to: Self.new()) { _ in throw own }
    }
    #expect(error?.code == .operation && error?.message == "not now")
    var reports: [String] = []
    try SQLiteStore.migrate(file, to: Self.new()) { progress in
      #expect(progress.step == 0 && progress.stepCount == 1)
      reports.append("\(progress.phase) \(progress.mappingName) \(progress.completedCount)/\(progress.totalCount)")
    }
    let counts = ["Note 0/2", "Note 2/2", "Person 0/1", "Person 1/1", "Tag 0/1", "Tag 1/1"]
    #expect(reports == counts.map { "objects \($0)" } + counts.map { "relationships \($0)" })
  }
}
