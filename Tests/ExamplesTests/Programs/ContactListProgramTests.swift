import Foundation
import ManagedObjects
import SQLiteStore
import TestSupport
import Testing

private final class Contact: ManagedObject {
  @Attribute var name: String
  @Attribute var city: String
}

/// A table view without a window: a list of sections with rows, which is edited only by the changes that the delegate
/// gets.
private final class ContactTable: FetchedResultsControllerDelegate {
  var sections: [(name: String, rows: [String])] = []
  /// The calls of the delegate, in order.
  var calls: [String] = []
  private var inserted: [(Int, String)] = []
  private var moves: [(from: ResultIndexPath, to: ResultIndexPath, name: String)] = []
  private var additions: [(ResultIndexPath, String)] = []
  private var removals: [ResultIndexPath] = []
  private var deleted: [Int] = []

  func reload(_ controller: FetchedResultsController<Contact>) {
    sections = controller.sections.map { ($0.name, $0.map(\.name)) }
  }

  func controllerWillChangeContent(_ controller: FetchedResultsController<Contact>) { calls.append("begin") }

  func controller(
    _ controller: FetchedResultsController<Contact>, didChangeSection change: FetchedResultsChanges.SectionChange
  ) {
    calls.append("\(change.kind) section \(change.name)")
    if change.kind == .insert { inserted.append((change.index, change.name)) } else { deleted.append(change.index) }
  }

  func controller(
    _ controller: FetchedResultsController<Contact>, didChangeObject change: FetchedResultsChanges.ObjectChange
  ) {
    let name = change.newIndexPath.flatMap { controller.object(at: $0)?.name } ?? ""
    calls.append("\(change.kind) \(change.indexPath?.description ?? "-") \(change.newIndexPath?.description ?? "-")")
    switch (change.indexPath, change.newIndexPath) {
    case (nil, let new?): additions.append((new, name))
    case (let old?, nil): removals.append(old)
    case (let old?, let new?) where change.kind == .move: moves.append((old, new, name))
    case (let old?, _): sections[old.section].rows[old.item] = name
    case (nil, nil): break
    }
  }

  /// Ends the updates of the table, in the order in which a table view makes them.
  func controllerDidChangeContent(_ controller: FetchedResultsController<Contact>) {
    calls.append("end")
    for path in (removals + moves.map(\.from)).sorted().reversed() {
      sections[path.section].rows.remove(at: path.item)
    }
    for index in deleted.reversed() { sections.remove(at: index) }
    for (index, name) in inserted { sections.insert((name, []), at: index) }
    for (path, name) in (additions + moves.map { ($0.to, $0.name) }).sorted(by: { $0.0 < $1.0 }) {
      sections[path.section].rows.insert(name, at: path.item)
    }
    (inserted, moves, additions, removals, deleted) = ([], [], [], [], [])
  }

  var text: String { sections.map { "\($0.name): \($0.rows.joined(separator: ", "))" }.joined(separator: "; ") }
}

