import Foundation
import ManagedObjects
import PropertyLists
import Testing

@Suite("Printed values") struct PrintedValueTests {
  static let values: [(AttributeValue, String)] = [
    (.null, "nil"), (.boolean(true), "true"), (.boolean(false), "false"), (.integer(-3), "-3"),
    (.decimal(Decimal(string: "12.50")!), "12.5"), (.double(0.1), "0.1"), (.float(2), "2.0"),
    (.string("Untitled"), "\"Untitled\""), (.string("a\nb\u{1B}[2J"), "\"a\\u{a}b\\u{1b}[2J\""),
    (.string(String(repeating: "x", count: 201)), "\"\(String(repeating: "x", count: 200))…\""),
    (.date(Date(timeIntervalSinceReferenceDate: 0)), "2001-01-01T00:00:00Z"),
    (.date(Date(timeIntervalSinceReferenceDate: 0.5)), "2001-01-01T00:00:00.5Z"),
    (.date(Date(timeIntervalSinceReferenceDate: .infinity)), "inf seconds from 2001"),
    (.data(Data()), "<0 bytes>"), (.data(Data([0])), "<1 byte: 00>"),
    (.data(Data([0, 255, 1, 2]).dropFirst()), "<3 bytes: ff0102>"),
    (.data(Data(repeating: 10, count: 17)), "<17 bytes: \(String(repeating: "0a", count: 16))…>"),
    (.uuid(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!), "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"),
    (.url(URL(string: "https://example.com/a")!), "https://example.com/a"),
  ]

  @Test(arguments: values) func `attribute values are short and on one line`(_ value: AttributeValue, _ text: String) {
    #expect("\(value)" == text)
    #expect("\(ManagedObject.Value.attribute(value))" == text)
  }

  @Test func `objects print as an entity and a number`() throws {
    let sketch = try GraphSketch()
    let context = sketch.context()
    let person = try context.insert("Person")
    try person.setValue(.string("Ada"), forKey: "name")
    let notes = try (0..<25).map { _ in try context.insert("Note") }
    for note in notes { try note.setValue(.object(person), forKey: "author") }
    #expect("\(notes[0].objectID)" == "Note/t\(notes[0].objectID.key.number.magnitude)")
    try context.save()
    let id = person.objectID
    #expect("\(id)" == "Person/p\(id.key.number)" && "\(person)" == "\(id)")
    #expect("\(try notes[0].value(forKey: "author"))" == "\(id)")
    let shown = notes.prefix(20).map { "Note/p\($0.objectID.key.number)" }.joined(separator: ", ")
    #expect("\(try person.value(forKey: "notes"))" == "{\(shown), … 5 more}")
    #expect("\(ManagedObject.Value.array([]))" == "[]" && "\(ManagedObject.Value.set([.null]))" == "{nil}")
  }

  @Test func `deeply nested values are cut off`() {
    var value = ManagedObject.Value.attribute(.integer(1))
    for _ in 0..<1000 { value = .array([value]) }
    #expect("\(value)" == "[[[[[…]]]]]")
  }

  @Test func `errors print the object or the file once`() throws {
    let note = try GraphSketch().context().insert("Note")
    var error = ManagedObjectError(.stringTooLong, "too long", objectID: note.objectID, key: "title")
    #expect("\(error)" == "\(note.objectID) title: too long")
    error = ManagedObjectError(.open, "3:4: no such entity")
    error.fileURL = URL(filePath: "/a/notes.xml")
    #expect("\(error)" == "/a/notes.xml: 3:4: no such entity")
    error.fileError = PropertyListError(.malformed, "no such entity", position: .init(line: 3, column: 4))
    #expect("\(error)" == "/a/notes.xml:3:4: no such entity")
    error = ManagedObjectError(.noSuchFile, "there is no file /a/notes.xml")
    error.fileURL = URL(filePath: "/a/notes.xml")
    #expect("\(error)" == "there is no file /a/notes.xml")
  }
}
