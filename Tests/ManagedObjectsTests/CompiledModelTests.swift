import Foundation
import KeyedArchiving
import ManagedObjects
import PropertyLists
import TestSupport
import Testing

@Suite("Compiled models") struct CompiledModelTests {
  static let notes = "models/Notes.mom"

  @Test func `a compiled model is read with all its settings`() throws {
    let model = try ManagedObjectModel(contentsOf: Fixtures.url(Self.notes))
    let note = try #require(model["Note"]?.definition)
    #expect(note.renamingIdentifier == "Memo" && note.versionHashModifier == "second" && note.className == "Note")
    #expect(note.uniquenessConstraints == [["identifier"]] && note.compoundIndexes == [["content", "rank"]])
    #expect(note.fetchIndexes.map(\.name) == ["byContent"])
    #expect(note.fetchIndexes[0].elements.map(\.isAscending) == [true, false])
    let attributes = Dictionary(uniqueKeysWithValues: note.attributes.map { ($0.name, $0) })
    #expect(attributes["picture"]?.allowsExternalBinaryDataStorage == true)
    #expect(attributes["picture"]?.userInfo == ["kind": "png"])
    #expect(attributes["identifier"]?.preservesValueInHistoryOnDeletion == true)
    #expect(attributes["price"]?.defaultValue == .decimal(Decimal(string: "12.5")!))
    #expect(attributes["rank"]?.renamingIdentifier == "order" && attributes["rank"]?.defaultValue == .integer(3))
    #expect(attributes["cursor"]?.isTransient == true && attributes["starred"]?.versionHashModifier == "x")
    let related = try #require(note.relationships.first { $0.name == "related" })
    #expect(related.minimumCount == 1 && related.maximumCount == 5 && related.deleteRule == .deny)
    #expect(model["Author"]?.relationship(named: "notes")?.isOrdered == true)
    #expect(model["Person"]?.isAbstract == true && model["Person"]?.definition.userInfo == ["icon": "face"])
    #expect(model.configurations.mapValues(Set.init) == ["Local": ["Author", "Note"]])
    #expect(model.fetchRequestTemplates["all"]?.fetchLimit == 10 && model.versionIdentifiers == ["one"])
  }

  @Test func `a compiled model is unchanged after it is read and compiled again`() throws {
    let original = try Fixtures.data(Self.notes)
    let copy = try ManagedObjectModel(compiled: original).compiledData()
    #expect(try ArchiveGraph.differences(original, copy) == [])
  }

  @Test func `a source model compiles to the output of Apple's compiler`() throws {
    let model = try ManagedObjectModel(contentsOf: Fixtures.url("models/Notes.xcdatamodel"))
    #expect(try ArchiveGraph.differences(Fixtures.data(Self.notes), model.compiledData()) == [])
  }

  @Test func `a compiled model keeps supported and unsupported sort comparisons`() throws {
    let names = [
      "compare:", "caseInsensitiveCompare:", "localizedCompare:", "localizedCaseInsensitiveCompare:",
      "localizedStandardCompare:", "reverse:", "",
    ]
    let known: [FetchRequest.SortComparison] = [
      .compare, .caseInsensitive, .localized, .localizedCaseInsensitive, .localizedStandard, .other("reverse:"),
      .other(""),
    ]
    #expect(names.map { FetchRequest.SortComparison(selector: $0) } == known && known.map(\.selector) == names)
    let request = FetchRequest("Note", sortedBy: known.map { .init("content", comparison: $0) })
    let model = try ManagedObjectModel(
      entities: [EntityDescription("Note", [.attribute("content", .string)])], fetchRequestTemplates: ["all": request])
    let data = try model.compiledData()
    let copy = try #require(try ManagedObjectModel(compiled: data).fetchRequestTemplates["all"])
    #expect(copy.sortDescriptors == request.sortDescriptors)
    #expect(throws: ManagedObjectError.self) { try copy.check(against: model) }
    #expect(String(decoding: try model.jsonData(), as: UTF8.self).contains("reverse:"))
  }

