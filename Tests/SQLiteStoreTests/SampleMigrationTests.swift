import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import TestSupport
import Testing

@Suite(
  "Migrations of stores and models of Apple's tools",
  .enabled(if: StoreReader.isAvailable && !StoreSamples.stores.isEmpty))
struct SampleMigrationTests {
  private static func store(_ name: String) throws -> URL {
    try #require(StoreSamples.stores.first { $0.lastPathComponent == name })
  }

  private static func sampleModel() throws -> URL {
    try store("SampleModel_V1.sqlite").deletingLastPathComponent().appending(path: "SampleModel.momd")
  }

  /// The versions. The file with the current version is from the time of the first version.
  private static let names = ["SampleModel", "SampleModel2", "SampleModel3"]

  /// Returns the expected objects of the next version. Names of entities and properties do not change unless they are
  /// given.
  private static func expectation(
    _ before: StoreDump, _ model: ManagedObjectModel, renamed: [String: String] = [:]
  ) -> StoreDump {
    var after = before
    after.objects = [:]
    after.counts = [:]
    func name(_ old: String) -> String {
      let parts = old.split(separator: "/")
      return "\(renamed[String(parts[0])] ?? String(parts[0]))/\(parts[1])"
    }
    for entity in model.entities { after.counts[entity.name] = 0 }
    for (old, object) in before.objects {
      guard let entity = model[String(name(old).prefix { $0 != "/" })] else { continue }
      var copy = StoreDump.Object(version: object.version)
      for attribute in entity.attributes where !attribute.isTransient {
        let value = object.attributes[attribute.name] ?? attribute.initialValue.text
        copy.attributes[attribute.name] = .some(value)
      }
      for relationship in entity.relationships {
        switch object.relationships[relationship.name] {
        case .one(let target): copy.relationships[relationship.name] = .one(target.map(name))
        case .many(let targets):
          copy.relationships[relationship.name] = .many(targets.map(name).sorted { $0.utf8.precedes($1.utf8) })
        case nil: copy.relationships[relationship.name] = relationship.isToMany ? .many([]) : .one(nil)
        }
      }
      after.objects[name(old)] = copy
      after.counts[entity.name, default: 0] += 1
    }
    return after
  }

  /// Compares a store with the expected objects, with both readers.
  private static func check(
    _ file: URL, _ model: ManagedObjectModel, _ expected: StoreDump, withReader: Bool = true
  ) throws {
    var expected = expected
    let found = try StoreDump(SQLiteStore(file, model: model, access: .readOnly))
    expected.metadata = found.metadata
    #expect(found.differences(from: expected) == [])
    #expect(try PlainSQLite(file).defects() == [])
    guard withReader || LongForm.isWanted else { return }
    var other = try StoreReader.objects(of: file)
    other.metadata = found.metadata
    #expect(other.differences(from: found) == [])
  }

  private static let luxury = ["ExpensiveSportCar": "LuxuryCar"]

