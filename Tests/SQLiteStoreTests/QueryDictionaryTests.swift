import Foundation
import ManagedObjects
import ManagedObjectsSamples
import OrderedCollections
import SQLiteStore
import Testing

@Suite("Dictionaries from an SQLite store and from memory") struct QueryDictionaryTests {
  /// A request in a short notation: the values to fetch, the grouping, the conditions and the order.
  struct Sample: CustomStringConvertible, Sendable {
    var entity = "Person"
    var values: [String]
    var condition: String?
    var groupBy: [String]?
    var having: String?
    var order: [String] = []
    var isDistinct = false
    var window = (offset: 0, limit: 0)
    /// True if a single statement returns the dictionaries.
    var isInSQL: Bool

    var description: String { "\(values) of \(entity) where \(condition ?? "") by \(groupBy ?? []) \(having ?? "")" }

    func request() throws -> FetchRequest {
      var request = FetchRequest(
        entity, where: try condition.map { try ManagedPredicate(format: $0) },
        sortedBy: order.map {
          FetchRequest.SortDescriptor($0.hasPrefix("-") ? String($0.dropFirst()) : $0, isAscending: !$0.hasPrefix("-"))
        })
      request.resultType = .dictionaries
      request.propertiesToFetch = try values.map(Self.value)
      request.propertiesToGroupBy = try groupBy?.map(Self.value)
      request.havingPredicate = try having.map { try ManagedPredicate(format: $0) }
      request.returnsDistinctResults = isDistinct
      (request.fetchOffset, request.fetchLimit) = window
      return request
    }

    /// Returns the value of `name:expression`, `name:expression:type`, or a property.
    private static func value(_ text: String) throws -> FetchRequest.FetchedValue {
      let parts = text.split(separator: ":").map(String.init)
      if parts.count == 1 { return .property(text) }
      let types: [String: AttributeType] = [
        "integer": .integer32, "double": .double, "decimal": .decimal, "id": .objectID,
      ]
      return .expression(
        name: parts[0], try ManagedExpression(format: parts[1]),
        type: parts.count == 3 ? types[parts[2]] ?? .undefined : .undefined)
    }
  }

  static let samples: [Sample] = [
    Sample(values: ["name", "age", "boss.name", "boss", "member", "born", "photo", "token", "site"], isInSQL: true),
    Sample(values: ["name", "salary", "height", "weight", "balance", "visits", "extra"], isInSQL: true),
    Sample(
      values: ["name", "boss.boss.age"], condition: "age > 0 AND ANY notes.pages > 1", order: ["-name", "age"],
      window: (2, 5), isInSQL: true),
    Sample(values: ["id:SELF:id", "n:notes.@count", "b:boss.reports.@count:integer"], isInSQL: true),
    Sample(values: ["twice:age * 2", "name"], condition: "boss != nil", isInSQL: false),
    Sample(values: ["pages:sum(notes.pages)", "name"], order: ["name"], window: (1, 3), isInSQL: false),
    Sample(values: ["old:TERNARY(age > 29, 'old', 'young')", "name"], isInSQL: false),
    Sample(values: ["name"], order: ["name"], isDistinct: true, isInSQL: true),
    Sample(values: ["age", "member"], isDistinct: true, window: (2, 4), isInSQL: true),
    Sample(values: ["boss"], isDistinct: true, isInSQL: true),
    Sample(values: ["weight", "height"], isDistinct: true, isInSQL: true),
    Sample(
      values: ["s:sum(age)", "c:count(age)", "all:count(SELF)", "min:min(born)", "max:max(age)", "a:average(age)"],
      isInSQL: true),
    Sample(
      values: ["s:sum(age)", "c:count(age)", "all:count(SELF)", "min:min(born)", "a:average(age)"],
      condition: "FALSEPREDICATE", isInSQL: true),
    Sample(values: ["s:sum(age):double", "a:average(age):integer", "m:max(balance)"], isInSQL: true),
    Sample(values: ["s:sum(age)"], window: (1, 0), isInSQL: true),
    Sample(values: ["big:sum(visits)"], condition: "visits > 5", isInSQL: true),
    Sample(values: ["s:sum(height)"], condition: "height BETWEEN {-5, 5}", isInSQL: false),
    Sample(values: ["m:min(name)", "b:sum(balance)"], isInSQL: false),
    Sample(entity: "Employee", values: ["age", "c:count(SELF)"], groupBy: ["age"], isInSQL: true),
    Sample(values: ["age", "c:count(SELF)"], groupBy: ["age"], isInSQL: false),
    Sample(entity: "Employee", values: ["name", "c:count(SELF)", "s:sum(salary)"], groupBy: ["name"], isInSQL: true),
    Sample(entity: "Employee", values: ["name", "m:max(salary)"], groupBy: ["name"], order: ["name"], isInSQL: false),
    Sample(
      entity: "Employee", values: ["boss", "member", "c:count(age)", "m:min(age)"], groupBy: ["boss", "member"],
      order: ["-member"], window: (1, 6), isInSQL: true),
    Sample(
      entity: "Employee", values: ["boss.name", "c:count(SELF)"], condition: "boss != nil", groupBy: ["boss.name"],
      isInSQL: true),
    Sample(entity: "Employee", values: ["age", "c:count(SELF)"], groupBy: ["age"], having: "$c > 2", isInSQL: false),
    Sample(
      entity: "Employee", values: ["decade:age / 10"], condition: "age != nil", groupBy: ["decade:age / 10"],
      isInSQL: false),
    Sample(entity: "Employee", values: ["weight", "c:count(SELF)"], groupBy: ["weight"], isInSQL: false),
    Sample(entity: "Group", values: ["latitude", "c:count(name)"], groupBy: ["latitude"], isInSQL: true),
    Sample(entity: "Group", values: ["m:max(latitude)", "n:min(longitude)"], isInSQL: true),
  ]

  private static let stores: SampleStores = {
    do {
      return try SampleStores(SampleStores.model, RandomObjects(seed: 3, count: 24).rows)
    } catch { fatalError("\(error)") }
  }()

  @Test(arguments: samples)
  func `an SQLite store returns the same dictionaries as a store in memory`(_ sample: Sample) throws {
    let stores = Self.stores
    let request = try sample.request()
    let entity = try #require(stores.sqlite.model[sample.entity])
    let statement = try stores.sqlite.statement(for: request)
    #expect(statement.isComplete == sample.isInSQL)
    guard case .dictionaries(let expected) = try stores.memory.fetch(request, of: entity),
      case .dictionaries(let found) = try stores.sqlite.fetch(request, of: entity)
    else {
      Issue.record("no dictionaries")
      return
    }
    let mapped = found.map { $0.mapValues { $0.mapped(stores.memoryKeys) } }
    #expect(mapped == expected, "\(statement.sql)")
    // Equal strings can have different scalars.
    #expect(mapped.map(texts) == expected.map(texts))
  }

  private func texts(_ dictionary: OrderedDictionary<String, RowValue>) -> [[Unicode.Scalar]] {
    dictionary.values.map { value in
      if case .attribute(.string(let text)) = value { Array(text.unicodeScalars) } else { [] }
    }
  }
}
