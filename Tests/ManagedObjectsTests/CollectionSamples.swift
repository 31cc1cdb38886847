import ManagedObjects
import TestSupport
import Testing

/// Classes with ordered and unordered relationships, for tests of access by key and of collections.
enum CollectionSamples {
  final class Author: ManagedObject {
    @Attribute var name: String?
    @Relationship(inverse: \Book.author) var books: Set<Book>
  }

  final class Book: ManagedObject {
    @Attribute var title: String?
    @Attribute var pages: Int16?
    @Attribute var rating: Double?
    @Attribute var isRead: Bool?
    @Relationship var author: Author?
    @Relationship(inverse: \Chapter.book) var chapters: [Chapter]
    @Relationship(inverse: \Tag.books) var tags: [Tag]
    var firstChapters: [Chapter] { chapters.count > 1 ? Array(chapters.prefix(1)) : [] }
  }

  final class Chapter: ManagedObject {
    @Attribute var number = 0
    @Relationship var book: Book?
  }

  final class Tag: ManagedObject {
    @Attribute var name: String?
    @Relationship var books: Set<Book>
  }

  static let model: ManagedObjectModel = {
    do { return try ManagedObjectModel(Author.self, Book.self, Chapter.self, Tag.self) } catch {
      fatalError("\(error)")
    }
  }()

  /// Returns a context with an empty store.
  static func context(_ kind: StoreKind = .memory, _ folder: TemporaryFolder? = nil) throws -> ManagedObjectContext {
    ManagedObjectContext(coordinator: try kind.coordinator(model, folder ?? TemporaryFolder(isInMemory: true)))
  }
}
