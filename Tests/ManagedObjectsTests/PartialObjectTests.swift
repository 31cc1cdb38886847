import Foundation
import SQLiteStore
import TestSupport
import Testing

@testable import ManagedObjects

@Suite("Objects fetched with some of their properties") struct PartialObjectTests {
  private static let model: ManagedObjectModel = {
    var cover = AttributeDescription("cover", .binary)
    cover.allowsExternalBinaryDataStorage = true
    let book = EntityDescription(
      "Book",
      [
        .attribute("title", .string), .attribute("text", .string, isOptional: false, defaultValue: .string("")),
        .attribute("pages", .integer64), .attribute(cover),
        .relationship("author", to: "Author", inverse: "books"),
      ])
    var atlas = EntityDescription("Atlas", [.attribute("scale", .integer64)])
    atlas.superentity = "Book"
    let author = EntityDescription(
      "Author", [.attribute("name", .string), .relationship("books", to: "Book", inverse: "author", isToMany: true)])
    do { return try ManagedObjectModel(entities: [book, atlas, author]) } catch { fatalError("\(error)") }
  }()

  private let folder = TemporaryFolder(isInMemory: true)
  private let cover = Data(repeating: 7, count: 200_000)

  private func coordinator(_ kind: StoreKind = .sqlite) throws -> PersistentStoreCoordinator {
    let coordinator = try kind.coordinator(Self.model, folder)
    let context = ManagedObjectContext(coordinator: coordinator)
    let author = try context.insert("Author")
    for number in 0..<10 {
      let book = try context.insert(number == 9 ? "Atlas" : "Book")
      try book.setValues([
        "title": .string("title \(number)"), "text": .string("text \(number)"), "pages": .integer(Int64(number)),
        "cover": .data(cover),
      ])
      if number == 9 { try book.setValue(.integer(100), forKey: "scale") }
      try book.setValue(.object(author), forKey: "author")
    }
    try context.save()
    return coordinator
  }

  private func request(_ names: [String], sortedBy path: String = "title") -> FetchRequest {
    var request = FetchRequest("Book", sortedBy: [.init(path)])
    request.propertiesToFetch = names.map { .property($0) }
    return request
  }

  /// Returns the values of a book that were read, by name.
  private func read(_ object: ManagedObject) -> Set<String> {
    Set(object.entity.attributes.filter { object.values[$0.slot] != .unread }.map(\.name))
  }

