import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Random scripts that run in two equal worlds. One touches the objects of an array, which retains them; the other
/// those of a list that makes them. Both must show the same values.
@Suite("Random scripts with lists that make objects") struct FetchedObjectsScriptTests {
  typealias Note = FetchedObjectsTests.Note
  typealias Writer = FetchedObjectsTests.Writer

  /// A store with a context that has results, and a context that makes other changes.
  private final class World {
    let root: ManagedObjectContext
    let context: ManagedObjectContext
    let other: ManagedObjectContext
    let isLazy: Bool
    private(set) var array: [Note] = []
    private(set) var list: FetchedObjects<Note>?
    /// Objects of the list that the program references.
    var held: [Note] = []

    init(_ kind: StoreKind, _ folder: TemporaryFolder, levels: Int, isLazy: Bool) throws {
      let coordinator = try kind.coordinator(FetchedObjectsTests.model, folder)
      try FetchedObjectsTests.fill(coordinator, 24)
      root = ManagedObjectContext(coordinator: coordinator)
      context = levels == 1 ? root : ManagedObjectContext(parent: root)
      if levels > 1 { context.mergesChangesAutomatically = true }
      context.undoManager = ManagedObjectContext.UndoManager()
      other = ManagedObjectContext(coordinator: coordinator)
      root.mergePolicy = .objectTrump
      other.mergePolicy = .objectTrump
      self.isLazy = isLazy
    }

    var count: Int { list?.count ?? array.count }

    subscript(index: Int) -> Note { list?[index] ?? array[index] }

    func fetch(_ request: FetchRequest) throws {
      held = []
      if isLazy {
        let found = try context.fetchLazily(request)
        list = try context.fetchLazily(
          Note.self, where: request.predicate, sortedBy: request.sortDescriptors, limit: request.fetchLimit)
        #expect(found.objectIDs == list?.objectIDs)
      } else {
        array = try context.fetch(request).compactMap { $0 as? Note }
      }
    }

    /// Saves a change of another context, and merges it.
    func changeElsewhere(_ number: Int, _ change: (ManagedObjectContext, Note) throws -> Void) throws {
      guard
        let note = try other.fetch(Note.self, where: ManagedPredicate(format: "number == %d", number)).first
      else { return }
      try other.refresh(note, mergeChanges: true)
      try change(other, note)
      var changes = SavedChanges()
      let observer = other.addEventObserver { if case .didSave(let save) = $0 { changes = save.changes } }
      try other.save()
      other.removeObserver(observer)
      try root.mergeChanges(from: changes)
      context.processPendingChanges()
    }

    func saveAll() throws {
      try context.save()
      try root.save()
      context.processPendingChanges()
    }
  }

  /// Returns a description of the values of an object; nil for an object without a context, which the list cannot make.
  private func text(_ note: Note) -> String {
    let values = "\(note.number) \(note.title) \(note.writer?.name ?? "-")"
    if note.managedObjectContext == nil || note.isInaccessible { return "lost" }
    return "\(values) \(note.isInserted) \(note.isUpdated) \(note.isDeleted) \(note.changedValues().keys.sorted())"
  }

  private enum Step: CaseIterable {
    case touch, touchSome, change, changeWriter, insert, delete, save, failToSave, updateElsewhere, deleteElsewhere
    case refresh, discard, refreshAll, rollBack, undo, redo, release, fetch, reset
  }