@Suite("A program that shows contacts in a table with sections") struct ContactListProgramTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private let container: PersistentContainer
  private let context: ManagedObjectContext
  private let results: FetchedResultsController<Contact>
  private let table = ContactTable()

  init() throws {
    container = try PersistentContainer(
      model: ManagedObjectModel(Contact.self), stores: [.sqlite(folder.url.appending(path: "contacts.sqlite"))])
    context = container.newContext()
    for (name, city) in [("Ada", "London"), ("Alan", "London"), ("Emmy", "Erlangen")] {
      let contact = try context.insert(Contact.self)
      (contact.name, contact.city) = (name, city)
    }
    try context.save()
    let request = try FetchRequest(Contact.self, sortedBy: .ascending(\.city), .ascending(\.name))
    results = try FetchedResultsController(
      Contact.self, request, in: context, sectionKeyPath: "city",
      cache: FetchedResultsCache(name: "contacts", folder: folder.url))
    try results.performFetch()
    table.reload(results)
    results.delegate = table
  }

  private func contact(_ name: String) throws -> Contact {
    try #require(results.fetchedObjects.first { $0.name == name })
  }

  /// Checks that the table, which has only the changes, shows the results of a new fetch.
  private func check(_ text: String, _ calls: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
    context.processPendingChanges()
    #expect(table.text == text, sourceLocation: sourceLocation)
    #expect(table.calls == calls, sourceLocation: sourceLocation)
    table.calls = []
    let fresh = ContactTable()
    let again = try FetchedResultsController(
      Contact.self, results.fetchRequest, in: context, sectionKeyPath: "city")
    try again.performFetch()
    fresh.reload(again)
    #expect(fresh.text == text, sourceLocation: sourceLocation)
  }

  @Test func `the table has the rows and the index of the sections`() throws {
    #expect(table.text == "Erlangen: Emmy; London: Ada, Alan")
    #expect(results.sectionIndexTitles == ["E", "L"] && results.section(forSectionIndexTitle: "L") == 1)
    #expect(results.object(at: ResultIndexPath(section: 1, item: 1))?.name == "Alan")
    #expect(try results.indexPath(of: contact("Alan")) == ResultIndexPath(section: 1, item: 1))
  }

  @Test func `insertions, deletions, moves and updates change rows and sections`() throws {
    let kurt = try context.insert(Contact.self)
    (kurt.name, kurt.city) = ("Kurt", "Brno")
    try check(
      "Brno: Kurt; Erlangen: Emmy; London: Ada, Alan", ["begin", "insert section Brno", "insert - [0, 0]", "end"])
    try contact("Alan").name = "Aaron"
    try check("Brno: Kurt; Erlangen: Emmy; London: Aaron, Ada", ["begin", "move [2, 1] [2, 0]", "end"])
    try contact("Ada").name = "Adele"
    try check("Brno: Kurt; Erlangen: Emmy; London: Aaron, Adele", ["begin", "update [2, 1] [2, 1]", "end"])
    try context.delete(contact("Emmy"))
    try check(
      "Brno: Kurt; London: Aaron, Adele", ["begin", "delete section Erlangen", "delete [1, 0] -", "end"])
    try contact("Kurt").city = "Zürich"
    try check(
      "London: Aaron, Adele; Zürich: Kurt",
      ["begin", "delete section Brno", "insert section Zürich", "move [0, 0] [1, 0]", "end"])
  }

  @Test func `a new contact is reported once, and its save does not touch the row`() throws {
    let kurt = try context.insert(Contact.self)
    (kurt.name, kurt.city) = ("Kurt", "London")
    try check("Erlangen: Emmy; London: Ada, Alan, Kurt", ["begin", "insert - [1, 2]", "end"])
    try context.save()
    #expect(table.calls.allSatisfy { ["begin", "end"].contains($0) })
    #expect(table.text == "Erlangen: Emmy; London: Ada, Alan, Kurt")
  }

  @Test func `changes that another context saved are merged into the table`() throws {
    context.mergesChangesAutomatically = true
    try container.updateAndWait { context in
      for contact in try context.fetch(Contact.self, where: #Predicate { $0.city == "London" }) {
        contact.city = "Cambridge"
      }
    }
    try check(
      "Cambridge: Ada, Alan; Erlangen: Emmy",
      [
        "begin", "delete section London", "insert section Cambridge", "move [1, 0] [0, 0]", "move [1, 1] [0, 1]", "end",
      ])
  }

  @Test func `the sections come from the cache at the next start, and are fetched again after a change`() throws {
    #expect(folder.names.count > 1)
    let files = folder.names
    let next = container.newContext()
    let shown = try FetchedResultsController(
      Contact.self, results.fetchRequest, in: next, sectionKeyPath: "city",
      cache: FetchedResultsCache(name: "contacts", folder: folder.url))
    try shown.performFetch()
    #expect(shown.sections.map(\.name) == ["Erlangen", "London"])
    // All objects are faults, because nothing was fetched.
    #expect(shown.fetchedObjects.allSatisfy { $0.isFault })
    try contact("Emmy").city = "Göttingen"
    try context.save()
    try shown.performFetch()
    #expect(shown.sections.map(\.name) == ["Göttingen", "London"])
    try FetchedResultsController<Contact>.deleteCache(name: "contacts", folder: folder.url)
    #expect(folder.names.count < files.count)
  }

  @Test func `an order that splits a section is an error`() throws {
    let wrong = try FetchedResultsController(
      Contact.self, FetchRequest(Contact.self, sortedBy: .ascending(\.name)), in: context, sectionKeyPath: "city")
    let contact = try context.insert(Contact.self)
    (contact.name, contact.city) = ("Zoe", "London")
    #expect(throws: ManagedObjectError.self) { try wrong.performFetch() }
  }
}
