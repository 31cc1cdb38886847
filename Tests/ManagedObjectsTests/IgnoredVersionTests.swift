import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@testable import class SQLiteStore.Database

@Suite("Stores whose model version is ignored") struct IgnoredVersionTests {
  /// A kind of file, and whether it still contains its model.
  enum Kind: String, CaseIterable, CustomTestStringConvertible {
    case xml, binary, sqlite, sqliteWithoutModel

    var testDescription: String { rawValue }

    var store: StoreKind {
      switch self {
      case .xml: .xml
      case .binary: .binary
      case .sqlite, .sqliteWithoutModel: .sqlite
      }
    }
  }

  private let folder = TemporaryFolder(isInMemory: true)
  private var file: URL { folder.url.appending(path: "store") }

  private static let former = Result {
    try ManagedObjectModel(entities: [
      EntityDescription("Draft", [.attribute("text", .string)]),
      EntityDescription(
        "Note",
        [
          .attribute("title", .string), .attribute("subtitle", .string), .attribute("count", .integer32),
          .attribute("size", .string), .attribute("color", .string),
          .relationship("folder", to: "Folder", inverse: "notes"),
          .relationship("tags", to: "Tag", inverse: "notes", isToMany: true),
          .relationship("next", to: "Note", inverse: "previous"),
          .relationship("previous", to: "Note", inverse: "next"),
        ]),
      EntityDescription(
        "Folder",
        [.attribute("name", .string), .relationship("notes", to: "Note", inverse: "folder", isToMany: true)]),
      EntityDescription(
        "Tag", [.attribute("name", .string), .relationship("notes", to: "Note", inverse: "tags", isToMany: true)]),
    ])
  }

  /// Creates a store of the former model.
  private func makeStore(_ kind: Kind) throws {
    let context = try ManagedObjectContext(kind.store.open(file, Self.former.get()))
    let folder = try context.insert("Folder")
    try folder.setValue(.string("Home"), forKey: "name")
    let tag = try context.insert("Tag")
    try tag.setValue(.string("red"), forKey: "name")
    for (index, title) in ["a", "b"].enumerated() {
      let note = try context.insert("Note")
      try note.setValue(.string(title), forKey: "title")
      try note.setValue(.string("sub \(title)"), forKey: "subtitle")
      try note.setValue(.integer(Int64(index)), forKey: "count")
      try note.setValue(.string(index == 0 ? "12" : "big"), forKey: "size")
      try note.setValue(.string("blue"), forKey: "color")
      try note.setValue(.object(folder), forKey: "folder")
      try note.setValue(.set([.object(tag)]), forKey: "tags")
    }
    try context.insert("Draft").setValue(.string("lost"), forKey: "text")
    try context.save()
    if kind == .sqliteWithoutModel {
      try Database(path: file.path, .readWrite).execute("DELETE FROM Z_MODELCACHE")
    }
  }

  private func open(_ kind: Kind, _ model: ManagedObjectModel) throws -> any PersistentStore {
    var description: PersistentStoreDescription =
      switch kind {
      case .xml: .xml(file)
      case .binary: .binary(file)
      case .sqlite, .sqliteWithoutModel: .sqlite(file)
      }
    description.ignoresModelVersion = true
    let container = try PersistentContainer(model: model, stores: [description])
    return try #require(container.coordinator.stores.first)
  }

  /// Returns the differences by kind and name. XML has entities in upper case and properties in lower case; columns
  /// have a prefix.
  private func differences(_ store: any PersistentStore, _ kind: Kind) -> Set<String> {
    Set(
      store.modelMismatches.map { mismatch in
        var property = mismatch.property?.lowercased() ?? ""
        if kind == .sqliteWithoutModel, mismatch.kind == .unknownProperty, property.hasPrefix("z") {
          property.removeFirst()
        }
        return "\(mismatch.kind) \(mismatch.entity.lowercased()).\(property)"
      })
  }

