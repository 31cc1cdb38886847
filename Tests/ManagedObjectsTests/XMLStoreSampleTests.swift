import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import ManagedObjects

/// XML stores written by Apple's framework: Xcode's mapping models. The samples do not contain the model of such files,
/// so that it is derived from the elements of each file.
@Suite("XML stores written by Apple's framework") struct XMLStoreSampleTests {
  static let files = ModelSamples.stores(inXML: "<database>")

  /// Returns a model for the elements of a file. Names are in lower case in the file, so that the version hashes
  /// differ.
  static func model(_ tree: XMLTree, _ hashes: [String: Data]) throws -> ManagedObjectModel {
    var entities: [String: EntityDescription] = [:]
    var targets: [String: [String: Set<String>]] = [:]
    func name(_ folded: String) -> String { hashes.keys.first { $0.uppercased() == folded } ?? folded }
    for name in hashes.keys { entities[name.uppercased()] = EntityDescription(name) }
    for object in tree.root.children where object.name == "object" {
      let type = object.attributes["type"]!
      for child in object.children {
        let property = child.attributes["name"]!
        if child.name == "relationship" {
          let numbers = Set(child.attributes["idrefs"]?.split(separator: " ").map(String.init) ?? [])
          targets["\(type) \(property)", default: [:]][object.attributes["id"]!] = numbers
        }
        var entity = entities[type] ?? EntityDescription(type)
        defer { entities[type] = entity }
        if entity.properties.contains(where: { $0.name == property }) { continue }
        if child.name == "attribute" {
          let type = AttributeType.allCases.first { XMLStoreText.isName(child.attributes["type"]!, of: $0) }!
          entity.properties.append(.attribute(property, type))
        } else {
          let counts = child.attributes["type"]!.split(separator: "/").compactMap { Int($0) }
          var relationship = RelationshipDescription(property, to: name(child.attributes["destination"]!))
          (relationship.minimumCount, relationship.maximumCount) = (counts[0], counts[1])
          entity.properties.append(.relationship(relationship))
        }
      }
    }
    // The inverse of a relationship is the one whose references all lead back.
    for (type, entity) in entities {
      for index in entity.properties.indices {
        guard case .relationship(var relationship) = entity.properties[index],
          let destination = entities[relationship.destination.uppercased()]
        else { continue }
        let own = targets["\(type) \(relationship.name)"] ?? [:]
        relationship.inverse =
          destination.relationships.first { other in
            let back = targets["\(destination.name.uppercased()) \(other.name)"] ?? [:]
            return other.destination.uppercased() == type
              && own.allSatisfy { id, ids in ids.allSatisfy { back[$0]?.contains(id) == true } }
              && back.allSatisfy { id, ids in ids.allSatisfy { own[$0]?.contains(id) == true } }
          }?.name
        entities[type]?.properties[index] = .relationship(relationship)
      }
    }
    return try ManagedObjectModel(entities: Array(entities.values))
  }

