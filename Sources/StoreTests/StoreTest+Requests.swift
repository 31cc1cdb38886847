internal import FoundationEssentials
internal import ManagedObjects

extension StoreTest {
  static let requests: [StoreTest] = [
    StoreTest("Requests return the same objects in the same order as a store in memory") { bench in
      let store = try bench.open()
      let reference = try InMemoryStore(model: store.model)
      for store in [store, reference] { try TestLibrary.fill(store) }
      let (context, expected) = (try StoreBench.context(store), try StoreBench.context(reference))
      for text in predicates {
        for entity in ["Note", "Letter"] {
          let predicate = try ManagedPredicate(format: text)
          var request = FetchRequest(entity, where: predicate, sortedBy: [.init("title"), .init("number")])
          for (offset, limit) in [(0, 0), (2, 0), (1, 3), (1_000, 1)] {
            (request.fetchOffset, request.fetchLimit) = (offset, limit)
            try expectEqual(
              try context.fetch(request).map(TestLibrary.name), try expected.fetch(request).map(TestLibrary.name),
              "\(entity) where \(text), from \(offset), at most \(limit)")
            try expectEqual(
              try context.count(for: request), try expected.count(for: request), "the count of \(entity) where \(text)")
          }
        }
      }
    },
    StoreTest("Objects are sorted by several keys, ascending and descending, with null values first") { bench in
      let store = try bench.open()
      let reference = try InMemoryStore(model: store.model)
      for store in [store, reference] { try TestLibrary.fill(store) }
      let (context, expected) = (try StoreBench.context(store), try StoreBench.context(reference))
      let orders: [[FetchRequest.SortDescriptor]] = [
        [.init("title"), .init("number", isAscending: false)],
        [.init("title", isAscending: false, comparison: .localizedStandard), .init("number")],
        [.init("author.name"), .init("price", isAscending: false), .init("number")],
        [.init("title", comparison: .caseInsensitive), .init("date", isAscending: false)],
      ]
      for order in orders {
        let request = FetchRequest("Note", sortedBy: order)
        try expectEqual(
          try context.fetch(request).map(TestLibrary.name), try expected.fetch(request).map(TestLibrary.name),
          "notes sorted by \(order.map { $0.keyPath ?? "" })")
      }
    },
    StoreTest("Dictionary requests return the requested values, groups and sums") { bench in
      let store = try bench.open()
      let reference = try InMemoryStore(model: store.model)
      for store in [store, reference] { try TestLibrary.fill(store) }
      let (context, expected) = (try StoreBench.context(store), try StoreBench.context(reference))
      var plain = FetchRequest("Note", sortedBy: [.init("number")])
      plain.resultType = .dictionaries
      plain.propertiesToFetch = [.property("title"), .property("author.name")]
      var grouped = FetchRequest("Note", sortedBy: [.init("author.name")])
      grouped.resultType = .dictionaries
      grouped.propertiesToGroupBy = [.property("author.name")]
      grouped.propertiesToFetch = [
        .property("author.name"),
        .expression(name: "sum", try ManagedExpression(format: "sum(number)"), type: .integer64),
      ]
      for request in [plain, grouped] {
        let (found, wanted) = (try context.fetchDictionaries(request), try expected.fetchDictionaries(request))
        try expectEqual(found.map { "\($0)" }, wanted.map { "\($0)" }, "dictionaries of notes")
      }
    },
    StoreTest("A request can exclude subentities") { bench in
      let store = try bench.open()
      let context = try TestLibrary.fill(store, notes: 9)
      var request = FetchRequest("Note")
      try expectEqual(try context.count(for: request), 9, "the number of notes and letters")
      request.includesSubentities = false
      try expectEqual(try context.count(for: request), 6, "the number of notes")
      let names = Set(try StoreBench.context(store).fetch(FetchRequest("Note")).map(\.entity.name))
      try expectEqual(names, ["Note", "Letter"], "the entities of notes")
    },
    StoreTest("A request that does not fit the model throws an error") { bench in
      let store = try bench.open()
      try TestLibrary.fill(store, notes: 3)
      let note = try entity("Note", of: store)
      for text in ["colour == 1", "author.name.length.size > 1", "title > 5"] {
        let request = FetchRequest("Note", where: try ManagedPredicate(format: text))
        try expectError(.unsupportedRequest, .undefinedKey, from: text) { _ = try store.fetch(request, of: note) }
      }
    },
    StoreTest("Batch requests change and delete only the matching objects") { bench in
      let store = try bench.open()
      let reference = try InMemoryStore(model: store.model)
      for store in [store, reference] {
        let context = try TestLibrary.fill(store)
        let before = try context.count(for: FetchRequest("Note"))
        _ = try context.execute(
          .update("Note", ["title": .string("new")], where: ManagedPredicate(format: "number < 10")))
        _ = try context.execute(.insert("Note", [["number": .integer(100)], ["number": .integer(101)]]))
        _ = try context.execute(.delete("Note", where: ManagedPredicate(format: "number BETWEEN {5, 12}")))
        try expectEqual(
          try StoreBench.context(store).count(for: FetchRequest("Note")), before - 8 + 2, "the number of notes")
      }
      try expectEqual(
        try TestLibrary.contents(store), try TestLibrary.contents(reference), "the objects after batch requests")
    },
    StoreTest("A snapshot, if the store has any, keeps its objects") { bench in
      let store = try bench.open()
      let context = try TestLibrary.fill(store, notes: 9)
      let before = try TestLibrary.contents(store)
      let snapshot: any PersistentStore
      do { snapshot = try store.snapshot() } catch {
        try expectError(.unsupportedRequest, from: "snapshot()") { throw error }
        return
      }
      try expectEqual(snapshot.number, store.number, "the number of the snapshot")
      try expect(snapshot.isReadOnly, "the snapshot is not read-only")
      for note in try context.fetch(FetchRequest("Note", where: ManagedPredicate(format: "number > 3"))) {
        try context.delete(note)
      }
      for note in try context.fetch(FetchRequest("Note")) { try note.setValue(.string("new"), forKey: "title") }
      try context.save()
      try expectEqual(try TestLibrary.contents(snapshot), before, "the objects of the snapshot")
      try expect(try TestLibrary.contents(store) != before, "the save did not change the store")
      let pinned = try StoreBench.context(store)
      try pinned.setQueryGenerationFrom(.current)
      let count = try pinned.count(for: FetchRequest("Note"))
      _ = try context.execute(.delete("Note", where: nil))
      try expectEqual(try pinned.count(for: FetchRequest("Note")), count, "the number of notes of a pinned context")
    },
  ]

  private static let predicates = [
    "number >= 3 AND number != 7", "number IN {1, 3, 5, 100}", "number BETWEEN {4, 9}", "NOT (price > 1)",
    "title == nil", "title != nil", "title == 'adam 1'", "title CONTAINS[cd] 'zoe'", "title BEGINSWITH 'ad'",
    "title LIKE[c] 'ADAM ?'", "title MATCHES '.* [13]'", "author == nil", "author.name == 'Person 2'",
    "author.chief.name ENDSWITH '0'", "ANY tags.name == 'tag 1'", "tags.@count > 1", "ALL tags.name > 'tag 0'",
    "SUBQUERY(tags, $t, $t.name CONTAINS '2').@count == 1", "album.notes.@count > 3", "TRUEPREDICATE",
    "FALSEPREDICATE", "number + 1 == price * 4", "title.length > 5 OR number < 2",
    "date > CAST(86400.0 * 10, 'NSDate')", "author.notes.@sum.number > 20",
  ]
}
