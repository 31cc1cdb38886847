import Foundation
import ManagedObjects
import PropertyLists
import TestSupport
import Testing

@testable import ObjectModels

@Suite("Version hashes") struct ModelHashTests {
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func `SHA-256 digests match FIPS 180-4`(_ message: String, _ digest: String) {
    #expect(Self.hexadecimal(SHA2.sha256(Array(message.utf8))) == digest)
  }

  @Test func `SHA-512 digests match FIPS 180-4`() {
    #expect(
      Self.hexadecimal(SHA2.sha512(Array("abc".utf8)))
        == "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f")
  }

  @Test func `digests match Python's hashlib for every length`() throws {
    let program = """
      import hashlib, sys
      for n in range(300): print(hashlib.sha256(b"a" * n).hexdigest(), hashlib.sha512(b"a" * n).hexdigest())
      """
    guard ModelSamples.hasPython else { return }
    let result = try Program.runPython(["-c", program])
    for (length, line) in result.text.split(separator: "\n").enumerated() {
      let message = [UInt8](repeating: UInt8(ascii: "a"), count: length)
      #expect("\(Self.hexadecimal(SHA2.sha256(message))) \(Self.hexadecimal(SHA2.sha512(message)))" == line)
    }
  }

  private static func hexadecimal(_ data: Data) -> String { data.map { String(format: "%02x", $0) }.joined() }

  @Test func `the hash of a known model is right`() throws {
    let user = EntityDescription(
      "User", [.attribute("name", .string, isOptional: false), .attribute("petName", .string)])
    let model = try ManagedObjectModel(entities: [user])
    let hash = try #require(model["User"]?.versionHash)
    #expect(Self.hexadecimal(hash).hasPrefix("6b31f4e97b691d16"))
  }

  @Test(arguments: ["models/Notes.mom", "models/Notes.xcdatamodel/contents"])
  func `hashes cover every part of the formula`(_ name: String) throws {
    struct Expected: Decodable {
      let entities: [String: Data]
      let digest: String
      let checksum: String
    }
    let expected = try JSONDecoder().decode(Expected.self, from: Fixtures.data("models/Notes.hashes.json"))
    let model = try ManagedObjectModel(contentsOf: Fixtures.url(name))
    #expect(model.entityVersionHashesByName == expected.entities)
    for entity in model.entities { #expect(entity.versionHash == expected.entities[entity.name]) }
    #expect(model.versionHashesDigest == expected.digest && model.versionChecksum == expected.checksum)
    #expect(model.entitiesThatDiffer(from: expected.entities) == [])
    var others = expected.entities
    others["Note"] = Data()
    others["Tag"] = Data()
    others["Person"] = nil
    #expect(model.entitiesThatDiffer(from: others) == ["Note", "Person", "Tag"])
  }

  @Test func `both spellings of a derived count have the hash of Core Data`() throws {
    for format in ["pages.@count", "count(pages)"] {
      var count = AttributeDescription("pagesCount", .integer64, isOptional: false)
      count.derivation = .init(try ManagedExpression(format: format))
      #expect(count.versionHash == SHA2.sha256(Array("count:(pages)".utf8)))
      var book = EntityDescription("Book", [.attribute(count), .relationship("pages", to: "Page", isToMany: true)])
      #expect(try ManagedObjectModel(entities: [book, EntityDescription("Page")])["Book"]?.hasKnownVersionHash == true)
      count.derivation?.filter = .constant(true)
      book.properties[0] = .attribute(count)
      #expect(
        try ManagedObjectModel(entities: [book, EntityDescription("Page")])["Book"]?.hasKnownVersionHash == false)
    }
  }

  @Test func `a composite attribute hashes its elements in name order`() throws {
    func composite(_ elements: [AttributeDescription]) -> AttributeDescription {
      var attribute = AttributeDescription("author", .composite)
      attribute.elements = elements
      return attribute
    }
    let name = AttributeDescription("name", .string)
    let id = AttributeDescription("id", .uuid)
    let author = composite([name, id])
    #expect(author.versionHash == SHA2.sha256(Array(id.versionHash) + Array(name.versionHash)))
    var other = author
    other.name = "writer"
    other.isOptional = false
    #expect(other.versionHash == author.versionHash && composite([id, name]).versionHash == author.versionHash)
    func nested(_ element: AttributeDescription) -> AttributeDescription {
      var attribute = composite([element])
      attribute.name = "outer"
      return attribute
    }
    var derived = name
    derived.derivation = .init(try ManagedExpression(format: "now()"))
    for (attribute, isKnown, isInferred) in [
      (author, true, false), (nested(author), true, true), (nested(composite([derived])), false, true),
      (nested(composite([])), false, true), (composite([]), false, false),
    ] {
      let model = try ManagedObjectModel(entities: [EntityDescription("Book", [.attribute(attribute)])])
      #expect(model["Book"]?.hasKnownVersionHash == isKnown)
      #expect(model["Book"]?.hasInferredVersionHash == isInferred)
    }
  }

  private static func nested(_ names: [String]) throws -> ManagedObjectModel {
    var (inner, outer) = (AttributeDescription("place", .composite), AttributeDescription("address", .composite))
    inner.elements = names.map { AttributeDescription($0, .string) }
    outer.elements = [AttributeDescription("street", .string), inner]
    return try ManagedObjectModel(entities: [EntityDescription("Book", [.attribute(outer)])])
  }

  @Test func `a composite element is hashed as a composite attribute`() throws {
    let model = try Self.nested(["town", "code"])
    func leaf(_ name: String) -> [UInt8] { Array(AttributeDescription(name, .string).versionHash) }
    let place = SHA2.sha256(leaf("code") + leaf("town"))
    let address = SHA2.sha256(Array(place) + leaf("street"))
    #expect(model["Book"]?.versionHash == SHA2.sha256(Array("Book".utf8) + [0] + Array(address)))
  }

  @Test func `an inferred hash is written to stores, and a store without it is opened`() throws {
    let model = try Self.nested(["town"])
    let store = try InMemoryStore(model: model)
    let hashes = store.metadata[StoreMetadataKey.versionHashes]?.dictionary
    #expect(hashes?["Book"]?.data == model["Book"]?.versionHash)
    #expect(model.entitiesThatDiffer(from: model.entityVersionHashesByName) == [])
    #expect(model.entitiesThatDiffer(from: [:]) == [])
    #expect(model.entitiesThatDiffer(from: try Self.nested(["city"]).entityVersionHashesByName) == ["Book"])
  }

  @Test func `a store omits unknown hashes and remains readable`() throws {
    var date = AttributeDescription("changed", .date)
    date.derivation = .init(try ManagedExpression(format: "now()"))
    let model = try ManagedObjectModel(entities: [
      EntityDescription("Note", [.attribute(date)]), EntityDescription("Tag", [.attribute("name", .string)]),
    ])
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).xml")
    defer { try? FileManager.default.removeItem(at: file) }
    _ = try XMLStore(file, model: model)
    let store = try XMLStore(file, model: model, isReadOnly: true)
    #expect(store.metadata[StoreMetadataKey.versionHashes]?.dictionary?.keys == ["Tag"])
    #expect(store.metadata[StoreMetadataKey.versionChecksum] == nil)
    let other = try ManagedObjectModel(entities: [EntityDescription("Note"), EntityDescription("Tag")])
    #expect(throws: ManagedObjectError.self) { try XMLStore(file, model: other, isReadOnly: true) }
  }

  @Test func `a compiled model omits unknown hashes`() throws {
    var date = AttributeDescription("changed", .date)
    date.derivation = .init(try ManagedExpression(format: "now()"))
    let model = try ManagedObjectModel(entities: [
      EntityDescription("Note", [.attribute(date)]), EntityDescription("Tag", [.attribute("name", .string)]),
    ])
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).momd")
    defer { try? FileManager.default.removeItem(at: folder) }
    try VersionedModel(models: ["Notes": model], currentName: "Notes").writeCompiled(to: folder)
    let information = try PropertyList(Data(contentsOf: folder.appending(path: "VersionInfo.plist")))
    #expect(information["NSManagedObjectModel_VersionHashes"]?["Notes"]?.dictionary?.keys == ["Tag"])
    #expect(information["NSManagedObjectModel_VersionChecksums"]?.dictionary?.isEmpty == true)
  }

  @Test func `hashes ignore class names, user info and transient properties`() throws {
    let plain = try #require(
      try ManagedObjectModel(entities: [ModelTests.person, ModelTests.note])["Note"]?.versionHash)
    func changed(_ change: (inout EntityDescription) -> Void) throws -> Data? {
      try ManagedObjectModel(entities: [ModelTests.person, ModelTests.changed(ModelTests.note, change)])["Note"]?
        .versionHash
    }
    #expect(try changed { $0.className = "Other" } == plain)
    #expect(try changed { $0.userInfo = ["a": "b"] } == plain)
    #expect(
      try changed {
        $0.properties.append(.attribute("t", .string))
        $0.properties[2].isTransient = true
      } == plain)
    #expect(try changed { $0.properties[0].isOptional = true } != plain)
    #expect(try changed { $0.versionHashModifier = "2" } != plain)
    #expect(try changed { $0.isAbstract = true } != plain)
  }
}