  @Test(arguments: StoreKind.allCases) func `all values can be read`(kind: StoreKind) throws {
    let coordinator = try coordinator(kind)
    let whole = try ManagedObjectContext(coordinator: coordinator).fetch(
      FetchRequest("Book", sortedBy: [.init("title")]))
    for path in ["title", "author.name"] {
      let context = ManagedObjectContext(coordinator: coordinator)
      let books = try context.fetch(request(["title", "author"], sortedBy: path))
      #expect(books.count == 10)
      for book in books {
        let other = try #require(whole.first { $0.objectID == book.objectID })
        for attribute in book.entity.attributes { #expect(book[attribute.name] == other[attribute.name]) }
        guard case .object(let author)? = book["author"], case .set(let books)? = author["books"] else {
          Issue.record("no author")
          continue
        }
        #expect(books.count == 10)
      }
      #expect(!context.hasChanges && context.misuse.isEmpty)
    }
  }

  @Test func `an SQLite store reads only the given attributes`() throws {
    let coordinator = try coordinator()
    let store = try #require(coordinator.stores[0] as? SQLiteStore)
    let context = ManagedObjectContext(coordinator: coordinator)
    let books = try context.fetch(request(["title"]))
    #expect(books.allSatisfy { read($0) == ["title"] })
    let before = store.executedStatementCount
    #expect(books[3]["title"] == .attribute(.string("title 3")))
    if case .object? = books[3]["author"] {} else { Issue.record("no author") }
    #expect(store.executedStatementCount == before)
    #expect(books[3]["text"] == .attribute(.string("text 3")) && books[3]["pages"] == .attribute(.integer(3)))
    #expect(store.executedStatementCount == before + 1)
    #expect(read(books[3]).isSuperset(of: ["title", "text", "pages"]) && read(books[4]) == ["title"])
    #expect(books[3]["cover"] == .attribute(.data(cover)))
    // A subentity, and the next request for whole objects.
    #expect(books[9]["scale"] == .attribute(.integer(100)))
    let again = try context.fetch(FetchRequest("Book", sortedBy: [.init("title")]))
    #expect(again == books && read(books[4]).isSuperset(of: ["title", "text", "pages"]))
  }

  @Test func `a request for whole objects completes those in use`() throws {
    let coordinator = try coordinator()
    let store = try #require(coordinator.stores[0] as? SQLiteStore)
    let context = ManagedObjectContext(coordinator: coordinator)
    let books = try context.fetch(request(["title"]))
    for book in books { #expect(book["title"] != nil && !book.isFault) }
    #expect(try context.fetch(FetchRequest("Book", sortedBy: [.init("title")])) == books)
    let before = store.executedStatementCount
    for (number, book) in books.enumerated() {
      #expect(book["text"] == .attribute(.string("text \(number)")) && !book.status.contains(.partial))
    }
    #expect(store.executedStatementCount == before)
  }

  @Test func `values that were read are kept`() throws {
    let context = ManagedObjectContext(coordinator: try coordinator())
    let books = try context.fetch(FetchRequest("Book", sortedBy: [.init("title")]))
    #expect(try context.fetch(request(["title"])) == books)
    #expect(books.allSatisfy { read($0).contains("text") && !$0.status.contains(.partial) })
    let child = ManagedObjectContext(parent: context)
    #expect(try child.fetch(request(["title"])).allSatisfy { read($0).contains("text") })
  }

  @Test func `a child context reads whole objects`() throws {
    let context = ManagedObjectContext(coordinator: try coordinator())
    let books = try context.fetch(request(["title"]))
    let child = ManagedObjectContext(parent: context)
    let copies = try child.fetch(FetchRequest("Book", sortedBy: [.init("title")]))
    #expect(copies.allSatisfy { read($0).contains("text") } && books.allSatisfy { !$0.status.contains(.partial) })
    let copy = try ManagedObjectContext(parent: context).existingObject(with: books[1].objectID)
    #expect(copy["text"] == .attribute(.string("text 1")))
  }

  @Test func `a change keeps the other values`() throws {
    let coordinator = try coordinator()
    let context = ManagedObjectContext(coordinator: coordinator)
    let books = try context.fetch(request(["title"]))
    try books[0].setValue(.string("new"), forKey: "title")
    #expect(books[0].committedValues(forKeys: ["text"]) == ["text": .attribute(.string("text 0"))])
    try books[1].setValue(.attribute(.null), forKey: "author")
    #expect(Set(books[1].changedValues().keys) == ["author"])
    try context.save()
    let other = ManagedObjectContext(coordinator: coordinator)
    let stored = try other.fetch(
      FetchRequest("Book", where: ManagedPredicate(format: "pages < 2"), sortedBy: [.init("pages")]))
    #expect(stored.map { $0["title"] } == ["new", "title 1"].map { .attribute(.string($0)) })
    #expect(stored.map { $0["text"] } == ["text 0", "text 1"].map { .attribute(.string($0)) })
    #expect(stored[1]["author"] == .attribute(.null) && stored[0]["author"] != .attribute(.null))
  }

  @Test(arguments: [MergePolicy.error, .objectTrump, .storeTrump, .overwrite, .rollback])
  func `a save finds the changes of others`(policy: MergePolicy) throws {
    let coordinator = try coordinator()
    let context = ManagedObjectContext(coordinator: coordinator)
    context.mergePolicy = policy
    let book = try context.fetch(request(["title"]))[2]
    let other = ManagedObjectContext(coordinator: coordinator)
    let theirs = try other.existingObject(with: book.objectID)
    try theirs.setValues(["text": .string("theirs"), "title": .string("theirs")])
    try other.save()
    try book.setValue(.string("mine"), forKey: "title")
    let error = errorCode { try context.save() }
    #expect(error == (policy == .error ? .merge : nil))
    let stored = try ManagedObjectContext(coordinator: coordinator).existingObject(with: book.objectID)
    let isMine = policy == .objectTrump || policy == .overwrite
    #expect(stored["title"] == .attribute(.string(isMine ? "mine" : "theirs")))
    #expect(stored["text"] == .attribute(.string("theirs")))
  }

  @Test func `a deletion can be undone after its save`() throws {
    let coordinator = try coordinator()
    let context = ManagedObjectContext(coordinator: coordinator)
    context.undoManager = ManagedObjectContext.UndoManager()
    let book = try context.fetch(request(["title"]))[5]
    try context.delete(book)
    try context.save()
    context.undo()
    try context.save()
    let stored = try ManagedObjectContext(coordinator: coordinator).fetch(
      FetchRequest("Book", where: ManagedPredicate(format: "title == 'title 5'")))
    #expect(stored.map { $0["text"] } == [.attribute(.string("text 5"))])
    #expect(stored.map { $0["pages"] } == [.attribute(.integer(5))])
  }

  @Test func `an object that another context deleted is inaccessible`() throws {
    let coordinator = try coordinator()
    let context = ManagedObjectContext(coordinator: coordinator)
    let books = try context.fetch(request(["title"]))
    let other = ManagedObjectContext(coordinator: coordinator)
    for book in books.prefix(3) { try other.delete(other.existingObject(with: book.objectID)) }
    try other.save()
    #expect(books[0]["text"] == .attribute(.null) && books[0].isInaccessible)
    #expect(books[0]["title"] == .attribute(.string("title 0")))
    #expect(context.misuse.map(\.code) == [.referentialIntegrity])
    try books[1].setValue(.string("new"), forKey: "title")
    #expect(books[1].isInaccessible && !context.hasChanges && context.misuse.count > 1)
    try context.delete(books[2])
    #expect(books[2].isInaccessible && !context.hasChanges)
  }

  @Test func `reading tracked objects reports that they are inaccessible`() throws {
    let coordinator = try coordinator()
    let context = ManagedObjectContext(coordinator: coordinator)
    let book = try context.fetch(request(["title"]))[0]
    let count = tracked { book.isInaccessible }
    let other = ManagedObjectContext(coordinator: coordinator)
    try other.delete(other.existingObject(with: book.objectID))
    try other.save()
    #expect(count.value == 0)
    let pages = try #require(book.entity.attribute(named: "pages"))
    #expect(errorCode { _ = try book.readableValue(ofSlot: pages.slot) } == .referentialIntegrity)
    #expect(book.isInaccessible && count.value == 1)
  }

  @Test func `a refreshed deletion keeps the committed relationships that rows leave out`() throws {
    let context = ManagedObjectContext(coordinator: try coordinator())
    let author = try #require(context.fetch(FetchRequest("Author")).first)
    let books = author["books"]
    try context.delete(author)
    try context.refreshAllObjects()
    #expect(author.isDeleted && !author.hasPersistentChangedValues && author.changedValues().isEmpty)
    #expect(author.committedValues()["books"] == books)
  }

  @Test func `a refreshed object is whole`() throws {
    let context = ManagedObjectContext(coordinator: try coordinator())
    let book = try context.fetch(request(["title"]))[1]
    try context.refresh(book, mergeChanges: true)
    #expect(!book.status.contains(.partial) && book.isFault)
    #expect(book["title"] == .attribute(.string("title 1")) && read(book).contains("text"))
  }

  @Test func `properties that cannot be fetched are errors`() throws {
    let context = ManagedObjectContext(coordinator: try coordinator(.memory))
    #expect(errorCode { _ = try context.fetch(request(["nothing"])) } == .undefinedKey)
    #expect(errorCode { _ = try context.fetch(request(["author.name"])) } == .undefinedKey)
    var other = request(["scale"])
    #expect(try context.fetch(other).count == 10)
    other.propertiesToFetch = [
      .expression(name: "sum", try ManagedExpression(format: "pages + 1"), type: .integer64)
    ]
    #expect(errorCode { _ = try context.fetch(other) } == .unsupportedRequest)
  }
}
