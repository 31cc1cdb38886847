import Foundation
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@testable import ManagedObjects

@Suite("Lists that make objects when they are touched") struct FetchedObjectsTests {
  final class Writer: ManagedObject {
    @Attribute var name: String
    @Relationship var notes: Set<Note>
  }

  class Note: ManagedObject {
    @Attribute var number = 0
    @Attribute var title = ""
    @Relationship(inverse: \Writer.notes) var writer: Writer?
  }

  final class Letter: Note {
    @Attribute var city = "Rome"
  }

  static let model: ManagedObjectModel = {
    do { return try ManagedObjectModel(Writer.self, Note.self, Letter.self) } catch { fatalError("\(error)") }
  }()

  private let folder = TemporaryFolder(isInMemory: true)

  /// Inserts numbered notes. Every third one is a letter.
  static func fill(_ coordinator: PersistentStoreCoordinator, _ count: Int) throws {
    let context = ManagedObjectContext(coordinator: coordinator)
    let writers = try (0..<3).map { number in
      let writer = try context.insert(Writer.self)
      writer.name = "writer \(number)"
      return writer
    }
    for number in 0..<count {
      let note = number % 3 == 0 ? try context.insert(Letter.self) : try context.insert(Note.self)
      note.number = number
      note.title = "title \(number)"
      note.writer = writers[number % 3]
    }
    try context.save()
  }

  private func coordinator(_ kind: StoreKind, _ count: Int = 40) throws -> PersistentStoreCoordinator {
    let coordinator = try kind.coordinator(Self.model, folder)
    try Self.fill(coordinator, count)
    return coordinator
  }

  /// Returns a context without a parent, or with one.
  private func context(_ coordinator: PersistentStoreCoordinator, levels: Int) -> ManagedObjectContext {
    let root = ManagedObjectContext(coordinator: coordinator)
    return levels == 1 ? root : ManagedObjectContext(parent: root)
  }

  private func watched(_ count: Int) throws -> (WatchedStore, ManagedObjectContext) {
    let store = try WatchedStore(model: Self.model)
    let coordinator = PersistentStoreCoordinator(model: Self.model)
    try coordinator.add(store)
    try Self.fill(coordinator, count)
    return (store, ManagedObjectContext(coordinator: coordinator))
  }

  private static func requests() throws -> [FetchRequest] {
    var requests = [
      FetchRequest("Note"), FetchRequest("Note", sortedBy: [.init("number", isAscending: false)]),
      FetchRequest("Note", sortedBy: [.init("writer.name"), .init("title")]),
      FetchRequest("Letter", where: try ManagedPredicate(format: "number > 10"), sortedBy: [.init("number")]),
      FetchRequest("Note", where: try ManagedPredicate(format: "number > 1000")),
    ]
    var part = FetchRequest("Note", sortedBy: [.init("number")])
    (part.fetchOffset, part.fetchLimit) = (5, 17)
    requests.append(part)
    (part.includesPropertyValues, part.fetchOffset) = (false, 0)
    requests.append(part)
    part.includesSubentities = false
    (part.fetchBatchSize, part.includesPropertyValues) = (4, true)
    requests.append(part)
    return requests
  }

