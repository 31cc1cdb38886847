import Foundation
import ManagedObjects
import ManagedObjectsSamples
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Ordered relationships of an SQLite store") struct OrderTests {
  let folder = TemporaryFolder(isInMemory: true)
  var file: URL { folder.url.appending(path: "store.sqlite") }

  static let tables: [([Int64], [Int64])] = [
    ([0, 0, 0], [2048, 3072, 4096]), ([], []), ([2048, 3072], [2048, 3072]), ([2048, 0], [2048, 3072]),
    ([0, 2048], [1024, 2048]), ([2048, 0, 3072], [2048, 2560, 3072]),
    ([2048, 0, 0, 0, 3072], [2048, 2304, 2560, 2816, 3072]), ([3072, 2048], [1024, 2048]),
    ([4096, 2048, 3072], [1024, 2048, 3072]), ([2048, 5000, 3072, 4096], [2048, 2560, 3072, 4096]),
    ([2048, 4096, 3072], [2048, 2560, 3072]), ([5, 0, 6], [2048, 3072, 4096]), ([0, 1], [2048, 3072]),
    ([7, 7, 7], [2, 4, 7]), ([-3, 10], [5, 10]), ([.max, 0], [2048, 3072]),
    ([.max - 4000, 0], [.max - 4000, .max - 2976]),
  ]

  @Test(arguments: tables)
  func `the fewest order numbers change, and all change if no room is left`(old: [Int64], new: [Int64]) {
    #expect(OrderNumbers.numbers(old, OrderNumbers.kept(old), first: 2048, step: 1024) == new)
  }

  private static let model: ManagedObjectModel = {
    let list = EntityDescription(
      "List",
      [
        .attribute("name", .string),
        .relationship("items", to: "Item", inverse: "list", isToMany: true, isOrdered: true),
        .relationship("shared", to: "Item", inverse: "sharing", isToMany: true, isOrdered: true),
        .relationship("marked", to: "Item", inverse: "marking", isToMany: true, isOrdered: true),
        .relationship("others", to: "Item", isToMany: true, isOrdered: true),
        .relationship("near", to: "List", inverse: "near", isToMany: true, isOrdered: true),
      ])
    let item = EntityDescription(
      "Item",
      [
        .attribute("name", .string), .relationship("list", to: "List", inverse: "items"),
        .relationship("sharing", to: "List", inverse: "shared", isToMany: true, isOrdered: true),
        .relationship("marking", to: "List", inverse: "marked", isToMany: true),
      ])
    var special = EntityDescription("Special", [.attribute("extra", .string)])
    special.superentity = "Item"
    do { return try ManagedObjectModel(entities: [list, item, special]) } catch { fatalError("\(error)") }
  }()

  private func context() throws -> ManagedObjectContext {
    try ManagedObjectContext(SQLiteStore(file, model: Self.model))
  }

  private func objects(_ entity: String, _ names: [String], _ context: ManagedObjectContext) throws -> [ManagedObject] {
    try names.map { name in
      let object = try context.insert(entity)
      try object.setValue(.string(name), forKey: "name")
      return object
    }
  }

  /// Returns the items of each list by name, with their order numbers.
  private func numbers() throws -> [String] {
    try PlainSQLite(file).column(
      "SELECT l.ZNAME || i.ZNAME || ' ' || i.Z_FOK_LIST FROM ZITEM i JOIN ZLIST l ON l.Z_PK = i.ZLIST "
        + "ORDER BY l.ZNAME, Z_FOK_LIST")
  }

  @Test func `only moved members and members of another owner get new order numbers`() throws {
    let context = try context()
    let lists = try objects("List", ["A", "B"], context)
    let items = try objects("Item", ["a", "b", "c", "d"], context)
    func set(_ list: Int, _ indices: [Int]) throws {
      try lists[list].setValue(.array(indices.map { .object(items[$0]) }), forKey: "items")
      try context.save()
    }
    try set(0, [0, 1, 2])
    #expect(try numbers() == ["Aa 2048", "Ab 3072", "Ac 4096"])
    let versions = { try PlainSQLite(file).column("SELECT Z_OPT FROM ZITEM ORDER BY ZNAME") }
    let before = try versions()
    try set(0, [2, 0, 1])
    #expect(try numbers() == ["Ac 1024", "Aa 2048", "Ab 3072"])
    // The items are unchanged: the order belongs to the list.
    #expect(try versions() == before)
    try set(0, [2, 0, 3, 1])
    #expect(try numbers() == ["Ac 1024", "Aa 2048", "Ad 2560", "Ab 3072"])
    try set(1, [3, 2])
    #expect(try numbers() == ["Aa 2048", "Ab 3072", "Bd 2048", "Bc 3072"])
    try items[0].setValue(.object(lists[1]), forKey: "list")
    try context.save()
    #expect(try numbers() == ["Ab 3072", "Bd 2048", "Bc 3072", "Ba 4096"])
    try items[0].setValue(ManagedObject.Value.null, forKey: "list")
    try context.save()
    #expect(try PlainSQLite(file).column("SELECT Z_FOK_LIST FROM ZITEM WHERE ZNAME = 'a'") == ["NULL"])
  }

  @Test func `members without order numbers get them with the next change`() throws {
    let first = try context()
    let lists = try objects("List", ["A"], first)
    let items = try objects("Item", ["a", "b", "c"], first)
    try lists[0].setValue(.array(items.map { .object($0) }), forKey: "items")
    try first.save()
    try PlainSQLite(file).run("UPDATE ZITEM SET Z_FOK_LIST = NULL WHERE ZNAME = 'b'")
    let second = try context()
    let list = try #require(try second.fetch(FetchRequest("List")).first)
    guard case .array(let found)? = list["items"] else { return }
    #expect(found.count == 3)
    try list.setValue(.array(found.reversed()), forKey: "items")
    try second.save()
    let numbers = try PlainSQLite(file).column("SELECT Z_FOK_LIST FROM ZITEM ORDER BY Z_FOK_LIST")
    #expect(!numbers.contains("NULL") && Set(numbers).count == 3)
    let third = try context()
    let again = try #require(try third.fetch(FetchRequest("List")).first)
    guard case .array(let reversed)? = again["items"] else { return }
    #expect(reversed.map(id) == found.reversed().map(id))
  }

  private func id(_ value: ManagedObject.Value) -> String {
    if case .object(let object) = value { object.objectID.uriRepresentation } else { "" }
  }

  private func copy(of object: ManagedObject, in context: ManagedObjectContext) throws -> ManagedObject {
    try context.object(with: #require(context.coordinator.objectID(forURI: object.objectID.uriRepresentation)))
  }

  @Test(arguments: 0..<4) func `random changes of orders, owners and members agree with arrays`(part: Int) throws {
    for seed in 0..<LongForm.size(all: 500, 25, or: 1) {
      for name in folder.names { try FileManager.default.removeItem(at: folder.url.appending(path: name)) }
      try script(UInt64(part * 1_000 + seed))
    }
  }

  private func script(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let context = try context()
    let lists = try objects("List", ["A", "B", "C"], context)
    let items = try objects("Item", ["a", "b", "c", "d"], context) + objects("Special", ["e", "f", "g", "h"], context)
    let keys = ["items", "shared", "marked", "others", "near"]
    // The indexes of each list's items by key, and for each item the lists that share it.
    var lefts = Dictionary(uniqueKeysWithValues: keys.map { ($0, [[Int]](repeating: [], count: 3)) })
    var sharing = [[Int]](repeating: [], count: items.count)
    var log: [String] = []
    for _ in 0..<60 {
      let key = try #require(keys.randomElement(using: &random))
      let list = Int.random(in: 0..<3, using: &random)
      var value = lefts[key]?[list] ?? []
      let count = key == "near" ? 3 : items.count
      switch Int.random(in: 0..<5, using: &random) {
      case 0: value.shuffle(using: &random)
      case 1: value = Array((0..<count).shuffled(using: &random).prefix(Int.random(in: 0...count, using: &random)))
      case 2: if !value.isEmpty { value.remove(at: Int.random(in: 0..<value.count, using: &random)) }
      case 3:
        // Inserts at the same index again and again, until the order numbers leave no gap.
        if value.count > 2 { value.insert(value.removeLast(), at: 1) }
      default:
        let item = Int.random(in: 0..<count, using: &random)
        value.removeAll { $0 == item }
        value.insert(item, at: Int.random(in: 0...value.count, using: &random))
      }
      let old = lefts[key]?[list] ?? []
      log.append("\(list).\(key)=\(value)")
      try lists[list].setValue(.array(value.map { .object(key == "near" ? lists[$0] : items[$0]) }), forKey: key)
      lefts[key]?[list] = value
      for item in Set(old).symmetricDifference(value) {
        let isNew = value.contains(item)
        switch key {
        case "items", "others":
          for other in 0..<3 where isNew && other != list { lefts[key]?[other].removeAll { $0 == item } }
        case "shared": sharing[item].removeAll { $0 == list }
        case "near":
          guard item != list else { continue }
          lefts[key]?[item].removeAll { $0 == list }
          if isNew { lefts[key]?[item].append(list) }
        default: continue
        }
      }
      // In the order in which they are added.
      if key == "shared" { for item in value where !old.contains(item) { sharing[item].append(list) } }
      if key == "others" {
        // Lists without an inverse do not see items that another list has taken.
        for other in 0..<3 where other != list {
          let rest = lefts[key]?[other] ?? []
          try lists[other].setValue(.array(rest.map { .object(items[$0]) }), forKey: key)
        }
      }
      guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
      log.append("save")
      try context.save()
      let trace = Comment(rawValue: "seed \(seed): " + log.suffix(20).joined(separator: "; "))
      let reader = try self.context()
      for (index, list) in lists.enumerated() {
        let copy = try self.copy(of: list, in: reader)
        for key in keys {
          guard case .array(let found)? = copy[key] else { continue }
          let targets = key == "near" ? lists : items
          let expected = (lefts[key]?[index] ?? []).map { targets[$0].objectID.uriRepresentation }
          try #require(found.map(id) == expected, "\(index).\(key), \(trace)")
        }
      }
      for (index, item) in items.enumerated() {
        let copy = try self.copy(of: item, in: reader)
        guard case .array(let found)? = copy["sharing"] else { continue }
        let expected = sharing[index].map { lists[$0].objectID.uriRepresentation }
        try #require(found.map(id) == expected, "item \(index), \(trace)")
      }
    }
  }
}
