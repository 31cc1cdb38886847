internal import FoundationEssentials
internal import ManagedObjects

/// The model of the tests, and objects for it.
///
/// A note has an author, tags and an album. The notes of an album are ordered. `Letter` is a subentity of `Note`. A
/// person has a chief and a unique email. A sample has an attribute of each type.
enum TestLibrary {
  static func model(hasSummary: Bool = false) throws -> ManagedObjectModel {
    let note = EntityDescription(
      "Note",
      [
        .attribute("title", .string), .attribute("number", .integer64, isOptional: false, defaultValue: .integer(0)),
        .attribute("price", .double), .attribute("date", .date),
        .relationship("author", to: "Person", inverse: "notes"),
        .relationship("tags", to: "Tag", inverse: "notes", isToMany: true),
        .relationship("album", to: "Album", inverse: "notes"),
      ] + (hasSummary ? [.attribute("summary", .string)] : []))
    var letter = EntityDescription("Letter", [.attribute("stamp", .integer16)])
    letter.superentity = "Note"
    var person = EntityDescription(
      "Person",
      [
        .attribute("name", .string), .attribute("email", .string),
        .relationship("notes", to: "Note", inverse: "author", isToMany: true),
        .relationship("chief", to: "Person", inverse: "staff"),
        .relationship("staff", to: "Person", inverse: "chief", isToMany: true),
      ])
    person.uniquenessConstraints = [["email"]]
    return try ManagedObjectModel(entities: [
      note, letter, person,
      EntityDescription(
        "Tag", [.attribute("name", .string), .relationship("notes", to: "Note", inverse: "tags", isToMany: true)]),
      EntityDescription(
        "Album",
        [
          .attribute("name", .string),
          .relationship("notes", to: "Note", inverse: "album", isToMany: true, isOrdered: true),
        ]),
      EntityDescription("Sample", sampleTypes.map { .attribute($0.name, $0.type) }),
    ])
  }

  /// The attributes of a sample.
  private static let sampleTypes: [(name: String, type: AttributeType)] = [
    ("short", .integer16), ("medium", .integer32), ("long", .integer64), ("decimal", .decimal), ("double", .double),
    ("float", .float), ("string", .string), ("truth", .boolean), ("date", .date), ("data", .binary), ("uuid", .uuid),
    ("url", .uri),
  ]

  /// Returns the attribute values of sample objects, ordinary and extreme ones.
  static func sampleValues() -> [[String: AttributeValue]] {
    [
      [:],
      [
        "short": .integer(-1), "medium": .integer(70_000), "long": .integer(1 << 40), "decimal": .decimal(12.5),
        "double": .double(0.1), "float": .float(1.5), "string": .string("Ada"), "truth": .boolean(true),
        "date": .date(Date(timeIntervalSinceReferenceDate: 700_000_000.123_456_7)),
        "data": .data(Data([0, 1, 2, 255])),
        "uuid": .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
        "url": URL(string: "https://example.com/a?b=c&d=%20e#f").map { .url($0) } ?? .null,
      ],
      [
        "short": .integer(Int64(Int16.min)), "medium": .integer(Int64(Int32.max)), "long": .integer(.min),
        "decimal": .decimal(-0.000001), "double": .double(.greatestFiniteMagnitude),
        "float": .float(.leastNonzeroMagnitude), "string": .string(""), "truth": .boolean(false),
        "date": .date(Date(timeIntervalSinceReferenceDate: -1e9)), "data": .data(Data()),
      ],
      [
        "long": .integer(.max), "double": .double(-.leastNonzeroMagnitude),
        "string": .string(
          "a \"quoted\", text; \"\u{301}\nof two lines\r\nand\ttabs, ünï🙂, =1+1, \u{1}\u{7F}\u{FFFE}\\u0041"),
        "data": .data(Data(repeating: 7, count: 5_000)),
      ],
      ["string": .string("NULL"), "decimal": .decimal(Decimal(string: "123456789012.75") ?? 0)],
    ]
  }

