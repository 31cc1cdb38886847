import Foundation
import ManagedObjects
import SQLiteStore

extension GrowthTable {
  /// Prepares a run with a store, and returns the work to measure.
  private typealias Preparation = (_ container: PersistentContainer, _ size: Int) throws -> () throws -> Void

  private static func lines(
    _ name: String, _ shape: GrowthObjects, in storages: [Storage] = [.memory, .sqlite],
    _ prepare: @escaping Preparation
  ) -> [GrowthLine] {
    storages.map { storage in
      // The time to save a small file does not depend on its contents.
      let base = storage == .memory ? 100 : 400
      return GrowthLine.renewing(
        name, "\(storage.rawValue), \(shape.rawValue)", base: base, greatest: GrowthStore.greatestSize,
        each: { size, folder in
          if storage != .memory { try GrowthStore.fill(storage, shape, size, in: folder) }
          return {
            let container: PersistentContainer
            if storage == .memory {
              container = try GrowthStore.container(.memory, in: folder)
              try shape.fill(container.newContext(), size)
            } else {
              container = try GrowthStore.container(storage, in: GrowthStore.copy(folder))
            }
            return try prepare(container, size)
          }
        })
    }
  }

  /// Lines for work on objects of contexts.
  static var objectLines: [GrowthLine] {
    var lines: [GrowthLine] = []
    let all: [Storage] = [.memory, .sqlite, .xml, .binary]
    for storage in all {
      for shape in GrowthObjects.allCases {
        lines.append(
          GrowthLine.renewing(
            "insert, save", "\(storage.rawValue), \(shape.rawValue)", base: 100, greatest: GrowthStore.greatestSize,
            each: { size, folder in
              return {
                let run = folder.appendingPathComponent(UUID().uuidString)
                try FileManager.default.createDirectory(at: run, withIntermediateDirectories: true)
                let container = try GrowthStore.container(storage, in: run)
                let context = container.newContext()
                return { try shape.fill(context, size) }
              }
            }))
        lines += Self.lines("open, fetch all", shape, in: [storage]) { container, size in
          let context = container.newContext()
          return {
            for entity in ["Note", "Person", "Tag", "Album"] { keep(try context.fetch(FetchRequest(entity))) }
          }
        }
        guard storage == .memory || storage == .sqlite else { continue }
        lines += Self.lines("walk all relationships", shape, in: [storage]) { container, size in
          let context = container.newContext()
          return {
            for entity in ["Note", "Person", "Tag", "Album"] {
              for object in try context.fetch(FetchRequest(entity)) {
                for name in object.entity.relationships.map(\.name) { keep(try object.value(forKey: name)) }
              }
            }
          }
        }
        lines += Self.lines("delete all, save", shape, in: [storage]) { container, size in
          let context = container.newContext()
          let objects = try ["Person", "Note", "Tag", "Album"].flatMap { try context.fetch(FetchRequest($0)) }
          return {
            for object in objects { try context.delete(object) }
            try context.save()
          }
        }
      }
      lines += Self.lines("change all, save", .rows, in: [storage]) { container, size in
        let context = container.newContext()
        let notes = try context.fetch(FetchRequest("Note"))
        return {
          for note in notes { try note.setValue(.string("new"), forKey: "text") }
          try context.save()
        }
      }
    }
    let fetches: [(String, (Int) throws -> FetchRequest)] = [
      ("by a number", { FetchRequest("Note", where: try ManagedPredicate(format: "number >= %d", $0 / 2)) }),
      (
        "CONTAINS[cd]",
        { _ in FetchRequest("Note", where: try ManagedPredicate(format: "text CONTAINS[cd] %@", "ÄBOUT")) }
      ),
      ("MATCHES", { _ in FetchRequest("Note", where: try ManagedPredicate(format: "text MATCHES %@", ".*about.*1")) }),
      ("LIKE", { _ in FetchRequest("Note", where: try ManagedPredicate(format: "text LIKE %@", "*about*note*")) }),
      (
        "by a key path",
        { _ in FetchRequest("Note", where: try ManagedPredicate(format: "author.name ENDSWITH %@", "1")) }
      ),
      ("ANY", { _ in FetchRequest("Person", where: try ManagedPredicate(format: "ANY notes.number > %d", 10)) }),
      ("@count", { _ in FetchRequest("Person", where: try ManagedPredicate(format: "notes.@count > 5")) }),
      ("@sum", { _ in FetchRequest("Person", where: try ManagedPredicate(format: "notes.@sum.number > 5")) }),
      (
        "SUBQUERY",
        { _ in
          FetchRequest(
            "Person", where: try ManagedPredicate(format: "SUBQUERY(notes, $n, $n.number > 7).@count > 2"))
        }
      ),
      ("sorted", { _ in FetchRequest("Note", sortedBy: [.init("text", isAscending: false)]) }),
      (
        "sorted by a localized comparison",
        { _ in FetchRequest("Note", sortedBy: [.init("text", comparison: .localizedStandard)]) }
      ),
      ("sorted by a key path", { _ in FetchRequest("Note", sortedBy: [.init("author.name"), .init("title")]) }),
      (
        "IN a list of all",
        { size in
          FetchRequest("Note", where: try ManagedPredicate(format: "number IN %@", Array(0..<size)))
        }
      ),
      (
        "IN a list of texts",
        { size in
          FetchRequest("Note", where: try ManagedPredicate(format: "title IN %@", (0..<size).map { "Note \($0)" }))
        }
      ),
      (
        "the last ten, by an offset",
        { size in
          var request = FetchRequest("Note", sortedBy: [.init("number")])
          (request.fetchOffset, request.fetchLimit) = (size - 10, 10)
          return request
        }
      ),
      (
        "in batches",
        { _ in
          var request = FetchRequest("Note")
          request.fetchBatchSize = 50
          return request
        }
      ),
      (
        "prefetching",
        { _ in
          var request = FetchRequest("Person")
          request.relationshipKeyPathsForPrefetching = ["notes.tags"]
          return request
        }
      ),
    ]
    for (name, request) in fetches {
      let storages: [Storage] = name == "sorted" || name == "ANY" ? all : [.memory, .sqlite]
      lines += Self.lines("fetch, \(name)", .rows, in: storages) { container, size in
        let context = container.newContext()
        let request = try request(size)
        return { for object in try context.fetch(request) { keep(object.objectID) } }
      }
    }
    for shape in [GrowthObjects.owner, .hub, .album, .grid] {
      let (entity, key) =
        shape == .owner ? ("Person", "notes") : shape == .album ? ("Album", "notes") : ("Tag", "notes")
      for text in ["ANY \(key).number == -1", "\(key).@count > 5", "SUBQUERY(\(key), $n, $n.number < 0).@count > 0"] {
        lines += Self.lines("fetch, \(text)", shape) { container, size in
          let context = container.newContext()
          let request = FetchRequest(entity, where: try ManagedPredicate(format: text))
          return { keep(try context.fetch(request)) }
        }
      }
      let inverse = shape == .owner ? "author.name" : shape == .album ? "album.name" : "ANY tags.name"
      lines += Self.lines("fetch, \(inverse) == …", shape) { container, size in
        let context = container.newContext()
        let request = FetchRequest("Note", where: try ManagedPredicate(format: "\(inverse) == %@", "tag"))
        return { keep(try context.fetch(request)) }
      }
    }
    lines += Self.lines("fetch, NONE of a relationship", .tree) { container, size in
      let context = container.newContext()
      let request = FetchRequest("Person", where: try ManagedPredicate(format: "NONE staff.name == %@", "Person 3"))
      return { keep(try context.fetch(request)) }
    }
    lines += Self.lines("fetchDictionaries, grouped", .rows) { container, size in
      let context = container.newContext()
      var request = FetchRequest("Note")
      request.resultType = .dictionaries
      request.propertiesToGroupBy = [.property("author")]
      request.propertiesToFetch = [
        .property("author"),
        .expression(name: "sum", try ManagedExpression(format: "sum:(number)"), type: .integer64),
      ]
      return { [request] in keep(try context.fetchDictionaries(request)) }
    }
    lines += Self.lines("fetchDictionaries, distinct", .rows) { container, size in
      let context = container.newContext()
      var request = FetchRequest("Note")
      request.resultType = .dictionaries
      request.returnsDistinctResults = true
      request.propertiesToFetch = [.property("text"), .property("number")]
      return { [request] in keep(try context.fetchDictionaries(request)) }
    }
    lines += Self.lines("count(for:), fetchObjectIDs", .rows) { container, size in
      let context = container.newContext()
      let request = FetchRequest("Note", where: try ManagedPredicate(format: "text ENDSWITH '1'"))
      return {
        keep(try context.count(for: request))
        keep(try context.fetchObjectIDs(request))
      }
    }
    lines += Self.lines("fetch, with unsaved changes of all", .rows) { container, size in
      let context = container.newContext()
      for note in try context.fetch(FetchRequest("Note")) { try note.setValue(.string("new"), forKey: "text") }
      let request = FetchRequest(
        "Note", where: try ManagedPredicate(format: "text == 'new'"), sortedBy: [.init("number")])
      return { keep(try context.fetch(request)) }
    }
    lines += Self.lines("existingObject(with:)", .rows) { container, size in
      let ids = try container.newContext().fetchObjectIDs(FetchRequest("Note"))
      let context = container.newContext()
      return { for id in ids { keep(try context.existingObject(with: id)) } }
    }
    lines += Self.lines("refreshAllObjects", .rows) { container, size in
      let context = container.newContext()
      let notes = try context.fetch(FetchRequest("Note"))
      for note in notes { try note.setValue(.string("new"), forKey: "text") }
      return {
        try context.refreshAllObjects()
        keep(notes)
      }
    }
    lines += Self.lines("rollback", .rows) { container, size in
      let context = container.newContext()
      for note in try context.fetch(FetchRequest("Note")) { try note.setValue(.string("new"), forKey: "text") }
      return { context.rollback() }
    }
    lines += Self.lines("reset", .grid) { container, size in
      let context = container.newContext()
      let notes = try context.fetch(FetchRequest("Note"))
      for note in notes { keep(try note.value(forKey: "tags")) }
      return {
        context.reset()
        keep(notes)
      }
    }
    lines += Self.lines("processPendingChanges", .rows, in: [.memory]) { container, size in
      let context = container.newContext()
      let notes = try context.fetch(FetchRequest("Note"))
      return {
        for note in notes {
          try note.setValue(.string("new"), forKey: "text")
          context.processPendingChanges()
        }
      }
    }
    lines += Self.lines("undo, redo", .rows, in: [.memory]) { container, size in
      let context = container.newContext()
      let undoManager = ManagedObjectContext.UndoManager()
      context.undoManager = undoManager
      let notes = try context.fetch(FetchRequest("Note"))
      return {
        for note in notes {
          try note.setValue(.string("new"), forKey: "text")
          context.processPendingChanges()
        }
        for _ in notes { context.undo() }
        for _ in notes { context.redo() }
      }
    }
    lines += Self.lines("undo, all in one group", .rows, in: [.memory]) { container, size in
      let context = container.newContext()
      context.undoManager = ManagedObjectContext.UndoManager()
      let notes = try context.fetch(FetchRequest("Note"))
      return {
        for note in notes { try context.delete(note) }
        context.processPendingChanges()
        context.undo()
        context.redo()
      }
    }
    for shape in [GrowthObjects.rows, .grid, .owner] {
      lines += Self.lines("save a child context", shape, in: [.memory]) { container, size in
        let parent = container.newContext()
        let child = ManagedObjectContext(parent: parent)
        return {
          try shape.fill(child, size)
          keep(parent)
        }
      }
    }
    lines += Self.lines("save one object, changed in each save", .rows, in: all) { container, size in
      let context = container.newContext()
      let note = try context.fetch(FetchRequest("Note"))[0]
      // A constant number of saves, so that only the size of the store grows.
      return {
        for number in 0..<10 {
          try note.setValue(.integer(Int64(-number - 1)), forKey: "number")
          try context.save()
        }
      }
    }
    lines += Self.lines("save each object by itself", .rows, in: [.memory, .sqlite]) { container, size in
      let context = container.newContext()
      let notes = try context.fetch(FetchRequest("Note"))
      return {
        for note in notes {
          try note.setValue(.integer(-1), forKey: "number")
          try context.save()
        }
      }
    }
    for (shape, key) in [(GrowthObjects.owner, "author"), (.album, "album"), (.hub, "tags")] {
      lines += Self.lines("take each object out of a relationship, save", shape) { container, size in
        let context = container.newContext()
        let notes = try context.fetch(FetchRequest("Note"))
        return {
          for note in notes { try note.setValue(key == "tags" ? .set([]) : .null, forKey: key) }
          try context.save()
        }
      }
      lines += Self.lines("delete each object of a relationship, save", shape) { container, size in
        let context = container.newContext()
        let notes = try context.fetch(FetchRequest("Note"))
        let owner = try context.fetch(
          FetchRequest(shape == .owner ? "Person" : shape == .album ? "Album" : "Tag"))[0]
        keep(try owner.value(forKey: "notes"))
        return {
          for note in notes { try context.delete(note) }
          try context.save()
        }
      }
      lines += Self.lines("add each object to a relationship, save", .rows) { container, size in
        let context = container.newContext()
        let owner = try context.insert(shape == .owner ? "Person" : shape == .album ? "Album" : "Tag")
        let notes = try context.fetch(FetchRequest("Note"))
        return {
          for note in notes { try note.setValue(key == "tags" ? .set([.object(owner)]) : .object(owner), forKey: key) }
          try context.save()
        }
      }.map { $0.named(", \(key)") }
    }
    lines += Self.lines("delete the root of a cascade, save", .chain) { container, size in
      let context = container.newContext()
      let root = try context.fetch(FetchRequest("Person", where: ManagedPredicate(format: "chief == nil")))[0]
      return {
        try context.delete(root)
        try context.save()
      }
    }
    lines += Self.lines("delete the root of a cascade, save", .tree) { container, size in
      let context = container.newContext()
      let root = try context.fetch(FetchRequest("Person", where: ManagedPredicate(format: "chief == nil")))[0]
      return {
        try context.delete(root)
        try context.save()
      }
    }
    lines += Self.lines("batch insert", .rows) { container, size in
      let context = container.newContext()
      let rows: [[String: AttributeValue]] = (0..<size).map {
        ["title": .string("New \($0)"), "number": .integer(Int64($0))]
      }
      return { keep(try context.execute(.insert("Note", rows))) }
    }
    lines += Self.lines("batch update", .rows, in: all) { container, size in
      let context = container.newContext()
      return { keep(try context.execute(.update("Note", ["text": .string("new")]))) }
    }
    lines += Self.lines("batch update, all objects in the context", .rows) { container, size in
      let context = container.newContext()
      let notes = try context.fetch(FetchRequest("Note"))
      return {
        let changes = try context.execute(.update("Note", ["text": .string("new")])).changes
        try context.mergeChanges(from: changes)
        keep(notes)
      }
    }
    for shape in GrowthObjects.allCases {
      lines += Self.lines("batch delete", shape) { container, size in
        let context = container.newContext()
        return { keep(try context.execute(.delete(shape == .chain || shape == .tree ? "Person" : "Note"))) }
      }
    }
    lines += Self.lines("mergeChanges of another context", .rows) { container, size in
      let (first, second) = (container.newContext(), container.newContext())
      let (own, others) = (try first.fetch(FetchRequest("Note")), try second.fetch(FetchRequest("Note")))
      for note in own { keep(try note.value(forKey: "text")) }
      for note in others { try note.setValue(.string("new"), forKey: "text") }
      try second.save()
      var saved = SavedChanges()
      saved.updated = .init(others.map(\.objectID))
      return { [saved] in
        try first.mergeChanges(from: saved)
        keep(own)
      }
    }
    lines += Self.lines("save with conflicts of all, objectTrump", .rows) { container, size in
      let (first, second) = (container.newContext(), container.newContext())
      first.mergePolicy = .objectTrump
      for note in try first.fetch(FetchRequest("Note")) { try note.setValue(.string("own"), forKey: "text") }
      for note in try second.fetch(FetchRequest("Note")) { try note.setValue(.integer(-1), forKey: "number") }
      try second.save()
      return { try first.save() }
    }
    lines += Self.lines("value(forKeyPath:), changedValues, committedValues", .rows, in: [.memory]) { container, size in
      let context = container.newContext()
      let notes = try context.fetch(FetchRequest("Note"))
      for note in notes { try note.setValue(.string("new"), forKey: "text") }
      return {
        for note in notes {
          keep(try note.value(forKeyPath: "author.notes.@count"))
          keep((note.changedValues(), note.committedValues()))
        }
      }
    }
    lines += Self.lines("evaluate a predicate with each object", .rows, in: [.memory]) { container, size in
      let context = container.newContext()
      let notes = try context.fetch(FetchRequest("Note"))
      let predicate = try ManagedPredicate(format: "author.name ENDSWITH '1' AND text CONTAINS[c] 'ABOUT'")
      return { for note in notes { keep(try predicate.evaluate(with: note)) } }
    }
    return lines + resultLines
  }

