package import FoundationEssentials
package import ManagedObjects
import OrderedCollections

/// People, their notes, tags and groups: rows with attributes of every type, nulls, subentities, and every kind of
/// relationship. Each object has a short name.
package struct FetchSamples: RowSource {
  package let model: ManagedObjectModel
  package let storeNumber = StoreNumber(rawValue: 1)
  package private(set) var rows: [RowKey: StoreRow] = [:]
  package private(set) var names: [RowKey: String] = [:]

  package func row(_ key: RowKey) -> StoreRow? { rows[key] }

  package func rows(ofEntity index: Int) -> [StoreRow] {
    rows.values.filter { Int($0.key.entityIndex) == index }.sorted { $0.key < $1.key }
  }

  package static let shared = FetchSamples()

  private init() {
    let employee = Self.sub(
      "Employee", of: "Person", [.attribute("salary", .integer32), .attribute("office", .string)])
    let task = Self.sub("Task", of: "Note", [.attribute("done", .boolean), .attribute("due", .date)])
    var everybody = FetchedPropertyDescription("everybody", FetchRequest("Person"))
    everybody.request.predicate = .constant(true)
    guard
      let model = try? ManagedObjectModel(
        entities: [
          EntityDescription(
            "Person",
            [
              .attribute("name", .string), .attribute("nick", .string), .attribute("age", .integer16),
              .attribute("height", .double), .attribute("balance", .decimal), .attribute("weight", .float),
              .attribute("member", .boolean), .attribute("born", .date), .attribute("photo", .binary),
              .attribute("token", .uuid), .attribute("site", .uri), .attribute("extra", .transformable),
              .attribute("misc", .undefined), .attribute("visits", .integer64),
              .relationship("notes", to: "Note", inverse: "author", isToMany: true),
              .relationship("groups", to: "Group", inverse: "members", isToMany: true),
              .relationship("boss", to: "Person", inverse: "reports"),
              .relationship("reports", to: "Person", inverse: "boss", isToMany: true), .fetched(everybody),
            ]),
          employee,
          EntityDescription(
            "Note",
            [
              .attribute("title", .string), .attribute("text", .string), .attribute("pages", .integer32),
              .attribute("rating", .float), .attribute("date", .date),
              .relationship("author", to: "Person", inverse: "notes"),
              .relationship("tags", to: "Tag", inverse: "notes", isToMany: true),
              .relationship("links", to: "Note", isToMany: true, isOrdered: true),
            ]),
          task,
          EntityDescription(
            "Tag", [.attribute("name", .string), .relationship("notes", to: "Note", inverse: "tags", isToMany: true)]),
          EntityDescription(
            "Group",
            [
              .attribute("name", .string), .attribute("latitude", .double), .attribute("longitude", .double),
              .relationship("members", to: "Person", inverse: "groups", isToMany: true),
            ]),
        ],
        fetchRequestTemplates: [
          "byAge": FetchRequest("Person", where: try? ManagedPredicate(format: "age BETWEEN {$LOW, $HIGH}")),
          "adults": FetchRequest("Person", where: try? ManagedPredicate(format: "age >= 18")),
          "notesOf": FetchRequest("Note", where: try? ManagedPredicate(format: "author == $AUTHOR")),
        ])
    else { preconditionFailure("the model of the samples is wrong") }
    self.model = model
    addObjects()
    addRelationships()
  }

  private static func sub(
    _ name: String, of superentity: String, _ properties: [PropertyDescription]
  ) -> EntityDescription {
    var entity = EntityDescription(name, properties)
    entity.superentity = superentity
    return entity
  }

  package func key(_ name: String) -> RowKey {
    guard let key = names.first(where: { $0.value == name })?.key else { preconditionFailure("nobody is \(name)") }
    return key
  }

  private mutating func add(_ entity: String, _ name: String, _ values: [String: AttributeValue]) {
    guard let entity = model[entity] else { preconditionFailure("no entity \(entity)") }
    let key = RowKey(store: storeNumber, entityIndex: entity.index, number: Int64(names.count + 1))
    var row = StoreRow(key: key, version: 1, values: entity.emptyValues)
    for (attribute, value) in values {
      guard let attribute = entity.attribute(named: attribute), attribute.type.admits(value) else {
        preconditionFailure("\(name) has no \(attribute)")
      }
      row.values[attribute.slot] = .attribute(value)
    }
    rows[key] = row
    names[key] = name
  }

  private mutating func relate(_ name: String, _ relationship: String, _ others: [String]) {
    let key = key(name)
    let entity = ManagedObjectModel.Entity(model: model, index: Int(key.entityIndex))
    guard let relationship = entity.relationship(named: relationship) else { preconditionFailure(relationship) }
    for other in others.map({ self.key($0) }) {
      insert(other, into: relationship, of: key)
      if let inverse = entity.inverse(of: relationship) { insert(key, into: inverse, of: other) }
    }
  }

  private mutating func insert(
    _ other: RowKey, into relationship: ManagedObjectModel.Entity.Relationship, of key: RowKey
  ) {
    switch rows[key]?.values[relationship.slot] {
    case .toMany(let keys)?: rows[key]?.values[relationship.slot] = .toMany(keys.union([other]))
    case .orderedToMany(var keys)?:
      keys.append(other)
      rows[key]?.values[relationship.slot] = .orderedToMany(keys)
    default: rows[key]?.values[relationship.slot] = .toOne(other)
    }
  }
}

