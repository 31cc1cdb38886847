import Foundation
import ManagedObjects
import SQLiteStore
import TestSupport
import Testing

/// Batch requests of all kinds, in all kinds of stores.
@Suite("Batch requests in all stores") struct BatchStoreTests {
  private final class Note: ManagedObject {
    @Attribute var title = ""
    @Attribute var pages = 7
    @Attribute var price: Double?
    @Relationship(inverse: \Writer.notes) var author: Writer?
  }

  private final class Writer: ManagedObject {
    @Attribute(.unique) var name: String?
    @Relationship var notes: Set<Note>
  }

  private static let model: ManagedObjectModel = {
    do { return try ManagedObjectModel(Note.self, Writer.self) } catch { fatalError("\(error)") }
  }()

  private let folder = TemporaryFolder(isInMemory: true)

  private func context(_ kind: StoreKind) throws -> ManagedObjectContext {
    ManagedObjectContext(coordinator: try kind.coordinator(Self.model, folder))
  }

  /// Returns the titles and pages of all notes.
  private func notes(_ context: ManagedObjectContext) throws -> [String] {
    let reader = ManagedObjectContext(coordinator: context.coordinator)
    let order: [FetchRequest.SortDescriptor] = [.init("title"), .init("pages")]
    return try reader.fetch(Note.self, sortedBy: order).map { "\($0.title) \($0.pages)" }
  }

  private static let types: [BatchRequest.ResultType] = [.count, .objectIDs]

  @Test(arguments: StoreKind.allCases, types)
  func `a result has the number of objects, and their IDs if it should`(
    kind: StoreKind, type: BatchRequest.ResultType
  ) throws {
    let context = try context(kind)
    func check(_ request: BatchRequest, _ count: Int, _ ids: KeyPath<SavedChanges, Set<ManagedObjectID>>) throws {
      let result = try context.execute(request.returning(type))
      #expect(result.count == count)
      #expect(result.changes.isComplete == (type == .objectIDs))
      #expect(result.changes[keyPath: ids].count == (type == .objectIDs ? count : 0))
      let all = result.changes.inserted.union(result.changes.updated).union(result.changes.deleted)
      #expect(all == result.changes[keyPath: ids])
    }
    try check(.insert("Note", (1...5).lazy.map { ["pages": .integer(Int64($0))] }), 5, \.inserted)
    try check(.update("Note", ["title": .string("x")], where: ManagedPredicate(format: "pages > 2")), 3, \.updated)
    try check(.update("Note", ["title": .string("x")], where: ManagedPredicate(format: "pages > 9")), 0, \.updated)
    try check(.delete("Note", where: ManagedPredicate(format: "pages < 4")), 3, \.deleted)
    #expect(try notes(context) == ["x 4", "x 5"])
    try check(.insert("Note", []), 0, \.inserted)
  }

  @Test(arguments: StoreKind.allCases)
  func `an insertion takes objects from a function until it returns nil`(kind: StoreKind) throws {
    let context = try context(kind)
    var number = 0
    let request = BatchRequest.insert("Note") {
      number += 1
      return number > 3 ? nil : ["title": .string("note \(number)")]
    }
    #expect(try context.execute(request).count == 3)
    #expect(number == 4)
    #expect(try notes(context) == ["note 1 7", "note 2 7", "note 3 7"])
    var isFirst = true
    let failing = BatchRequest.insert("Note") { () throws(ManagedObjectError) in
      if !isFirst { throw ManagedObjectError(.operation, "the file ends in the middle of a line") }
      isFirst = false
      return ["title": .string("half")]
    }
    #expect(errorCode { try context.execute(failing) } == .operation)
    #expect(try notes(context).count == 3)
  }

  @Test(arguments: StoreKind.allCases)
  func `the function of an insertion may use the store`(kind: StoreKind) throws {
    let context = try context(kind)
    try context.execute(.insert("Note", [["title": .string("a")], ["title": .string("b")]]))
    var copies = try context.fetch(FetchRequest("Note", sortedBy: [.init("title")]))[...]
    let request = BatchRequest.insert("Note") { () throws(ManagedObjectError) in
      guard let next = copies.popFirst() as? Note else { return nil }
      let count = try context.count(Note.self)
      return ["title": .string(next.title), "pages": .integer(Int64(count))]
    }
    try context.execute(request)
    #expect(try notes(context) == ["a 2", "a 7", "b 2", "b 7"])
  }