  private func texts(_ context: ManagedObjectContext, _ entity: String, _ keys: [String]) throws -> [String] {
    try context.fetch(FetchRequest(entity)).map { object in
      keys.map { key in
        switch object[key] ?? .null {
        case .attribute(let value): "\(value)"
        case .object(let object): "in \((object["name"] ?? .null).text)"
        case .array(let objects): "\(objects.count)"
        case .set(let objects): "\(objects.count)"
        }
      }.joined(separator: " ")
    }.sorted()
  }

  @Test(arguments: Kind.allCases)
  func `added properties are filled, and removed ones are ignored`(kind: Kind) throws {
    try makeStore(kind)
    let bytes = try Data(contentsOf: file)
    let model = try ManagedObjectModel(entities: [
      EntityDescription("Author", [.attribute("name", .string)]),
      EntityDescription(
        "Note",
        [
          .attribute("title", .string), .attribute("rating", .integer16, defaultValue: .integer(7)),
          .attribute("extra", .string), .attribute("count", .integer32), .attribute("size", .string),
          .relationship("author", to: "Author"),
        ]),
    ])
    let store = try open(kind, model)
    let context = try ManagedObjectContext(store)
    #expect(
      try texts(context, "Note", ["title", "rating", "extra", "count", "size", "author"])
        == [#""a" 7 nil 0 "12" nil"#, #""b" 7 nil 1 "big" nil"#])
    // The connection of a query generation reads the tables in the same way.
    let pinned = ManagedObjectContext(coordinator: context.coordinator)
    try pinned.setQueryGenerationFrom(.current)
    #expect(try texts(pinned, "Note", ["title", "rating", "count"]) == [#""a" 7 0"#, #""b" 7 1"#])
    #expect(try context.count(for: FetchRequest("Author")) == 0)
    #expect(
      try context.count(
        for: FetchRequest("Note", where: ManagedPredicate(format: "rating == 7 AND extra == nil AND author == nil")))
        == 2)
    var expected: Set = [
      "missingEntity author.", "missingProperty note.rating", "missingProperty note.extra",
      "missingProperty note.author", "unknownEntity draft.", "unknownEntity folder.", "unknownEntity tag.",
      "unknownProperty note.subtitle", "unknownProperty note.color", "unknownProperty note.folder",
      "unknownProperty note.tags", "unknownProperty note.next", "unknownProperty note.previous",
    ]
    // The name of a join table contains the number of its entity.
    if kind == .sqliteWithoutModel {
      expected.remove("unknownProperty note.tags")
      expected.insert("unknownProperty note._3tags")
    }
    let found = differences(store, kind)
    #expect(found == expected, "\(found.symmetricDifference(expected).sorted())")
    let draft = store.modelMismatches.first { $0.kind == .unknownEntity && $0.entity.lowercased() == "draft" }
    #expect(draft?.objectCount == 1)
    #expect(try Data(contentsOf: file) == bytes)
  }

