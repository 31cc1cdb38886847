import Foundation
import ManagedObjects
import ManagedObjectsSamples
import OrderedCollections
import SQLiteStore
import StoreInspection
import TestSupport
import Testing

@Suite("An SQLite store filled with the rows of another store") struct FillingTests {
  enum Source: CaseIterable {
    case library, random

    func rows() throws -> (model: ManagedObjectModel, rows: [StoreRow]) {
      switch self {
      case .random: return (SampleStores.model, RandomObjects(seed: 11, count: LongForm.size(90, or: 30)).rows)
      case .library:
        let model = try ManagedObjectModel(entities: [
          EntityDescription(
            "Person",
            [
              .attribute("name", .string), .relationship("spouse", to: "Person", inverse: "spouse"),
              .relationship("desk", to: "Desk", inverse: "owner"),
              .relationship("parent", to: "Person", inverse: "children"),
              .relationship("children", to: "Person", inverse: "parent", isToMany: true, isOrdered: true),
              .relationship("friends", to: "Person", inverse: "friends", isToMany: true),
              .relationship("likes", to: "Desk", inverse: "likers", isToMany: true, isOrdered: true),
            ]),
          EntityDescription(
            "Desk",
            [
              .relationship("owner", to: "Person", inverse: "desk"),
              .relationship("likers", to: "Person", inverse: "likes", isToMany: true, isOrdered: true),
              .relationship("things", to: "Person", isToMany: true),
            ]),
        ])
        return (model, try Self.people(model, count: LongForm.size(120, or: 40)))
      }
    }

    /// People and desks. All relationships lead to objects of other batches.
    private static func people(_ model: ManagedObjectModel, count: Int) throws -> [StoreRow] {
      let store = try InMemoryStore(model: model)
      let context = try ManagedObjectContext(store)
      let people = try (0..<count).map { _ in try context.insert("Person") }
      let desks = try (0..<count).map { _ in try context.insert("Desk") }
      for (index, person) in people.enumerated() {
        func other(_ factor: Int, _ otherCount: Int = 1) -> [ManagedObject.Value] {
          (1...otherCount).map { .object(people[(index * factor + 17 * $0) % count]) }
        }
        try person.setValue(.string("Person \(index)"), forKey: "name")
        try person.setValue(.object(people[count - 1 - index]), forKey: "spouse")
        try person.setValue(.object(desks[(index * 7 + 5) % count]), forKey: "desk")
        if index > 0 { try person.setValue(.object(people[(index * 31) % index]), forKey: "parent") }
        try person.setValue(.set(Array(Set(other(3, 4)))), forKey: "friends")
        let liked = (1...3).map { ManagedObject.Value.object(desks[(index * 13 + 41 * $0) % count]) }
        try person.setValue(.array(liked), forKey: "likes")
        try desks[index].setValue(.set([.object(people[(index + count / 2) % count])]), forKey: "things")
      }
      for (index, person) in people.enumerated() where index % 2 == 0 {
        guard case .array(let children) = try person.value(forKey: "children") else { continue }
        try person.setValue(.array(children.reversed()), forKey: "children")
      }
      try context.save()
      return try model.entities.flatMap { entity in
        guard case .rows(let rows) = try store.fetch(FetchRequest(entity.name), of: entity) else { return [StoreRow]() }
        return rows
      }
    }
  }

  /// Returns the rows with the keys of a store.
  private func rows(_ rows: [StoreRow], of store: SQLiteStore) -> [StoreRow] {
    func key(_ key: RowKey) -> RowKey {
      RowKey(store: store.number, entityIndex: Int(key.entityIndex), number: key.number)
    }
    return rows.map { row in
      let values = row.values.map { value -> RowValue in
        switch value {
        case .attribute, .unread: value
        case .toOne(let other): .toOne(other.map(key))
        case .toMany(let others): .toMany(Set(others.map(key)))
        case .orderedToMany(let others): .orderedToMany(OrderedSet(others.map(key)))
        }
      }
      return StoreRow(key: key(row.key), version: 1, values: values)
    }
  }

  @Test(arguments: Source.allCases, [false, true])
  func `a filled store has the same objects as a store saved at once`(_ source: Source, isInParts: Bool) throws {
    let folder = TemporaryFolder(isInMemory: true)
    let (model, rows) = try source.rows()
    let saved = try SQLiteStore(URL(filePath: folder.path("saved.sqlite")), model: model)
    var changes = StoreChanges()
    changes.inserted = self.rows(rows, of: saved)
    try saved.save(changes)
    let filled = try SQLiteStore(URL(filePath: folder.path("filled.sqlite")), model: model)
    let own = self.rows(rows, of: filled)
    let byKey = Dictionary(uniqueKeysWithValues: own.map { ($0.key, $0) })
    try filled.fill(own.map(\.key).shuffled()) { keys, part in
      #expect(keys.count <= 1000 && Set(keys.map(\.entityIndex)).count == 1)
      return keys.compactMap { byKey[$0] }.map { row in
        var row = row
        if isInParts, case .links(let slots) = part {
          for slot in row.values.indices where !slots.contains(slot) { row.values[slot] = .unread }
        }
        return row
      }
    }
    let expected = try StoreDump(saved)
    #expect(try StoreDump(filled).differences(from: expected).filter { !$0.contains("NSStoreUUID") } == [])
    #expect(expected.objects.count == rows.count)
    #expect(try StoreCheck(filled.url).run { if $0.severity == .error { Issue.record("\($0)") } }.errorCount == 0)
    // The numbers are reserved.
    let next = try filled.makeKeys([Int(own[0].key.entityIndex)])[0]
    #expect(next.number > own[0].key.number && byKey[next] == nil)
  }

  @Test func `a row that cannot be read or saved leaves the store empty`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let (model, rows) = try Source.random.rows()
    let store = try SQLiteStore(URL(filePath: folder.path("store.sqlite")), model: model)
    let own = self.rows(rows, of: store)
    let byKey = Dictionary(uniqueKeysWithValues: own.map { ($0.key, $0) })
    let keys = own.map(\.key)
    #expect(throws: ManagedObjectError.self) {
      try store.fill(keys) { keys, part throws(ManagedObjectError) in
        if case .links = part { throw ManagedObjectError(.operation, "cannot be read") }
        return keys.compactMap { byKey[$0] }
      }
    }
    #expect(throws: ManagedObjectError.self) {
      try store.fill(keys + [keys[0]]) { keys, _ in keys.compactMap { byKey[$0] } }
    }
    #expect(try StoreDump(store).objects.isEmpty)
  }
}
