import ManagedObjectsSamples
import TestSupport
import Testing

@testable import ManagedObjects

@Suite("Storage of large to-many relationships") struct RelationshipStorageTests {
  private static let model = StoreModels.model([
    EntityDescription("Tag", [.relationship("notes", to: "Note", inverse: "tags", isToMany: true)]),
    EntityDescription("Person", [.relationship("notes", to: "Note", inverse: "author", isToMany: true)]),
    EntityDescription(
      "Note",
      [
        .relationship("tags", to: "Tag", inverse: "notes", isToMany: true),
        .relationship("author", to: "Person", inverse: "notes"),
      ]),
  ])

  /// Returns the address of the keys in a set; 0 for other values.
  private func address(_ object: ManagedObject, _ slot: Int) -> UInt {
    if case .toMany(let keys) = object.values[slot] { unsafeBitCast(keys, to: UInt.self) } else { 0 }
  }

  @Test(arguments: ["Tag", "Person"])
  func `adding or removing an object does not copy the set`(_ entity: String) throws {
    let context = try ManagedObjectContext(InMemoryStore(model: Self.model))
    let owner = try context.insert(entity)
    let slot = try #require(owner.entity.relationship(named: "notes")?.slot)
    func set(_ owner: ManagedObject?, of note: ManagedObject) throws {
      let value = owner.map { ManagedObject.Value.object($0) }
      if entity == "Tag" {
        try note.setValue(.set(value.map { [$0] } ?? []), forKey: "tags")
      } else {
        try note.setValue(value ?? .null, forKey: "author")
      }
    }
    let notes = try (0..<500).map { _ in try context.insert("Note") }
    var addresses: Set<UInt> = []
    for note in notes {
      try set(owner, of: note)
      addresses.insert(address(owner, slot))
    }
    // The set is copied only when its capacity doubles.
    #expect(addresses.count < 20)
    try context.save()
    // The first change copies the saved keys.
    try set(nil, of: notes[0])
    addresses = []
    for note in notes[1..<200] {
      try set(nil, of: note)
      addresses.insert(address(owner, slot))
    }
    for note in notes[200..<400] {
      try context.delete(note)
      addresses.insert(address(owner, slot))
    }
    for note in notes[..<200] {
      try set(owner, of: note)
      addresses.insert(address(owner, slot))
    }
    #expect(addresses.count == 1)
    #expect(owner.values[slot].count == 300)
  }
}