  @Test func `a compiled model keeps a sort descriptor without a selector`() throws {
    let original = try ManagedObjectModel(
      entities: [EntityDescription("Note", [.attribute("content", .string)])],
      fetchRequestTemplates: ["all": FetchRequest("Note", sortedBy: [.init("content")])]
    ).compiledData()
    // The same archive without the selector, as another program may have written it.
    var archive = try #require(try PropertyList(original).dictionary)
    var objects = try #require(archive["$objects"]?.array)
    let index = try #require(objects.firstIndex { $0["NSSelector"] != nil })
    var descriptor = try #require(objects[index].dictionary)
    descriptor["NSSelector"] = .uid(PropertyList.UID(0))
    objects[index] = .dictionary(descriptor)
    archive["$objects"] = .array(objects)
    let data = try PropertyList.dictionary(archive).data(format: .binary)
    let model = try ManagedObjectModel(compiled: data)
    #expect(model.fetchRequestTemplates["all"]?.sortDescriptors.first?.comparison == .compare)
    #expect(try ArchiveGraph.differences(data, model.compiledData()) == [])
    // A comparison that is set explicitly is written.
    var request = try #require(model.fetchRequestTemplates["all"])
    request.sortDescriptors[0].comparison = .localized
    let changed = try ManagedObjectModel(entities: model.entityDescriptions, fetchRequestTemplates: ["all": request])
    let again = try ManagedObjectModel(compiled: changed.compiledData())
    #expect(again.fetchRequestTemplates["all"]?.sortDescriptors.first?.comparison == .localized)
  }

  @Test func `a compiled model keeps the default value of an unknown class`() throws {
    // An object of the class Cover that contains itself.
    let archiver = KeyedArchiver()
    let cover = Cover()
    try archiver.encode(cover, forKey: "root")
    var attribute = AttributeDescription("cover", .transformable)
    attribute.defaultValue = .data(try archiver.encodedData())
    attribute.valueClassName = "Cover"
    let model = try ManagedObjectModel(entities: [EntityDescription("Book", [.attribute(attribute)])])
    let data = try model.compiledData()
    #expect(try KeyedArchive(data).classes.contains { $0.description.name == "Cover" && $0.instanceCount == 1 })
    let copy = try ManagedObjectModel(compiled: data)
    #expect(try ArchiveGraph.differences(data, copy.compiledData()) == [])
    guard case .data(let archive)? = copy["Book"]?.attribute(named: "cover")?.initialValue else {
      Issue.record("no default value")
      return
    }
    #expect(try KeyedUnarchiver.unarchivedObject(of: Cover.self, from: archive).text == "front")
  }

  final class Cover: SecureCoding {
    static let archivedClass = ArchivedClass("Cover")
    let text: String

    init() { text = "front" }

    init(coder: KeyedUnarchiver) throws { text = try coder.decode(String.self, forKey: "text") }

    func encode(with coder: KeyedArchiver) throws { try coder.encode(text, forKey: "text") }
  }

  @Test func `compiling adds the module name to a class name that begins with a period`() throws {
    let entity = ModelTests.changed(EntityDescription("A")) { $0.className = ".A" }
    let model = try ManagedObjectModel(entities: [entity])
    let copy = try ManagedObjectModel(compiled: model.compiledData(moduleName: "App"))
    #expect(copy["A"]?.definition.className == "App.A")
  }

  @Test func `reading data that is not a compiled model throws`() throws {
    #expect(throws: ManagedObjectModelError.self) { try ManagedObjectModel(compiled: Data()) }
    #expect(throws: ManagedObjectModelError.self) { try ManagedObjectModel(compiled: Data("bplist00".utf8)) }
    let other = try KeyedArchiver.archivedData(withRootObject: "text")
    let error = #expect(throws: ManagedObjectModelError.self) { try ManagedObjectModel(compiled: other) }
    #expect(error?.description == "root: expected NSManagedObjectModel, found a string (object 1)")
  }

  private static let mutations =
    ProcessInfo.processInfo.environment["ARCHIVE_MUTATIONS"].flatMap { Int($0) } ?? LongForm.size(3000, or: 60)

