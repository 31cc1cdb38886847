import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import TestSupport
import Testing

/// A program whose versions each have classes of their own, in a namespace, for the same entities.
@Suite("Classes for each version of a model") struct VersionedClassTests {
  enum Version1 {
    final class Note: ManagedObject {
      @Attribute var title: String?
      @Attribute var text: String?
      @Relationship(inverse: \Folder.notes) var folder: Folder?
    }

    final class Folder: ManagedObject {
      @Attribute var name: String?
      @Relationship var notes: Set<Note>
    }

    static let model = Result { try ManagedObjectModel(classes: [Note.self, Folder.self]) }
  }

  enum Version2 {
    final class Note: ManagedObject {
      @Attribute(.renamed(from: "title")) var heading: String?
      @Attribute var text: String?
      @Attribute var length = 0
      @Relationship(inverse: \Folder.notes) var folder: Folder?
    }

    final class Folder: ManagedObject {
      @Attribute var name: String?
      @Relationship var notes: Set<Note>
    }

    static let model = Result { try ManagedObjectModel(classes: [Note.self, Folder.self]) }
  }

  private let folder = TemporaryFolder(isInMemory: true)
  private var file: URL { folder.url.appending(path: "store") }

  @Test(arguments: [StoreKind.xml, .binary, .sqlite])
  func `handlers of a stage use the classes of both versions`(kind: StoreKind) throws {
    let (first, second) = try (Version1.model.get(), Version2.model.get())
    do {
      let context = try ManagedObjectContext(kind.open(file, first))
      let home = try context.insert(Version1.Folder.self)
      home.name = "Home"
      for title in ["a", "bb"] {
        let note = try context.insert(Version1.Note.self)
        note.title = title
        note.text = "text \(title)"
        note.folder = home
      }
      try context.save()
    }
    let stages = StagedMigration([
      .init(first),
      .init(
        second,
        willMigrate: { context in
          for note in try context.fetch(Version1.Note.self) { note.text = note.text?.uppercased() }
        },
        didMigrate: { context in
          for note in try context.fetch(Version2.Note.self) { note.length = note.text?.count ?? 0 }
        }),
    ])
    var description: PersistentStoreDescription =
      switch kind {
      case .xml: .xml(file)
      case .binary: .binary(file)
      default: .sqlite(file)
      }
    description.stages = stages
    let container = try PersistentContainer(model: second, stores: [description])
    let context = container.newContext()
    let notes = try context.fetch(Version2.Note.self).sorted { $0.length < $1.length }
    #expect(notes.map(\.heading) == ["a", "bb"])
    #expect(notes.map(\.text) == ["TEXT A", "TEXT BB"])
    #expect(notes.map(\.length) == [6, 7])
    #expect(notes.map { $0.folder?.name } == ["Home", "Home"])
  }
}
