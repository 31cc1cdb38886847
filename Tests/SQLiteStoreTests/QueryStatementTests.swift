import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import TestSupport
import Testing

@Suite("SQL statements of requests") struct QueryStatementTests {
  /// Requests that SQL can express only in part. Their rows are tested in memory.
  static let inMemory = [
    "($limit := 30) == age", "($x := age) > 26 AND $x < 45", "links[FIRST].title == 'plan b'",
    "links[LAST].title == 'plan b'", "entity.kinds[SIZE] == 2", "links[FIRST].links[FIRST].title == 'Plan 9'",
    "links[0].title == 'plan b'",
  ]

  @Test func `SQL expresses almost all predicates`() throws {
    var others: [String] = []
    for search in QuerySearchTests.searches {
      let request = FetchRequest(search.entity, where: try ManagedPredicate(format: search.format))
      if try !SampleStores.people.sqlite.statement(for: request).isComplete { others.append(search.format) }
    }
    #expect(Set(others) == Set(Self.inMemory) && QuerySearchTests.searches.count > 400)
  }

  /// Predicates with arithmetic that never fails.
  static let sure = [
    "SUBQUERY(notes, $n, $n.pages + 1 > 2).@count > 0", "SUBQUERY(notes, $n, $n.pages / 2 == $n.author.age * 2) != nil",
    "TERNARY(age > 3, age * 2, -age) == 4", "ANY reports.age == age - 1",
  ]

  @Test(arguments: sure) func `SQL expresses arithmetic that always has a result`(_ format: String) throws {
    let request = FetchRequest("Person", where: try ManagedPredicate(format: format))
    #expect(try SampleStores.people.sqlite.statement(for: request).isComplete)
    #expect(try SampleStores.people.found(request) == SampleStores.people.foundInMemory(request))
  }

  static let orders: [(String, FetchRequest.SortComparison)] = [
    ("name", .compare), ("name", .caseInsensitive), ("name", .localized), ("name", .localizedCaseInsensitive),
    ("name", .localizedStandard), ("age", .compare), ("boss.name", .compare), ("boss", .compare),
    ("notes.@count", .compare), ("self", .compare), ("site", .compare), ("boss.boss.born", .compare),
  ]

  @Test(arguments: orders)
  func `SQL has the order of the request`(_ order: (path: String, comparison: FetchRequest.SortComparison)) throws {
    let descriptor = FetchRequest.SortDescriptor(order.path, comparison: order.comparison)
    #expect(try SampleStores.people.sqlite.statement(for: FetchRequest("Person", sortedBy: [descriptor])).isComplete)
  }

  /// Predicates on the entities of people and of their bosses, and the conditions of the statements.
  static let restrictions = [
    ("entity.name == 'Employee'", " WHERE t.Z_ENT IS %E ORDER"),
    ("'Employee' IN entity.kinds", " WHERE t.Z_ENT IS %E ORDER"),
    ("NOT entity.name == 'Employee'", " WHERE NOT (t.Z_ENT IS %E) ORDER"),
    ("'Person' IN entity.kinds", " FROM \"ZPERSON\" t ORDER"),
    ("entity.name == 'Nobody'", " WHERE 0 ORDER"), ("entity.name ==[c] 'PERSON'", " WHERE t.Z_ENT IS %P ORDER"),
    ("boss.entity != nil", " WHERE t.\"ZBOSS\" IS NOT NULL ORDER"),
    ("boss.entity == nil", " WHERE t.\"ZBOSS\" IS NULL ORDER"),
  ]

  @Test(arguments: restrictions)
  func `a comparison with an entity is a condition on the entity number`(
    _ restriction: (format: String, sql: String)
  ) throws {
    let stores = SampleStores.people
    let statement = try stores.sqlite.statement(
      for: FetchRequest("Person", where: try ManagedPredicate(format: restriction.format)))
    let numbers = try ["Employee", "Person"].map { name in
      let one = try stores.sqlite.statement(
        for: FetchRequest("Person", where: try ManagedPredicate(format: "entity.name == %@", name)))
      return String(one.sql.split(separator: "t.Z_ENT IS ")[1].prefix { $0.isNumber })
    }
    let sql = restriction.sql.replacing("%E", with: numbers[0]).replacing("%P", with: numbers[1])
    #expect(statement.isComplete && numbers[0] != numbers[1])
    #expect(statement.sql.contains(sql), "\(statement.sql)")
  }