  /// Lines for fetched results.
  private static var resultLines: [GrowthLine] {
    var lines: [GrowthLine] = []
    func request(sorted keys: [String] = ["text", "title"]) -> FetchRequest {
      var request = FetchRequest("Note", sortedBy: keys.map { .init($0) })
      request.fetchBatchSize = 50
      return request
    }
    lines += Self.lines("FetchedResultsController, performFetch", .rows) { container, size in
      let context = container.newContext()
      return {
        let results = try FetchedResultsController(request(), in: context)
        try results.performFetch()
        for offset in 0..<size { keep(results.object(at: offset) as Any) }
      }
    }
    lines += Self.lines("FetchedResultsController, many sections", .rows) { container, size in
      let context = container.newContext()
      return {
        let results = try FetchedResultsController(
          request(sorted: ["author.name", "title"]), in: context, sectionKeyPath: "author.name")
        try results.performFetch()
        keep(results.sections.map { $0.name })
        for offset in 0..<size { keep(results.object(at: offset).map { results.indexPath(of: $0) } as Any) }
      }
    }
    let changes: [(String, (ManagedObjectContext, ManagedObject, Int, Int) throws -> Void)] = [
      ("change", { _, note, _, _ in try note.setValue(.double(-1), forKey: "price") }),
      ("move", { _, note, number, size in try note.setValue(.string("\(number * 7919 % size)"), forKey: "text") }),
      ("delete", { context, note, _, _ in try context.delete(note) }),
      (
        "insert",
        { context, _, number, size in
          try context.insert("Note").setValues(["text": .string("\(number * 7919 % size)")])
        }
      ),
      (
        "move to another section",
        { context, note, number, _ in
          try note.setValue(.string("section \(number % 10)"), forKey: "text")
        }
      ),
    ]
    for (name, change) in changes {
      for isTogether in [false, true] {
        lines += Self.lines(
          "FetchedResultsController, \(name) each\(isTogether ? ", at once" : "")", .rows, in: [.memory, .sqlite]
        ) { container, size in
          let context = container.newContext()
          let notes = try context.fetch(FetchRequest("Note"))
          let results = try FetchedResultsController(
            request(), in: context, sectionKeyPath: name == "move to another section" ? "text" : nil)
          try results.performFetch()
          return {
            for (number, note) in notes.enumerated() {
              try change(context, note, number, size)
              if !isTogether { context.processPendingChanges() }
            }
            context.processPendingChanges()
            keep(results)
          }
        }
      }
    }
    lines += Self.lines("FetchedResultsSnapshot.apply", .rows, in: [.memory]) { container, size in
      let context = container.newContext()
      let results = try FetchedResultsController(request(), in: context)
      try results.performFetch()
      let snapshot = results.snapshot
      let recorder = ChangeRecorder()
      results.delegate = recorder
      for (number, note) in try context.fetch(FetchRequest("Note")).enumerated() where number % 3 > 0 {
        if number % 3 == 1 {
          try context.delete(note)
        } else {
          try note.setValue(.string("\(number * 7919 % size)"), forKey: "text")
        }
      }
      context.processPendingChanges()
      return {
        var snapshot = snapshot
        for changes in recorder.changes { keep(snapshot.apply(changes)) }
        keep(results)
      }
    }
    return lines
  }

  private final class ChangeRecorder: FetchedResultsControllerDelegate {
    var changes: [FetchedResultsChanges] = []

    func controller(
      _ controller: FetchedResultsController<ManagedObject>, didChangeContentWith changes: FetchedResultsChanges
    ) { self.changes.append(changes) }
  }
}
