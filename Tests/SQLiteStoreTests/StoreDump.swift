import Foundation
import ManagedObjects
import OrderedCollections
import PropertyLists

/// All objects of a store as text, so that the results of two readers can be compared. `reader.py` documents the form
/// of values.
struct StoreDump {
  /// The metadata of the store. Data, dates and reals are dictionaries with a text.
  var metadata: OrderedDictionary<String, PropertyList> = [:]
  /// The number of objects of each entity, without subentities.
  var counts: [String: Int] = [:]
  /// The objects, by names such as `Note/p3`.
  var objects: [String: Object] = [:]
  /// The anomalies that `reader.py` found. Empty for a dump by the code under test.
  var notices: [String] = []

  struct Object {
    var version: Int64 = 1
    /// The attributes, without transient ones and those without a type. Nil is null.
    var attributes: [String: String?] = [:]
    var relationships: [String: Targets] = [:]
  }

  /// The names of the destination objects: sorted, or in their order for an ordered relationship.
  enum Targets: Equatable {
    case one(String?)
    case many([String])
  }

  /// An error because objects cannot be compared.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }
}

extension StoreDump {
  /// Fetches all objects of a store, entity by entity, and reads the values that are missing in rows.
  init(_ store: any PersistentStore) throws {
    metadata = store.metadata.mapValues(\.inJSON)
    let names = store.model.entities.map(\.name)
    func name(_ key: RowKey) -> String { "\(names[Int(key.entityIndex)])/p\(key.number)" }
    for entity in store.model.entities(ofConfiguration: store.configuration) ?? [] {
      let rows = try Self.rows(of: entity, in: store)
      counts[entity.name] = rows.count
      for row in rows {
        var object = Object(version: row.version)
        for attribute in entity.attributes where !attribute.isTransient && attribute.type.isStored {
          guard case .attribute(let value) = row.values[attribute.slot] else {
            throw Failure(description: "\(name(row.key)).\(attribute.name) is not an attribute in the row")
          }
          object.attributes[attribute.name] = .some(attribute.type.admits(value) ? value.text : "wrong kind: \(value)")
        }
        for relationship in entity.relationships where !relationship.isTransient {
          let targets: Targets? =
            switch (row.values[relationship.slot], relationship.isToMany, relationship.isOrdered) {
            case (.toOne(let key), false, _): .one(key.map(name))
            case (.toMany(let keys), true, false): .many(keys.map(name).sorted { $0.utf8.precedes($1.utf8) })
            case (.orderedToMany(let keys), true, true): .many(keys.map(name))
            default: nil
            }
          guard let targets else {
            throw Failure(
              description:
                "\(name(row.key)).\(relationship.name) has the wrong kind: \(row.values[relationship.slot])")
          }
          object.relationships[relationship.name] = targets
        }
        if objects.updateValue(object, forKey: name(row.key)) != nil {
          throw Failure(description: "\(name(row.key)) was fetched twice")
        }
      }
    }
  }

  private static func rows(of entity: ManagedObjectModel.Entity, in store: any PersistentStore) throws -> [StoreRow] {
    var request = FetchRequest(entity.name)
    request.includesSubentities = false
    guard case .rows(var rows) = try store.fetch(request, of: entity) else {
      throw Failure(description: "the fetch of \(entity.name) has no rows as its result")
    }
    for slot in entity.relationships.map(\.slot) + entity.attributes.map(\.slot) {
      let unread = rows.indices.filter { rows[$0].values[slot] == .unread }
      guard !unread.isEmpty else { continue }
      let values = try store.values(ofSlot: slot, unread.map { rows[$0].key })
      for (row, value) in zip(unread, values) {
        guard let value else { throw Failure(description: "\(entity.name)/p\(rows[row].key.number) is gone") }
        rows[row].values[slot] = value
      }
    }
    return rows
  }
}

extension StoreDump {
  /// Creates a dump from the output of `reader.py`.
  init(json: Data) throws {
    let document = try PropertyList(json, format: .json)
    metadata = document["metadata"]?.dictionary ?? [:]
    notices = document["notices"]?.array?.compactMap(\.string) ?? []
    for (name, count) in document["counts"]?.dictionary ?? [:] {
      counts[name] = count.integer.flatMap { Int(exactly: $0) }
    }
    for (name, value) in document["objects"]?.dictionary ?? [:] {
      guard let version = value["version"]?.integer.flatMap({ Int64(exactly: $0) }) else {
        throw Failure(description: "\(name) has no version")
      }
      var object = Object(version: version)
      for (key, text) in value["attributes"]?.dictionary ?? [:] { object.attributes[key] = .some(text.string) }
      for (key, targets) in value["relationships"]?.dictionary ?? [:] {
        object.relationships[key] = targets.array.map { .many($0.compactMap(\.string)) } ?? .one(targets.string)
      }
      objects[name] = object
    }
  }
}

extension StoreDump {
  /// Returns the first differences, by object and property.
  func differences(from expected: StoreDump, limit: Int = 20) -> [String] {
    var list = DifferenceList(limit: limit)
    list.compare(metadata, expected.metadata, at: "metadata")
    for name in Set(counts.keys).union(expected.counts.keys).sorted() where counts[name] != expected.counts[name] {
      list.add("number of \(name)", counts[name].map(String.init), expected.counts[name].map(String.init))
    }
    for name in Set(objects.keys).union(expected.objects.keys).sorted(by: Self.objectPrecedes) {
      guard let object = objects[name], let other = expected.objects[name] else {
        list.add(name, objects[name].map { _ in "there" }, expected.objects[name].map { _ in "there" })
        continue
      }
      if object.version != other.version { list.add("\(name) version", "\(object.version)", "\(other.version)") }
      for key in Set(object.attributes.keys).union(other.attributes.keys).sorted() {
        let (own, expected) = (object.attributes[key], other.attributes[key])
        // Strings must have the same bytes.
        if own?.map({ Array($0.utf8) }) != expected?.map({ Array($0.utf8) }) || (own == nil) != (expected == nil) {
          list.add("\(name).\(key)", own.map { $0.shown }, expected.map { $0.shown })
        }
      }
      for key in Set(object.relationships.keys).union(other.relationships.keys).sorted() {
        let (own, expected) = (object.relationships[key], other.relationships[key])
        if own != expected { list.add("\(name).\(key)", own.map(\.shown), expected.map(\.shown)) }
      }
    }
    return list.lines
  }

  /// The order by entity, then by number.
  private static func objectPrecedes(_ first: String, _ second: String) -> Bool {
    let (a, b) = (first.split(separator: "/p"), second.split(separator: "/p"))
    if a.first != b.first { return first < second }
    return (a.last.flatMap { Int64($0) } ?? 0) < (b.last.flatMap { Int64($0) } ?? 0)
  }
}

extension StoreDump.Targets {
  fileprivate var shown: String {
    switch self {
    case .one(let name): name ?? "null"
    case .many(let names): "[\(names.joined(separator: ", "))]"
    }
  }
}

extension String? {
  fileprivate var shown: String { map { "\"\($0)\"" } ?? "null" }
}

extension AttributeType {
  /// False for types that have no column in SQLite stores.
  fileprivate var isStored: Bool { self != .undefined && self != .objectID }
}
