internal import ManagedObjects
internal import SQLQueries

/// The SQL statements that create the tables, indexes and triggers of a store, as Core Data writes them.
struct SchemaStatements {
  let schema: StoreSchema

  /// Each table with the join tables that are named after its entities, in Core Data's order.
  private var tablesAndJoins: [(StoreTable, [JoinTable])] {
    schema.tables.map { table in (table, schema.joins.filter { table.entities.contains($0.ownerIndex) }) }
  }

  var tables: [String] { tablesAndJoins.flatMap { [$0.statement] + $1.map(\.statement) } }

  var indexes: [String] { tablesAndJoins.flatMap { keyIndexes(of: $0) + $1.map(index) + definedIndexes(of: $0) } }

  var triggers: [String] { DerivedColumn.all(schema).flatMap(\.triggers).map(\.statement) }

  /// The statements that create an empty store.
  var all: [String] { tables + indexes + triggers + Self.fixedTables }

  private static let fixedTables = [
    "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
    "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
    "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
  ]

  /// Returns the statements that create an index on each column of a table that refers to another object, and on the
  /// entity number if the table has several entities.
  private func keyIndexes(of table: StoreTable) -> [String] {
    let keys = (table.toOneColumns.values.map(\.key) + table.ownerColumns.values.map(\.key)).sorted()
    let indexes = keys.map { simpleIndex(table, table.columns[$0].name) }
    return table.entities.count > 1 ? indexes + [simpleIndex(table, "Z_ENT")] : indexes
  }

  /// Returns the statements that create the indexes that the model defines for a table.
  private func definedIndexes(of table: StoreTable) -> [String] {
    var indexes: [String] = []
    let entities = table.entities.map { ManagedObjectModel.Entity(model: schema.model, index: $0) }
    for entity in entities {
      for index in entity.definition.fetchIndexes {
        // Indexes with expressions do not occur here, because ``WritingObstacles`` prevents such stores from being
        // created.
        let columns = index.elements.compactMap { element -> String? in
          guard case .property(let property) = element.content else { return nil }
          return column(property, of: entity, table, isAscending: element.isAscending)
        }
        if columns.isEmpty || columns.count < index.elements.count { continue }
        indexes.append(self.index("", "Z_\(entity.name)_\(index.name)", table, columns))
      }
      for properties in entity.definition.compoundIndexes where !entity.definition.hasFetchIndex(of: properties) {
        let columns = properties.compactMap { column($0, of: entity, table) }
        if columns.isEmpty || columns.count < properties.count { continue }
        indexes.append(self.index("", "Z_\(entity.name)_\(properties.joined(separator: "_"))", table, columns))
      }
    }
    for entity in entities {
      for constraint in entity.definition.uniquenessConstraints {
        let columns = constraint.compactMap { column($0, of: entity, table) }
        if columns.isEmpty || columns.count < constraint.count { continue }
        let name = "Z_\(entity.name)_UNIQUE_\(constraint.joined(separator: "_"))"
        indexes.append(index("UNIQUE ", name, table, columns))
      }
    }
    return indexes
  }

  private func index(_ kind: String, _ name: String, _ table: StoreTable, _ columns: [String]) -> String {
    "CREATE \(kind)INDEX \(name.sqlNameIfNeeded) ON \(table.name.sqlNameIfNeeded) (\(columns.joined(separator: ", ")))"
  }

  private func simpleIndex(_ table: StoreTable, _ column: String) -> String {
    "CREATE INDEX \("\(table.name)_\(column)_INDEX".sqlNameIfNeeded) ON \(table.name.sqlNameIfNeeded) "
      + "(\(column.sqlNameIfNeeded))"
  }

  /// Returns SQL for the column of a property in a CREATE INDEX statement; nil if the property has no column.
  private func column(
    _ property: String, of entity: ManagedObjectModel.Entity, _ table: StoreTable, isAscending: Bool = true
  ) -> String? {
    let name = PropertyName(entity, property)
    // A composite attribute in an index has one element: see ``WritingObstacles``.
    let leaf = table.compositeColumns[name]?.leaves.first?.column
    guard let column = table.attributeColumns[name] ?? table.toOneColumns[name]?.key ?? leaf else { return nil }
    return "\(table.columns[column].name.sqlNameIfNeeded) COLLATE BINARY \(isAscending ? "ASC" : "DESC")"
  }

  private func index(_ join: JoinTable) -> String {
    "CREATE INDEX \("\(join.name)_\(join.second.column)_INDEX".sqlNameIfNeeded) ON \(join.name.sqlNameIfNeeded) "
      + "(\(join.second.column.sqlNameIfNeeded), \(join.first.column.sqlNameIfNeeded))"
  }
}

extension EntityDescription {
  /// True if a fetch index has exactly these properties.
  fileprivate func hasFetchIndex(of properties: [String]) -> Bool {
    fetchIndexes.contains { $0.elements.map(\.content) == properties.map { .property($0) } }
  }
}

extension StoreTable {
  fileprivate var statement: String {
    let columns = columns.map { "\($0.name.sqlNameIfNeeded) \($0.type)" }
    let all = ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"] + columns
    return "CREATE TABLE \(name.sqlNameIfNeeded) ( \(all.joined(separator: ", ")) )"
  }
}

extension JoinTable {
  fileprivate var statement: String {
    let keys = [first.column, second.column].map(\.sqlNameIfNeeded)
    let orders = [first.order, second.order].compactMap(\.self).map(\.sqlNameIfNeeded)
    return "CREATE TABLE \(name.sqlNameIfNeeded) ( \((keys + orders).map { "\($0) INTEGER" }.joined(separator: ", ")), "
      + "PRIMARY KEY (\(keys.joined(separator: ", "))) )"
  }
}

extension String {
  /// This string as the SQL name of a table or a column. It is quoted only if SQLite requires that, because Core Data
  /// does not quote names.
  var sqlNameIfNeeded: String {
    let isPlain = utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    return isPlain ? self : sqlName
  }
}
