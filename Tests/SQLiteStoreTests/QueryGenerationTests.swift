import Foundation
import ManagedObjectsSamples
import SQLiteStore
import TestSupport
import Testing

@testable import ManagedObjects

@Suite("Query generations") struct QueryGenerationTests {
  typealias City = Atlas.City
  typealias Country = Atlas.Country

  private func areas(_ context: ManagedObjectContext) throws -> [Int] {
    try context.fetch(City.self, sortedBy: [.init("name")]).map(\.area)
  }

  @Test(arguments: Atlas.Kind.allCases)
  func `a pinned context reads the old objects in every way`(_ kind: Atlas.Kind) throws {
    let atlas = try Atlas(kind)
    let ids = try atlas.container.newContext().fetchObjectIDs(FetchRequest("City"))
    let before = try Atlas.contents(atlas.container.newContext(), ids)
    let pinned = try atlas.pinnedContext()
    #expect(try pinned.count(for: FetchRequest("City")) == 8)
    try atlas.change(atlas.otherContext())
    #expect(try Atlas.contents(pinned, ids) == before)
    pinned.reset()
    let after = try Atlas.contents(pinned, ids)
    #expect(try after != before && after == Atlas.contents(atlas.container.newContext(), ids))
    #expect(after.contains("new 0 -") && after.contains("city 1 101 country 0") && after.contains("9 cities") == false)
  }

  @Test(arguments: Atlas.Kind.allCases) func `a context is pinned when it first reads`(_ kind: Atlas.Kind) throws {
    let atlas = try Atlas(kind)
    let pinned = try atlas.pinnedContext()
    #expect(pinned.queryGenerationToken === QueryGenerationToken.current)
    try atlas.change(atlas.otherContext())
    #expect(try Atlas.city("new", pinned) != nil)
    #expect(pinned.queryGenerationToken !== QueryGenerationToken.current)
    try atlas.change(atlas.otherContext())
    #expect(try pinned.fetch(City.self).filter { $0.name == "new" }.count == 1)
  }

  @Test(arguments: Atlas.Kind.allCases) func `an unpinned context reads the newest objects`(_ kind: Atlas.Kind) throws {
    let atlas = try Atlas(kind)
    let context = try atlas.pinnedContext()
    let city = try #require(try Atlas.city("city 1", context))
    try atlas.change(atlas.otherContext())
    try context.setQueryGenerationFrom(nil)
    #expect(context.queryGenerationToken == nil)
    #expect(try Atlas.city("new", context) != nil)
    // Objects keep their values until they are read again.
    #expect(city.area == 1)
    try context.refreshAllObjects()
    #expect(city.area == 101 && city.country?.name == "country 0")
  }

  @Test(arguments: Atlas.Kind.allCases) func `contexts with the same token read the same`(_ kind: Atlas.Kind) throws {
    let atlas = try Atlas(kind)
    let first = try atlas.pinnedContext()
    let old = try areas(first)
    let token = first.queryGenerationToken
    try atlas.change(atlas.otherContext())
    let second = try atlas.pinnedContext(token)
    #expect(second.queryGenerationToken === token)
    // The token keeps the generation when its first context has another one.
    try first.setQueryGenerationFrom(.current)
    #expect(try areas(first) != old)
    #expect(try areas(second) == old)
  }

  @Test(arguments: Atlas.Kind.allCases) func `refreshing stays in the generation`(_ kind: Atlas.Kind) throws {
    let atlas = try Atlas(kind)
    let pinned = try atlas.pinnedContext()
    let city = try #require(try Atlas.city("city 1", pinned))
    try atlas.change(atlas.otherContext())
    try pinned.refresh(city, mergeChanges: false)
    #expect(city.area == 1)
    try pinned.refreshAllObjects()
    #expect(city.area == 1 && city.country?.name == "country 1")
  }

  @Test(arguments: Atlas.Kind.allCases) func `a save advances the context`(_ kind: Atlas.Kind) throws {
    let atlas = try Atlas(kind)
    let pinned = try atlas.pinnedContext()
    let city = try #require(try Atlas.city("city 0", pinned))
    try atlas.change(atlas.otherContext())
    // Without changes, nothing is saved.
    try pinned.save()
    #expect(try Atlas.city("new", pinned) == nil)
    city.area = 50
    try pinned.save()
    #expect(pinned.queryGenerationToken === QueryGenerationToken.current)
    #expect(try Atlas.city("new", pinned) != nil)
    #expect(try Atlas.city("city 0", pinned)?.area == 50)
  }

