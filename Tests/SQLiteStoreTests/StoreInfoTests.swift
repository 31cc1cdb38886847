import Foundation
import ManagedObjects
import SQLiteStore
import StoreInspection
import TestSupport
import Testing

@Suite("Information about a store file", .enabled(if: StoreReader.isAvailable)) struct StoreInfoTests {
  @Test func `a summary has the kind, entities, counts, hashes and external data`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let file = try LibraryStore.write(to: folder)
    let info = try StoreInfo(file)
    #expect(info.kind == .sqlite && info.kind.isStore && info.modelSource == .store)
    #expect(info.identifier == LibraryStore.identifier && info.frameworkVersion == 1344)
    let own = Dictionary(uniqueKeysWithValues: info.entities.map { ($0.name, $0.ownCount) })
    #expect(own == ["Note": 3, "Person": 1, "Employee": 1, "Manager": 1, "Tag": 2, "Thing": 2])
    #expect(info.entities.first { $0.name == "Person" }?.totalCount == 3)
    #expect(info.entities.first { $0.name == "Manager" }?.superentity == "Person")
    #expect(info.objectCount == 10 && info.hasEqualHashes == true)
    #expect(info.externalData?.fileCount == 1 && info.externalData?.size == 7)
    let pages = try #require(info.database)
    #expect(pages.pageSize * pages.pageCount == Int64(try #require(info.fileSize)) && !pages.usesLog)
    #expect(pages.logSize == nil && info.history == nil && info.defect == nil)
    #expect(!info.writingObstacles.isEmpty)
  }

  @Test func `a summary reports a WAL, a history and another model`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let file = folder.url.appending(path: "a.sqlite")
    let model = try ManagedObjectModel(entities: [EntityDescription("Note", [.attribute("title", .string)])])
    let store = try SQLiteStore(file, model: model, access: .readWrite(tracksHistory: true))
    var changes = StoreChanges()
    changes.author = "Ada"
    changes.inserted = try store.makeKeys([0, 0]).map { StoreRow(key: $0, version: 1, values: [.null]) }
    let start = Date()
    try store.save(changes)
    let end = Date()
    let info = try StoreInfo(file)
    #expect(info.database?.usesLog == true && info.database?.logSize ?? 0 > 0)
    let history = try #require(info.history)
    #expect(history.transactionCount == 1 && history.changeCount == 2 && history.authors == ["Ada"])
    #expect(history.firstNumber == 1 && history.firstDate == history.lastDate)
    // Half a millisecond for rounding.
    #expect((start - 0.0005...end + 0.0005).contains(try #require(history.lastDate)))
    let other = try ManagedObjectModel(entities: [
      EntityDescription("Note", [.attribute("title", .integer32)]), EntityDescription("Tag"),
    ])
    let compared = try StoreInfo(file, model: other)
    #expect(compared.modelSource == .given && compared.hasEqualHashes == false)
    #expect(compared.entities.map(\.hash) == [.different, .missing])
    #expect(compared.entities.map(\.ownCount) == [2, nil])
  }

  @Test func `a summary has the kind of a model, of another store or of another file`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let model = LibraryStore.model
    let plain = try StoreUse.model.get()
    func url(_ name: String) -> URL { folder.url.appending(path: name) }
    try model.compiledData().write(to: url("a.mom"))
    let versions = VersionedModel(models: ["One": model], currentName: "One")
    try versions.writeCompiled(to: url("a.momd"))
    try versions.writeSource(to: url("a.xcdatamodeld"))
    _ = try XMLStore(url("a.xml"), model: plain)
    _ = try BinaryStore(url("a.store"), model: plain)
    try (Data("CoreData".utf8) + Data(count: 64)).write(to: url("a.dat"))
    try Data("text".utf8).write(to: url("text"))
    for (name, kind, count) in [
      ("a.mom", StoreInfo.Kind.compiledModel, 6), ("a.momd", .compiledVersions, 6),
      ("a.xcdatamodeld", .sourceVersions, 6), ("a.xcdatamodeld/One.xcdatamodel", .sourceModel, 6),
      ("a.xcdatamodeld/One.xcdatamodel/contents", .sourceModel, 6), ("a.xml", .xml, 6), ("a.store", .binary, 6),
      ("a.dat", .coreDataBinary, 0), ("text", .other, 0), ("", .other, 0),
    ] {
      let info = try StoreInfo(url(name))
      #expect(info.kind == kind && info.entities.count == count, "\(name): \(info.kind), \(info.entities.count)")
      #expect(info.kind.isModel == (info.modelSource == .store), "\(name)")
    }
    #expect(try StoreInfo(url("a.momd")).currentVersion == "One")
    let xml = try StoreInfo(url("a.xml"), model: plain)
    #expect(xml.objectCount == 0 && xml.hasEqualHashes == true && xml.defect == nil)
    #expect(errorCode { _ = try StoreInfo(url("gone")) } == .noSuchFile)
  }

  @Test(arguments: StoreSamples.stores)
  func `a summary of Apple's stores has the counts that SQLite finds`(store: URL) throws {
    let info = try StoreInfo(store)
    let folder = TemporaryFolder(isInMemory: true)
    let database = try PlainSQLite(StoreSamples.copy(store, to: folder))
    for entity in info.entities {
      let number = try database.column("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(entity.name)'").first
      guard let number else { continue }
      var root = entity
      while let name = root.superentity, let parent = info.entities.first(where: { $0.name == name }) { root = parent }
      let count = try database.column(
        "SELECT COUNT(*) FROM \"Z\(root.name.uppercased())\" WHERE Z_ENT = \(number)"
      ).first
      #expect(entity.ownCount.map(String.init) == count, "\(entity.name)")
    }
    #expect(info.hasEqualHashes != false && info.defect == nil)
  }
}
