import FoundationEssentials
import ManagedObjects
import TestSupport
import Testing

@Suite("Transient properties") struct TransientPropertyTests {
  final class Car: ManagedObject {
    @Attribute var name = ""
    @Attribute(.transient) var speed = 0
    @Attribute(.transient) var gear = 3
    @Attribute(.transient) var started: Date
    @Relationship(isOptional: false, isTransient: true) var driver: Car?
  }

  private let folder = TemporaryFolder(isInMemory: true)

  private func coordinator(_ kind: StoreKind) throws -> PersistentStoreCoordinator {
    try kind.coordinator(ManagedObjectModel(Car.self), folder)
  }

  @Test(arguments: StoreKind.allCases)
  func `a fetched object has default values and can be saved`(kind: StoreKind) throws {
    let coordinator = try coordinator(kind)
    let context = ManagedObjectContext(coordinator: coordinator)
    let car = try context.insert(Car.self)
    (car.name, car.speed, car.gear) = ("a", 80, 5)
    try context.save()
    #expect(car.speed == 80, "they last as long as the object has values")

    let other = ManagedObjectContext(coordinator: coordinator)
    let same = try #require(try other.fetch(Car.self).first)
    #expect(same["speed"] == .attribute(.integer(0)) && same["gear"] == .attribute(.integer(3)))
    #expect(same.speed == 0 && same.gear == 3 && same["driver"] == .null)
    same.name = "b"
    try other.save()
    same.speed = 30
    #expect(other.hasChanges && !same.hasPersistentChangedValues)
    try other.save()
    #expect(same.speed == 30)

    // Read by key, and again after the object became a fault.
    let third = ManagedObjectContext(coordinator: coordinator)
    let again = try third.existingObject(Car.self, with: same.objectID)
    #expect(again.name == "b" && again["gear"] == .attribute(.integer(3)))
    again.gear = 1
    try third.refresh(again, mergeChanges: true)
    #expect(again.gear == 1)
    try third.refresh(again, mergeChanges: false)
    #expect(again.gear == 3)
    try third.delete(again)
    try third.save()
  }

  @Test func `a child context reads the values of its parent`() throws {
    let root = ManagedObjectContext(coordinator: try coordinator(.memory))
    let car = try root.insert(Car.self)
    car.gear = 5
    let child = ManagedObjectContext(parent: root)
    let same = try child.existingObject(Car.self, with: car.objectID)
    #expect(same.gear == 5)
    same.name = "a"
    try child.save()
    try root.save()
    #expect(car.gear == 5 && car.name == "a")
  }

  @Test(arguments: StoreKind.saving)
  func `an object that lost a conflict can be saved`(kind: StoreKind) throws {
    let coordinator = try coordinator(kind)
    let first = ManagedObjectContext(coordinator: coordinator)
    let second = ManagedObjectContext(coordinator: coordinator)
    let car = try first.insert(Car.self)
    try first.save()
    let same = try second.existingObject(Car.self, with: car.objectID)
    same.name = "b"
    try second.save()
    first.mergePolicy = .storeTrump
    try first.delete(car)
    try first.save()
    #expect(!car.isDeleted && car.name == "b" && car.gear == 3)
    car.name = "c"
    try first.save()
  }
}
