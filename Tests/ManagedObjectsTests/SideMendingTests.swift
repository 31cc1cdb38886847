import Foundation
import OrderedCollections
import TestSupport
import Testing

@testable import ManagedObjects

/// Saves of ``NaiveGraph/model`` rows that change only one side of a relationship.
@Suite("Inverse relationships after a save of one side") struct SideMendingTests {
  /// Inserts two people, two notes, a group and two cards. The first person is related to all of them except the second
  /// card.
  private func fill(_ store: some PersistentStore) throws -> [String: RowKey] {
    let names = ["a", "b", "n", "m", "g", "c", "d"]
    let keys = try store.insert(["Person", "Person", "Note", "Note", "Group", "Card", "Card"]) { keys in
      [
        [
          "name": .string("a"), "notes": .toMany([keys[2], keys[3]]), "groups": .toMany([keys[4]]),
          "card": .toOne(keys[5]),
        ],
        ["name": .string("b")], ["author": .toOne(keys[0])], ["author": .toOne(keys[0])],
        ["members": .orderedToMany([keys[0]])], ["owner": .toOne(keys[0])], [:],
      ]
    }
    return Dictionary(uniqueKeysWithValues: zip(names, keys))
  }

  /// Returns the relationships of all rows, and the versions of the changed ones, in a short notation.
  private func state(_ store: any PersistentStore, _ names: [String: RowKey]) throws -> String {
    let labels = Dictionary(uniqueKeysWithValues: names.map { (store.key($0.value), $0.key) })
    var parts: [String] = []
    for (label, key) in names.sorted(by: { $0.key < $1.key }) {
      guard let row = try store.wholeRows([store.key(key)])[0] else { continue }
      let entity = store.model.entities[Int(key.entityIndex)]
      if row.version != 1 { parts.append("\(label)\(row.version)") }
      for relationship in entity.relationships where row.values[relationship.slot].count > 0 {
        let value = row.values[relationship.slot]
        var keys = value.keys.map { labels[$0] ?? "?" }
        if !relationship.isOrdered { keys.sort() }
        parts.append("\(label).\(relationship.definition.name)=" + keys.joined(separator: ","))
      }
    }
    return parts.sorted().joined(separator: " ")
  }

  struct Case: CustomTestStringConvertible {
    let name: String
    /// The changes of the save: `a.notes=n,m`, `a` for an unchanged row, `-a` to delete it.
    let steps: String
    let result: String
    /// The other rows that the store reports as changed.
    let mended: String

    init(_ name: String, _ steps: String, _ result: String, mended: String) {
      self.name = name
      self.steps = steps
      self.result = result
      self.mended = mended
    }

    var testDescription: String { name }
  }

  static let cases = [
    Case(
      "a to-one relationship without its object", "n.author=",
      "a.card=c a.groups=g a.notes=m a2 c.owner=a g.members=a m.author=a n2", mended: "a"),
    Case(
      "a to-one relationship with another object", "n.author=b",
      "a.card=c a.groups=g a.notes=m a2 b.notes=n b2 c.owner=a g.members=a m.author=a n.author=b n2", mended: "a b"),
    Case(
      "a to-many relationship with one object fewer", "a.notes=m",
      "a.card=c a.groups=g a.notes=m a2 c.owner=a g.members=a m.author=a n2", mended: "n"),
    Case(
      "a to-many relationship with an object of another row", "b.notes=n",
      "a.card=c a.groups=g a.notes=m a2 b.notes=n b2 c.owner=a g.members=a m.author=a n.author=b n2", mended: "a n"),
    Case(
      "an object added to an ordered relationship comes last", "b.groups=g",
      "a.card=c a.groups=g a.notes=m,n b.groups=g b2 c.owner=a g.members=a,b g2 m.author=a n.author=a", mended: "g"),
    Case(
      "an ordered relationship with one object fewer", "a.groups=",
      "a.card=c a.notes=m,n a2 c.owner=a g2 m.author=a n.author=a", mended: "g"),
    Case(
      "a one-to-one relationship", "b.card=c",
      "a.groups=g a.notes=m,n a2 b.card=c b2 c.owner=b c2 g.members=a m.author=a n.author=a", mended: "a c"),
    Case(
      "a to-one relationship takes the object of another row", "d.owner=a",
      "a.card=d a.groups=g a.notes=m,n a2 c2 d.owner=a d2 g.members=a m.author=a n.author=a", mended: "a c"),
    Case(
      "contradictory sides of a one-to-one relationship", "b.card=c;c.owner=",
      "a.groups=g a.notes=m,n a2 b2 c2 g.members=a m.author=a n.author=a", mended: "a b"),
    Case(
      "the to-one side wins", "n.author=;b.notes=n",
      "a.card=c a.groups=g a.notes=m a2 b2 c.owner=a g.members=a m.author=a n2", mended: "a b"),
    Case(
      "an unchanged to-one side loses", "n;b.notes=n",
      "a.card=c a.groups=g a.notes=m a2 b.notes=n b2 c.owner=a g.members=a m.author=a n.author=b n2", mended: "a n"),
    Case(
      "two rows that refer to the same to-one row", "b.card=c;a.card=c",
      "a.groups=g a.notes=m,n a2 b.card=c b2 c.owner=b c2 g.members=a m.author=a n.author=a", mended: "a c"),
    Case("a deleted row", "-a", "c2 g2 m2 n2", mended: "c g m n"),
    Case(
      "a deleted row with a new reference to it", "-b;n.author=b;g.members=b",
      "a.card=c a.notes=m a2 c.owner=a g2 m.author=a n2", mended: "a g n"),
    Case(
      "an object that refers to itself", "a.friends=a",
      "a.card=c a.friends=a a.groups=g a.notes=m,n a2 c.owner=a g.members=a m.author=a n.author=a", mended: ""),
    Case(
      "a relationship that is its own inverse", "a.friends=b",
      "a.card=c a.friends=b a.groups=g a.notes=m,n a2 b.friends=a b2 c.owner=a g.members=a m.author=a n.author=a",
      mended: "b"),
    Case(
      "both sides at once", "n.author=b;a.notes=m;b.notes=n",
      "a.card=c a.groups=g a.notes=m a2 b.notes=n b2 c.owner=a g.members=a m.author=a n.author=b n2", mended: ""),
  ]

