import FoundationEssentials
import TestSupport
import Testing

@testable import ManagedObjects

@Suite("Predicates on the entities of objects") struct EntityPredicateTests {
  typealias S = ClassSamples

  @Test(arguments: StoreKind.saving, [0, 1, 4])
  func `random conditions find the same objects as Swift, with and without unsaved changes`(
    kind: StoreKind, changes: Int
  ) throws {
    var (found, count) = (0, 0)
    for seed in 0..<UInt64(LongForm.size(all: 200, 20, or: 2)) {
      var samples = KindSamples(seed: seed)
      let folder = TemporaryFolder(isInMemory: true)
      let coordinator = try kind.coordinator(KindSamples.model, folder)
      let filled = ManagedObjectContext(coordinator: coordinator)
      try samples.change(filled, inserting: 8)
      try filled.save()
      let context = ManagedObjectContext(coordinator: coordinator)
      if changes > 0 {
        try samples.change(context, inserting: changes)
        try samples.delete(context)
      }
      for _ in 0..<LongForm.size(100, or: 40) {
        let condition = try samples.condition(2)
        let comment = Comment(rawValue: "\(kind) \(seed): \(condition.predicate)")
        let items = try context.fetch(KindSamples.Item.self)
        let wanted = Set(items.filter { condition.holds($0) }.map(\.objectID))
        let ids = try context.fetchObjectIDs(FetchRequest("Item", where: condition.predicate))
        try #require(Set(ids) == wanted && ids.count == wanted.count, comment)
        try #require(try context.count(for: FetchRequest("Item", where: condition.predicate)) == ids.count, comment)
        let prepared = try PreparedPredicate(condition.predicate)
        try #require(
          try Set(items.filter { try prepared.evaluate(with: $0) }.map(\.objectID)) == wanted, comment)
        found += ids.count
        count += items.count
      }
      withExtendedLifetime(folder) {}
    }
    #expect(found > count / 10 && found < count)
  }

  @Test(arguments: StoreKind.allCases)
  func `a reference to a deleted object keeps the entity`(kind: StoreKind) throws {
    let folder = TemporaryFolder(isInMemory: true)
    let coordinator = try kind.coordinator(KindSamples.model, folder)
    let context = ManagedObjectContext(coordinator: coordinator)
    let (item, startup) = (try context.insert(KindSamples.Item.self), try context.insert(KindSamples.Startup.self))
    item.title = "a"
    startup.name = "b"
    item.seen = startup
    try context.save()
    try context.delete(startup)
    func check() throws {
      for (format, count) in [
        ("seen.entity.name == 'Startup'", 1), ("'Company' IN seen.entity.kinds", 1), ("seen.entity == nil", 0),
        ("NOT seen.entity.name == 'Startup'", 0), ("seen.name == nil", 1),
      ] {
        let request = FetchRequest("Item", where: try ManagedPredicate(format: format))
        #expect(try context.count(for: request) == count, "\(kind): \(format)")
      }
    }
    try check()
    try context.save()
    try check()
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: StoreKind.saving) func `the name of an entity sorts, groups and is fetched`(kind: StoreKind) throws {
    let folder = TemporaryFolder(isInMemory: true)
    let context = ManagedObjectContext(coordinator: try kind.coordinator(KindSamples.model, folder))
    for type in [KindSamples.Startup.self, KindSamples.Person.self, nil, KindSamples.Company.self] {
      let item = try context.insert(KindSamples.Item.self)
      item.title = "a"
      item.owner = try (type as KindSamples.Party.Type?).map { try context.insert($0) }
      item.owner?.name = "b"
    }
    try context.save()
    var request = FetchRequest("Item", sortedBy: [.init("owner.entity.name", isAscending: false)])
    #expect(
      try context.fetch(request).map { ($0 as? KindSamples.Item)?.owner?.entity.name ?? "-" }
        == ["Startup", "Person", "Company", "-"])
    request.resultType = .dictionaries
    request.propertiesToFetch = [.property("owner.entity.name")]
    #expect(
      try context.fetchDictionaries(request).map { $0["owner.entity.name"] }
        == [.string("Startup"), .string("Person"), .string("Company"), .null])
    request.propertiesToFetch = [.property("owner.entity")]
    #expect(throws: ManagedObjectError.self) { try context.fetchDictionaries(request) }
    withExtendedLifetime(folder) {}
  }

  @Test func `an own property named entity takes precedence in its hierarchy`() throws {
    var child = EntityDescription("Child", [.attribute("entity", .string)])
    child.superentity = "Base"
    let model = try ManagedObjectModel(
      ManagedObjectModel.Contents(
        entities: [EntityDescription("Base", [.attribute("name", .string)]), child, EntityDescription("Other", [])],
        allowsReservedNames: true))
    for kind in [StoreKind.memory, .sqlite] {
      let folder = TemporaryFolder(isInMemory: true)
      let context = ManagedObjectContext(coordinator: try kind.coordinator(model, folder))
      try context.insert("Child").setValue(.string("x"), forKey: "entity")
      _ = try context.insert("Base")
      _ = try context.insert("Other")
      try context.save()
      for (entity, format, count) in [
        ("Base", "entity == 'x'", 1), ("Base", "entity == nil", 1), ("Child", "entity == 'x'", 1),
        ("Other", "entity.name == 'Other'", 1),
      ] {
        let request = FetchRequest(entity, where: try ManagedPredicate(format: format))
        #expect(try context.count(for: request) == count, "\(kind): \(format)")
        #expect(try context.fetch(request).count == count, "\(kind): \(format)")
      }
      withExtendedLifetime(folder) {}
    }
  }

  @Test func `casts are translated to conditions on the entity`() throws {
    func check(
      _ predicate: @autoclosure () throws -> ManagedPredicate, _ format: String, _ arguments: any PredicateArgument...,
      at location: SourceLocation = #_sourceLocation
    ) throws {
      let expected = try ManagedPredicate(format: format, arguments: arguments)
      #expect(try predicate() == expected, sourceLocation: location)
    }
    func person(_ predicate: Predicate<S.Person>) throws -> ManagedPredicate { try ManagedPredicate(predicate) }
    func note(_ predicate: Predicate<S.Note>) throws -> ManagedPredicate { try ManagedPredicate(predicate) }
    let one = Decimal(1)
    let isEmployee = "'Employee' IN entity.kinds"
    try check(person(#Predicate { $0 is S.Employee }), isEmployee)
    try check(person(#Predicate { !($0 is S.Employee) }), "NOT \(isEmployee)")
    try check(note(#Predicate { $0.author is S.Employee }), "'Employee' IN author.entity.kinds")
    try check(person(#Predicate { ($0 as? S.Employee)?.salary == one }), "\(isEmployee) AND salary == %@", one)
    try check(person(#Predicate { ($0 as! S.Employee).salary == one }), "\(isEmployee) AND salary == %@", one)
    try check(person(#Predicate { ($0 as? S.Employee)?.salary != one }), "NOT (\(isEmployee) AND salary == %@)", one)
    try check(person(#Predicate { ($0 as? S.Employee)?.salary == nil }), "NOT (\(isEmployee) AND salary != nil)")
    try check(person(#Predicate { ($0 as? S.Employee) != nil }), isEmployee)
    try check(person(#Predicate { ($0 as? S.Employee)?.boss?.name == "x" }), "\(isEmployee) AND boss.name == 'x'")
    try check(
      person(#Predicate { ($0 as? S.Employee)?.name.contains("x") == true }), "\(isEmployee) AND name CONTAINS 'x'")
    try check(person(#Predicate { ($0 as! S.Employee).staff.count > 1 }), "\(isEmployee) AND staff.@count > 1")
    try check(person(#Predicate { $0.entity.name == "Employee" }), "entity.name == 'Employee'")
    try check(
      person(#Predicate { $0.notes.contains { $0.author is S.Employee } }),
      "SUBQUERY(notes, $x, 'Employee' IN $x.author.entity.kinds).@count > 0")
  }

  @Test func `a class that is in no entity of the model is an error`() throws {
    let model = try ManagedObjectModel(classes: [KindSamples.Party.self, KindSamples.Item.self])
    let context = ManagedObjectContext(coordinator: PersistentStoreCoordinator(model: model))
    try context.coordinator.add(InMemoryStore(model: model))
    let error = #expect(throws: ManagedObjectError.self) {
      try context.fetch(KindSamples.Item.self, where: #Predicate { $0.owner is KindSamples.Company })
    }
    #expect(error?.code == .undefinedKey && error?.predicateError?.kind == .unknownKey)
    #expect(error?.predicateError?.message == "the model has no entity \"Company\"")
  }

  @Test func `a change of another object does not make a request on entities read all objects`() throws {
    let request = FetchRequest(
      "Item", where: try ManagedPredicate(format: "owner.entity.name == 'Company' AND seen.name == 'x'"))
    let entity = try #require(KindSamples.model["Item"])
    let reach = RequestReach(request, of: entity)
    #expect(!reach.isOpaque && reach.ends[["owner"]]?.names == [] && reach.ends[["seen"]]?.names == ["name"])
  }
}