  @Test(arguments: Kind.allCases)
  func `saving throws an error that says why`(kind: Kind) throws {
    try makeStore(kind)
    let bytes = try Data(contentsOf: file)
    let store = try open(kind, Self.former.get())
    #expect(store.isReadOnly && store.modelMismatches.isEmpty)
    if kind.store == .sqlite {
      #expect((store as? SQLiteStore)?.writingObstacles == ["the version of the store's model is ignored"])
    }
    var changes = StoreChanges()
    let entity = try #require(store.model["Tag"])
    changes.inserted = [
      StoreRow(
        key: RowKey(store: store.number, entityIndex: entity.index, number: 99), version: 1,
        values: entity.emptyValues)
    ]
    let refusal = #expect(throws: ManagedObjectError.self) { try store.save(changes) }
    #expect(refusal?.code == .save && refusal?.message.contains("the version of its model is ignored") == true)
    let context = try ManagedObjectContext(store)
    #expect(throws: ManagedObjectError.self) {
      try context.insert("Tag")
      try context.save()
    }
    #expect(try Data(contentsOf: file) == bytes)
  }

  @Test(
    arguments: Kind.allCases,
    ["it's", "it'\u{301}s", "'\u{FE0F}, 1 AS x FROM y --", "''\u{301}'", "a\0'\u{301}", "\"\u{301}\r\n'"])
  func `a default can be any text`(kind: Kind, text: String) throws {
    try makeStore(kind)
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Tag", [.attribute("name", .string), .attribute("extra", .string, defaultValue: .string(text))])
    ])
    let tag = try #require(try ManagedObjectContext(open(kind, model)).fetch(FetchRequest("Tag")).first)
    guard case .attribute(.string(let extra)) = tag["extra"] else {
      Issue.record("expected text, found \(String(describing: tag["extra"]))")
      return
    }
    #expect(Array(extra.unicodeScalars) == Array(text.unicodeScalars))
  }

  @Test(arguments: Kind.allCases)
  func `renaming identifiers find entities and properties`(kind: Kind) throws {
    try makeStore(kind)
    var heading = AttributeDescription("heading", .string)
    heading.renamingIdentifier = "subtitle"
    var box = RelationshipDescription("box", to: "Box", inverse: "items")
    box.renamingIdentifier = "folder"
    var item = EntityDescription("Item", [.attribute(heading), .relationship(box)])
    item.renamingIdentifier = "Note"
    var items = RelationshipDescription("items", to: "Item", inverse: "box", isToMany: true)
    items.renamingIdentifier = "notes"
    var container = EntityDescription("Box", [.attribute("name", .string), .relationship(items)])
    container.renamingIdentifier = "Folder"
    let store = try open(kind, ManagedObjectModel(entities: [item, container]))
    let context = try ManagedObjectContext(store)
    #expect(try texts(context, "Item", ["heading", "box"]) == [#""sub a" in Home"#, #""sub b" in Home"#])
    #expect(try texts(context, "Box", ["name", "items"]) == [#""Home" 2"#])
    #expect(
      try context.count(for: FetchRequest("Box", where: ManagedPredicate(format: "ANY items.heading == 'sub b'"))) == 1)
    #expect(!differences(store, kind).contains { $0.hasPrefix("missing") || $0.hasPrefix("changed") })
  }

  /// Creates a store with one object of each entity, whose attributes have their own names as values.
  private func makeStore(_ kind: Kind, _ entities: [EntityDescription], without empty: Set<String> = []) throws {
    let model = try ManagedObjectModel(entities: entities)
    let context = try ManagedObjectContext(kind.store.open(file, model))
    for entity in model.entities where !empty.contains(entity.name) {
      let object = try context.insert(entity.name)
      for attribute in entity.attributes { try object.setValue(.string(attribute.name), forKey: attribute.name) }
    }
    try context.save()
    if kind == .sqliteWithoutModel {
      try Database(path: file.path, .readWrite).execute("DELETE FROM Z_MODELCACHE")
    }
  }

  private func entity(_ name: String, from former: String? = nil, _ attributes: [(String, from: String?)])
    -> EntityDescription
  {
    var entity = EntityDescription(
      name,
      attributes.map { name, former in
        var attribute = AttributeDescription(name, .string)
        attribute.renamingIdentifier = former
        return .attribute(attribute)
      })
    entity.renamingIdentifier = former
    return entity
  }

  @Test(arguments: Kind.allCases, [false, true])
  func `an entity is the one with its name if the file has the former name, too`(kind: Kind, hasNote: Bool) throws {
    let text = [("text", from: String?.none)]
    try makeStore(kind, [entity("Memo", text), entity("Note", text)], without: hasNote ? [] : ["Note"])
    let store = try open(kind, ManagedObjectModel(entities: [entity("Note", from: "Memo", text)]))
    let notes = try texts(ManagedObjectContext(store), "Note", ["text"])
    #expect(notes == (hasNote ? [#""text""#] : []))
    #expect(differences(store, kind) == ["unknownEntity memo."])
    #expect(store.modelMismatches.map(\.objectCount) == [1])
  }

  @Test(arguments: Kind.allCases)
  func `a former entity is that of one entity`(kind: Kind) throws {
    let text = [("text", from: String?.none)]
    try makeStore(kind, [entity("Memo", text)])
    let model = try ManagedObjectModel(entities: [
      entity("Entry", from: "Memo", text), entity("Memo", from: "Old", text), entity("Page", from: "Memo", text),
    ])
    let store = try open(kind, model)
    let context = try ManagedObjectContext(store)
    #expect(try texts(context, "Memo", ["text"]) == [#""text""#])
    #expect(try context.count(for: FetchRequest("Entry")) == 0)
    #expect(try context.count(for: FetchRequest("Page")) == 0)
    #expect(differences(store, kind) == ["missingEntity entry.", "missingEntity page."])
  }

  @Test(arguments: Kind.allCases)
  func `an attribute is the one with its name if the file has the former name, too`(kind: Kind) throws {
    try makeStore(kind, [entity("Note", [("alias", nil), ("name", nil), ("title", nil)])])
    let model = [entity("Note", [("name", from: "title"), ("title", from: "alias")])]
    let store = try open(kind, ManagedObjectModel(entities: model))
    #expect(try texts(ManagedObjectContext(store), "Note", ["name", "title"]) == [#""name" "title""#])
    #expect(differences(store, kind) == ["unknownProperty note.alias"])
  }

  @Test(arguments: Kind.allCases)
  func `a former attribute is that of one attribute`(kind: Kind) throws {
    try makeStore(kind, [entity("Note", [("name", nil), ("title", nil)])])
    let model = [
      entity("Note", [("alias", from: "name"), ("first", from: "title"), ("name", nil), ("second", "title")])
    ]
    let store = try open(kind, ManagedObjectModel(entities: model))
    let values = try texts(ManagedObjectContext(store), "Note", ["alias", "first", "name", "second"])
    #expect(values == [#"nil "title" "name" nil"#])
    #expect(differences(store, kind) == ["missingProperty note.alias", "missingProperty note.second"])
  }

  /// The classes of a later version, in which two attributes have other types.
  enum Later {
    final class Note: ManagedObject {
      @Attribute var title: String?
      @Attribute var count: String?
      @Attribute var size: Int64?
    }
  }

  @Test(arguments: Kind.allCases)
  func `a value of another type is kept, and decoding it throws`(kind: Kind) throws {
    try makeStore(kind)
    let model = try ManagedObjectModel(classes: [Later.Note.self])
    let store = try open(kind, model)
    let context = try ManagedObjectContext(store)
    let notes = try context.fetch(FetchRequest("Note", sortedBy: [.init("title")])).compactMap { $0 as? Later.Note }
    #expect(notes.map(\.title) == ["a", "b"])
    #expect(notes.map { $0["size"] } == [.attribute(.string("12")), .attribute(.string("big"))])
    #expect(notes.map { $0["count"] } == [.attribute(.integer(0)), .attribute(.integer(1))])
    for note in notes {
      let size = #expect(throws: ManagedObjectError.self) { try note.decodedValue(of: \.size) }
      #expect(size?.code == .coderReadCorrupt && size?.key == "size" && size?.objectID == note.objectID)
      #expect(throws: ManagedObjectError.self) { try note.decodedValue(of: \.count) }
    }
    #expect(notes[0].size == nil && !context.misuse.isEmpty)
    let changed: Set = ["changedProperty note.count", "changedProperty note.size"]
    #expect(Set(differences(store, kind).filter { $0.hasPrefix("changed") }) == changed)
    #expect(try context.count(for: FetchRequest("Note", where: ManagedPredicate(format: "title == 'b'"))) == 1)
    // Conditions on such values throw, and do not compare them by the rules of SQL, in which text is greater than any
    // number.
    let request = FetchRequest("Note", where: try ManagedPredicate(format: "#size > 5"))
    #expect(errorCode { _ = try context.count(for: request) } == .unsupportedRequest)
  }

  @Test(arguments: Kind.allCases)
  func `relationships of another kind are read if they can be`(kind: Kind) throws {
    try makeStore(kind)
    // "folder" leads to another entity, "tags" becomes to-one, "next" becomes to-many, and "color" a relationship.
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Note",
        [
          .attribute("title", .string), .relationship("folder", to: "Tag"),
          .relationship("tags", to: "Tag", inverse: "notes"), .relationship("next", to: "Note", isToMany: true),
          .relationship("color", to: "Tag"),
        ]),
      EntityDescription(
        "Tag", [.attribute("name", .string), .relationship("notes", to: "Note", inverse: "tags", isToMany: true)]),
    ])
    let store = try open(kind, model)
    let context = try ManagedObjectContext(store)
    let notes = try texts(context, "Note", ["title", "tags", "next", "color"])
    // A join table has no column for a to-one relationship. Files have the references of both sides.
    let tag = kind.store == .sqlite ? "nil" : "in red"
    #expect(notes == [#""a" \#(tag) 0 nil"#, #""b" \#(tag) 0 nil"#])
    #expect(try texts(context, "Tag", ["name", "notes"]) == [kind.store == .sqlite ? #""red" 0"# : #""red" 2"#])
    let found = differences(store, kind)
    #expect(found.contains { $0.hasSuffix(" note.color") && !$0.hasPrefix("unknown") }, "\(found)")
    if kind.store == .sqlite {
      #expect(found.contains { $0.hasSuffix(" note.tags") && !$0.hasPrefix("unknown") }, "\(found)")
      #expect(found.contains("missingProperty tag.notes"))
    }
    // Without its model, the file does not say to which entity a column leads.
    if kind != .sqliteWithoutModel {
      #expect(try texts(context, "Note", ["folder"]) == ["nil", "nil"])
      #expect(found.contains { $0.hasSuffix(" note.folder") && !$0.hasPrefix("unknown") }, "\(found)")
    }
  }

  @Test(arguments: Kind.allCases)
  func `entities can move into and out of an inheritance`(kind: Kind) throws {
    var animal = EntityDescription("Animal", [.attribute("name", .string)])
    animal.isAbstract = true
    var cats = EntityDescription("Cat", [.attribute("lives", .integer16)])
    cats.superentity = "Animal"
    var dogs = EntityDescription("Dog", [.attribute("lives", .string)])
    dogs.superentity = "Animal"
    let tree = try ManagedObjectModel(entities: [animal, cats, dogs])
    let context = try ManagedObjectContext(kind.store.open(file, tree))
    let cat = try context.insert("Cat")
    try cat.setValue(.string("Tom"), forKey: "name")
    try cat.setValue(.integer(9), forKey: "lives")
    let dog = try context.insert("Dog")
    try dog.setValue(.string("Rex"), forKey: "name")
    try dog.setValue(.string("one"), forKey: "lives")
    try context.save()
    if kind == .sqliteWithoutModel {
      try Database(path: file.path, .readWrite).execute("DELETE FROM Z_MODELCACHE")
    }
    // The superentity is removed; its attribute belongs to the subentities, which are root entities.
    let flat = try ManagedObjectModel(entities: [
      EntityDescription("Cat", [.attribute("name", .string), .attribute("lives", .integer16)]),
      EntityDescription("Dog", [.attribute("name", .string), .attribute("lives", .string)]),
    ])
    let store = try open(kind, flat)
    let opened = try ManagedObjectContext(store)
    #expect(try texts(opened, "Cat", ["name", "lives"]) == [#""Tom" 9"#])
    #expect(try texts(opened, "Dog", ["name"]) == [#""Rex""#])
    if kind != .sqliteWithoutModel { #expect(try texts(opened, "Dog", ["lives"]) == [#""one""#]) }
    // The objects of a removed subentity are not those of the others.
    let other = try open(kind, ManagedObjectModel(entities: [animal, dogs]))
    #expect(try texts(ManagedObjectContext(other), "Animal", ["name"]) == [#""Rex""#])
    let ignored = other.modelMismatches.first { $0.kind == .unknownEntity }
    #expect(ignored?.entity.lowercased() == "cat" && ignored?.objectCount == 1)
    if kind != .sqliteWithoutModel {
      #expect(try texts(ManagedObjectContext(other), "Dog", ["lives"]) == [#""one""#])
    }
  }

  @Test(arguments: Kind.allCases)
  func `a missing file is not created`(kind: Kind) throws {
    let error = #expect(throws: ManagedObjectError.self) { try open(kind, Self.former.get()) }
    #expect(error?.code == .noSuchFile)
    #expect(folder.names.isEmpty)
  }

  @Test func `a store sees what others save, until they change its tables`() throws {
    try makeStore(.sqliteWithoutModel)
    let model = try ManagedObjectModel(entities: [
      EntityDescription("Note", [.attribute("title", .string), .attribute("extra", .string)])
    ])
    let store = try open(.sqliteWithoutModel, model)
    let context = try ManagedObjectContext(store)
    #expect(try context.count(for: FetchRequest("Note")) == 2)
    let other = try ManagedObjectContext(SQLiteStore(file, model: Self.former.get()))
    try other.insert("Note").setValue(.string("c"), forKey: "title")
    try other.save()
    #expect(try context.count(for: FetchRequest("Note")) == 3)
    try Database(path: file.path, .readWrite).execute("ALTER TABLE ZNOTE ADD COLUMN ZEXTRA VARCHAR")
    let error = #expect(throws: ManagedObjectError.self) { try context.count(for: FetchRequest("Note")) }
    #expect(error?.code == .incompatibleVersionHash)
  }

  @Test func `views are not read to check the tables again`() throws {
    let model = try ManagedObjectModel(entities: [EntityDescription("Note", [.attribute("photo", .binary)])])
    let context = try ManagedObjectContext(SQLiteStore(file, model: model))
    try context.insert("Note")
    try context.save()
    let other = try Database(path: file.path, .readWrite)
    try other.execute("DELETE FROM Z_MODELCACHE")
    let statements = Mutex<[String]>([])
    let store = try SQLiteStore(
      file, model: model, access: .readOnly(ignoresModelVersion: true),
      options: SQLiteStoreOptions(trace: .init { event in statements.withLock { $0.append(event.sql) } }))
    statements.withLock { $0 = [] }
    try other.execute("CREATE TABLE other (a)")
    #expect(try ManagedObjectContext(store).count(for: FetchRequest("Note")) == 1)
    // The entities of the file, the number of rows, and the first bytes of the binary data.
    let checks = statements.withLock { $0 }.filter {
      $0.contains("Z_NAME") || $0.contains("GROUP BY Z_ENT") || $0.contains("substr")
    }
    #expect(checks.count == 3 && checks.allSatisfy { $0.contains(" FROM main.") }, "\(checks)")
  }

  @Test(arguments: [Kind.sqlite, .sqliteWithoutModel], [false, true])
  func `data is read from the storage that it was saved in`(kind: Kind, wasExternal: Bool) throws {
    func model(_ isExternal: Bool) throws -> ManagedObjectModel {
      var photo = AttributeDescription("photo", .binary)
      photo.allowsExternalBinaryDataStorage = isExternal
      return try ManagedObjectModel(entities: [
        EntityDescription("Note", [.attribute(photo), .attribute("extra", .date)])
      ])
    }
    let former = try model(wasExternal)
    let context = try ManagedObjectContext(SQLiteStore(file, model: former))
    let data = Data("picture".utf8)
    try context.insert("Note").setValue(.data(data), forKey: "photo")
    try context.insert("Note").setValue(.null, forKey: "photo")
    let third = try context.insert("Note")
    try third.setValue(.data(data), forKey: "photo")
    try context.save()
    if wasExternal {
      // The value of the third object is in a file.
      let name = UUID().uuidString
      let files = folder.url.appending(path: ".store_SUPPORT/_EXTERNAL_DATA")
      try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
      try data.write(to: files.appending(path: name))
      let hex = name.utf8.map { String($0, radix: 16) }.joined()
      try Database(path: file.path, .readWrite).execute("UPDATE ZNOTE SET ZPHOTO = x'02\(hex)00' WHERE Z_PK = 3")
    }
    if kind == .sqliteWithoutModel {
      try Database(path: file.path, .readWrite).execute("DELETE FROM Z_MODELCACHE")
    }
    let opened = try ManagedObjectContext(open(kind, model(!wasExternal)))
    let photos = try opened.fetch(FetchRequest("Note")).map { $0["photo"] }
    #expect(photos == [.attribute(.data(data)), .null, .attribute(.data(data))])
  }

  @Test(arguments: [Kind.sqlite, .sqliteWithoutModel], [false, true])
  func `the form of data that begins with a marker is guessed without its model`(kind: Kind, isExternal: Bool) throws {
    func model(_ isExternal: Bool) throws -> ManagedObjectModel {
      var photo = AttributeDescription("photo", .binary)
      photo.allowsExternalBinaryDataStorage = isExternal
      return try ManagedObjectModel(entities: [
        EntityDescription(
          "Note", [.attribute(photo), .attribute("sound", .binary), .attribute("id", .uuid)])
      ])
    }
    let context = try ManagedObjectContext(SQLiteStore(file, model: model(false)))
    let data = Data([1, 2, 3])
    let note = try context.insert("Note")
    try note.setValue(.data(data), forKey: "photo")
    try note.setValue(.data(Data([3, 1])), forKey: "sound")
    try note.setValue(.uuid(UUID(uuidString: "01000000-0000-0000-0000-000000000000") ?? UUID()), forKey: "id")
    try context.save()
    if kind == .sqliteWithoutModel {
      try Database(path: file.path, .readWrite).execute("DELETE FROM Z_MODELCACHE")
    }
    let store = try open(kind, model(isExternal))
    let opened = try ManagedObjectContext(store)
    let photos = try opened.fetch(FetchRequest("Note")).map { $0["photo"] }
    if kind == .sqlite {
      #expect(photos == [.attribute(.data(data))])
      #expect(store.modelMismatches.isEmpty)
      return
    }
    #expect(photos == [.attribute(.data(isExternal ? data.dropFirst() : data))])
    #expect(differences(store, kind) == ["changedProperty note.photo"])
    #expect(store.modelMismatches.first?.reason.hasPrefix("the stored form is guessed: ") == true)
  }

  @Test(arguments: [Kind.xml, .binary])
  func `the values of each unknown property are counted`(kind: Kind) throws {
    let names = (0..<20).map { "removed\($0)" }
    let model = try ManagedObjectModel(entities: [
      EntityDescription("Note", names.map { .attribute($0, .string) } + [.relationship("next", to: "Note")])
    ])
    let context = try ManagedObjectContext(kind.store.open(file, model))
    // The n-th object has values for some of the first n attributes.
    var expected: [String: Int] = [:]
    var last: ManagedObject?
    var random = SeededGenerator(seed: 1)
    for number in 0..<40 {
      let note = try context.insert("Note")
      for (index, name) in names.enumerated() where index <= number && Bool.random(using: &random) {
        try note.setValue(.string("x"), forKey: name)
        expected[name, default: 0] += 1
      }
      try note.setValue(last.map { .object($0) } ?? .null, forKey: "next")
      last = note
    }
    try context.save()
    // "removed0" becomes a relationship, and "next" an attribute.
    let later = try ManagedObjectModel(entities: [
      EntityDescription("Note", [.relationship("removed0", to: "Note"), .attribute("next", .string)])
    ])
    let store = try open(kind, later)
    let unknown = store.modelMismatches.filter { $0.kind == .unknownProperty }
    let counts = Dictionary(unknown.map { ($0.property ?? "", $0.objectCount) }, uniquingKeysWith: { $1 })
    expected["removed0"] = nil
    // A binary file has all attributes of all objects.
    if kind == .binary { expected = expected.mapValues { _ in 40 } }
    #expect(counts == expected)
    let changed = store.modelMismatches.filter { $0.kind == .changedProperty }.map { "\($0)" }
    let relationship = "Note.next: expected an attribute, found a relationship: it reads as nil"
    #expect(
      changed == [relationship, "Note.removed0: expected a relationship, found an attribute: it is empty"])
  }

  @Test(arguments: Kind.allCases)
  func `a damaged file is read or throws an error`(kind: Kind) throws {
    try makeStore(kind)
    let model = try ManagedObjectModel(entities: [
      EntityDescription("Note", [.attribute("title", .string), .attribute("size", .integer64)]),
      EntityDescription("Tag", [.attribute("name", .date), .relationship("notes", to: "Note", isToMany: true)]),
    ])
    func read() throws(ManagedObjectError) -> [String] {
      let store: any PersistentStore =
        switch kind {
        case .xml: try XMLStore(file, model: model, ignoresModelVersion: true)
        case .binary: try BinaryStore(file, model: model, ignoresModelVersion: true)
        case .sqlite, .sqliteWithoutModel:
          try SQLiteStore(file, model: model, access: .readOnly(writesNothing: true, ignoresModelVersion: true))
        }
      var lines: [String] = []
      for entity in model.entities {
        guard case .rows(let rows) = try store.fetch(FetchRequest(entity.name), of: entity) else { continue }
        for row in rows {
          let values = row.values.compactMap { if case .attribute(let value) = $0 { "\(value)" } else { nil } }
          lines.append("\(entity.name): \(values.joined(separator: ", "))")
        }
      }
      return lines.sorted()
    }
    let bytes = try Data(contentsOf: file)
    let expected = [#"Note: "12", "a""#, #"Note: "big", "b""#, #"Tag: "red""#]
    let seed: UInt64 = 1
    var random = SeededGenerator(seed: seed)
    var codes: [ManagedObjectError.Code: Int] = [:]
    // The first file is not damaged.
    for round in 0..<LongForm.size(1000, or: 25) {
      var damaged = bytes
      for _ in 0..<(round == 0 ? 0 : Int.random(in: 1...4, using: &random)) {
        damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      try damaged.write(to: file)
      let place: Comment = "seed \(seed), round \(round)"
      do throws(ManagedObjectError) {
        let lines = try read()
        if damaged == bytes { #expect(lines == expected, place) }
      } catch {
        #expect(damaged != bytes, place)
        codes[error.code, default: 0] += 1
      }
    }
    #expect(Set(codes.keys).isSubset(of: [.open, .operation, .sqlite, .storeTypeMismatch]), "seed \(seed): \(codes)")
    // The damaged files have left nothing in the process.
    try bytes.write(to: file)
    #expect(try read() == expected, "seed \(seed)")
  }

  @Test func `rows that are not objects are listed`() throws {
    try makeStore(.sqlite)
    let database = try Database(path: file.path, .readWrite)
    try database.execute("INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (50, 77, 1, 'x'), (-1, 4, 1, 'y')")
    let store = try open(.sqlite, Self.former.get())
    #expect(try texts(ManagedObjectContext(store), "Tag", ["name"]) == [#""red""#])
    #expect(store.modelMismatches.map(\.kind) == [.ignoredRows])
    #expect(store.modelMismatches.first?.objectCount == 2)
  }
}

extension ManagedObject.Value {
  fileprivate var text: String { if case .attribute(.string(let text)) = self { text } else { "?" } }
}
