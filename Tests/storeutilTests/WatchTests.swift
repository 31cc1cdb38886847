import Foundation
import ManagedObjects
import PropertyLists
import SQLiteStore
import TestSupport
import Testing

@Suite("storeutil watch") struct WatchTests {
  private func start(_ library: Library, _ arguments: String...) throws -> ChildProcess {
    let process = try ChildProcess("storeutil", ["watch"] + arguments.map { $0.replacing("%", with: library.url.path) })
    #expect(eventually { process.errors.contains("Control-C") || process.ended != nil }, "\(process.errors)")
    return process
  }

  private func expect(_ lines: [String], of process: ChildProcess) {
    let text = lines.map { $0 + "\n" }.joined()
    #expect(eventually { process.text == text }, "\(process.text)\(process.errors)")
  }

  @Test(arguments: ["sqlite", "xml", "binary"])
  func `without a history, object versions are compared`(_ type: String) throws {
    let library = try Library()
    try library.makePlaces("places", type: type)
    let process = try start(library, "%/places", "--model", "%/Places.xcdatamodel")
    #expect(process.errors.contains("by the versions of its objects"))
    let context = try library.context("places", model: "Places.xcdatamodel", isReadOnly: false)
    let shelf = try context.add("Place", ["name": .string("Shelf")])
    let id = "\(shelf.objectID)"
    var lines = ["inserted \(id)"]
    expect(lines, of: process)
    try shelf.setValues(["height": .double(2), "name": .string("Board")])
    try context.save()
    lines.append("changed \(id): height, name")
    expect(lines, of: process)
    // The same length as before.
    try shelf.setValue(.double(3), forKey: "height")
    try context.save()
    lines.append("changed \(id): height")
    expect(lines, of: process)
    try context.delete(shelf)
    try context.save()
    lines.append("deleted \(id)")
    expect(lines, of: process)
    process.signal(SIGINT)
    #expect(process.waitUntilExit() == .exited(0))
    expect(lines, of: process)
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `saves of the history are printed as JSON lines until a signal`(_ signal: Int32) throws {
    let library = try Library()
    try library.trackHistory()
    try library.change(Library.store, "Book", where: "pages = 66", ["pages": .integer(1)])
    let process = try start(library, "%/\(Library.store)", "--json", "--entity", "Book")
    #expect(process.errors.contains("by its history"))
    let context = try library.context(Library.store, isReadOnly: false)
    let author = try #require(try context.fetch(FetchRequest("Author")).first)
    let comic = try context.add("Comic", ["title": .string("New")], ["author": .object(author)])
    try library.run("set", Library.store, "Book/1", "pages=2", "price=3")
    try author.setValue(.date(Date(timeIntervalSince1970: 0)), forKey: "born")
    try context.save()
    try context.delete(comic)
    try context.save()
    #expect(eventually { process.text.split(separator: "\n").count == 3 }, "\(process.text)\(process.errors)")
    let options = PropertyListReadingOptions(restoresCoercedValues: true)
    let changes = try process.text.split(separator: "\n").map { line in
      try PropertyList(Data(line.utf8), format: .json, options: options)
    }
    #expect(changes.map { $0["change"]?.string } == ["inserted", "changed", "deleted"])
    #expect(changes.map { $0["entity"]?.string } == ["Comic", "Book", "Comic"])
    #expect(changes[1]["properties"] == ["pages", "price"])
    #expect(changes[1]["author"]?.string == "storeutil" && changes[1]["date"]?.date != nil)
    #expect(changes[1]["object"]?.string?.hasSuffix("/Book/p1") == true)
    process.signal(signal)
    #expect(process.waitUntilExit() == .exited(0))
  }

  @Test func `watch writes nothing, and does not block other programs`() throws {
    let library = try Library()
    let before = try library.contents(Library.store)
    let process = try start(library, "%/\(Library.store)")
    #expect(try library.contents(Library.store) == before)
    // Another program has opened the store, and commits into its log.
    let python = """
      store.execute('PRAGMA journal_mode = WAL')
      import time
      end = time.monotonic() + \(hangLimit)
      for lines, pages in ((1, 101), (2, 102)):
          store.execute('UPDATE ZBOOK SET ZPAGES = ?, Z_OPT = Z_OPT + 1 WHERE Z_PK = 1', (pages,))
          store.commit()
          while open('\(process.outputFile)').read().count('\\n') < lines:
              assert time.monotonic() < end
              time.sleep(0.01)
      assert store.execute('PRAGMA wal_checkpoint(TRUNCATE)').fetchone()[0] == 0
      store.execute('PRAGMA locking_mode = EXCLUSIVE')
      store.execute('BEGIN EXCLUSIVE')
      """
    try library.runPython(python, on: Library.store)
    expect(["changed Book/p1: pages", "changed Book/p1: pages"], of: process)
    process.signal(SIGTERM)
    #expect(process.waitUntilExit() == .exited(0))
    let names = try library.contents(Library.store).keys.sorted()
    #expect(names == [Library.store])
  }

  @Test(
    arguments: [
      (["watch", "missing.sqlite"], 1, "missing.sqlite"), (["watch", Library.store, "--entity", "Bok"], 64, "Book"),
      (["watch", Library.store, "--immutable"], 64, "--immutable"),
      (["watch", Library.store, "--tables"], 64, "--tables"),
      (["watch", Library.store, "--plain"], 64, "--plain works only with --json"),
    ] as [([String], Int32, String)])
  func `wrong arguments are errors`(_ arguments: [String], _ status: Int32, _ text: String) throws {
    let failure = try Library().failure(arguments)
    #expect(failure.status == status && failure.errors.contains(text), "\(failure)")
  }

  @Test func `watch ends when the store is removed`() throws {
    let library = try Library()
    let process = try start(library, "%/\(Library.store)")
    try FileManager.default.removeItem(at: library.url.appending(path: Library.store))
    #expect(process.waitUntilExit() == .exited(1))
    #expect(process.errors.contains(Library.store))
  }
}

extension Library {
  /// Turns on persistent history for the store.
  func trackHistory() throws {
    let file = url.appending(path: Library.store)
    _ = try SQLiteStore(file, model: SQLiteStore.model(inFile: file), access: .readWrite(tracksHistory: true))
  }
}
