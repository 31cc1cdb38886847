import Foundation
import ManagedObjects
import SQLiteStore
import TestSupport
import Testing

@Suite("A history that Core Data has started") struct ContinuedHistoryTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private var file: URL { folder.url.appending(path: "a.sqlite") }

  /// A library with a relationship of each kind, in a file with the tables that Core Data makes.
  private static let model = Result {
    var title = AttributeDescription("title", .string)
    title.preservesValueInHistoryOnDeletion = true
    var scratch = AttributeDescription("scratch", .string)
    scratch.isTransient = true
    var novel = EntityDescription("Novel", [.attribute("plot", .string)])
    novel.superentity = "Book"
    return try ManagedObjectModel(entities: [
      EntityDescription(
        "Author",
        [.relationship("books", to: "Book", inverse: "authors", isToMany: true), .attribute("name", .string)]),
      EntityDescription(
        "Book",
        [
          .attribute(title), .attribute("pages", .integer32), .attribute(scratch),
          .relationship("authors", to: "Author", inverse: "books", isToMany: true),
          .relationship("shelf", to: "Shelf", inverse: "books"),
        ]),
      novel, EntityDescription("Lamp", [.attribute("color", .string)]),
      EntityDescription(
        "Shelf",
        [
          .relationship("books", to: "Book", inverse: "shelf", isToMany: true),
          .relationship("lamps", to: "Lamp", isToMany: true), .relationship("best", to: "Book"),
        ]),
    ])
  }

  /// Creates the store, without the key that shows which program has started the history.
  private func store(_ statements: String = "") throws -> SQLiteStore {
    let model = try Self.model.get()
    _ = try SQLiteStore(file, model: model, access: .readWrite(tracksHistory: true))
    try SQLiteFile.change(file, "UPDATE Z_METADATA SET Z_PLIST = NULL;" + statements)
    return try SQLiteStore(file, model: model)
  }

  /// Saves, and returns the changes that the save has recorded.
  private func save(_ context: ManagedObjectContext) throws -> Set<String> {
    let last = try PlainSQLite(file).column("SELECT IFNULL(MAX(Z_PK), 0) FROM ACHANGE")[0]
    try context.save()
    let rows = try HistoryRow.all(file, after: Int64(last) ?? 0)
    #expect(Set(rows.map(\.transaction)).count <= 1)
    #expect(rows.map(\.kind) == rows.map(\.kind).sorted())
    return Set(rows.map { "\($0)".split(separator: " ").dropFirst().joined(separator: " ") })
  }

  @Test func `a new history has the tables of Core Data, and no rows before the first save`() throws {
    let store = try store()
    let plain = try PlainSQLite(file)
    #expect(try plain.column("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_ENT > 16000") == [])
    #expect(
      try plain.column("SELECT sql FROM sqlite_schema WHERE name = 'ACHANGE'") == [
        "CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, "
          + "ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB )"
      ])
    let context = try ManagedObjectContext(store)
    context.transactionAuthor = "author"
    context.name = "context"
    try context.insert("Lamp")
    try context.save()
    #expect(
      try plain.run("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000 ORDER BY Z_ENT") == [
        ["16001", "CHANGE", "0", "1"], ["16002", "TRANSACTION", "0", "1"], ["16003", "TRANSACTIONSTRING", "0", "3"],
      ])
    let process = ProcessInfo.processInfo.processName
    #expect(
      try plain.run("SELECT * FROM ATRANSACTIONSTRING") == [
        ["1", "16003", "NULL", "author"], ["2", "16003", "NULL", process], ["3", "16003", "NULL", "context"],
      ])
    let columns = "Z_PK, Z_ENT, Z_OPT, ZAUTHORTS, ZBUNDLEIDTS, ZPROCESSIDTS, ZCONTEXTNAMETS, typeof(ZTIMESTAMP)"
    #expect(
      try plain.run("SELECT \(columns) FROM ATRANSACTION") == [["1", "16002", "NULL", "1", "2", "2", "3", "real"]])
    #expect(
      try plain.run("SELECT IFNULL(ZAUTHOR, IFNULL(ZBUNDLEID, IFNULL(ZCONTEXTNAME, ZPROCESSID))) FROM ATRANSACTION")
        == [["NULL"]])
    #expect(try plain.run("SELECT * FROM ACHANGE") == [["1", "16001", "NULL", "0", "4", "1", "1", "NULL", "NULL"]])
  }

  @Test(arguments: ["0", "NULL", "'x'", "X'01'", "-7"])
  func `numbers continue after the rows if Z_PRIMARYKEY has lower ones`(number: String) throws {
    let context = try ManagedObjectContext(store())
    try context.insert("Lamp")
    try context.save()
    try SQLiteFile.change(file, "UPDATE Z_PRIMARYKEY SET Z_MAX = \(number) WHERE Z_ENT > 16000")
    context.transactionAuthor = "other"
    try context.insert("Lamp")
    try context.save()
    let plain = try PlainSQLite(file)
    for table in ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"] {
      #expect(try plain.column("SELECT Z_PK FROM \(table) ORDER BY Z_PK") == ["1", "2"])
    }
    #expect(try plain.column("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000") == ["2", "2", "2"])
  }

  @Test func `a change of a relationship is recorded at both sides`() throws {
    let context = try ManagedObjectContext(store())
    let (shelf, other) = (try context.insert("Shelf"), try context.insert("Shelf"))
    let (book, novel) = (try context.insert("Book"), try context.insert("Novel"))
    let author = try context.insert("Author")
    #expect(try save(context).count == 5)
    // Book: shelf 80, pages 40, title 20, authors 10; Novel has plot before authors.
    try book.setValue(.object(shelf), forKey: "shelf")
    let shelfBooks = try shelfBit("books")
    let (bookRow, novelRow) = ("Book \(book.objectID.key.number)", "Novel \(novel.objectID.key.number)")
    let (shelfRow, otherRow) = ("Shelf \(shelf.objectID.key.number)", "Shelf \(other.objectID.key.number)")
    #expect(try save(context) == ["update \(bookRow) 80", "update \(shelfRow) \(shelfBooks)"])
    // The books of the shelves are not read, so the store itself finds that they change.
    context.reset()
    let again = try context.object(with: book.objectID)
    let second = try context.object(with: other.objectID)
    try again.setValue(.object(second), forKey: "shelf")
    #expect(
      try save(context)
        == ["update \(bookRow) 80", "update \(shelfRow) \(shelfBooks)", "update \(otherRow) \(shelfBooks)"])
    let versions = try PlainSQLite(file).run("SELECT Z_OPT FROM ZSHELF ORDER BY Z_PK").map { $0[0] }.sorted()
    #expect(versions == ["2", "3"])
    try again.setValue(.attribute(.null), forKey: "shelf")
    #expect(try save(context) == ["update \(bookRow) 80", "update \(otherRow) \(shelfBooks)"])
    // Many-to-many: both sides. Author: name 80, books 40.
    let writer = try context.fetch(FetchRequest("Author"))[0]
    let story = try context.fetch(FetchRequest("Novel"))[0]
    try writer.setValue(.set([.object(story), .object(again)]), forKey: "books")
    let authorRow = "Author \(author.objectID.key.number)"
    #expect(
      try save(context) == ["update \(authorRow) 40", "update \(bookRow) 10", "update \(novelRow) 08"])
    try context.delete(writer)
    #expect(
      try save(context) == ["delete \(authorRow) NULL", "update \(bookRow) 10", "update \(novelRow) 08"])
  }

  /// Returns the value of `ZCOLUMNS` for a change of one of the two to-many relationships of a shelf. Its other bits
  /// are those of `best` and of the entity of that book.
  private func shelfBit(_ name: String) throws -> String {
    let columns = try #require(try SQLiteStore(file, model: Self.model.get()).historyColumns(of: "Shelf"))
    return columns.names(Data([0x20])) == [name] ? "20" : "10"
  }

  @Test func `a related object of another entity sets the bit of the entity column`() throws {
    let context = try ManagedObjectContext(store())
    let (shelf, book, novel) = (try context.insert("Shelf"), try context.insert("Book"), try context.insert("Novel"))
    let plain = try context.insert("Book")
    #expect(try save(context).count == 4)
    let row = "update Shelf \(shelf.objectID.key.number) "
    try shelf.setValue(.object(book), forKey: "best")
    #expect(try save(context) == [row + "C0"])
    try shelf.setValue(.object(plain), forKey: "best")
    #expect(try save(context) == [row + "80"])
    try shelf.setValue(.object(novel), forKey: "best")
    #expect(try save(context) == [row + "C0"])
  }

  @Test func `an object without an inverse records its new owner`() throws {
    let context = try ManagedObjectContext(store())
    let (shelf, lamp, other) = (try context.insert("Shelf"), try context.insert("Lamp"), try context.insert("Lamp"))
    try shelf.setValue(.set([.object(other)]), forKey: "lamps")
    #expect(try save(context).allSatisfy { $0.hasPrefix("insert") })
    let lamps = try shelfBit("lamps")
    let (row, lampRow) = ("update Shelf \(shelf.objectID.key.number) ", "update Lamp \(lamp.objectID.key.number) ")
    try shelf.setValue(.set([.object(other), .object(lamp)]), forKey: "lamps")
    #expect(try save(context) == [row + lamps, lampRow + "80"])
    #expect(lamp.objectID.key.number > 0 && lamp["color"] == .null)
    try lamp.setValue(.attribute(.string("red")), forKey: "color")
    try shelf.setValue(.set([.object(other)]), forKey: "lamps")
    #expect(try save(context) == [row + lamps, lampRow + "C0"])
    try context.delete(shelf)
    #expect(
      try save(context)
        == ["delete Shelf \(shelf.objectID.key.number) NULL", "update Lamp \(other.objectID.key.number) 80"])
  }

  @Test func `a save that changes no stored property records nothing`() throws {
    let store = try store()
    let context = try ManagedObjectContext(store)
    let book = try context.insert("Book")
    #expect(try save(context).count == 1)
    try book.setValue(.attribute(.string("a")), forKey: "scratch")
    #expect(try save(context) == [])
    #expect(try store.history().map(\.number) == [1])
    try book.setValue(.attribute(.integer(3)), forKey: "pages")
    #expect(try save(context) == ["update Book 1 40"])
    #expect(try store.history().map(\.number) == [1, 2])
  }

  @Test func `a deleted object leaves the values of its attributes`() throws {
    let store = try store()
    let context = try ManagedObjectContext(store)
    let (book, lamp) = (try context.insert("Book"), try context.insert("Lamp"))
    try book.setValue(.attribute(.string("a")), forKey: "title")
    try context.save()
    try context.delete(book)
    try context.delete(lamp)
    try context.save()
    let rows = try PlainSQLite(file).run(
      "SELECT ZENTITY, ZTOMBSTONE0 FROM ACHANGE WHERE ZCHANGETYPE = 2 ORDER BY ZENTITY")
    #expect(rows == [["2", "a"], ["4", "NULL"]])
    #expect(try store.history().last?.changes.map(\.tombstone).contains(["title": .string("a")]) == true)
  }

  @Test func `a list in the model determines the preserved values and their order`() throws {
    var event = EntityDescription(
      "Event", [.attribute("a", .string), .attribute("b", .integer16), .attribute("c", .string)])
    event.userInfo["NSPersistentHistoryTombstoneAttributes"] = .string("c, a,other")
    let model = try ManagedObjectModel(entities: [event])
    let store = try SQLiteStore(file, model: model, access: .readWrite(tracksHistory: true))
    let context = try ManagedObjectContext(store)
    let object = try context.insert("Event")
    for name in ["a", "c"] { try object.setValue(.attribute(.string(name)), forKey: name) }
    try context.save()
    try context.delete(object)
    try context.save()
    #expect(
      try PlainSQLite(file).run("SELECT ZTOMBSTONE0, ZTOMBSTONE1 FROM ACHANGE WHERE ZCHANGETYPE = 2") == [["c", "a"]])
    #expect(try store.history().last?.changes.first?.tombstone == ["a": .string("a"), "c": .string("c")])
  }

  @Test func `batch requests record the changes of other objects, too`() throws {
    let store = try store()
    let context = try ManagedObjectContext(store)
    let (shelf, novel) = (try context.insert("Shelf"), try context.insert("Novel"))
    let (book, lamp, author) = (try context.insert("Book"), try context.insert("Lamp"), try context.insert("Author"))
    try shelf.setValue(.set([.object(novel), .object(book)]), forKey: "books")
    try shelf.setValue(.set([.object(lamp)]), forKey: "lamps")
    try author.setValue(.set([.object(novel)]), forKey: "books")
    #expect(try save(context).count == 5)
    let books = try shelfBit("books")
    func last() throws -> Set<String> {
      let number = try PlainSQLite(file).column("SELECT MAX(Z_PK) FROM ATRANSACTION")[0]
      let rows = try HistoryRow.all(file).filter { "\($0.transaction)" == number }
      #expect(rows.map(\.kind) == rows.map(\.kind).sorted())
      return Set(rows.map { "\($0)".split(separator: " ").dropFirst().joined(separator: " ") })
    }
    try context.execute(.update("Book", ["pages": AttributeValue.integer(5)]))
    #expect(
      try last() == ["update Book \(book.objectID.key.number) 40", "update Novel \(novel.objectID.key.number) 40"])
    try context.execute(.delete("Novel"))
    #expect(
      try last() == [
        "update Shelf \(shelf.objectID.key.number) \(books)", "update Author \(author.objectID.key.number) 40",
        "delete Novel \(novel.objectID.key.number) NULL",
      ])
    try context.execute(.delete("Shelf"))
    #expect(
      try last() == [
        "update Book \(book.objectID.key.number) 80", "update Lamp \(lamp.objectID.key.number) 80",
        "delete Shelf \(shelf.objectID.key.number) NULL",
      ])
  }

  @Test func `the tables of an older framework have the texts in the transaction`() throws {
    let older = """
      DROP TABLE ATRANSACTIONSTRING; DROP TABLE ATRANSACTION;
      CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTIMESTAMP TIMESTAMP,
        ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB );
      """
    let store = try store(older)
    #expect(store.writingObstacles == [])
    let context = try ManagedObjectContext(store)
    context.transactionAuthor = "author"
    try context.insert("Lamp")
    try context.save()
    let process = ProcessInfo.processInfo.processName
    #expect(
      try PlainSQLite(file).run("SELECT ZAUTHOR, ZBUNDLEID, ZCONTEXTNAME, ZPROCESSID FROM ATRANSACTION")
        == [["author", process, "NULL", process]])
    let last = try #require(try store.history().last)
    #expect(last.author == "author" && last.processName == process && last.bundleIdentifier == process)
    var request = HistoryRequest()
    request.author = .oneOf(["author"])
    #expect(try store.historyCount(request).transactions == 1)
    request.author = .oneOf([nil, "other"])
    #expect(try store.historyCount(request).transactions == 0)
    #expect(try PlainSQLite(file).column("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_ENT > 16000") == ["16001", "16002"])
  }

  @Test(arguments: [
    ("ALTER TABLE ACHANGE ADD COLUMN ZMORE BLOB", "the table ACHANGE of the history has other columns"),
    ("ALTER TABLE ATRANSACTION DROP COLUMN ZQUERYGEN", "the table ATRANSACTION of the history has other columns"),
    ("DROP TABLE ATRANSACTIONSTRING", "the table ATRANSACTION of the history has other columns"),
    ("ALTER TABLE ATRANSACTIONSTRING ADD COLUMN ZMORE BLOB", "the table ATRANSACTIONSTRING of the history has other"),
    ("ALTER TABLE ACHANGE RENAME COLUMN ZTOMBSTONE0 TO ZTOMBSTONE1", "the table ACHANGE of the history has other"),
    ("DROP TABLE ACHANGE", "the history has no table ACHANGE"),
    ("INSERT INTO Z_PRIMARYKEY VALUES (16002, 'OTHER', 0, 0)", "has the name \"OTHER\" for the number 16002"),
  ])
  func `a history with other tables is not continued`(change: String, message: String) throws {
    let store = try store(change + ";")
    #expect(store.writingObstacles.contains { $0.contains(message) }, "\(store.writingObstacles)")
    let context = try ManagedObjectContext(store)
    try context.insert("Lamp")
    let error = #expect(throws: ManagedObjectError.self) { try context.save() }
    #expect(error?.code == .save && error?.message.contains(message) == true)
    let deletion = #expect(throws: ManagedObjectError.self) { try store.deleteHistory(through: 1) }
    #expect(deletion?.code == .save)
    #expect(try PlainSQLite(file).column("SELECT Z_PK FROM ZLAMP") == [])
  }

  @Test func `an object is not deleted if the history cannot preserve its values`() throws {
    let store = try store("ALTER TABLE ACHANGE DROP COLUMN ZTOMBSTONE0;")
    let context = try ManagedObjectContext(store)
    let (book, lamp) = (try context.insert("Book"), try context.insert("Lamp"))
    try context.save()
    try context.delete(lamp)
    try context.save()
    try context.delete(book)
    let error = #expect(throws: ManagedObjectError.self) { try context.save() }
    #expect(error?.code == .save && error?.message.contains("expected 1 columns ZTOMBSTONE…, found 0") == true)
    #expect(try PlainSQLite(file).column("SELECT Z_PK FROM ZBOOK") == ["1"])
    context.rollback()
    let batch = #expect(throws: ManagedObjectError.self) { try context.execute(.delete("Book")) }
    #expect(batch?.code == .save)
    #expect(try PlainSQLite(file).column("SELECT Z_PK FROM ZBOOK") == ["1"])
  }

  @Test func `saves are deleted up to a position, and numbers continue`() throws {
    let store = try store()
    let context = try ManagedObjectContext(store)
    for _ in 0..<3 {
      try context.insert("Lamp")
      try context.save()
    }
    let tokens = try store.history().map(\.token)
    try store.deleteHistory(before: .token(tokens[2]))
    #expect(try store.history().map(\.number) == [3])
    #expect(try PlainSQLite(file).column("SELECT Z_PK FROM ACHANGE") == ["3"])
    let error = #expect(throws: ManagedObjectError.self) { try store.history(HistoryRequest(after: .token(tokens[0]))) }
    #expect(error?.code == .historyTokenExpired)
    try store.deleteHistory(through: 3)
    try context.insert("Lamp")
    try context.save()
    #expect(try store.history().map(\.number) == [4])
    let stop = #expect(throws: ManagedObjectError.self) { try store.stopTrackingHistory() }
    #expect(stop?.code == .operation)
  }

  @Test func `the tables of CloudKit stay as they are, and keep the history`() throws {
    let store = try store(
      """
      CREATE TABLE ANSCKMETADATAENTRY ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZKEY VARCHAR );
      CREATE TABLE ANSCKRECORDMETADATA ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZENTITYID INTEGER,
        ZENTITYPK INTEGER, ZNEEDSUPLOAD INTEGER, ZCKRECORDNAME VARCHAR );
      INSERT INTO Z_PRIMARYKEY VALUES (17009, 'NSCKMetadataEntry', 0, 1), (17012, 'NSCKRecordMetadata', 0, 1);
      INSERT INTO ANSCKMETADATAENTRY VALUES (1, 17009, 1, 'key');
      INSERT INTO ANSCKRECORDMETADATA VALUES (1, 17012, 1, 4, 1, 0, 'record');
      """)
    let content = "SELECT * FROM ANSCKRECORDMETADATA JOIN ANSCKMETADATAENTRY JOIN Z_PRIMARYKEY p ON p.Z_ENT > 17000"
    let before = try PlainSQLite(file).run(content)
    let context = try ManagedObjectContext(store)
    let lamp = try context.insert("Lamp")
    #expect(try save(context) == ["insert Lamp 1 NULL"])
    try context.delete(lamp)
    #expect(try save(context) == ["delete Lamp 1 NULL"])
    #expect(try before.count == 2 && PlainSQLite(file).run(content) == before)
    let error = #expect(throws: ManagedObjectError.self) { try store.deleteHistory(through: 1) }
    #expect(error?.code == .save && error?.message.contains("CloudKit") == true)
    #expect(try store.history().map(\.number) == [1, 2])
  }
}
