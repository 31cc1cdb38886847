import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@Suite("Handlers of stages, and steps of migration policies") struct MigrationHandlerTests {
  private static let kinds: [StoreKind] = [.xml, .binary, .sqlite]
  private let folder = TemporaryFolder(isInMemory: true)
  private var file: URL { folder.url.appending(path: "store") }

  private static func model(_ names: String...) throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [EntityDescription("Note", names.map { .attribute($0, .string) })])
  }

  private static let versions = Result { try [model("a"), model("a", "b"), model("a", "b", "c")] }

  private func makeStore(_ kind: StoreKind) throws {
    let context = try ManagedObjectContext(kind.open(file, Self.versions.get()[0]))
    for value in ["1", "2"] { try context.insert("Note").setValue(.string(value), forKey: "a") }
    try context.save()
  }

  private func migrate(_ kind: StoreKind, _ stages: StagedMigration) throws {
    if kind == .sqlite {
      try SQLiteStore.migrate(file, through: stages)
    } else {
      try StoreFile.migrate(file, through: stages)
    }
  }

  private func values(_ store: any PersistentStore, _ key: String) throws -> [String] {
    try ManagedObjectContext(store).fetch(FetchRequest("Note")).map { "\($0[key] ?? .null)" }.sorted()
  }

  private static func notes(_ context: ManagedObjectContext) throws -> [ManagedObject] {
    try context.fetch(FetchRequest("Note"))
  }

  @Test(arguments: kinds, [false, true])
  func `handlers work on the store before and after their stage`(kind: StoreKind, isMapped: Bool) throws {
    try makeStore(kind)
    let mapping = isMapped ? StoreMapping(entities: ["Note": EntityMigrationPolicy()]) : StoreMapping()
    let models = try Self.versions.get()
    try migrate(
      kind,
      StagedMigration([
        .init(models[0]),
        .init(
          models[1], mapping: mapping,
          willMigrate: { context in
            // The context has the model of the previous version. These changes are saved when the function returns.
            #expect(context.coordinator.model["Note"]?.attributes.map(\.name) == ["a"])
            try context.insert("Note").setValue(.string("3"), forKey: "a")
          },
          didMigrate: { context in
            for note in try Self.notes(context) { try note.setValue(.string("b"), forKey: "b") }
            try context.save()
          }),
        .init(
          models[2],
          didMigrate: { context in
            for note in try Self.notes(context) {
              #expect("\(note["b"] ?? .null)" == "\"b\"")
              try note.setValue(.string("c"), forKey: "c")
            }
          }),
      ]))
    let store = try kind.open(file, models[2])
    #expect(try values(store, "a") == ["\"1\"", "\"2\"", "\"3\""])
    #expect(try values(store, "c") == ["\"c\"", "\"c\"", "\"c\""])
  }

  @Test(arguments: kinds)
  func `a handler that throws undoes the saves of all handlers`(kind: StoreKind) throws {
    struct Oops: Error {}
    try makeStore(kind)
    let models = try Self.versions.get()
    let bytes = try Data(contentsOf: file)
    let stages = StagedMigration([
      .init(models[0]),
      .init(
        models[1],
        willMigrate: { context in
          for note in try Self.notes(context) { try context.delete(note) }
          try context.save()
        }, didMigrate: { _ in throw Oops() }),
    ])
    let error = #expect(throws: ManagedObjectError.self) { try migrate(kind, stages) }
    #expect(error?.code == .migrationCancelled && error?.underlyingError is Oops)
    #expect(try values(kind.open(file, models[0]), "a") == ["\"1\"", "\"2\""])
    if kind != .sqlite { #expect(try Data(contentsOf: file) == bytes) }
  }

  @Test func `the saves of handlers are in the history`() throws {
    let models = try Self.versions.get()
    _ = try SQLiteStore(file, model: models[0], access: .readWrite(tracksHistory: true))
    try makeStore(.sqlite)
    try migrate(
      .sqlite,
      StagedMigration([
        .init(models[0]),
        .init(
          models[1], willMigrate: { try $0.insert("Note") },
          didMigrate: { try Self.notes($0)[0].setValue(.string("x"), forKey: "b") }),
      ]))
    let history = try SQLiteStore(file, model: models[1]).history()
    #expect(history.map(\.number) == [1, 2, 3])
    #expect(history.flatMap(\.changes).map(\.kind) == [.insert, .insert, .insert, .update])
    #expect(history.last?.changes.first?.updatedProperties == ["b"])
  }

  @Test(arguments: kinds) func `the functions of a policy are called in their order`(kind: StoreKind) throws {
    try makeStore(kind)
    let calls = Mutex<[String]>([])
    @Sendable func noting(_ name: String) -> EntityMigrationPolicy.Step {
      { migration in
        let count = try migration.destinationContext.count(for: FetchRequest("Note"))
        calls.withLock { $0.append("\(name) \(migration.mapping.name) \(count)") }
      }
    }
    var policy = EntityMigrationPolicy(
      createDestinationInstances: { note, migration in
        calls.withLock { $0.append("create") }
        try migration.createDestinationInstances(forSource: note)
      },
      createRelationships: { _, _, _ in calls.withLock { $0.append("relate") } })
    policy.begin = noting("begin")
    policy.endInstanceCreation = { migration in
      try noting("created")(migration)
      try migration.destinationContext.insert("Note").setValue(.string("0"), forKey: "a")
    }
    policy.endRelationshipCreation = noting("related")
    policy.performCustomValidation = noting("validate")
    policy.end = noting("end")
    let models = try Self.versions.get()
    let mapping = StoreMapping(entities: ["Note": policy])
    try migrate(kind, StagedMigration([.init(models[0]), .init(models[1], mapping: mapping)]))
    #expect(
      calls.withLock { $0 } == [
        "begin NoteToNote 0", "create", "create", "created NoteToNote 2", "relate", "relate", "related NoteToNote 3",
        "validate NoteToNote 3", "end NoteToNote 3",
      ])
    #expect(try values(kind.open(file, models[1]), "a") == ["\"0\"", "\"1\"", "\"2\""])
  }

  @Test(arguments: kinds) func `a failed validation of a policy leaves the store as it was`(kind: StoreKind) throws {
    struct Oops: Error {}
    try makeStore(kind)
    var policy = EntityMigrationPolicy()
    policy.performCustomValidation = { _ in throw Oops() }
    let models = try Self.versions.get()
    let stages = StagedMigration([
      .init(models[0]), .init(models[1], mapping: StoreMapping(entities: ["Note": policy])),
    ])
    let error = #expect(throws: ManagedObjectError.self) { try migrate(kind, stages) }
    #expect(error?.code == .entityMigrationPolicy && error?.underlyingError is Oops)
    #expect(try values(kind.open(file, models[0]), "a") == ["\"1\"", "\"2\""])
  }
}
