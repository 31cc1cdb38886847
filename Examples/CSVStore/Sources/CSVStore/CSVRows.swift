import Foundation
import ManagedObjects
import OrderedCollections

/// Rows as the lines of a CSV file.
enum CSVRows {
  private static let keyColumns = ["_number", "_version"]

  /// Checks that CSV files can store a model.
  ///
  /// - Throws: `incompatibleSchema` for attributes whose values have no text form, and for entity names that are not
  ///   valid file names.
  static func check(_ model: ManagedObjectModel) throws(ManagedObjectError) {
    var fileNames: Set<String> = []
    for entity in model.entities {
      let isPlain = entity.name.unicodeScalars.allSatisfy {
        $0.isASCII && ($0.properties.isAlphabetic || $0 == "_" || ("0"..."9").contains($0))
      }
      guard isPlain, fileNames.insert(entity.name.lowercased()).inserted else {
        throw ManagedObjectError(
          .incompatibleSchema, "CSV cannot store the entity \(entity.name): its name is not a valid, unique file name")
      }
      for property in entity.properties where keyColumns.contains(property.name) {
        throw ManagedObjectError(
          .incompatibleSchema,
          "CSV cannot store \(property.name) of \(entity.name): the store reserves this column name")
      }
      for attribute in entity.attributes where attribute.type == .undefined || attribute.type == .objectID {
        throw ManagedObjectError(
          .incompatibleSchema,
          "CSV cannot store \(attribute.name) of \(entity.name): its type is \(attribute.type.name)")
      }
    }
  }

  /// Returns the properties that have a column: all except transient ones.
  private static func columns(of entity: ManagedObjectModel.Entity) -> [ManagedObjectModel.Entity.Property] {
    entity.properties.filter { property in
      switch property {
      case .attribute(let attribute): !attribute.isTransient
      case .relationship(let relationship): !relationship.isTransient
      }
    }.sorted { $0.name < $1.name }
  }

  static func text(
    _ rows: [StoreRow], of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> String {
    let columns = columns(of: entity)
    var text = CSVText.line(keyColumns + columns.map(\.name))
    for row in rows {
      var fields: [String?] = ["\(row.key.number)", "\(row.version)"]
      for column in columns {
        switch row.values[column.slot] {
        case .attribute(let value): fields.append(try value.storedText())
        case let value:
          let names = value.keys.map { "\(entity.model.entities[Int($0.entityIndex)].name)/\($0.number)" }
          // Sorts unordered references, so that equal contents give identical files.
          let isOrdered = if case .orderedToMany = value { true } else { false }
          fields.append(names.isEmpty ? nil : (isOrdered ? names : names.sorted()).joined(separator: " "))
        }
      }
      text += CSVText.line(fields)
    }
    return text
  }

  /// Checks that the table kept all references of the rows that were read.
  ///
  /// - Throws: `open` if the table dropped a reference, because the object does not exist or its file names another
  ///   owner.
  static func checkReferences(_ rows: [StoreRow], in table: RowTable) throws(ManagedObjectError) {
    for row in rows {
      guard let kept = table.row(row.key) else { continue }
      let entity = table.model.entities[Int(row.key.entityIndex)]
      for relationship in entity.relationships {
        let missing = Set(row.values[relationship.slot].keys).subtracting(kept.values[relationship.slot].keys)
        guard let key = missing.min() else { continue }
        throw ManagedObjectError(
          .open,
          "\(entity.name).csv: object \(row.key.number): \(relationship.name) refers to object \(key.number), which "
            + "is missing or belongs to another object")
      }
    }
  }

  static func read(
    _ text: String, of entity: ManagedObjectModel.Entity, store: StoreNumber
  ) throws(ManagedObjectError) -> [StoreRow] {
    let lines = try CSVText.lines(text, file: entity.name)
    guard let header = lines.first else { return [] }
    let columns = columns(of: entity)
    let names = Set(keyColumns + columns.map(\.name))
    var positions: [String: Int] = [:]
    for (position, name) in header.fields.enumerated() {
      guard let name, names.contains(name), positions.updateValue(position, forKey: name) == nil else {
        throw ManagedObjectError(
          .open, "\(entity.name).csv:1: the column \(name ?? "without a name") is unknown, or occurs twice")
      }
    }
    var rows: [StoreRow] = []
    var numbers: Set<Int64> = []
    for line in lines.dropFirst() {
      func failure(_ reason: String) -> ManagedObjectError {
        ManagedObjectError(.open, "\(entity.name).csv:\(line.number): \(reason)")
      }
      guard line.fields.count == header.fields.count else {
        throw failure("expected \(header.fields.count) fields, found \(line.fields.count)")
      }
      func field(_ name: String) -> String? { positions[name].flatMap { line.fields[$0] } }
      guard let number = field("_number").flatMap({ Int64($0) }), number > 0, numbers.insert(number).inserted else {
        throw failure("expected a positive _number that no other object has")
      }
      guard let version = Int64(field("_version") ?? "1") else { throw failure("expected a number as _version") }
      let key = RowKey(store: store, entityIndex: entity.index, number: number)
      var row = StoreRow(key: key, version: version, values: entity.emptyValues)
      for column in columns {
        guard let text = field(column.name) else { continue }
        switch column {
        case .attribute(let attribute):
          guard let value = attribute.type.value(fromText: text) else {
            throw failure("\(attribute.name): expected \(attribute.type.name), found \(text)")
          }
          row.values[column.slot] = .attribute(value)
        case .relationship(let relationship):
          let destination = entity.destination(of: relationship)
          var keys: OrderedSet<RowKey> = []
          for name in text.split(separator: " ") {
            let parts = name.split(separator: "/")
            guard parts.count == 2, let entity = entity.model.entity(named: String(parts[0])),
              entity.isKind(of: destination), let number = Int64(parts[1]), number > 0
            else {
              throw failure("\(relationship.name): expected a reference such as \(destination.name)/7, found \(name)")
            }
            keys.append(RowKey(store: store, entityIndex: entity.index, number: number))
          }
          if !relationship.isToMany, keys.count > 1 {
            throw failure("\(relationship.name): expected one reference, found \(keys.count)")
          }
          row.values[column.slot] =
            !relationship.isToMany
            ? .toOne(keys.first) : relationship.isOrdered ? .orderedToMany(keys) : .toMany(Set(keys))
        }
      }
      rows.append(row)
    }
    return rows
  }
}