  @Test(arguments: Atlas.Kind.allCases)
  func `a save finds a conflict with a row that has changed`(_ kind: Atlas.Kind) throws {
    let atlas = try Atlas(kind)
    let pinned = try atlas.pinnedContext()
    let city = try #require(try Atlas.city("city 1", pinned))
    try atlas.change(atlas.otherContext())
    #expect(errorCode { try pinned.detectConflicts(for: city) } == .merge)
    #expect(try Atlas.city("new", pinned) == nil)
    city.name = "renamed"
    #expect(errorCode { try pinned.save() } == .merge)
    // The context has advanced, so that the object can be merged.
    try pinned.refresh(city, mergeChanges: true)
    #expect(city.area == 101 && city.name == "renamed")
    try pinned.save()
    let other = try atlas.otherContext()
    #expect(try Atlas.city("renamed", other)?.area == 101)
  }

  @Test(arguments: Atlas.Kind.allCases)
  func `conflict checks, refreshed objects and faults have what others saved`(_ kind: Atlas.Kind) throws {
    let atlas = try Atlas(kind)
    let context = atlas.container.newContext()
    let cities = try context.fetch(City.self, sortedBy: [.init("name")])
    let (changed, deleted) = (cities[1], cities[2])
    cities[0].area = 50
    try context.detectConflicts(for: changed)
    let other = try atlas.otherContext()
    try atlas.change(other)
    // No fetch has read the changes.
    #expect(errorCode { try context.detectConflicts(for: deleted) } == .merge)
    try context.refresh(changed, mergeChanges: false)
    #expect(changed.area == 101)
    let first = try other.fetch(City.self, sortedBy: [.init("name")])[0]
    first.name = "renamed"
    try other.save()
    try context.refresh(cities[0], mergeChanges: true)
    #expect(cities[0].area == 50 && cities[0].name == "renamed")
    try context.save()
  }

  @Test(arguments: Atlas.Kind.allCases)
  func `a merge policy resolves conflicts with the newest rows`(_ kind: Atlas.Kind) throws {
    let atlas = try Atlas(kind)
    let pinned = try atlas.pinnedContext()
    pinned.mergePolicy = .objectTrump
    let city = try #require(try Atlas.city("city 1", pinned))
    let country = try #require(try pinned.fetch(Country.self).first { $0.name == "country 1" })
    #expect(country.cities.contains(city))
    try atlas.change(atlas.otherContext())
    city.name = "renamed"
    try pinned.save()
    #expect(city.name == "renamed" && city.area == 101 && city.country?.name == "country 0")
    let other = try atlas.otherContext()
    #expect(try Atlas.city("renamed", other)?.country?.name == "country 0")
  }

  @Test(arguments: Atlas.Kind.allCases) func `merging changes advances the context`(_ kind: Atlas.Kind) throws {
    let atlas = try Atlas(kind)
    let pinned = try atlas.pinnedContext()
    let city = try #require(try Atlas.city("city 1", pinned))
    let writer = atlas.container.newContext()
    let id = city.objectID
    try atlas.change(writer)
    var changes = SavedChanges()
    changes.updated = [id]
    try pinned.mergeChanges(from: changes)
    #expect(city.area == 101)
    #expect(try Atlas.city("new", pinned) != nil)
  }

  @Test func `merging automatically advances the context`() throws {
    let atlas = try Atlas(.sqlite)
    let pinned = try atlas.pinnedContext()
    pinned.mergesChangesAutomatically = true
    let city = try #require(try Atlas.city("city 1", pinned))
    try atlas.change(atlas.container.newContext())
    #expect(city.area == 1)
    pinned.processPendingChanges()
    #expect(city.area == 101)
    #expect(try Atlas.city("new", pinned) != nil)
  }

  @Test(arguments: Atlas.Kind.allCases)
  func `a batch request changes the newest objects and does not advance the context`(_ kind: Atlas.Kind) throws {
    let atlas = try Atlas(kind)
    let pinned = try atlas.pinnedContext()
    let old = try areas(pinned)
    let new = try ManagedPredicate(format: "name == 'new'")
    try atlas.change(atlas.container.newContext())
    let result = try pinned.execute(.update("City", ["area": .integer(7)], where: new))
    #expect(result.count == 1)
    #expect(try areas(pinned) == old)
    try pinned.mergeChanges(from: result.changes)
    #expect(try Atlas.city("new", pinned)?.area == 7)
  }