  @Test func `inferred migrations of SampleModel reach each later version, at once and in stages`() throws {
    let versions = try VersionedModel(contentsOf: Self.sampleModel())
    let models = try Self.names.map { try #require(versions.models[$0]) }
    let stages = StagedMigration(models.map { StagedMigration.Stage($0) })
    for (name, first) in [("SampleModel_V1.sqlite", 0), ("SampleModel_V2.sqlite", 1)] {
      for last in models.indices where last > first {
        for isStaged in [false, true] {
          let folder = TemporaryFolder(isInMemory: true)
          let file = try StoreSamples.copy(Self.store(name), to: folder)
          let before = try StoreSamples.objects(of: Self.store(name))
          #expect(before.objects.count == 145)
          if isStaged {
            try SQLiteStore.migrate(file, through: stages, to: models[last], droppedValues: .drop)
          } else {
            try SQLiteStore.migrate(file, from: models[first], to: models[last], droppedValues: .drop)
          }
          try Self.check(
            file, models[last], Self.expectation(before, models[last], renamed: Self.luxury), withReader: !isStaged)
        }
      }
    }
  }

  /// The policy of the library from which the files come. It makes makers into separate objects.
  private static let makerPolicy = EntityMigrationPolicy { car, migration in
    let new = try migration.createDestinationInstances(forSource: car)
    guard case .attribute(.string(let name))? = car["maker"] else { return }
    let request = FetchRequest("Maker", where: try ManagedPredicate(format: "name == %@", name))
    let context = migration.destinationContext
    let maker = try context.fetch(request).first ?? context.insert("Maker")
    try maker.setValue(.string(name), forKey: "name")
    try new.setValue(.object(maker), forKey: "createdBy")
  }

  @Test(arguments: ["SampleModel_V1.sqlite", "SampleModel_V2.sqlite"])
  func `a compiled mapping model migrates SampleModel with a function for its policy class`(name: String) throws {
    let momd = try Self.sampleModel()
    let stages = try StagedMigration(
      contentsOf: momd, names: Self.names, classes: ["V2to3MakerPolicy": Self.makerPolicy])
    #expect(stages.stages.count == 3 && stages.stages[1].mapping.model == nil)
    #expect(stages.stages[2].mapping.model?.entityMappings.count == 5)
    let folder = TemporaryFolder(isInMemory: true)
    let file = try StoreSamples.copy(Self.store(name), to: folder)
    let before = try StoreSamples.objects(of: Self.store(name))
    // Without the function, nothing is changed.
    let bytes = try Data(contentsOf: file)
    let error = #expect(throws: ManagedObjectError.self) {
      try SQLiteStore.migrate(file, through: StagedMigration(contentsOf: momd, names: Self.names), droppedValues: .drop)
    }
    #expect(error?.details.count == 3 && error?.details.allSatisfy { $0.code == .entityMigrationPolicy } == true)
    #expect(error?.details.allSatisfy { $0.message.contains("\"REPLACE_AT_RUNTIME.V2to3MakerPolicy\"") } == true)
    #expect(try Data(contentsOf: file) == bytes)
    // A container migrates the store when it opens it.
    let model = try #require(stages.stages.last?.model)
    do { _ = try PersistentContainer(model: model, stores: [.sqlite(file, through: stages, droppedValues: .drop)]) }
    var expected = Self.expectation(before, model, renamed: Self.luxury)
    var cars: [String: [String]] = [:]
    for (old, object) in before.objects {
      guard case .some(let maker?) = object.attributes["maker"] else { continue }
      cars[maker, default: []].append(old.replacing("ExpensiveSportCar", with: "LuxuryCar"))
    }
    #expect(cars.count > 2)
    let context = PersistentStoreCoordinator(model: model)
    try context.add(SQLiteStore(file, model: model))
    for maker in try ManagedObjectContext(coordinator: context).fetch(FetchRequest("Maker")) {
      guard case .attribute(.string(let text))? = maker["name"] else { continue }
      let name = "Maker/p\(maker.objectID.key.number)"
      let own = (cars.removeValue(forKey: text) ?? []).sorted { $0.utf8.precedes($1.utf8) }
      var object = StoreDump.Object()
      object.attributes["name"] = .some(text)
      object.relationships["cars"] = .many(own)
      expected.objects[name] = object
      expected.counts["Maker", default: 0] += 1
      for car in own { expected.objects[car]?.relationships["createdBy"] = .one(name) }
    }
    #expect(cars.isEmpty)
    for (name, object) in expected.objects {
      // The mapping adds the owner of a car to its previous owners.
      if case .one(let owner)? = object.relationships["owner"] {
        expected.objects[name]?.relationships["previousOwners"] = .many(owner.map { [$0] } ?? [])
      }
      if let cars = object.relationships["cars"], object.relationships["previousCars"] != nil {
        expected.objects[name]?.relationships["previousCars"] = cars
      }
    }
    let found = try StoreDump(SQLiteStore(file, model: model, access: .readOnly))
    // The objects are created anew.
    for name in expected.objects.keys { expected.objects[name]?.version = found.objects[name]?.version ?? 0 }
    try Self.check(file, model, expected)
    // The store now has the last version.
    let after = try Data(contentsOf: file)
    try SQLiteStore.migrate(file, through: stages, droppedValues: .drop)
    #expect(try Data(contentsOf: file) == after)
  }

