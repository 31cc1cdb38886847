import Foundation
import ManagedObjects
import OrderedCollections

/// Rows as the lines of a CSV file.
enum CSVRows {
  private static let keyColumns = ["_number", "_version"]

  /// - Throws: `incompatibleSchema` for attributes whose values have no text.
  static func check(_ model: ManagedObjectModel) throws(ManagedObjectError) {
    for entity in model.entities {
      for attribute in entity.attributes where attribute.type == .undefined || attribute.type == .objectID {
        throw ManagedObjectError(
          .incompatibleSchema, "the attribute \(attribute.name) of \(entity.name) has no type that CSV has a text for")
      }
    }
  }

  /// The properties that have a column: all but transient ones.
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
          // Those without an order are sorted, so that files that say the same are the same.
          let isOrdered = if case .orderedToMany = value { true } else { false }
          fields.append(names.isEmpty ? nil : (isOrdered ? names : names.sorted()).joined(separator: " "))
        }
      }
      text += CSVText.line(fields)
    }
    return text
  }

  /// - Throws: `open` for references of rows that the table has dropped: to an object that is in no file, or to one
  ///   that another file says belongs to another object.
  static func checkReferences(_ rows: [StoreRow], in table: RowTable) throws(ManagedObjectError) {
    for row in rows {
      guard let kept = table.row(row.key) else { continue }
      let entity = table.model.entities[Int(row.key.entityIndex)]
      for relationship in entity.relationships {
        let missing = Set(row.values[relationship.slot].keys).subtracting(kept.values[relationship.slot].keys)
        guard let key = missing.min() else { continue }
        throw ManagedObjectError(
          .open,
          "\(entity.name).csv: the object \(row.key.number) has the number \(key.number) as \(relationship.name), which "
            + "is no object, or does not refer back")
      }
    }
  }

  static func read(
    _ text: String, of entity: ManagedObjectModel.Entity, store: StoreNumber
  ) throws(ManagedObjectError) -> [StoreRow] {
    let lines = try CSVText.lines(text, file: entity.name)
    guard let header = lines.first else { return [] }
    var positions: [String: Int] = [:]
    for (position, name) in header.fields.enumerated() { positions[name ?? ""] = position }
    var rows: [StoreRow] = []
    for line in lines.dropFirst() {
      func failure(_ reason: String) -> ManagedObjectError {
        ManagedObjectError(.open, "\(entity.name).csv:\(line.number): \(reason)")
      }
      guard line.fields.count == header.fields.count else {
        throw failure("\(line.fields.count) fields, where the header has \(header.fields.count)")
      }
      func field(_ name: String) -> String? { positions[name].flatMap { line.fields[$0] } }
      guard let number = field("_number").flatMap({ Int64($0) }), number > 0 else {
        throw failure("the object has no _number")
      }
      let key = RowKey(store: store, entityIndex: entity.index, number: number)
      var row = StoreRow(key: key, version: field("_version").flatMap { Int64($0) } ?? 1, values: entity.emptyValues)
      for column in columns(of: entity) {
        guard let text = field(column.name) else { continue }
        switch column {
        case .attribute(let attribute):
          guard let value = attribute.type.value(fromText: text) else {
            throw failure("\(attribute.name): \(text) is no value of the type \(attribute.type.name)")
          }
          row.values[column.slot] = .attribute(value)
        case .relationship(let relationship):
          var keys: OrderedSet<RowKey> = []
          for name in text.split(separator: " ") {
            let parts = name.split(separator: "/")
            guard parts.count == 2, let entity = entity.model.entity(named: String(parts[0])),
              let number = Int64(parts[1]), number > 0
            else { throw failure("\(relationship.name): \(name) is no object, such as Person/7") }
            keys.append(RowKey(store: store, entityIndex: entity.index, number: number))
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
