import Foundation
import ManagedObjects
import ManagedObjectsSamples
import ObjectModels
import TestSupport
import Testing

/// The classes that `swiftSource` makes of a model are compiled in ManagedObjectsSamples.
@Suite("Classes generated from a model") struct GeneratedClassesTests {
  /// Returns the code of a model's classes, and the notes.
  private func code(_ model: ManagedObjectModel, isPublic: Bool = false) -> (text: String, notes: [String]) {
    var notes: [String] = []
    let text = model.swiftSource(named: "Library", isPublic: isPublic) { notes.append($0) }
    return (text, notes)
  }

  @Test func `the compiled classes are those that are generated now`() throws {
    let text = code(try GeneratedClasses.model()).text
    // To write the file again after a change of the generator: WRITE_GENERATED_CLASSES=1 swift test.
    if ProcessInfo.processInfo.environment["WRITE_GENERATED_CLASSES"] != nil {
      try text.write(to: GeneratedClasses.file, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: GeneratedClasses.file, encoding: .utf8) == text)
  }

  @Test func `the model of the classes has the version hashes of the model`() throws {
    let hashes = try GeneratedClasses.model().entityVersionHashesByName
    #expect(try GeneratedClasses.modelOfClasses().entityVersionHashesByName == hashes)
  }

  @Test func `the model of the classes has all settings of the model`() throws {
    let model = try GeneratedClasses.model()
    let made = try GeneratedClasses.modelOfClasses()
    for (entity, own) in zip(model.entities, made.entities) {
      let (expected, found) = (comparable(entity.definition), comparable(own.definition))
      for (property, own) in zip(expected.properties, found.properties) { #expect(property == own) }
      #expect(expected == found)
    }
    #expect(made.entities.count == model.entities.count)
    #expect(made.configurations == model.configurations)
    #expect(made.fetchRequestTemplates == model.fetchRequestTemplates)
    #expect(made.versionIdentifiers == model.versionIdentifiers)
  }

  /// Returns a description without the name of the class, and with sorted properties.
  private func comparable(_ entity: EntityDescription) -> EntityDescription {
    var entity = entity
    entity.className = nil
    entity.properties.sort { $0.name < $1.name }
    return entity
  }

  // An SQLite store cannot have all that the model has.
  @Test(arguments: StoreKind.inFiles)
  func `a store of the classes opens with the model, and one of the model with the classes`(_ kind: StoreKind) throws {
    let folder = TemporaryFolder(isInMemory: true)
    let (model, made) = (try GeneratedClasses.model(), try GeneratedClasses.modelOfClasses())
    let values = ["Ada", "1.5", "London", "I", "own friend"]
    let file = folder.url.appending(path: "classes")
    try context(kind, file, made) { context in
      try GeneratedClasses.insertPerson(into: context)
      try context.save()
    }
    try context(kind, file, model) { context in
      let person = try #require(try context.fetch(FetchRequest("Person")).first)
      #expect(try person.value(forKey: "first-name") == .attribute(.string("Ada")))
      #expect(try person.value(forKey: "größe") == .attribute(.double(1.5)))
      #expect(try person.value(forKey: "Self") == .attribute(.string("I")))
      #expect(try person.value(forKey: "hashValue") == .attribute(.integer(7)))
      let other = try context.insert("Person")
      for key in ["first-name", "where", "Self"] {
        try other.setValue(try person.value(forKey: key), forKey: key)
      }
      try other.setValue(.attribute(.double(1.5)), forKey: "größe")
      try other.setValue(.set([.object(other)]), forKey: "friends")
      try context.save()
    }
    let joined = try model.joined(with: GeneratedClasses.classes)
    for model in [made, joined] {
      try context(kind, file, model) { context in
        let persons = try context.fetch(FetchRequest("Person"))
        #expect(persons.map { GeneratedClasses.values(ofPerson: $0) } == [values, values])
      }
    }
  }

  private func context(
    _ kind: StoreKind, _ file: URL, _ model: ManagedObjectModel, _ body: (ManagedObjectContext) throws -> Void
  ) throws {
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.add(kind.open(file, model))
    try body(ManagedObjectContext(coordinator: coordinator))
  }

  @Test func `parts without a property are reported`() throws {
    let noType = "the attribute has no property, because no wrapper has values of its type; use value(forKey: "
    let member = "the attribute has no property: every object has a property with this name; use value(forKey: "
    #expect(
      code(try GeneratedClasses.model()).notes == [
        "Book.address: \(noType)\"address\")",
        "Book.cover: the attribute has no property, because its type and the value transformer \"CoverTransformer\" must "
          + "be in the program",
        "Book.things: the attribute has no property, because its type must be in the program",
        "Book.anything: \(noType)\"anything\")",
        "Person._id: the attribute has no property: the wrapper of \"id\" has this name; use value(forKey: \"_id\")",
        "Person.hashValue: \(member)\"hashValue\")", "Person.isInaccessible: \(member)\"isInaccessible\")",
        "Person.$price: the attribute has no property: the name cannot be written in Swift; use value(forKey: "
          + "\"$price\")",
      ])
  }

