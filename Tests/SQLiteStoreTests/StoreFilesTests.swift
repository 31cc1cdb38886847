import Foundation
import ManagedObjects
import SQLiteStore
import SystemFiles
import TestSupport
import Testing

@Suite("The files of an SQLite store") struct StoreFilesTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private var file: URL { folder.url.appending(path: "store.sqlite") }
  private var other: URL { folder.url.appending(path: "other.sqlite") }

  private static let model: ManagedObjectModel = {
    var image = AttributeDescription("image", .binary)
    image.allowsExternalBinaryDataStorage = true
    let photo = EntityDescription("Photo", [.attribute("number", .integer16), .attribute(image)])
    do { return try ManagedObjectModel(entities: [photo]) } catch { fatalError("\(error)") }
  }()

  private func folder(of file: URL) -> URL {
    let name = file.deletingPathExtension().lastPathComponent
    return folder.url.appending(path: ".\(name)_SUPPORT/_EXTERNAL_DATA")
  }

  /// Creates a store with photos in external files, as Core Data writes them. Returns the names of the files.
  @discardableResult
  private func make(_ file: URL, _ texts: String...) throws -> [String] {
    let coordinator = PersistentStoreCoordinator(model: Self.model)
    try coordinator.add(SQLiteStore(file, model: Self.model))
    let context = ManagedObjectContext(coordinator: coordinator)
    let data = folder(of: file)
    try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
    return try texts.enumerated().map { number, text in
      try context.insert("Photo").setValue(.integer(Int64(number)), forKey: "number")
      try context.save()
      let name = UUID().uuidString
      try Data(text.utf8).write(to: data.appending(path: name))
      let value = "x'02" + name.utf8.map { String(format: "%02x", $0) }.joined() + "00'"
      try PlainSQLite(file).run("UPDATE ZPHOTO SET ZIMAGE = \(value) WHERE ZNUMBER = \(number)")
      return name
    }
  }

  private func texts(_ file: URL) throws -> [String] {
    let coordinator = PersistentStoreCoordinator(model: Self.model)
    try coordinator.add(SQLiteStore(file, model: Self.model, access: .readOnly))
    let context = ManagedObjectContext(coordinator: coordinator)
    let photos = try context.fetch(FetchRequest("Photo"))
    return photos.compactMap { photo in
      guard case .attribute(.data(let data)) = photo["image"] else { return nil }
      return String(decoding: data, as: UTF8.self)
    }.sorted()
  }

  private func failure(_ body: () throws -> Void) -> ManagedObjectError? {
    do { try body() } catch { return error as? ManagedObjectError }
    return nil
  }

  private func names(in folder: URL) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()) ?? []
  }

  @Test func `external data is copied`() throws {
    let names = try make(file, "one", "two")
    try SQLiteStore.copyStore(at: file, to: other)
    #expect(try texts(other) == ["one", "two"])
    #expect(self.names(in: folder(of: other)) == names.sorted())
    try SQLiteStore.destroyStore(at: file)
    #expect(try texts(other) == ["one", "two"])
  }

  @Test func `external data moves with the store`() throws {
    try make(file, "one")
    try SQLiteStore.moveStore(at: file, to: other)
    #expect(try texts(other) == ["one"])
    #expect(folder.names.filter { $0.contains("store") } == [])
  }

  @Test func `replacing a store replaces its external data`() throws {
    try make(file, "one")
    let names = try make(other, "two", "three")
    try SQLiteStore.replaceStore(at: file, withStoreAt: other)
    #expect(try texts(file) == ["three", "two"])
    #expect(self.names(in: folder(of: file)) == names.sorted())
  }

  @Test(arguments: [false, true]) func `a store that is replaced with itself keeps its external data`(
    isLink: Bool
  ) throws {
    let names = try make(file, "one", "two")
    let link = folder.url.appending(path: "link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    try SQLiteStore.replaceStore(at: file, withStoreAt: isLink ? link : file)
    #expect(try texts(file) == ["one", "two"])
    #expect(self.names(in: folder(of: file)) == names.sorted())
  }

  @Test func `a destroyed store keeps the external data of a copy with another extension`() throws {
    try make(file, "one")
    let copy = folder.url.appending(path: "store.bak")
    try SQLiteStore.copyStore(at: file, to: copy)
    try SQLiteStore.destroyStore(at: file)
    #expect(try texts(copy) == ["one"])
    try SQLiteStore.moveStore(at: copy, to: file)
    #expect(try texts(file) == ["one"])
  }

  @Test func `only external data is deleted with a store`() throws {
    let names = try make(file, "one")
    let data = folder(of: file)
    try Data("mine".utf8).write(to: data.appending(path: "notes.txt"))
    let outside = folder.url.appending(path: "outside")
    try Data("outside".utf8).write(to: outside)
    let link = data.appending(path: UUID().uuidString)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: outside)
    try SQLiteStore.destroyStore(at: file)
    #expect(self.names(in: data) == [link.lastPathComponent, "notes.txt"].sorted())
    #expect(!self.names(in: data).contains(names[0]))
    #expect(try Data(contentsOf: outside) == Data("outside".utf8))
  }

  @Test func `a link in place of the folder of external data is not followed`() throws {
    try make(file, "one")
    try make(other, "two")
    let support = folder(of: file).deletingLastPathComponent()
    let elsewhere = folder.url.appending(path: "elsewhere")
    try FileManager.default.moveItem(at: support, to: elsewhere)
    try FileManager.default.createSymbolicLink(at: support, withDestinationURL: elsewhere)
    #expect(errorCode { try SQLiteStore.destroyStore(at: file) } == .open)
    #expect(errorCode { try SQLiteStore.replaceStore(at: file, withStoreAt: other) } == .open)
    #expect(errorCode { try SQLiteStore.moveStore(at: file, to: folder.url.appending(path: "new")) } == .open)
    #expect(try texts(file) == ["one"])
    #expect(names(in: elsewhere.appending(path: "_EXTERNAL_DATA")).count == 1)
  }

  @Test func `a copy that fails removes its external data`() throws {
    try make(file, "one")
    try make(other, "two")
    let store = try SQLiteStore(other, model: Self.model)
    let before = names(in: folder(of: other))
    #expect(errorCode { try SQLiteStore.replaceStore(at: other, withStoreAt: file) } == .locked)
    #expect(names(in: folder(of: other)) == before)
    #expect(folder.names.filter { $0.hasSuffix("-creation") } == [])
    withExtendedLifetime(store) {}
  }

  @Test func `a store in use is not destroyed or moved, and keeps its log`() throws {
    try make(file, "one")
    let store = try SQLiteStore(file, model: Self.model)
    #expect(errorCode { try SQLiteStore.destroyStore(at: file) } == .locked)
    #expect(errorCode { try SQLiteStore.moveStore(at: file, to: other) } == .locked)
    #expect(try PlainSQLite(file).run("PRAGMA journal_mode") == [["wal"]])
    #expect(try texts(file) == ["one"])
    withExtendedLifetime(store) {}
  }

  @Test(arguments: ["wal", "delete"]) func `copies and moved stores keep the journal mode`(mode: String) throws {
    try make(file, "one")
    try PlainSQLite(file).run("PRAGMA journal_mode = \(mode)")
    try SQLiteStore.copyStore(at: file, to: other)
    #expect(try PlainSQLite(other).run("PRAGMA journal_mode") == [[mode]])
    try SQLiteStore.destroyStore(at: other)
    try SQLiteStore.moveStore(at: file, to: other)
    #expect(try PlainSQLite(other).run("PRAGMA journal_mode") == [[mode]])
    #expect(try PlainSQLite(other).run("PRAGMA auto_vacuum") == [["2"]])
  }

  @Test func `changes that are only in the log are copied`() throws {
    try make(file, "one")
    let store = try PlainSQLite(file)
    try store.run("UPDATE ZPHOTO SET ZIMAGE = x'0178'")
    #expect(try FileManager.default.attributesOfItem(atPath: file.path + "-wal")[.size] as? Int ?? 0 > 0)
    try SQLiteStore.copyStore(at: file, to: other)
    #expect(!FileManager.default.fileExists(atPath: other.path + "-wal"))
    #expect(try texts(other) == ["x"])
  }

  @Test func `force does not replace or destroy a store in use`() throws {
    try make(file, "one")
    try make(other, "two")
    let store = try SQLiteStore(file, model: Self.model)
    #expect(errorCode { try SQLiteStore.destroyStore(at: file, force: true) } == .locked)
    #expect(errorCode { try SQLiteStore.replaceStore(at: file, withStoreAt: other, force: true) } == .locked)
    #expect(try texts(file) == ["one"])
    withExtendedLifetime(store) {}
  }

  /// Damages a store that has changes in its write-ahead log.
  private func damage(_ file: URL) throws {
    let log = URL(filePath: file.path + "-wal")
    var store: PlainSQLite? = try PlainSQLite(file)
    try store?.run("UPDATE ZPHOTO SET ZIMAGE = x'0178'")
    let changes = try Data(contentsOf: log)
    #expect(changes.count > 32)
    // Closing the last connection deletes the log.
    withExtendedLifetime(store) {}
    store = nil
    // SQLite checkpoints and deletes the log of a longer file when it fails to read the file.
    try Data([0]).write(to: file)
    try changes.write(to: log)
  }

  @Test func `the log and external data of a damaged store are deleted with it`() throws {
    try make(file, "one")
    try damage(file)
    try SQLiteStore.destroyStore(at: file, force: true)
    #expect(folder.names == [])
  }

  @Test func `a new store does not get the log of the damaged one`() throws {
    try make(file, "one")
    try make(other, "two")
    try damage(file)
    try SQLiteStore.replaceStore(at: file, withStoreAt: other, force: true)
    #expect(try texts(file) == ["two"])
    #expect(names(in: folder(of: file)) == names(in: folder(of: other)))
  }

  @Test func `a copy is not created next to the log of a deleted store`() throws {
    try make(file, "one")
    let log = URL(filePath: other.path + "-wal")
    try Data("log".utf8).write(to: log)
    let error = failure { try SQLiteStore.copyStore(at: file, to: other) }
    #expect(error?.code == .save && error?.description.contains("other.sqlite-wal already exists") == true)
    #expect(!FileManager.default.fileExists(atPath: other.path))
    #expect(names(in: folder(of: other)) == [])
    // SQLite itself deletes the log when it creates the file.
    try make(other, "two")
    #expect(try texts(other) == ["two"])
  }

  @Test(arguments: [SystemCall.open, .synchronize, .status])
  func `the folder for unfinished files is removed if it may not be durable`(call: SystemCall) throws {
    try make(file, "one")
    let error = failure {
      try Interception.ofCalls(
        in: folder.url.path, { $0.call == call && $0.path.hasSuffix("/.other.sqlite-creation") ? EIO : nil }
      ) {
        try SQLiteStore.copyStore(at: file, to: other)
      }
    }
    #expect(error?.code == .save)
    #expect(!folder.names.contains { $0.contains("other") })
  }

  @Test(arguments: ["-wal", "-shm", "-journal"])
  func `a copy is not created next to a folder or link that is in the way of SQLite`(suffix: String) throws {
    try make(file, "one")
    let obstacle = URL(filePath: other.path + suffix)
    for isLink in [false, true] {
      if isLink {
        try FileManager.default.createSymbolicLink(at: obstacle, withDestinationURL: file)
      } else {
        try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: false)
      }
      let error = failure { try SQLiteStore.copyStore(at: file, to: other) }
      #expect(error?.code == .save && error?.description.contains("other.sqlite\(suffix) already exists") == true)
      #expect(!FileManager.default.fileExists(atPath: other.path) && names(in: folder(of: other)) == [])
      try FileManager.default.removeItem(at: obstacle)
    }
  }

  @Test(arguments: [true, false])
  func `an external file that cannot be deleted is the only one that remains`(moves: Bool) throws {
    let names = try make(file, "one", "two", "three").sorted()
    let error = failure {
      try Interception.ofCalls(in: folder.url.path, { $0.call == .unlink && $0.path.hasSuffix(names[1]) ? EPERM : nil })
      {
        if moves {
          try SQLiteStore.moveStore(at: file, to: other)
        } else {
          try SQLiteStore.destroyStore(at: file)
        }
      }
    }
    #expect(error?.code == .save && error?.description.contains(names[1]) == true)
    #expect(error?.description.contains("the store was deleted from \(file.path)") == true)
    #expect(self.names(in: folder(of: file)) == [names[1]])
    #expect(folder.names.filter { $0.hasPrefix("store") } == [])
    if moves { #expect(try texts(other) == ["one", "three", "two"]) }
  }

  @Test func `a store whose file cannot be deleted stays as it is`() throws {
    try make(file, "one", "two")
    let path = file.path
    let code = errorCode {
      try Interception.ofCalls(in: folder.url.path, { $0.call == .unlink && $0.path == path ? EPERM : nil }) {
        try SQLiteStore.destroyStore(at: file)
      }
    }
    #expect(code == .save)
    #expect(try texts(file) == ["one", "two"])
    #expect(try PlainSQLite(file).run("PRAGMA journal_mode") == [["wal"]])
  }

  @Test func `metadata is not set if a trigger would run`() throws {
    try make(file, "one")
    try PlainSQLite(file).run("CREATE TRIGGER t AFTER INSERT ON Z_METADATA BEGIN DELETE FROM ZPHOTO; END")
    #expect(errorCode { try SQLiteStore.setMetadata(["a": "b"], ofFile: file) } == .save)
    #expect(try PlainSQLite(file).run("SELECT COUNT(*) FROM ZPHOTO") == [["1"]])
  }
}
