import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import TestSupport
import Testing

@Suite("Migrations to another kind of store") struct KindMigrationTests {
  private static let kinds: [StoreKind] = [.xml, .binary, .sqlite]
  private let folder = TemporaryFolder(isInMemory: true)
  private var old: URL { folder.url.appending(path: "old") }
  private var new: URL { folder.url.appending(path: "new") }

  /// The files without those through which processes share an SQLite store.
  private var files: [String] { folder.names.filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted() }

  private static func model(_ note: [PropertyDescription]) throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription("Note", note + [.relationship("folder", to: "Folder", inverse: "notes")]),
      EntityDescription(
        "Folder",
        [
          .attribute("name", .string),
          .relationship("notes", to: "Note", inverse: "folder", isToMany: true, isOrdered: true),
        ]),
    ])
  }

  private static let first = Result { try model([.attribute("title", .string), .attribute("text", .string)]) }
  private static let second = Result {
    try model([.attribute("title", .string), .attribute("length", .integer32, defaultValue: .integer(1))])
  }

  private func makeStore(_ kind: StoreKind) throws {
    let store = try kind.open(old, Self.first.get())
    store.setMetadata(["key": .string("value")])
    let context = try ManagedObjectContext(store)
    let folder = try context.insert("Folder")
    try folder.setValue(.string("Home"), forKey: "name")
    var notes: [ManagedObject.Value] = []
    for title in ["b", "a", "c"] {
      let note = try context.insert("Note")
      try note.setValue(.string(title), forKey: "title")
      try note.setValue(.string("text \(title)"), forKey: "text")
      notes.append(.object(note))
    }
    try folder.setValue(.array(notes), forKey: "notes")
    try context.save()
  }

  private func migrate(
    _ source: StoreKind, _ target: StoreKind, by mapping: StoreMapping = StoreMapping(),
    droppedValues: DroppedValuePolicy = .drop, progress: @escaping (MigrationProgress) throws -> Void = { _ in }
  ) throws -> [MigrationLoss] {
    func create(_ target: (some FileBackedStore).Type, _ source: (some MigratableStore).Type) throws -> [MigrationLoss]
    {
      try target.createStore(
        at: new, model: Self.second.get(), migrating: old, of: source, from: Self.first.get(), by: mapping,
        droppedValues: droppedValues, progress: progress)
    }
    func create(_ target: (some FileBackedStore).Type) throws -> [MigrationLoss] {
      switch source {
      case .xml: try create(target, XMLStore.self)
      case .binary: try create(target, BinaryStore.self)
      default: try create(target, SQLiteStore.self)
      }
    }
    return switch target {
    case .xml: try create(XMLStore.self)
    case .binary: try create(BinaryStore.self)
    default: try create(SQLiteStore.self)
    }
  }

  /// Returns the notes of the folder, in its order.
  private func notes(_ kind: StoreKind) throws -> [String] {
    let context = try ManagedObjectContext(kind.open(new, Self.second.get()))
    let folder = try #require(try context.fetch(FetchRequest("Folder")).first)
    guard case .array(let notes)? = folder["notes"] else { return [] }
    return notes.map { note in
      guard case .object(let note) = note else { return "?" }
      return "\(note["title"] ?? .null) \(note["length"] ?? .null)"
    }
  }

  private static func line(_ title: String, _ length: Int64) -> String {
    "\(ManagedObject.Value.attribute(.string(title))) \(ManagedObject.Value.attribute(.integer(length)))"
  }

  @Test(arguments: kinds, kinds)
  func `changes are inferred`(source: StoreKind, target: StoreKind) throws {
    try makeStore(source)
    let bytes = try Data(contentsOf: old)
    let losses = try migrate(source, target)
    #expect(losses.count == 1 && "\(losses)".contains("text"))
    #expect(try notes(target) == [Self.line("b", 1), Self.line("a", 1), Self.line("c", 1)])
    #expect(try target.metadata(new)["key"] == .string("value"))
    #expect(try Data(contentsOf: old) == bytes)
    #expect(files == ["new", "old"])
  }

  @Test(arguments: kinds, kinds)
  func `a mapping with functions creates the objects`(source: StoreKind, target: StoreKind) throws {
    try makeStore(source)
    let mapping = StoreMapping(entities: [
      "Note": EntityMigrationPolicy { note, migration in
        let new = try migration.createDestinationInstances(forSource: note)
        guard case .attribute(.string(let text))? = note["text"] else { return }
        try new.setValue(.integer(Int64(text.count)), forKey: "length")
      }
    ])
    _ = try migrate(source, target, by: mapping)
    #expect(try notes(target) == [Self.line("b", 6), Self.line("a", 6), Self.line("c", 6)])
  }

  @Test(arguments: kinds, kinds)
  func `an error leaves no new file`(source: StoreKind, target: StoreKind) throws {
    struct Stop: Error {}
    try makeStore(source)
    let names = files
    let refused = #expect(throws: ManagedObjectError.self) { try migrate(source, target, droppedValues: .refuse) }
    #expect(refused?.code == .droppedValues)
    let stopped = #expect(throws: ManagedObjectError.self) {
      try migrate(source, target, droppedValues: .drop) { _ in throw Stop() }
    }
    #expect(stopped?.code == .migrationCancelled && stopped?.underlyingError is Stop)
    let failed = #expect(throws: ManagedObjectError.self) {
      try migrate(source, target, by: StoreMapping(entities: ["Note": EntityMigrationPolicy { _, _ in throw Stop() }]))
    }
    #expect(failed != nil)
    #expect(files == names)
    try Data("other".utf8).write(to: new)
    let exists = #expect(throws: ManagedObjectError.self) { try migrate(source, target) }
    #expect(exists?.code == .save)
    #expect(try Data(contentsOf: new) == Data("other".utf8))
  }

  @Test(arguments: kinds)
  func `a store of another kind is refused`(kind: StoreKind) throws {
    try makeStore(kind)
    for other in Self.kinds where other != kind {
      let error = #expect(throws: ManagedObjectError.self) { try migrate(other, .xml) }
      #expect(error?.code == .storeTypeMismatch)
    }
    #expect(!folder.names.contains("new"))
  }
}
