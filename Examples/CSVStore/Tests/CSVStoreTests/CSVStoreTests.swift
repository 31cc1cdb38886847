import CSVStore
import Foundation
import ManagedObjects
import StoreTests
import Testing

@Suite("CSV store") struct CSVStoreTests {
  @Test("passes the tests for every store", arguments: StoreTest.all)
  func conformance(test: StoreTest) throws {
    try test.run { folder, model in try CSVStore(folder.appending(path: "store"), model: model) }
  }

  private func withFolder(_ body: (URL, ManagedObjectModel) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "csv-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let person = EntityDescription(
      "Person", [.attribute("name", .string), .relationship("notes", to: "Note", inverse: "author", isToMany: true)])
    let note = EntityDescription(
      "Note", [.attribute("title", .string), .relationship("author", to: "Person", inverse: "notes")])
    try body(folder, ManagedObjectModel(entities: [person, note]))
  }

  private func titles(in store: CSVStore) throws -> [String] {
    let coordinator = PersistentStoreCoordinator(model: store.model)
    try coordinator.add(store)
    let context = ManagedObjectContext(coordinator: coordinator)
    return try context.fetch(FetchRequest("Note", sortedBy: [.init("title")])).map {
      "\(try $0.value(forKeyPath: "title")) \(try $0.value(forKeyPath: "author.name"))"
    }
  }

  @Test("hand-written files are read, with both sides of relationships")
  func handmade() throws {
    try withFolder { folder, model in
      _ = try CSVStore(folder, model: model)
      try Data("_number,name\n1,Ada\n".utf8).write(to: folder.appending(path: "Person.csv"))
      try Data("_number,title,author\n2,\"a, b\",Person/1\n3,,\n".utf8).write(to: folder.appending(path: "Note.csv"))
      let store = try CSVStore(folder, model: model)
      let person = try #require(model.entity(named: "Person"))
      let key = RowKey(store: store.number, entityIndex: person.index, number: 1)
      let slot = try #require(person.property(named: "notes")).slot
      #expect(try store.rows([key])[0]?.values[slot].count == 1)
      #expect(try titles(in: store).count == 2)
    }
  }

  @Test(
    "defects of a file are reported with its name",
    arguments: [
      ("_number,title\n1,\"a", "Note.csv:2: a quotation mark is not closed"),
      ("_number,title\n1\n", "Note.csv:2: expected 2 fields, found 1"),
      ("_number,title\nx,a\n", "Note.csv:2: expected a positive _number"),
      ("_number,author\n1,Ada\n", "Note.csv:2: author: expected a reference such as Person/7, found Ada"),
      ("_number,author\n1,Person/7\n", "Note.csv: object 1: author refers to object 7"),
    ])
  func findings(text: String, message: String) throws {
    try withFolder { folder, model in
      _ = try CSVStore(folder, model: model)
      try Data(text.utf8).write(to: folder.appending(path: "Note.csv"))
      let error = #expect(throws: ManagedObjectError.self) { try CSVStore(folder, model: model) }
      #expect(error?.code == .open && error?.description.contains(message) == true, "\(String(describing: error))")
    }
  }

  @Test("an unfinished save is completed if it was committed, and otherwise discarded", arguments: [true, false])
  func leftSave(isCommitted: Bool) throws {
    try withFolder { folder, model in
      _ = try CSVStore(folder, model: model)
      try Data("_number,title\n1,old\n".utf8).write(to: folder.appending(path: "Note.csv"))
      try Data("_number,title\n1,new\n".utf8).write(to: folder.appending(path: "Note.csv.new"))
      if isCommitted { try Data("Note.csv".utf8).write(to: folder.appending(path: "commit")) }
      let found = try titles(in: CSVStore(folder, model: model))
      #expect(found.count == 1 && found[0].contains(isCommitted ? "new" : "old"))
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(Set(names) == ["Note.csv", "lock"])
    }
  }

  @Test("a folder can be opened by only one store at a time")
  func oneStore() throws {
    try withFolder { folder, model in
      let store = try CSVStore(folder, model: model)
      #expect(throws: ManagedObjectError.self) { try CSVStore(folder, model: model) }
      _ = store.identifier
    }
  }
}