  private func run(_ step: Step, _ world: World, _ random: inout SeededGenerator, _ number: Int) throws -> String {
    let index = Int.random(in: 0..<max(world.count, 1), using: &random)
    let isHeld = Bool.random(using: &random)
    let choice = Int.random(in: 0..<24, using: &random)
    switch step {
    case .fetch:
      let orders: [[FetchRequest.SortDescriptor]] = [
        [.init("number")], [.init("title", isAscending: false), .init("number")],
        [.init("writer.name"), .init("number")],
      ]
      var request = FetchRequest("Note", sortedBy: orders[choice % 3])
      if choice < 6 { request.fetchLimit = 10 }
      if choice % 4 == 1 { request.predicate = try ManagedPredicate(format: "number > 5") }
      try world.fetch(request)
      return "\(world.count)"
    case .save:
      // Undo and redo can bring back an object that cannot be saved.
      return "\(String(describing: errorCode { try world.saveAll() }))"
    case .updateElsewhere:
      try world.changeElsewhere(choice) { _, note in note.title = "elsewhere \(number)" }
    case .deleteElsewhere:
      try world.changeElsewhere(choice) { context, note in
        // A merge keeps a changed object. After a rollback, only an object that was not released has values.
        guard world.context.registeredObject(for: note.objectID)?.hasChanges != true else { return }
        try context.delete(note)
      }
    case .refreshAll: try world.context.refreshAllObjects()
    case .rollBack: world.context.rollback()
    case .undo: world.context.undo()
    case .redo: world.context.redo()
    case .release: world.held = []
    case .insert:
      let note = try world.context.insert(Note.self)
      (note.number, note.title) = (100 + number, "new \(number)")
    case .reset:
      world.context.reset()
      try world.fetch(FetchRequest("Note", sortedBy: [.init("number")]))
    case .touchSome:
      return (index..<min(index + 6, world.count)).map { text(world[$0]) }.joined(separator: "\n")
    case .touch, .change, .changeWriter, .delete, .refresh, .discard, .failToSave:
      guard world.count > 0 else { return "" }
      let note = world[index]
      let before = text(note)
      if isHeld { world.held.append(note) }
      guard before != "lost", !note.isDeleted else { return before }
      switch step {
      case .change: note.title = "title \(choice).\(number)"
      case .changeWriter:
        note.writer = try world.context.fetch(Writer.self, sortedBy: .ascending(\.name))[choice % 3]
      case .delete: try world.context.delete(note)
      case .refresh: try world.context.refresh(note, mergeChanges: true)
      case .discard: try world.context.refresh(note, mergeChanges: false)
      case .failToSave:
        // A new object without a title cannot be saved.
        let invalid = try world.context.insert(Note.self)
        try invalid.setValue(.null, forKey: "title")
        let error = errorCode { try world.context.save() }
        try world.context.delete(invalid)
        return before + "\(String(describing: error))"
      default: break
      }
      world.context.processPendingChanges()
      return before + "\n" + text(note)
    }
    world.context.processPendingChanges()
    return ""
  }

  @Test(arguments: StoreKind.saving, [1, 2])
  func `a list shows the values that an array of the objects shows`(kind: StoreKind, levels: Int) throws {
    for seed in 0..<LongForm.size(all: 2_000, 60, or: 6) {
      let folder = TemporaryFolder(isInMemory: true)
      let worlds = try [false, true].map { try World(kind, folder, levels: levels, isLazy: $0) }
      for world in worlds { try world.fetch(FetchRequest("Note", sortedBy: [.init("number")])) }
      var random = SeededGenerator(seed: UInt64(seed) * 4 + UInt64(levels))
      var log: [String] = []
      for number in 0..<60 {
        let step = number % 3 == 0 ? Step.touch : Step.allCases.randomElement(using: &random) ?? .touch
        var copies = [random, random]
        let results = try [0, 1].map { try run(step, worlds[$0], &copies[$0], number) }
        random = copies[0]
        log.append("\(step): \(results[0].replacing("\n", with: " -> "))")
        try #require(results[0] == results[1], "seed \(seed)\n\(log.joined(separator: "\n"))\n--\n\(results[1])")
      }
      let all = worlds.map { world in (0..<world.count).map { text(world[$0]) } }
      try #require(all[0] == all[1], "seed \(seed)\n\(log.joined(separator: "\n"))")
      worlds[1].held = []
      #expect(worlds[1].context.registered.count <= worlds[0].context.registered.count)
    }
  }
}
