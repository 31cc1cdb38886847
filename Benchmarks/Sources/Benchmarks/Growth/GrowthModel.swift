import Foundation
import ManagedObjects
import SQLiteStore

/// The models in the growth table, and objects of one of them.
enum GrowthModel: String, CaseIterable {
  case entities = "many entities"
  case attributes = "an entity of many attributes"
  case relationships = "an entity of many relationships"
  case heirs = "many entities that inherit from one"
  case templates = "many fetch request templates"

  /// The maximum size of a model.
  static let greatestSize = 1 << 14
  /// The maximum number of columns, because SQLite limits the columns of a table.
  private static let greatestColumnCount = 1_600
  /// The maximum number of entities in a store's model. Each entity is nested in the archive of the previous one, and
  /// archives with more levels are rejected.
  private static let greatestChainLength = 3_200

  /// The maximum size of a model that a store can use.
  var greatestStoreSize: Int {
    switch self {
    case .attributes, .relationships, .heirs: Self.greatestColumnCount
    case .entities: Self.greatestChainLength
    case .templates: Self.greatestSize
    }
  }

  func model(_ size: Int, renamed: Bool = false) throws -> ManagedObjectModel {
    func property(_ number: Int) -> PropertyDescription {
      var attribute = AttributeDescription(renamed ? "renamed\(number)" : "field\(number)", .string)
      if renamed { attribute.traits.renamingIdentifier = "field\(number)" }
      return .attribute(attribute)
    }
    switch self {
    case .entities:
      return try ManagedObjectModel(
        entities: (0..<size).map { number in
          EntityDescription(
            "Entity\(number)",
            [
              property(0), .attribute("number", .integer64),
              .relationship("next", to: "Entity\((number + 1) % size)", inverse: "former"),
              .relationship(
                "former", to: "Entity\((number + size - 1) % size)", inverse: "next", isToMany: true),
            ])
        })
    case .attributes: return try ManagedObjectModel(entities: [EntityDescription("Entity", (0..<size).map(property))])
    case .relationships:
      return try ManagedObjectModel(
        entities: [
          EntityDescription(
            "Entity",
            [property(0)]
              + (0..<size).flatMap { number in
                [
                  PropertyDescription.relationship("next\(number)", to: "Entity", inverse: "former\(number)"),
                  .relationship("former\(number)", to: "Entity", inverse: "next\(number)", isToMany: true),
                ]
              })
        ])
    case .heirs:
      return try ManagedObjectModel(
        entities: [EntityDescription("Root", [property(0)])]
          + (0..<size).map { number in
            var entity = EntityDescription("Entity\(number)", [.attribute("own\(number % 50)x", .string)])
            entity.superentity = "Root"
            return entity
          })
    case .templates:
      return try ManagedObjectModel(
        entities: [EntityDescription("Entity", [property(0)])],
        fetchRequestTemplates: .init(
          uniqueKeysWithValues: try (0..<size).map {
            ("template\($0)", FetchRequest("Entity", where: try ManagedPredicate(format: "field0 == %@", "\($0)")))
          }))
    }
  }

  /// Returns the model of the objects: persons, their notes, tags of notes, and ordered albums of notes.
  static func library(hasSummary: Bool = false) throws -> ManagedObjectModel {
    var title = AttributeDescription("title", .string)
    title.traits.isIndexed = true
    let note = EntityDescription(
      "Note",
      [
        .attribute(title), .attribute("text", .string), .attribute("number", .integer64), .attribute("price", .double),
        .attribute("date", .date), .relationship("author", to: "Person", inverse: "notes"),
        .relationship("tags", to: "Tag", inverse: "notes", isToMany: true),
        .relationship("album", to: "Album", inverse: "notes"),
      ] + (hasSummary ? [.attribute("summary", .string)] : []))
    return try ManagedObjectModel(entities: [
      note,
      EntityDescription(
        "Person",
        [
          .attribute("name", .string), .relationship("notes", to: "Note", inverse: "author", isToMany: true),
          .relationship("chief", to: "Person", inverse: "staff"),
          .relationship("staff", to: "Person", inverse: "chief", isToMany: true, deleteRule: .cascade),
        ]),
      EntityDescription(
        "Tag", [.attribute("name", .string), .relationship("notes", to: "Note", inverse: "tags", isToMany: true)]),
      EntityDescription(
        "Album",
        [
          .attribute("name", .string),
          .relationship("notes", to: "Note", inverse: "album", isToMany: true, isOrdered: true),
        ]),
    ])
  }
}