  /// Saves persons, their notes, tags and albums. Every third note is a letter.
  @discardableResult
  static func fill(_ store: any PersistentStore, notes count: Int = 30) throws -> ManagedObjectContext {
    let context = try StoreBench.context(store)
    func named(_ entity: String, _ name: String) throws -> ManagedObject {
      let object = try context.insert(entity)
      try object.setValue(.string(name), forKey: "name")
      return object
    }
    let people = try (0..<5).map { try named("Person", "Person \($0)") }
    for (index, person) in people.enumerated() {
      try person.setValue(.string("p\(index)@example.com"), forKey: "email")
      if index > 0 { try person.setValue(.object(people[(index - 1) / 2]), forKey: "chief") }
    }
    let tags = try (0..<4).map { try named("Tag", "tag \($0)") }
    let albums = try (0..<2).map { try named("Album", "album \($0)") }
    var inAlbums: [[ManagedObject.Value]] = [[], []]
    for number in 0..<count {
      let note = try context.insert(number % 3 == 2 ? "Letter" : "Note")
      try note.setValues([
        "title": number % 7 == 6 ? .null : .string(number % 2 == 0 ? "Zoë \(number % 5)" : "adam \(number % 4)"),
        "number": .integer(Int64(number)), "price": .double(Double(number % 8) / 4),
        "date": .date(Date(timeIntervalSinceReferenceDate: Double(number) * 86_400)),
      ])
      if number % 3 == 2 { try note.setValue(.integer(Int64(number % 10)), forKey: "stamp") }
      if number % 5 != 4 { try note.setValue(.object(people[number % 5]), forKey: "author") }
      try note.setValue(.set((0..<number % 4).map { .object(tags[($0 + number) % 4]) }), forKey: "tags")
      inAlbums[number % 2].insert(.object(note), at: inAlbums[number % 2].count / 2)
    }
    for (album, notes) in zip(albums, inAlbums) { try album.setValue(.array(notes), forKey: "notes") }
    try context.save()
    return context
  }

  /// Saves an object of the entity `Sample` for each of ``sampleValues()``.
  ///
  /// - Returns: The values of each sample, by the URI of its object ID.
  static func saveSamples(into store: any PersistentStore) throws -> [String: [String: AttributeValue]] {
    let context = try StoreBench.context(store)
    var samples: [String: [String: AttributeValue]] = [:]
    for values in sampleValues() {
      let sample = try context.insert("Sample")
      for (name, value) in values { try sample.setValue(value, forKey: name) }
      try context.save()
      samples[sample.objectID.uriRepresentation] = values
    }
    return samples
  }

  /// Returns a line for each object with its values, sorted. The lines do not contain primary keys, so they are equal
  /// for stores with equal objects.
  static func contents(_ store: any PersistentStore) throws -> [String] {
    let context = try StoreBench.context(store)
    var lines: [String] = []
    for entity in store.model.entities where !entity.isAbstract {
      var request = FetchRequest(entity.name)
      request.includesSubentities = false
      for object in try context.fetch(request) {
        var parts = [entity.name]
        for property in entity.properties.sorted(by: { $0.name < $1.name }) {
          guard let value = object[property.name] else { continue }
          parts.append("\(property.name)=\(text(value))")
        }
        lines.append(parts.joined(separator: " "))
      }
    }
    return lines.sorted()
  }

  private static func text(_ value: ManagedObject.Value) -> String {
    switch value {
    case .attribute(let value): "\(value)"
    case .object(let object): name(object)
    case .array(let values): "(" + values.map(text).joined(separator: ", ") + ")"
    case .set(let values): "{" + values.map(text).sorted().joined(separator: ", ") + "}"
    }
  }

  /// Returns a label of an object: its entity, and its number or name. The label does not contain the primary key.
  static func name(_ object: ManagedObject) -> String {
    let key = object.entity.property(named: "number") == nil ? "name" : "number"
    return "\(object.entity.name):" + (object[key].map(text) ?? "?")
  }
}
