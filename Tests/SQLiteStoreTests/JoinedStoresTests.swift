import Foundation
import ManagedObjects
import OrderedCollections
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Several stores in one coordinator compared with a single store") struct JoinedStoresTests {
  private static let all: [JoinedStores.Kind: JoinedStores] = {
    do {
      return try Dictionary(
        uniqueKeysWithValues: JoinedStores.Kind.allCases.map { ($0, try JoinedStores($0, seed: 7, count: 10)) })
    } catch { fatalError("\(error)") }
  }()

  private enum Result: Equatable {
    case objects([RowKey])
    case count(Int)
    case dictionaries([OrderedDictionary<String, RowValue>])
    /// The request threw an error.
    case failure
  }

  private func result(
    _ request: FetchRequest, in coordinator: PersistentStoreCoordinator, _ keys: [RowKey: RowKey] = [:]
  ) -> Result {
    let context = ManagedObjectContext(coordinator: coordinator)
    do throws(ManagedObjectError) {
      switch request.resultType {
      case .objects: return .objects(try context.fetch(request).map { keys[$0.objectID.key] ?? $0.objectID.key })
      case .objectIDs: return .objects(try context.fetchObjectIDs(request).map { keys[$0.key] ?? $0.key })
      case .count: return .count(try context.count(for: request))
      case .dictionaries:
        return .dictionaries(
          try context.fetchDictionaries(request).map { $0.mapValues { keys.isEmpty ? $0 : $0.mapped(keys) } })
      }
    } catch {
      return .failure
    }
  }

  /// Returns the same request for the joined stores and the single store.
  private func requests(_ seed: Int, _ stores: JoinedStores) -> (joined: FetchRequest, single: FetchRequest) {
    let people = stores.people
    var own = RandomRequests(seed: seed, objects: people)
    var other = RandomRequests(seed: seed, objects: people.compactMap { stores.singleKeys[$0] })
    var (joined, single) = seed % 2 == 0 ? (own.request(), other.request()) : (own.dictionaries(), other.dictionaries())
    // The order of objects in several stores depends on the store first.
    let isOfObjects = { (order: FetchRequest.SortDescriptor) in ["boss", "self"].contains(order.keyPath) }
    joined.sortDescriptors.removeAll(where: isOfObjects)
    single.sortDescriptors.removeAll(where: isOfObjects)
    if seed % 8 == 2 { (joined.resultType, single.resultType) = (.count, .count) }
    if seed % 8 == 4 { (joined.resultType, single.resultType) = (.objectIDs, .objectIDs) }
    return (joined, single)
  }

  @Test(arguments: JoinedStores.Kind.allCases)
  func `random requests find the same objects in joined stores and a single store`(_ kind: JoinedStores.Kind) throws {
    let stores = try #require(Self.all[kind])
    var (found, failed, differences) = (0, 0, 0)
    for seed in 0..<LongForm.size(all: 200_000, 20_000, or: 60) where differences < 5 {
      let (joined, single) = requests(seed, stores)
      let expected = result(single, in: stores.single)
      let actual = result(joined, in: stores.joined, stores.singleKeys)
      switch expected {
      case .objects(let keys): found += keys.count
      case .dictionaries(let all): found += all.count
      case .count(let count): found += count
      case .failure: failed += 1
      }
      if actual != expected {
        differences += 1
        Issue.record("\(seed): \(joined)\nexpected \(expected)\nfound \(actual)")
      }
    }
    // Not all results are empty, and not all are errors.
    #expect(found > LongForm.size(500, or: 15) && failed < LongForm.size(all: 60_000, 6_000, or: 30))
  }

  @Test func `a key path from an object of one store finds objects of both stores`() throws {
    let stores = try #require(Self.all[.twoSQLite])
    let context = ManagedObjectContext(coordinator: stores.joined)
    let request = FetchRequest("Person", sortedBy: [.init("name")])
    for person in try context.fetch(request) {
      guard case .attribute(.string(let name)) = person["name"] ?? .null else { continue }
      let same = try ManagedPredicate(format: "name == %@.name", person.objectID)
      let other = try ManagedPredicate(format: "name == %@", name)
      let found = try context.fetch(FetchRequest("Person", where: same))
      #expect(found == (try context.fetch(FetchRequest("Person", where: other))) && found.contains(person))
    }
  }

  @Test func `sorting reads the rows of related objects level by level`() throws {
    let stores = try #require(Self.all[.sqliteAndMemory])
    let store = try #require(stores.joined.stores[0] as? SQLiteStore)
    let context = ManagedObjectContext(coordinator: stores.joined)
    let before = store.executedStatementCount
    let found = try context.fetch(
      FetchRequest("Person", sortedBy: [.init("boss.notes.@count"), .init("boss.boss.name")]))
    #expect(found.count == 40)
    #expect(store.executedStatementCount - before < 12)
  }
}