/// The shapes of stores. The size is the number of notes or persons.
enum GrowthObjects: String, CaseIterable {
  case rows = "notes and their authors"
  case owner = "an author of all notes"
  case album = "an album of all notes"
  case hub = "a tag of all notes"
  case grid = "notes with ten tags each"
  case chain = "a chain of persons"
  case tree = "a tree of persons"

  func fill(_ context: ManagedObjectContext, _ size: Int) throws {
    func notes(_ count: Int) throws -> [ManagedObject] {
      try (0..<count).map { number in
        let note = try context.insert("Note")
        try note.setValues([
          "title": .string("Note \(number)"), "text": .string("What there is to say about note \(number)"),
          "number": .integer(Int64(number)), "price": .double(Double(number) / 8),
          "date": .date(Date(timeIntervalSinceReferenceDate: Double(number) * 977)),
        ])
        return note
      }
    }
    func named(_ entity: String, _ name: String) throws -> ManagedObject {
      let object = try context.insert(entity)
      try object.setValue(.string(name), forKey: "name")
      return object
    }
    switch self {
    case .rows:
      var author: ManagedObject?
      for (number, note) in try notes(size).enumerated() {
        if number % 10 == 0 { author = try named("Person", "Person \(number / 10)") }
        try note.setValue(.object(author!), forKey: "author")
      }
    case .owner:
      let author = try named("Person", "author")
      try author.setValue(.set(try notes(size).map(ManagedObject.Value.object)), forKey: "notes")
    case .album:
      let album = try named("Album", "album")
      try album.setValue(.array(try notes(size).map(ManagedObject.Value.object)), forKey: "notes")
    case .hub:
      let tag = try named("Tag", "tag")
      try tag.setValue(.set(try notes(size).map(ManagedObject.Value.object)), forKey: "notes")
    case .grid:
      let notes = try notes(size)
      let tags = try (0...size / 10).map { try named("Tag", "tag \($0)") }
      for (number, note) in notes.enumerated() {
        let own = Set((0..<10).map { tags[(number + $0) % tags.count] })
        try note.setValue(.set(own.map(ManagedObject.Value.object)), forKey: "tags")
      }
    case .chain, .tree:
      var persons: [ManagedObject] = []
      for number in 0..<size {
        let person = try named("Person", "Person \(number)")
        let chief = self == .chain ? number - 1 : (number - 1) / 10
        if number > 0 { try person.setValue(.object(persons[chief]), forKey: "chief") }
        persons.append(person)
      }
    }
    try context.save()
  }
}

/// Stores in a folder.
enum GrowthStore {
  /// The maximum size of a store. Creating stores takes most of the time of the table.
  static let greatestSize = 1 << 16

  static func container(
    _ storage: Storage, in folder: URL, model: ManagedObjectModel? = nil, tracksHistory: Bool? = nil
  ) throws -> PersistentContainer {
    let file = storage.file(in: folder)
    let store: PersistentStoreDescription =
      switch storage {
      case .memory: .inMemory
      case .sqlite: .sqlite(file, tracksHistory: tracksHistory)
      case .xml: .xml(file)
      case .binary: .binary(file)
      }
    return try PersistentContainer(model: model ?? GrowthModel.library(), stores: [store])
  }

  /// Creates a store of a shape in a folder.
  static func fill(
    _ storage: Storage, _ shape: GrowthObjects, _ size: Int, in folder: URL, tracksHistory: Bool? = nil
  ) throws {
    try shape.fill(container(storage, in: folder, tracksHistory: tracksHistory).newContext(), size)
  }

  /// Copies the files of a store to a new folder.
  static func copy(_ folder: URL) throws -> URL {
    let copy = folder.appendingPathComponent("copy-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasPrefix("store") {
      try FileManager.default.copyItem(
        at: folder.appendingPathComponent(name), to: copy.appendingPathComponent(name))
    }
    return copy
  }
}
