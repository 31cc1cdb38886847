import Foundation
import KeyedArchiving
import ManagedObjects
import Testing

@Suite("Mapping models made by Apple's tools") struct MappingModelSampleTests {
  @Test func `compiling a mapping model again preserves it`() throws {
    for (compiled, _) in ModelSamples.mappings {
      let original = try Data(contentsOf: compiled)
      let model = try MappingModel(compiled: original)
      let copy = try model.compiledData()
      #expect(try ArchiveGraph.differences(original, copy) == [])
      #expect(try MappingModel(compiled: copy) == model)
      #expect(model.otherArchivedValues.isEmpty && model.entityMappings.allSatisfy { $0.otherArchivedValues.isEmpty })
    }
  }

  @Test func `a mapping model fits only the versions in its name`() throws {
    for (compiled, _) in ModelSamples.mappings {
      let mapping = try MappingModel(contentsOf: compiled)
      let folder = compiled.deletingLastPathComponent().appending(path: "SampleModel.momd")
      let versions = try VersionedModel(contentsOf: folder)
      let (source, destination) = ("SampleModel2", "SampleModel3")
      for entity in mapping.entityMappings {
        if let name = entity.sourceEntityName {
          #expect(entity.sourceEntityVersionHash == versions.recordedHashes[source]?[name], "\(name)")
        }
        if let name = entity.destinationEntityName {
          #expect(entity.destinationEntityVersionHash == versions.recordedHashes[destination]?[name], "\(name)")
        }
      }
      let old = try #require(versions.models[source])
      let new = try #require(versions.models[destination])
      #expect(mapping.defects(from: old, to: new) == [])
      #expect(!mapping.defects(from: new, to: old).isEmpty)
      let first = try #require(versions.models["SampleModel"])
      #expect(!mapping.defects(from: first, to: new).isEmpty)
    }
  }

  @Test func `a compiled mapping model matches its source`() throws {
    for (compiled, source) in ModelSamples.mappings {
      let mapping = try MappingModel(contentsOf: compiled)
      let objects = try SourceObject.all(in: source)
      let sources = objects.values.filter { $0.type == "XDDEVENTITYMAPPING" }
      #expect(mapping.entityMappings.count == sources.count)
      for entity in mapping.entityMappings {
        // The source has no name for a mapping, so that it is found by its entities.
        let object = try #require(
          sources.first {
            $0.attributes["sourcename"] == entity.sourceEntityName
              && $0.attributes["destinationname"] == entity.destinationEntityName
          })
        #expect(entity.migrationPolicyClassName == object.attributes["migrationpolicyclassname"])
        for (key, properties) in [
          ("attributemappings", entity.attributeMappings), ("relationshipmappings", entity.relationshipMappings),
        ] {
          let parts = try (object.relationships[key] ?? []).map { try #require(objects[$0]) }
          #expect(Set(parts.map { $0.attributes["name"] }) == Set(properties.map(\.name)), "\(entity.name)")
          for part in parts {
            guard let text = part.attributes["valueexpressiondata"] else { continue }
            let data = try #require(Data(base64Encoded: text, options: .ignoreUnknownCharacters))
            let expression = try KeyedUnarchiver(forReadingFrom: data).decodeExpressionIfPresent(forKey: "root")
            let property = properties.first { $0.name == part.attributes["name"] }
            #expect(expression != nil && property?.valueExpression == expression, "\(entity.name)")
          }
        }
      }
    }
  }

  /// An object of an XML store, read without a model.
  private struct SourceObject {
    var type: String
    var attributes: [String: String] = [:]
    var relationships: [String: [String]] = [:]

    /// Returns the objects of a store by ID. The attributes and relationships are in the order of the file.
    static func all(in url: URL) throws -> [String: SourceObject] {
      let text = try String(contentsOf: url, encoding: .utf8)
      var objects: [String: SourceObject] = [:]
      for part in text.components(separatedBy: "<object ").dropFirst() {
        var object = SourceObject(type: try word(after: "type=", in: part))
        for attribute in part.components(separatedBy: "<attribute ").dropFirst() {
          let value = try #require(attribute.split(separator: ">").dropFirst().first)
          object.attributes[try word(after: "name=", in: attribute)] = String(value.prefix { $0 != "<" })
        }
        for relationship in part.components(separatedBy: "<relationship ").dropFirst() {
          guard relationship.contains("idrefs=") else { continue }
          let identifiers = try word(after: "idrefs=", in: relationship)
          object.relationships[try word(after: "name=", in: relationship)] =
            identifiers.split(separator: " ").map(String.init)
        }
        objects[try word(after: " id=", in: part)] = object
      }
      return objects
    }

    private static func word(after mark: String, in text: String) throws -> String {
      let range = try #require(text.range(of: mark))
      let rest = text[range.upperBound...].dropFirst()
      return String(rest.prefix { $0 != "\"" })
    }
  }
}
