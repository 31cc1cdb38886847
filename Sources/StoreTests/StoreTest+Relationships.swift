internal import ManagedObjects

extension StoreTest {
  static let relationships: [StoreTest] = [
    StoreTest("Both sides of a relationship agree after a change to either side") { bench in
      let store = try bench.open()
      try TestLibrary.fill(store)
      try checkSides(of: store)
      let context = try StoreBench.context(store)
      let people = try StoreBench.fetch("Person", by: "name", atLeast: 2, context)
      let notes = try StoreBench.fetch("Note", by: "number", atLeast: 9, context)
      // Covers a to-many side that takes objects from another owner, a to-one side that changes, and both sides of a
      // many-to-many relationship.
      try people[0].setValue(.set(notes[0..<6].map { .object($0) }), forKey: "notes")
      try notes[7].setValue(.object(people[1]), forKey: "author")
      try notes[8].setValue(ManagedObject.Value.null, forKey: "author")
      let tags = try StoreBench.fetch("Tag", by: "name", atLeast: 3, context)
      try tags[0].setValue(.set(notes[3..<9].map { .object($0) }), forKey: "notes")
      try notes[3].setValue(.set([.object(tags[2])]), forKey: "tags")
      try context.save()
      try checkSides(of: store)
      let fresh = try StoreBench.context(store)
      let person = try fresh.existingObject(with: people[0].objectID)
      try expectEqual(try names(person, "notes"), Set(notes[0..<6].map(TestLibrary.name)), "the notes of a person")
      let note = try fresh.existingObject(with: notes[3].objectID)
      try expectEqual(try names(note, "tags"), ["Tag:\(AttributeValue.string("tag 2"))"], "the tags of a note")
    },
    StoreTest("A save that changes one side of a relationship changes the other side too") { bench in
      let store = try bench.open()
      let (person, note) = try (entity("Person", of: store), entity("Note", of: store))
      let keys = try [makeKey(person.index, of: store), makeKey(note.index, of: store)]
      var changes = StoreChanges()
      changes.inserted = [StoreRow(key: keys[0], version: 1, values: person.emptyValues)]
      try store.save(changes)
      changes = StoreChanges()
      var row = StoreRow(key: keys[1], version: 1, values: note.emptyValues)
      row.values[try slot("number", note)] = .attribute(.integer(1))
      row.values[try slot("author", note)] = .toOne(keys[0])
      changes.inserted = [row]
      let others = try store.save(changes)
      // A store that does not keep the to-many side in the row may leave the version of the row unchanged.
      let author = try StoreTest.row(keys[0], of: store)
      if author.version > 1 { try expect(others.contains(keys[0]), "the save did not return the key of the author") }
      let values = try store.values(ofSlot: slot("notes", person), [keys[0]])
      try expectEqual(values, [.toMany([keys[1]])], "the notes of the author")
    },
    StoreTest("An ordered relationship keeps the saved order") { bench in
      let store = try bench.open()
      try TestLibrary.fill(store, notes: 12)
      let context = try StoreBench.context(store)
      guard let album = try context.fetch(FetchRequest("Album", sortedBy: [.init("name")])).first,
        case .array(var notes) = try album.value(forKey: "notes"), notes.count == 6
      else { throw StoreTestFailure(description: "the album does not have six notes in an ordered relationship") }
      for change in 0..<4 {
        switch change {
        case 0: notes.reverse()
        case 1: notes.swapAt(0, 3)
        case 2: notes.append(notes.remove(at: 1))
        default: notes.remove(at: 2)
        }
        try album.setValue(.array(notes), forKey: "notes")
        try context.save()
        let fresh = try StoreBench.context(store)
        let saved = try fresh.existingObject(with: album.objectID).value(forKey: "notes")
        guard case .array(let saved) = saved else {
          throw StoreTestFailure(description: "expected an ordered relationship, found \(saved)")
        }
        try expectEqual(saved.map(orderedName), notes.map(orderedName), "the notes of the album")
      }
    },
    StoreTest("No relationship refers to a deleted object") { bench in
      let store = try bench.open()
      try TestLibrary.fill(store)
      let context = try StoreBench.context(store)
      for request in [FetchRequest("Tag"), FetchRequest("Person"), FetchRequest("Letter")] {
        guard let object = try context.fetch(request).first else { continue }
        try context.delete(object)
        try context.save()
        try checkSides(of: store)
        let fresh = try StoreBench.context(store)
        try expectError(.referentialIntegrity, from: "a deleted object") {
          _ = try fresh.existingObject(with: object.objectID)
        }
      }
    },
    StoreTest("A relationship to an object of another store is refused") { bench in
      let (store, other) = (try bench.open(), try bench.openOther())
      let (person, note) = try (entity("Person", of: store), entity("Note", of: store))
      var changes = StoreChanges()
      var row = StoreRow(key: try makeKey(note.index, of: store), version: 1, values: note.emptyValues)
      row.values[try slot("number", note)] = .attribute(.integer(1))
      row.values[try slot("author", note)] = .toOne(try makeKey(person.index, of: other))
      changes.inserted = [row]
      try expectError(.externalRelationship, from: "a relationship into another store") { try store.save(changes) }
      try expectEqual(try TestLibrary.contents(store), [], "the objects after a save that failed")
    },
    StoreTest("Reading one slot of several objects returns the values of their rows") { bench in
      let store = try bench.open()
      try TestLibrary.fill(store)
      for entity in store.model.entities where !entity.isAbstract {
        var request = FetchRequest(entity.name)
        request.includesSubentities = false
        guard case .rows(let rows) = try store.fetch(request, of: entity) else {
          throw StoreTestFailure(description: "a request for objects did not return rows")
        }
        for slot in 0..<entity.slotCount {
          let values = try store.values(ofSlot: slot, rows.map(\.key))
          for (row, value) in zip(rows, values) where try element(slot, of: row.values, "the values") != .unread {
            try expectEqual(value, row.values[slot], "the value of the slot \(slot) of \(entity.name)")
          }
          try expect(
            values.allSatisfy { $0 != nil && $0 != .unread }, "the slot \(slot) of \(entity.name) has no value")
        }
      }
    },
  ]

  /// Checks that each object is in the inverse relationship of the objects that it refers to.
  private static func checkSides(of store: any PersistentStore) throws {
    let context = try StoreBench.context(store)
    for entity in store.model.entities {
      for relationship in entity.relationships {
        guard let inverse = entity.inverse(of: relationship) else { continue }
        for object in try context.fetch(FetchRequest(entity.name)) {
          for other in objects(try object.value(forKey: relationship.name)) {
            try expect(
              objects(try other.value(forKey: inverse.name)).contains(object),
              "\(TestLibrary.name(object)) has \(TestLibrary.name(other)) in \(relationship.name), but is not in the "
                + "inverse \(inverse.name)")
          }
        }
      }
    }
  }

  private static func objects(_ value: ManagedObject.Value) -> [ManagedObject] {
    switch value {
    case .attribute: []
    case .object(let object): [object]
    case .array(let values), .set(let values): values.flatMap(objects)
    }
  }

  private static func names(_ object: ManagedObject, _ key: String) throws -> Set<String> {
    Set(objects(try object.value(forKey: key)).map(TestLibrary.name))
  }

  private static func orderedName(_ value: ManagedObject.Value) -> [String] { objects(value).map(TestLibrary.name) }
}