  @Test(arguments: files) func `an unchanged store is written with the same bytes`(file: URL) throws {
    let original = try String(contentsOf: file, encoding: .utf8)
    let hashes = ModelSamples.hashes(try XMLStore.metadata(ofFile: file)[StoreMetadataKey.versionHashes])
    let tree = try XMLTree(Data(original.utf8))
    let model = try Self.model(tree, hashes)
    let folder = TemporaryFolder()
    let url = folder.url.appending(path: "store.xml")
    try Data(original.utf8).write(to: url)
    // The file has the hashes of the real model.
    if !hashes.isEmpty {
      let error = #expect(throws: ManagedObjectError.self) { try XMLStore(url, model: model) }
      #expect(error?.code == .incompatibleVersionHash && error?.differingEntities == hashes.keys.sorted())
    }
    let own = Self.withHashes(of: model, original)
    try Data(own.utf8).write(to: url)
    let store = try XMLStore(url, model: model)
    let objects = tree.root.children.filter { $0.name == "object" }
    let rows = try store.comparableRows()
    #expect(rows.count == objects.count)
    try compare(rows, objects, model)
    // A save without changes.
    store.setMetadata([:])
    try store.save(StoreChanges())
    #expect(try String(contentsOf: url, encoding: .utf8) == own)
    // An object is inserted and deleted.
    let entity = try #require(model.entities.first { !$0.isAbstract }).name
    let keys = try store.insert([entity]) { _ in [[:]] }
    try store.delete(keys)
    let number = String(keys[0].number)
    #expect(
      try String(contentsOf: url, encoding: .utf8)
        == own.replacingOccurrences(of: "<nextObjectID>\(keys[0].number - 1)<", with: "<nextObjectID>\(number)<"))
    // If the file is written from scratch, only the order of references differs, and that of attributes if it is not
    // known.
    try FileManager.default.removeItem(at: url)
    store.setMetadata([:])
    try store.save(StoreChanges())
    #expect(
      Self.sorted(try String(contentsOf: url, encoding: .utf8))
        == Self.sorted(
          own.replacingOccurrences(of: "<nextObjectID>\(keys[0].number - 1)<", with: "<nextObjectID>\(number)<")))
    #expect(try XMLStore(url, model: model).comparableRows() == rows)
  }

  /// Returns the text with the version hashes of another model.
  private static func withHashes(of model: ManagedObjectModel, _ text: String) -> String {
    var text = text
    for (name, hash) in model.entityVersionHashesByName {
      guard let key = text.range(of: "<key>\(name)</key>"), let start = text[key.upperBound...].range(of: "\t\t"),
        let end = text[start.upperBound...].range(of: "\n")
      else { continue }
      text.replaceSubrange(start.upperBound..<end.lowerBound, with: hash.base64EncodedString())
    }
    for (key, value) in [
      (StoreMetadataKey.versionHashesDigest, model.versionHashesDigest),
      (StoreMetadataKey.versionChecksum, model.versionChecksum),
    ] {
      guard let key = text.range(of: "<key>\(key)</key>"), let start = text[key.upperBound...].range(of: "<string>"),
        let end = text[start.upperBound...].range(of: "<")
      else { continue }
      text.replaceSubrange(start.upperBound..<end.lowerBound, with: value)
    }
    return text
  }

  /// Returns the lines of a file with sorted references. The XML declaration is left out.
  private static func sorted(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard let start = line.range(of: "idrefs=\""), let end = line[start.upperBound...].range(of: "\"") else {
        return line.hasPrefix("<?xml") ? "" : String(line)
      }
      let ids = line[start.upperBound..<end.lowerBound].split(separator: " ").sorted()
      return line[..<start.upperBound] + ids.joined(separator: " ") + line[end.lowerBound...]
    }
  }

  /// Compares rows with the elements of the file, which are read by another parser.
  private func compare(_ rows: [StoreRow], _ objects: [XMLTree.Element], _ model: ManagedObjectModel) throws {
    var byNumber: [Int64: StoreRow] = [:]
    for row in rows { byNumber[row.key.number] = row }
    for object in objects {
      let number = try #require(Int64(object.attributes["id"]!.dropFirst()))
      let row = try #require(byNumber[number])
      let entity = model.entities[Int(row.key.entityIndex)]
      #expect(entity.name.uppercased() == object.attributes["type"])
      var count = 0
      for child in object.children {
        let property = try #require(entity.property(named: child.attributes["name"]!))
        switch row.values[property.slot] {
        case .attribute(let value):
          let text = child.text.filter { !$0.isWhitespace }
          switch value {
          case .string(let value): #expect(value == child.text)
          case .data(let value): #expect(value.base64EncodedString() == text)
          case .boolean(let value): #expect((value ? "1" : "0") == text)
          case .integer(let value): #expect("\(value)" == text)
          default: Issue.record("\(value)")
          }
          count += 1
        case let value:
          let ids = child.attributes["idrefs"]?.split(separator: " ").map(String.init) ?? []
          #expect(Set(value.keys.map { "z\($0.number)" }) == Set(ids))
        }
      }
      #expect(entity.attributes.filter { row.values[$0.slot] != .null }.count == count)
    }
  }
}
