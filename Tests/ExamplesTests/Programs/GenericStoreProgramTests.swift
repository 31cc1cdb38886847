import Foundation
import ManagedObjects
import TestSupport
import Testing

/// The wrapper of the last article: the operations on objects of one class, written once for all classes. It works in
/// the background, and its results are objects of the main context.
@MainActor private final class ObjectStore<Object: ManagedObject> {
  let container: PersistentContainer

  init(_ container: PersistentContainer) { self.container = container }

  var context: ManagedObjectContext { container.mainContext }

  /// Inserts an object, and saves it.
  func create(_ fill: @Sendable @escaping (Object) -> Void) async throws -> Object {
    let id = try await container.update { context in
      let object = try context.insert(Object.self)
      fill(object)
      try context.obtainPermanentIDs(for: [object])
      return object.objectID
    }
    return try context.existingObject(Object.self, with: id)
  }

  /// Searches in the background, and returns the objects in the main context.
  func find(
    _ predicate: ManagedPredicate? = nil, sortedBy order: [FetchRequest.SortDescriptor] = [], limit: Int = 0
  ) async throws -> [Object] {
    let ids = try await container.perform { context in
      try context.fetch(Object.self, where: predicate, sortedBy: order, limit: limit).map(\.objectID)
    }
    return try ids.map { try context.existingObject(Object.self, with: $0) }
  }

  /// Changes the objects that match a predicate, and returns their number.
  @discardableResult
  func update(_ predicate: ManagedPredicate? = nil, _ change: @Sendable @escaping (Object) -> Void) async throws -> Int
  {
    try await container.update { context in
      let objects = try context.fetch(Object.self, where: predicate)
      for object in objects { change(object) }
      return objects.count
    }
  }

  /// Deletes the objects that match a predicate, and returns their number: 0 if there are none.
  @discardableResult
  func delete(_ predicate: ManagedPredicate? = nil) async throws -> Int {
    try await container.perform { context in
      try context.execute(.delete(Object.self, where: predicate).returning(.count)).count
    }
  }

  func count(_ predicate: ManagedPredicate? = nil) async throws -> Int {
    try await container.perform { try $0.count(Object.self, where: predicate) }
  }
}

private final class City: ManagedObject {
  @Attribute(.unique) var name: String
  @Attribute var inhabitants = 0
  @Relationship(deleteRule: .cascade) var streets: Set<Street>
}

private final class Street: ManagedObject {
  @Attribute var name: String
  @Relationship(inverse: \City.streets) var city: City?
}

@Suite("A program with a wrapper for objects of any class") struct GenericStoreProgramTests {
  private let folder = TemporaryFolder(isInMemory: true)

  private func container(_ kind: ProgramStore) throws -> PersistentContainer {
    try PersistentContainer(
      model: ManagedObjectModel(City.self, Street.self),
      stores: [kind.description(folder.url.appending(path: "cities"))])
  }

  @MainActor @Test(arguments: ProgramStore.allCases)
  func `objects of each class are created, found, changed and deleted`(_ kind: ProgramStore) async throws {
    let container = try container(kind)
    let (cities, streets) = (ObjectStore<City>(container), ObjectStore<Street>(container))
    for (name, inhabitants) in [("Oslo", 700), ("Bergen", 290), ("Molde", 21)] {
      let city = try await cities.create { city in (city.name, city.inhabitants) = (name, inhabitants) }
      #expect(city.name == name && city.managedObjectContext === container.mainContext)
    }
    _ = try await streets.create { street in street.name = "Karl Johans gate" }

    let large = try ManagedPredicate(format: "inhabitants > %d", 100)
    let found = try await cities.find(large, sortedBy: [.init("name")])
    #expect(found.map(\.name) == ["Bergen", "Oslo"])
    #expect(try await cities.find(limit: 1).count == 1)

    container.mainContext.mergesChangesAutomatically = true
    #expect(try await cities.update(large) { $0.inhabitants += 1 } == 2)
    container.mainContext.processPendingChanges()
    #expect(found.map(\.inhabitants) == [291, 701])

    #expect(try await cities.delete(ManagedPredicate(format: "name == 'Paris'")) == 0)
    #expect(try await cities.delete(large) == 2)
    #expect(try await cities.count() == 1)
    #expect(try await streets.count() == 1)
  }

  @MainActor @Test func `an error of the background is thrown to the caller, and nothing is saved`() async throws {
    let cities = ObjectStore<City>(try container(.sqlite))
    _ = try await cities.create { $0.name = "Oslo" }
    let error = await #expect(throws: ManagedObjectError.self) {
      _ = try await cities.create { $0.name = "Oslo" }
    }
    #expect(error?.code == .constraintMerge)
    let missing = await #expect(throws: ManagedObjectError.self) {
      _ = try await cities.create { $0.inhabitants = 1 }
    }
    #expect(missing?.code == .missingMandatoryProperty && missing?.key == "name")
    #expect(try await cities.count() == 1)
  }

  @MainActor @Test func `many tasks at once lose no update`() async throws {
    let cities = ObjectStore<City>(try container(.sqlite))
    let oslo = try await cities.create { $0.name = "Oslo" }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 1...20 {
        group.addTask { try await cities.update { $0.inhabitants += 1 } }
      }
      try await group.waitForAll()
    }
    try cities.context.refresh(oslo, mergeChanges: false)
    #expect(oslo.inhabitants == 20)
  }
}
