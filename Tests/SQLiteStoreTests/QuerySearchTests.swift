import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import Testing

@Suite("An SQLite store finds objects by predicates")
struct QuerySearchTests {
  /// Those that ask for the value without a type, which SQLite stores do not keep.
  static let searches = FetchSearchTables.all.filter {
    !$0.format.hasPrefix("misc") && !$0.format.contains("ANYKEY")
  }

  @Test("as the rules say", arguments: searches)
  func asTheRulesSay(_ search: FetchSearchTables.Search) throws {
    var request = FetchRequest(search.entity, where: try ManagedPredicate(format: search.format))
    let stores = SampleStores.people
    if search.names == "error" {
      #expect(throws: ManagedObjectError.self) { try stores.found(request) }
      return
    }
    let statement = try stores.sqlite.statement(for: request)
    // Without an inverse an object can be in one such relationship only.
    let expected = search.format.contains("links") ? try stores.foundInMemory(request) : search.names
    #expect(try stores.found(request) == expected, "\(statement.sql)")
    request.predicate = request.predicate.map { .not($0) }
    let entity = try #require(stores.sqlite.model[search.entity])
    let names = Set(expected.split(separator: " "))
    request.resultType = .count
    #expect(try stores.sqlite.fetch(request, of: entity) == .count(count(search.entity) - names.count))
  }

  private func count(_ entity: String) -> Int { ["Person": 6, "Note": 6, "Group": 3, "Tag": 4][entity] ?? 0 }
}
