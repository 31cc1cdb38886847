import Foundation
import KeyedArchiving
import ManagedObjects
import Observation
import PropertyLists
import Synchronization
import TestSupport
import Testing

/// The model of the README and of the landing page.
private enum FirstModel {
  final class Person: ManagedObject {
    @Attribute(.unique) var name: String
    @Relationship(deleteRule: .cascade) var notes: Set<Note>
  }

  final class Note: ManagedObject {
    @Attribute(.maximumLength(80)) var title = "Untitled"
    @Attribute var date: Date?
    @Relationship(inverse: \Person.notes) var author: Person?
  }
}

@Suite("Examples in the README and on the landing page of ManagedObjects") struct FirstExamples {
  private typealias Person = FirstModel.Person
  private typealias Note = FirstModel.Note
  private let folder = TemporaryFolder()
  private var file: URL { folder.url.appending(path: "notes.xml") }

  @Test func `the README example fetches notes by the name of their author`() throws {
    let model = try ManagedObjectModel(Person.self, Note.self)
    let container = try PersistentContainer(model: model, stores: [.xml(file)])
    let titles = try container.updateAndWait { context in
      let ada = try context.insert(Person.self)
      ada.name = "Ada"
      try context.insert(Note.self).author = ada
      let predicate = try ManagedPredicate(format: "author.name BEGINSWITH[cd] %@", "á")
      return try context.fetch(Note.self, where: predicate, sortedBy: [.init("date")]).map(\.title)
    }
    #expect(titles == ["Untitled"])
  }

  @Test func `the landing page example inserts a person with a note`() throws {
    let model = try ManagedObjectModel(Person.self, Note.self)
    let container = try PersistentContainer(model: model, stores: [.xml(file)])
    let titles = try container.updateAndWait { context in
      let ada = try context.insert(Person.self)
      ada.name = "Ada"
      try context.insert(Note.self).author = ada
      return ada.notes.map(\.title)
    }
    #expect(titles == ["Untitled"])
  }

  @Test func `the example for Core Data users saves a note and fetches it`() throws {
    let model = try ManagedObjectModel(Person.self, Note.self)
    let container = try PersistentContainer(model: model, stores: [.xml(file)])
    let context = container.newContext()
    let note = try context.insert(Note.self)
    note.title = "Milk"
    try context.save()
    #expect(try container.performAndWait { try $0.fetch(Note.self).map(\.title) } == ["Milk"])
  }
}

/// The classes of the article about models.
private enum ModelArticle {
  final class Note: ManagedObject {
    @Attribute(.minimumLength(1), .maximumLength(80)) var title = "Untitled"
    @Attribute(.indexed) var date: Date
    @Attribute var text: String?
    @Relationship(inverse: \Person.notes) var author: Person?
    @Relationship(inverse: \Tag.notes) var tags: [Tag]
    var isBeingEdited = false
  }

  final class Person: ManagedObject {
    @Attribute(.unique) var name: String
    @Relationship(deleteRule: .cascade) var notes: Set<Note>
  }

  final class Tag: ManagedObject {
    @Attribute(.unique) var name: String
    @Relationship var notes: Set<Note>
  }

  enum Priority: Int16, CaseIterable, AttributeConvertible { case low, normal, urgent }

  struct Place: Codable, SecureCoding, AttributeCoding { var latitude: Double, longitude: Double }

  final class Task: ManagedObject {
    @Attribute var priority: Priority = .normal
    @Attribute var place: Place?
    @Attribute var keywords: [String] = []
    @Attribute(.externalStorage) var picture: Data?
  }

  struct Color: TransformedAttributeValue { var red, green, blue: UInt8 }

  enum ColorToDataTransformer: AttributeTransformer {
    static func transformedValue(_ color: Color) throws -> Data { Data([color.red, color.green, color.blue]) }

    static func reverseTransformedValue(_ data: Data) throws -> Color {
      guard data.count == 3 else { throw CocoaError(.coderReadCorrupt) }
      return Color(red: data[data.startIndex], green: data[data.startIndex + 1], blue: data[data.startIndex + 2])
    }
  }

  final class Label: ManagedObject {
    @Attribute(.transformed(by: ColorToDataTransformer.self)) var color: Color?
  }

  final class Event: ManagedObject {
    @Attribute(.minimum(1, warning: "at least one seat is needed"), .maximum(100)) var seats = 1
    @Attribute(.predicate("SELF CONTAINS '@'", warning: "is not an e-mail address")) var contact: String?
    @Attribute var start: Date
    @Attribute var end: Date?

    override func validateForInsert() throws(ManagedObjectError) {
      try super.validateForInsert()
      try validateTimes()
    }

    override func validateForUpdate() throws(ManagedObjectError) {
      try super.validateForUpdate()
      try validateTimes()
    }

    private func validateTimes() throws(ManagedObjectError) {
      guard let end, end < start else { return }
      throw ManagedObjectError(.dateTooSoon, "ends before it starts", objectID: objectID, key: "end")
    }
  }

  class Work: ManagedObject {
    @Attribute var title: String
    @Attribute var year: Int16?

    override class func describe(_ entity: inout EntityDescription) {
      entity.isAbstract = true
      entity.uniquenessConstraints.append(["title", "year"])
    }
  }

  final class Book: Work {
    @Attribute var pages = 0

    override class func describe(_ entity: inout EntityDescription) {
      entity[attribute: "pages"]?.isReadOnly = true
    }
  }

  final class Film: Work {
    @Attribute var minutes = 0
  }

  /// The type that `storeutil model --format swift` prints.
  enum NotesModel {
    static var classes: [ManagedObject.Type] { [Note.self, Person.self, Tag.self] }

    static func model() throws(ManagedObjectModelError) -> ManagedObjectModel {
      try ManagedObjectModel(classes: classes)
    }
  }
}

