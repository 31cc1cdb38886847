import Foundation
import PropertyLists
import TestSupport
import Testing

import struct PropertyLists.PropertyListDecoder
import struct PropertyLists.PropertyListEncoder

/// A note, whose date is its key.
private struct Note: Codable, Equatable {
  var date: Date
  var content: String
}

/// The data access object of notes in a property list.
private struct NoteDAO {
  let file: URL

  func findAll() throws -> [Note] { try PropertyListDecoder().decode([Note].self, from: Data(contentsOf: file)) }

  func find(_ date: Date) throws -> Note? { try findAll().first { $0.date == date } }

  func create(_ note: Note) throws { try write(findAll() + [note]) }

  func modify(_ note: Note) throws {
    try write(findAll().map { $0.date == note.date ? note : $0 })
  }

  func remove(_ date: Date) throws { try write(findAll().filter { $0.date != date }) }

  /// Replaces the file atomically.
  private func write(_ notes: [Note]) throws {
    try PropertyListEncoder().encodeToPropertyList(notes).write(to: file, format: .xml)
  }
}

@Suite("A program that keeps notes in a property list") struct NotePlistProgramTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private let dao: NoteDAO
  private let first = Date(timeIntervalSinceReferenceDate: 600_000_000)
  private var second: Date { first + 1 }

  init() throws {
    dao = NoteDAO(file: folder.url.appending(path: "NotesList.plist"))
    try Data(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><array><dict>
        <key>content</key><string>Welcome</string><key>date</key><date>2020-01-06T10:40:00Z</date>
      </dict></array></plist>
      """.utf8
    ).write(to: dao.file)
  }

  @Test func `notes are created, found, changed and removed by their date`() throws {
    #expect(try dao.findAll() == [Note(date: first, content: "Welcome")])
    try dao.create(Note(date: second, content: "Milk"))
    #expect(try dao.find(second)?.content == "Milk")
    try dao.modify(Note(date: second, content: "Bread"))
    #expect(try dao.findAll().map(\.content) == ["Welcome", "Bread"])
    try dao.remove(first)
    #expect(try dao.findAll() == [Note(date: second, content: "Bread")])
    #expect(try dao.find(first) == nil)
    #expect(folder.names == ["NotesList.plist"])
  }

  @Test func `the same file is edited as a value`() throws {
    var notes = try PropertyList(contentsOf: dao.file)
    notes.array?.append(["date": .date(second), "content": "Milk"])
    notes.array?.removeAll { $0["content"]?.string == "Welcome" }
    try notes.write(to: dao.file, format: .xml)
    #expect(try dao.findAll() == [Note(date: second, content: "Milk")])
  }

  @Test func `a value that a property list cannot hold leaves the file unchanged`() throws {
    let before = try Data(contentsOf: dao.file)
    #expect(throws: (any Error).self) { try dao.create(Note(date: second, content: "a\u{0}b")) }
    #expect(try Data(contentsOf: dao.file) == before)
  }

  @Test func `a damaged file is an error with its position`() throws {
    try Data("<plist version=\"1.0\">\n<array><string>a</array></plist>".utf8).write(to: dao.file)
    let error = #expect(throws: PropertyListError.self) { try PropertyList(contentsOf: dao.file) }
    #expect(error?.position?.line == 2)
    #expect(throws: (any Error).self) { try dao.findAll() }
  }
}