  @Test(arguments: StoreKind.allCases)
  func `an update evaluates expressions with the old values`(kind: StoreKind) throws {
    let context = try context(kind)
    let writer = try context.insert(Writer.self)
    writer.name = "Emmy"
    let note = try context.insert(Note.self)
    note.title = "ring"
    note.author = writer
    try context.save()
    let values = [
      "pages": try ManagedExpression(format: "pages + author.notes.@count"),
      "title": try ManagedExpression(format: "uppercase:(author.name)"),
      "price": try ManagedExpression(format: "pages / 2.0"),
    ]
    #expect(try context.execute(.update("Note", values), mergesChanges: true).count == 1)
    #expect(note.title == "EMMY" && note.pages == 8 && note.price == 3.5)
  }

  @Test(arguments: StoreKind.allCases)
  func `a value that an attribute cannot have is an error, and nothing is changed`(kind: StoreKind) throws {
    let context = try context(kind)
    try context.execute(.insert("Note", [["title": .string("a"), "pages": .integer(2)], ["title": .string("b")]]))
    func error(_ name: String, _ format: String) -> ManagedObjectError? {
      thrownError { try context.execute(.update("Note", [name: ManagedExpression(format: format)])) }
    }
    #expect(error("pages", "title")?.code == .invalidValue)
    #expect(error("title", "pages + 1")?.key == "title")
    #expect(error("pages", "author")?.code == .invalidValue)
    #expect(error("pages", "author.notes.pages")?.code == .invalidValue)
    #expect(error("pages", "chapters + 1")?.code == .undefinedKey)
    #expect(error("chapters", "1")?.code == .undefinedKey)
    // Only the values of some objects are not valid.
    #expect(error("pages", "pages / 2.0")?.code == .invalidValue)
    #expect(error("pages", "14 / (pages - 2)")?.code == .unsupportedRequest)
    #expect(error("title", "nil")?.code == .missingMandatoryProperty || error("title", "nil")?.code == .multipleErrors)
    #expect(try notes(context) == ["a 2", "b 7"])
    let unknown = BatchRequest.insert("Note", [["title": .string("c")], ["title": .integer(1)]])
    #expect(errorCode { try context.execute(unknown) } == .invalidValue)
    #expect(try notes(context).count == 2)
  }

  @Test(arguments: StoreKind.allCases)
  func `requests have typed forms`(kind: StoreKind) throws {
    let context = try context(kind)
    var titles = ["a", "b", "c"][...]
    let insertion = BatchRequest.insert(Note.self) { note throws(ManagedObjectError) in
      guard let title = titles.popFirst() else { return false }
      try note.set(\.title, to: title)
      if title == "b" { try note.set(\.price, to: 2.5) }
      return true
    }
    #expect(try context.execute(insertion).count == 3)
    let update = try BatchRequest.update(
      Note.self, .set(\.pages, to: ManagedExpression(format: "pages * 2")), .set(\.price, to: nil),
      where: #Predicate { $0.title == "b" })
    #expect(try context.execute(update).count == 1)
    #expect(try notes(context) == ["a 7", "b 14", "c 7"])
    #expect(try context.execute(.delete(Note.self, where: #Predicate { $0.pages == 14 })).count == 1)
    #expect(try context.execute(.delete(Note.self)).count == 2)
    #expect(errorCode { _ = try BatchRequest.Assignment<Note>.set(\.title.count, to: 3) } == .undefinedKey)
  }

  @Test(arguments: StoreKind.allCases)
  func `objects are deleted by their IDs`(kind: StoreKind) throws {
    let context = try context(kind)
    let result = try context.execute(.insert("Note", (1...4).map { ["pages": .integer(Int64($0))] }))
    let ids = result.changes.inserted.sorted { $0.uriRepresentation < $1.uriRepresentation }
    let unsaved = try context.insert(Note.self)
    let request = BatchRequest.delete("Note", objectIDs: [ids[0], ids[2], unsaved.objectID])
    #expect(try context.execute(request).changes.deleted == [ids[0], ids[2]])
    #expect(try context.execute(request).count == 0)
    #expect(try notes(context) == [" 2", " 4"])
    #expect(errorCode { try context.execute(.delete("Writer", objectIDs: ids)) } == .unsupportedRequest)
    #expect(try context.execute(.delete("Note", objectIDs: [])).count == 0)
  }

  @Test(arguments: StoreKind.allCases, types)
  func `contexts show the changes after they merge them`(kind: StoreKind, type: BatchRequest.ResultType) throws {
    let context = try context(kind)
    let others = (0..<2).map { _ in ManagedObjectContext(coordinator: context.coordinator) }
    try context.execute(.insert("Note", [["title": .string("a")], ["title": .string("b")]]))
    let all = [context] + others
    let notes = try all.map { try $0.fetch(Note.self, sortedBy: [.init("title")]) }
    let update = BatchRequest.update("Note", ["pages": .integer(1)]).returning(type)
    let result = try context.execute(update, mergesChanges: true)
    #expect(notes.map { $0[0].pages } == [1, 7, 7])
    try ManagedObjectContext.mergeChanges(from: result.changes, into: others)
    #expect(notes.map { $0[1].pages } == [1, 1, 1])
    let isA = try ManagedPredicate(format: "title == 'a'")
    try context.execute(.delete("Note", where: isA).returning(type), mergesChanges: true)
    #expect((notes[0][0].managedObjectContext == nil) == (type == .objectIDs))
    #expect(try context.count(Note.self) == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `rows that exchange one value of a constraint keep their other values`(kind: StoreKind) throws {
    var item = EntityDescription("Item", [.attribute("shelf", .integer32), .attribute("place", .integer32)])
    item.uniquenessConstraints = [["shelf", "place"]]
    let model = try ManagedObjectModel(entities: [item])
    let context = ManagedObjectContext(coordinator: try kind.coordinator(model, folder))
    let items = try ([1, 2, 3] as [Int64]).map { place in
      let item = try context.insert("Item")
      try item.setValue(.attribute(.integer(4)), forKey: "shelf")
      try item.setValue(.attribute(.integer(place)), forKey: "place")
      return item
    }
    try context.save()
    func shelves() throws -> [String] {
      let reader = ManagedObjectContext(coordinator: context.coordinator)
      return try reader.fetch(FetchRequest("Item")).map { item in
        ["shelf", "place"].map { key in
          if case .attribute(.integer(let number))? = item[key] { "\(number)" } else { "nil" }
        }.joined(separator: " ")
      }
    }
    for (item, place) in zip(items, [2, 3, 1] as [Int64]) {
      try item.setValue(.attribute(.integer(place)), forKey: "place")
    }
    try context.save()
    #expect(try shelves() == ["4 2", "4 3", "4 1"])
    let place = try ManagedExpression(format: "4 - place")
    try context.execute(.update("Item", ["place": place]))
    #expect(try shelves() == ["4 2", "4 1", "4 3"])
    #expect(errorCode { try context.execute(.update("Item", ["place": .integer(1)])) } == .constraintMerge)
    #expect(try shelves() == ["4 2", "4 1", "4 3"])
  }
}

@Suite("Batch requests in several stores") struct BatchStoresTests {
  private static let model: ManagedObjectModel = {
    do {
      return try ManagedObjectModel(
        entities: [EntityDescription("Note", [.attribute("title", .string)]), EntityDescription("Event")],
        configurations: ["Notes": ["Note"]])
    } catch { fatalError("\(error)") }
  }()