@Suite("Examples in the article about models") struct ModelExamples {
  private typealias Note = ModelArticle.Note
  private typealias Person = ModelArticle.Person
  private typealias Tag = ModelArticle.Tag

  private func context(_ classes: ManagedObject.Type...) throws -> ManagedObjectContext {
    try PersistentContainer(model: ManagedObjectModel(classes: classes), stores: [.inMemory]).newContext()
  }

  @Test func `a model made from classes validates mandatory attributes`() throws {
    let model = try ManagedObjectModel(Note.self, Person.self, Tag.self)
    print(model["Note"]?.attributes.map(\.name) ?? [])
    #expect(model["Note"]?.attributes.map(\.name) == ["date", "text", "title"])
    let context = try context(Note.self, Person.self, Tag.self)
    let note = try context.insert(Note.self)
    note.isBeingEdited = true
    let error = #expect(throws: ManagedObjectError.self) { try context.save() }
    #expect(error?.code == .missingMandatoryProperty && error?.key == "date")
  }

  @Test func `attributes store enums, structs and arrays`() throws {
    let context = try context(ModelArticle.Task.self)
    let task = try context.insert(ModelArticle.Task.self)
    #expect(task.priority == .normal && task.place == nil && task.keywords == [])
    task.place = .init(latitude: 1, longitude: 2)
    task.keywords = ["a", "b"]
    try context.save()
    try context.refresh(task, mergeChanges: false)
    #expect(task.place?.longitude == 2 && task.keywords == ["a", "b"])
    #expect(task.entity.attribute(named: "priority")?.definition.type == .integer16)
    #expect(task.entity.attribute(named: "place")?.definition.type == .transformable)
    #expect(task.entity.attribute(named: "picture")?.definition.allowsExternalBinaryDataStorage == true)
  }

  @Test func `a registered transformer converts values by key`() throws {
    typealias Color = ModelArticle.Color
    typealias ColorToDataTransformer = ModelArticle.ColorToDataTransformer
    let folder = TemporaryFolder()
    let url = folder.url.appending(path: "Labels.xcdatamodeld")
    let source = try ManagedObjectModel(ModelArticle.Label.self)
    try VersionedModel(models: ["Labels": source], currentName: "Labels").writeSource(to: url)
    let model = try ManagedObjectModel(contentsOf: url).registering(ColorToDataTransformer.self)
    let context = try PersistentContainer(model: model, stores: [.inMemory]).newContext()
    let label = try context.insert("Label")
    try label.setTransformedValue(Color(red: 255, green: 0, blue: 0), forKey: "color")
    let color = try label.transformedValue(Color.self, forKey: "color")
    #expect(color?.red == 255 && color?.green == 0)
    #expect(try label.value(forKey: "color") == .attribute(.data(Data([255, 0, 0]))))
  }

  @Test func `an XML store is migrated from one of the source models`() throws {
    let folder = TemporaryFolder()
    let file = folder.url.appending(path: "notes.xml")
    func model(_ properties: PropertyDescription...) throws -> ManagedObjectModel {
      try ManagedObjectModel(entities: [EntityDescription("Note", properties)])
    }
    let oldModel = try model(.attribute("title", .string))
    let newModel = try model(.attribute("title", .string), .attribute("pages", .integer64))
    try PersistentContainer(model: oldModel, stores: [.xml(file)]).updateAndWait { context in
      try context.insert("Note").setValue(.string("Milk"), forKey: "title")
    }
    let versions = VersionedModel(models: ["Notes": oldModel, "Notes 2": newModel], currentName: "Notes 2")
    var notes = PersistentStoreDescription.xml(file)
    notes.sourceModels = Array(versions.models.values)
    let container = try PersistentContainer(model: newModel, stores: [notes])
    let migrated = try container.newContext().fetch(FetchRequest("Note"))
    let title = try #require(migrated.first).value(forKey: "title")
    #expect(migrated.count == 1 && title == .attribute(.string("Milk")))
  }

  @Test func `a save validates the rules of attributes`() throws {
    let context = try context(ModelArticle.Event.self)
    let event = try context.insert(ModelArticle.Event.self)
    (event.seats, event.contact, event.start) = (0, "ada", .now)
    let error = #expect(throws: ManagedObjectError.self) { try context.save() }
    #expect(error?.details.map(\.message) == ["at least one seat is needed", "is not an e-mail address"])
    event.seats = 101
    let limit = #expect(throws: ManagedObjectError.self) { try context.save() }
    #expect(limit?.details.first?.code == .numberTooLarge)
    (event.seats, event.contact, event.end) = (1, "ada@example.org", .distantPast)
    let times = #expect(throws: ManagedObjectError.self) { try context.save() }
    #expect(times?.code == .dateTooSoon && times?.key == "end")
    event.end = .distantFuture
    try context.save()
    event.end = .distantPast
    #expect(throws: ManagedObjectError.self) { try context.save() }
  }

  @Test func `a localization translates validation errors`() throws {
    let container = try PersistentContainer(model: ManagedObjectModel(ModelArticle.Event.self), stores: [.inMemory])
    try container.performAndWait { context in
      try context.insert(ModelArticle.Event.self).seats = 0
      let german = ModelLocalization([
        "Entity/Event": "Veranstaltung", "Property/seats": "Plätze", "Property/start": "Beginn",
        "ErrorString/at least one seat is needed": "mindestens einer", "ErrorString/1570": "fehlt",
      ])
      do throws(ManagedObjectError) { try context.save() } catch { print(error.description(in: german)) }
      let error = #expect(throws: ManagedObjectError.self) { try context.save() }
      #expect(error?.description(in: german) == "Veranstaltung, Plätze: mindestens einer\nVeranstaltung, Beginn: fehlt")
      context.rollback()
    }
  }

