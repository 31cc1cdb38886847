internal import ManagedObjects
internal import PropertyLists
internal import SQLQueries
internal import SQLiteAccess

/// The old tables of a store during a migration. They are renamed, because the new tables have the same names.
struct StoreTables {
  let schema: StoreSchema
  let file: FileSchema
  let database: Database

  private static let aside = "Z_OLD_"
  /// The beginning of the names that SQLite gives to the indexes of `UNIQUE` and `PRIMARY KEY` constraints. The name of
  /// the table follows.
  private static let constraintIndex = "sqlite_autoindex_"

  /// Returns the name of an old table after ``putAside()``, quoted for SQL.
  static func asideName(_ name: String) -> String { plainAsideName(name).sqlName }

  static func plainAsideName(_ name: String) -> String { aside + name }

  private var names: [String] { schema.tables.map(\.name) + schema.joins.map(\.name) }

  /// Checks that a migration would not lose parts of the file that are not in the model.
  ///
  /// - Throws: ``ManagedObjectError/Code/migration`` if the file has such parts: triggers of other programs, tables of
  ///   CloudKit, rows that are not objects, or tables with the names that the old tables would get.
  /// - Complexity: O(*n*) in the number of rows.
  func check() throws(ManagedObjectError) {
    var reasons: [String] = []
    for trigger in ForeignParts(file, schema).triggers {
      reasons.append("the trigger \(trigger.name.quoted) of another program, which the migration would delete")
    }
    if file.isMirrored {
      reasons.append("tables of CloudKit (ANSCK…), which refer to the entities and the history of the old model")
    }
    for name in file.tables.keys where name.hasPrefix(Self.aside) { reasons.append("a table \(name.quoted)") }
    for (name, other) in file.others where name.hasPrefix(Self.aside) {
      reasons.append("a \(other.kind.rawValue) \(name.quoted)")
    }
    for table in schema.tables { reasons += try strangeRows(of: table) }
    if reasons.isEmpty { return }
    throw ManagedObjectError(
      .migration,
      "\(database.path) cannot be migrated, because it has \(reasons.sorted().joined(separator: "; ")); remove this from "
        + "a copy of the store, or copy its objects to a new store")
  }

  /// Returns messages about rows that are not objects of the model. Another program may have inserted them, and a
  /// migration would lose them.
  private func strangeRows(of table: StoreTable) throws(ManagedObjectError) -> [String] {
    let numbers = table.entities.map { schema.numbers[$0] }.filter { $0 != 0 }.map { "\($0)" }
    var reasons: [String] = []
    for (column, condition, defect) in [
      ("Z_ENT", "Z_ENT IS NULL OR Z_ENT NOT IN (\(numbers.joined(separator: ", ")))", "is not an entity of the table"),
      ("Z_PK", "Z_PK <= 0", "is not positive"),
    ] {
      let statement = try database.statement(
        "SELECT COUNT(*), MIN(\(column)) FROM \(table.name.sqlName) WHERE \(condition)")
      defer { statement.reset() }
      guard try statement.step(), statement.integer(0) > 0 else { continue }
      reasons.append(
        "\(statement.integer(0)) \(statement.integer(0) == 1 ? "row" : "rows") of the table \(table.name.quoted) whose \(column) \(defect), such as "
          + statement.value(1).kindName)
    }
    return reasons
  }

  func putAside() throws(ManagedObjectError) {
    for trigger in file.triggers { try database.execute("DROP TRIGGER \(trigger.name.sqlName)") }
    let tables = Set(names.map { $0.uppercased() })
    // An index without SQL belongs to a constraint of its table, and is renamed and dropped with the table.
    for index in file.indexes where tables.contains(index.table) && !index.statement.isEmpty {
      try database.execute("DROP INDEX \(index.name.sqlName)")
    }
    try rename()
  }

  /// Renames the tables. Updates `sqlite_schema` to rename them, because `ALTER TABLE … RENAME TO` parses the
  /// statements of the whole schema for each table. Uses `ALTER TABLE` only for tables with unusual SQL.
  ///
  /// - Complexity: O(*n* log *n*) in the number of tables, and O(*u* · *n*) if *u* of them are unusual.
  private func rename() throws(ManagedObjectError) {
    var unusual: [String] = []
    var asideNames: [String: String] = [:]
    for name in names {
      if definition(ofTable: name) == nil {
        unusual.append(name)
      } else {
        asideNames[name.uppercased()] = Self.plainAsideName(name)
      }
    }
    var rows: [(id: Int64, name: String, asideName: String, statement: SQLValue)] = []
    let list = try database.statement("SELECT rowid, name, tbl_name, sql FROM sqlite_schema")
    try list.forEachRow {
      let (name, table) = (list.text(1), list.text(2))
      guard let asideName = asideNames[table.uppercased()] else { return }
      if let definition = definition(ofTable: name) {
        rows.append((list.integer(0), asideName, asideName, .text("CREATE TABLE \(asideName.sqlName)\(definition)")))
      } else {
        // This is an index of a constraint. SQLite finds it by a name that contains the name of the table.
        let number = name.dropFirst(Self.constraintIndex.count + table.count)
        rows.append((list.integer(0), Self.constraintIndex + asideName + number, asideName, .null))
      }
    }
    try database.changingSchema { () throws(ManagedObjectError) in
      let update = try database.statement(
        "UPDATE sqlite_schema SET name = ?2, tbl_name = ?3, sql = ?4 WHERE rowid = ?1")
      for row in rows {
        try update.bind([.integer(row.id), .text(row.name), .text(row.asideName), row.statement])
        try update.run()
      }
    }
    // Does not change the table names in views and foreign keys of other programs, because the new tables will have
    // these names.
    try database.execute("PRAGMA legacy_alter_table = ON")
    defer { try? database.execute("PRAGMA legacy_alter_table = OFF") }
    for name in unusual { try database.execute("ALTER TABLE \(name.sqlName) RENAME TO \(Self.asideName(name))") }
  }

