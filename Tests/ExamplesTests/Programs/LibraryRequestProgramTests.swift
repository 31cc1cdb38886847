import Foundation
import ManagedObjects
import TestSupport
import Testing

@Suite("A program that sorts, limits and groups books") struct LibraryRequestProgramTests {
  private typealias Author = LibraryProgram.Author
  private typealias Book = LibraryProgram.Book
  private let folder = TemporaryFolder(isInMemory: true)

  private func context(_ kind: ProgramStore) throws -> ManagedObjectContext {
    let container = try PersistentContainer(
      model: LibraryProgram.model(), stores: [kind.description(folder.url.appending(path: "library"))])
    try LibraryProgram.fill(container.newContext())
    return container.newContext()
  }

  private func titles(_ objects: [ManagedObject]) -> [String] { objects.compactMap { ($0 as? Book)?.title } }

  @Test(arguments: ProgramStore.allCases)
  func `books are sorted by several keys, also of their author`(_ kind: ProgramStore) throws {
    let context = try context(kind)
    let books = try context.fetch(Book.self, sortedBy: .ascending(\.author?.name), .descending(\.pages))
    #expect(books.map(\.title) == ["Beowulf", "Fiasco", "The Cyberiad", "Solaris", "Confessions", "Émile"])
    let byTitle = FetchRequest("Book", sortedBy: [.init("title", isAscending: false, comparison: .localizedStandard)])
    #expect(titles(try context.fetch(byTitle)).first == "The Cyberiad")
    // Not only for objects that the store sorts.
    #expect(books.sorted { $0.published < $1.published }.map(\.title).first == "Beowulf")
  }

  @Test(arguments: ProgramStore.allCases)
  func `pages of results have a limit and an offset`(_ kind: ProgramStore) throws {
    let context = try context(kind)
    var request = FetchRequest("Book", sortedBy: [.init("pages")])
    request.fetchLimit = 2
    var pages: [[String]] = []
    for offset in stride(from: 0, to: 7, by: 2) {
      request.fetchOffset = offset
      pages.append(titles(try context.fetch(request)))
    }
    #expect(pages == [["Beowulf", "Solaris"], ["The Cyberiad", "Fiasco"], ["Émile", "Confessions"], []])
    #expect(try context.count(for: FetchRequest("Book")) == 6)
    var batched = FetchRequest("Book", sortedBy: [.init("pages")])
    batched.fetchBatchSize = 2
    #expect(titles(try context.fetch(batched)).count == 6)
  }

  @Test(arguments: ProgramStore.allCases)
  func `dictionaries have chosen values, and are distinct if asked`(_ kind: ProgramStore) throws {
    let context = try context(kind)
    var request = FetchRequest("Book", sortedBy: [.init("title")])
    request.resultType = .dictionaries
    request.propertiesToFetch = [.property("title"), .property("author.name")]
    let first = try #require(try context.fetchDictionaries(request).first)
    #expect(first["title"] == "Beowulf" && (first["author.name"] ?? .null) == .null)
    request = FetchRequest("Book", where: try ManagedPredicate(format: "author != nil"), sortedBy: [.init("isLent")])
    request.resultType = .dictionaries
    request.propertiesToFetch = [.property("isLent")]
    request.returnsDistinctResults = true
    #expect(try context.fetchDictionaries(request).compactMap { $0["isLent"] } == [false, true])
  }

  @Test(arguments: ProgramStore.allCases)
  func `groups have aggregates, and a condition`(_ kind: ProgramStore) throws {
    let context = try context(kind)
    var request = FetchRequest("Book", sortedBy: [.init("author.name")])
    request.resultType = .dictionaries
    request.propertiesToFetch = [
      .property("author.name"),
      .expression(name: "total", try ManagedExpression(format: "sum(pages)"), type: .integer64),
      .expression(name: "longest", try ManagedExpression(format: "max(pages)"), type: .integer64),
      .expression(name: "books", try ManagedExpression(format: "count(title)"), type: .integer64),
    ]
    request.propertiesToGroupBy = [.property("author.name")]
    request.havingPredicate = try ManagedPredicate(format: "$books > 1")
    let groups = try context.fetchDictionaries(request)
    #expect(groups.map { $0["author.name"] } == ["Lem", "Rousseau"])
    #expect(groups.map { $0["total"] } == [821, 1150] && groups.map { $0["longest"] } == [322, 650])
    #expect(groups.map { $0["books"] } == [3, 2])
  }

  @Test(arguments: ProgramStore.allCases)
  func `a template of the model is a request with variables`(_ kind: ProgramStore) throws {
    let context = try context(kind)
    let model = context.coordinator.model
    let request = try model.fetchRequest(fromTemplate: "booksOfAuthor", substituting: ["NAME": "Lem", "PAGES": 300])
    #expect(titles(try context.fetch(request)) == ["Fiasco"])
    let error = #expect(throws: ManagedObjectError.self) { try model.fetchRequest(fromTemplate: "missing") }
    #expect(error?.code == .undefinedKey)
  }

  @Test(arguments: ProgramStore.allCases)
  func `a fetched property finds the long books of an author`(_ kind: ProgramStore) throws {
    let context = try context(kind)
    let authors = try context.fetch(Author.self, sortedBy: .ascending(\.name))
    #expect(authors.map { $0.longBooks.map(\.title) } == [[], ["Fiasco"], ["Confessions", "Émile"]])
    #expect(context.misuse.isEmpty)
  }

  @Test(arguments: ProgramStore.allCases)
  func `values of collections are read by key path`(_ kind: ProgramStore) throws {
    let context = try context(kind)
    let lem = try #require(try context.fetch(Author.self, where: #Predicate { $0.name == "Lem" }).first)
    #expect(try lem.value(forKeyPath: "books.@sum.pages") == 821)
    #expect(try lem.value(forKeyPath: "books.@avg.pages") == .attribute(.double(821.0 / 3)))
    #expect(try lem.value(forKeyPath: "books.@max.title") == "The Cyberiad")
    #expect(try lem.value(forKeyPath: "books.@count") == 3)
  }
}