  @Test func `a fetch of a superclass returns objects of its subclasses`() throws {
    let context = try context(ModelArticle.Work.self, ModelArticle.Book.self, ModelArticle.Film.self)
    for type in [ModelArticle.Book.self, ModelArticle.Film.self] as [ModelArticle.Work.Type] {
      try context.insert(type).title = "Solaris"
    }
    try context.save()
    #expect(try context.count(ModelArticle.Work.self) == 2)
    #expect(try context.count(ModelArticle.Film.self) == 1)
    #expect(throws: ManagedObjectError.self) { try context.insert(ModelArticle.Work.self) }
    for work in try context.fetch(ModelArticle.Work.self) { work.year = 1972 }
    let error = #expect(throws: ManagedObjectError.self) { try context.save() }
    #expect(error?.code == .constraintMerge)
  }

  @Test func `a model made from entity descriptions needs no classes`() throws {
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Person",
        [
          .attribute("name", .string, isOptional: false),
          .relationship("notes", to: "Note", inverse: "author", isToMany: true, deleteRule: .cascade),
        ]),
      EntityDescription(
        "Note",
        [
          .attribute("title", .string, defaultValue: .string("Untitled")),
          .relationship("author", to: "Person", inverse: "notes"),
        ]),
    ])
    let container = try PersistentContainer(model: model, stores: [.inMemory])
    try container.updateAndWait { context in
      let person = try context.insert("Person")
      try person.setValue(.string("Ada"), forKey: "name")
      let note = try context.insert("Note")
      try note.setValue(.object(person), forKey: "author")
      let count = try person.value(forKeyPath: "notes.@count")
      print(count == .attribute(.integer(1)))
    }
    #expect(
      try container.performAndWait {
        try $0.fetch(FetchRequest("Person"))[0].value(forKeyPath: "notes.@count") == .attribute(.integer(1))
      })
    #expect(try container.performAndWait { try $0.count(for: FetchRequest("Note")) } == 1)
  }

  @Test func `generated classes are joined with the model of a file`() throws {
    typealias NotesModel = ModelArticle.NotesModel
    let folder = TemporaryFolder()
    let url = folder.url.appending(path: "Notes.xcdatamodeld")
    try VersionedModel(models: ["Notes": NotesModel.model()], currentName: "Notes").writeSource(to: url)
    let model = try NotesModel.model()
    let joined = try ManagedObjectModel(contentsOf: url).joined(with: NotesModel.classes)
    #expect(joined.entityVersionHashesByName == model.entityVersionHashesByName)
    #expect(model.swiftSource(named: "Notes").contains("enum NotesModel"))
  }

  @Test func `a versioned model is written as source and as a compiled model`() throws {
    let temporary = TemporaryFolder()
    let folder = temporary.url
    let source = try ManagedObjectModel(Note.self, Person.self, Tag.self)
    try VersionedModel(models: ["Notes": source], currentName: "Notes").writeSource(
      to: folder.appending(path: "Notes.xcdatamodeld"))
    do {
      let model = try ManagedObjectModel(contentsOf: folder.appending(path: "Notes.xcdatamodeld"))
      let joined = try model.joined(with: [Note.self, Person.self, Tag.self])
      #expect(joined.entity(of: Note.self)?.name == "Note")
    }
    let versions = try VersionedModel(contentsOf: folder.appending(path: "Notes.xcdatamodeld"))
    try versions.writeCompiled(to: folder.appending(path: "Notes.momd"))
    print(versions.models.keys, versions.currentName)
    let model = try ManagedObjectModel(contentsOf: folder.appending(path: "Notes.momd"))
    #expect(model.entitiesThatDiffer(from: source.entityVersionHashesByName).isEmpty)
    let other = try ManagedObjectModel(FirstModel.Note.self, FirstModel.Person.self)
    let differing = model.entitiesThatDiffer(from: other.entityVersionHashesByName)
    #expect(differing.contains("Note"))
  }
}

/// The classes of the articles about keeping objects and about predicates.
private enum KeepArticle {
  final class Person: ManagedObject {
    @Attribute(.unique) var name: String
    @Attribute var visits = 0
    @Relationship(deleteRule: .cascade) var notes: Set<Note>
  }

  final class Note: ManagedObject {
    @Attribute(.maximumLength(80)) var title = "Untitled"
    @Attribute var date: Date?
    @Attribute var pages: Int?
    @Relationship(inverse: \Person.notes) var author: Person?
  }

  actor NoteImporter: ManagedObjectActor {
    let container: PersistentContainer
    lazy var context = container.newContext(isolation: self)

    init(container: PersistentContainer) { self.container = container }

    func add(_ titles: [String]) throws {
      for title in titles { try context.insert(Note.self).title = title }
      try context.save()
    }
  }

  final class ProgressBar {
    var value = 0.0
  }

  class Party: ManagedObject {
    @Attribute var name: String?
    @Relationship var items: Set<Item>
  }

  final class Company: Party {
    @Attribute var size = 0
  }

  final class Item: ManagedObject {
    @Attribute var title: String?
    @Relationship(inverse: \Party.items) var owner: Party?
  }
}

@Suite("Examples in the article about keeping objects") struct KeepExamples {
  private typealias Person = KeepArticle.Person
  private typealias Note = KeepArticle.Note

  /// A container with a person who has a note.
  private func filled() throws -> PersistentContainer {
    let container = try PersistentContainer(model: ManagedObjectModel(Person.self, Note.self), stores: [.inMemory])
    try container.updateAndWait { context in
      let note = try context.insert(Note.self)
      note.title = "Numbers of Bernoulli"
      note.author = try context.insert(Person.self)
      note.author?.name = "Ada"
    }
    return container
  }

