import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLQueries
import Testing

@testable import SQLiteStore

@Suite("SQL for a database without custom functions") struct DialectTests {
  /// Standard SQL that SQLite also accepts.
  private struct StandardDialect: SQLDialect {
    let holds = "TRUE"
    let fails = "FALSE"
    /// An object that lives as long as a copy of the dialect.
    var token: Token?

    final class Token: Sendable {}

    func name(_ text: String) -> String { "\"\(text)\"" }
    func parameter(_ number: Int) -> String { "?\(number)" }
    func equal(_ first: String, _ second: String) -> String { "\(first) IS NOT DISTINCT FROM \(second)" }
    func notEqual(_ first: String, _ second: String) -> String { "\(first) IS DISTINCT FROM \(second)" }
    func isTrue(_ sql: String) -> String { "coalesce(\(sql) <> 0, FALSE)" }
    func truthValue(_ sql: String) -> String { "CASE WHEN \(sql) <> 0 THEN 1 WHEN \(sql) = 0 THEN 0 END" }
    func isIn(_ sql: String, list parameter: String) -> String {
      "\(sql) IN (SELECT value FROM json_each(\(parameter)))"
    }
    func test(_ parameter: String, _ values: [String]) -> String? { nil }
    func computation(_ parameter: String, _ values: [String]) -> String? { nil }
    func list(
      _ parameter: String, _ values: [String], _ from: String, orderedBy order: String, isSet: Bool
    ) -> String? { nil }
    func form(_ form: TextForm, _ sql: String) -> String? { nil }
    func term(_ sql: String, isAscending: Bool, nullsAreReversed: Bool) -> String {
      "\(sql) \(isAscending ? "ASC" : "DESC") NULLS \(isAscending == nullsAreReversed ? "LAST" : "FIRST")"
    }
    func unindexed(_ sql: String) -> String { sql }
    func window(limit: Int?, offset: Int) -> String {
      limit.map { " OFFSET \(offset) ROWS FETCH NEXT \($0) ROWS ONLY" } ?? ""
    }
  }

  private static let schema = StoreSchema(SampleStores.model, configuration: nil)

  private func query(
    _ request: FetchRequest, _ dialect: StandardDialect = StandardDialect()
  ) throws -> StoreQuery {
    let entity = try #require(SampleStores.model[request.entityName])
    return try #require(
      StoreQuery(
        request, entity.index..<entity.index + entity.selfAndDescendants.count, rowColumns: "t.*", Self.schema,
        SampleStores.people.sqlite.number, dialect))
  }

  @Test func `a request along to-one relationships leaves nothing in memory`() throws {
    var dialect = StandardDialect(token: StandardDialect.Token())
    weak let token = dialect.token
    let format = "author.boss.age > 3 AND (author.boss.height < 2 OR author.age == 5) AND ANY tags.name == 'web'"
    var sql = try query(FetchRequest("Note", where: ManagedPredicate(format: format)), dialect).sql
    #expect(sql.contains("LEFT JOIN") && token != nil)
    dialect.token = nil
    sql = ""
    #expect(token == nil)
  }

  @Test func `SQL expresses what standard functions can, and otherwise narrows the rows`() throws {
    func sql(_ format: String, _ order: [FetchRequest.SortDescriptor] = []) throws -> (String, Bool) {
      let query = try query(FetchRequest("Group", where: try ManagedPredicate(format: format), sortedBy: order))
      return (query.sql, query.isComplete)
    }
    let start = "SELECT t.* FROM \"ZGROUP\" t WHERE "
    #expect(try sql("latitude == 3") == (start + "t.\"ZLATITUDE\" IS NOT DISTINCT FROM ?1 ORDER BY t.Z_PK", true))
    #expect(
      try sql("latitude > 3 AND name CONTAINS[c] 'plan'")
        == (start + "(t.\"ZLATITUDE\" IS NOT NULL AND t.\"ZLATITUDE\" > ?1) ORDER BY t.Z_PK", false))
    #expect(try sql("latitude > 3", [.init("latitude", isAscending: false)]).0.hasSuffix("DESC NULLS LAST, t.Z_PK"))
    #expect(try sql("latitude > 3", [.init("name")]).1 == false)
  }

  @Test func `SQL without custom functions finds what evaluation in memory finds`() throws {
    let stores = SampleStores.people
    let database = try PlainSQLite(stores.sqlite.url)
    var completeCount = 0
    for search in QuerySearchTests.searches where search.names != "error" {
      let request = FetchRequest(search.entity, where: try ManagedPredicate(format: search.format))
      let query = try query(request)
      // Later parameters are replaced first, because ?12 begins with ?1.
      let sql = query.bindings.enumerated().reversed().reduce(query.sql) { sql, binding in
        sql.replacing("?\(binding.offset + 1)", with: binding.element.literal ?? "?")
      }
      let rows = try database.run(sql)
      let names = try stores.foundInMemory(request).split(separator: " ")
      if query.isComplete {
        completeCount += 1
        #expect(rows.count == names.count, "\(search.format): \(sql)")
      } else {
        #expect(rows.count >= names.count, "\(search.format): \(sql)")
      }
      // Equality is written as in standard SQL.
      #expect(!sql.contains("=="))
    }
    #expect(completeCount > 150)
  }
}

extension QueryTranslation.Binding {
  /// The value in a statement; nil for an object that is passed to a function.
  fileprivate var literal: String? {
    guard case .value(let value) = self else { return nil }
    return switch value {
    case .null: "NULL"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): "'\(text.replacing("'", with: "''"))'"
    case .blob(let data): "X'\(data.map { String(format: "%02X", $0) }.joined())'"
    }
  }
}
