import FoundationEssentials
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

@testable import ManagedObjects

/// Models for tests of stores, and helper functions.
enum StoreModels {
  /// A model with all types of attributes, all kinds of relationships, inheritance and configurations.
  static let all: ManagedObjectModel = {
    var scratch = AttributeDescription("scratch", .string)
    scratch.traits.isTransient = true
    var person = EntityDescription(
      "Person",
      [
        .attribute("name", .string), .relationship("notes", to: "Note", inverse: "author", isToMany: true),
        .relationship("friends", to: "Person", inverse: "friends", isToMany: true),
        .relationship("shelf", to: "Note", inverse: "shelfOwner", isToMany: true, isOrdered: true),
        .relationship("favourite", to: "Note", deleteRule: .noAction), .attribute(scratch),
      ])
    person.uniquenessConstraints = [["name"]]
    var employee = EntityDescription("Employee", [.attribute("salary", .decimal)])
    employee.superentity = "Person"
    var thing = EntityDescription("Thing", [.attribute("label", .string)])
    thing.isAbstract = true
    var everything = EntityDescription(
      "Everything",
      [
        .attribute("int16", .integer16), .attribute("int32", .integer32), .attribute("int64", .integer64),
        .attribute("bool", .boolean), .attribute("decimal", .decimal), .attribute("double", .double),
        .attribute("float", .float), .attribute("string", .string), .attribute("date", .date),
        .attribute("binary", .binary), .attribute("uuid", .uuid), .attribute("uri", .uri),
        .attribute("transformable", .transformable), .attribute("undefined", .undefined),
      ])
    everything.superentity = "Thing"
    everything.uniquenessConstraints = [["int32", "int16"]]
    let note = EntityDescription(
      "Note",
      [
        .attribute("content", .string), .relationship("author", to: "Person", inverse: "notes"),
        .relationship("shelfOwner", to: "Person", inverse: "shelf"),
      ])
    return model(
      [person, employee, thing, everything, note],
      configurations: ["people": ["Person", "Employee", "Note"], "things": ["Thing", "Everything"]])
  }()

  static func model(
    _ entities: [EntityDescription], configurations: OrderedDictionary<String, [String]> = [:]
  ) -> ManagedObjectModel {
    do { return try ManagedObjectModel(entities: entities, configurations: configurations) } catch {
      fatalError("\(error)")
    }
  }
}

/// Returns a row with values by property name.
func row(
  _ key: RowKey, _ model: ManagedObjectModel, _ values: [String: RowValue] = [:], version: Int64 = 1
) -> StoreRow {
  let entity = model.entities[Int(key.entityIndex)]
  var row = StoreRow(key: key, version: version, values: entity.emptyValues)
  for (name, value) in values { row.values[entity.property(named: name)!.slot] = value }
  return row
}

extension PersistentStore {
  /// Inserts and saves new rows, and returns their keys.
  @discardableResult
  func insert(_ entities: [String], _ values: ([RowKey]) -> [[String: RowValue]]) throws -> [RowKey] {
    let keys = try makeKeys(entities.map { model[$0]!.index })
    var changes = StoreChanges()
    changes.inserted = zip(keys, values(keys)).map { row($0, model, $1) }
    try save(changes)
    return keys
  }

  /// Saves new values of a row, based on its current version.
  func update(_ key: RowKey, _ values: [String: RowValue]) throws {
    var changes = StoreChanges()
    changes.updated = [changed(try unwrapped(rows([key])[0]), values)]
    try save(changes)
  }

  func changed(_ row: StoreRow, _ values: [String: RowValue]) -> StoreRow {
    var row = row
    for (name, value) in values {
      row.values[model.entities[Int(row.key.entityIndex)].property(named: name)!.slot] = value
    }
    return row
  }

  func delete(_ keys: [RowKey]) throws {
    var changes = StoreChanges()
    changes.deleted = try rows(keys).compactMap(\.self)
    try save(changes)
  }

  func value(_ key: RowKey, _ name: String) throws -> RowValue? {
    try wholeRows([key])[0].map { $0.values[model.entities[Int(key.entityIndex)].property(named: name)!.slot] }
  }

  /// Returns all rows, sorted by key, as if the store had the number 1.
  func comparableRows() throws -> [StoreRow] {
    try model.entities.filter { $0.superentity == nil }.flatMap { entity in
      guard case .rows(let rows) = try fetch(FetchRequest(entity.name), of: entity) else { return [StoreRow]() }
      return try wholeRows(rows.map(\.key)).compactMap(\.self)
    }.map(\.comparable).sorted { $0.key < $1.key }
  }

  /// Returns rows including all relationships.
  func wholeRows(_ keys: [RowKey]) throws -> [StoreRow?] {
    var rows = try rows(keys)
    for index in rows.indices {
      guard let row = rows[index] else { continue }
      for slot in row.values.indices where row.values[slot] == .unread {
        rows[index]?.values[slot] = try values(ofSlot: slot, [row.key])[0] ?? .unread
      }
    }
    return rows
  }

  /// Returns the key of the same object in another instance of the store.
  func key(_ other: RowKey) -> RowKey {
    RowKey(store: number, entityIndex: Int(other.entityIndex), number: other.number)
  }
}

struct MissingRow: Error {}

private func unwrapped<T>(_ value: T?) throws -> T { if let value { value } else { throw MissingRow() } }

extension StoreRow {
  var comparable: StoreRow {
    StoreRow(
      key: key.comparable, version: version,
      values: values.map { value in
        switch value {
        case .toOne(let key?): .toOne(key.comparable)
        case .toMany(let keys): .toMany(Set(keys.map(\.comparable)))
        case .orderedToMany(let keys): .orderedToMany(OrderedSet(keys.map(\.comparable)))
        default: value
        }
      })
  }
}

extension RowKey {
  var comparable: RowKey { RowKey(store: StoreNumber(rawValue: 1), entityIndex: Int(entityIndex), number: number) }
}

extension RowValue {
  static func string(_ text: String) -> RowValue { .attribute(.string(text)) }
  static func integer(_ number: Int64) -> RowValue { .attribute(.integer(number)) }
}

/// The two kinds of stores that are read and written as a whole.
enum FileStoreKind: CaseIterable, CustomTestStringConvertible {
  case xml, binary

  var testDescription: String { "\(self)" }

  func open(
    _ url: URL, _ model: ManagedObjectModel = StoreModels.all, configuration: String? = nil, isReadOnly: Bool = false
  ) throws(ManagedObjectError) -> any FileStore {
    switch self {
    case .xml: try XMLStore(url, model: model, configuration: configuration, isReadOnly: isReadOnly)
    case .binary: try BinaryStore(url, model: model, configuration: configuration, isReadOnly: isReadOnly)
    }
  }

  func metadata(_ url: URL) throws(ManagedObjectError) -> OrderedDictionary<String, PropertyList> {
    self == .xml ? try XMLStore.metadata(ofFile: url) : try BinaryStore.metadata(ofFile: url)
  }
}