  @Test func `contexts of a container save objects and fetch them by object ID`() async throws {
    let temporary = TemporaryFolder()
    let folder = temporary.url
    let model = try ManagedObjectModel(Person.self, Note.self)
    let container = try PersistentContainer(model: model, stores: [.xml(folder.appending(path: "notes.xml"))])
    let ada = try container.performAndWait { context in
      let ada = try context.insert(Person.self)
      ada.name = "Ada"
      let note = try context.insert(Note.self)
      note.title = "Numbers of Bernoulli"
      note.author = ada
      try context.save()
      return ada.objectID
    }
    let titles = try await container.perform { context in
      try context.existingObject(Person.self, with: ada).notes.map(\.title).sorted()
    }
    #expect(titles == ["Numbers of Bernoulli"])
    var store = PersistentStoreDescription.xml(folder.appending(path: "notes.xml"))
    store.createsFile = false
    let again = try PersistentContainer(model: model, stores: [store])
    #expect(try again.performAndWait { try $0.count(Note.self) } == 1)
    let error = #expect(throws: ManagedObjectError.self) {
      try container.newContext().existingObject(Note.self, with: ada)
    }
    #expect(error?.code == .invalidValue && error?.objectID == ada)
  }

  @Test func `a walk along relationships reads objects together`() throws {
    let context = try filled().newContext()
    for person in try context.fetch(Person.self) {
      for note in person.notes { print(person.name, note.title) }
    }
    try context.withStatementLimit(3) {
      for person in try context.fetch(Person.self) { print(person.name, person.notes.count) }
    }
    let notes = try context.fetchLazily(Note.self, sortedBy: .descending(\.date))
    print(notes.count)
    for note in notes.dropFirst(500_000).prefix(20) { print(note.title) }
    #expect(notes.count == 1 && notes[0].title == "Numbers of Bernoulli")
    #expect(context.misuse.isEmpty)
  }

  @Test func `adding and removing objects updates both sides of a relationship`() throws {
    let context = try filled().newContext()
    var request = FetchRequest("Person", sortedBy: [.init("name")])
    request.relationshipKeyPathsForPrefetching = ["notes"]
    let persons = try context.fetch(request)
    let ada = try #require(persons.first as? Person)
    let note = try context.insert(Note.self)
    ada.add(note, to: \.notes)
    ada.remove(note, from: \.notes)
    #expect(note.author == nil && ada.notes.count == 1)
    ada.add(note, to: \.notes)
    #expect(note.author == ada && ada.notes.count == 2)
  }

  @Test func `a pinned context reads one state of the stores`() throws {
    let container = try filled()
    let context = container.newContext()
    let chart = container.newContext()
    let request = FetchRequest("Note")
    try context.setQueryGenerationFrom(.current)
    let notes = try context.fetch(request)
    try chart.setQueryGenerationFrom(context.queryGenerationToken)
    let count = try chart.count(for: request)
    #expect(notes.count == 1 && count == 1)
    try container.updateAndWait { context in try context.insert(Note.self).title = "Letters" }
    #expect(try context.count(for: request) == 1 && chart.count(for: request) == 1)
    try context.setQueryGenerationFrom(nil)
    try context.refreshAllObjects()
    #expect(try context.count(for: request) == 2)
  }

  @Test func `a damaged store is replaced with a backup`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let file = folder.url.appending(path: "notes.xml")
    let backup = folder.url.appending(path: "backup.xml")
    let model = try ManagedObjectModel(Person.self, Note.self)
    try PersistentContainer(model: model, stores: [.xml(file)]).updateAndWait { context in
      try context.insert(Note.self).title = "A"
    }
    try XMLStore.copyStore(at: file, to: backup)
    let contents = try Data(contentsOf: file)
    try contents.prefix(contents.count / 2).write(to: file)
    #expect(throws: ManagedObjectError.self) { try PersistentContainer(model: model, stores: [.xml(file)]) }
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.replacePersistentStore(at: file, withPersistentStoreFrom: backup, type: XMLStore.self, force: true)
    let container = try PersistentContainer(model: model, stores: [.xml(file)])
    #expect(try container.performAndWait { try $0.fetch(Note.self).map(\.title) } == ["A"])
  }

  @Test func `a document is edited in a working copy of its file`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let file = folder.url.appending(path: "letters.xml")
    let newFile = folder.url.appending(path: "new.xml")
    let copy = folder.url.appending(path: "copy.xml")
    let workingFile = folder.url.appending(path: "letters.working")
    let model = try ManagedObjectModel(Person.self, Note.self)
    try PersistentContainer(model: model, stores: [.xml(file)]).updateAndWait { context in
      try context.insert(Note.self).title = "A"
    }
    try XMLStore.copyStore(at: file, to: workingFile)
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.add(XMLStore.openStore(at: workingFile, model: model, configuration: nil))
    let context = ManagedObjectContext(coordinator: coordinator)
    for note in try context.fetch(Note.self) { note.title = "B" }
    try context.save()
    try XMLStore.replaceStore(at: file, withStoreAt: workingFile)
    try XMLStore.replaceStore(at: newFile, withStoreAt: workingFile)
    try XMLStore.copyStore(at: workingFile, to: copy)
    for note in try context.fetch(Note.self) { note.title = "C" }
    try context.save()
    context.reset()
    coordinator.remove(coordinator.stores[0])
    try XMLStore.replaceStore(at: workingFile, withStoreAt: file)
    try coordinator.add(XMLStore.openStore(at: workingFile, model: model, configuration: nil))
    #expect(try context.fetch(Note.self).map(\.title) == ["B"])
    for saved in [newFile, copy] {
      let container = try PersistentContainer(model: model, stores: [.xml(saved)])
      #expect(try container.performAndWait { try $0.fetch(Note.self).map(\.title) } == ["B"])
    }
  }

  @Test func `an actor with a context inserts notes`() async throws {
    typealias NoteImporter = KeepArticle.NoteImporter
    let container = try filled()
    let importer = NoteImporter(container: container)
    try await importer.add(["Milk", "Bread"])
    #expect(try container.performAndWait { try $0.count(Note.self) } == 3)
  }

  @MainActor @Test func `the main context is saved automatically`() async throws {
    let container = try filled()
    let context = container.mainContext
    context.mergesChangesAutomatically = true
    context.autosaves = true
    let note = try #require(try context.fetch(Note.self).first)
    note.title = "Letters"
    // Jobs of the actor run in the order in which they were scheduled.
    await Task { @MainActor in }.value
    #expect(try container.performAndWait { try $0.fetch(Note.self).map(\.title) } == ["Letters"])
  }

  @Test func `a request visits objects in batches, and reports its progress`() async throws {
    let context = try filled().newContext()
    var archive: [String] = []
    try context.enumerate(Note.self, sortedBy: .ascending(\.date)) { note in archive.append(note.title) }
    #expect(archive == ["Numbers of Bernoulli"])
    let request = FetchRequest("Note")
    let bar = KeepArticle.ProgressBar()
    let found = try await context.fetch(request) { bar.value = $0.fractionCompleted }
    #expect(found.count == 1 && bar.value == 1)
  }

  @Test func `decodedValue throws for an unknown raw value`() throws {
    let context = try PersistentContainer(
      model: ManagedObjectModel(ModelArticle.Task.self), stores: [.inMemory]
    ).newContext()
    let task = try context.insert(ModelArticle.Task.self)
    try task.setValue(.integer(77), forKey: "priority")
    do throws(ManagedObjectError) {
      print(try task.decodedValue(of: \.priority))
    } catch {
      print(error.code, error.value ?? .null)
    }
    let error = #expect(throws: ManagedObjectError.self) { try task.decodedValue(of: \.priority) }
    #expect(task.priority == .normal && error?.code == .coderReadCorrupt && error?.value == .integer(77))
  }

  @Test func `batch requests update and insert objects`() throws {
    let context = try filled().newContext()
    let ada = try #require(try context.fetch(Person.self).first)
    ada.visits = 10
    try context.save()
    let result = try context.execute(
      .update(Person.self, .set(\.visits, to: 0), where: #Predicate { $0.visits > 9 }), mergesChanges: true)
    print(result.count)
    #expect(result.count == 1 && ada.visits == 0)
    var lines = ["Emmy", "Sofia"].makeIterator()
    func readLine() -> String? { lines.next() }
    let people = BatchRequest.insert("Person") { readLine().map { ["name": .string($0)] } }
    let count = try context.execute(people.returning(.count)).count
    #expect(count == 2)
    #expect(try context.count(Person.self) == 3)
  }

  @Test func `changes of one object are reported to Observation and to an observer`() throws {
    let context = try filled().newContext()
    let note = try #require(try context.fetch(Note.self).first)
    let printed = Mutex<[String]>([])
    @Sendable func print(_ values: Any...) { printed.withLock { $0.append("\(values)") } }
    withObservationTracking {
      print(note.title, note.author?.name ?? "")
    } onChange: {
      print("the title, the author or the author's name changes")
    }
    let number = try note.addObserver(forKeys: ["title"]) { change in print(change.oldValues) }
    note.title = "Letters"
    note.removeObserver(number)
    note.title = "Numbers"
    context.processPendingChanges()
    #expect(printed.withLock { $0.count } == 3)
  }

  @Test func `a failed save throws all validation errors`() throws {
    // Programs do this in the closure of `performAndWait(_:)`.
    try filled().performAndWait { context in
      try context.insert(Person.self)
      try context.insert(Note.self).title = String(repeating: "x", count: 81)
      let failure = #expect(throws: ManagedObjectError.self) { try context.save() }
      #expect(failure?.details.compactMap(\.key) == ["name", "title"])
      do throws(ManagedObjectError) { try context.save() } catch {
        for problem in error.details.isEmpty ? [error] : error.details {
          print(problem.code, problem.key ?? "", problem.message)
        }
        context.rollback()
      }
      #expect(!context.hasChanges)
    }
  }

  @Test func `the merge policy objectTrump resolves a conflict`() throws {
    let container = try filled()
    let context = container.newContext()
    let ada = try #require(try context.fetch(Person.self).first)
    #expect(ada.visits == 0)
    try container.updateAndWait { context in
      for person in try context.fetch(Person.self) { person.visits += 1 }
    }
    ada.name = "Augusta"
    #expect(throws: ManagedObjectError.self) { try context.save() }
    context.mergePolicy = .objectTrump
    try context.save()
    #expect(ada.name == "Augusta" && ada.visits == 1)
  }

  @Test func `undo reverts a change, and a child context saves into its parent`() throws {
    let context = try filled().newContext()
    let note = try #require(try context.fetch(Note.self).first)
    context.undoManager = ManagedObjectContext.UndoManager()
    note.title = "Letters"
    context.undoManager?.setActionName("Rename")
    context.processPendingChanges()
    context.undo()
    print(note.title, context.undoManager?.redoActionName ?? "")
    context.redo()
    #expect(note.title == "Letters" && context.undoManager?.undoActionName == "Rename")
    context.undo()
    #expect(note.title == "Numbers of Bernoulli" && context.undoManager?.redoActionName == "Rename")

    let draft = ManagedObjectContext(parent: context)
    let copy = try draft.existingObject(Note.self, with: note.objectID)
    copy.title = "Draft"
    try draft.save()
    #expect(note.title == "Draft" && context.hasChanges)
  }

  @Test(.timeLimit(.minutes(hangLimitInMinutes))) func `a context merges the saves of other contexts`() async throws {
    let container = try filled()
    let merges = Merges()
    let following = Task { try await follow(container, merges) }
    // The other task may not listen yet.
    var number = 0
    while !merges.areBegun {
      number += 1
      try container.updateAndWait { context in
        for note in try context.fetch(Note.self) { note.title = "Letter \(number)" }
      }
      try await Task.sleep(for: .milliseconds(5))
    }
    following.cancel()
    #expect(try await following.value.hasPrefix("Letter"))
  }

  /// Returns the title of a note that another context changes, after the task is cancelled.
  private func follow(_ container: PersistentContainer, _ merges: Merges) async throws -> String {
    let context = container.newContext()
    merges.observe(context)
    let note = try #require(try context.fetch(Note.self).first)
    #expect(!note.title.isEmpty)
    for await changes in container.coordinator.saves { try context.mergeChanges(from: changes) }
    return note.title
  }

  /// A flag that informs another task that a context has merged changes.
  private final class Merges: Sendable {
    private let isBegun = Atomic(false)

    var areBegun: Bool { isBegun.load(ordering: .acquiring) }

    func observe(_ context: ManagedObjectContext) {
      _ = context.addObserver { [self] change in
        if !change.refreshed.isEmpty { isBegun.store(true, ordering: .releasing) }
      }
    }
  }

  @Test(.timeLimit(.minutes(hangLimitInMinutes))) func `a context merges the saves of other programs`() async throws {
    let folder = TemporaryFolder(isInMemory: true)
    let model = try ManagedObjectModel(Person.self, Note.self)
    func container() throws -> PersistentContainer {
      try PersistentContainer(model: model, stores: [.xml(folder.url.appending(path: "notes.xml"))])
    }
    let first = try container()
    let other = try container()
    try other.updateAndWait { context in try context.insert(Note.self).title = "Letter" }
    let merges = Merges()
    let following = Task { try await followRemotely(first, merges) }
    // The other task may not listen yet.
    var number = 0
    while !merges.areBegun {
      number += 1
      try other.updateAndWait { context in
        for note in try context.fetch(Note.self) { note.title = "Letter \(number)" }
      }
      try await Task.sleep(for: .milliseconds(50))
    }
    following.cancel()
    #expect(try await following.value.hasPrefix("Letter "))
  }

  /// Returns the title of a note that another program changes, after the task is cancelled.
  private func followRemotely(_ container: PersistentContainer, _ merges: Merges) async throws -> String {
    let context = container.newContext()
    merges.observe(context)
    let news = container.coordinator.remoteChanges
    let notes = try context.fetch(Note.self)
    for await changes in news { try context.mergeChanges(from: changes.get()) }
    return notes[0].title
  }
}

@Suite("Examples in the article about predicates") struct PredicateExamples {
  private typealias Person = KeepArticle.Person
  private typealias Note = KeepArticle.Note

  private func context() throws -> ManagedObjectContext {
    let context = try PersistentContainer(
      model: ManagedObjectModel(Person.self, Note.self), stores: [.inMemory]
    ).newContext()
    let ada = try context.insert(Person.self)
    ada.name = "Ada"
    for pages in [90, 120, 200] {
      let note = try context.insert(Note.self)
      (note.title, note.pages, note.author, note.date) = ("Number \(pages)", pages, ada, .now)
    }
    try context.save()
    return context
  }

  @Test func `predicates are written as text and as Swift`() throws {
    let context = try context()
    let predicate = try ManagedPredicate(format: "author.name BEGINSWITH[cd] %@ AND pages > %d", "á", 100)
    let notes = try context.fetch(Note.self, where: predicate, sortedBy: [.init("date", isAscending: false)], limit: 10)
    #expect(Set(notes.map(\.pages)) == [120, 200])

    let template = try ManagedPredicate(format: "author.name == $who AND date >= $since")
    let found = template.substituting(["who": "Ada", "since": Date.distantPast])
    #expect(try context.count(Note.self, where: found) == 3)

    let prefix = "Num"
    let letters = try context.fetch(
      Note.self, where: #Predicate { $0.title.starts(with: prefix) && $0.author?.name == "Ada" },
      sortedBy: .ascending(\.pages), .ascending(\.title, comparison: .localizedStandard))
    #expect(letters.map(\.pages) == [90, 120, 200])
    #expect(
      try context.fetch(Note.self, where: #Predicate { $0.title != "" }, sortedBy: .descending(\.pages), limit: 1)
        .map(\.pages) == [200])
    #expect(
      try context.fetch(Note.self, where: predicate, sortedBy: .ascending(\.author?.name), .descending(\.pages))
        .map(\.pages) == [200, 120])
    #expect(try context.fetch(Person.self, where: #Predicate { $0.name == "Ada" }).count == 1)
    let error = #expect(throws: ManagedObjectError.self) {
      try context.fetch(Note.self, sortedBy: .ascending(\.title.count))
    }
    #expect(error?.code == .undefinedKey && error?.predicateError?.kind == .unknownKey)
    let typed = try ManagedPredicate(#Predicate<Note> { $0.title.starts(with: prefix) && $0.author?.name == "Ada" })
    print(typed)
    #expect(typed.description == "title BEGINSWITH \"Num\" AND author.name == \"Ada\"")
    #expect(try context.count(Note.self, where: typed) == 3)

    let both = ManagedPredicate.and([predicate, try ManagedPredicate(format: "date != nil")])
    let text = try both.formatText()
    print(try ManagedPredicate(format: text) == both)
    #expect(try ManagedPredicate(format: text) == both)
  }

  @Test func `a cast in a predicate finds objects by the class of a related object`() throws {
    typealias Party = KeepArticle.Party
    typealias Company = KeepArticle.Company
    typealias Item = KeepArticle.Item
    let model = try ManagedObjectModel(Party.self, Company.self, Item.self)
    let context = try PersistentContainer(model: model, stores: [.inMemory]).newContext()
    for size in [10, 20] {
      let company = try context.insert(Company.self)
      company.size = size
      try context.insert(Item.self).owner = company
    }
    try context.insert(Item.self).owner = try context.insert(Party.self)
    try context.insert(Item.self)
    try context.save()
    let items = try context.fetch(Item.self, where: #Predicate { $0.owner is Company })
    let small = try context.fetch(Item.self, where: #Predicate { ($0.owner as? Company)?.size == 10 })
    #expect(items.count == 2 && small.count == 1)
    for (format, count) in [
      ("owner.entity.name == 'Company'", 2), ("'Party' IN owner.entity.kinds", 3), ("owner.entity.name == 'Party'", 1),
      ("owner.entity.userInfo.color == 'red'", 0),
    ] {
      #expect(try context.count(Item.self, where: ManagedPredicate(format: format)) == count)
    }
    let company = try #require(model["Company"])
    #expect(try context.count(Item.self, where: ManagedPredicate(format: "owner.entity == %@", company)) == 2)
  }

  @Test(arguments: [
    ("SUBQUERY(notes, $n, $n.pages > 100 AND $n.date != nil).@count == 2", true), ("notes.@count == 3", true),
    ("ANY notes.pages BETWEEN {100, 150}", true), ("NONE notes.pages IN {1, 2}", true),
    ("notes.@sum.pages == 410", true), ("ALL notes.title LIKE[c] 'number*'", true), ("name MATCHES 'A.a'", true),
    ("TERNARY(visits == 0, 'new', 'old') == 'new'", true), ("modulus:by:(visits, 2) == 0", true),
    ("name ==[c] 'ADA' && !(visits <> 0)", true), ("2 ** 3 + abs(-1) == 9", true), ("#name == 'Ada'", true),
    ("ANY notes.date >= CAST('2026-01-31', 'NSDate')", true), ("notes.@max.pages = 200 || FALSEPREDICATE", true),
    ("CAST(visits, 'NSString') == '0'", true),
    ("'%@' == name", false), ("SELF.name != nil", true),
  ])
  func `each predicate in the table has the documented result`(_ format: String, _ expected: Bool) throws {
    let predicate = try ManagedPredicate(format: format)
    #expect(try context().count(Person.self, where: predicate) == (expected ? 1 : 0))
  }

  @Test(arguments: [
    ("pages != 3", true), ("pages == nil", true), ("pages < 3", false), ("pages > 3", false),
    ("text LIKE '*'", false),
    ("author.name == nil", true), ("pages + 1 == nil", true), ("pages BETWEEN {0, 9}", false),
  ])
  func `comparisons with nil have the documented results`(_ format: String, _ expected: Bool) throws {
    #expect(try ManagedPredicate(format: format).evaluate(with: PropertyList.dictionary([:])) == expected)
  }

  @Test func `errors of predicates report the column or the unknown key`() throws {
    let context = try context()
    do { _ = try ManagedPredicate(format: "pages > AND title == 'x'") } catch { print(error) }
    let syntax = #expect(throws: ManagedPredicateError.self) {
      try ManagedPredicate(format: "pages > AND title == 'x'")
    }
    #expect(syntax?.position?.column == 9)
    do {
      _ = try context.fetch(Note.self, where: ManagedPredicate(format: "headline == 'x'"))
    } catch let error as ManagedObjectError {
      print(error.predicateError?.kind == .unknownKey)
    }
    let key = #expect(throws: ManagedObjectError.self) {
      try context.fetch(Note.self, where: ManagedPredicate(format: "headline == 'x'"))
    }
    #expect(key?.code == .undefinedKey && key?.predicateError?.kind == .unknownKey)
  }

  @Test func `a predicate typed by a user is checked against the model`() throws {
    func condition(_ text: String, in model: ManagedObjectModel) -> ManagedPredicate? {
      do { return try ManagedPredicate(format: text, for: Note.self, in: model) } catch {
        print(error)
        return nil
      }
    }
    let model = try ManagedObjectModel(Person.self, Note.self)
    #expect(condition("author.name == 'Ada' AND date >= CAST('2026-01-31', 'NSDate')", in: model) != nil)
    #expect(condition("author.nam == 'Ada'", in: model) == nil)
    let error = #expect(throws: ManagedPredicateError.self) {
      try ManagedPredicate(format: "author.nam == 'Ada'", for: Note.self, in: model)
    }
    #expect(error?.position?.column == 8)
  }

  @Test func `predicates are evaluated with property lists and dictionaries`() throws {
    let apps: [PropertyList] = [
      ["CFBundleName": "Notes", "UIDeviceFamily": [1, 2]], ["CFBundleName": "Mail", "UIDeviceFamily": [1]],
    ]
    let forTablets = try PreparedPredicate(ManagedPredicate(format: "ANY UIDeviceFamily == 2"))
    for app in apps where try forTablets.evaluate(with: app) { print(app["CFBundleName"]?.string ?? "") }
    #expect(
      try apps.filter { try forTablets.evaluate(with: $0) }.compactMap { $0["CFBundleName"]?.string } == ["Notes"])
    let row: [String: AttributeValue] = ["age": .integer(20), "name": .string("Zoë")]
    print(try ManagedPredicate(format: "age >= 18 AND name LIKE[cd] 'z*e'").evaluate(with: row))
    #expect(try ManagedPredicate(format: "age >= 18 AND name LIKE[cd] 'z*e'").evaluate(with: row))
  }
}