  /// Predicates, and the text in the query plan if an index is used.
  static let indexed: [(String, String)] = [
    ("code == 'A7'", "Z_Item_byCode"), ("'A7' == code", "Z_Item_byCode"), ("code IN {'A7', 'A8'}", "Z_Item_byCode"),
    ("code ==[n] 'é'", "Z_Item_byCode"), ("code == 'K;'", "Z_Item_byCode"), ("code BEGINSWITH 'A7'", "Z_Item_byCode"),
    ("code == 'A7' AND amount > 3", "Z_Item_byCode"), ("code == nil", "Z_Item_byCode"),
    ("amount == 7", "Z_Item_byAmount"), ("amount > 7", "Z_Item_byAmount"), ("amount BETWEEN {7, 9}", "Z_Item_byAmount"),
    ("amount IN {7, 9, 11}", "Z_Item_byAmount"), ("amount == 7.0", "Z_Item_byAmount"),
    ("weight == 0.5", "Z_Item_byWeight"), ("weight <= 0.1", "Z_Item_byWeight"),
    ("price == 12.5", "Z_Item_byPrice"), ("price < 12.5", "Z_Item_byPrice"),
    ("when > CAST(5, 'NSDate')", "Z_Item_byWhen"),
    ("token == CAST('E621E1F8-C36C-495A-93FC-0C247A3E6E5F', 'NSUUID')", "Z_Item_byToken"),
    ("owner.name == 'x'", "ZOWNER_INDEX"), ("code == 'A7' OR amount == 7", "Z_Item_byCode"),
  ]

  private static let model: ManagedObjectModel = {
    var item = EntityDescription(
      "Item",
      [
        .attribute("code", .string), .attribute("amount", .integer32), .attribute("weight", .float),
        .attribute("price", .decimal), .attribute("when", .date), .attribute("token", .uuid),
        .relationship("owner", to: "Owner", inverse: "items"),
      ])
    for name in ["code", "amount", "weight", "price", "when", "token"] {
      item.fetchIndexes.append(
        FetchIndexDescription("by" + name.prefix(1).uppercased() + name.dropFirst(), [.init(.property(name))]))
    }
    var owner = EntityDescription(
      "Owner",
      [.attribute("name", .string), .relationship("items", to: "Item", inverse: "owner", isToMany: true)])
    owner.fetchIndexes.append(FetchIndexDescription("byName", [.init(.property("name"))]))
    do { return try ManagedObjectModel(entities: [item, owner]) } catch { fatalError("\(error)") }
  }()

  private static func rows(_ owners: Int, _ items: Int) -> [StoreRow] {
    guard let item = model["Item"], let owner = model["Owner"], let code = item.attribute(named: "code"),
      let amount = item.attribute(named: "amount"), let ownerOfItem = item.relationship(named: "owner"),
      let name = owner.attribute(named: "name"), let itemsOfOwner = owner.relationship(named: "items")
    else { return [] }
    let store = StoreNumber(rawValue: 1)
    var (all, others): ([StoreRow], [StoreRow]) = ([], [])
    for number in 0..<owners {
      var row = StoreRow(
        key: RowKey(store: store, entityIndex: owner.index, number: Int64(number + 1)), version: 1,
        values: owner.emptyValues)
      row.values[name.slot] = .attribute(.string("owner \(number)"))
      var keys: Set<RowKey> = []
      for index in 0..<items {
        let key = RowKey(store: store, entityIndex: item.index, number: Int64(number * items + index + 1))
        var other = StoreRow(key: key, version: 1, values: item.emptyValues)
        other.values[code.slot] = .attribute(.string("A\(number)"))
        other.values[amount.slot] = .attribute(.integer(Int64(index)))
        other.values[ownerOfItem.slot] = .toOne(row.key)
        keys.insert(key)
        others.append(other)
      }
      row.values[itemsOfOwner.slot] = .toMany(keys)
      all.append(row)
    }
    return others + all
  }

