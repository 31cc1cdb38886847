import ArgumentParser
import FoundationEssentials
import ManagedObjects
import OrderedCollections
import PropertyLists
import ToolSupport

struct Show: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "show",
    abstract: "Print an object, the objects that it refers to, and the objects that refer to it.",
    discussion: """
      The object ID can be one that fetch prints, or short: Note/p12. Only the first 20 objects of a to-many \
      relationship are printed; --all prints all of them. Objects that refer to this object through a relationship \
      without an inverse are listed at the end.

      Example: storeutil show Notes.sqlite Note/p12
      """)

  @Argument(file: "The file of the store.", "store")
  var storePath: String

  @OptionGroup var opening: OpeningArguments

  @Argument(help: ArgumentHelp("The ID of the object.", valueName: "id"))
  var id: String

  @Flag(help: "Open archives and JSON in binary and transformable values.")
  var unwrap = false

  @Flag(help: "Print all objects of each relationship.")
  var all = false

  @Flag(name: .customLong("json"), help: "Print JSON.")
  var isJSON = false

  @OptionGroup var plain: PlainArgument

  func validate() throws { try plain.checkGoes(withJSON: isJSON) }

  func run() throws {
    let opened = try opening.open(storePath)
    let key = try opened.key(id)
    let reader = ObjectReader(opened, unwraps: unwrap)
    let entity = ManagedObjectID(key, model: opened.model, storeIdentifier: nil).entity
    let columns = ObjectColumn.all(of: entity, includesToMany: true)
    var values: OrderedDictionary<String, PropertyList> = [:]
    try reader.forEach([key], columns) { _, found in
      for (column, value) in zip(columns, found) { if let value { values[column.name] = value } }
    }
    if values.isEmpty { throw ManagedObjectError(.referentialIntegrity, "the store has no object \(id.printable())") }
    let sources = try sources(of: key, entity, opened, reader)
    isJSON ? try printJSON(values, sources, reader) : try printLines(values, entity, sources)
    try reader.defects.tell()
  }

  /// Finds the objects that refer to this object in a relationship without an inverse. Returns the name of each such
  /// relationship, and the objects.
  private func sources(
    of key: RowKey, _ entity: ManagedObjectModel.Entity, _ opened: OpenStore, _ reader: ObjectReader
  ) throws -> [(name: String, objects: [PropertyList])] {
    var sources: [(String, [PropertyList])] = []
    for source in opened.model.entities {
      for relationship in source.relationships
      where source.inverse(of: relationship) == nil && !relationship.definition.isTransient {
        let isOwn = source.definition.relationships.contains { $0.name == relationship.definition.name }
        guard isOwn, source.destination(of: relationship).selfAndDescendants.contains(entity) else { continue }
        guard let path = PredicateKeyPath(keys: [relationship.definition.name]) else { continue }
        let predicate = ManagedPredicate.comparing(
          .keyPath(path), .equal, .constant(.object(key)),
          modifier: relationship.definition.isToMany ? .any : .direct)
        let keys = try reader.keys(FetchRequest(source.name, where: predicate))
        if !keys.isEmpty {
          sources.append(("\(source.name).\(relationship.definition.name)", keys.map { .string(reader.uri($0)) }))
        }
      }
    }
    return sources
  }

  private func printJSON(
    _ values: OrderedDictionary<String, PropertyList>, _ sources: [(name: String, objects: [PropertyList])],
    _ reader: ObjectReader
  ) throws {
    var values = values
    let sources = OrderedDictionary(uniqueKeysWithValues: sources.map { ($0.name, PropertyList.array($0.objects)) })
    values["@sources"] = .dictionary(sources)
    try output(PropertyList.dictionary(values).json(plain.form))
  }

  private func printLines(
    _ values: OrderedDictionary<String, PropertyList>, _ entity: ManagedObjectModel.Entity,
    _ sources: [(name: String, objects: [PropertyList])]
  ) throws {
    var values = values
    var lines = [(values.removeValue(forKey: ObjectColumn.id)?.string ?? "").printable()]
    values.removeValue(forKey: ObjectColumn.entity)
    for (name, value) in values {
      if entity.relationship(named: name) != nil {
        let objects = value.array ?? (value == .null ? [] : [value])
        lines.append(contentsOf: list("\(name.printable()) →", objects))
      } else {
        lines.append("  \(name.printable()): \(try text(value))")
      }
    }
    for source in sources { lines.append(contentsOf: list("← \(source.name.printable())", source.objects)) }
    try output(lines.joined(separator: "\n"))
  }

  /// Returns a line with the title, and a line for each object; without `--all`, only for the first 20 objects.
  private func list(_ title: String, _ objects: [PropertyList]) -> [String] {
    let shown = all ? objects[...] : objects.prefix(20)
    var lines = ["  \(title) \(objects.isEmpty ? "nothing" : objects.count == 1 ? "" : "\(objects.count)")"]
    if objects.count == 1 {
      lines = ["  \(title) \((objects[0].string ?? "").printable())"]
    } else {
      lines += shown.map { "    \(($0.string ?? "").printable())" }
      if shown.count < objects.count { lines.append("    … --all prints \(objects.count - shown.count) more") }
    }
    return lines
  }

  private func text(_ value: PropertyList) throws(PropertyListError) -> String {
    switch value {
    case .null: return "nil"
    case .string(let text): return text.printable()
    case .data(let data):
      if data.isEmpty { return "<0 bytes>" }
      let digits = data.prefix(32).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      return "<\(data.count) bytes: \(digits)\(data.count > 32 ? "…" : "")>"
    case .array, .dictionary:
      let json = String(decoding: try value.json(nil), as: UTF8.self)
      return json.split(separator: "\n").map { $0.printable() }.joined(separator: "\n  ")
    default: return (try value.cellText).printable()
    }
  }
}