/// The classes of the article about fetched results.
private enum ResultsArticle {
  final class Contact: ManagedObject {
    @Attribute var name: String
    @Attribute var city: String?
    @Relationship(inverse: \Team.members) var team: Team?
  }

  final class Team: ManagedObject {
    @Attribute var name: String
    @Relationship var members: Set<Contact>
  }

  final class ContactList: FetchedResultsControllerDelegate {
    var rows: [String] = []

    func controller(
      _ controller: FetchedResultsController<Contact>, didChangeContentWith changes: FetchedResultsChanges
    ) {
      for change in changes.objects.reversed() where change.kind == .delete || change.kind == .move {
        if let offset = change.offset { rows.remove(at: offset) }
      }
      for change in changes.objects where change.kind == .insert || change.kind == .move {
        if let offset = change.newOffset { rows.insert(controller.object(at: offset)?.name ?? "", at: offset) }
      }
      for change in changes.objects where change.kind == .update {
        if let offset = change.newOffset { rows[offset] = controller.object(at: offset)?.name ?? "" }
      }
    }
  }
}

@Suite("Examples in the article about fetched results") struct ResultsExamples {
  private typealias Contact = ResultsArticle.Contact
  private typealias Team = ResultsArticle.Team
  private typealias ContactList = ResultsArticle.ContactList
  private let folder = FileManager.default.temporaryDirectory.appending(path: "results-\(UUID().uuidString)")
  private let context: ManagedObjectContext