  @Test func `reading a compiled model with damaged bytes never traps`() throws {
    let original = [UInt8](try Fixtures.data(Self.notes))
    var random = SeededGenerator(seed: 7)
    var opened = 0
    for _ in 0..<Self.mutations {
      var bytes = original
      for _ in 0..<Int.random(in: 1...3, using: &random) { bytes.damage(using: &random) }
      guard let model = try? ManagedObjectModel(compiled: Data(bytes)) else { continue }
      opened += 1
      _ = try? model.compiledData()
      _ = model.entityVersionHashesByName
      _ = model.description
    }
    #expect(opened > 0)
  }

  @Test func `reading a compiled model with wrong references never traps`() throws {
    let original = try PropertyList(Fixtures.data(Self.notes))
    var random = SeededGenerator(seed: 9)
    var opened = 0
    for _ in 0..<Self.mutations {
      var archive = original
      guard case .array(var objects)? = archive["$objects"] else { return }
      let index = Int.random(in: 1..<objects.count, using: &random)
      guard case .dictionary(var entries) = objects[index], !entries.isEmpty else { continue }
      let key = entries.keys[Int.random(in: 0..<entries.count, using: &random)]
      switch Int.random(in: 0..<4, using: &random) {
      case 0: entries[key] = nil
      case 1: entries[key] = .integer(.init(Int.random(in: -3...9000, using: &random)))
      default: entries[key] = .uid(.init(UInt32.random(in: 0..<UInt32(objects.count + 2), using: &random)))
      }
      objects[index] = .dictionary(entries)
      archive.dictionary?["$objects"] = .array(objects)
      guard let model = try? ManagedObjectModel(compiled: archive.data(format: .binary)) else { continue }
      opened += 1
      _ = try? model.compiledData()
      _ = model.entityVersionHashesByName
    }
    #expect(opened > 0)
  }

  @Test func `versions of a model are written to a folder and read from it`() throws {
    let folder = TemporaryFolder()
    let url = folder.url.appending(path: "Notes.momd")
    let notes = try ManagedObjectModel(contentsOf: Fixtures.url(Self.notes))
    let first = try ManagedObjectModel(entities: [EntityDescription("Note")])
    var versions = VersionedModel(models: ["Notes": first, "Notes 2": notes], currentName: "Notes 2")
    try versions.writeCompiled(to: url)
    let copy = try VersionedModel(contentsOf: url)
    #expect(copy.currentName == "Notes 2" && copy.current == notes && copy.models["Notes"] == first)
    #expect(copy.recordedHashes["Notes 2"] == notes.entityVersionHashesByName)
    #expect(copy.name(ofVersionWith: first.entityVersionHashesByName) == "Notes")
    #expect(try ManagedObjectModel(contentsOf: url) == notes)
    let information = try PropertyList(contentsOf: url.appending(path: "VersionInfo.plist"))
    #expect(information["NSManagedObjectModel_CurrentVersionName"] == "Notes 2")
    #expect(information["NSManagedObjectModel_VersionChecksums"]?["Notes 2"]?.string == notes.versionChecksum)

    let source = folder.url.appending(path: "Notes.xcdatamodeld")
    try versions.writeSource(to: source)
    let text = try PropertyList(contentsOf: source.appending(path: ".xccurrentversion"))
    #expect(text["_XCCurrentVersionName"] == "Notes 2.xcdatamodel")
    #expect(
      try VersionedModel(contentsOf: source).current?.entityVersionHashesByName == notes.entityVersionHashesByName)

    versions.currentName = "Notes 3"
    try versions.writeCompiled(to: url)
    let error = #expect(throws: ManagedObjectModelError.self) { try VersionedModel(contentsOf: url) }
    #expect(error?.description.contains("the current version \"Notes 3\" is missing in ") == true)
    #expect(throws: ManagedObjectModelError.self) { try VersionedModel(contentsOf: folder.url) }
    #expect(throws: ManagedObjectModelError.self) {
      try VersionedModel(models: ["../x": first], currentName: "../x").writeCompiled(to: url)
    }
  }
}