  @Test func `TestModel gets the entity of its second version`() throws {
    let model = try #require(StoreSamples.models.first { $0.name == "TestModel_2.xcdatamodel-contents.xml" }).model
    let folder = TemporaryFolder(isInMemory: true)
    let file = try StoreSamples.copy(Self.store("TestModel.sqlite"), to: folder)
    do {
      let old = try SQLiteStore.model(inFile: file)
      let context = try ManagedObjectContext(SQLiteStore(file, model: old))
      let authors = try ["A", "B"].map { name in
        let author = try context.insert("Author")
        try author.setValue(.string(name), forKey: "firstName")
        return author
      }
      for count in 0..<3 {
        let book = try context.insert("Book")
        try book.setValue(.set(authors.prefix(count).map { .object($0) }), forKey: "authors")
      }
      try context.save()
    }
    let before = try StoreReader.objects(of: file)
    #expect(before.objects.count == 5)
    try SQLiteStore.migrate(file, to: model, droppedValues: .drop)
    try Self.check(file, model, Self.expectation(before, model))
  }

  @Test func `Moody is migrated in stages and at once`() throws {
    let models = try (2...5).map { number in
      try #require(StoreSamples.models.first { $0.name.hasPrefix("Moody_\(number)") }).model
    }
    for isStaged in [false, true] {
      let folder = TemporaryFolder(isInMemory: true)
      let file = folder.url.appending(path: "moody.sqlite")
      do {
        let context = try ManagedObjectContext(SQLiteStore(file, model: models[0]))
        let date = AttributeValue.date(Date(timeIntervalSinceReferenceDate: 5))
        let continent = try context.insert("Continent")
        try continent.setValues(["updatedAt": date, "numericISO3166Code": .integer(1)])
        for number in 0..<4 {
          let country = try context.insert("Country")
          try country.setValues(["updatedAt": date, "numericISO3166Code": .integer(Int64(10 + number))])
          if number > 0 { try country.setValue(.object(continent), forKey: "continent") }
          let mood = try context.insert("Mood")
          try mood.setValues([
            "date": date, "latitude": .double(Double(number)), "remoteID": .string("r\(number)"),
            "colors": .data(Data([1, UInt8(number)])),
          ])
          try mood.setValue(.object(country), forKey: "country")
        }
        try continent.setValue(.set([]), forKey: "countries")
        let countries = try context.fetch(FetchRequest("Country"))
        try continent.setValue(.set(countries.map { .object($0) }), forKey: "countries")
        try context.save()
      }
      let before = try StoreReader.objects(of: file)
      #expect(before.objects.count == 9)
      let stages = StagedMigration(models.map { StagedMigration.Stage($0) })
      if isStaged {
        try SQLiteStore.migrate(file, through: stages, droppedValues: .drop)
      } else {
        try SQLiteStore.migrate(file, to: models[3], droppedValues: .drop)
      }
      try Self.check(file, models[3], Self.expectation(before, models[3]), withReader: isStaged)
    }
  }

  @Test func `a store or model of an unknown version is refused`() throws {
    let versions = try VersionedModel(contentsOf: Self.sampleModel())
    let folder = TemporaryFolder(isInMemory: true)
    let file = try StoreSamples.copy(Self.store("SampleModel_V1.sqlite"), to: folder)
    let bytes = try Data(contentsOf: file)
    var stages = try StagedMigration(versions, names: ["SampleModel2", "SampleModel3"])
    var error = #expect(throws: ManagedObjectError.self) {
      try SQLiteStore.migrate(file, through: stages, droppedValues: .drop)
    }
    #expect(error?.code == .incompatibleVersionHash && error?.fileURL == file)
    stages = try StagedMigration(versions, names: Self.names)
    #expect(try stages.stages.count == 3 && StagedMigration(versions).stages.count == 1)
    error = #expect(throws: ManagedObjectError.self) {
      try SQLiteStore.migrate(
        file, through: stages, to: ManagedObjectModel(entities: [EntityDescription("Other", [])]), droppedValues: .drop)
    }
    #expect(error?.code == .migration)
    #expect(try Data(contentsOf: file) == bytes)
  }

  @Test func `version names are sorted by number, up to the current version`() throws {
    let model = try ManagedObjectModel(entities: [EntityDescription("A", [])])
    func other(_ name: String) throws -> ManagedObjectModel {
      try ManagedObjectModel(entities: [EntityDescription(name, [])])
    }
    let versions = VersionedModel(
      models: ["Notes 10": try other("Ten"), "Notes": model, "Notes 9": try other("Nine"), "Notes 11": try other("Z")],
      currentName: "Notes 10")
    #expect(try StagedMigration(versions).stages.map { $0.model.entities[0].name } == ["A", "Nine", "Ten"])
  }
}
