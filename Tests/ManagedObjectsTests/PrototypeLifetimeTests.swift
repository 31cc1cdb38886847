import Foundation
import Synchronization
import Testing

@testable import ManagedObjects

@Suite("Lifetime of prototype objects") struct PrototypeLifetimeTests {
  /// Counts its living instances.
  final class Token: Sendable {
    static let count = Atomic<Int>(0)
    init() { Self.count.add(1, ordering: .relaxed) }
    deinit { Self.count.subtract(1, ordering: .relaxed) }
    static var alive: Int { count.load(ordering: .relaxed) }
  }

  final class Shelf: ManagedObject {
    let token = Token()
    @Attribute var number = 0
    @Relationship var books: Set<Book>
    @Relationship(inverse: \Book.readers) var lent: Set<Book>
  }

  final class Book: ManagedObject {
    let token = Token()
    @Attribute var title: String?
    @Relationship(inverse: \Shelf.books) var shelf: Shelf?
    @Relationship var readers: Set<Shelf>
  }

  @Test func `requests, predicates and models release their prototypes`() throws {
    for _ in 0..<20 {
      let request = try FetchRequest(
        Book.self, where: #Predicate<Book> { $0.shelf?.number == 3 && $0.title != nil },
        sortedBy: .ascending(\.shelf?.number), .descending(\.title))
      #expect(request.sortDescriptors.map(\.keyPath) == ["shelf.number", "title"])
      _ = try ManagedObjectModel(Shelf.self, Book.self)
      #expect(throws: ManagedPredicateError.self) { try FetchRequest(Book.self, sortedBy: .ascending(\.token.id)) }
    }
    #expect(Token.alive == 0)
  }
}

extension PrototypeLifetimeTests.Token {
  var id: Int { 0 }
}
