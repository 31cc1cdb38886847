import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import TestSupport
import Testing

/// Checks the table of the article, line by line.
@Suite("The article about the features of stores") struct StoreComparisonTests {
  /// The kinds of stores, in the order of the table.
  enum Kind: CaseIterable {
    case memory, xml, binary, sqlite

    func description(_ file: URL) -> PersistentStoreDescription {
      switch self {
      case .memory: .inMemory
      case .xml: .xml(file)
      case .binary: .binary(file)
      case .sqlite: .sqlite(file)
      }
    }
  }

  private static let model: ManagedObjectModel = {
    do {
      return try ManagedObjectModel(entities: [
        EntityDescription(
          "Note",
          [
            .attribute("title", .string), .attribute("price", .decimal), .attribute("number", .double),
            .relationship("tags", to: "Tag", inverse: "notes", isToMany: true),
            .relationship("links", to: "Note", isToMany: true),
          ]),
        EntityDescription("Tag", [.relationship("notes", to: "Note", inverse: "tags", isToMany: true)]),
      ])
    } catch { fatalError("\(error)") }
  }()

  private let folder = TemporaryFolder(isInMemory: true)

  /// Checks a line of the table: the cell of each kind of store.
  private func check(
    _ line: String, sourceLocation: SourceLocation = #_sourceLocation, _ cell: (Kind) throws -> String
  ) throws {
    let article = try ArticleText(path: "Sources/SQLiteStore/Documentation.docc/WhatStoresCanDo.md")
    let lines = article.text.split(separator: "\n").filter { $0.hasPrefix("| \(line) |") }
    try #require(lines.count == 1, sourceLocation: sourceLocation)
    let cells = lines[0].split(separator: "|").dropFirst().map { $0.trimmingCharacters(in: .whitespaces) }
    let found = try Kind.allCases.map(cell)
    #expect(found == cells, sourceLocation: sourceLocation)
  }

  private func file() -> URL { folder.url.appending(path: UUID().uuidString) }

  private func open(
    _ kind: Kind, _ file: URL, _ model: ManagedObjectModel = Self.model
  ) throws(ManagedObjectError) -> PersistentContainer {
    try PersistentContainer(model: model, stores: [kind.description(file)])
  }

  private func titles(_ container: PersistentContainer) throws -> [String] {
    try container.performAndWait { context in
      try context.fetch(FetchRequest("Note", sortedBy: [.init("title")])).map { "\($0["title"] ?? .null)" }
    }
  }

  private func insert(_ title: String, _ container: PersistentContainer) throws {
    try container.updateAndWait { try $0.insert("Note").setValue(.string(title), forKey: "title") }
  }

  @Test func `the article says which files Core Data reads`() throws {
    try check("a file that Core Data reads") { kind in
      let file = file()
      try insert("a", open(kind, file))
      guard let data = try? Data(contentsOf: file) else { return "–" }
      if data.starts(with: Data("SQLite format 3".utf8)) {
        let tables = try PlainSQLite(file).column("SELECT name FROM sqlite_master WHERE type = 'table'")
        return Set(tables).isSuperset(of: ["ZNOTE", "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"]) ? "yes" : "no"
      }
      return String(decoding: data.prefix(100), as: UTF8.self).contains("<!DOCTYPE database") ? "yes" : "no, our own"
    }
  }

  @Test func `the article gives the cost of a save`() throws {
    try check("a save costs as much as") { kind in
      let file = file()
      let context = try open(kind, file).newContext()
      let count = LongForm.size(2_000, or: 800)
      let notes = try (0..<count).map { _ in try context.insert("Note") }
      let whole = try ThreadClock.measure { try context.save() }
      let old = (number: Self.attribute(.systemFileNumber, of: file), log: Self.attribute(.size, of: Self.log(file)))
      try notes[count / 2].setValue(.string("new"), forKey: "title")
      let time = try ThreadClock.measure { try context.save() }
      if kind == .memory { return time * 4 < whole ? "what changes" : "\(time) of \(whole)" }
      if Self.attribute(.systemFileNumber, of: file) != old.number { return "the whole file" }
      // One or two pages are written, of about fifty, or twenty in the short form.
      let written = Self.attribute(.size, of: Self.log(file)) - old.log
      return written > 0 && written < 20_000 ? "what changes" : "\(written) bytes"
    }
  }

