import Foundation
import ManagedObjects
import OrderedCollections
import PropertyLists

/// The classes of a program that lends books. Its tests search for books and authors.
enum LibraryProgram {
  final class Author: ManagedObject {
    @Attribute var name: String
    @Attribute var born: Date?
    @Relationship(deleteRule: .cascade) var books: Set<Book>
    /// The books of the author that are longer than the number of pages in the user info.
    @FetchedProperty(
      "author == $FETCH_SOURCE AND pages > $FETCHED_PROPERTY.userInfo.pages", sortedBy: [.init("title")])
    var longBooks: [Book]

    override class func describe(_ entity: inout EntityDescription) {
      for index in entity.properties.indices where entity.properties[index].name == "longBooks" {
        entity.properties[index].userInfo["pages"] = 300
      }
    }
  }

  final class Book: ManagedObject {
    @Attribute var title: String
    @Attribute var pages = 0
    @Attribute var price: Decimal?
    @Attribute var published: Date
    @Attribute var isLent = false
    @Relationship(inverse: \Author.books) var author: Author?
    @Relationship(inverse: \Tag.books) var tags: [Tag]
  }

  final class Tag: ManagedObject {
    @Attribute(.unique) var name: String
    @Relationship var books: Set<Book>
  }

  /// Title, pages, price, year, author, tags.
  private static let rows: [(String, Int, Decimal?, Int, String?, [String])] = [
    ("Émile", 500, 9.5, 1762, "Rousseau", ["education", "classic"]),
    ("Confessions", 650, 12, 1782, "Rousseau", ["classic"]),
    ("Solaris", 204, 8.25, 1961, "Lem", ["space", "classic"]),
    ("The Cyberiad", 295, nil, 1965, "Lem", ["space", "humour"]),
    ("Fiasco", 322, 11, 1986, "Lem", ["space"]),
    ("Beowulf", 130, nil, 1000, nil, []),
  ]

  /// Returns the first moment of a year, in UTC.
  static func year(_ year: Int) -> Date {
    Calendar(identifier: .gregorian).date(from: DateComponents(timeZone: .gmt, year: year))!
  }

  static func model() throws -> ManagedObjectModel {
    let model = try ManagedObjectModel(Author.self, Book.self, Tag.self)
    return try model.settingFetchRequestTemplate(
      FetchRequest("Book", where: ManagedPredicate(format: "author.name == $NAME AND pages >= $PAGES")),
      forName: "booksOfAuthor")
  }

  /// Inserts three authors, one of them without books, six books and four tags, and saves them.
  static func fill(_ context: ManagedObjectContext) throws {
    var (authors, tags): ([String: Author], [String: Tag]) = ([:], [:])
    for name in ["Rousseau", "Lem", "Borges"] {
      let author = try context.insert(Author.self)
      author.name = name
      authors[name] = author
    }
    for (title, pages, price, year, author, names) in rows {
      let book = try context.insert(Book.self)
      (book.title, book.pages, book.price, book.published) = (title, pages, price, Self.year(year))
      book.author = author.flatMap { authors[$0] }
      book.isLent = pages > 600
      for name in names where tags[name] == nil {
        let tag = try context.insert(Tag.self)
        tag.name = name
        tags[name] = tag
      }
      book.tags = names.compactMap { tags[$0] }
    }
    try context.save()
  }
}