  private func changes(
    _ steps: String, _ store: some PersistentStore, _ names: [String: RowKey]
  ) throws -> StoreChanges {
    var changes = StoreChanges()
    for step in steps.split(separator: ";").map(String.init) {
      if step.hasPrefix("-") {
        let key = try #require(names[String(step.dropFirst())])
        changes.deleted.append(try #require(try store.rows([key])[0]))
        continue
      }
      let sides = step.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
      let path = sides[0].split(separator: ".").map(String.init)
      let key = try #require(names[path[0]])
      let row = try #require(try store.rows([key])[0])
      guard path.count == 2 else {
        changes.updated.append(row)
        continue
      }
      let entity = store.model.entities[Int(row.key.entityIndex)]
      let relationship = try #require(entity.relationship(named: path[1]))
      let keys = sides[1].split(separator: ",").compactMap { names[String($0)] }
      let value: RowValue =
        if !relationship.definition.isToMany {
          .toOne(keys.first)
        } else {
          relationship.isOrdered ? .orderedToMany(OrderedSet(keys)) : .toMany(Set(keys))
        }
      changes.updated.append(store.changed(row, [path[1]: value]))
    }
    return changes
  }

  @Test(arguments: zip(cases, cases.indices))
  func `a save updates the inverse relationship`(_ test: Case, index: Int) throws {
    let folder = TemporaryFolder(isInMemory: true)
    let memory = try InMemoryStore(model: NaiveGraph.model)
    try check(test, memory, "in memory")
    #expect(memory._checkInvariants() == nil)
    // The short form has one kind of file for each case.
    for kind in LongForm.isWanted ? StoreKind.inFiles : [StoreKind.inFiles[index % 2]] {
      let url = folder.url.appending(path: "\(kind)")
      let names = try check(test, kind.open(url, NaiveGraph.model), "\(kind)")
      // Other instances read the same rows.
      #expect(try state(kind.open(url, NaiveGraph.model), names).withoutVersions == test.result.withoutVersions)
    }
  }

  @discardableResult
  private func check(_ test: Case, _ store: some PersistentStore, _ comment: Comment) throws -> [String: RowKey] {
    let names = try fill(store)
    let labels = Dictionary(uniqueKeysWithValues: names.map { ($0.value, $0.key) })
    let mended = try store.save(changes(test.steps, store, names))
    #expect(try state(store, names) == test.result, comment)
    #expect(mended.compactMap { labels[$0] }.sorted().joined(separator: " ") == test.mended, comment)
    return names
  }

  @Test func `new rows update inverses and drop references to deleted rows`() throws {
    for kind in StoreKind.allCases { try newRows(kind) }
  }

  private func newRows(_ kind: StoreKind) throws {
    let folder = TemporaryFolder(isInMemory: true)
    let store = try kind.open(folder.url.appending(path: "store"), NaiveGraph.model)
    var names = try fill(store)
    try store.delete([#require(names["m"])])
    let keys = try store.insert(["Note", "Person"]) { keys in
      [["author": .toOne(names["a"])], ["notes": .toMany([names["n"]!, names["m"]!])]]
    }
    names["x"] = keys[0]
    names["y"] = keys[1]
    #expect(
      try state(store, names)
        == "a.card=c a.groups=g a.notes=x a3 c.owner=a g.members=a n.author=y n2 x.author=a y.notes=n", "\(kind)")
  }

  @Test(arguments: [RelationshipDescription.DeleteRule.noAction, .nullify])
  func `the delete rule keeps or clears references to a deleted row`(rule: RelationshipDescription.DeleteRule) throws {
    let model = StoreModels.model([
      EntityDescription("A", [.relationship("b", to: "B", inverse: "a", isToMany: true, deleteRule: rule)]),
      EntityDescription("B", [.relationship("a", to: "A", inverse: "b")]),
    ])
    for kind in StoreKind.saving { try noAction(rule, model, kind) }
  }

  private func noAction(
    _ rule: RelationshipDescription.DeleteRule, _ model: ManagedObjectModel, _ kind: StoreKind
  ) throws {
    let folder = TemporaryFolder(isInMemory: true)
    let store = try kind.open(folder.url.appending(path: "store"), model)
    let keys = try store.insert(["A", "B", "B"]) { keys in
      [["b": .toMany([keys[1]])], ["a": .toOne(keys[0])], [:]]
    }
    try store.delete([keys[0]])
    let expected = RowValue.toOne(rule == .noAction ? keys[0] : nil)
    #expect(try store.value(keys[1], "a") == expected)
    try store.update(keys[2], ["a": .toOne(keys[0])])
    #expect(try store.value(keys[2], "a") == expected)
  }

  @Test func `a reference to an object of another entity never traps`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let model = StoreModels.model([
      EntityDescription(
        "Person",
        [
          .attribute("age", .integer16), .attribute("name", .string),
          .relationship("notes", to: "Note", inverse: "author", isToMany: true),
        ]),
      EntityDescription(
        "Note", [.attribute("content", .string), .relationship("author", to: "Person", inverse: "notes")]),
      EntityDescription("Thing", [.attribute("label", .string)]),
    ])
    for kind in StoreKind.saving {
      let store = try kind.open(folder.url.appending(path: "store"), model)
      let keys = try store.insert(["Note", "Note"]) { keys in keys.map { _ in [:] } }
      // An entity with one property. Its rows have no slot for the inverse.
      let alien = RowKey(store: store.number, entityIndex: store.model["Thing"]!.index, number: 1)
      let read = try store.rows(keys).compactMap(\.self)
      var changes = StoreChanges()
      changes.updated = [store.changed(read[0], ["content": .string("new")])]
      changes.snapshots = [store.changed(read[0], ["author": .toOne(alien)])]
      changes.deleted = [store.changed(read[1], ["author": .toOne(alien)])]
      try store.save(changes)
      #expect(try store.rows(keys).map { $0?.version } == [2, nil], "\(kind)")
      #expect(try store.values(ofSlot: 1000, [keys[0]]) == [nil], "\(kind)")
    }
  }

  @Test func `a context refreshes and reports rows that the store changed`() async throws {
    for kind in StoreKind.saving { try await contexts(kind) }
  }

  private func contexts(_ kind: StoreKind) async throws {
    let sketch = try GraphSketch(kind)
    let setup = sketch.context()
    try sketch.run("Person a; Person b; Note n; n.author=a", in: setup)
    try sketch.save(setup)
    let context = sketch.context()
    let known = try sketch.readAll(in: context)
    // Another context assigns the note to the other person, who stays unchanged in this context.
    let other = sketch.context()
    try sketch.run("n.author=b", in: other)
    try sketch.save(other)
    for label in ["n", "a"] { try context.refresh(sketch.object(label, in: context), mergeChanges: true) }
    try sketch.run("delete n", in: context)
    let saves = sketch.coordinator.saves
    try sketch.save(context)
    #expect(try sketch.state(of: context) == "a b")
    #expect(try sketch.stored() == "a b")
    var iterator = saves.makeAsyncIterator()
    let changes = try #require(await iterator.next())
    let person = try sketch.object("b", in: context)
    #expect(changes.updated.contains(person.objectID) && changes.deleted.count == 1)
    // The context has the new version.
    try sketch.run("b.age=1", in: context)
    try sketch.save(context)
    withExtendedLifetime(known) {}
  }

  @Test func `changing many inverses takes linear time`() throws {
    let count = LongForm.size(20_000, or: 1_000)
    for kind in StoreKind.saving {
      let time = try costOfLinks(count / 8, kind)
      // If each row visited all others, it would take 64 times as long.
      #expect(try costOfLinks(count, kind) < time * 8 * ThreadClock.greatestGrowth, "\(kind)")
    }
  }

  private func costOfLinks(_ count: Int, _ kind: StoreKind) throws -> Duration {
    let folder = TemporaryFolder(isInMemory: true)
    let store = try kind.open(folder.url.appending(path: "store"), NaiveGraph.model)
    let groups = try store.insert(["Group", "Group"]) { _ in [[:], [:]] }
    return try ThreadClock.measure {
      let people = try store.insert(Array(repeating: "Person", count: count)) { keys in
        keys.map { _ in ["groups": .toMany([groups[0]])] }
      }
      #expect(try store.value(groups[0], "members")?.count == count)
      var changes = StoreChanges()
      changes.updated = try store.rows(people).compactMap(\.self).map {
        store.changed($0, ["groups": .toMany([groups[1]])])
      }
      try store.save(changes)
      #expect(try store.value(groups[0], "members")?.count == 0)
      #expect(try store.value(groups[1], "members")?.count == count)
      try store.delete(people)
      #expect(try store.value(groups[1], "members")?.count == 0)
    }
  }
}

extension String {
  /// The state without the versions of rows.
  fileprivate var withoutVersions: String { split(separator: " ").filter { $0.contains("=") }.joined(separator: " ") }
}
