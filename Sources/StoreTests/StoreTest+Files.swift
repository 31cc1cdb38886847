internal import FoundationEssentials
internal import ManagedObjects

extension StoreTest {
  static let files: [StoreTest] = [
    StoreTest(
      "A store that is opened again has the saved objects and the same identifier", reopensStore: true
    ) { bench in
      var (before, identifier): ([String], String) = ([], "")
      do {
        let store = try bench.open()
        try TestLibrary.fill(store)
        (before, identifier) = (try TestLibrary.contents(store), store.identifier)
      }
      do {
        let store = try bench.open()
        try expectEqual(store.identifier, identifier, "the identifier")
        try expectEqual(try TestLibrary.contents(store), before, "the objects")
        let context = try StoreBench.context(store)
        for object in try context.fetch(FetchRequest("Note")) { try context.delete(object) }
        try context.save()
      }
      let rest = try TestLibrary.contents(try bench.open())
      try expectEqual(rest.count, before.filter { !$0.hasPrefix("Note") && !$0.hasPrefix("Letter") }.count, "the rest")
    },
    StoreTest(
      "A store that is opened again has the saved values of all attribute types", reopensStore: true
    ) { bench in
      let samples = try TestLibrary.saveSamples(into: bench.open())
      try checkSamples(samples, of: bench.open())
    },
    StoreTest("The key of a deleted object is not used again", reopensStore: true) { bench in
      var key: RowKey?
      do {
        let store = try bench.open()
        try insert(["number": .integer(1)], into: store)
        let last = try insert(["number": .integer(2)], into: store)
        var changes = StoreChanges()
        changes.deleted = [try row(last, of: store)]
        try store.save(changes)
        key = last
      }
      let store = try bench.open()
      let note = try entity("Note", of: store).index
      for next in try store.makeKeys(Array(repeating: note, count: 100)) {
        try expect(next.number != key?.number, "the primary key \(next.number) belonged to a deleted object")
      }
    },
    StoreTest("A save that fails changes nothing in the files", reopensStore: true) { bench in
      var before: [String] = []
      do {
        let store = try bench.open()
        try TestLibrary.fill(store, notes: 3)
        before = try TestLibrary.contents(store)
        let note = try entity("Note", of: store)
        var changes = StoreChanges()
        changes.inserted = [StoreRow(key: try makeKey(note.index, of: store), version: 1, values: [])]
        try expectError(.invalidValue, from: "a save of a row without values") { try store.save(changes) }
      }
      try expectEqual(try TestLibrary.contents(bench.open()), before, "the objects")
    },
    StoreTest("Each save changes the change token, also after the store is opened again", reopensStore: true) { bench in
      var tokens: [String] = []
      for _ in 0..<3 {
        let store = try bench.open()
        try insert(["number": .integer(1)], into: store)
        if let token = store.changeToken { tokens.append(token) }
      }
      try expectEqual(Set(tokens).count, tokens.count, "the number of different tokens")
    },
    StoreTest("A store that is opened again has the metadata of its program", reopensStore: true) { bench in
      do {
        let store = try bench.open()
        var metadata = store.metadata
        metadata["title"] = "Letters"
        metadata[StoreMetadataKey.identifier] = "another one"
        store.setMetadata(metadata)
        try expectEqual(store.metadata["title"], "Letters", "the program's own key")
        try expectEqual(store.metadata[StoreMetadataKey.identifier]?.string, store.identifier, "the store's own key")
        try insert([:], into: store)
      }
      let store = try bench.open()
      try expectEqual(store.metadata["title"], "Letters", "the program's own key")
    },
    StoreTest("A store is not opened or changed with another version of the model", reopensStore: true) { bench in
      var before: [String] = []
      do {
        let store = try bench.open()
        try TestLibrary.fill(store, notes: 3)
        before = try TestLibrary.contents(store)
      }
      let error = try expectError(.incompatibleVersionHash, from: "another version of the model") {
        _ = try bench.open(TestLibrary.model(hasSummary: true))
      }
      try expectEqual(Set(error.differingEntities), ["Note", "Letter"], "the entities that differ")
      try expectEqual(try TestLibrary.contents(bench.open()), before, "the objects")
    },
  ]
}
