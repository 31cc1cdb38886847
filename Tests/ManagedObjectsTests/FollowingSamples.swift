import ManagedObjects

/// A model for contexts that follow the changes of others.
enum FollowingSamples {
  final class Note: ManagedObject {
    @Attribute(.minimumLength(1)) var title = "Untitled"
    @Attribute var count = 0
    @Relationship var parts: Set<Part>
  }

  final class Part: ManagedObject {
    @Attribute var text = ""
    @Relationship(inverse: \Note.parts) var note: Note?
  }

  static func model() throws -> ManagedObjectModel { try ManagedObjectModel(Note.self, Part.self) }

  static func container() throws -> PersistentContainer {
    try PersistentContainer(model: model(), stores: [.inMemory])
  }

  /// Saves notes in a context of their own.
  static func add(_ titles: String..., to container: PersistentContainer) throws {
    try container.updateAndWait { context in
      for title in titles { try context.insert(Note.self).title = title }
    }
  }

  /// Adds 1 to the counts of all notes, in a context of its own.
  static func count(_ container: PersistentContainer) throws {
    try container.updateAndWait { context in for note in try context.fetch(Note.self) { note.count += 1 } }
  }

  static func titles(_ context: ManagedObjectContext) throws -> [String] {
    try context.fetch(Note.self, sortedBy: [.init("title")]).map(\.title)
  }

  /// Returns the titles in the store.
  static func stored(_ container: PersistentContainer) throws -> [String] {
    try container.performAndWait { context in try titles(context) }
  }
}
