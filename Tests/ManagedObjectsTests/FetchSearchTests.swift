import FoundationEssentials
import ManagedObjectsSamples
import Testing

@testable import ManagedObjects

@Suite("Fetch requests with predicates") struct FetchSearchTests {
  @Test(arguments: FetchSearchTables.all)
  func `a request finds the rows that match a predicate`(_ search: FetchSearchTables.Search) throws {
    if search.names == "error" {
      #expect(throws: ManagedObjectError.self) { try FetchSamples.found(search.entity, search.format) }
    } else {
      #expect(try FetchSamples.found(search.entity, search.format) == search.names)
      // Tests the objects one by one, as a context does.
      let entity = try #require(FetchSamples.shared.model[search.entity])
      let request = FetchRequest(search.entity, where: try ManagedPredicate(format: search.format))
      let subjects = entity.selfAndDescendants.flatMap { FetchSamples.shared.rows(ofEntity: $0.index) }.map {
        RowSubject($0, FetchSamples.shared)
      }
      let found = try PreparedFetch(request, of: entity).filter(subjects)
      #expect(found.map { FetchSamples.shared.names[$0.row.key] ?? "?" }.joined(separator: " ") == search.names)
    }
  }

  @Test func `each predicate of the table is unchanged after it is printed and parsed`() throws {
    #expect(FetchSearchTables.all.count >= 300)
    for search in FetchSearchTables.all {
      let tree = try ManagedPredicate(format: search.format)
      #expect(try ManagedPredicate(format: tree.formatText()) == tree, "\(search.format)")
    }
  }
}
