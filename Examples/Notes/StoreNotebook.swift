import FoundationEssentials
import ManagedObjects

/// Notes in a store of managed objects. Any number of processes can use it at the same time.
struct StoreNotebook: Notebook {
  private let container: PersistentContainer

  /// Opens a store of notes. Creates it if it does not exist.
  init(_ store: PersistentStoreDescription) throws {
    container = try PersistentContainer(model: ManagedObjectModel(StoredNote.self, Tag.self), stores: [store])
  }

  func titles() throws -> [(key: String, title: String)] {
    try container.performAndWait { context in
      try context.fetch(StoredNote.self, sortedBy: .ascending(\.added)).map { ($0.key, $0.title) }
    }
  }

  func note(_ key: String) throws -> Note {
    try container.performAndWait { context in try StoredNote.existing(key, in: context).note }
  }

  func add(_ note: Note, forKey key: String) throws {
    try container.updateAndWait { context in
      guard try StoredNote.find(key, in: context) == nil else { throw NotebookError.alreadyThere(key) }
      let stored = try context.insert(StoredNote.self)
      stored.key = key
      try stored.set(note)
    }
  }

  func change(_ key: String, _ change: (inout Note) -> Void) throws {
    try container.updateAndWait { context in
      let stored = try StoredNote.existing(key, in: context)
      var note = stored.note
      change(&note)
      try stored.set(note)
    }
  }

  func remove(_ key: String) throws {
    try container.updateAndWait { context in
      try context.delete(StoredNote.existing(key, in: context))
    }
  }
}

extension StoredNote {
  fileprivate static func find(_ key: String, in context: ManagedObjectContext) throws -> StoredNote? {
    try context.fetch(StoredNote.self, where: #Predicate { $0.key == key }).first
  }

  fileprivate static func existing(_ key: String, in context: ManagedObjectContext) throws -> StoredNote {
    guard let note = try find(key, in: context) else { throw NotebookError.noSuchNote(key) }
    return note
  }
}