  @Test func `parts that only models from files have are left out, and reported`() throws {
    var ordered = RelationshipDescription("boss", to: "Person", inverse: "entity", isOrdered: true)
    ordered.isOptional = false
    var external = AttributeDescription("text", .string)
    external.allowsExternalBinaryDataStorage = true
    var person = EntityDescription(
      "Person",
      [
        .attribute(external), .attribute("isDeleted", .boolean), .relationship(ordered),
        .relationship("entity", to: "Person", inverse: "boss"), .relationship("description", to: "Person"),
        .attribute("zone", .string), .relationship("self", to: "Person", inverse: "other"),
        .relationship("other", to: "Person", inverse: "self"),
      ])
    person.uniquenessConstraints = [["text"], ["isDeleted"], ["zone"]]
    person.fetchIndexes = [FetchIndexDescription("byDescription", [.init(.property("description"))])]
    let (text, notes) = code(try ManagedObjectModel(compiledEntities: [person]))
    let name = "a model of classes cannot have a property with this name"
    #expect(
      notes == [
        "Person.text: external storage is left out, because a model of classes allows it only for binary data",
        "Person.isDeleted: \(name)",
        "Person.boss: the inverse \"entity\" is left out, because a model of classes cannot have it",
        "Person.boss: the order is left out, because a model of classes cannot have ordered to-one relationships",
        "Person.entity: \(name)", "Person.description: \(name)",
        "Person.zone: \(name)", "Person.self: \(name)",
        "Person.other: the inverse \"self\" is left out, because a model of classes cannot have it",
        "Person: a uniqueness constraint is left out, because of its property \"isDeleted\"",
        "Person: a uniqueness constraint is left out, because of its property \"zone\"",
        "Person: the index \"byDescription\" is left out, because of its property \"description\"",
      ])
    let method = "a model of classes cannot have it, because it is a method of every object."
    #expect(
      text.contains(
        """
        // "text": external storage is left out, because a model of classes allows it only for binary data
        // "boss": the inverse "entity" is left out, because a model of classes cannot have it
        // "boss": the order is left out, because a model of classes cannot have ordered to-one relationships
        // "other": the inverse "self" is left out, because a model of classes cannot have it
        // a uniqueness constraint is left out, because of its property "isDeleted"
        // a uniqueness constraint is left out, because of its property "zone"
        // the index "byDescription" is left out, because of its property "description"
        final class Person: ManagedObject {
          @Attribute(.unique) var text: String?
          // "isDeleted": Boolean; \(method)
          @Relationship(isOptional: false) var boss: Person?
          // "entity": a relationship; \(method)
          // "description": a relationship; \(method)
          // "zone": String; \(method)
          // "self": a relationship; \(method)
          @Relationship var other: Person?
        }
        """))
  }

  @Test func `types with the names of classes have their modules`() throws {
    let entities = ["Set", "Attribute", "Date", "ManagedObject", "EntityDescription", "Relationship", "String"]
    let text = code(
      try ManagedObjectModel(
        entities: entities.map { name in
          var entity = EntityDescription(
            name,
            [
              .attribute("date", .date), .attribute("text", .string),
              .relationship("others", to: name, isToMany: true, deleteRule: .cascade),
            ])
          entity.className = "App.\(name)"
          entity.renamingIdentifier = "Old"
          return entity
        })
    ).text
    #expect(
      text.contains(
        """
        final class ManagedObject: ManagedObjects.ManagedObject {
          @ManagedObjects.Attribute var date: FoundationEssentials.Date?
          @ManagedObjects.Attribute var text: Swift.String?
          @ManagedObjects.Relationship(deleteRule: .cascade) var others: Swift.Set<ManagedObject>

          override class func describe(_ entity: inout ManagedObjects.EntityDescription) {
            entity.renamingIdentifier = "Old"
          }
        }
        """))
    #expect(text.contains("static var classes: [ManagedObjects.ManagedObject.Type]"))
  }

  @Test func `a type with the name of a property has its module`() throws {
    let url = try #require(URL(string: "https://example.com"))
    var note = EntityDescription(
      "Note", [.attribute("URL", .string), .attribute("site", .uri, defaultValue: .url(url))])
    note.fetchIndexes = [
      FetchIndexDescription("bySite", [.init(.property("site"), isAscending: false)])
    ]
    note.properties.append(.attribute("FetchIndexDescription", .string))
    let text = code(try ManagedObjectModel(entities: [note])).text
    #expect(
      text.contains("var site: FoundationEssentials.URL? = FoundationEssentials.URL(string: \"https://example.com\")!"))
    #expect(text.contains(" ManagedObjects.FetchIndexDescription(\"bySite\","))
  }

  @Test func `a class does not hide a module, a type of ManagedObject or the list of classes`() throws {
    let names = ["FoundationEssentials", "ManagedObjects", "Swift", "Value", "Creation", "Self", "classes", "model"]
    let model = try ManagedObjectModel(
      entities: names.map { EntityDescription($0, [.relationship("all", to: $0, isToMany: true)]) })
    let text = code(model).text
    for name in names {
      #expect(text.contains("class \(name)Entity: ManagedObject {\n  @Relationship var all: Set<\(name)Entity>"))
      #expect(text.contains("override class var entityName: String { \"\(name)\" }"))
    }
  }

  @Test func `an inverse whose key path cannot be written is named on the other side, or in describe`() throws {
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Note",
        [.relationship("Writer", to: "Writer", inverse: "notes"), .relationship("Tag", to: "Tag", inverse: "Note")]),
      EntityDescription(
        "Writer",
        [
          .relationship("notes", to: "Note", inverse: "Writer", isToMany: true),
          .relationship("first", to: "Tag", inverse: "Value"),
        ]),
      EntityDescription(
        "Tag",
        [.relationship("Value", to: "Writer", inverse: "first"), .relationship("Note", to: "Note", inverse: "Tag")]),
    ])
    let text = code(model).text
    for line in [
      "@Relationship var Writer: Writer?", "@Relationship(inverse: \\Note.Writer) var notes: Set<Note>",
      "@Relationship var first: Tag?", "@Relationship(inverse: \\Writer.first) var Value: Writer?",
      "@Relationship var Tag: Tag?", "entity[relationship: \"Tag\"]?.inverse = \"Note\"",
      "@Relationship var Note: Note?", "entity[relationship: \"Note\"]?.inverse = \"Tag\"",
    ] { #expect(text.contains("  \(line)\n")) }
  }

  @Test func `words of types are in backticks in the names of classes`() throws {
    let names = ["any", "some", "each", "await"]
    let text = code(
      try ManagedObjectModel(
        entities: names.map { EntityDescription($0, [.relationship("all", to: $0, isToMany: true)]) })
    ).text
    for name in names { #expect(text.contains("@Relationship var all: Set<`\(name)`>")) }
  }

  @Test(arguments: [
    "+", "<>", "→", "\u{A0}", "a\u{3000}b", "`\u{301}x", "a\\\u{301}", "$\u{301}x", "+\u{301}", "<\u{FE0F}>",
    "→\u{20D0}", "+\u{1DC0}", "=\u{FE20}", "+\u{E0100}",
  ])
  func `a property without a name in Swift is reported`(name: String) throws {
    let (text, notes) = code(
      try ManagedObjectModel(entities: [EntityDescription("Note", [.attribute(name, .string)])]))
    #expect(!text.contains("@Attribute"))
    #expect(notes.count == 1 && notes[0].contains(": the name cannot be written in Swift; use value(forKey: "))
  }

  @Test(arguments: ["a+", "€", "#", "<a>", "+a\u{301}", "\u{301}+"]) func `other names are written in backticks`(
    name: String
  ) throws {
    let text = code(try ManagedObjectModel(entities: [EntityDescription("Note", [.attribute(name, .string)])])).text
    #expect(text.contains("@Attribute var `\(name)`: String?"))
  }

  @Test func `a property whose wrapper has the name of an inherited property is reported`() throws {
    var other = EntityDescription("Other", [.attribute("id", .string)])
    other.superentity = "Note"
    let (text, notes) = code(
      try ManagedObjectModel(entities: [EntityDescription("Note", [.attribute("_id", .string)]), other]))
    let reason = "its wrapper would have the name of \"_id\""
    #expect(notes == ["Other.id: the attribute has no property: \(reason); use value(forKey: \"id\")"])
    #expect(text.contains("@Attribute var _id: String?") && !text.contains("var id"))
  }

  // The letter joins the quotation mark after it to one character.
  @Test func `a letter before a quotation mark does not change the layout`() throws {
    var note = EntityDescription("Note")
    note.userInfo = ["ൎ": .string("a, (b"), "c": .string(String(repeating: "c", count: 100))]
    #expect(code(try ManagedObjectModel(entities: [note])).text.contains("\"ൎ\": \"a, (b\","))
  }

  @Test func `public classes import their modules publicly`() throws {
    let note = EntityDescription("Note", [.attribute("date", .date), .attribute("text", .string)])
    let text = code(try ManagedObjectModel(entities: [note]), isPublic: true).text
    #expect(
      text == """
        // Generated from the model Library. Write methods in extensions in other files.
        // swift-format-ignore-file

        public import FoundationEssentials
        public import ManagedObjects

        public final class Note: ManagedObject {
          @Attribute public var date: Date?
          @Attribute public var text: String?
        }

        /// The classes of the model, and the model that is made of them.
        public enum LibraryModel {
          public static var classes: [ManagedObject.Type] {
            [Note.self]
          }

          public static func model() throws(ManagedObjectModelError) -> ManagedObjectModel {
            try ManagedObjectModel(classes: classes)
          }
        }

        """)
  }

  @Test func `each class can be in a file of its own`() throws {
    let model = try GeneratedClasses.model()
    let files = model.swiftFiles(named: "Library")
    let names = ["Animal", "Dog", "Calendar", "Character", "LibraryItem", "Medium", "Book", "Film", "Label", "Person"]
    #expect(files.keys.elementsEqual((names + ["TagEntity", "Type", "LibraryModel"]).map { $0 + ".swift" }))
    // A file imports only what it needs. Without the imports, the files together are the single file.
    #expect(files["Animal.swift"]?.contains("FoundationEssentials") == false)
    let parts = files.values.map { $0.split(separator: "import ManagedObjects\n", maxSplits: 1).last ?? "" }
    let whole = code(model).text.split(separator: "import ManagedObjects\n", maxSplits: 1).last ?? ""
    func lines(_ texts: [Substring]) -> [Substring] {
      texts.flatMap { $0.split(separator: "\n") }.filter { $0 != "import PropertyLists" }
    }
    #expect(lines(parts) == lines([whole]))
  }
}
