import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import TestSupport
import Testing

@Suite("Random requests to an SQLite store and to memory") struct QueryDifferenceTests {
  private static let stores: SampleStores = {
    do {
      return try SampleStores(SampleStores.model, RandomObjects(seed: 7, count: 24).rows)
    } catch { fatalError("\(error)") }
  }()

  /// Executes the same request in both stores, with the keys of each.
  private func results(
    _ seed: Int, _ change: (inout FetchRequest) -> Void = { _ in }
  ) throws -> (request: FetchRequest, memory: StoreFetchResult?, sqlite: StoreFetchResult?) {
    let stores = Self.stores
    let keys = stores.people
    var own = RandomRequests(seed: seed, objects: keys)
    var other = RandomRequests(seed: seed, objects: keys.compactMap { stores.memoryKeys[$0] })
    var (request, same) = (own.request(), other.request())
    change(&request)
    change(&same)
    let entity = try #require(stores.sqlite.model[request.entityName])
    return (request, try? stores.memory.fetch(same, of: entity), try? stores.sqlite.fetch(request, of: entity))
  }

  private func mapped(_ keys: [RowKey]) -> [RowKey] { keys.compactMap { Self.stores.memoryKeys[$0] } }

  @Test func `random predicates, orders, limits and offsets find the same objects`() throws {
    var found = 0
    var failed = 0
    var differences = 0
    for seed in 0..<LongForm.size(all: 1_000_000, 60_000, or: 160) where differences < 5 {
      let (request, memory, sqlite) = try results(seed)
      guard case .rows(let rows)? = memory else {
        failed += 1
        #expect(sqlite == nil, "\(seed): \(describe(request))")
        if sqlite != nil { differences += 1 }
        continue
      }
      var keys: [RowKey]?
      if case .rows(let other)? = sqlite { keys = mapped(other.map(\.key)) }
      found += rows.count
      if keys != rows.map(\.key) {
        differences += 1
        let sql = try Self.stores.sqlite.statement(for: request)
        Issue.record(
          "\(seed): \(describe(request))\nin memory \(numbers(rows.map(\.key)))\nin SQL \(numbers(keys))\n\(sql)")
      }
    }
    // Not all results are empty, and not all are errors.
    #expect(found > LongForm.size(2_000, or: 20) && failed < LongForm.size(1_000, or: 80))
  }

  private func numbers(_ keys: [RowKey]?) -> [String] { (keys ?? []).map { "\($0.entityIndex):\($0.number)" } }

  private func describe(_ request: FetchRequest) -> String {
    "\(request.entityName) \((try? request.predicate?.formatText()) ?? "?") sorted by \(request.sortDescriptors) "
      + "limit \(request.fetchLimit) offset \(request.fetchOffset)"
  }

  @Test func `random requests return the same object IDs and counts`() throws {
    for seed in 10_000..<LongForm.size(10_400, or: 10_060) {
      let (_, memory, sqlite) = try results(seed) { $0.resultType = .count }
      #expect(memory == sqlite, "\(seed)")
      let (_, some, same) = try results(seed) { $0.resultType = .objectIDs }
      if case .keys(let keys)? = some, case .keys(let other)? = same {
        #expect(mapped(other) == keys, "\(seed)")
      } else {
        #expect(some == nil && same == nil, "\(seed)")
      }
    }
  }

  @Test func `fetched rows have the same values`() throws {
    let stores = Self.stores
    let entity = try #require(stores.sqlite.model["Person"])
    guard case .rows(let rows) = try stores.sqlite.fetch(FetchRequest("Person"), of: entity),
      case .rows(let other) = try stores.memory.fetch(FetchRequest("Person"), of: entity)
    else { return }
    #expect(rows.count == other.count && rows.count == 48)
    for (row, same) in zip(rows, other) {
      for attribute in entity.attributes { #expect(row.values[attribute.slot] == same.values[attribute.slot]) }
    }
  }

  @Test func `most random requests are complete in one SQL statement`() throws {
    var complete = 0
    let keys = Self.stores.people
    let count = LongForm.size(500, or: 100)
    for seed in 0..<count {
      var maker = RandomRequests(seed: seed, objects: keys)
      let request = maker.request()
      // Some requests cannot be executed at all.
      if try Self.stores.sqlite.statement(for: request).isComplete { complete += 1 }
    }
    #expect(complete >= LongForm.size(480, or: 88))
  }
}
