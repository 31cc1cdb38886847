internal import FoundationEssentials
internal import ManagedObjects

extension StoreTest {
  static let saving: [StoreTest] = [
    StoreTest("A new store has no objects, and a unique identifier and number") { bench in
      let (store, other) = (try bench.open(), try bench.openOther())
      try expectEqual(try TestLibrary.contents(store), [], "the objects of a new store")
      try expect(!store.identifier.isEmpty, "the identifier is empty")
      try expect(store.identifier != other.identifier, "two stores have the identifier \(store.identifier)")
      try expect(store.number != other.number && store.number != .none, "two stores have the same number")
      try expectEqual(
        store.metadata[StoreMetadataKey.identifier]?.string, store.identifier, "the identifier in the metadata")
      try expect(store.metadata[StoreMetadataKey.type]?.string != nil, "the metadata has no type")
    },
    StoreTest("Keys are unique and belong to the requested entities") { bench in
      let store = try bench.open()
      let entities = try [entity("Note", of: store), entity("Person", of: store)].map(\.index)
      var known: Set<RowKey> = []
      for _ in 0..<10 {
        let keys = try store.makeKeys(entities + entities)
        try expectEqual(keys.map { Int($0.entityIndex) }, entities + entities, "the entities of keys")
        for key in keys {
          try expect(key.store == store.number && key.number > 0, "the key \(key) does not belong to the store")
          try expect(known.insert(key).inserted, "the key \(key) was returned twice")
        }
      }
    },
    StoreTest("A row is read as it was saved; its version starts at 1 and increases by 1 with each change") { bench in
      let store = try bench.open()
      let key = try insert(["title": .string("first")], into: store)
      var saved = try row(key, of: store)
      try expectEqual(saved.version, 1, "the version of a new row")
      try expectEqual(try value("title", of: saved, in: store), .string("first"), "the title")
      for number in 2...3 {
        var changes = StoreChanges()
        changes.updated = [try changed(saved, "title", .string("\(number)"), in: store)]
        try store.save(changes)
        saved = try row(key, of: store)
        try expectEqual(saved.version, Int64(number), "the version of a changed row")
        try expectEqual(try value("title", of: saved, in: store), .string("\(number)"), "the changed title")
      }
    },
    StoreTest("Rows are returned in the order of the requested keys, with nil for a missing object") { bench in
      let store = try bench.open()
      let keys = try ["a", "b", "c"].map { try insert(["title": .string($0)], into: store) }
      let gone = try insert([:], into: store)
      var changes = StoreChanges()
      changes.deleted = [try row(gone, of: store)]
      try store.save(changes)
      let never = try makeKey(Int(gone.entityIndex), of: store)
      let rows = try store.rows([keys[2], gone, keys[0], never, keys[1]])
      try expectEqual(rows.map { $0?.key }, [keys[2], nil, keys[0], nil, keys[1]], "the keys of rows")
      try expectEqual(try store.rows([]).count, 0, "the number of rows without keys")
    },
    StoreTest("Values of all attribute types are read as they were saved") { bench in
      let store = try bench.open()
      try checkSamples(TestLibrary.saveSamples(into: store), of: store)
    },
    StoreTest("A save of rows with outdated versions fails, reports all conflicts, and changes nothing") { bench in
      let store = try bench.open()
      let keys = try (0..<4).map { try insert(["number": .integer($0)], into: store) }
      let old = try keys.map { try row($0, of: store) }
      var changes = StoreChanges()
      changes.updated = try old[0...1].map { try changed($0, "title", .string("new"), in: store) }
      try store.save(changes)
      let before = try TestLibrary.contents(store)
      changes = StoreChanges()
      changes.updated = try [old[0], old[2]].map { try changed($0, "title", .string("newer"), in: store) }
      changes.deleted = [old[1], old[3]]
      let error = try expectError(.merge, from: "a save with old versions") { try store.save(changes) }
      let conflicts = Set(error.conflicts.compactMap { ($0.object ?? $0.snapshot)?.key })
      try expectEqual(conflicts, [keys[0], keys[1]], "the conflicts")
      try expectEqual(try TestLibrary.contents(store), before, "the objects after a save that failed")
    },
    StoreTest("A save with an invalid row changes nothing") { bench in
      let store = try bench.open()
      try TestLibrary.fill(store, notes: 4)
      let before = try TestLibrary.contents(store)
      let note = try entity("Note", of: store)
      let keys = try [makeKey(note.index, of: store), makeKey(note.index, of: store)]
      var changes = StoreChanges()
      changes.inserted = keys.map { StoreRow(key: $0, version: 1, values: note.emptyValues) }
      for index in keys.indices { changes.inserted[index].values[try slot("number", note)] = .attribute(.integer(99)) }
      changes.inserted[1].values[try slot("title", note)] = .attribute(.integer(1))
      try expectError(.invalidValue, from: "a save of a number in a string attribute") { try store.save(changes) }
      changes.inserted[1].values[try slot("title", note)] = .attribute(.string("new"))
      changes.inserted[1].values.removeLast()
      try expectError(.invalidValue, from: "a save of a row that lacks a value") { try store.save(changes) }
      try expectEqual(try TestLibrary.contents(store), before, "the objects after saves that failed")
    },
    StoreTest("A new row cannot have the key of an existing object") { bench in
      let store = try bench.open()
      let key = try insert(["title": .string("first")], into: store)
      let note = try entity("Note", of: store)
      var changes = StoreChanges()
      changes.inserted = [StoreRow(key: key, version: 1, values: note.emptyValues)]
      try expectError(.invalidState, .keysTaken, from: "a new row with a used key") { try store.save(changes) }
      try expectEqual(try value("title", of: row(key, of: store), in: store), .string("first"), "the title")
    },
    StoreTest("Two objects cannot have the same values for a uniqueness constraint, but one save can exchange them") {
      bench in
      let store = try bench.open()
      let context = try TestLibrary.fill(store, notes: 2)
      let people = try StoreBench.fetch("Person", by: "name", atLeast: 4, context)
      try people[0].setValue(.string("p1@example.com"), forKey: "email")
      let error = try expectError(.constraintMerge, from: "a save of an email that another person has") {
        try context.save()
      }
      try expectEqual(error.conflicts.first?.constraint, ["email"], "the constraint")
      try people[1].setValue(.string("p0@example.com"), forKey: "email")
      try context.save()
      try people[2].setValue(ManagedObject.Value.null, forKey: "email")
      try people[3].setValue(ManagedObject.Value.null, forKey: "email")
      try context.save()
      let emails = try StoreBench.context(store).fetch(FetchRequest("Person", sortedBy: [.init("name")])).map {
        try $0.value(forKey: "email")
      }
      try expectEqual(
        emails.prefix(4), [.attribute(.string("p1@example.com")), .attribute(.string("p0@example.com")), .null, .null],
        "the emails")
    },
    StoreTest("Saves on several threads at the same time lose no changes") { bench in
      let store = try bench.open()
      let count = 8
      try inThreads(count) { number in
        for step in 0..<5 {
          let context = try StoreBench.context(store)
          try context.insert("Note").setValue(.integer(Int64(number * 100 + step)), forKey: "number")
          try context.save()
        }
      }
      let context = try StoreBench.context(store)
      try expectEqual(try context.count(for: FetchRequest("Note")), count * 5, "the number of notes")
    },
    StoreTest("Each save changes the change token") { bench in
      let store = try bench.open()
      var tokens: Set<String> = []
      guard let first = store.changeToken else { return }
      tokens.insert(first)
      for number in 1...3 {
        try insert(["number": .integer(Int64(number))], into: store)
        try expect(store.changeToken.map { tokens.insert($0).inserted } ?? false, "the save did not change the token")
      }
    },
  ]

