import Foundation
import ManagedObjects
import TestSupport
import Testing

@Suite("A program that searches for books with predicates") struct LibraryPredicateProgramTests {
  private typealias Author = LibraryProgram.Author
  private typealias Book = LibraryProgram.Book
  private typealias Tag = LibraryProgram.Tag
  private let folder = TemporaryFolder(isInMemory: true)

  private func context(_ kind: ProgramStore) throws -> ManagedObjectContext {
    let container = try PersistentContainer(
      model: LibraryProgram.model(), stores: [kind.description(folder.url.appending(path: "library"))])
    try LibraryProgram.fill(container.newContext())
    return container.newContext()
  }

  /// Returns the titles of the books that match a predicate, sorted.
  private func titles(_ context: ManagedObjectContext, _ predicate: ManagedPredicate) throws -> [String] {
    try context.fetch(Book.self, where: predicate, sortedBy: .ascending(\.title, comparison: .localizedStandard))
      .map(\.title)
  }

  /// Formats without arguments, and the titles that they find.
  private static let formats: [(String, [String])] = [
    ("title == 'Solaris'", ["Solaris"]), ("title ==[cd] 'emile'", ["Émile"]),
    ("pages > 500", ["Confessions"]), ("pages >= 500 AND pages <= 650", ["Confessions", "Émile"]),
    ("pages BETWEEN {200, 300}", ["Solaris", "The Cyberiad"]),
    ("title IN {'Solaris', 'Fiasco', 'Missing'}", ["Fiasco", "Solaris"]),
    ("title CONTAINS[cd] 'E'", ["Beowulf", "Confessions", "Émile", "The Cyberiad"]),
    ("title BEGINSWITH[cd] 'e'", ["Émile"]), ("title ENDSWITH 's'", ["Confessions", "Solaris"]),
    ("title LIKE[c] '*the ?yber*'", ["The Cyberiad"]), ("title MATCHES '[F-S].*s.*'", ["Fiasco", "Solaris"]),
    ("isLent == YES", ["Confessions"]), ("price == nil", ["Beowulf", "The Cyberiad"]),
    ("author == nil", ["Beowulf"]), ("author.name == 'Lem' && !(price > 10)", ["Solaris", "The Cyberiad"]),
    ("ANY tags.name == 'classic'", ["Confessions", "Émile", "Solaris"]),
    ("ALL tags.name IN {'space', 'humour'} AND tags.@count > 0", ["Fiasco", "The Cyberiad"]),
    ("NONE tags.name == 'classic'", ["Beowulf", "Fiasco", "The Cyberiad"]),
    ("NOT (ANY tags.name == 'classic')", ["Beowulf", "Fiasco", "The Cyberiad"]),
    ("tags.@count == 2", ["Émile", "Solaris", "The Cyberiad"]), ("author.books.@count == 2", ["Confessions", "Émile"]),
    ("author.books.@max.pages == pages", ["Confessions", "Fiasco"]),
    ("author.books.@min.pages < 300 OR title == 'Beowulf'", ["Beowulf", "Fiasco", "Solaris", "The Cyberiad"]),
    (
      "SUBQUERY(tags, $t, $t.name BEGINSWITH 's' AND $t.books.@count > 2).@count > 0",
      ["Fiasco", "Solaris", "The Cyberiad"]
    ),
    ("pages * 2 > 1000 OR pages + 74 == 204", ["Beowulf", "Confessions"]),
    ("TRUEPREDICATE AND NOT FALSEPREDICATE AND pages < 200", ["Beowulf"]),
  ]

  @Test(arguments: ProgramStore.allCases)
  func `each form of predicate finds its books`(_ kind: ProgramStore) throws {
    let context = try context(kind)
    for (format, expected) in Self.formats {
      #expect(try titles(context, ManagedPredicate(format: format)) == expected, "\(format)")
    }
    #expect(context.misuse.isEmpty)
  }

  @Test(arguments: ProgramStore.allCases)
  func `aggregates select authors`(_ kind: ProgramStore) throws {
    let context = try context(kind)
    for (format, expected) in [
      ("books.@sum.pages > 1000", ["Rousseau"]), ("books.@avg.pages BETWEEN {1, 300}", ["Lem"]),
      ("books.@count == 0", ["Borges"]),
      ("ANY books.tags.name == 'humour'", ["Lem"]), ("books.@max.published < %@", ["Rousseau"]),
    ] {
      let predicate = try ManagedPredicate(
        format: format, arguments: format.contains("%") ? [LibraryProgram.year(1900)] : [])
      let names = try context.fetch(Author.self, where: predicate).map(\.name)
      #expect(names == expected, "\(format)")
    }
  }

