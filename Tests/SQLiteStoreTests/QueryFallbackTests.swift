import Foundation
import ManagedObjects
import ManagedObjectsSamples
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Requests that SQL cannot express") struct QueryFallbackTests {
  /// Predicates, and the column by which SQL narrows the rows to test in memory. Nil if all rows are tested.
  static let narrowed: [(String, String?)] = [
    ("pages > 2 AND links[FIRST].title == 'plan b'", "ZPAGES"),
    ("links[FIRST].title == 'plan b' AND pages > 2", "ZPAGES"),
    ("(title BEGINSWITH 'P' AND links[LAST] != nil) AND ($x := pages) > 2", "ZTITLE"),
    ("links[FIRST].title == 'plan b' OR pages > 2", nil), ("NOT links[FIRST].title == 'plan b'", nil),
    // The second condition must not decide if the first one is evaluated.
    ("links[7].title == 'plan b' AND pages == -1", nil),
  ]

  @Test(arguments: narrowed)
  func `rows that SQL finds are tested in memory`(_ search: (format: String, column: String?)) throws {
    let stores = SampleStores.people
    let request = FetchRequest("Note", where: try ManagedPredicate(format: search.format))
    let statement = try stores.sqlite.statement(for: request)
    let condition = statement.sql.components(separatedBy: " WHERE ").dropFirst().joined()
    #expect(!statement.isComplete)
    if let column = search.column { #expect(condition.contains(column)) } else { #expect(condition.isEmpty) }
    #expect((try? stores.found(request)) == (try? stores.foundInMemory(request)))
  }

  @Test func `a request with many conditions is narrowed by its first conditions`() throws {
    let stores = SampleStores.people
    let others = (0..<LongForm.size(10_000, or: 6_100)).map {
      ManagedPredicate.comparing(RandomRequests.path("age"), .equal, .value(.integer(Int64($0) + 1_000)))
    }
    let one = ManagedPredicate.comparing(RandomRequests.path("age"), .greaterThan, .value(.integer(0)))
    let request = FetchRequest("Person", where: .or(others + [one]))
    #expect(try !stores.sqlite.statement(for: request).isComplete)
    #expect(try stores.found(request) == stores.foundInMemory(request))
    // The first conditions narrow the rows, up to the number that SQLite handles well.
    let narrowing = FetchRequest("Person", where: .and([one] + others.map { ManagedPredicate.not($0) }))
    let statement = try stores.sqlite.statement(for: narrowing)
    #expect(!statement.isComplete && statement.sql.contains("?4000") && !statement.sql.contains("?6000"))
    #expect(try stores.found(narrowing) == stores.foundInMemory(narrowing))
  }

  /// Conditions with parts that cannot be evaluated for some values.
  static let failing = [
    "10 / (age - 30) > 0", "age != 30 AND 10 / (age - 30) > 0", "10 / (age - 30) > 0 AND age != 30",
    "age == 30 OR 10 / (age - 30) > 0", "10 / (age - 30) > 0 OR age == 30", "NOT 10 / (age - 30) > 0",
    "age != 30 AND (10 / (age - 30) > 0 OR age == 25)", "name == 'nobody' AND 10 / 0 == 1",
    "CAST(name, 'NSNumber') == 3", "nick == '12' AND CAST(nick, 'NSNumber') == 12",
    "height * 1.0e308 * 10 > 1", "extra > 5", "extra == nil OR extra > 5", "sqrt(age - 30) > 1", "ln(age - 30) > 1",
    "modulus:by:(10, age - 30) == 1",
    // The right side is also evaluated if there is nothing to compare it with.
    "ANY notes.pages == 10 / (age - 30)", "ALL reports.age > sqrt(age - 30)", "NONE notes.pages == 10 / (age - 30)",
    "member == NO AND ANY notes.pages == 10 / (age - 30)", "member == NO AND ALL reports.age > sqrt(age - 30)",
    "10 / (age - 30) IN notes.pages", "ANY boss.notes.pages == 10 / (age - 30)",
    // Narrowing must not leave out rows with an error.
    "TERNARY(10 / (age - 30) > 0, 1, 2) == 1 AND age != 30",
    "SUBQUERY(notes, $n, 10 / (age - 30) > $n.pages).@count == 0 AND age == 25",
    "SUBQUERY(notes, $n, 10 / ($n.pages - 3) > 0).@count == 0",
  ]

  @Test(arguments: failing) func `a failing predicate has the same error as in memory`(_ format: String) throws {
    let stores = SampleStores.people
    for (limit, order) in [(0, nil), (1, nil), (1, "age"), (2, "-name")] as [(Int, String?)] {
      var request = FetchRequest("Person", where: try ManagedPredicate(format: format))
      request.fetchLimit = limit
      if let order {
        request.sortDescriptors = [
          FetchRequest.SortDescriptor(order.hasPrefix("-") ? "name" : order, isAscending: !order.hasPrefix("-"))
        ]
      }
      var messages: [String] = []
      for find in [stores.found, stores.foundInMemory] {
        do { messages.append(try find(request)) } catch let error as ManagedObjectError {
          messages.append("\(error.code) \(error.predicateError?.kind as Any) \(error.message)")
        }
      }
      #expect(messages[0] == messages[1], "\(limit) \(order ?? "")")
    }
  }

  @Test func `objects are sorted by the entity order of the model, not of the file`() throws {
    func sub(_ name: String) -> EntityDescription {
      var entity = EntityDescription(name)
      entity.superentity = "Base"
      return entity
    }
    let model = try ManagedObjectModel(entities: [
      EntityDescription("Base", [.attribute("name", .string)]), sub("Apple"), sub("Banana"),
    ])
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + end) } }
    let store = try SQLiteStore(file, model: model)
    var changes = StoreChanges()
    for (name, text) in [("Banana", "b1"), ("Apple", "a1"), ("Banana", "b2"), ("Base", "x"), ("Apple", "a2")] {
      let entity = try #require(model[name])
      var row = StoreRow(key: try store.makeKeys([entity.index])[0], version: 1, values: entity.emptyValues)
      row.values[0] = .attribute(.string(text))
      changes.inserted.append(row)
    }
    try store.save(changes)
    // The same state as after renaming the entities.
    try Database(path: file.path, .readWrite).execute(
      """
      UPDATE ZBASE SET Z_ENT = 5 - Z_ENT WHERE Z_ENT > 1;
      UPDATE Z_PRIMARYKEY SET Z_NAME = CASE Z_NAME WHEN 'Apple' THEN 'Banana' ELSE 'Apple' END WHERE Z_ENT > 1;
      """)
    let again = try SQLiteStore(file, model: model)
    let base = try #require(again.model["Base"])
    for (order, expected) in [
      (nil, "x a1 a2 b1 b2"), ("self", "x a1 a2 b1 b2"), ("-self", "b2 b1 a2 a1 x"),
    ] as [(String?, String)] {
      var request = FetchRequest("Base")
      if let order { request.sortDescriptors = [FetchRequest.SortDescriptor("self", isAscending: order == "self")] }
      guard case .rows(let rows) = try again.fetch(request, of: base) else { continue }
      let names = rows.map { if case .attribute(.string(let text)) = $0.values[0] { text } else { "?" } }
      #expect(names.joined(separator: " ") == expected)
      request.fetchLimit = 3
      request.fetchOffset = 1
      request.resultType = .objectIDs
      #expect(try again.fetch(request, of: base) == .keys(rows.map(\.key)[1..<4].map(\.self)))
    }
  }

  @Test func `predicates read external binary data`() throws {
    var photo = AttributeDescription("photo", .binary)
    photo.allowsExternalBinaryDataStorage = true
    let model = try ManagedObjectModel(entities: [EntityDescription("Item", [.attribute(photo)])])
    let entity = try #require(model["Item"])
    let rows = [Data([1]), Data([2, 2]), nil].enumerated().map { number, data in
      StoreRow(
        key: RowKey(store: StoreNumber(rawValue: 1), entityIndex: 0, number: Int64(number + 1)), version: 1,
        values: [.attribute(data.map { .data($0) } ?? .null)])
    }
    let stores = try SampleStores(model, rows)
    for (format, count) in [
      ("photo == CAST('AQ==', 'NSData')", 1), ("photo != CAST('AQ==', 'NSData')", 2), ("photo == nil", 1),
      ("photo.length > 1", 1), ("photo > CAST('AQ==', 'NSData')", 1),
    ] {
      let request = FetchRequest("Item", where: try ManagedPredicate(format: format))
      #expect(try stores.sqlite.statement(for: request).isComplete)
      guard case .rows(let found) = try stores.sqlite.fetch(request, of: entity) else { continue }
      #expect(found.count == count, "\(format)")
    }
  }
}