  /// Returns the part of a table's `CREATE TABLE` statement after its name; nil if that part may contain a table name.
  private func definition(ofTable name: String) -> Substring? {
    guard let statement = file.tables[name.uppercased()]?.statement else { return nil }
    let names = [name, name.sqlName].map { "CREATE TABLE \($0)" }
    guard let start = names.first(where: statement.hasPrefix) else { return nil }
    let definition = statement.dropFirst(start.count)
    guard let first = definition.first, first == "(" || first == " " else { return nil }
    let words = Set(StatementWords(String(definition)))
    return words.isDisjoint(with: [".", "REFERENCES"]) ? definition : nil
  }

  /// Creates the indexes of other programs again, for the new tables.
  ///
  /// - Throws: ``ManagedObjectError/Code/migration`` if the new tables do not have the columns of an index.
  func restoreIndexes() throws(ManagedObjectError) {
    let tables = Set(names.map { $0.uppercased() })
    for index in file.indexes where tables.contains(index.table) && !index.statement.isEmpty {
      // Skips Core Data's indexes. Those of the new model are created elsewhere.
      if index.name.uppercased().hasPrefix("Z") { continue }
      do { try database.execute(index.statement) } catch {
        throw ManagedObjectError(
          .migration,
          "\(database.path) cannot be migrated, because the index \(index.name.quoted) of another program does not fit the "
            + "new tables: \(error.message)")
      }
    }
  }

  /// Drops the renamed tables.
  func drop() throws(ManagedObjectError) {
    for name in names { try database.execute("DROP TABLE \(Self.asideName(name))") }
  }

  /// Replaces these tables, and the history if the store has one, with those of a store in another file.
  func replace(
    with new: StoreSchema, of path: String, _ key: SQLiteEncryptionKey?
  ) throws(ManagedObjectError) {
    try database.attach(path, as: Self.attached, key)
    try putAside()
    try drop()
    let writer = SchemaWriter(schema: new, database: database)
    for statement in SchemaStatements(schema: new).tables { try database.execute(statement) }
    for name in (new.tables.map(\.name) + new.joins.map(\.name)).map(\.sqlName) {
      try database.execute("INSERT INTO main.\(name) SELECT * FROM \(Self.attached).\(name)")
    }
    var highest: [Int64: Int64] = [:]
    let list = try database.statement("SELECT Z_ENT, Z_MAX FROM \(Self.attached).Z_PRIMARYKEY")
    try list.forEachRow { highest[list.integer(0)] = list.integer(1) }
    try replaceEntities(with: new) { highest[new.numbers[new.tables[$0].entities.lowerBound]] ?? 0 }
    if HistoryTables.areThere(file) { try HistoryTables.replace(database, with: Self.attached) }
    try writer.makeIndexes()
    try restoreIndexes()
  }

  private static let attached = "made"

  /// Returns the highest primary key that an old table has or had.
  func highestNumber(_ table: StoreTable) throws(ManagedObjectError) -> Int64 {
    try RowNumbers.highest(
      inTable: Self.asideName(table.name), ofEntity: schema.numbers[table.entities.lowerBound], database)
  }

  /// Replaces the list of entities in `Z_PRIMARYKEY` with the entities of the new model.
  ///
  /// - Parameter highest: A function that returns the highest primary key that a new table has or had, given the index
  ///   of the table.
  func replaceEntities(with new: StoreSchema, highest: (Int) -> Int64) throws(ManagedObjectError) {
    try database.execute("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT < \(EntityNumbers.firstPrivateNumber)")
    try SchemaWriter(schema: new, database: database).writeEntities(highest: highest)
  }
}

extension SchemaWriter {
  /// Creates the indexes and triggers of tables that already have rows.
  ///
  /// - Throws: ``ManagedObjectError/Code/migrationConstraint`` if objects have the same values for a uniqueness
  ///   constraint.
  func makeIndexes() throws(ManagedObjectError) {
    do {
      let statements = SchemaStatements(schema: schema)
      for statement in statements.indexes + statements.triggers { try database.execute(statement) }
    } catch {
      guard error.isUniqueness else { throw error }
      throw ManagedObjectError(
        .migrationConstraint, "some objects have the same values for a new uniqueness constraint: \(error.message)")
    }
  }
}
