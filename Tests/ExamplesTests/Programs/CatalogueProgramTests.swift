import Foundation
import KeyedArchiving
import ManagedObjects
import Observation
import Synchronization
import TestSupport
import Testing

/// The dimensions of an item: a class with secure coding, which is stored in an archive.
private final class Dimensions: SecureCoding, AttributeCoding {
  let width: Double
  let height: Double

  init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(width, forKey: "width")
    try coder.encode(height, forKey: "height")
  }

  init(coder: KeyedUnarchiver) throws {
    width = try coder.decode(Double.self, forKey: "width")
    height = try coder.decode(Double.self, forKey: "height")
  }
}

private enum State: Int16, CaseIterable, AttributeConvertible {
  case new, used, broken
}

/// An item of a catalogue; only its subentities have objects.
private class Item: ManagedObject {
  @Attribute(.unique) var number: String
  @Attribute var title = "Untitled"
  @Attribute var state: State = .new
  @Attribute var keywords: [String] = []
  @Attribute var dimensions: Dimensions?
  @Attribute(.externalStorage) var picture: Data?
  @Attribute(.transient) var isSelected = false

  override class func describe(_ entity: inout EntityDescription) { entity.isAbstract = true }
}

private final class Lamp: Item {
  @Attribute var watts = 0

  override class func describe(_ entity: inout EntityDescription) {}
}

private final class Chair: Item {
  @Attribute var legs = 4

  override class func describe(_ entity: inout EntityDescription) {}
}

@Suite("A program with a catalogue of items of several kinds") struct CatalogueProgramTests {
  private let folder = TemporaryFolder(isInMemory: true)

  private func container(_ kind: ProgramStore) throws -> PersistentContainer {
    let container = try PersistentContainer(
      model: ManagedObjectModel(Item.self, Lamp.self, Chair.self),
      stores: [kind.description(folder.url.appending(path: "catalogue"))])
    try container.updateAndWait { context in
      let lamp = try context.insert(Lamp.self)
      (lamp.number, lamp.title, lamp.watts) = ("L1", "Desk lamp", 5)
      lamp.dimensions = Dimensions(width: 0.2, height: 0.5)
      lamp.keywords = ["light", "desk"]
      lamp.picture = Data(repeating: 7, count: 200_000)
      lamp.isSelected = true
      let chair = try context.insert(Chair.self)
      (chair.number, chair.title, chair.state) = ("C1", "Chair", .used)
    }
    return container
  }

  @Test(arguments: ProgramStore.allCases)
  func `values of all types are stored, except of transient properties`(_ kind: ProgramStore) throws {
    let context = try container(kind).newContext()
    let lamp = try #require(try context.fetch(Lamp.self).first)
    #expect(lamp.dimensions?.width == 0.2 && lamp.dimensions?.height == 0.5)
    #expect(lamp.keywords == ["light", "desk"] && lamp.state == .new && !lamp.isSelected)
    #expect(lamp.picture == Data(repeating: 7, count: 200_000))
  }

  @Test(arguments: ProgramStore.allCases)
  func `a request for items finds lamps and chairs`(_ kind: ProgramStore) throws {
    let context = try container(kind).newContext()
    let items = try context.fetch(Item.self, sortedBy: .ascending(\.title))
    #expect(items.map { "\(type(of: $0))" } == ["Chair", "Lamp"])
    #expect(try context.fetch(Item.self, where: #Predicate { $0.title == "Chair" }).map(\.number) == ["C1"])
    let used = try ManagedPredicate(format: "state == %d", Int(State.used.rawValue))
    #expect(try context.fetch(Item.self, where: used).map(\.number) == ["C1"])
    #expect(throws: ManagedObjectError.self) { try context.insert(Item.self) }
  }

  @Test(arguments: ProgramStore.allCases)
  func `a second import of the same items updates them`(_ kind: ProgramStore) throws {
    let container = try container(kind)
    let context = container.newContext()
    context.mergePolicy = .objectTrump
    for (number, watts) in [("L1", 7), ("L2", 12)] {
      let lamp = try context.insert(Lamp.self)
      (lamp.number, lamp.watts) = (number, watts)
    }
    try context.save()
    let lamps = try container.newContext().fetch(Lamp.self, sortedBy: .ascending(\.number))
    #expect(lamps.map(\.number) == ["L1", "L2"] && lamps.map(\.watts) == [7, 12])
  }

  @Test func `a window follows the values that it shows`() throws {
    let container = try container(.sqlite)
    let context = container.newContext()
    let lamp = try #require(try context.fetch(Lamp.self).first)
    let notified = Atomic(0)
    func show() -> String {
      withObservationTracking {
        "\(lamp.title), \(lamp.watts) W"
      } onChange: {
        notified.add(1, ordering: .relaxed)
      }
    }
    #expect(show() == "Desk lamp, 5 W")
    lamp.state = .broken
    #expect(notified.load(ordering: .relaxed) == 0)
    lamp.watts = 6
    lamp.watts = 7
    #expect(notified.load(ordering: .relaxed) == 1 && show() == "Desk lamp, 7 W")
    context.mergesChangesAutomatically = true
    try container.updateAndWait { context in
      for lamp in try context.fetch(Lamp.self) { lamp.title = "Old lamp" }
    }
    context.processPendingChanges()
    #expect(notified.load(ordering: .relaxed) == 2 && show() == "Old lamp, 7 W")
  }
}