  /// Checks that the store returns the saved values of each sample object. The keys of `samples` are the URIs of object
  /// IDs.
  static func checkSamples(_ samples: [String: [String: AttributeValue]], of store: any PersistentStore) throws {
    let context = try StoreBench.context(store)
    let entity = try entity("Sample", of: store)
    for (uri, values) in samples {
      guard let id = context.coordinator.objectID(forURI: uri) else {
        throw StoreTestFailure(description: "\(uri) is not an object ID of this store")
      }
      let sample = try context.existingObject(with: id)
      for attribute in entity.attributes {
        try expectEqual(
          try sample.value(forKey: attribute.name), .attribute(values[attribute.name] ?? .null),
          "\(attribute.name), \(attribute.type.name)")
      }
    }
  }

  static func entity(_ name: String, of store: any PersistentStore) throws -> ManagedObjectModel.Entity {
    guard let entity = store.model.entity(named: name) else {
      throw StoreTestFailure(description: "the model of the store has no entity \(name)")
    }
    return entity
  }

  static func slot(_ name: String, _ entity: ManagedObjectModel.Entity) throws -> Int {
    guard let slot = entity.property(named: name)?.slot else {
      throw StoreTestFailure(description: "the entity \(entity.name) has no property \(name)")
    }
    return slot
  }

  /// Saves a new note with the given attribute values.
  @discardableResult
  static func insert(_ values: [String: AttributeValue], into store: any PersistentStore) throws -> RowKey {
    let note = try entity("Note", of: store)
    let key = try makeKey(note.index, of: store)
    var row = StoreRow(key: key, version: 1, values: note.emptyValues)
    row.values[try slot("number", note)] = .attribute(.integer(0))
    for (name, value) in values { row.values[try slot(name, note)] = .attribute(value) }
    var changes = StoreChanges()
    changes.inserted = [row]
    try store.save(changes)
    return key
  }

  static func makeKey(_ entityIndex: Int, of store: any PersistentStore) throws -> RowKey {
    try element(0, of: store.makeKeys([entityIndex]), "the keys for an object")
  }

  static func row(_ key: RowKey, of store: any PersistentStore) throws -> StoreRow {
    guard let row = try element(0, of: store.rows([key]), "the rows of a key") else {
      throw StoreTestFailure(description: "the store has no row for \(key)")
    }
    return row
  }

  /// Returns the value of an attribute in a row.
  static func value(_ name: String, of row: StoreRow, in store: any PersistentStore) throws -> AttributeValue {
    let slot = try slot(name, store.model.entities[Int(row.key.entityIndex)])
    let stored = try element(slot, of: row.values, "the values of a row")
    guard case .attribute(let value) = stored else {
      throw StoreTestFailure(description: "\(name): expected the value of an attribute, found \(stored)")
    }
    return value
  }

  /// Returns a copy of a row with another value of an attribute.
  static func changed(
    _ row: StoreRow, _ name: String, _ value: AttributeValue, in store: any PersistentStore
  ) throws -> StoreRow {
    var row = row
    row.values[try slot(name, store.model.entities[Int(row.key.entityIndex)])] = .attribute(value)
    return row
  }
}
