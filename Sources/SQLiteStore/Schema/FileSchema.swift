package import ManagedObjects
package import OrderedCollections
internal import SQLQueries

/// The tables, views, indexes and triggers that a file has, as SQLite reports them.
package struct FileSchema {
  /// The tables that can belong to a store according to their names, by name in upper case.
  package private(set) var tables: [String: Table] = [:]
  /// The views and virtual tables, by name in upper case.
  package private(set) var others: [String: Other] = [:]
  package private(set) var indexes: [Part] = []
  private(set) var triggers: [Part] = []

  package struct Table {
    /// The names of the columns in upper case, in order.
    package var columns: OrderedSet<String> = []
    /// The declared types of the columns, in upper case.
    var types: [String: String] = [:]
    /// The names of the generated columns, in upper case.
    package var computedColumns: Set<String> = []
    /// True if `Z_PK` is the integer primary key, and so an alias of the row ID.
    package var hasNumbers = false
    let statement: String
  }

  /// A view or a virtual table.
  package struct Other {
    package enum Kind: String {
      case view = "view"
      case virtualTable = "virtual table"
    }

    package let kind: Kind
    let name: String
    let statement: String
  }

  /// An index or a trigger.
  package struct Part {
    let name: String
    /// The name of the table in upper case.
    let table: String
    /// The SQL that creates the index or trigger; empty for an index that belongs to a constraint.
    let statement: String
  }

  /// Reads the schema of a file.
  ///
  /// - Throws: ``ManagedObjectError/Code/open`` if the file is not a store.
  package init(_ database: Database) throws(ManagedObjectError) {
    var names: [String] = []
    let list = try database.statement("SELECT type, name, tbl_name, sql FROM sqlite_schema")
    try list.forEachRow { () throws(ManagedObjectError) in
      let name = list.text(1)
      let statement = list.text(3)
      switch list.text(0) {
      case "table" where StatementWords(statement).prefix(2).contains("VIRTUAL"):
        others[name.uppercased()] = Other(kind: .virtualTable, name: name, statement: statement)
      case "table":
        names.append(name)
        tables[name.uppercased()] = Table(statement: statement)
      case "view": others[name.uppercased()] = Other(kind: .view, name: name, statement: statement)
      case "index": indexes.append(Part(name: name, table: list.text(2).uppercased(), statement: statement))
      case "trigger": triggers.append(Part(name: name, table: list.text(2).uppercased(), statement: statement))
      default: break
      }
    }
    for name in names {
      guard Self.isOwn(name), var table = tables[name.uppercased()] else {
        tables[name.uppercased()] = nil
        continue
      }
      try Self.readColumns(name, &table, database)
      tables[name.uppercased()] = table
    }
    for name in ["Z_PRIMARYKEY", "Z_METADATA"] {
      try require(name, database, "\(database.path) is not a Core Data store")
    }
    for (table, column) in [
      ("Z_PRIMARYKEY", "Z_ENT"), ("Z_PRIMARYKEY", "Z_NAME"), ("Z_PRIMARYKEY", "Z_SUPER"), ("Z_PRIMARYKEY", "Z_MAX"),
      ("Z_METADATA", "Z_VERSION"), ("Z_METADATA", "Z_UUID"), ("Z_METADATA", "Z_PLIST"),
    ] where !has(table, column) {
      throw ManagedObjectError(
        .open, "\(database.path) is not a Core Data store: the table \(table) has no column \(column)")
    }
  }

  private static func readColumns(
    _ name: String, _ table: inout Table, _ database: Database
  ) throws(ManagedObjectError) {
    let list = try database.statement("SELECT name, type, pk, hidden FROM pragma_table_xinfo(?, 'main')")
    try list.bind(1, name)
    var keys: [String] = []
    try list.forEachRow {
      let column = list.text(0).uppercased()
      table.types[column] = list.text(1).uppercased()
      if list.integer(3) != 0 { table.computedColumns.insert(column) } else { table.columns.append(column) }
      if list.integer(2) != 0 { keys.append("\(column) \(list.text(1).uppercased())") }
    }
    table.hasNumbers = keys == ["Z_PK INTEGER"] && !StatementWords(table.statement).contains("WITHOUT")
  }

  /// Returns this schema with other tables.
  func replacingTables(with tables: [String: Table]) -> FileSchema {
    var schema = self
    schema.tables = tables
    return schema
  }

  /// True if the name of a table shows that it can belong to a store.
  private static func isOwn(_ name: String) -> Bool { ["Z", "A"].contains(name.prefix(1).uppercased()) }

  package func has(_ table: String, _ column: String) -> Bool {
    tables[table.uppercased()]?.columns.contains(column.uppercased()) ?? false
  }

  /// The names of the history's columns for the preserved values of deleted objects (`ZTOMBSTONE0`, …), in the order of
  /// their numbers.
  package var tombstoneColumns: [String] {
    let start = "ZTOMBSTONE"
    return (tables["ACHANGE"]?.columns ?? []).compactMap { name in
      name.hasPrefix(start) ? Int(name.dropFirst(start.count)).map { ($0, name) } : nil
    }.sorted { $0.0 < $1.0 }.map(\.1)
  }

  /// Checks that the file has a table. Does not accept views and virtual tables, because a view could run forever, and
  /// a virtual table could do anything.
  ///
  /// - Throws: ``ManagedObjectError/Code/open`` if the table does not exist.
  func require(_ table: String, _ database: Database, _ defect: String) throws(ManagedObjectError) {
    if tables[table.uppercased()] != nil { return }
    let other = others[table.uppercased()].map { "\(table) is a \($0.kind.rawValue)" }
    throw ManagedObjectError(.open, "\(defect): \(other ?? "it has no table \(table)")")
  }
}