  private static func log(_ file: URL) -> URL { URL(filePath: file.path + "-wal") }

  private static func attribute(_ key: FileAttributeKey, of file: URL) -> Int {
    (try? FileManager.default.attributesOfItem(atPath: file.path)[key] as? NSNumber)?.intValue ?? 0
  }

  @Test func `the article says if requests run in SQL or in memory`() throws {
    try check("requests run") { kind in
      let container = try open(kind, file())
      let request = FetchRequest("Note", where: try ManagedPredicate(format: "ANY tags == nil OR title LIKE 'a*'"))
      guard let store = container.coordinator.stores.first as? SQLiteStore else { return "on rows in memory" }
      return try store.statement(for: request).isComplete ? "in SQL, as far as that gives the same result" : "?"
    }
  }

  @Test func `the article says if several processes can use a store`() throws {
    // Two containers on a file behave like two processes. SharedDatabaseTests and the tests of the examples run
    // processes.
    try check("several processes at once") { kind in
      let file = file()
      let (one, other) = (try open(kind, file), try open(kind, file))
      try insert("a", one)
      try insert("b", other)
      try insert("c", one)
      return try titles(open(kind, file)).count == 3 ? "yes" : "–"
    }
    try check("a save of another process is seen") { kind in
      let file = file()
      let (one, other) = (try open(kind, file), try open(kind, file))
      try insert("a", one)
      _ = try titles(other)
      try insert("b", one)
      return try titles(other).count == 2 ? "with the next request" : "–"
    }
  }

  @Test func `the article says how stores find conflicts`() throws {
    try check("conflicts are found by") { kind in
      let file = file()
      let mine = try open(kind, file)
      try insert("a", mine)
      /// Returns the result of a save after other contexts have saved titles.
      func code(after titles: [String]) throws -> (ManagedObjectError.Code?, ManagedObjectContext) {
        let context = mine.newContext()
        let note = try #require(try context.fetch(FetchRequest("Note")).first)
        try note.setValue(.string("mine"), forKey: "title")
        let other = kind == .memory ? mine : try open(kind, file)
        for title in titles {
          try other.updateAndWait { context in
            for note in try context.fetch(FetchRequest("Note")) { try note.setValue(.string(title), forKey: "title") }
          }
        }
        return (errorCode { try context.save() }, context)
      }
      #expect(try code(after: ["theirs"]).0 == .merge)
      // The row is the same as when it was read, except for its version.
      let (code, context) = try code(after: ["other", "theirs"])
      if code == nil { return "comparing the file" }
      if kind == .memory { return "the version of a row" }
      try PlainSQLite(file).run("UPDATE ZNOTE SET Z_OPT = Z_OPT - 2, ZTITLE = 'x'")
      try context.save()
      return "the version of a row (`Z_OPT`)"
    }
  }

  @Test func `the article says when to-many relationships are read`() throws {
    try check("to-many relationships") { kind in
      let container = try open(kind, file())
      try insert("a", container)
      let store = try #require(container.coordinator.stores.first)
      let entity = try #require(Self.model["Note"])
      guard case .rows(let rows) = try store.fetch(FetchRequest("Note"), of: entity),
        let slot = entity.relationship(named: "tags")?.slot
      else { return "?" }
      return rows.map { $0.values[slot] } == [.unread] ? "read when they are asked for" : "in the row"
    }
  }

  /// Returns the value in a store after a save, or nil if it is not saved.
  private func saved(_ value: ManagedObject.Value, _ key: String, _ kind: Kind) throws -> ManagedObject.Value? {
    let file = file()
    let container = try open(kind, file)
    let context = container.newContext()
    try context.insert("Note").setValue(value, forKey: key)
    guard errorCode({ try context.save() }) == nil else { return nil }
    let reader = kind == .memory ? container.newContext() : try open(kind, file).newContext()
    return try reader.fetch(FetchRequest("Note")).first?[key]
  }