  init() throws {
    let model = try ManagedObjectModel(Contact.self, Team.self)
    context = try PersistentContainer(model: model, stores: [.inMemory]).newContext()
  }

  private func add(_ name: String, _ city: String?) throws -> Contact {
    let contact = try context.insert(Contact.self)
    (contact.name, contact.city) = (name, city)
    return contact
  }

  @Test func `fetched results return sections and index paths`() throws {
    let ada = try add("Ada", "London")
    _ = try add("Bob", nil)
    var lines: [String] = []
    let request = try FetchRequest(Contact.self, sortedBy: .ascending(\.city), .ascending(\.name))
    let results = try FetchedResultsController(Contact.self, request, in: context, sectionKeyPath: "city")
    try results.performFetch()
    for section in results.sections {
      lines.append("\(section.name) (\(section.count))")
      for contact in section { lines.append("  \(contact.name)") }
    }
    #expect(lines == [" (1)", "  Bob", "London (1)", "  Ada"])
    let first = results.object(at: ResultIndexPath(section: 0, item: 0))
    let position = results.indexPath(of: ada)
    #expect(first?.name == "Bob" && position == ResultIndexPath(section: 1, item: 0))
  }

  @Test func `a function returns the section of an object`() throws {
    let ada = try add("Ada", nil)
    ada.team = try context.insert(Team.self)
    ada.team?.name = "Red"
    _ = try add("bob", nil)
    let byName = try FetchRequest(Contact.self, sortedBy: .ascending(\.name, comparison: .caseInsensitive))
    let letters = try FetchedResultsController(Contact.self, byName, in: context) { contact in
      contact.name.first.map { $0.uppercased() } ?? "#"
    }
    let byTeam = try FetchRequest(Contact.self, sortedBy: .ascending(\.team?.name), .ascending(\.name))
    let teams = try FetchedResultsController(Contact.self, byTeam, in: context, dependingOn: ["team.name"]) { contact in
      contact.team.map { "Team \($0.name)" } ?? "No team"
    }
    try letters.performFetch()
    try teams.performFetch()
    letters.sectionIndexTitle = { name in name == "#" ? nil : name }
    let titles = letters.sectionIndexTitles
    let section = letters.section(forSectionIndexTitle: "B")
    #expect(titles == ["A", "B"] && section == 1)
    #expect(teams.sections.map(\.name) == ["No team", "Team Red"])
    ada.team?.name = "Blue"
    context.processPendingChanges()
    #expect(teams.sections.map(\.name) == ["No team", "Team Blue"])
  }

