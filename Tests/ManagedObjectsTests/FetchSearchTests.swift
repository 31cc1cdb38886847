import FoundationEssentials
import ManagedObjectsSamples
import Testing

@testable import ManagedObjects

@Suite("Requests find rows by predicates") struct FetchSearchTests {
  @Test(arguments: FetchSearchTables.all)
  func `over attributes and relationships`(_ search: FetchSearchTables.Search) throws {
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

  @Test func `of which there are enough, and whose text is the same tree again when it is printed and read`() throws {
    #expect(FetchSearchTables.all.count >= 300)
    for search in FetchSearchTables.all {
      let tree = try ManagedPredicate(format: search.format)
      #expect(try ManagedPredicate(format: tree.formatText()) == tree, "\(search.format)")
    }
  }
}
