import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@Suite("A migration and the external files of a store") struct MigrationFilesTests {
  private let folder = TemporaryFolder(isInMemory: true)

  private func open(_ file: URL, _ model: ManagedObjectModel) throws -> ManagedObjectContext {
    try ManagedObjectContext(SQLiteStore(file, model: model))
  }

  /// Photos with data that may be stored in external files.
  private static let photo: EntityDescription = {
    var data = AttributeDescription("data", .binary)
    data.allowsExternalBinaryDataStorage = true
    return EntityDescription("Photo", [.attribute("name", .string), .attribute(data)])
  }()

  /// The same entity with data that are always stored in rows.
  private static let plain: EntityDescription = {
    var plain = photo
    plain.properties[1] = .attribute("data", .binary)
    return plain
  }()

  private static let gone = EntityDescription("Photo", [.attribute("name", .string)])

  private static let expected = [Data([1, 2, 0]), Data([9, 9]), Data([1, 2, 2])]

  /// Creates a store with three photos, one of them in an external file. Returns this file.
  private func makeStore(_ file: URL) throws -> URL {
    do {
      let context = try open(file, ManagedObjectModel(entities: [Self.photo]))
      for number in 0..<3 {
        let photo = try context.insert("Photo")
        try photo.setValues(["name": .string("p\(number)"), "data": .data(Data([1, 2, UInt8(number)]))])
      }
      try context.save()
    }
    let support = file.deletingLastPathComponent()
      .appending(path: ".\(file.deletingPathExtension().lastPathComponent)_SUPPORT/_EXTERNAL_DATA")
    try FileManager.default.createDirectory(at: support, withIntermediateDirectories: true)
    let name = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
    try Data([9, 9]).write(to: support.appending(path: name))
    try PlainSQLite(file).run(
      "UPDATE ZPHOTO SET ZDATA = CAST(x'02' || CAST('\(name)' AS BLOB) || x'00' AS BLOB) WHERE ZNAME = 'p1'")
    return support.appending(path: name)
  }

  private func values(_ file: URL, _ entity: EntityDescription) throws -> [Data] {
    let context = try open(file, ManagedObjectModel(entities: [entity]))
    return try context.fetch(FetchRequest("Photo", sortedBy: [.init("name")])).compactMap {
      if case .attribute(.data(let data))? = $0["data"] { data } else { nil }
    }
  }

  @Test
  func `external values move into the rows of a new store, and the old store keeps its files`() throws {
    for (number, (entity, mapping)) in [
      (Self.plain, StoreMapping()), (Self.gone, StoreMapping()),
      (Self.plain, StoreMapping(entities: ["Photo": EntityMigrationPolicy()])),
    ].enumerated() {
      let new = try ManagedObjectModel(entities: [entity])
      let file = folder.url.appending(path: "a\(number).sqlite")
      let external = try makeStore(file)
      let output = folder.url.appending(path: "b\(number).sqlite")
      try SQLiteStore.migrate(file, to: new, by: mapping, output: output, droppedValues: .drop)
      #expect(FileManager.default.fileExists(atPath: external.path))
      #expect(try values(file, Self.photo) == Self.expected)
      if entity.properties.count > 1 { #expect(try values(output, entity) == Self.expected) }
      #expect(try PlainSQLite(output).column("PRAGMA application_id") == ["0"])
      // If a file is missing whose data would be copied, the migration fails, because the file might come back.
      try FileManager.default.moveItem(atPath: external.path, toPath: external.path + "x")
      let bytes = try Data(contentsOf: file)
      if entity.properties.count > 1 {
        let error = #expect(throws: ManagedObjectError.self) {
          try SQLiteStore.migrate(file, to: new, by: mapping, droppedValues: .drop)
        }
        #expect(error?.code == .migration && error?.message.contains(external.lastPathComponent) == true)
        #expect(try Data(contentsOf: file) == bytes)
      }
      try FileManager.default.moveItem(atPath: external.path + "x", toPath: external.path)
      try SQLiteStore.migrate(file, to: new, by: mapping, droppedValues: .drop)
      #expect(!FileManager.default.fileExists(atPath: external.path))
      if entity.properties.count > 1 { #expect(try values(file, entity) == Self.expected) }
    }
  }

  @Test(arguments: ["Notes.bak", "Notes"])
  func `a copy in the same folder keeps external files that both stores share`(name: String) throws {
    let file = folder.url.appending(path: "Notes.sqlite")
    let external = try makeStore(file)
    let copy = folder.url.appending(path: name)
    try FileManager.default.copyItem(at: file, to: copy)
    // These stores have other folders, or none.
    for other in ["Notes2.sqlite", "Notes.old.sqlite", "My Notes.sqlite"] {
      try Data("other".utf8).write(to: folder.url.appending(path: other))
    }
    let model = try ManagedObjectModel(entities: [Self.plain])
    try SQLiteStore.migrate(file, to: model, droppedValues: .drop)
    #expect(try values(file, Self.plain) == Self.expected)
    #expect(FileManager.default.fileExists(atPath: external.path))
    #expect(try values(copy, Self.photo) == Self.expected)
    // The last store takes the files along.
    try FileManager.default.removeItem(at: file)
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
    try SQLiteStore.migrate(copy, to: model, droppedValues: .drop)
    #expect(try values(copy, Self.plain) == Self.expected)
    #expect(!FileManager.default.fileExists(atPath: external.path))
  }

  @Test(arguments: [false, true])
  func `a migration through a link finds the external files next to the store`(isMapped: Bool) throws {
    let other = folder.url.appending(path: "other")
    try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
    let file = other.appending(path: "Notes.sqlite")
    let external = try makeStore(file)
    let link = folder.url.appending(path: "link.sqlite")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    let mapping = StoreMapping(entities: isMapped ? ["Photo": EntityMigrationPolicy()] : [:])
    try SQLiteStore.migrate(link, to: ManagedObjectModel(entities: [Self.plain]), by: mapping, droppedValues: .drop)
    #expect(try values(file, Self.plain) == Self.expected)
    #expect(!FileManager.default.fileExists(atPath: external.path))
  }

  @Test(arguments: [false, true])
  func `a new store is a snapshot of the old store, even during saves`(isMapped: Bool) throws {
    let file = folder.url.appending(path: "store.sqlite")
    let old = try ManagedObjectModel(entities: [Self.gone])
    var entity = Self.gone
    entity.properties.append(.attribute("date", .date))
    let new = try ManagedObjectModel(entities: [entity])
    _ = try open(file, old)
    let state = Mutex((saves: 0, isOver: false))
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      defer { ended.signal() }
      do {
        let store = try SQLiteStore(file, model: old)
        let context = try ManagedObjectContext(store)
        while !state.withLock({ $0.isOver }) {
          // The metadata also contain the number of objects.
          try context.insert("Photo")
          var metadata = store.metadata
          metadata["photos"] = .string("\(state.withLock { $0.saves } + 1)")
          store.setMetadata(metadata)
          try context.save()
          state.withLock { $0.saves += 1 }
        }
      } catch { Issue.record("\(error)") }
    }
    let mapping = StoreMapping(entities: isMapped ? ["Photo": EntityMigrationPolicy()] : [:])
    let rounds = LongForm.size(8, or: 3)
    for round in 0..<rounds {
      let saves = state.withLock { $0.saves }
      _ = eventually { state.withLock { $0.saves } > saves }
      let output = folder.url.appending(path: "new\(round).sqlite")
      try SQLiteStore.migrate(file, to: new, by: mapping, output: output, droppedValues: .drop)
      let count = try PlainSQLite(output).column("SELECT COUNT(*) FROM ZPHOTO")
      #expect(try SQLiteStore.metadata(ofFile: output)["photos"] == .string(count[0]))
    }
    state.withLock { $0.isOver = true }
    ended.wait()
    #expect(state.withLock { $0.saves } >= rounds)
  }
}