  @Test func `the article gives the precision of numbers`() throws {
    try check("decimal numbers") { kind in
      let whole = "12345678901234567890.123456789012345678"
      let value = ManagedObject.Value.attribute(.decimal(try #require(Decimal(string: whole))))
      guard case .attribute(.decimal(let number)) = try saved(value, "price", kind) ?? .null else { return "?" }
      if number.description == whole { return "38 digits" }
      let same = number.description.commonPrefix(with: whole).filter(\.isNumber).count
      return (15...17).contains(same) ? "15 to 17 digits, as in Core Data" : "\(same)"
    }
    try check("not a number (NaN)") { kind in
      guard case .attribute(.double(let number))? = try saved(.attribute(.double(.nan)), "number", kind) else {
        return "an error of the save"
      }
      return number.isNaN ? "yes" : "\(number)"
    }
  }

  @Test func `the article says if stores save attributes without a type`() throws {
    let model = try ManagedObjectModel(entities: [EntityDescription("Note", [.attribute("any", .undefined)])])
    try check("attributes without a type") { kind in
      let file = file()
      do throws(ManagedObjectError) {
        let context = try open(kind, file, model).newContext()
        try context.insert("Note").setValue(.string("a"), forKey: "any")
        try context.save()
        return "yes"
      } catch {
        return error.code == .save && folder.names.allSatisfy { $0 != file.lastPathComponent }
          ? "no: the store is not made" : "\(error)"
      }
    }
  }

  @Test func `the article describes relationships without an inverse`() throws {
    try check("an object in a to-many relationship without an inverse") { kind in
      let context = try open(kind, file()).newContext()
      let notes = try (0..<3).map { _ in try context.insert("Note") }
      for note in notes.dropFirst() { try note.setValue(.set([.object(notes[0])]), forKey: "links") }
      return errorCode { try context.save() } == .constraintValidation ? "of one other" : "of any"
    }
  }

  @Test func `the article says which stores have a history`() throws {
    try check("history of changes") { kind in
      guard kind == .sqlite else { return "–" }
      let store = try SQLiteStore(file(), model: Self.model, access: .readWrite(tracksHistory: true))
      let context = try ManagedObjectContext(store)
      try context.insert("Note")
      try context.save()
      return try store.history().count == 1 ? "yes" : "–"
    }
  }

  @Test func `the article says how stores open with another model`() throws {
    let changed = try ManagedObjectModel(entities: [EntityDescription("Note", [.attribute("title", .string)])])
    try check("change to another model") { kind in
      if kind == .memory { return "–" }
      let file = file()
      try insert("a", open(kind, file))
      var description = kind.description(file)
      var migrated: PersistentContainer?
      do throws(ManagedObjectError) { migrated = try open(kind, file, changed) } catch {
        #expect(error.code == .incompatibleVersionHash)
      }
      if let migrated {
        #expect(try titles(migrated) == ["\"a\""])
        return "with the model in the file"
      }
      description.sourceModels = [Self.model]
      let container = try PersistentContainer(model: changed, stores: [description])
      #expect(try titles(container) == ["\"a\""])
      return "with the models of the description"
    }
  }

  @Test func `the article says which stores are read with a model that does not fit`() throws {
    let other = try ManagedObjectModel(entities: [
      EntityDescription("Note", [.attribute("title", .string), .attribute("extra", .string)])
    ])
    try check("read with a model that does not fit") { kind in
      if kind == .memory { return "–" }
      let file = file()
      try insert("a", open(kind, file))
      var description = kind.description(file)
      description.ignoresModelVersion = true
      let container = try PersistentContainer(model: other, stores: [description])
      let store = try #require(container.coordinator.stores.first)
      #expect(store.isReadOnly && store.modelMismatches.contains { $0.property == "extra" })
      return try titles(container) == ["\"a\""] ? "yes" : "–"
    }
  }
}
