import Foundation
import ManagedObjects
import SQLiteStore
import TestSupport
import Testing

@Suite("A store whose description names only a file") struct AnyFileTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private static let model: ManagedObjectModel = {
    do {
      return try ManagedObjectModel(entities: [EntityDescription("Note", [.attribute("text", .string)])])
    } catch { fatalError("\(error)") }
  }()

  private static func container(_ store: PersistentStoreDescription) throws -> PersistentContainer {
    try PersistentContainer(model: model, stores: [store])
  }

  @Test(arguments: [SQLiteStore.type, XMLStore.type, BinaryStore.type], [false, true])
  func `an existing store is opened in its own format, also read-only`(type: String, isReadOnly: Bool) throws {
    let file = folder.url.appending(path: "store")
    let made: PersistentStoreDescription =
      switch type {
      case XMLStore.type: .xml(file)
      case BinaryStore.type: .binary(file)
      default: .sqlite(file)
      }
    try Self.container(made).updateAndWait { try $0.insert("Note").setValue(.string("a"), forKey: "text") }
    let names = folder.names
    var store = PersistentStoreDescription.file(file)
    store.isReadOnly = isReadOnly
    store.createsFile = false
    let container = try Self.container(store)
    let opened = try #require(container.coordinator.stores.first)
    #expect(opened.metadata[StoreMetadataKey.type] == .string(type))
    #expect(opened.isReadOnly == isReadOnly)
    if type != SQLiteStore.type { #expect(folder.names == names) }
    guard !isReadOnly else { return }
    try container.updateAndWait { try $0.insert("Note").setValue(.string("b"), forKey: "text") }
    let again = try Self.container(.file(file))
    #expect(try again.performAndWait { try $0.count(for: FetchRequest("Note")) } == 2)
  }

  @Test func `a missing file becomes an SQLite store, or an error if createsFile is false`() throws {
    let file = folder.url.appending(path: "store")
    var store = PersistentStoreDescription.file(file)
    store.createsFile = false
    let error = #expect(throws: ManagedObjectError.self) { try Self.container(store) }
    #expect(error?.code == .noSuchFile && error?.fileURL == file && folder.names.isEmpty)
    #expect(try Self.container(.file(file)).coordinator.stores.first is SQLiteStore)
  }

  @Test(arguments: ["text", "<a/>", "bplist00", "CoreData"])
  func `a file that is not a store is refused and unchanged`(text: String) throws {
    let file = folder.url.appending(path: "store")
    let data = Data((text + String(repeating: " ", count: 600)).utf8)
    try data.write(to: file)
    #expect(throws: ManagedObjectError.self) { try Self.container(.file(file)) }
    #expect(try Data(contentsOf: file) == data && folder.names == ["store"])
  }

  @Test func `a store of another model is migrated by the migration of its description`() throws {
    let file = folder.url.appending(path: "store")
    _ = try PersistentContainer(model: ManagedObjectModel(entities: [EntityDescription("Old")]), stores: [.xml(file)])
    var store = PersistentStoreDescription.file(file)
    store.migration = { error throws(ManagedObjectError) in
      do { try FileManager.default.removeItem(at: file) } catch { throw ManagedObjectError(.operation, "\(error)") }
      _ = try XMLStore(file, model: Self.model)
    }
    #expect(try Self.container(store).coordinator.stores.first is XMLStore)
  }
}
