import Foundation
import ManagedObjects
import OrderedCollections
import PropertyLists
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@Suite("The files of a store") struct StoreFileTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private var file: URL { folder.url.appending(path: "store") }
  private var other: URL { folder.url.appending(path: "folder/other") }

  private static let model = StoreModels.model(
    [
      EntityDescription(
        "Person", [.attribute("name", .string), .relationship("notes", to: "Note", inverse: "author", isToMany: true)]),
      EntityDescription(
        "Note", [.attribute("content", .string), .relationship("author", to: "Person", inverse: "notes")]),
      EntityDescription("Thing", [.attribute("label", .string)]),
    ],
    configurations: ["people": ["Person", "Note"], "things": ["Thing"]])

  /// Creates a store with a person for each name, each with a note.
  private func make(_ kind: StoreKind, _ file: URL, _ names: String...) throws {
    let store = try kind.open(file, Self.model)
    try Self.fill(store, names)
  }

  private static func fill(_ store: any PersistentStore, _ names: [String]) throws {
    for name in names {
      try store.insert(["Person", "Note"]) { keys in
        [["name": .text(name), "notes": .toMany([keys[1]])], ["author": .toOne(keys[0]), "content": .text(name)]]
      }
    }
  }

  /// Returns the names of all people that have one note with their name, sorted.
  private func names(_ kind: StoreKind, _ file: URL) throws -> [String] {
    try Self.names(kind.open(file, Self.model, isReadOnly: true))
  }

  private static func names(_ store: any PersistentStore) throws -> [String] {
    let coordinator = PersistentStoreCoordinator(model: store.model)
    try coordinator.add(store)
    return try names(coordinator)
  }

  private static func names(_ coordinator: PersistentStoreCoordinator) throws -> [String] {
    let context = ManagedObjectContext(coordinator: coordinator)
    return try context.fetch(FetchRequest("Person")).compactMap { person in
      guard case .attribute(.string(let name)) = person["name"], case .set(let notes)? = person["notes"],
        notes.count == 1, case .object(let note) = notes[0], note["content"] == .attribute(.string(name))
      else { return nil }
      return name
    }.sorted()
  }

  @Test(arguments: StoreKind.ofFiles) func `errors of saving, reading and creating name the file`(
    kind: StoreKind
  ) throws {
    try make(kind, file, "a")
    let store = try kind.open(file, Self.model)
    let reader = try kind.open(file, Self.model, isReadOnly: true)
    for key in ["title", "a\u{0}b"] {
      reader.setMetadata([key: "b"])
      let error = thrownError { try reader.save(StoreChanges()) }
      #expect(error?.code == .save && error?.fileURL == file)
    }
    store.setMetadata(["a\u{0}b": "b"])
    let error = thrownError { try store.save(StoreChanges()) }
    #expect((error == nil) == (kind != .xml) && error?.fileURL == (kind == .xml ? file : nil))
    try make(kind, other, "b")
    try FileManager.default.removeItem(at: file)
    try FileManager.default.moveItem(at: other, to: file)
    #expect(thrownError { _ = try store.changesByOthers() }?.fileURL == file)
    let created = thrownError { try kind.type.createStore(at: file, model: Self.model, configuration: nil) { _ in } }
    #expect(created?.code == .save && created?.fileURL == file)
    let below = file.appending(path: "store")
    let folder = thrownError { try kind.type.createStore(at: below, model: Self.model, configuration: nil) { _ in } }
    #expect(folder?.code == .save && folder?.fileURL == below)
  }

  // Copying.

  @Test(arguments: StoreKind.ofFiles) func `a copy has the objects and the identifier`(kind: StoreKind) throws {
    try make(kind, file, "Ada", "Emmy")
    try kind.type.copyStore(at: file, to: other)
    #expect(try names(kind, other) == ["Ada", "Emmy"])
    #expect(try names(kind, file) == ["Ada", "Emmy"])
    let identifiers = try [file, other].map { try kind.metadata($0)[StoreMetadataKey.identifier] }
    #expect(identifiers[0] == identifiers[1])
  }

  @Test(arguments: StoreKind.ofFiles) func `a store is copied while it is open, and stays usable`(kind: StoreKind)
    throws
  {
    let store = try kind.open(file, Self.model)
    try Self.fill(store, ["Ada"])
    try kind.type.copyStore(at: file, to: other)
    try Self.fill(store, ["Emmy"])
    #expect(try names(kind, other) == ["Ada"])
    #expect(try names(kind, file) == ["Ada", "Emmy"])
  }

  @Test(arguments: StoreKind.ofFiles) func `a copy made during saves has all objects of some saves`(kind: StoreKind)
    throws
  {
    let store = try kind.open(file, Self.model)
    try Self.fill(store, ["0"])
    let isDone = Atomic(false)
    let saving = Thread {
      for number in 1...20 { try? Self.fill(store, ["\(number)"]) }
      isDone.store(true, ordering: .sequentiallyConsistent)
    }
    saving.start()
    var counts: [Int] = []
    repeat {
      let copy = folder.url.appending(path: "copy\(counts.count)")
      try kind.type.copyStore(at: file, to: copy)
      let found = try names(kind, copy)
      #expect(Set(found) == Set((0..<found.count).map { "\($0)" }))
      counts.append(found.count)
    } while !isDone.load(ordering: .sequentiallyConsistent) && counts.count < 50
    while !isDone.load(ordering: .sequentiallyConsistent) { Thread.sleep(forTimeInterval: 0.001) }
    #expect(counts == counts.sorted())
    #expect(try Self.names(store).count == 21)
  }

  @Test(arguments: StoreKind.ofFiles) func `a copy does not replace a file or a link`(kind: StoreKind) throws {
    try make(kind, file, "Ada")
    let link = folder.url.appending(path: "link")
    try Data("other".utf8).write(to: folder.url.appending(path: "plain"))
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.url.appending(path: "missing"))
    for name in ["plain", "link"] {
      #expect(errorCode { try kind.type.copyStore(at: file, to: folder.url.appending(path: name)) } == .save)
    }
    #expect(try Data(contentsOf: folder.url.appending(path: "plain")) == Data("other".utf8))
    #expect(!folder.names.contains("missing"))
  }

  @Test(arguments: StoreKind.ofFiles) func `a missing store cannot be copied, replaced with, moved or destroyed`(
    kind: StoreKind
  ) throws {
    #expect(errorCode { try kind.type.copyStore(at: file, to: other) } == .noSuchFile)
    #expect(errorCode { try kind.type.replaceStore(at: other, withStoreAt: file) } == .noSuchFile)
    #expect(errorCode { try kind.type.moveStore(at: file, to: other) } == .noSuchFile)
    #expect(errorCode { try kind.type.destroyStore(at: file) } == .noSuchFile)
    #expect(!FileManager.default.fileExists(atPath: other.path))
  }

  @Test(arguments: StoreKind.ofFiles) func `a store of another kind stays as it is`(kind: StoreKind) throws {
    let wrong: StoreKind = kind == .xml ? .binary : .xml
    try make(wrong, file, "Ada")
    try make(kind, other, "Emmy")
    let before = try Data(contentsOf: file)
    let unused = folder.url.appending(path: "unused")
    #expect(errorCode { try kind.type.copyStore(at: file, to: unused) } == .storeTypeMismatch)
    #expect(errorCode { try kind.type.moveStore(at: file, to: unused) } == .storeTypeMismatch)
    #expect(errorCode { try kind.type.destroyStore(at: file) } == .storeTypeMismatch)
    #expect(errorCode { try kind.type.replaceStore(at: file, withStoreAt: other) } == .storeTypeMismatch)
    #expect(errorCode { try kind.type.replaceStore(at: other, withStoreAt: file) } == .storeTypeMismatch)
    #expect(errorCode { try kind.type.setMetadata([:], ofFile: file) } == .storeTypeMismatch)
    #expect(try Data(contentsOf: file) == before)
    #expect(try names(kind, other) == ["Emmy"])
  }

  @Test(arguments: StoreKind.ofFiles) func `a copy keeps private permissions`(kind: StoreKind) throws {
    try make(kind, file, "Ada")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    try kind.type.copyStore(at: file, to: other)
    let permissions = try FileManager.default.attributesOfItem(atPath: other.path)[.posixPermissions] as? Int
    #expect(permissions == 0o600)
  }

  // Replacing.

  @Test(arguments: StoreKind.ofFiles) func `a replaced store has the objects of the other one`(kind: StoreKind) throws {
    try make(kind, file, "Ada")
    try make(kind, other, "Emmy")
    try kind.type.replaceStore(at: file, withStoreAt: other)
    #expect(try names(kind, file) == ["Emmy"])
    #expect(try names(kind, other) == ["Emmy"])
    #expect(folder.names.filter { !$0.hasPrefix("store") } == ["folder"])
  }

  @Test(arguments: StoreKind.ofFiles) func `replacing a missing store creates it`(kind: StoreKind) throws {
    try make(kind, other, "Emmy")
    try kind.type.replaceStore(at: file, withStoreAt: other)
    #expect(try names(kind, file) == ["Emmy"])
  }

  @Test(arguments: StoreKind.ofFiles) func `an open store is not replaced, or cannot save afterwards`(
    kind: StoreKind
  ) throws {
    let store = try kind.open(file, Self.model)
    try Self.fill(store, ["Ada"])
    try make(kind, other, "Emmy")
    let code = errorCode { try kind.type.replaceStore(at: file, withStoreAt: other) }
    // SQLite knows that another connection uses the store.
    #expect(code == (kind == .sqlite ? .locked : nil))
    if code != nil {
      try Self.fill(store, ["Grace"])
      #expect(try names(kind, file) == ["Ada", "Grace"])
      return
    }
    #expect(errorCode { try Self.fill(store, ["Grace"]) } == .save)
    #expect(try names(kind, file) == ["Emmy"])
  }

  @Test(arguments: StoreKind.ofFiles) func `a link is not replaced, moved or destroyed`(kind: StoreKind) throws {
    try make(kind, file, "Ada")
    try make(kind, other, "Emmy")
    let link = folder.url.appending(path: "link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    #expect(errorCode { try kind.type.replaceStore(at: link, withStoreAt: other) } == .open)
    #expect(errorCode { try kind.type.moveStore(at: link, to: folder.url.appending(path: "new")) } == .open)
    #expect(errorCode { try kind.type.destroyStore(at: link) } == .open)
    #expect(try names(kind, file) == ["Ada"])
  }

  // Moving and deleting.

  @Test(arguments: StoreKind.ofFiles) func `a moved store is only at the new path`(kind: StoreKind) throws {
    try make(kind, file, "Ada")
    try kind.type.moveStore(at: file, to: other)
    #expect(folder.names == ["folder"])
    #expect(try names(kind, other) == ["Ada"])
  }

  @Test(arguments: StoreKind.ofFiles) func `a store is not moved to an existing file`(kind: StoreKind) throws {
    try make(kind, file, "Ada")
    try make(kind, other, "Emmy")
    #expect(errorCode { try kind.type.moveStore(at: file, to: other) } == .save)
    #expect(try names(kind, file) == ["Ada"])
    #expect(try names(kind, other) == ["Emmy"])
  }

  @Test(arguments: StoreKind.ofFiles) func `a destroyed store leaves no files, and keeps other ones`(
    kind: StoreKind
  ) throws {
    try make(kind, file, "Ada")
    try Data("other".utf8).write(to: folder.url.appending(path: "store.txt"))
    try kind.type.destroyStore(at: file)
    #expect(folder.names == ["store.txt"])
    try make(kind, file, "Emmy")
    #expect(try names(kind, file) == ["Emmy"])
  }

  // Damaged stores.

  /// Contents that are no longer those of a store.
  static let damages: [String: @Sendable (Data) -> Data] = [
    "empty": { _ in Data() },
    "one byte": { $0.prefix(1) },
    "short": { $0.prefix(60) },
    "half": { $0.prefix($0.count / 2) },
    "other beginning": { Data(repeating: 0, count: 50) + $0.dropFirst(50) },
    "zeros": { Data(repeating: 0, count: $0.count) },
  ]

  @Test(arguments: StoreKind.ofFiles, damages.keys.sorted())
  func `only force replaces and destroys a damaged store`(kind: StoreKind, damage: String) throws {
    try make(kind, other, "Emmy")
    let coordinator = PersistentStoreCoordinator(model: Self.model)
    for isReplaced in [true, false] {
      try? FileManager.default.removeItem(at: file)
      try make(kind, file, "Ada")
      let contents = try Data(contentsOf: file)
      let damaged = try #require(Self.damages[damage].map { $0(contents) })
      try damaged.write(to: file)
      if isReplaced {
        // SQLite's schema is on the first page, so that half of a file is still one of a store.
        let error = thrownError { try kind.type.replaceStore(at: file, withStoreAt: other) }
        #expect(error == nil || error?.code != .storeTypeMismatch && error?.description.contains(file.path) == true)
        #expect(error != nil || kind == .sqlite && damage == "half")
        if error != nil { #expect(try Data(contentsOf: file) == damaged) }
        try coordinator.replacePersistentStore(
          at: file, withPersistentStoreFrom: other, type: kind.type, force: true)
        #expect(try names(kind, file) == ["Emmy"])
      } else {
        let error = thrownError { try kind.type.destroyStore(at: file) }
        #expect(error != nil || kind == .sqlite && damage == "half")
        if error == nil { continue }
        #expect(try Data(contentsOf: file) == damaged)
        try coordinator.destroyPersistentStore(at: file, type: kind.type, force: true)
        #expect(folder.names == ["folder"])
      }
    }
  }

  @Test(arguments: StoreKind.ofFiles) func `force does not touch other kinds of files and links`(kind: StoreKind) throws
  {
    let wrong: StoreKind = kind == .xml ? .binary : .xml
    try make(wrong, file, "Ada")
    try make(kind, other, "Emmy")
    let before = try Data(contentsOf: file)
    let link = folder.url.appending(path: "link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: other)
    let subfolder = folder.url.appending(path: "folder")
    for (url, code) in [(file, ManagedObjectError.Code.storeTypeMismatch), (link, .open), (subfolder, .open)] {
      #expect(errorCode { try kind.type.destroyStore(at: url, force: true) } == code)
      #expect(errorCode { try kind.type.replaceStore(at: url, withStoreAt: other, force: true) } == code)
    }
    let missing = folder.url.appending(path: "missing")
    #expect(errorCode { try kind.type.destroyStore(at: missing, force: true) } == .noSuchFile)
    #expect(try Data(contentsOf: file) == before)
    #expect(try names(kind, other) == ["Emmy"])
  }

  // Metadata of a store that is not open.

  @Test(arguments: StoreKind.ofFiles) func `metadata is set without the model`(kind: StoreKind) throws {
    try make(kind, file, "Ada")
    var metadata = try kind.type.metadata(ofFile: file)
    let own = metadata
    metadata["title"] = "Letters & more"
    metadata[StoreMetadataKey.identifier] = "another one"
    metadata[StoreMetadataKey.versionHashes] = nil
    try kind.type.setMetadata(metadata, ofFile: file)
    var expected = own
    expected["title"] = "Letters & more"
    let found = try kind.type.metadata(ofFile: file)
    #expect(Dictionary(uniqueKeysWithValues: Array(found)) == Dictionary(uniqueKeysWithValues: Array(expected)))
    #expect(try names(kind, file) == ["Ada"])
    try kind.type.setMetadata([:], ofFile: file)
    #expect(try kind.type.metadata(ofFile: file)["title"] == nil)
    // Keys of new objects still follow those in the file.
    try Self.fill(kind.open(file, Self.model), ["Emmy"])
    #expect(try names(kind, file) == ["Ada", "Emmy"])
  }

  @Test(arguments: StoreKind.ofFiles) func `an open store sees metadata that was set in its file`(kind: StoreKind)
    throws
  {
    let store = try kind.open(file, Self.model)
    try Self.fill(store, ["Ada"])
    try kind.type.setMetadata(["title": "Letters"], ofFile: file)
    try Self.fill(store, ["Emmy"])
    #expect(store.metadata["title"] == "Letters")
    #expect(try kind.metadata(file)["title"] == "Letters")
  }

  // The coordinator.

  @Test(arguments: StoreKind.ofFiles) func `a coordinator finds a store by its URL`(kind: StoreKind) throws {
    let coordinator = PersistentStoreCoordinator(model: Self.model)
    let store = try kind.open(file, Self.model)
    try coordinator.add(store)
    let link = folder.url.appending(path: "link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    #expect(coordinator.persistentStore(for: file)?.number == store.number)
    #expect(coordinator.persistentStore(for: link)?.number == store.number)
    #expect(coordinator.persistentStore(for: other) == nil)
    #expect(coordinator.url(for: store) == file)
    #expect(coordinator.url(for: try InMemoryStore(model: Self.model)) == nil)
  }

  @Test(arguments: StoreKind.ofFiles) func `a coordinator does not delete or replace a store that it has`(
    kind: StoreKind
  ) throws {
    try make(kind, other, "Emmy")
    let coordinator = PersistentStoreCoordinator(model: Self.model)
    var store: (any PersistentStore)? = try kind.open(file, Self.model)
    try Self.fill(store!, ["Ada"])
    try coordinator.add(store!)
    let type = kind.type
    #expect(errorCode { try coordinator.destroyPersistentStore(at: file, type: type) } == .invalidState)
    #expect(
      errorCode { try coordinator.replacePersistentStore(at: file, withPersistentStoreFrom: other, type: type) }
        == .invalidState)
    coordinator.remove(store!)
    store = nil
    try coordinator.replacePersistentStore(at: file, withPersistentStoreFrom: other, type: type)
    #expect(try names(kind, file) == ["Emmy"])
    try coordinator.destroyPersistentStore(at: file, type: type)
    #expect(folder.names == ["folder"])
  }

  @Test(arguments: StoreKind.allCases, StoreKind.ofFiles) func `a store is converted to another kind`(
    kind: StoreKind, target: StoreKind
  ) throws {
    let coordinator = PersistentStoreCoordinator(model: Self.model)
    let store = try kind.open(file, Self.model, configuration: "people")
    try Self.fill(store, ["Ada", "Emmy"])
    store.setMetadata(["title": "Letters"])
    try coordinator.add(store)
    try coordinator.add(InMemoryStore(model: Self.model, configuration: "things"))
    let new = try coordinator.migratePersistentStore(store, to: other, type: target.type)
    #expect(coordinator.stores[0].number == new.number && coordinator.stores.count == 2)
    #expect(new.configuration == "people" && new.identifier != store.identifier)
    #expect(new.metadata["title"] == "Letters")
    #expect(try Self.names(coordinator) == ["Ada", "Emmy"])
    try Self.fill(new, ["Grace"])
    let opened = try target.open(other, Self.model, configuration: "people")
    #expect(try Self.names(opened) == ["Ada", "Emmy", "Grace"])
    #expect(FileManager.default.fileExists(atPath: file.path) == (kind != .memory))
  }

  @Test(arguments: StoreKind.ofFiles) func `a coordinator keeps a store that cannot be converted`(kind: StoreKind)
    throws
  {
    let coordinator = PersistentStoreCoordinator(model: Self.model)
    let store = try InMemoryStore(model: Self.model)
    try Self.fill(store, ["Ada"])
    #expect(
      errorCode { _ = try coordinator.migratePersistentStore(store, to: other, type: kind.type) } == .invalidState)
    try coordinator.add(store)
    try make(kind, other, "Emmy")
    #expect(errorCode { _ = try coordinator.migratePersistentStore(store, to: other, type: kind.type) } == .save)
    #expect(try Self.names(coordinator) == ["Ada"])
    #expect(try names(kind, other) == ["Emmy"])
  }

  @Test(arguments: StoreKind.ofFiles) func `a new store whose function throws leaves no file`(kind: StoreKind) throws {
    let code = errorCode {
      try kind.type.createStore(at: other, model: Self.model, configuration: nil) {
        _ throws(ManagedObjectError) in throw ManagedObjectError(.operation, "no")
      }
    }
    #expect(code == .operation)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.appending(path: "folder").path) == [])
  }

  @Test(arguments: StoreKind.ofFiles) func `a new store appears when it is complete`(kind: StoreKind) throws {
    let file = other
    func fill(_ store: any PersistentStore) throws(ManagedObjectError) {
      for name in ["Ada", "Emmy"] {
        do { try Self.fill(store, [name]) } catch { throw ManagedObjectError(.save, "\(error)") }
        if FileManager.default.fileExists(atPath: file.path) { throw ManagedObjectError(.save, "the file exists") }
      }
    }
    let code = errorCode {
      try kind.type.createStore(at: file, model: Self.model, configuration: nil) {
        store throws(ManagedObjectError) in
        try fill(store)
        throw ManagedObjectError(.operation, "no")
      }
    }
    #expect(code == .operation && !FileManager.default.fileExists(atPath: file.path))
    try kind.type.createStore(at: file, model: Self.model, configuration: nil) { store throws(ManagedObjectError) in
      try fill(store)
    }
    #expect(try names(kind, file) == ["Ada", "Emmy"])
  }

  // Initial contents.

  private func description(_ kind: StoreKind, _ contents: URL) -> PersistentStoreDescription {
    var description: PersistentStoreDescription =
      switch kind {
      case .memory: .inMemory
      case .xml: .xml(other)
      case .binary: .binary(other)
      case .sqlite: .sqlite(other)
      }
    description.initialContents = contents
    return description
  }

  @Test(arguments: StoreKind.ofFiles) func `a new store begins with its initial contents, only once`(
    kind: StoreKind
  ) throws {
    try make(kind, file, "Ada")
    let container = try PersistentContainer(model: Self.model, stores: [description(kind, file)])
    #expect(try Self.names(container.coordinator) == ["Ada"])
    try Self.fill(container.coordinator.stores[0], ["Emmy"])
    let again = try PersistentContainer(model: Self.model, stores: [description(kind, file)])
    #expect(try Self.names(again.coordinator) == ["Ada", "Emmy"])
    #expect(try names(kind, file) == ["Ada"])
  }

  @Test(arguments: StoreKind.ofFiles) func `initial contents are copied without writing next to them`(
    kind: StoreKind
  ) throws {
    try make(kind, file, "Ada")
    let before = folder.names
    _ = try PersistentContainer(model: Self.model, stores: [description(kind, file)])
    #expect(folder.names == (before + ["folder"]).sorted())
  }

  @Test(arguments: StoreKind.ofFiles) func `containers that start at once share one copy of the initial contents`(
    kind: StoreKind
  ) async throws {
    try make(kind, file, "Ada")
    let results = await withTaskGroup(of: Result<[String], any Error>.self) { group in
      for _ in 0..<6 {
        group.addTask {
          Result {
            let container = try PersistentContainer(model: Self.model, stores: [description(kind, file)])
            return try Self.names(container.coordinator)
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    for result in results { #expect(try result.get() == ["Ada"]) }
  }

  @Test(arguments: StoreKind.ofFiles) func `a store that must not be created is not copied`(kind: StoreKind) throws {
    try make(kind, file, "Ada")
    var description = description(kind, file)
    description.createsFile = false
    #expect(errorCode { _ = try PersistentContainer(model: Self.model, stores: [description]) } == .noSuchFile)
    description.createsFile = true
    description.isReadOnly = true
    #expect(errorCode { _ = try PersistentContainer(model: Self.model, stores: [description]) } == .noSuchFile)
    #expect(!FileManager.default.fileExists(atPath: other.path))
  }

  @Test(arguments: StoreKind.ofFiles) func `a store without its initial contents is not created`(kind: StoreKind) throws
  {
    let code = errorCode {
      _ = try PersistentContainer(model: Self.model, stores: [description(kind, file)])
    }
    #expect(code == .noSuchFile)
    #expect(!FileManager.default.fileExists(atPath: other.path))
  }
}

extension StoreKind {
  /// The kinds of stores in files.
  fileprivate static let ofFiles: [StoreKind] = [.xml, .binary, .sqlite]

  fileprivate var type: any FileBackedStore.Type {
    switch self {
    case .memory, .sqlite: SQLiteStore.self
    case .xml: XMLStore.self
    case .binary: BinaryStore.self
    }
  }
}

extension RowValue {
  fileprivate static func text(_ text: String) -> RowValue { .attribute(.string(text)) }
}
