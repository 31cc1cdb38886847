import Foundation
import ManagedObjects
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@Suite("The work of batch requests in SQLite") struct BatchStatementTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private let model: ManagedObjectModel
  private let store: SQLiteStore
  private let context: ManagedObjectContext

  init() throws {
    model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Note",
        [
          .attribute("title", .string), .attribute("pages", .integer32), .attribute("image", .binary),
          .relationship("author", to: "Person", inverse: "notes"),
        ]),
      EntityDescription(
        "Person",
        [.attribute("name", .string), .relationship("notes", to: "Note", inverse: "author", isToMany: true)]),
    ])
    let file = folder.url.appending(path: "a.sqlite")
    store = try SQLiteStore(file, model: model, access: .readWrite(tracksHistory: true))
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.add(store)
    context = ManagedObjectContext(coordinator: coordinator)
  }

  private func statements(_ body: () throws -> Void) rethrows -> Int {
    let before = store.executedStatementCount
    try body()
    return store.executedStatementCount - before
  }

  @Test func `the number of statements does not depend on the number of objects`() throws {
    var counts: [[Int]] = []
    for count in [3, 3, LongForm.size(20_000, or: 700)] {
      let objects = (0..<count).lazy.map { ["pages": AttributeValue.integer(Int64($0))] }
      try context.execute(.insert("Note", objects).returning(.count))
      let title = try ManagedExpression(format: "pages + 1")
      let requests: [BatchRequest] = [
        .update("Note", ["title": AttributeValue.string("x")]), .update("Note", ["pages": title]),
        .update("Note", ["pages": title], where: try ManagedPredicate(format: "author.name == nil")),
        .delete("Note", where: try ManagedPredicate(format: "title LIKE 'x*'")),
      ]
      counts.append(
        try requests.map { request in
          try statements {
            let found = try context.execute(request.returning(.count)).count
            #expect(found == count)
          }
        })
    }
    #expect(counts[1] == counts[2])
    #expect(counts[2].allSatisfy { $0 < 40 })
  }

  /// A count of living values.
  private final class Living: Sendable {
    private let counts = Mutex((now: 0, most: 0))
    var most: Int { counts.withLock { $0.most } }
    var now: Int { counts.withLock { $0.now } }

    func data() -> Data {
      counts.withLock { counts in
        counts.now += 1
        counts.most = max(counts.most, counts.now)
      }
      let bytes = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 8)
      return Data(
        bytesNoCopy: bytes, count: 64,
        deallocator: .custom { [counts = self] pointer, _ in
          pointer.deallocate()
          counts.release()
        })
    }

    private func release() { counts.withLock { $0.now -= 1 } }
  }

  @Test func `an insertion keeps a part of its objects in memory`() throws {
    let living = Living()
    var left = LongForm.size(50_000, or: 3_000)
    let request = BatchRequest.insert("Note") {
      left -= 1
      return left < 0 ? nil : ["image": .data(living.data())]
    }
    let count = try context.execute(request.returning(.count)).count
    #expect(count == LongForm.size(50_000, or: 3_000))
    #expect(living.most <= 1_000 && living.now == 0)
  }

  @Test func `an insertion does not use the keys of objects that are saved later`() throws {
    let note = try context.insert("Note")
    try note.setValue(.attribute(.string("later")), forKey: "title")
    try context.obtainPermanentIDs(for: [note])
    let ids = try context.execute(.insert("Note", (0..<5).map { ["pages": .integer($0)] })).changes.inserted
    #expect(ids.count == 5 && !ids.contains(note.objectID))
    try context.save()
    #expect(try context.count(for: FetchRequest("Note")) == 6)
    #expect(try context.execute(.insert("Note", [[:]])).changes.inserted.isDisjoint(with: ids))
  }

  @Test func `an object that cannot be stored reverts the insertion`() throws {
    let large = (0..<2_000).lazy.map { ["pages": AttributeValue.integer($0 == 1_500 ? 1 << 40 : 1)] }
    #expect(throws: ManagedObjectError.self) { try context.execute(.insert("Note", large)) }
    #expect(try context.count(for: FetchRequest("Note")) == 0)
    #expect(try store.history().isEmpty)
    #expect(try context.execute(.insert("Note", [[:]])).count == 1)
  }

  @Test func `the history has the author, and the properties that changed`() throws {
    context.transactionAuthor = "import"
    context.name = "batch"
    try context.execute(.insert("Note", [["title": .string("a")], ["title": .string("b")]]))
    try context.execute(.update("Note", ["title": .string("b"), "pages": .integer(1)]))
    let history = try store.history()
    #expect(history.map(\.author) == ["import", "import"] && history.map(\.contextName) == ["batch", "batch"])
    #expect(history[0].changes.map(\.kind) == [.insert, .insert])
    #expect(history[1].changes.map(\.updatedProperties) == [["pages", "title"], ["pages"]])
  }
}
