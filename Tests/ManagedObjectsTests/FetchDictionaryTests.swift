import FoundationEssentials
import ManagedObjectsSamples
import OrderedCollections
import Testing

@testable import ManagedObjects

@Suite("Fetch requests for dictionaries") struct FetchDictionaryTests {
  typealias Value = FetchRequest.FetchedValue

  static func value(_ name: String, _ format: String, _ type: AttributeType = .undefined) throws -> Value {
    .expression(name: name, try ManagedExpression(format: format), type: type)
  }

  /// Returns a line of `name=value` pairs for each dictionary.
  private func found(_ request: FetchRequest) throws -> [String] {
    var request = request
    request.resultType = .dictionaries
    let entity = try #require(FetchSamples.shared.model[request.entityName])
    guard case .dictionaries(let all) = try request.execute(on: FetchSamples.shared, of: entity) else { return [] }
    return all.map { dictionary in
      dictionary.map { "\($0.key)=\(text($0.value))" }.joined(separator: " ")
    }
  }

  private func text(_ value: RowValue) -> String {
    switch value {
    case .attribute(.null): "-"
    case .attribute(.integer(let value)): "\(value)"
    case .attribute(.string(let value)): value
    case .attribute(.double(let value)): "\(value)"
    case .attribute(.decimal(let value)): "\(value)d"
    case .attribute(.boolean(let value)): "\(value)"
    case .attribute(.date(let value)): "@\(Int(value.timeIntervalSinceReferenceDate))"
    case .toOne(let key?): "→\(FetchSamples.shared.names[key] ?? "?")"
    default: "\(value)"
    }
  }

  private func request(
    _ entity: String, _ values: [Value], where format: String? = nil, groupBy: [Value]? = nil, having: String? = nil,
    sortedBy: [FetchRequest.SortDescriptor] = []
  ) throws -> FetchRequest {
    var request = FetchRequest(entity, where: try format.map { try ManagedPredicate(format: $0) }, sortedBy: sortedBy)
    request.propertiesToFetch = values
    request.propertiesToGroupBy = groupBy
    request.havingPredicate = try having.map { try ManagedPredicate(format: $0) }
    request.resultType = .dictionaries
    return request
  }

