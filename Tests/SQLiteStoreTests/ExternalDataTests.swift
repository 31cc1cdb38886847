import Foundation
import ManagedObjects
import SQLiteStore
import TestSupport
import Testing

@Suite("External data of an SQLite store") struct ExternalDataTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private var file: URL { folder.url.appending(path: "store.sqlite") }
  private var data: URL { folder.url.appending(path: ".store_SUPPORT/_EXTERNAL_DATA") }

  init() throws { try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true) }

  private static let model: ManagedObjectModel = {
    var image = AttributeDescription("image", .binary)
    image.allowsExternalBinaryDataStorage = true
    image.preservesValueInHistoryOnDeletion = true
    let photo = EntityDescription(
      "Photo",
      [
        .attribute("number", .integer16), .attribute("title", .string), .attribute(image),
        .relationship("parts", to: "Photo", inverse: "whole", isToMany: true, isOrdered: true),
        .relationship("whole", to: "Photo", inverse: "parts"),
      ])
    do { return try ManagedObjectModel(entities: [photo]) } catch { fatalError("\(error)") }
  }()

  private func store(tracksHistory: Bool? = nil) throws -> SQLiteStore {
    try SQLiteStore(file, model: Self.model, access: .readWrite(tracksHistory: tracksHistory))
  }

  private func context(_ stores: SQLiteStore...) throws -> ManagedObjectContext {
    let coordinator = PersistentStoreCoordinator(model: Self.model)
    if stores.isEmpty { try coordinator.add(store()) }
    for store in stores { try coordinator.add(store) }
    return ManagedObjectContext(coordinator: coordinator)
  }

  private func photos(_ context: ManagedObjectContext, _ format: String? = nil) throws -> [ManagedObject] {
    let request = FetchRequest("Photo", where: try format.map { try ManagedPredicate(format: $0) })
    return try context.fetch(request).sorted { $0.objectID.key < $1.objectID.key }
  }

  /// Returns the column value that Core Data writes for data in an external file.
  private static func value(_ name: String) -> String {
    "x'02" + name.utf8.map { String(format: "%02x", $0) }.joined() + "00'"
  }

  /// Inserts a photo for each column value.
  private func fill(_ values: [String]) throws {
    let context = try context()
    for number in values.indices {
      try context.insert("Photo").setValue(.integer(Int64(number)), forKey: "number")
      try context.save()
    }
    for (number, value) in values.enumerated() {
      try PlainSQLite(file).run("UPDATE ZPHOTO SET ZIMAGE = \(value) WHERE ZNUMBER = \(number)")
    }
  }

  /// Inserts photos with external files, and returns the files.
  private func fillFiles(_ texts: [String]) throws -> [URL] {
    let names = texts.map { _ in UUID().uuidString }
    for (name, text) in zip(names, texts) { try Data(text.utf8).write(to: data.appending(path: name)) }
    try fill(names.map(Self.value))
    return names.map { data.appending(path: $0) }
  }

  private func columns() throws -> [String] {
    try PlainSQLite(file).column("SELECT QUOTE(ZIMAGE) FROM ZPHOTO ORDER BY Z_PK").map { $0.lowercased() }
  }

  private static func text(_ text: String) -> AttributeValue { .data(Data(text.utf8)) }

  private static func image(_ object: ManagedObject) -> ManagedObject.Value? { object["image"] }

  @Test func `external data is read, and its file is kept when the value changes`() throws {
    let uuid = UUID().uuidString
    try Data("outside".utf8).write(to: data.appending(path: uuid))
    // The forms that Core Data writes: inline, an external file, and a missing file.
    let stored = ["x'01696e6e6572'", Self.value(uuid), Self.value(UUID().uuidString)]
    try fill(stored)
    let context = try context()
    let objects = try photos(context)
    #expect(objects.map(Self.image) == [Self.text("inner"), Self.text("outside"), .null].map { .attribute($0) })
    // Unchanged values keep their stored form.
    for object in objects { try object.setValue(.string("changed"), forKey: "title") }
    try context.save()
    #expect(try columns() == stored)
    try objects[1].setValue(Self.text("new"), forKey: "image")
    try context.save()
    #expect(try columns()[1] == "x'016e6577'")
    #expect(FileManager.default.fileExists(atPath: data.appending(path: uuid).path))
    #expect(try Self.image(photos(self.context())[1]) == .attribute(Self.text("new")))
  }

  @Test func `external data is read once, on first access`() throws {
    let files = try fillFiles(["a", "b"])
    let context = try context()
    let objects = try photos(context)
    #expect(objects.map { $0["number"] } == [.attribute(.integer(0)), .attribute(.integer(1))])
    try Data("later".utf8).write(to: files[0])
    #expect(Self.image(objects[0]) == .attribute(Self.text("later")))
    try Data("too late".utf8).write(to: files[0])
    #expect(Self.image(objects[0]) == .attribute(Self.text("later")))
    #expect(!context.hasChanges)
    // Neither a save without the value nor a save of all values changes the column.
    let before = try columns()
    try objects[0].setValue(.string("read"), forKey: "title")
    try objects[1].setValue(.string("not read"), forKey: "title")
    try context.save()
    #expect(try columns() == before)
    #expect(Self.image(objects[1]) == .attribute(Self.text("b")))
    // The same in a child context.
    let child = ManagedObjectContext(parent: try self.context())
    #expect(try photos(child).map(Self.image) == ["too late", "b"].map { .attribute(Self.text($0)) })
  }

  @Test(arguments: [1, 2])
  func `external data of a deleted row is null, and the object is inaccessible`(levels: Int) throws {
    _ = try fillFiles(["a"])
    let root = try context()
    let context = levels == 1 ? root : ManagedObjectContext(parent: root)
    let object = try photos(context)[0]
    #expect(object["number"] == .attribute(.integer(0)) && context.misuse.isEmpty)
    let other = try self.context()
    try other.delete(photos(other)[0])
    try other.save()
    #expect(!object.isInaccessible)
    #expect(Self.image(object) == .attribute(.null))
    #expect(object.isInaccessible)
    #expect(context.misuse.map(\.code) == [.referentialIntegrity])
    #expect(context.misuse.first?.objectID == object.objectID)
    // The error is noted once.
    _ = Self.image(object)
    #expect(context.misuse.count == 1)
  }

  @Test func `requests find external data by its contents`() throws {
    _ = try fillFiles(["a", "bb", "a"])
    let store = try store()
    for (format, numbers) in [
      ("image == CAST('YQ==', 'NSData')", [0, 2]), ("image.length > 1", [1]),
      // These have no form in SQL.
      ("image == CAST('YQ==', 'NSData') AND NOT parts[FIRST].title == 'x'", [0, 2]),
      ("image.length > 1 AND NOT parts[FIRST].title == 'x'", [1]),
    ] {
      let isComplete = try store.statement(
        for: FetchRequest("Photo", where: ManagedPredicate(format: format))
      ).isComplete
      #expect(isComplete != format.contains("FIRST"))
      let found = try photos(context(store), format).map { $0["number"] }
      #expect(found == numbers.map { .attribute(.integer(Int64($0))) }, "\(format)")
      // Unsaved changes are tested in memory, together with all stored objects.
      let changing = try context(store)
      try changing.insert("Photo").setValue(Self.text("ccc"), forKey: "image")
      #expect(try photos(changing, format).count == numbers.count + (format.contains("length") ? 1 : 0), "\(format)")
    }
  }

  @Test func `dictionaries from one store or several contain external data`() throws {
    _ = try fillFiles(["a", "b"])
    let other = folder.url.appending(path: "other.sqlite")
    let second = try SQLiteStore(other, model: Self.model)
    var request = FetchRequest("Photo")
    request.propertiesToFetch = [.property("image")]
    for stores in [[try store()], [try store(), second]] {
      let coordinator = PersistentStoreCoordinator(model: Self.model)
      for store in stores { try coordinator.add(store) }
      let found = try ManagedObjectContext(coordinator: coordinator).fetchDictionaries(request)
      #expect(found.map { $0["image"] } == ["a", "b"].map { .attribute(Self.text($0)) })
    }
  }

  @Test(arguments: [MergePolicy.objectTrump, .storeTrump])
  func `a merge keeps external data that only one side changed`(policy: MergePolicy) throws {
    _ = try fillFiles(["a", "b", "c"])
    let (first, second) = (try context(), try context())
    first.mergePolicy = policy
    let (mine, theirs) = (try photos(first), try photos(second))
    #expect(mine.map(Self.image).count == 3)
    // The other context changes the image or the title, and so does this one.
    try theirs[0].setValue(Self.text("theirs"), forKey: "image")
    try theirs[1].setValue(.string("theirs"), forKey: "title")
    try theirs[2].setValue(Self.text("theirs"), forKey: "image")
    try second.save()
    try mine[0].setValue(.string("mine"), forKey: "title")
    try mine[1].setValue(Self.text("mine"), forKey: "image")
    try mine[2].setValue(Self.text("mine"), forKey: "image")
    try first.save()
    let both = policy == .objectTrump ? "mine" : "theirs"
    #expect(mine.map(Self.image) == ["theirs", "mine", both].map { .attribute(Self.text($0)) })
    let stored = try photos(context())
    #expect(stored.map(Self.image) == mine.map(Self.image))
    #expect(stored.map { $0["title"] } == ["mine", "theirs"].map { .attribute(.string($0)) } + [.attribute(.null)])
  }

  @Test func `the history of a deleted object contains its external data`() throws {
    _ = try fillFiles(["a"])
    let store = try store(tracksHistory: true)
    let context = try context(store)
    for object in try photos(context) { try context.delete(object) }
    try context.save()
    let changes = try store.history().flatMap(\.changes)
    #expect(changes.map(\.tombstone) == [["image": Self.text("a")]])
  }

  @Test func `the history of a batch deletion contains external data`() throws {
    let files = try fillFiles(["a"])
    let store = try store(tracksHistory: true)
    #expect(try context(store).execute(.delete("Photo")).count == 1)
    let changes = try store.history().flatMap(\.changes)
    #expect(changes.map(\.tombstone) == [["image": Self.text("a")]])
    #expect(FileManager.default.fileExists(atPath: files[0].path))
  }

  @Test(arguments: ["2e2e2f73746f72652e73716c69746500", "", "00"])
  func `a file name outside the folder of external data is an error`(name: String) throws {
    try fill(["x'02\(name)'"])
    #expect(errorCode { _ = try photos(context()) } == .invalidValue)
    try PlainSQLite(file).run("UPDATE ZPHOTO SET ZIMAGE = x'03\(name)'")
    #expect(errorCode { _ = try photos(context()) } == .invalidValue)
  }

  @Test
  func `an unreadable external file is an error only when its value is read`() throws {
    let file = try fillFiles(["a"])[0]
    try Data("secret".utf8).write(to: folder.url.appending(path: "secret"))
    for kind in ["link", "pipe", "folder", "large"] {
      try FileManager.default.removeItem(at: file)
      switch kind {
      case "link": try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "../../secret")
      case "pipe": #expect(mkfifo(file.path, 0o600) == 0)
      case "folder": try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
      default:
        try Data().write(to: file)
        #expect(truncate(file.path, 1 << 40) == 0)
      }
      let store = try store()
      let context = try context(store)
      let object = try #require(try photos(context).first)
      let slot = try #require(Self.model["Photo"]?.attribute(named: "image")?.slot)
      let error = #expect(throws: ManagedObjectError.self) { try store.values(ofSlot: slot, [object.objectID.key]) }
      let message = error?.message ?? ""
      #expect(error?.code == .operation && message.contains(file.lastPathComponent), "\(kind): \(message)")
      // A property getter cannot throw.
      #expect(Self.image(object) == .null || Self.image(object) == .attribute(.null))
      #expect(context.misuse.last?.message.contains(file.lastPathComponent) == true)
      let before = try columns()
      try object.setValue(.string(kind), forKey: "title")
      try context.save()
      #expect(try columns() == before)
    }
    // Setting a new value does not read the old one.
    let context = try context()
    try photos(context)[0].setValue(Self.text("new"), forKey: "image")
    try context.save()
    #expect(try columns() == ["x'016e6577'"])
  }
}