  private static let items: SampleStores = {
    do { return try SampleStores(model, rows(50, 10)) } catch { fatalError("\(error)") }
  }()

  @Test(arguments: indexed) func `SQL uses indexes`(_ search: (format: String, index: String)) throws {
    let request = FetchRequest("Item", where: try ManagedPredicate(format: search.format))
    let plan = try Self.items.sqlite.plan(of: request).map(\.text)
    #expect(
      plan.contains { $0.contains(search.index) } && !plan.contains { $0.hasPrefix("SCAN t") && !$0.contains("INDEX") },
      "\(plan)")
  }

  @Test func `an explanation has hints if an index is missing, or if SQL cannot express the request`() throws {
    var request = FetchRequest("Item", where: try ManagedPredicate(format: "code == 'A7'"))
    #expect(try Self.items.sqlite.explain(request).hints == [])
    request.sortDescriptors = [.init("amount")]
    request.fetchLimit = 1
    #expect(
      try Self.items.sqlite.explain(request).hints
        == ["no index serves the order: all rows that match are sorted before the limit applies"])
    func explanation(_ format: String) throws -> RequestExplanation {
      try SampleStores.people.sqlite.explain(FetchRequest("Note", where: ManagedPredicate(format: format)))
    }
    let scan = try explanation("pages > 2")
    #expect(scan.hints == ["no index serves the condition: all rows of ZNOTE are read"])
    let lines = scan.description.split(separator: "\n")
    #expect(lines.count == 3 && lines[0].hasPrefix("SELECT") && lines[0].hasSuffix(";"), "\(scan)")
    #expect(lines[1].hasPrefix("-- SCAN t") && lines[2] == "-- Hint: \(scan.hints[0])")
    #expect(
      try explanation("pages > 2 AND links[FIRST].title == 'plan b'").hints.first?
        .hasPrefix("SQL cannot express the whole request:") == true)
  }

  @Test func `a context explains a request for each SQLite store`() throws {
    let context = try ManagedObjectContext(Self.items.sqlite)
    var request = FetchRequest("Item", where: try ManagedPredicate(format: "amount > 5"))
    #expect(try context.explain(request) == [Self.items.sqlite.explain(request)])
    request.affectedStores = []
    #expect(try context.explain(request).isEmpty)
  }

  @Test func `SQL finds an object by its primary key`() throws {
    let stores = Self.items
    let key = try #require(stores.memoryKeys.keys.sorted().first)
    for format in ["SELF == %@", "SELF IN %@", "%@ == objectID"] {
      var predicate = try ManagedPredicate(format: "SELF == nil")
      let constant = ManagedExpression.constant(format.contains("IN") ? .array([.object(key)]) : .object(key))
      predicate = .comparing(.evaluatedObject, format.contains("IN") ? .in : .equal, constant)
      let request = FetchRequest("Item", where: predicate)
      #expect(try stores.sqlite.plan(of: request).contains { $0.text.contains("INTEGER PRIMARY KEY") })
      let entity = try #require(stores.sqlite.model["Item"])
      guard case .rows(let rows) = try stores.sqlite.fetch(request, of: entity) else { continue }
      #expect(rows.map(\.key) == [key])
    }
  }

  @Test func `owners and their prefetched objects take three statements`() throws {
    let owners = LongForm.size(10_000, or: 100)
    let stores = try SampleStores(Self.model, Self.rows(owners, 10))
    let context = try ManagedObjectContext(stores.sqlite)
    var request = FetchRequest("Owner")
    request.relationshipKeyPathsForPrefetching = ["items"]
    let before = stores.sqlite.executedStatementCount
    var sum = 0
    for owner in try context.fetch(request) {
      guard case .set(let items)? = owner["items"] else { continue }
      for case .object(let item) in items {
        if case .attribute(.integer(let amount))? = item["amount"] { sum += Int(amount) }
      }
    }
    #expect(sum == 45 * owners && stores.sqlite.executedStatementCount - before <= 3)
  }

  @Test(arguments: [#"Ro"w'; DROP TABLE Z_METADATA; --"#, "Row\"\u{301}; DROP TABLE Z_METADATA; --", "'\u{308}", "\""])
  func `names are quoted and constants are bound`(_ name: String) throws {
    let attribute = #"a"b'c);DELETE/**/FROM/**/Z_METADATA;--"#
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        name,
        [
          .attribute(attribute, .string),
          .relationship("to" + attribute, to: name, inverse: "from" + attribute),
          .relationship("from" + attribute, to: name, inverse: "to" + attribute, isToMany: true),
        ])
    ])
    let entity = try #require(model[name])
    var row = StoreRow(
      key: RowKey(store: StoreNumber(rawValue: 1), entityIndex: 0, number: 1), version: 1, values: entity.emptyValues)
    let text = #"'; DROP TABLE "Z_METADATA"; --"#
    row.values[try #require(entity.attribute(named: attribute)).slot] = .attribute(.string(text))
    let stores = try SampleStores(model, [row])
    let path = ManagedExpression.keyPath(try #require(PredicateKeyPath(keys: [attribute])))
    let far = ManagedExpression.keyPath(try #require(PredicateKeyPath(keys: ["to" + attribute, attribute])))
    let many = ManagedExpression.keyPath(try #require(PredicateKeyPath(keys: ["from" + attribute, attribute])))
    let constant = ManagedExpression.value(.string(text))
    let predicates: [(ManagedPredicate, Int)] = [
      (.comparing(path, .equal, constant), 1), (.comparing(path, .in, .constant(.array([.value(.string(text))]))), 1),
      (.comparing(path, .contains, constant), 1), (.comparing(path, .beginsWith, .value(.string("'"))), 1),
      (.comparing(far, .equal, constant), 0), (.comparing(many, .equal, constant, modifier: .any), 0),
      (.comparing(many, .equal, constant, modifier: .all), 1),
    ]
    for (predicate, count) in predicates {
      var request = FetchRequest(name, where: predicate, sortedBy: [FetchRequest.SortDescriptor(attribute)])
      guard case .rows(let rows) = try stores.sqlite.fetch(request, of: entity) else { continue }
      #expect(rows.count == count)
      #expect(try stores.sqlite.statement(for: request).isComplete)
      request.resultType = .dictionaries
      request.sortDescriptors = []
      guard case .dictionaries(let all) = try stores.sqlite.fetch(request, of: entity) else { continue }
      #expect(all.count == count)
    }
    #expect(stores.sqlite.metadata["NSStoreUUID"] != nil)
  }

  @Test func `many conditions and deep conditions find the right objects`() throws {
    let entity = try #require(Self.model["Item"])
    let one = try ManagedPredicate(format: "amount == 3")
    var deep = one
    for _ in 0..<90 { deep = .not(deep) }
    let wide = ManagedPredicate.or(
      (0..<3_000).map { .comparing(RandomRequests.path("amount"), .equal, .value(.integer($0 + 3))) })
    // More than the parameters that a statement can have.
    let texts = LongForm.size(100_000, or: 40_000)
    let list = ManagedPredicate.comparing(
      RandomRequests.path("code"), .in,
      .constant(.array((0..<texts).map { .value(.string("A\($0)é")) } + [.value(.string("A7"))])))
    for (predicate, count) in [(deep, 50), (wide, 350), (list, 10)] {
      guard case .rows(let rows) = try Self.items.sqlite.fetch(FetchRequest("Item", where: predicate), of: entity)
      else { continue }
      #expect(rows.count == count)
    }
  }
}