  @Test func `dictionaries contain properties, key paths through to-one relationships, and expressions`() throws {
    #expect(
      try found(request("Person", [.property("name"), .property("age"), .property("boss.name")], where: "age > 29"))
        == [
          "name=Ann age=30 boss.name=Leo", "name=Ève age=41 boss.name=-", "name=dan age=30 boss.name=Ann",
          "name=Leo age=52 boss.name=-",
        ])
    #expect(
      try found(
        request(
          "Person",
          [
            Self.value("id", "SELF", .objectID), .property("boss"), Self.value("twice", "age * 2"),
            Self.value("notes", "notes.@count", .integer32), Self.value("pages", "sum(notes.pages)"),
            Self.value("old", "TERNARY(age > 29, 'old', 'young')", .string), .property("salary"),
          ], where: "boss.name == 'Leo'"))
        == [
          "id=→Ann boss=→Leo twice=60 notes=2 pages=15 old=old salary=-",
          "id=→Bob boss=→Leo twice=50 notes=1 pages=1 old=young salary=-",
          "id=→Ida boss=→Leo twice=- notes=1 pages=7 old=young salary=3000",
        ])
    var all = FetchRequest("Tag")
    #expect(try found(all) == ["name=swift", "name=linux", "name=mac", "name=web"])
    all.entityName = "Group"
    all.fetchLimit = 1
    #expect(try found(all) == ["latitude=47.4 longitude=8.5 name=Chess"])
  }

  @Test func `the result of an expression has the declared type`() throws {
    #expect(
      try found(
        request(
          "Person",
          [
            Self.value("a", "average(age)"), Self.value("b", "average(age)", .integer32),
            Self.value("c", "sum(age)", .double), Self.value("d", "sum(age)", .decimal),
          ]))
        == ["a=35.6 b=35 c=178.0 d=178d"])
    let error = #expect(throws: ManagedObjectError.self) {
      try found(request("Person", [Self.value("a", "sum(age) * 1000", .integer16)]))
    }
    #expect(error?.code == .unsupportedRequest)
  }

  @Test func `a request with aggregates returns one dictionary for all objects`() throws {
    let values = try [
      Self.value("sum", "sum(age)"), Self.value("count", "count(age)"), Self.value("all", "count(SELF)"),
      Self.value("min", "min(name)"), Self.value("max", "max(born)"), Self.value("average", "average(age)"),
      Self.value("mean", "sum(age) / count(age)"), Self.value("one", "1"), Self.value("bosses", "max(boss.age)"),
      Self.value("twice", "sum(age * 2) + 1"),
    ]
    #expect(
      try found(request("Person", values))
        == ["sum=178 count=5 all=6 min=Ann max=@1000 average=35.6 mean=35 one=1 bosses=52 twice=357"])
    #expect(
      try found(request("Person", values.filter { !"\($0)".contains("mean") }, where: "FALSEPREDICATE"))
        == ["sum=0 count=0 all=0 min=- max=- average=- one=1 bosses=- twice=1"])
    var offset = try request("Person", [Self.value("sum", "sum(age)")])
    offset.fetchOffset = 1
    #expect(try found(offset) == [])
    offset.fetchOffset = 0
    offset.fetchLimit = 1
    #expect(try found(offset) == ["sum=178"])
  }

  @Test func `grouping returns one dictionary for each group in the order of first objects`() throws {
    let count = try Self.value("count", "count(SELF)")
    #expect(
      try found(request("Person", [.property("age"), count], groupBy: [.property("age")]))
        == ["age=30 count=2", "age=25 count=1", "age=41 count=1", "age=- count=1", "age=52 count=1"])
    #expect(
      try found(
        request(
          "Person", [.property("age"), count], groupBy: [.property("age")],
          sortedBy: [FetchRequest.SortDescriptor("age", isAscending: false)]))
        == ["age=52 count=1", "age=41 count=1", "age=30 count=2", "age=25 count=1", "age=- count=1"])
    #expect(
      try found(
        request(
          "Note", [.property("author"), .property("author.name"), count, Self.value("pages", "sum(pages)")],
          where: "author != nil", groupBy: [.property("author"), .property("author.name")], having: "$pages > 1"))
        == [
          "author=→Ann author.name=Ann count=2 pages=15", "author=→Ève author.name=Ève count=1 pages=2",
          "author=→Ida author.name=Ida count=1 pages=7",
        ])
    #expect(
      try found(request("Note", [count], groupBy: [.property("author")], having: "count(title) > 1 OR author == nil"))
        == ["count=2", "count=1"])
    #expect(
      try found(
        request(
          "Person", [Self.value("decade", "age / 10"), count], where: "age != nil",
          groupBy: [Self.value("decade", "age / 10")], having: "NOT (count(SELF) IN {2} AND age / 10 == 3)"))
        == ["decade=2 count=1", "decade=4 count=1", "decade=5 count=1"])
    var second = try request("Person", [.property("age")], groupBy: [.property("age")])
    second.fetchOffset = 1
    second.fetchLimit = 2
    #expect(try found(second) == ["age=25", "age=41"])
    #expect(
      try found(request("Person", [.property("age")], where: "FALSEPREDICATE", groupBy: [.property("age")])) == [])
  }

  @Test func `a request for distinct results returns each dictionary once`() throws {
    var request = try request("Person", [.property("age")])
    #expect(try found(request) == ["age=30", "age=25", "age=41", "age=30", "age=-", "age=52"])
    request.returnsDistinctResults = true
    #expect(try found(request) == ["age=30", "age=25", "age=41", "age=-", "age=52"])
    request.fetchOffset = 1
    request.fetchLimit = 2
    #expect(try found(request) == ["age=25", "age=41"])
    request = try self.request("Person", [.property("boss")], where: "boss != nil")
    request.returnsDistinctResults = true
    #expect(try found(request) == ["boss=→Leo", "boss=→Ann"])
  }

  /// Requests that cannot return dictionaries, and the invalid name.
  static let defects: [(String, [String], [String]?, String?, [String], String?)] = [
    ("unknown property", ["nmae"], nil, nil, [], "nmae"),
    ("to-many property", ["notes.title"], nil, nil, [], "notes.title"),
    ("to-many relationship", ["notes"], nil, nil, [], "notes"),
    ("an empty key path", [""], nil, nil, [], ""),
    ("a duplicate name", ["name", "name"], nil, nil, [], "name"),
    ("a property next to an aggregate", ["name", "a:sum(age)"], nil, nil, [], "name"),
    ("an ungrouped property", ["age", "name"], ["age"], nil, [], "name"),
    ("a sum of strings", ["a:sum(name)"], nil, nil, [], "a"),
    ("an aggregate in a ternary expression", ["a:TERNARY(1 == 1, sum(age), 1)"], nil, nil, [], "a"),
    ("grouped by an unknown property", ["age"], ["age", "x"], nil, [], "x"),
    ("grouped by a to-many relationship", ["age"], ["age", "notes"], nil, [], "notes"),
    ("a having condition without groups", ["age"], nil, "age > 1", [], nil),
    ("a having condition on an ungrouped property", ["age"], ["age"], "name == 'x'", [], nil),
    ("a having condition with mismatched types", ["age"], ["age"], "age == 'x'", [], nil),
    ("a having condition with an unknown variable", ["age"], ["age"], "$x > 1", [], nil),
    ("groups sorted by an ungrouped property", ["age"], ["age"], nil, ["name"], "name"),
  ]

  @Test(arguments: defects) func `an invalid request for dictionaries throws`(
    _ defect: (name: String, values: [String], groupBy: [String]?, having: String?, order: [String], key: String?)
  ) throws {
    let values = try defect.values.map { text in
      let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
      return parts.count == 2 ? try Self.value(parts[0], parts[1]) : .property(text)
    }
    let request = try request(
      "Person", values, groupBy: defect.groupBy?.map { .property($0) }, having: defect.having,
      sortedBy: defect.order.map { FetchRequest.SortDescriptor($0) })
    let error = #expect(throws: ManagedObjectError.self, "\(defect.name)") {
      try request.check(against: FetchSamples.shared.model)
    }
    #expect(error?.key == defect.key, "\(defect.name): \(String(describing: error))")
    #expect([.unsupportedRequest, .undefinedKey].contains(error?.code))
    #expect(throws: ManagedObjectError.self) { try found(request) }
  }
}
