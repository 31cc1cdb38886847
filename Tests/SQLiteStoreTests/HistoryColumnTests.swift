import Foundation
import ManagedObjects
import SQLiteAccess
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@Suite("The bits of recorded changes") struct HistoryColumnTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private var file: URL { folder.url.appending(path: "a.sqlite") }

  private func store(_ entities: [EntityDescription]) throws -> SQLiteStore {
    try SQLiteStore(
      file, model: ManagedObjectModel(entities: entities), access: .readWrite(tracksHistory: true))
  }

  /// Returns the name of the property of each bit; an empty string for a bit of another entity's property.
  private func names(_ columns: HistoryColumns) -> [String] {
    columns.columns.indices.map { bit in
      var bytes = [UInt8](repeating: 0, count: bit / 8 + 1)
      bytes[bit / 8] = 0x80 >> UInt8(bit % 8)
      return columns.names(Data(bytes)).joined(separator: " ")
    }
  }

  @Test func `keys come first, then attributes, then a to-many relationship, each from the root on`() throws {
    var scratch = AttributeDescription("aScratch", .string)
    scratch.isTransient = true
    var animal = EntityDescription(
      "Animal",
      [
        .attribute("name", .string), .attribute("age", .integer16), .attribute(scratch),
        .relationship("zoo", to: "Zoo", inverse: "animals"), .relationship("friend", to: "Animal"),
      ])
    animal.userInfo = [:]
    var dog = EntityDescription(
      "Dog",
      [
        .attribute("breed", .string), .attribute("Age", .double), .relationship("keeper", to: "Zoo"),
        .relationship("puppies", to: "Dog", inverse: "mother", isToMany: true),
        .relationship("mother", to: "Dog", inverse: "puppies"),
      ])
    dog.superentity = "Animal"
    let zoo = EntityDescription(
      "Zoo",
      [
        .relationship("animals", to: "Animal", inverse: "zoo", isToMany: true),
        .relationship("pets", to: "Dog", isToMany: true), .attribute("city", .string),
      ])
    let store = try store([animal, dog, zoo])
    // An animal can be a dog, so a friend has a bit for its entity. The owners of pets have a bit in dogs only.
    #expect(
      try store.historyColumns(of: "Animal").map(names) == ["friend", "friend", "zoo", "age", "name"])
    #expect(
      try store.historyColumns(of: "Dog").map(names)
        == ["friend", "friend", "zoo", "keeper", "mother", "", "age", "name", "Age", "breed", "puppies"])
    #expect(try store.historyColumns(of: "Zoo")?.columns.count == 3)
    #expect(try store.historyColumns(of: "Other") == nil)
  }

  @Test func `a composite attribute has a bit for each element, in the order of the model`() throws {
    var place = AttributeDescription("place", .composite)
    var size = AttributeDescription("size", .composite)
    size.elements = [AttributeDescription("y", .double), AttributeDescription("x", .double)]
    place.elements = [AttributeDescription("street", .string), size, AttributeDescription("city", .string)]
    let plain = try ManagedObjectModel(entities: [EntityDescription("Note", [.attribute("title", .string)])])
    _ = try SQLiteStore(file, model: plain)
    try SQLiteFile.change(
      file,
      """
      UPDATE Z_METADATA SET Z_PLIST = NULL; ALTER TABLE ZNOTE ADD COLUMN ZSTREET VARCHAR;
      ALTER TABLE ZNOTE ADD COLUMN ZCITY VARCHAR; ALTER TABLE ZNOTE ADD COLUMN ZY FLOAT;
      ALTER TABLE ZNOTE ADD COLUMN ZX FLOAT; ALTER TABLE ZNOTE ADD COLUMN ZA VARCHAR;
      """)
    let model = try ManagedObjectModel(entities: [
      EntityDescription("Note", [.attribute("title", .string), .attribute(place), .attribute("a", .string)])
    ])
    let columns = try #require(try SQLiteStore(file, model: model, access: .readOnly).historyColumns(of: "Note"))
    #expect(names(columns) == ["a", "place", "place", "place", "place", "title"])
    let paths = columns.columns.compactMap { if case .element(_, let path) = $0 { path } else { nil } }
    #expect(paths == [["street"], ["size", "y"], ["size", "x"], ["city"]])
  }

  @Test(.enabled(if: HistorySamples.areThere))
  func `the bits of recorded updates are those of the columns that changed`() throws {
    let store = try SQLiteStore(withModelInFile: HistorySamples.gameStore(folder), writesNothing: true)
    var count = 0
    for truth in try HistorySamples.truth() {
      let columns = try #require(try store.historyColumns(of: truth.entity))
      #expect(names(columns) == truth.slots)
      guard let bits = truth.bits else { continue }
      #expect(bits.count / 2 == (columns.columns.count + 7) / 8)
      let data = Data(
        stride(from: 0, to: bits.count, by: 2).compactMap { UInt8(bits.dropFirst($0).prefix(2), radix: 16) })
      let toMany = "requiredComponents"
      #expect(
        columns.names(data).filter { $0 != toMany }.map { "Z" + $0.uppercased() } == truth.columnsChanged.sorted(),
        "\(truth.row)")
      count += 1
    }
    #expect(count == 25)
  }

  @Test(.enabled(if: HistorySamples.areThere))
  func `the order of to-many relationships is learned from recorded changes`() throws {
    let file = try HistorySamples.accountStore(folder)
    let store = try SQLiteStore(withModelInFile: file, writesNothing: true)
    let account = try #require(try store.historyColumns(of: "EntityAccount"))
    // The sixth column belongs to the folder that owns the account.
    #expect(names(account)[..<6] == ["bank", "compteLie", "identity", "initAccount", "preference", ""])
    let toManys = names(account).suffix(7)
    #expect(Array(toManys)[1...2] == ["paymentMode", "status"] && Array(toManys)[4...5] == ["rubric", "transactions"])
    #expect(
      toManys == ["bankStatement", "paymentMode", "status", "carnetCheques", "rubric", "transactions", "echeanciers"])
    #expect(try store.historyColumns(of: "EntityCategory").map(names)?.suffix(2) == ["sousOperations", "echeancier"])
    // No recorded update has another length, or a bit after the last column.
    var count = 0
    for row in try HistoryRow.all(file) where row.kind == 1 {
      let columns = try #require(try store.historyColumns(of: row.entity))
      #expect(row.bits.count / 2 == (columns.columns.count + 7) / 8, "\(row)")
      let last = try #require(UInt8(row.bits.suffix(2), radix: 16))
      #expect(columns.columns.count % 8 == 0 || last & 0xFF >> UInt8(columns.columns.count % 8) == 0, "\(row)")
      count += 1
    }
    #expect(count == 742)
    // The bit of the owner is set in the four updates with which a folder gets an account.
    #expect(try HistoryRow.all(file).count { $0.entity == "EntityAccount" && $0.bits.hasPrefix("04") } == 4)
  }

  /// Returns a store of albums with two to-many relationships, after statements of another program.
  private func albums(_ statements: String) throws -> SQLiteStore {
    let store = try store([
      EntityDescription(
        "Album",
        [
          .relationship("songs", to: "Song", inverse: "album", isToMany: true),
          .relationship("pages", to: "Page", inverse: "album", isToMany: true),
        ]),
      EntityDescription("Page", [.relationship("album", to: "Album", inverse: "pages")]),
      EntityDescription("Song", [.relationship("album", to: "Album", inverse: "songs")]),
    ])
    try SQLiteFile.change(file, statements)
    return store
  }

  private func change(_ transaction: Int, _ entity: Int, _ bits: String) -> String {
    "INSERT INTO ACHANGE (ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS) "
      + "VALUES (1, \(entity), 1, \(transaction), x'\(bits)');"
  }

  @Test func `without recorded changes, to-many relationships have the order of a hash table`() throws {
    let order = try albums("").historyColumns(of: "Album").map(names)
    #expect(order == ["songs", "pages"] || order == ["pages", "songs"])
    #expect(try albums("").historyColumns(of: "Album").map(names) == order)
  }

  @Test func `recorded changes take precedence over the hash table`() throws {
    let order = try #require(try albums("").historyColumns(of: "Album").map(names))
    // Album 1, Page 2, Song 3.
    let other = order[1] == "pages" ? 2 : 3
    let store = try albums(change(1, 1, "80") + change(1, other, "80"))
    #expect(try store.historyColumns(of: "Album").map(names) == [order[1], order[0]])
  }

  @Test func `the entities of one hierarchy are distinguished`() throws {
    var (folder, page) = (
      EntityDescription(
        "Folder",
        [
          .relationship("folders", to: "Folder", inverse: "folder", isToMany: true),
          .relationship("folder", to: "Folder", inverse: "folders"),
          .relationship("pages", to: "Page", inverse: "folder", isToMany: true),
        ]), EntityDescription("Page", [.relationship("folder", to: "Folder", inverse: "pages")])
    )
    (folder.superentity, page.superentity) = ("Node", "Node")
    let entities = [EntityDescription("Node", []), folder, page]
    let order = try #require(try store(entities).historyColumns(of: "Folder").map(names)?.suffix(2)).map(\.self)
    // The bits of a folder are those of its own folder, and of the two to-many relationships. Folder 2, Page 3.
    let (first, other) = (order[1] == "pages" ? 3 : 2, [order[1], order[0]])
    try SQLiteFile.change(file, change(1, 2, "40") + change(1, first, "80"))
    #expect(try store(entities).historyColumns(of: "Folder").map(names)?.suffix(2) == other[...])
  }

  @Test func `an object in its own relationship excludes nothing`() throws {
    let store = try store([
      EntityDescription(
        "Folder",
        [
          .relationship("folders", to: "Folder", inverse: "folder", isToMany: true),
          .relationship("folder", to: "Folder", inverse: "folders"),
          .relationship("pages", to: "Page", inverse: "folder", isToMany: true),
        ]), EntityDescription("Page", [.relationship("folder", to: "Folder", inverse: "pages")]),
    ])
    let context = try ManagedObjectContext(store)
    let (folder, page) = (try context.insert("Folder"), try context.insert("Page"))
    try context.save()
    try folder.setValue(.object(folder), forKey: "folder")
    try context.save()
    try page.setValue(.object(folder), forKey: "folder")
    try context.save()
    let again = try SQLiteStore(file, model: store.model)
    #expect(try again.historyColumns(of: "Folder").map(names) == store.historyColumns(of: "Folder").map(names))
    let updates = try again.history().flatMap(\.changes).filter { $0.kind == .update }
    #expect(updates.map(\.updatedProperties).contains(["folder", "folders"]))
    #expect(updates.map(\.updatedProperties).contains(["pages"]))
  }

  /// Returns entities of folders with pages and another to-many relationship.
  private func folders(_ second: PropertyDescription, _ others: [PropertyDescription] = []) -> [EntityDescription] {
    [
      EntityDescription(
        "Folder",
        [.relationship("pages", to: "Page", inverse: "folder", isToMany: true), second] + others),
      EntityDescription("Page", [.relationship("folder", to: "Folder", inverse: "pages")]),
      EntityDescription("Song", [.relationship("album", to: "Folder", inverse: "songs")]),
    ]
  }

  @Test func `another order of the same objects excludes nothing`() throws {
    let songs = PropertyDescription.relationship(
      "songs", to: "Song", inverse: "album", isToMany: true, isOrdered: true)
    let store = try store(folders(songs))
    let context = try ManagedObjectContext(store)
    let folder = try context.insert("Folder")
    let list = try (0..<3).map { _ in ManagedObject.Value.object(try context.insert("Song")) }
    try folder.setValue(.array(list), forKey: "songs")
    try context.save()
    try folder.setValue(.array(list.reversed()), forKey: "songs")
    try context.save()
    #expect(try store.history().last?.changes.map(\.updatedProperties) == [["songs"]])
    let again = try SQLiteStore(file, model: store.model)
    #expect(try again.history() == store.history())
  }

  @Test(arguments: [false, true])
  func `relationships without an inverse exclude nothing`(isOwn: Bool) throws {
    let loose = PropertyDescription.relationship("loose", to: isOwn ? "Folder" : "Song", isToMany: true)
    let songs = PropertyDescription.relationship("songs", to: "Song", inverse: "album", isToMany: true)
    let store = try store(folders(loose, [songs]))
    let context = try ManagedObjectContext(store)
    let (folder, song) = (try context.insert("Folder"), try context.insert("Song"))
    let member = ManagedObject.Value.object(isOwn ? folder : song)
    if isOwn {
      try context.save()
      try folder.setValue(.set([member]), forKey: "loose")
      try context.save()
      #expect(try store.history().last?.changes.map(\.updatedProperties) == [["loose"]])
    } else {
      // Another context deletes the object. The folder keeps its version, and loses nothing in the file.
      try folder.setValue(.set([member]), forKey: "loose")
      try context.save()
      let other = try ManagedObjectContext(store)
      _ = try other.execute(.delete("Song"))
      let count = try store.history().count
      try folder.setValue(.set([]), forKey: "loose")
      try context.save()
      #expect(try store.history().count == count)
    }
    let page = try context.insert("Page")
    try page.setValue(.object(folder), forKey: "folder")
    try context.save()
    #expect(try store.history().last?.changes.last?.updatedProperties == ["pages"])
    let again = try SQLiteStore(file, model: store.model)
    #expect(try again.history() == store.history())
  }

  @Test func `changes that no order explains leave the bits unknown, and unset`() throws {
    let store = try albums(change(1, 1, "C0") + change(1, 2, "80"))
    #expect(try store.historyColumns(of: "Album").map(names) == ["", ""])
    let context = try ManagedObjectContext(store)
    let (album, page) = (try context.insert("Album"), try context.insert("Page"))
    try context.save()
    try page.setValue(.object(album), forKey: "album")
    try context.save()
    let last = try #require(try store.history().last)
    #expect(last.changes.count == 2)
    let updates = Dictionary(uniqueKeysWithValues: last.changes.map { ($0.objectID.entity.name, $0.updatedProperties) })
    #expect(updates == ["Album": [], "Page": ["album"]])
    #expect(try HistoryRow.all(file).last { $0.entity == "Album" }?.bits == "00")
  }

  @Test func `the order is learned once, when an update is first recorded`() throws {
    let store = try albums("")
    let statements = Mutex<[String]>([])
    store.setTrace(SQLiteTrace { event in statements.withLock { $0.append(event.sql) } })
    func count() -> Int { statements.withLock { $0.count { $0.contains("FROM ACHANGE ORDER BY Z_PK DESC") } } }
    let context = try ManagedObjectContext(store)
    let (album, page) = (try context.insert("Album"), try context.insert("Page"))
    try context.save()
    #expect(count() == 0)
    for value in [album, nil, album] {
      try page.setValue(value.map { .object($0) } ?? .attribute(.null), forKey: "album")
      try context.save()
      #expect(count() == 1)
    }
    #expect(try store.history().last?.changes.count == 2 && count() == 1)
  }

  @Test func `a store without a history executes no statement for one`() throws {
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Page",
        [
          .attribute("text", .string), .relationship("next", to: "Page", inverse: "previous"),
          .relationship("previous", to: "Page", inverse: "next", isToMany: true),
        ])
    ])
    let store = try SQLiteStore(file, model: model)
    let statements = Mutex<[String]>([])
    store.setTrace(SQLiteTrace { event in statements.withLock { $0.append(event.sql) } })
    let context = try ManagedObjectContext(store)
    let (first, second) = (try context.insert("Page"), try context.insert("Page"))
    try context.save()
    try first.setValue(.object(second), forKey: "next")
    try context.save()
    try context.execute(.update("Page", ["text": AttributeValue.string("a")]))
    try context.execute(.delete("Page"))
    let seen = statements.withLock { $0 }
    #expect(seen.count { $0.hasPrefix("DELETE FROM") } > 0)
    #expect(seen.filter { $0.contains("ACHANGE") || $0.contains("ATRANSACTION") || $0.contains("managed_sides") } == [])
  }

  @Test func `only the latest changes are read`() throws {
    let order = try #require(try albums("").historyColumns(of: "Album").map(names))
    let other = order[1] == "pages" ? 2 : 3
    let filler =
      "WITH RECURSIVE n (i) AS (VALUES (2) UNION ALL SELECT i + 1 FROM n WHERE i < 20001) INSERT INTO ACHANGE "
      + "(ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) SELECT 0, 2, i, i FROM n;"
    let store = try albums(change(1, 1, "80") + change(1, other, "80") + filler)
    #expect(try store.historyColumns(of: "Album").map(names) == order)
  }
}
