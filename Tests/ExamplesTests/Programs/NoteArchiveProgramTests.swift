import Foundation
import KeyedArchiving
import TestSupport
import Testing

/// A note with secure coding, written by hand.
private final class Note: SecureCoding {
  let date: Date
  let content: String

  init(date: Date, content: String) {
    self.date = date
    self.content = content
  }

  func encode(with coder: KeyedArchiver) throws {
    try coder.encode(date, forKey: "date")
    try coder.encode(content, forKey: "content")
  }

  init(coder: KeyedUnarchiver) throws {
    date = try coder.decode(Date.self, forKey: "date")
    content = try coder.decode(String.self, forKey: "content")
  }
}

/// A type of another program.
private struct Invoice: Codable, SecureCoding {
  var number: Int
}

@Suite("A program that keeps notes in an archive") struct NoteArchiveProgramTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private var file: URL { folder.url.appending(path: "Notes.archive") }

  private func write() throws {
    let notes = [Note(date: .distantPast, content: "Milk"), Note(date: .distantFuture, content: "日本")]
    try KeyedArchiver.archive(notes, to: file)
  }

  @Test func `an array of notes is archived in a file and read back`() throws {
    try write()
    let notes = try KeyedUnarchiver.unarchivedObject(of: [Note].self, from: file)
    #expect(notes.map(\.content) == ["Milk", "日本"])
    #expect(notes.map(\.date) == [.distantPast, .distantFuture])
  }

  @Test func `an archive of another class is rejected`() throws {
    try KeyedArchiver.archive([Invoice(number: 1)], to: file)
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(of: [Note].self, from: file)
    }
    #expect(try #require(error).description.contains("Invoice"), "\(String(describing: error))")
    try write()
    #expect(throws: KeyedArchiveError.self) { try KeyedUnarchiver.unarchivedObject(of: Note.self, from: file) }
  }

  @Test func `a program that allows several classes gets each with its own type`() throws {
    let archiver = KeyedArchiver()
    try archiver.encode(
      [Note(date: .distantPast, content: "Milk"), Invoice(number: 7)] as [any SecureCoding],
      forKey: KeyedArchiver.rootObjectKey)
    let data = try archiver.encodedData()
    let values = try KeyedUnarchiver.unarchivedArrayOfObjects(ofClasses: [Note.self, Invoice.self], from: data)
    #expect((values[0] as? Note)?.content == "Milk" && (values[1] as? Invoice)?.number == 7)
    #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedArrayOfObjects(ofClasses: [Note.self], from: data)
    }
  }
}