  @Test(.timeLimit(.minutes(hangLimitInMinutes)))
  func `a delegate and a sequence report changes of the results`() async throws {
    let request = try FetchRequest(Contact.self, sortedBy: .ascending(\.name))
    let results = try FetchedResultsController(Contact.self, request, in: context)
    try results.performFetch()
    let list = ContactList()
    results.delegate = list
    let before = results.snapshot
    var shown = results.snapshot
    let changes = results.changes
    try context.insert(Contact.self).name = "Emmy"
    context.processPendingChanges()
    for await change in changes {
      shown.apply(change)
      if shown.objectIDs.count == results.count { break }
    }
    #expect(shown == results.snapshot && list.rows == ["Emmy"])
    let ada = try add("Ada", nil)
    let keeper = results.changes
    context.processPendingChanges()
    var iterator = keeper.makeAsyncIterator()
    let second = try #require(await iterator.next())
    #expect(before.objectIDs.isEmpty && list.rows == ["Ada", "Emmy"])
    ada.name = "Zoe"
    context.processPendingChanges()
    #expect(list.rows == ["Emmy", "Zoe"])
    try apply(second, to: shown)
  }

  private func apply(_ changes: FetchedResultsChanges, to before: FetchedResultsSnapshot) throws {
    let ids = before.objectIDs.applying(changes.difference)
    #expect(ids?.count == 2)
  }

  @Test func `fetched results use a cache on disk`() throws {
    let request = try FetchRequest(Contact.self, sortedBy: .ascending(\.city), .ascending(\.name))
    let cache = FetchedResultsCache(name: "contacts", folder: folder)
    let kept = try FetchedResultsController(Contact.self, request, in: context, sectionKeyPath: "city", cache: cache)
    try kept.performFetch()
    try FetchedResultsController<Contact>.deleteCache(name: "contacts", folder: folder)
    #expect(kept.count == 0)
  }
}
