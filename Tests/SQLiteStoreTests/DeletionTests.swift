import Foundation
import ManagedObjects
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Deletions in an SQLite store") struct DeletionTests {
  final class Shelf: ManagedObject {
    @Attribute var name: String
    @Relationship(deleteRule: .cascade) var books: Set<Book>
    @Relationship(deleteRule: .cascade) var signs: Set<Sign>
  }

  class Book: ManagedObject {
    @Attribute var title: String
    @Relationship(inverse: \Shelf.books) var shelf: Shelf?
    @Relationship(deleteRule: .cascade) var pages: Set<Page>
    @Relationship var themes: Set<Theme>
  }

  final class Atlas: Book {
    @Attribute var scale = 1
  }

  final class Page: ManagedObject {
    @Attribute var number = 0
    @Relationship(inverse: \Book.pages) var book: Book?
  }

  final class Theme: ManagedObject {
    @Attribute var name: String
    @Relationship(inverse: \Book.themes) var books: Set<Book>
  }

  /// The relationship to it has no inverse.
  final class Sign: ManagedObject {
    @Attribute var text: String
  }

  private static let model: ManagedObjectModel = {
    do {
      return try ManagedObjectModel(Shelf.self, Book.self, Atlas.self, Page.self, Theme.self, Sign.self)
    } catch { fatalError("\(error)") }
  }()

  /// A store with shelves, which have one sign, two books and an atlas each. A book has two pages and one of three
  /// themes.
  private struct Library {
    let store: SQLiteStore
    private let folder = TemporaryFolder(isInMemory: true)

    init(shelves: Int) throws {
      store = try SQLiteStore(folder.url.appending(path: "store.sqlite"), model: DeletionTests.model)
      let writer = try ManagedObjectContext(store)
      let themes = try (0..<3).map { number in
        let theme = try writer.insert(Theme.self)
        theme.name = "theme \(number)"
        return theme
      }
      for number in 0..<shelves {
        let shelf = try writer.insert(Shelf.self)
        shelf.name = "shelf \(number)"
        let sign = try writer.insert(Sign.self)
        sign.text = "sign \(number)"
        shelf.signs = [sign]
        for index in 0..<3 {
          let book = index == 2 ? try writer.insert(Atlas.self) : try writer.insert(Book.self)
          book.title = "book \(number).\(index)"
          book.shelf = shelf
          book.themes = [themes[index]]
          for _ in 0..<2 { try writer.insert(Page.self).book = book }
        }
      }
      try writer.save()
    }

    func context() throws -> ManagedObjectContext { try ManagedObjectContext(store) }

    /// Returns the number of stored objects of each entity with objects.
    func counts() throws -> [String: Int] {
      let context = try context()
      var counts: [String: Int] = [:]
      for name in ["Shelf", "Book", "Page", "Theme", "Sign"] {
        let count = try context.count(for: FetchRequest(name))
        if count > 0 { counts[name] = count }
      }
      return counts
    }
  }

  @Test func `a cascade takes as many statements for many objects as for few`() throws {
    let library = try Library(shelves: LongForm.size(1_000, or: 60))
    let context = try library.context()
    let shelves = try context.fetch(Shelf.self)
    // The rows and relationships of four levels, for each batch of the levels above.
    try context.withStatementLimit(LongForm.size(60, or: 20)) { for shelf in shelves { try context.delete(shelf) } }
    #expect(context.deletedObjects.count == shelves.count * 11)
    // Deletes the rows of five entities, changes three themes, and clears the references of each entity.
    try context.withStatementLimit(17) { try context.save() }
    #expect(try library.counts() == ["Theme": 3])
    let check = try library.context()
    let themes = try check.fetch(Theme.self)
    #expect(themes.allSatisfy { $0.books.isEmpty })
    #expect(context.misuse.isEmpty)
  }

  @Test func `deleting the objects of a fetch reads the objects that lose them together`() throws {
    let library = try Library(shelves: 60)
    let context = try library.context()
    let pages = try context.fetch(Page.self)
    try context.withStatementLimit(8) { for page in pages { try context.delete(page) } }
    // One statement deletes the pages, the others update the versions of the 180 books.
    try context.withStatementLimit(181) { try context.save() }
    #expect(try library.counts() == ["Shelf": 60, "Book": 180, "Theme": 3, "Sign": 60])
    let check = try library.context()
    let books = try check.fetch(Book.self)
    #expect(books.allSatisfy { $0.pages.isEmpty })
  }

  @Test func `faults that are deleted are read together`() throws {
    let library = try Library(shelves: 60)
    let context = try library.context()
    var request = FetchRequest("Sign")
    request.includesPropertyValues = false
    let signs = try context.fetch(request)
    try context.withStatementLimit(1) { for sign in signs { try context.delete(sign) } }
    // Two statements find the owners of the signs.
    try context.withStatementLimit(3) { try context.save() }
    #expect(try library.counts() == ["Shelf": 60, "Book": 180, "Page": 360, "Theme": 3])
  }

  @Test func `a deleted object does not read the related objects of its batch one by one`() throws {
    let library = try Library(shelves: 60)
    let context = try library.context()
    let shelves = try context.fetch(Shelf.self)
    // Few of the objects that are read ahead are used, so that fewer are read ahead each time.
    for index in stride(from: 0, to: 60, by: 20) {
      try context.withStatementLimit(14) { try context.delete(shelves[index]) }
    }
    try context.save()
    #expect(try library.counts() == ["Shelf": 57, "Book": 171, "Page": 342, "Theme": 3, "Sign": 57])
  }

  @Test func `objects that change before their deletion is saved are all in conflict, in the order of deletion`() throws
  {
    let library = try Library(shelves: 20)
    let context = try library.context()
    let signs = try context.fetch(Sign.self, sortedBy: [.init("text", isAscending: false)])
    for sign in signs { try context.delete(sign) }
    let other = try library.context()
    let others = try other.fetch(Sign.self, sortedBy: [.init("text", isAscending: false)])
    for index in [3, 7, 15] { others[index].text = "changed" }
    for index in [0, 11] { try other.delete(others[index]) }
    try other.save()
    let error = #expect(throws: ManagedObjectError.self) { try context.save() }
    #expect(error?.code == .merge)
    #expect(error?.conflicts.map { $0.snapshot?.key } == [0, 3, 7, 11, 15].map { signs[$0].objectID.key })
    #expect(error?.conflicts.map { $0.stored == nil } == [true, false, false, true, false])
    #expect(error?.conflicts.map { $0.stored?.version } == [nil, 2, 2, nil, 2])
    #expect(try library.counts()["Sign"] == 18)
    context.mergePolicy = .overwrite
    try context.save()
    #expect(try library.counts()["Sign"] == nil)
  }

  @Test func `rows with different versions are deleted together with the others of their version`() throws {
    let library = try Library(shelves: 20)
    let writer = try library.context()
    for (index, sign) in try writer.fetch(Sign.self).enumerated() where index % 2 == 0 { sign.text += "!" }
    try writer.save()
    let context = try library.context()
    for sign in try context.fetch(Sign.self) { try context.delete(sign) }
    // Two statements delete signs, and four find their owners.
    try context.withStatementLimit(6) { try context.save() }
    #expect(try library.counts()["Sign"] == nil)
  }

  @Test func `the owners of deleted objects without an inverse are read again`() throws {
    let library = try Library(shelves: 20)
    let context = try library.context()
    let shelves = try context.fetch(Shelf.self)
    #expect(shelves.allSatisfy { $0.signs.count == 1 })
    for sign in try context.fetch(Sign.self) { try context.delete(sign) }
    try context.save()
    #expect(shelves.allSatisfy { $0.signs.isEmpty })
  }

  @Test func `an undo restores the objects of a cascade, before and after the save`() throws {
    let library = try Library(shelves: 5)
    let before = try library.counts()
    let context = try library.context()
    context.undoManager = ManagedObjectContext.UndoManager()
    for shelf in try context.fetch(Shelf.self) { try context.delete(shelf) }
    context.undo()
    #expect(!context.hasChanges)
    for shelf in try context.fetch(Shelf.self) { try context.delete(shelf) }
    try context.save()
    #expect(try library.counts() == ["Theme": 3])
    context.undo()
    try context.save()
    #expect(try library.counts() == before)
    let check = try library.context()
    let titles = try check.fetch(Book.self).map { "\($0.title) \($0.pages.count) \($0.themes.count)" }
    #expect(Set(titles) == Set((0..<5).flatMap { number in (0..<3).map { "book \(number).\($0) 2 1" } }))
  }
}
