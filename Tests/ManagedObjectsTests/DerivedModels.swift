import ManagedObjects
import TestSupport

/// Models with derived attributes.
enum DerivedModels {
  class Shelf: ManagedObject {
    @Attribute var name = ""
    @Attribute(.derived("books.@count")) private(set) var bookCount: Int
    @Relationship(inverse: \Book.shelf) var books: Set<Book>
  }

  class Book: ManagedObject {
    @Attribute var title = ""
    @Attribute(.transient) var mark = 0
    @Attribute(.derived("pages.@count")) private(set) var pageCount: Int
    @Attribute(.derived("loose.@count")) private(set) var looseCount: Int
    @Relationship var shelf: Shelf?
    @Relationship(inverse: \Page.book) var pages: Set<Page>
    @Relationship var loose: Set<Page>
  }

  final class GraphicNovel: Book {
    @Attribute var isColored = false
  }

  final class Page: ManagedObject {
    @Attribute var words = 0
    @Relationship var book: Book?
  }

  static let model = Result {
    try ManagedObjectModel(Shelf.self, Book.self, GraphicNovel.self, Page.self)
  }

  /// The same entities with derivations for which SQLite stores have no triggers.
  static let wideModel = Result {
    func derived(_ name: String, _ type: AttributeType, _ format: String) throws -> PropertyDescription {
      var attribute = AttributeDescription(name, type)
      attribute.derivation = .init(try ManagedExpression(format: format))
      return .attribute(attribute)
    }
    var longPages = AttributeDescription("longPages", .integer16)
    longPages.derivation = .init(
      try ManagedExpression(format: "pages.@count"), filter: try ManagedPredicate(format: "words > 50"))
    return try ManagedObjectModel(entities: [
      EntityDescription(
        "Shelf",
        [
          .attribute("name", .string), try derived("words", .integer64, "books.@sum.words"),
          .relationship("books", to: "Book", inverse: "shelf", isToMany: true),
        ]),
      EntityDescription(
        "Book",
        [
          .attribute("title", .string), try derived("search", .string, "canonical:(title)"),
          try derived("loud", .string, "uppercase:(title)"), try derived("shelfName", .string, "shelf.name"),
          try derived("quietShelf", .string, "lowercase:(shelf.name)"), try derived("saved", .date, "now()"),
          try derived("words", .integer64, "pages.@sum.words"), try derived("coverWords", .integer64, "cover.words"),
          try derived("looseWords", .double, "sum:(loose.words)"), .attribute(longPages),
          .relationship("shelf", to: "Shelf", inverse: "books"), .relationship("cover", to: "Page"),
          .relationship("pages", to: "Page", inverse: "book", isToMany: true),
          .relationship("loose", to: "Page", isToMany: true),
        ]),
      EntityDescription(
        "Page", [.attribute("words", .integer64), .relationship("book", to: "Book", inverse: "pages")]),
    ])
  }

  static func context(
    _ kind: StoreKind, _ folder: TemporaryFolder, isWide: Bool = false
  ) throws -> ManagedObjectContext {
    ManagedObjectContext(coordinator: try kind.coordinator((isWide ? wideModel : model).get(), folder))
  }
}