  @Test func `an entity that no store accepts is an error`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let coordinator = PersistentStoreCoordinator(model: Self.model)
    let context = ManagedObjectContext(coordinator: coordinator)
    #expect(errorCode { try context.execute(.insert("Note", [[:]])) } == .save)
    try coordinator.add(InMemoryStore(model: Self.model, configuration: "Notes"))
    #expect(errorCode { try context.execute(.insert("Event", [[:]])) } == .save)
    #expect(errorCode { try context.execute(.delete("Event")) } == .save)
    #expect(try context.execute(.insert("Note", [[:]])).count == 1)
    let file = folder.url.appending(path: "a.sqlite")
    _ = try SQLiteStore(file, model: Self.model)
    let other = PersistentStoreCoordinator(model: Self.model)
    try other.add(SQLiteStore(file, model: Self.model, access: .readOnly))
    #expect(errorCode { try ManagedObjectContext(coordinator: other).execute(.insert("Note", [[:]])) } == .save)
  }

  @Test func `a failure reports the stores that were changed before`() async throws {
    let coordinator = PersistentStoreCoordinator(model: Self.model)
    let stores = [try WatchedStore(model: Self.model), try WatchedStore(model: Self.model)]
    for store in stores { try coordinator.add(store) }
    let context = ManagedObjectContext(coordinator: coordinator)
    for store in stores { try context.assign(context.insert("Note"), to: store) }
    try context.save()
    let ids = try context.fetchObjectIDs(FetchRequest("Note"))
    #expect(try context.execute(.update("Note", ["title": .string("a")])).changes.updated == Set(ids))
    let saves = coordinator.saves
    stores[1].failsToSave = true
    let error = thrownError { try context.execute(.update("Note", ["title": .string("b")])) }
    #expect(error?.code == .incompleteSave && error?.details.count == 1)
    #expect(error?.savedChanges?.updated == [ids[0]])
    for await changes in saves {
      #expect(changes.updated == [ids[0]])
      break
    }
    stores[0].failsToSave = true
    #expect(errorCode { try context.execute(.delete("Note")) } != .incompleteSave)
    var request = FetchRequest("Note")
    request.fetchLimit = 1
    #expect(errorCode { try context.execute(.delete(request)) } == .unsupportedRequest)
  }
}
