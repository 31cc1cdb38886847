import Foundation
import ManagedObjects
import OrderedCollections
import PropertyLists
import SQLiteStore
import TestSupport
import Testing

@Suite(
  "SQLite stores that Apple's framework made", .enabled(if: StoreReader.isAvailable && !StoreSamples.stores.isEmpty))
struct SampleStoreTests {
  /// Returns the contents of all files in a folder, by name.
  static func contents(of folder: TemporaryFolder) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in folder.names { contents[name] = (try? Data(contentsOf: folder.url.appending(path: name))) ?? Data() }
    return contents
  }

  @Test(arguments: [.readOnly(writesNothing: true), .readOnly, StoreAccess.readWrite])
  func `a store is read completely with its own model in each access mode`(access: StoreAccess) throws {
    var count = 0
    for original in try StoreSamples.storesWithModel() {
      let folder = TemporaryFolder(isInMemory: true)
      let file = try StoreSamples.copy(original, to: folder)
      let before = try Self.contents(of: folder)
      let rows = try StoreSamples.rows(of: original)
      let expected = try StoreSamples.objects(of: original)
      let model = try SQLiteStore.model(inFile: file, writesNothing: true)
      do {
        let store = try SQLiteStore(file, model: model, access: access)
        #expect(store.isReadOnly == (access != .readWrite))
        let found = try StoreDump(store)
        #expect(found.differences(from: expected) == [], "\(original.lastPathComponent)")
        count += found.objects.count
      }
      if access == .readOnly(writesNothing: true) {
        #expect(try Self.contents(of: folder) == before, "\(original.lastPathComponent)")
      }
      if access == .readOnly { #expect(try Data(contentsOf: file) == before[file.lastPathComponent]) }
      // The other modes leave the bytes of the file unchanged.
      if access == .readWrite || LongForm.isWanted {
        #expect(try StoreReader.rows(of: file).differences(from: rows) == [])
      }
      #expect(try SQLiteStore.metadata(ofFile: file).keys.contains("NSStoreUUID"))
    }
    #expect(count > 0)
  }

  @Test func `a store is read with each model that has its version hashes`() throws {
    for file in try StoreSamples.storesWithModel() {
      let expected = try StoreSamples.objects(of: file)
      let own = try SQLiteStore.model(inFile: file, writesNothing: true)
      for (name, model) in StoreSamples.models
      where model.entityVersionHashesByName == own.entityVersionHashesByName {
        let found = try StoreDump(SQLiteStore(file, model: model, access: .readOnly(writesNothing: true)))
        #expect(found.differences(from: expected) == [], "\(file.lastPathComponent) with \(name)")
      }
    }
  }

  @Test func `a store without a model is read with a model of its columns`() throws {
    let all = Set(try StoreSamples.storesWithModel())
    for original in StoreSamples.stores where !all.contains(original) {
      let folder = TemporaryFolder(isInMemory: true)
      let file = try StoreSamples.copy(original, to: folder)
      let error = #expect(throws: ManagedObjectError.self) { try SQLiteStore.model(inFile: file, writesNothing: true) }
      #expect(error?.code == .open && error?.fileURL == file)
      #expect(error?.remedy == .openingWithModel)
      // The metadata has the hashes of another model.
      try SQLiteFile.change(file, "UPDATE Z_METADATA SET Z_PLIST = NULL")
      let model = try ManagedObjectModel(columnsOf: StoreReader.schema(of: file))
      let compiled = URL(filePath: folder.path("made.mom"))
      try model.compiledData().write(to: compiled)
      var expected = try StoreReader.objects(of: file, model: compiled)
      expected.metadata["NSStoreType"] = "SQLite"
      #expect(expected.objects.count > 0)
      let found = try StoreDump(SQLiteStore(file, model: model, access: .readOnly(writesNothing: true)))
      #expect(found.differences(from: expected) == [], "\(original.lastPathComponent)")
    }
  }

  @Test func `a store of another model is an error with the differing entities`() throws {
    for file in StoreSamples.stores {
      guard let hashes = try SQLiteStore.metadata(ofFile: file, writesNothing: true)["NSStoreModelVersionHashes"] else {
        continue
      }
      for (name, model) in StoreSamples.models {
        let own = model.entityVersionHashesByName
        let names = Set(own.keys).union(hashes.dictionary?.keys ?? [])
        let differing = names.filter { own[$0].map { .data($0) } != hashes[$0] }
        if differing.isEmpty { continue }
        let error = #expect(throws: ManagedObjectError.self) {
          try SQLiteStore(file, model: model, access: .readOnly(writesNothing: true))
        }
        #expect(error?.code == .incompatibleVersionHash && error?.fileURL == file, "\(name)")
        #expect(Set(error?.differingEntities ?? []) == differing)
      }
    }
  }

  @Test func `a model with another derivation expression is an error`() throws {
    for file in try StoreSamples.storesWithModel() {
      let model = try SQLiteStore.model(inFile: file, writesNothing: true)
      let names = model.entities.filter { $0.attributes.contains { $0.definition.derivation != nil } }.map(\.name)
      if names.isEmpty { continue }
      let entities = try model.entities.map { entity in
        var definition = entity.definition
        for index in definition.properties.indices {
          guard case .attribute(var attribute) = definition.properties[index], attribute.derivation != nil else {
            continue
          }
          attribute.derivation = .init(try ManagedExpression(format: "now()"))
          definition.properties[index] = .attribute(attribute)
        }
        return definition
      }
      let error = #expect(throws: ManagedObjectError.self) {
        try SQLiteStore(file, model: ManagedObjectModel(entities: entities), access: .readOnly(writesNothing: true))
      }
      #expect(error?.code == .incompatibleVersionHash && error?.differingEntities == names.sorted())
    }
  }

  @Test(arguments: [false, true])
  func `a store written by hand is read with each model`(writesNothing: Bool) throws {
    let folder = TemporaryFolder(isInMemory: true)
    let file = try LibraryStore.write(to: folder)
    let before = try Self.contents(of: folder)
    let expected = try StoreDump(LibraryStore.inMemory())
    for model in [LibraryStore.model, try SQLiteStore.model(inFile: file, writesNothing: true)] {
      let store = try SQLiteStore(file, model: model, access: .readOnly(writesNothing: writesNothing))
      var found = try StoreDump(store)
      #expect(found.metadata["NSStoreType"] == "SQLite")
      found.metadata["NSStoreType"] = expected.metadata["NSStoreType"]
      #expect(found.differences(from: expected) == [])
    }
    #expect(try Self.contents(of: folder) == before)
  }
}

extension ManagedObjectModel {
  /// Creates a model with the entities of `Z_PRIMARYKEY`, and an attribute for each column.
  convenience init(columnsOf schema: ReadSchema) throws {
    let types: [String: AttributeType] = [
      "INTEGER": .integer64, "FLOAT": .double, "TIMESTAMP": .date, "VARCHAR": .string, "BLOB": .binary,
      "DECIMAL": .decimal,
    ]
    let names = Dictionary(uniqueKeysWithValues: schema.primaryKeys.map { ($0.number, $0.name) })
    let entities = schema.primaryKeys.filter { $0.number < 16_000 }.map { row in
      var entity = EntityDescription(row.name)
      entity.superentity = names[row.parent]
      if row.parent == 0, let table = schema.tables["Z\(row.name.uppercased())"] {
        entity = EntityDescription(
          row.name,
          table.columns.dropFirst(3).map { .attribute(String($0.name.dropFirst()), types[$0.type] ?? .binary) })
      }
      return entity
    }
    try self.init(entities: entities)
  }
}
