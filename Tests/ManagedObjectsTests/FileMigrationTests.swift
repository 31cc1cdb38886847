import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SystemFiles
import TestSupport
import Testing

@Suite("Migrations of XML and binary stores") struct FileMigrationTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private var file: URL { folder.url.appending(path: "store") }

  private static func model(
    _ note: [PropertyDescription], withTags: Bool = true, constraints: [[String]] = []
  ) throws -> ManagedObjectModel {
    var entity = EntityDescription("Note", note)
    entity.uniquenessConstraints = constraints
    let tag = EntityDescription("Tag", [.attribute("name", .string)])
    return try ManagedObjectModel(entities: withTags ? [entity, tag] : [entity])
  }

  private static let title = PropertyDescription.attribute("title", .string)
  private static let first = Result { try model([title]) }
  private static let second = Result { try model([title, .attribute("count", .integer32, defaultValue: .integer(7))]) }
  private static let third = Result {
    try model([title, .attribute("count", .integer32, defaultValue: .integer(7)), .attribute("text", .string)])
  }

  private func description(_ kind: StoreKind) -> PersistentStoreDescription {
    kind == .xml ? .xml(file) : .binary(file)
  }

  /// Creates a store of the first model with a tag and notes, and returns its identifier.
  @discardableResult
  private func makeStore(_ kind: StoreKind, _ titles: [String] = ["a", "b"]) throws -> String {
    let store = try kind.open(file, Self.first.get())
    store.setMetadata(["key": .string("value")])
    let context = try ManagedObjectContext(store)
    try context.insert("Tag")
    for title in titles { try context.insert("Note").setValue(.string(title), forKey: "title") }
    try context.save()
    return store.identifier
  }

  private func notes(_ store: any PersistentStore, _ keys: [String]) throws -> [String] {
    try ManagedObjectContext(store).fetch(FetchRequest("Note")).map { note in
      ([note.objectID.description] + keys.map { "\(note[$0] ?? .null)" }).joined(separator: " ")
    }
  }

  @Test(arguments: StoreKind.inFiles)
  func `a description finds the model of the store among the source models`(kind: StoreKind) throws {
    let identifier = try makeStore(kind)
    let ids = try notes(kind.open(file, Self.first.get()), [])
    var description = description(kind)
    description.sourceModels = try [Self.third.get(), Self.first.get()]
    let container = try PersistentContainer(model: Self.second.get(), stores: [description])
    let store = try #require(container.coordinator.stores.first)
    #expect(store.identifier == identifier && store.metadata["key"] == .string("value"))
    let values: [ManagedObject.Value] = try container.newContext().fetch(FetchRequest("Note")).compactMap {
      $0["count"]
    }
    #expect(values == [.attribute(.integer(7)), .attribute(.integer(7))])
    #expect(try notes(store, []) == ids)
    #expect(folder.names == ["store"])
  }

  @Test(arguments: StoreKind.inFiles)
  func `a description without models, or for reading, reports the difference`(kind: StoreKind) throws {
    try makeStore(kind)
    let bytes = try Data(contentsOf: file)
    func code(_ change: (inout PersistentStoreDescription) throws -> Void) throws -> ManagedObjectError.Code? {
      var description = description(kind)
      try change(&description)
      let error = #expect(throws: ManagedObjectError.self) {
        try PersistentContainer(model: Self.second.get(), stores: [description])
      }
      #expect(error?.differingEntities == ["Note"])
      return error?.code
    }
    #expect(try code { _ in } == .incompatibleVersionHash)
    let isReadOnly = try code {
      $0.sourceModels = try [Self.first.get()]
      $0.isReadOnly = true
    }
    #expect(isReadOnly == .incompatibleVersionHash)
    let isOff = try code {
      $0.sourceModels = try [Self.first.get()]
      $0.migratesAutomatically = false
    }
    #expect(isOff == .incompatibleVersionHash)
    #expect(try code { $0.sourceModels = try [Self.third.get()] } == .missingSourceModel)
    #expect(try Data(contentsOf: file) == bytes)
  }

  @Test(arguments: StoreKind.inFiles)
  func `stages with a mapping are performed in one replacement of the file`(kind: StoreKind) throws {
    try makeStore(kind)
    let policy = EntityMigrationPolicy { note, migration in
      let new = try migration.createDestinationInstances(forSource: note)
      if case .attribute(.string(let title))? = note["title"] {
        try new.setValue(.string(title + "!"), forKey: "text")
      }
    }
    let stages = try StagedMigration([
      .init(Self.first.get()), .init(Self.second.get()),
      .init(Self.third.get(), mapping: StoreMapping(entities: ["Note": policy])),
    ])
    let ids = try notes(kind.open(file, Self.first.get()), [])
    var description = description(kind)
    description.stages = stages
    let container = try PersistentContainer(model: Self.third.get(), stores: [description])
    let store = try #require(container.coordinator.stores.first)
    let found = try notes(store, ["title", "count", "text"])
    let values = ["\"a\" 7 \"a!\"", "\"b\" 7 \"b!\""]
    #expect(found == zip(ids, values).map { "\($0) \($1)" })
    // New objects follow the old ones.
    let context = try ManagedObjectContext(kind.open(file, Self.third.get()))
    let new = try context.insert("Note")
    try context.save()
    #expect(!ids.contains(new.objectID.description))
  }

  @Test(arguments: StoreKind.inFiles)
  func `derived attributes are computed, and times are kept`(kind: StoreKind) throws {
    func model(_ derivations: [String: String]) throws -> ManagedObjectModel {
      func attribute(_ name: String, _ type: AttributeType) throws -> PropertyDescription {
        var attribute = AttributeDescription(name, type)
        attribute.derivation = try derivations[name].map { .init(try ManagedExpression(format: $0)) }
        return .attribute(attribute)
      }
      return try ManagedObjectModel(entities: [
        EntityDescription(
          "Book",
          [
            .attribute("title", .string), try attribute("search", .string), try attribute("saved", .date),
            try attribute("size", derivations.isEmpty ? .string : .integer64),
            .relationship("pages", to: "Page", inverse: "book", isToMany: true),
          ]),
        EntityDescription("Page", [.relationship("book", to: "Book", inverse: "pages")]),
      ])
    }
    let old = try model([:])
    let new = try model(["search": "uppercase:(title)", "saved": "now()", "size": "pages.@count"])
    let date = Date(timeIntervalSinceReferenceDate: 1_000)
    do {
      let context = try ManagedObjectContext(kind.open(file, old))
      for count in 0..<3 {
        let book = try context.insert("Book")
        try book.setValue(.string("book \(count)"), forKey: "title")
        try book.setValue(AttributeValue.string("wrong"), forKey: "search")
        try book.setValue(AttributeValue.string("wrong"), forKey: "size")
        if count > 0 { try book.setValue(.date(date), forKey: "saved") }
        for _ in 0..<count { try context.insert("Page").setValue(.object(book), forKey: "book") }
      }
      try context.save()
    }
    #expect(try StoreFile.migrate(file, from: [old], to: new) == [])
    let books = try ManagedObjectContext(kind.open(file, new)).fetch(FetchRequest("Book", sortedBy: [.init("title")]))
    #expect(books.map { $0["search"] } == ["BOOK 0", "BOOK 1", "BOOK 2"].map { .attribute(.string($0)) })
    #expect(books.map { $0["size"] } == [0, 1, 2].map { .attribute(.integer($0)) })
    #expect(books.dropFirst().map { $0["saved"] } == [.attribute(.date(date)), .attribute(.date(date))])
    #expect(books[0]["saved"] != .null && books[0]["saved"] != .attribute(.date(date)))
  }

  @Test(arguments: StoreKind.inFiles)
  func `dropped values are refused or returned`(kind: StoreKind) throws {
    try makeStore(kind)
    let bytes = try Data(contentsOf: file)
    let new = try Self.model([.attribute("text", .string)], withTags: false)
    let error = #expect(throws: ManagedObjectError.self) {
      try StoreFile.migrate(file, from: [Self.first.get()], to: new)
    }
    #expect(error?.code == .multipleErrors && error?.details.map(\.code) == [.droppedValues, .droppedValues])
    #expect(error?.fileURL == file)
    #expect(try Data(contentsOf: file) == bytes)
    let losses = try StoreFile.migrate(file, from: [Self.first.get()], to: new, droppedValues: .drop)
    #expect(
      losses.map(\.description) == [
        "the entity \"Tag\" is missing from the new model; it has 1 object",
        "\"Note.title\" is missing from the new model; 2 objects have a value",
      ])
    #expect(try StoreFile.migrate(file, from: [], to: new).isEmpty)
  }

  @Test(arguments: StoreKind.inFiles)
  func `objects with the same values for a new constraint are an error`(kind: StoreKind) throws {
    try makeStore(kind, ["a", "a"])
    let bytes = try Data(contentsOf: file)
    let new = try Self.model([Self.title, .attribute("text", .string)], constraints: [["title"]])
    for mapping in [StoreMapping(), StoreMapping(entities: ["Note": EntityMigrationPolicy()])] {
      let error = #expect(throws: ManagedObjectError.self) {
        try StoreFile.migrate(file, from: [Self.first.get()], to: new, by: mapping)
      }
      #expect(error?.code == .migrationConstraint)
    }
    #expect(try Data(contentsOf: file) == bytes)
  }

  @Test(arguments: StoreKind.inFiles)
  func `a migration that is stopped at any report changes nothing`(kind: StoreKind) throws {
    struct Stop: Error {}
    try makeStore(kind)
    let bytes = try Data(contentsOf: file)
    for mapping in [StoreMapping(), StoreMapping(entities: ["Note": EntityMigrationPolicy()])] {
      var count = 0
      try StoreFile.migrate(
        file, from: [Self.first.get()], to: Self.second.get(), by: mapping,
        output: folder.url.appending(path: "\(mapping.entityPolicies.count)")
      ) { _ in count += 1 }
      #expect(count > 3)
      for stop in 0..<count {
        var index = 0
        let error = #expect(throws: ManagedObjectError.self) {
          try StoreFile.migrate(file, from: [Self.first.get()], to: Self.second.get(), by: mapping) { _ in
            if index == stop { throw Stop() }
            index += 1
          }
        }
        #expect(error?.code == .migrationCancelled && error?.underlyingError is Stop)
        #expect(try Data(contentsOf: file) == bytes)
      }
    }
    #expect(Set(folder.names) == ["store", "0", "1"])
  }

  @Test(arguments: StoreKind.inFiles)
  func `a file that a program changes meanwhile without locking it stays as that program wrote it`(
    kind: StoreKind
  ) throws {
    try makeStore(kind)
    let other = Data("other".utf8)
    let error = #expect(throws: ManagedObjectError.self) {
      try StoreFile.migrate(file, from: [Self.first.get()], to: Self.second.get()) { _ in
        try other.write(to: file, options: .atomic)
      }
    }
    #expect(error?.code == .migration)
    #expect(try Data(contentsOf: file) == other && folder.names == ["store"])
  }

  @Test(arguments: StoreKind.inFiles)
  func `an existing output and other kinds of files are refused`(kind: StoreKind) throws {
    try makeStore(kind)
    let output = folder.url.appending(path: "other")
    try Data("text".utf8).write(to: output)
    func code(_ file: URL, output: URL?) -> ManagedObjectError.Code? {
      #expect(throws: ManagedObjectError.self) {
        try StoreFile.migrate(file, from: [Self.first.get()], to: Self.second.get(), output: output)
      }?.code
    }
    #expect(code(file, output: output) == .migration)
    #expect(try Data(contentsOf: output) == Data("text".utf8))
    #expect(code(output, output: nil) == .storeTypeMismatch)
    #expect(code(folder.url.appending(path: "missing"), output: nil) == .noSuchFile)
  }

  @Test(arguments: StoreKind.inFiles)
  func `a store that was open with the old model reports the new one`(kind: StoreKind) throws {
    try makeStore(kind)
    let open = try kind.open(file, Self.first.get())
    try StoreFile.migrate(file, from: [Self.first.get()], to: Self.second.get())
    let context = try ManagedObjectContext(open)
    let error = #expect(throws: ManagedObjectError.self) { try context.fetch(FetchRequest("Note")) }
    #expect(error?.code == .incompatibleVersionHash)
  }

  @Test(arguments: StoreKind.inFiles, [false, true])
  func `a migration whose system call fails changes nothing`(kind: StoreKind, isMapped: Bool) throws {
    try makeStore(kind)
    let bytes = try Data(contentsOf: file)
    let mapping = isMapped ? StoreMapping(entities: ["Note": EntityMigrationPolicy()]) : StoreMapping()
    var failed: Set<SystemCall> = []
    for number in 0..<200 {
      let calls = RecordedCalls()
      var error: (any Error)?
      do {
        try Interception.ofCalls(in: folder.url.path) { call in
          calls.note(call) == number ? (call.call == .write ? ENOSPC : EIO) : nil
        } during: {
          _ = try StoreFile.migrate(file, from: [Self.first.get()], to: Self.second.get(), by: mapping)
        }
      } catch let failure { error = failure }
      let call = calls.calls.indices.contains(number) ? calls.calls[number].call : nil
      if let error {
        if let call { failed.insert(call) }
        #expect((error as? ManagedObjectError)?.fileURL == file, "\(error)")
        #expect(try Data(contentsOf: file) == bytes, "call \(number): \(calls.calls[number])")
      } else {
        // The failure of this call is harmless, or the migration makes fewer calls.
        #expect(try notes(kind.open(file, Self.second.get()), ["count"]).count == 2)
        if call == nil { break }
        try bytes.write(to: file)
      }
      // Files that cannot be checked or removed are removed when the store is opened later.
      #expect(folder.names == ["store"] || call == .unlink || call == .status, "\(calls.calls[number])")
      for name in folder.names where name != "store" {
        try FileManager.default.removeItem(at: folder.url.appending(path: name))
      }
    }
    #expect(failed.isSuperset(of: [.write, .synchronize]), "\(failed)")
  }

  @Test(arguments: StoreKind.inFiles)
  func `a new file that cannot be written is removed`(kind: StoreKind) throws {
    try makeStore(kind)
    let bytes = try Data(contentsOf: file)
    for failing in [SystemCall.write, .synchronize] {
      let error = #expect(throws: ManagedObjectError.self) {
        try Interception.ofCalls(in: folder.url.path) { call in
          call.call == failing ? ENOSPC : nil
        } during: {
          _ = try StoreFile.migrate(
            file, from: [Self.first.get()], to: Self.second.get(), output: folder.url.appending(path: "new"))
        }
      }
      #expect(error?.code == .migration)
      #expect(folder.names == ["store"])
      #expect(try Data(contentsOf: file) == bytes)
    }
  }
}