  @Test(arguments: Atlas.Kind.allCases) func `a child context reads the generation of its parent`(
    _ kind: Atlas.Kind
  ) throws {
    let atlas = try Atlas(kind)
    let pinned = try atlas.pinnedContext()
    let child = ManagedObjectContext(parent: pinned)
    let ids = try child.fetchObjectIDs(FetchRequest("City"))
    let before = try Atlas.contents(atlas.container.newContext(), ids)
    try atlas.change(atlas.otherContext())
    #expect(try Atlas.contents(child, ids) == before)
    #expect(child.queryGenerationToken == nil)
    #expect(errorCode { try child.setQueryGenerationFrom(.current) } == .invalidState)
    // A save into the parent saves nothing in a store.
    try #require(try Atlas.city("city 0", child)).area = 9
    try child.save()
    #expect(try Atlas.city("new", pinned) == nil)
    try pinned.save()
    #expect(try Atlas.city("new", child) != nil)
  }

  @Test func `unsaved changes are included in the results`() throws {
    let atlas = try Atlas(.sqlite)
    let pinned = try atlas.pinnedContext()
    try #require(try Atlas.city("city 0", pinned)).area = 1_000
    try pinned.insert(City.self).name = "mine"
    try atlas.change(atlas.otherContext())
    let request = FetchRequest(
      "City", where: try ManagedPredicate(format: "area > 99 OR name IN {'mine', 'new', 'city 2'}"),
      sortedBy: [.init("name")])
    #expect(
      try pinned.fetch(request).map { $0["name"] } == ["city 0", "city 2", "mine"].map { .attribute(.string($0)) })
    #expect(try pinned.count(for: request) == 3)
  }

  @Test(arguments: Atlas.Kind.allCases) func `an asynchronous fetch reads the generation`(_ kind: Atlas.Kind)
    async throws
  {
    let atlas = try Atlas(kind)
    let pinned = try atlas.pinnedContext()
    _ = try pinned.count(for: FetchRequest("City"))
    try atlas.change(atlas.otherContext())
    let names = try await pinned.fetch(City.self, sortedBy: .ascending(\.name), batchSize: 3) { _ in }.map(\.name)
    #expect(names == (0..<8).map { "city \($0)" })
  }

  @Test func `a pinned context does not use cached results of the newest objects`() throws {
    let atlas = try Atlas(.sqlite)
    let folder = TemporaryFolder(isInMemory: true)
    let request = FetchRequest("City", sortedBy: [.init("name")])
    func names(_ context: ManagedObjectContext) throws -> [String] {
      let cache = FetchedResultsCache(name: "cities", folder: folder.url)
      let results = try FetchedResultsController(City.self, request, in: context, cache: cache)
      try results.performFetch()
      return results.fetchedObjects.map(\.name)
    }
    let pinned = try atlas.pinnedContext()
    _ = try pinned.count(for: request)
    try atlas.change(atlas.container.newContext())
    #expect(try names(atlas.container.newContext()).contains("new"))
    #expect(!folder.names.isEmpty)
    #expect(try names(pinned) == (0..<8).map { "city \($0)" })
  }

  @Test func `a token of another coordinator is an error`() throws {
    let atlas = try Atlas(.sqlite)
    let pinned = try atlas.pinnedContext()
    _ = try pinned.fetch(City.self)
    let other = try atlas.otherContext()
    #expect(errorCode { try other.setQueryGenerationFrom(pinned.queryGenerationToken) } == .invalidState)
    #expect(other.queryGenerationToken == nil)
  }

  @Test func `a store without snapshots is an error`() throws {
    let model = try ManagedObjectModel(City.self, Country.self)
    let context = try ManagedObjectContext(ForgetfulStore(model: model))
    #expect(errorCode { try context.setQueryGenerationFrom(.current) } == .unsupportedRequest)
    #expect(context.queryGenerationToken == nil)
    #expect(try context.fetch(City.self).isEmpty)
  }

  @Test func `all stores are pinned, without those added later and those removed`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let model = try ManagedObjectModel(City.self, Country.self)
    let coordinator = PersistentStoreCoordinator(model: model)
    let stores: [any PersistentStore] = [
      try SQLiteStore(folder.url.appending(path: "a.sqlite"), model: model), try InMemoryStore(model: model),
      try InMemoryStore(model: model),
    ]
    func insert(_ name: String, _ store: any PersistentStore) throws {
      let context = ManagedObjectContext(coordinator: coordinator)
      let city = try context.insert(City.self)
      city.name = name
      try context.assign(city, to: store)
      try context.save()
    }
    for (index, store) in stores.prefix(2).enumerated() {
      try coordinator.add(store)
      try insert("old \(index)", store)
    }
    let pinned = ManagedObjectContext(coordinator: coordinator)
    try pinned.setQueryGenerationFrom(.current)
    func names() throws -> [String] { try pinned.fetch(City.self, sortedBy: [.init("name")]).map(\.name) }
    #expect(try names() == ["old 0", "old 1"])
    try coordinator.add(stores[2])
    for (index, store) in stores.enumerated() { try insert("new \(index)", store) }
    #expect(try names() == ["old 0", "old 1"])
    coordinator.remove(stores[1])
    #expect(try names() == ["old 0"])
    try coordinator.add(stores[1])
    #expect(try names() == ["old 0", "old 1"])
    coordinator.remove(stores[1])
    pinned.reset()
    #expect(try names() == ["new 0", "new 2", "old 0"])
  }

  @Test func `reads use the same coordinator until a store is added or removed`() throws {
    let model = try ManagedObjectModel(City.self, Country.self)
    let coordinator = PersistentStoreCoordinator(model: model)
    let stores = try (0..<3).map { _ in try InMemoryStore(model: model) }
    for store in stores { try coordinator.add(store) }
    let pinned = ManagedObjectContext(coordinator: coordinator)
    try pinned.setQueryGenerationFrom(.current)
    var last: PersistentStoreCoordinator?
    func check(_ expected: [InMemoryStore]) throws {
      let source = try pinned.source()
      #expect(source !== last)
      #expect(source.stores.map(\.number) == expected.map(\.number))
      #expect(try pinned.source() === source)
      last = source
    }
    try check(stores)
    coordinator.remove(stores[1])
    try check([stores[0], stores[2]])
    coordinator.remove(stores[0])
    try coordinator.add(stores[1])
    try check([stores[1], stores[2]])
    try coordinator.add(stores[0])
    try check(stores)
    try coordinator.add(InMemoryStore(model: model))
    #expect(try pinned.source() === last)
  }

  /// Each context that is pinned to an earlier generation still reads what was there when the token was made.
  @Test(arguments: Atlas.Kind.allCases) func `random changes leave all generations as they were`(
    _ kind: Atlas.Kind
  ) throws {
    for seed in 0..<LongForm.size(60, or: 1) {
      let atlas = try Atlas(kind)
      let writer = try atlas.otherContext()
      writer.mergePolicy = .objectTrump
      var numbers = RandomNumbers(seed)
      var ids: [ManagedObjectID] = []
      var generations: [(token: QueryGenerationToken?, contents: [String], ids: [ManagedObjectID])] = []
      for _ in 0..<LongForm.size(12, or: 4) {
        let pinned = try atlas.pinnedContext()
        ids = try Array(Set(ids + pinned.fetchObjectIDs(FetchRequest("City")))).sorted {
          $0.uriRepresentation < $1.uriRepresentation
        }
        generations.append((pinned.queryGenerationToken, try Atlas.contents(pinned, ids), ids))
        for _ in 0...numbers.below(3) {
          try changeAtRandom(writer, &numbers)
          try writer.save()
        }
        let (token, contents, known) = numbers.pick(generations)
        #expect(try Atlas.contents(atlas.pinnedContext(token), known) == contents, "seed \(seed)")
      }
      for (token, contents, known) in generations {
        #expect(try Atlas.contents(atlas.pinnedContext(token), known) == contents, "seed \(seed)")
      }
      #expect(Set(generations.map(\.contents)).count > 1)
    }
  }

  private func changeAtRandom(_ context: ManagedObjectContext, _ numbers: inout RandomNumbers) throws {
    let countries = try context.fetch(Country.self)
    for _ in 0...numbers.below(4) {
      let cities = try context.fetch(City.self, sortedBy: [.init("name"), .init("area")]).filter { !$0.isDeleted }
      let city = cities.isEmpty || numbers.once(in: 4) ? try context.insert(City.self) : numbers.pick(cities)
      switch numbers.below(5) {
      case 0 where !city.isInserted: try context.delete(city)
      case 1: city.country = numbers.once(in: 3) ? nil : numbers.pick(countries)
      case 2: city.name = "random \(numbers.below(9))"
      default: city.area = numbers.below(100) - 50
      }
      if city.isInserted { city.name = "inserted \(numbers.below(9))" }
    }
  }
}
