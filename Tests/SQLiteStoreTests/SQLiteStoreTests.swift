import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import Testing

@Suite("An SQLite store") struct SQLiteStoreTests {
  static let model: ManagedObjectModel = {
    let note = EntityDescription(
      "Note",
      [
        .attribute("title", .string), .attribute("count", .integer32), .attribute("price", .decimal),
        .attribute("date", .date), .attribute("weight", .double), .attribute("small", .float),
        .attribute("isRead", .boolean), .attribute("data", .binary), .attribute("uuid", .uuid),
        .attribute("link", .uri), .relationship("author", to: "Person", inverse: "notes"),
        .relationship("tags", to: "Tag", inverse: "notes", isToMany: true),
      ])
    let person = EntityDescription(
      "Person",
      [
        .attribute("name", .string),
        .relationship("notes", to: "Note", inverse: "author", isToMany: true, isOrdered: true),
        .relationship("friends", to: "Person", inverse: "friends", isToMany: true),
        .relationship("card", to: "Card", inverse: "owner"),
      ])
    var employee = EntityDescription("Employee", [.attribute("salary", .double)])
    employee.superentity = "Person"
    let tag = EntityDescription(
      "Tag",
      [
        .attribute("name", .string),
        .relationship("notes", to: "Note", inverse: "tags", isToMany: true, isOrdered: true),
      ])
    let card = EntityDescription(
      "Card", [.attribute("number", .integer64), .relationship("owner", to: "Person", inverse: "card")])
    do { return try ManagedObjectModel(entities: [note, person, employee, tag, card]) } catch { fatalError("\(error)") }
  }()

  private func context(_ file: URL) throws -> ManagedObjectContext {
    try ManagedObjectContext(SQLiteStore(file, model: Self.model))
  }

  @Test func `a reopened store has its objects`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "a.sqlite")
    let first = try context(file)
    let ada = try first.insert("Employee")
    try ada.setValues(["name": .string("Ada"), "salary": .double(3.5)])
    let bob = try first.insert("Person")
    var notes: [ManagedObject] = []
    for index in 0..<5 {
      let note = try first.insert("Note")
      try note.setValues([
        "title": .string("é\(index)"), "count": .integer(Int64(index)), "price": .decimal(Decimal(string: "12.25")!),
        "date": .date(Date(timeIntervalSinceReferenceDate: 3)), "weight": .double(0.1), "small": .float(0.25),
        "isRead": .boolean(true), "data": .data(Data([1, 2])), "uuid": .uuid(UUID()),
        "link": .url(URL(string: "http://a.b/c")!),
      ])
      notes.append(note)
    }
    let tag = try first.insert("Tag")
    try ada.setValue(.array([notes[3], notes[1], notes[2]].map { .object($0) }), forKey: "notes")
    try ada.setValue(.set([.object(bob), .object(ada)]), forKey: "friends")
    try tag.setValue(.array([notes[2], notes[0]].map { .object($0) }), forKey: "notes")
    let card = try first.insert("Card")
    try card.setValue(.object(ada), forKey: "owner")
    try first.save()
    let second = try context(file)
    let found = try #require(try second.fetch(FetchRequest("Employee")).first)
    #expect(found["name"] == .attribute(.string("Ada")) && found["salary"] == .attribute(.double(3.5)))
    func titles(_ value: ManagedObject.Value?) -> [String] {
      guard case .array(let elements)? = value else { return [] }
      return elements.map {
        if case .object(let object) = $0, case .attribute(.string(let text))? = object["title"] { text } else { "?" }
      }
    }
    #expect(titles(found["notes"]) == ["é3", "é1", "é2"])
    let again = try #require(try second.fetch(FetchRequest("Tag")).first)
    #expect(titles(again["notes"]) == ["é2", "é0"])
    for note in try second.fetch(FetchRequest("Note")) {
      let old = try #require(notes.first { $0.objectID.uriRepresentation == note.objectID.uriRepresentation })
      for attribute in note.entity.attributes { #expect(note[attribute.name] == old[attribute.name]) }
    }
    guard case .set(let friends)? = found["friends"] else { return }
    #expect(friends.count == 2)
    guard case .object(let owned)? = found["card"] else {
      Issue.record("no card")
      return
    }
    #expect(owned["owner"] == .object(found))
    try second.delete(owned)
    try found.setValue(.array(titles(found["notes"]).isEmpty ? [] : []), forKey: "notes")
    try second.save()
    let third = try context(file)
    let last = try #require(try third.fetch(FetchRequest("Employee")).first)
    #expect(titles(last["notes"]) == [] && last["card"] == .null)
    #expect(try SQLiteStore.model(inFile: file).entityVersionHashesByName == Self.model.entityVersionHashesByName)
  }
}
