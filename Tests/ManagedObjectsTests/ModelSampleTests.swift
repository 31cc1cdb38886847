import Foundation
import ManagedObjects
import PropertyLists
import Testing

@Suite("Models made by Apple's tools") struct ModelSampleTests {
  @Test(arguments: ModelSamples.folders)
  func `compiled models have the hashes of VersionInfo.plist`(_ folder: URL) throws {
    let versions = try VersionedModel(contentsOf: folder)
    #expect(versions.current != nil)
    for (name, model) in versions.models {
      try check(model, versions.recordedHashes[name] ?? [:], "\(folder.lastPathComponent)/\(name)")
    }
  }

  @Test func `source models have the hashes of VersionInfo.plist`() throws {
    for (compiled, source) in ModelSamples.pairs {
      let versions = try VersionedModel(contentsOf: compiled.deletingLastPathComponent())
      let model = try ManagedObjectModel(contentsOf: source)
      let name = compiled.deletingPathExtension().lastPathComponent
      try check(model, #require(versions.recordedHashes[name]), "\(source.path)")
    }
  }

  @Test(.enabled(if: ModelSamples.hasPython && !ModelSamples.compiled.isEmpty))
  func `the model in a store has the hashes of the store`() throws {
    let stores = try ModelSamples.stores()
    #expect(stores.count(where: { $0.modelCache != nil }) > 8)
    for store in stores {
      guard let cache = store.modelCache else { continue }
      let model = try ManagedObjectModel(compiled: cache)
      try check(model, store.hashes, store.name)
      if let digest = store.digest {
        #expect(ManagedObjectModel.versionHashesDigest(of: store.hashes) == digest, "\(store.name)")
      }
      if let checksum = store.checksum {
        #expect(ManagedObjectModel.versionChecksum(of: store.hashes) == checksum, "\(store.name)")
      }
    }
  }

  @Test func `a source model has the hashes of each sample store`() throws {
    let sources = try ModelSamples.sources.map { try ManagedObjectModel(contentsOf: $0).entityVersionHashesByName }
    let names: Set = ["TestModel.sqlite", "SampleModel_V1.sqlite", "SampleModel_V2.sqlite"]
    for store in try ModelSamples.stores() where names.contains(store.name) {
      #expect(sources.contains(store.hashes), "\(store.name)")
    }
  }

  @Test(arguments: ModelSamples.compiled) func `compiling a model again preserves it`(_ file: URL) throws {
    let original = try Data(contentsOf: file)
    let copy = try ManagedObjectModel(compiled: original).compiledData()
    #expect(try ArchiveGraph.differences(original, copy) == [])
  }

  @Test func `compiling the model of a store preserves it`() throws {
    for store in try ModelSamples.stores() {
      guard let cache = store.modelCache else { continue }
      let model = try ManagedObjectModel(compiled: cache)
      let copy = try model.compiledData()
      #expect(try ManagedObjectModel(compiled: copy) == model, "\(store.name)")
      let differences = try ArchiveGraph.differences(cache, copy, isOfStore: true)
      #expect(differences == [], "\(store.name)")
    }
  }

  @Test func `source models compile to the output of momc`() throws {
    for (compiled, source) in ModelSamples.pairs {
      let own = try ManagedObjectModel(contentsOf: source).compiledData()
      let differences = try ArchiveGraph.differences(Data(contentsOf: compiled), own)
      #expect(differences == [], "\(source.path)")
    }
  }

  @Test(arguments: ModelSamples.sources) func `a model survives writing as source`(_ file: URL) throws {
    let model = try ManagedObjectModel(contentsOf: file)
    let copy = try ManagedObjectModel(source: model.sourceData())
    #expect(copy == model)
    #expect(copy.editorAttributes == model.editorAttributes)
  }

  private func check(_ model: ManagedObjectModel, _ expected: [String: Data], _ location: String) throws {
    #expect(Set(model.entities.map(\.name)) == Set(expected.keys), "\(location)")
    for entity in model.entities {
      #expect(entity.hasKnownVersionHash, "\(location): \(entity.name)")
      #expect(entity.versionHash == expected[entity.name], "\(location): \(entity.name)")
    }
  }
}
