import Foundation
import Synchronization
import TestSupport
import Testing

/// The contents of address books with several people, one of each kind, for tests to copy.
///
/// Starting a process takes most of a test's time, so one process imports all people.
final class BookSample: Sendable {
  /// The properties of each card, without its first and last line.
  private let cards: [[String]]
  private let books = Mutex<[String: Data]>([:])

  init(_ cards: [[String]]) { self.cards = cards }

  /// Returns the file of a kind, which is created at the first call.
  func contents(_ kind: String) throws -> Data {
    try books.withLock { books in
      if let book = books[kind] { return book }
      let book = try importCards(kind)
      books[kind] = book
      return book
    }
  }

  private func importCards(_ kind: String) throws -> Data {
    let (folder, other) = (TemporaryFolder(isInMemory: true), TemporaryFolder(isInMemory: true))
    let lines = cards.flatMap { ["BEGIN:VCARD"] + $0 + ["END:VCARD", ""] }
    try Data(lines.joined(separator: "\r\n").utf8).write(to: URL(filePath: other.path("cards.vcf")))
    let name = "contacts." + kind
    let run = try Program.run("contacts", ["import", other.path("cards.vcf"), "--file=" + folder.path(name)])
    try #require(run.text == "\(cards.count) added\n", "\(run.errors)")
    try #require(folder.names == [name])
    return try Data(contentsOf: URL(filePath: folder.path(name)))
  }
}
