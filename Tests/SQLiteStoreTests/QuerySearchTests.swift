import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import Testing

@Suite("Predicates in an SQLite store") struct QuerySearchTests {
  /// All searches except those for the attribute without a type, which SQLite stores cannot store.
  static let searches = FetchSearchTables.all.filter { !$0.format.hasPrefix("misc") && !$0.format.contains("ANYKEY") }

  @Test(arguments: searches) func `a predicate finds the expected objects`(_ search: FetchSearchTables.Search) throws {
    var request = FetchRequest(search.entity, where: try ManagedPredicate(format: search.format))
    let stores = SampleStores.people
    if search.names == "error" {
      #expect(throws: ManagedObjectError.self) { try stores.found(request) }
      return
    }
    let statement = try stores.sqlite.statement(for: request)
    // Without an inverse, only one object can refer to another one through this relationship.
    let expected = search.format.contains("links") ? try stores.foundInMemory(request) : search.names
    #expect(try stores.found(request) == expected, "\(statement.sql)")
    request.predicate = request.predicate.map { .not($0) }
    let entity = try #require(stores.sqlite.model[search.entity])
    let names = Set(expected.split(separator: " "))
    request.resultType = .count
    #expect(try stores.sqlite.fetch(request, of: entity) == .count(count(search.entity) - names.count))
  }

  @Test(arguments: [0, 1, 5, 6, 7, Int.max], [0, 1, 5, 6, 7, Int.max])
  func `an offset and a limit select the expected objects`(offset: Int, limit: Int) throws {
    let stores = SampleStores.people
    let all = (0..<6).dropFirst(offset).prefix(limit == 0 ? .max : limit).count
    for order in [[], [FetchRequest.SortDescriptor("name")]] {
      var request = FetchRequest("Person", sortedBy: order)
      request.fetchOffset = offset
      request.fetchLimit = limit
      #expect(try stores.found(request) == stores.foundInMemory(request))
      request.resultType = .count
      let entity = try #require(stores.sqlite.model["Person"])
      #expect(try stores.sqlite.fetch(request, of: entity) == .count(all))
    }
  }

  @Test(
    arguments: ["a\u{0}b", "%", "_", "*", "?", "\\", "[", "'", "\"", "\u{FFFD}", "", "\u{10FFFF}", "a\u{0}"],
    ["==", "BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "CONTAINS[cd]", "LIKE[c]", "IN", "<"])
  func `a text with special characters is compared literally`(text: String, comparison: String) throws {
    let stores = SampleStores.people
    for format in ["name \(comparison) %@", "nick \(comparison) %@", "NOT name \(comparison) %@"] {
      let value: any PredicateArgument = comparison == "IN" ? [text] : text
      let request = FetchRequest("Person", where: try ManagedPredicate(format: format, value))
      #expect(try stores.found(request) == stores.foundInMemory(request), "\(format)")
    }
  }

  private func count(_ entity: String) -> Int { ["Person": 6, "Note": 6, "Group": 3, "Tag": 4][entity] ?? 0 }
}