// The objects.
extension FetchSamples {
  package static func date(_ seconds: Double) -> AttributeValue { .date(Date(timeIntervalSinceReferenceDate: seconds)) }

  package static let token = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!
  package static let site = URL(string: "https://example.com/ann")!

  private mutating func addObjects() {
    add(
      "Person", "Ann",
      [
        "name": .string("Ann"), "nick": .string("annie"), "age": .integer(30), "height": .double(1.7),
        "balance": .decimal(Decimal(string: "12.5")!), "weight": .float(60.5), "member": .boolean(true),
        "born": Self.date(0), "photo": .data(Data([1, 2, 3])), "token": .uuid(Self.token), "site": .url(Self.site),
        "extra": .data(Data([7])), "misc": .integer(5), "visits": .integer(9_007_199_254_740_993),
      ])
    add(
      "Person", "Bob",
      [
        "name": .string("Bob"), "age": .integer(25), "height": .double(1.85),
        "balance": .decimal(Decimal(string: "-3.25")!), "weight": .float(80), "member": .boolean(false),
        "born": Self.date(1000), "photo": .data(Data()), "misc": .string("five"),
        "visits": .integer(9_007_199_254_740_992),
      ])
    add(
      "Person", "Ève",
      [
        "name": .string("Ève"), "nick": .string("EVE"), "age": .integer(41), "balance": .decimal(0),
        "member": .boolean(true), "born": Self.date(-1000), "misc": Self.date(5), "visits": .integer(-1),
      ])
    add(
      "Person", "Dan",
      [
        "name": .string("dan"), "nick": .string("Danny"), "age": .integer(30), "height": .double(1.7),
        "member": .boolean(false),
      ])
    add(
      "Employee", "Ida",
      [
        "name": .string("Ida"), "nick": .string("ida*"), "height": .double(1.6), "balance": .decimal(100),
        "member": .boolean(true), "born": Self.date(500), "salary": .integer(3000), "office": .string("Zürich"),
        "visits": .integer(0),
      ])
    add(
      "Employee", "Leo",
      [
        "name": .string("Leo"), "age": .integer(52), "height": .double(2), "balance": .decimal(1000),
        "weight": .float(90.25), "member": .boolean(false), "born": Self.date(-2000), "salary": .integer(9000),
        "visits": .integer(7),
      ])
    for (name, latitude, longitude) in [("Chess", 47.4, 8.5), ("choir", 48.9, 2.35)] {
      add("Group", name, ["name": .string(name), "latitude": .double(latitude), "longitude": .double(longitude)])
    }
    add("Group", "Empty", ["name": .string("Empty")])
    for name in ["swift", "linux", "mac", "web"] { add("Tag", name, ["name": .string(name)]) }
    addNote("n1", "Plan 9", "café au lait", 3, 4.5, 100)
    addNote("n2", "Plan 10", nil, 12, 3, 200)
    addNote("n3", "plan b", "Straße", 1, nil, 300)
    addNote("n4", "Zoë's list", "", nil, 5, 400)
    addNote("t1", "Buy milk", "milk\nbread", 2, 2.5, 500, ["done": .boolean(true)])
    addNote("t2", "Call Bob", "100% sure?", 7, 4.5, 600, ["done": .boolean(false), "due": Self.date(1000)])
  }

  private mutating func addNote(
    _ name: String, _ title: String, _ text: String?, _ pages: Int64?, _ rating: Float?, _ date: Double,
    _ values: [String: AttributeValue] = [:]
  ) {
    var values = values
    values["title"] = .string(title)
    values["text"] = text.map { .string($0) } ?? .null
    values["pages"] = pages.map { .integer($0) } ?? .null
    values["rating"] = rating.map { .float($0) } ?? .null
    values["date"] = Self.date(date)
    add(name.hasPrefix("t") ? "Task" : "Note", name, values)
  }

  private mutating func addRelationships() {
    relate("Ann", "notes", ["n1", "n2"])
    relate("Bob", "notes", ["n3"])
    relate("Ève", "notes", ["t1"])
    relate("Ida", "notes", ["t2"])
    relate("Leo", "reports", ["Ann", "Bob", "Ida"])
    relate("Ann", "reports", ["Dan"])
    relate("Chess", "members", ["Ann", "Bob", "Leo"])
    relate("choir", "members", ["Ève"])
    relate("swift", "notes", ["n1", "n2", "t1"])
    relate("linux", "notes", ["n1", "n3"])
    relate("mac", "notes", ["n2"])
    relate("n1", "links", ["n3", "n2"])
    relate("n3", "links", ["n1"])
    relate("t1", "links", ["t2", "n1", "n3"])
  }
}

// Finding them.
extension FetchSamples {
  /// The short names of the objects that a request finds.
  package static func found(_ request: FetchRequest) throws -> String {
    let entity = shared.model[request.entityName]!
    guard case .rows(let rows) = try request.execute(on: shared, of: entity) else { return "no rows" }
    return rows.map { shared.names[$0.key] ?? "?" }.joined(separator: " ")
  }

  package static func found(_ entity: String, _ format: String, _ arguments: any PredicateArgument...) throws -> String
  {
    try found(FetchRequest(entity, where: ManagedPredicate(format: format, arguments: arguments)))
  }
}