extension StoreSchema {
  /// Creates the schema for a model, and checks that the file has its tables and columns.
  ///
  /// - Throws: ``ManagedObjectError/Code/open`` if the tables do not fit the model.
  package init(
    _ model: ManagedObjectModel, _ configuration: String?, of file: FileSchema, in database: Database
  ) throws(ManagedObjectError) {
    let numbers = try EntityNumbers.read(model, configuration, database)
    let schema = StoreSchema(model, numbers: numbers, file: file)
    for table in schema.tables {
      try file.require(table.name, database, "\(database.path) does not fit the model")
      guard file.tables[table.name.uppercased()]?.hasNumbers == true else {
        throw Self.defect("the table \(table.name) has no integer primary key Z_PK", database)
      }
      let names = table.columns.indices.filter { !table.missingColumns.contains($0) }.map { table.columns[$0].name }
      try schema.checkComposites(of: table, file, database)
      var known: Set<String> = []
      for column in table.columns where !known.insert(column.name.uppercased()).inserted {
        throw Self.defect("two properties would have the column \(column.name) of the table \(table.name)", database)
      }
      for name in ["Z_ENT", "Z_OPT"] + names { try Self.require(name, of: table.name, file, database) }
    }
    for join in schema.joins {
      try file.require(join.name, database, "\(database.path) does not fit the model")
      for name in [join.first.column, join.second.column] { try Self.require(name, of: join.name, file, database) }
    }
    self = schema
  }

  /// Checks that the file has the expected columns for composite attributes. The name of such a column does not contain
  /// the name of the attribute, and ends with a number if another column has the same name.
  ///
  /// - Throws: ``ManagedObjectError/Code/open`` if the columns of an attribute are missing, or it is uncertain which
  ///   they are.
  private func checkComposites(
    of table: StoreTable, _ file: FileSchema, _ database: Database
  ) throws(ManagedObjectError) {
    guard let types = file.tables[table.name.uppercased()]?.types else { return }
    for index in table.entities where numbers[index] != 0 {
      let entity = ManagedObjectModel.Entity(model: model, index: index)
      for attribute in entity.attributes where attribute.definition.type == .composite && !attribute.isTransient {
        let name = PropertyName(entity, attribute.name)
        var reason = table.uncertainComposites[name]
        for leaf in table.compositeColumns[name]?.leaves ?? [] where reason == nil {
          let (column, path) = (table.columns[leaf.column], leaf.path)
          if let type = types[column.name.uppercased()], type != column.type {
            reason = "the column \(column.name) for \(path) has the type \(type), expected \(column.type)"
          } else if types[column.name.uppercased()] == nil {
            reason = "the table \(table.name) has no column \(column.name) for \(path)"
          }
        }
        guard let reason else { continue }
        throw Self.defect(
          "the columns of the composite attribute \(entity.name).\(attribute.name) cannot be determined: \(reason)",
          database)
      }
    }
  }

  private static func require(
    _ column: String, of table: String, _ file: FileSchema, _ database: Database
  ) throws(ManagedObjectError) {
    if file.has(table, column) { return }
    let isComputed = file.tables[table.uppercased()]?.computedColumns.contains(column.uppercased()) ?? false
    throw defect(
      isComputed
        ? "the column \(column) of the table \(table) is computed"
        : "the table \(table) has no column \(column)", database)
  }

  private static func defect(_ message: String, _ database: Database) -> ManagedObjectError {
    ManagedObjectError(.open, "\(database.path) does not fit the model: \(message)")
  }
}
