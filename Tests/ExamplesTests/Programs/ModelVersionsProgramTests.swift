import Foundation
import ManagedObjects
import SQLiteStore
import TestSupport
import Testing

/// Three versions of a program that keeps notes: the second one renames an attribute and adds others, the third one
/// replaces the names of authors by objects.
private enum Versions {
  static func first() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription("Note", [.attribute("headline", .string, isOptional: false), .attribute("author", .string)])
    ])
  }

  static func second() throws -> ManagedObjectModel {
    var title = AttributeDescription("title", .string, isOptional: false)
    title.renamingIdentifier = "headline"
    return try ManagedObjectModel(entities: [
      EntityDescription("Note", [.attribute(title), .attribute("author", .string), isRead]),
      EntityDescription("Folder", [.attribute("name", .string)]),
    ])
  }

  static func third() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        "Note",
        [
          .attribute("title", .string, isOptional: false), isRead,
          .relationship("person", to: "Person", inverse: "notes"),
        ]),
      EntityDescription("Folder", [.attribute("name", .string)]),
      EntityDescription(
        "Person",
        [
          .attribute("name", .string, isOptional: false),
          .relationship("notes", to: "Note", inverse: "person", isToMany: true),
        ]),
    ])
  }

  private static let isRead = PropertyDescription.attribute("isRead", .boolean, isOptional: false, defaultValue: false)

  /// The stages to the third version.
  static func stages() throws -> StagedMigration {
    var policy = EntityMigrationPolicy { note, migration in
      try migration.createDestinationInstances(forSource: note)
      if try person(of: note, migration) == nil, let author = note["author"], author != .null {
        try migration.destinationContext.insert("Person").setValue(author, forKey: "name")
      }
    }
    policy.createRelationships = { note, new, migration in
      if let person = try person(of: note, migration) { try new.setValue(.object(person), forKey: "person") }
    }
    return StagedMigration([
      .init(try first()),
      .init(
        try second(),
        didMigrate: { context in
          for note in try context.fetch(FetchRequest("Note")) { note["isRead"] = true }
          try context.insert("Folder").setValue("Old notes", forKey: "name")
        }),
      .init(try third(), mapping: StoreMapping(entities: ["Note": policy])),
    ])
  }

  /// Returns the object of the note's author, if it exists.
  private static func person(of note: ManagedObject, _ migration: EntityMigration) throws -> ManagedObject? {
    guard case .attribute(.string(let author))? = note["author"] else { return nil }
    let request = FetchRequest("Person", where: try ManagedPredicate(format: "name == %@", author))
    return try migration.destinationContext.fetch(request).first
  }
}

@Suite("A program that opens the stores of its earlier versions") struct ModelVersionsProgramTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private var file: URL { folder.url.appending(path: "notes") }

  /// Creates a store with the first version of the program.
  private func makeStore(_ kind: ProgramStore) throws {
    try PersistentContainer(model: Versions.first(), stores: [kind.description(file)]).updateAndWait { context in
      for (headline, author) in [("Milk", "Ada"), ("Bread", nil), ("Butter", "Ada"), ("Tea", "Emmy")] {
        let note = try context.insert("Note")
        note["headline"] = .attribute(.string(headline))
        if let author { note["author"] = .attribute(.string(author)) }
      }
    }
  }

  @Test(arguments: ProgramStore.inFiles)
  func `the second version infers what changed, and opens the store`(_ kind: ProgramStore) throws {
    try makeStore(kind)
    var description = kind.description(file)
    // XML and binary stores do not contain their model.
    description.sourceModels = [try Versions.first()]
    let container = try PersistentContainer(model: Versions.second(), stores: [description])
    let context = container.newContext()
    let notes = try context.fetch(FetchRequest("Note", sortedBy: [.init("title")]))
    #expect(notes.map { $0["title"] } == ["Bread", "Butter", "Milk", "Tea"])
    #expect(notes.allSatisfy { $0["isRead"] == false })
    #expect(try context.count(for: FetchRequest("Folder")) == 0)
  }

  @Test(arguments: ProgramStore.inFiles)
  func `a store that is not to be migrated is an error that names the entities`(_ kind: ProgramStore) throws {
    try makeStore(kind)
    let before = try Data(contentsOf: file)
    var description = kind.description(file)
    description.migratesAutomatically = false
    let error = #expect(throws: ManagedObjectError.self) {
      try PersistentContainer(model: Versions.second(), stores: [description])
    }
    #expect(error?.code == .incompatibleVersionHash && error?.differingEntities == ["Folder", "Note"])
    #expect(try Data(contentsOf: file) == before)
  }

  @Test(arguments: ProgramStore.inFiles)
  func `the third version migrates a store of the first one in stages`(_ kind: ProgramStore) throws {
    try makeStore(kind)
    var description = kind.description(file)
    description.stages = try Versions.stages()
    let context = try PersistentContainer(model: Versions.third(), stores: [description]).newContext()
    let notes = try context.fetch(FetchRequest("Note", sortedBy: [.init("title")]))
    #expect(notes.map { $0["title"] } == ["Bread", "Butter", "Milk", "Tea"])
    let names = try notes.map { try $0.value(forKeyPath: "person.name") }
    #expect(names == [.null, "Ada", "Ada", "Emmy"])
    #expect(notes.allSatisfy { $0["isRead"] == true })
    #expect(try context.count(for: FetchRequest("Person")) == 2)
    #expect(try context.fetch(FetchRequest("Folder")).map { $0["name"] } == ["Old notes"])
  }

  @Test(arguments: ProgramStore.inFiles)
  func `the third version refuses to lose the names of authors without a policy`(_ kind: ProgramStore) throws {
    try makeStore(kind)
    var description = kind.description(file)
    description.stages = StagedMigration([
      .init(try Versions.first()), .init(try Versions.second()), .init(try Versions.third()),
    ])
    let error = #expect(throws: ManagedObjectError.self) {
      try PersistentContainer(model: Versions.third(), stores: [description])
    }
    #expect(error?.code == .droppedValues && error?.message.contains("Note.author") == true)
    // The store still has the first version.
    let first = try PersistentContainer(model: Versions.first(), stores: [kind.description(file)])
    #expect(try first.newContext().count(for: FetchRequest("Note")) == 4)
  }
}