  @Test(arguments: StoreKind.allCases, [1, 2])
  func `a list has the objects of the array, with and without unsaved changes`(kind: StoreKind, levels: Int) throws {
    let coordinator = try coordinator(kind)
    for isChanged in [false, true] {
      let context = context(coordinator, levels: levels)
      if isChanged {
        let notes = try context.fetch(Note.self, sortedBy: .ascending(\.number))
        notes[3].number = 500
        notes[4].writer = nil
        try context.delete(notes[7])
        for number in [-1, 1_001] { try context.insert(Letter.self).number = number }
      }
      for request in try Self.requests() {
        let list = try context.fetchLazily(request)
        let values = list.map { ($0 as? Note)?.number }
        let ids = list.objectIDs
        let array = try context.fetch(request)
        #expect(Array(list) == array)
        #expect(values == array.map { ($0 as? Note)?.number })
        #expect(ids == array.map(\.objectID) && ids == list.indices.map { list.objectID(at: $0) })
        #expect(list.reversed() == array.reversed() && list.count == array.count)
      }
      #expect(context.misuse.isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases, [1, 2])
  func `only touched objects are made, and released with the last reference`(kind: StoreKind, levels: Int) throws {
    let context = try context(coordinator(kind), levels: levels)
    let list = try context.fetchLazily(Note.self, sortedBy: .ascending(\.number))
    _ = list.objectIDs
    #expect(list.count == 40 && context.registered.count == 0)
    var held = (0..<10).map { list[$0 * 4] }
    #expect(context.registered.count == 10 && context.root.registered.count == (levels == 1 ? 10 : 0))
    #expect(held.map(\.number) == (0..<10).map { $0 * 4 })
    #expect(list[8] === held[2] && (list[9] is Letter) && !(list[8] is Letter))
    held = []
    #expect(context.registered.count == 0)
    list[5].title = "changed"
    #expect(context.registered.count == 1 && list[5].title == "changed")
  }

  /// An object that counts how many were made.
  final class Counted: ManagedObject {
    @Attribute var number = 0

    static let count = Mutex(0)

    required init(_ creation: Creation) {
      Self.count.withLock { $0 += 1 }
      super.init(creation)
    }
  }

  // Serialized, because the objects of both cases are counted together.
  @Test(.serialized, arguments: [1, 2]) func `unsaved changes make few objects`(levels: Int) throws {
    let coordinator = try StoreKind.sqlite.coordinator(ManagedObjectModel(Counted.self), folder)
    let writer = ManagedObjectContext(coordinator: coordinator)
    for number in 0..<500 { try writer.insert(Counted.self).number = 2 * number }
    try writer.save()
    let context = context(coordinator, levels: levels)
    try context.insert(Counted.self).number = 301
    let first = try context.fetchLazily(Counted.self, sortedBy: .ascending(\.number))[0]
    first.number = 601
    try context.delete(context.fetchLazily(Counted.self, sortedBy: .ascending(\.number))[0])
    let before = Counted.count.withLock { $0 }
    let list = try context.fetchLazily(Counted.self, sortedBy: .ascending(\.number))
    let ids = try context.fetchObjectIDs(FetchRequest("Counted", sortedBy: [.init("number")]))
    // Positions are found by binary search.
    let made = Counted.count.withLock { $0 } - before
    #expect(made > 0 && made < 60)
    #expect(ids == list.objectIDs)
    let expected = ((2..<500).map { 2 * $0 } + [301, 601]).sorted()
    #expect(list.map(\.number) == expected && list[300] === first)
  }

  @Test func `the class methods have the conditions, orders and limits of the request`() throws {
    let context = try context(coordinator(.sqlite), levels: 1)
    let above = try ManagedPredicate(format: "number > 20")
    let first: FetchedObjects<Note> = try context.fetchLazily(
      Note.self, where: above, sortedBy: [.init("number", isAscending: false)], limit: 3)
    #expect(first.map(\.number) == [39, 38, 37])
    let second = try context.fetchLazily(
      Note.self, where: above, sortedBy: .ascending(\.writer?.name), .descending(\.number), limit: 2)
    #expect(second.map(\.number) == [39, 36])
    let third = try context.fetchLazily(
      Letter.self, where: #Predicate { $0.number < 10 }, sortedBy: .descending(\.number))
    #expect(third.map(\.number) == [9, 6, 3, 0] && third[0].city == "Rome")
    #expect(try context.fetchLazily(Note.self, where: #Predicate { $0.number < 10 }, limit: 4).count == 4)
    #expect(try context.fetchLazily(Writer.self).count == 3)
  }

  @Test func `slices make objects when they are touched`() throws {
    let context = try context(coordinator(.memory), levels: 1)
    let list = try context.fetchLazily(Note.self, sortedBy: .ascending(\.number))
    let slice = list[10..<20]
    #expect(slice.count == 10 && context.registered.count == 0)
    #expect(slice[12].number == 12 && slice.last?.number == 19)
    #expect(slice.dropFirst(3).prefix(2).map(\.number) == [13, 14])
    #expect(list.suffix(2).map(\.number) == [38, 39] && list.first?.number == 0)
  }

  @Test func `a list of objects in several stores has the values of each`() throws {
    let coordinator = PersistentStoreCoordinator(model: Self.model)
    let stores: [any PersistentStore] = [
      try InMemoryStore(model: Self.model), try StoreKind.sqlite.open(folder.url.appending(path: "a"), Self.model),
    ]
    for store in stores { try coordinator.add(store) }
    let writer = ManagedObjectContext(coordinator: coordinator)
    for number in 0..<40 {
      let note = try writer.insert(Note.self)
      note.number = number
      try writer.assign(note, to: stores[number % 2])
    }
    try writer.save()
    let context = ManagedObjectContext(coordinator: coordinator)
    let list = try context.fetchLazily(Note.self, sortedBy: .ascending(\.number))
    #expect(list.map(\.number) == Array(0..<40))
    #expect(Set(list.objectIDs.map(\.storeIdentifier)) == Set(stores.map(\.identifier)))
  }

  @Test func `errors of a request are thrown`() throws {
    let (store, context) = try watched(3)
    #expect(errorCode { _ = try context.fetchLazily(FetchRequest("Nothing")) } == .undefinedKey)
    #expect(errorCode { _ = try context.fetchLazily(Note.self, sortedBy: [.init("nothing")]) } == .undefinedKey)
    var request = FetchRequest("Note")
    request.relationshipKeyPathsForPrefetching = ["writer.nothing"]
    #expect(errorCode { _ = try context.fetchLazily(request) } == .undefinedKey)
    request.relationshipKeyPathsForPrefetching = []
    request.propertiesToFetch = [.property("nothing")]
    #expect(errorCode { _ = try context.fetchLazily(request) } == .undefinedKey)
    store.failsToRead = true
    #expect(errorCode { _ = try context.fetchLazily(Note.self) } == .operation)
  }

  @Test func `if rows cannot be read, objects stay faults, and values report the error`() throws {
    let (store, context) = try watched(20)
    let list = try context.fetchLazily(Note.self, sortedBy: .ascending(\.number))
    store.failsToRead = true
    let note = list[3]
    #expect(note.isFault && context.misuse.isEmpty)
    #expect(note.title.isEmpty && context.misuse.map(\.code) == [.operation])
    #expect(note.isFault)
    store.failsToRead = false
    #expect(note.title == "title 3" && list[4].title == "title 4" && context.misuse.count == 1)
  }

  @Test(arguments: [1, 2]) func `a deleted object stays in the list`(levels: Int) throws {
    let context = try context(coordinator(.memory), levels: levels)
    let list = try context.fetchLazily(Note.self, sortedBy: .ascending(\.number))
    try context.delete(list[3])
    #expect(list[3].isDeleted && list[3].number == 3)
    try context.save()
    #expect(list.count == 40 && list[4].number == 4 && context.misuse.isEmpty)
    let note = list[3]
    #expect(note.isFault && note.title.isEmpty && note.isInaccessible)
    #expect(context.misuse.map(\.code) == [.referentialIntegrity])
  }

  @Test func `a new object stays in the list when it gets its permanent ID`() throws {
    let context = try context(coordinator(.sqlite, 3), levels: 1)
    var note: Note? = try context.insert(Note.self)
    note?.number = 100
    let list = try context.fetchLazily(Note.self, sortedBy: .ascending(\.number))
    #expect(list[3] === note && list.objectID(at: 3).isTemporary)
    try context.save()
    #expect(list[3] === note && !list.objectID(at: 3).isTemporary)
    note = nil
    #expect(context.registered.count == 0 && list[3].number == 100)
  }

  @Test(arguments: StoreKind.allCases) func `outdated rows are not used`(kind: StoreKind) throws {
    let coordinator = try coordinator(kind, 10)
    let context = ManagedObjectContext(coordinator: coordinator)
    let list = try context.fetchLazily(Note.self, sortedBy: .ascending(\.number))
    func read() -> [String] { list.map(\.title) }
    var expected = (0..<10).map { "title \($0)" }
    #expect(read() == expected)
    list[2].title = "saved"
    try context.save()
    expected[2] = "saved"
    #expect(read() == expected)
    let other = ManagedObjectContext(coordinator: coordinator)
    func change(_ index: Int, _ title: String) throws -> SavedChanges {
      let note = try other.existingObject(Note.self, with: list.objectID(at: index))
      note.title = title
      var saved = SavedChanges()
      let number = other.addEventObserver { if case .didSave(let save) = $0 { saved = save.changes } }
      try other.save()
      other.removeObserver(number)
      return saved
    }
    var changes = try change(3, "merged")
    #expect(read() == expected)
    try context.mergeChanges(from: changes)
    expected[3] = "merged"
    #expect(read() == expected)
    changes = try change(4, "refreshed")
    #expect(read() == expected)
    try context.refresh(list[4], mergeChanges: true)
    expected[4] = "refreshed"
    #expect(read() == expected)
    changes = try change(5, "reset")
    #expect(read() == expected)
    context.reset()
    expected[5] = "reset"
    #expect(read() == expected && context.misuse.isEmpty)
  }

  @Test func `a query generation decides about the rows`() throws {
    let coordinator = try coordinator(.sqlite, 10)
    let context = ManagedObjectContext(coordinator: coordinator)
    try context.setQueryGenerationFrom(.current)
    let list = try context.fetchLazily(Note.self, sortedBy: .ascending(\.number))
    let other = ManagedObjectContext(coordinator: coordinator)
    for note in try other.fetch(Note.self) { note.title = "new" }
    try other.save()
    #expect(list[1].title == "title 1")
    try context.setQueryGenerationFrom(nil)
    #expect(list[2].title == "new")
  }

  @Test func `without values, an object is a fault whose row is read when it is needed`() throws {
    let (store, context) = try watched(20)
    var request = FetchRequest("Note", sortedBy: [.init("number")])
    request.includesPropertyValues = false
    let list = try context.fetchLazily(request)
    let before = store.rowsRead
    let held = Array(list.prefix(5))
    #expect(held.allSatisfy(\.isFault) && store.rowsRead == before)
    // The faults that the program holds are read together.
    #expect(held.map { ($0 as? Note)?.number } == [0, 1, 2, 3, 4] && store.rowsRead == before + 5)
    request.returnsObjectsAsFaults = false
    #expect(try !context.fetchLazily(request)[10].isFault)
  }

  @Test func `objects with values are read again if the request asks for it`() throws {
    let coordinator = try coordinator(.sqlite, 10)
    let root = ManagedObjectContext(coordinator: coordinator)
    let notes = try root.fetch(Note.self, sortedBy: .ascending(\.number))
    #expect(notes.map(\.title).count == 10)
    notes[1].number = 1
    let other = ManagedObjectContext(coordinator: coordinator)
    for note in try other.fetch(Note.self) { note.title = "new" }
    try other.save()
    var request = FetchRequest("Note", sortedBy: [.init("number")])
    #expect((try root.fetchLazily(request)[0] as? Note)?.title == "title 0")
    request.refreshesRefetchedObjects = true
    let list = try root.fetchLazily(request)
    #expect(list.map { ($0 as? Note)?.title } == Array(repeating: "new", count: 10))
  }

  @Test func `objects touched at random, or between saves, do not read many others`() throws {
    let (store, context) = try watched(1_000)
    let list = try context.fetchLazily(Note.self, sortedBy: .ascending(\.number))
    var random = SeededGenerator(seed: 3)
    var before = store.rowsRead
    for _ in 0..<100 {
      let number = Int.random(in: 0..<1_000, using: &random)
      #expect(list[number].number == number)
    }
    #expect(store.rowsRead - before < 256 + 64 + 16 + 4 * 100)
    before = store.rowsRead
    for note in list.prefix(100) {
      note.title += "!"
      try context.save()
    }
    // A save reads the rows of its objects.
    #expect(store.rowsRead - before < 256 + 64 + 16 + 6 * 100)
    #expect(list[99].title == "title 99!" && list[100].title == "title 100")
  }
}