  @Test(arguments: ProgramStore.allCases)
  func `arguments and variables are values, and never part of the format`(_ kind: ProgramStore) throws {
    let context = try context(kind)
    let lem = try #require(try context.fetch(Author.self, where: #Predicate { $0.name == "Lem" }).first)
    #expect(try titles(context, ManagedPredicate(format: "%K == %@", "author", lem)).count == 3)
    let ofLem = try ManagedPredicate(format: "author == %@ AND pages > %d", lem.objectID, 300)
    #expect(try titles(context, ofLem) == ["Fiasco"])
    #expect(try titles(context, ManagedPredicate(format: "title IN %@", ["Fiasco", "Émile"])) == ["Émile", "Fiasco"])
    #expect(try titles(context, ManagedPredicate(format: "pages BETWEEN %@", [130, 204])) == ["Beowulf", "Solaris"])
    #expect(try titles(context, ManagedPredicate(format: "title == %@", "' OR TRUEPREDICATE OR '")).isEmpty)
    let before = try ManagedPredicate(format: "published < $DATE AND author.name == $NAME")
    let found = before.substituting(["DATE": LibraryProgram.year(1780), "NAME": "Rousseau"])
    #expect(try titles(context, found) == ["Émile"])
    let error = #expect(throws: ManagedObjectError.self) { try titles(context, before) }
    #expect(error?.code == .unsupportedRequest && error?.predicateError != nil)
  }

  @Test(arguments: ProgramStore.allCases)
  func `predicates are composed of predicates`(_ kind: ProgramStore) throws {
    let context = try context(kind)
    let short = try ManagedPredicate(format: "pages < 250")
    let old = try ManagedPredicate(format: "published < %@", LibraryProgram.year(1900))
    #expect(try titles(context, .and([short, old])) == ["Beowulf"])
    #expect(try titles(context, .or([short, old])) == ["Beowulf", "Confessions", "Émile", "Solaris"])
    #expect(try titles(context, .and([.not(short), .not(old)])) == ["Fiasco", "The Cyberiad"])
    let text = try ManagedPredicate.and([short, .not(old)]).formatText()
    #expect(try titles(context, ManagedPredicate(format: text)) == ["Solaris"])
  }

  @Test(arguments: ProgramStore.allCases)
  func `Swift predicates find the same books`(_ kind: ProgramStore) throws {
    let context = try context(kind)
    let (name, pages) = ("Lem", 250)
    let books = try context.fetch(
      Book.self, where: #Predicate { $0.author?.name == name && $0.pages > pages }, sortedBy: .descending(\.pages))
    #expect(books.map(\.title) == ["Fiasco", "The Cyberiad"])
    let tagged = try context.fetch(Book.self, where: #Predicate { $0.tags.contains { $0.name == "humour" } })
    #expect(tagged.map(\.title) == ["The Cyberiad"])
    let byText = try context.fetch(Book.self, where: #Predicate { $0.title.localizedStandardContains("EMILE") })
    #expect(byText.map(\.title) == ["Émile"])
    #expect(try context.count(Book.self, where: #Predicate { $0.price == nil }) == 2)
  }

  @Test func `a block predicate is a filter of the fetched books`() throws {
    let books = try context(.sqlite).fetch(Book.self).filter { $0.title.count.isMultiple(of: 7) }
    #expect(Set(books.map(\.title)) == ["Solaris", "Beowulf"])
  }

  @Test func `a predicate is evaluated with an object that is not saved`() throws {
    let context = try context(.memory)
    let book = try context.insert(Book.self)
    (book.title, book.pages) = ("Eden", 270)
    let predicate = try ManagedPredicate(format: "title BEGINSWITH 'E' AND pages > $PAGES")
    #expect(try predicate.evaluate(with: book, variables: ["PAGES": 200]))
    #expect(try !predicate.evaluate(with: book, variables: ["PAGES": 300]))
    // A request takes the unsaved book into account.
    #expect(try titles(context, predicate.substituting(["PAGES": 1])) == ["Eden"])
  }

  @Test func `a mistake in a format is an error with its position`() throws {
    let error = #expect(throws: ManagedPredicateError.self) { try ManagedPredicate(format: "title == 'a' AND AND") }
    #expect(error?.position?.column == 18)
    let key = #expect(throws: ManagedPredicateError.self) {
      try ManagedPredicate(format: "author.nam == 'Lem'", for: Book.self, in: LibraryProgram.model())
    }
    #expect(key?.kind == .unknownKey && key?.position?.column == 8)
  }
}
