internal import ManagedObjects
internal import PropertyLists
internal import SQLQueries
internal import SQLiteStore

/// Finds defects in the tables of an SQLite store.
///
/// Each check is an SQL statement that returns a row for each defect, so rows are not kept in memory.
struct TableCheck {
  let schema: StoreSchema
  let file: FileSchema
  let database: Database
  let log: FindingLog
  /// For each table of the schema, true if the file has the table with the columns `Z_PK` and `Z_ENT`. Other tables are
  /// not checked further.
  private let soundTables: [Bool]
  /// For each join table of the schema, true if the file has it with both columns for primary keys.
  private let soundJoins: [Bool]

  init(_ tables: (schema: StoreSchema, file: FileSchema), _ database: Database, _ log: FindingLog) {
    (schema, file) = tables
    self.database = database
    self.log = log
    let file = file
    soundTables = schema.tables.map { table in
      file.tables[table.name.uppercased()]?.hasNumbers == true && file.has(table.name, "Z_ENT")
    }
    soundJoins = schema.joins.map { file.has($0.name, $0.first.column) && file.has($0.name, $0.second.column) }
  }

  /// The tables that can be read.
  var tables: [StoreTable] { schema.tables.enumerated().filter { soundTables[$0.offset] }.map(\.element) }

  /// The join tables that can be read.
  var joins: [JoinTable] { schema.joins.enumerated().filter { soundJoins[$0.offset] }.map(\.element) }

  /// Returns the table with the rows of an entity; nil if the table cannot be read.
  func table(ofEntity index: Int) -> StoreTable? {
    let tableIndex = schema.tableIndices[index]
    return tableIndex >= 0 && soundTables[tableIndex] ? schema.tables[tableIndex] : nil
  }

  /// True if the file has a column of the schema, and the column is not generated.
  func has(_ table: StoreTable, _ column: Int) -> Bool { file.has(table.name, table.columns[column].name) }

  func entity(_ index: Int) -> ManagedObjectModel.Entity {
    ManagedObjectModel.Entity(model: schema.model, index: index)
  }

  /// Returns the entities whose rows are in a table.
  func entities(_ table: StoreTable) -> [ManagedObjectModel.Entity] {
    table.entities.filter { schema.numbers[$0] != 0 }.map(entity)
  }

  /// Returns the entity numbers (`Z_ENT`) of entities, as an SQL list.
  func numbers(_ entities: Range<Int>) -> String {
    "(" + entities.map { schema.numbers[$0] }.filter { $0 != 0 }.map(String.init).joined(separator: ", ") + ")"
  }

  /// Calls `body` for each row of a statement.
  ///
  /// - Parameter table: The table of the finding that is reported if the statement fails.
  func each(_ sql: String, of table: String, _ body: (Statement) throws(ManagedObjectError) -> Void) {
    do {
      let statement = try database.statement(sql)
      try statement.forEachRow { () throws(ManagedObjectError) in try body(statement) }
    } catch {
      log.report(.unreadableRows, error.messageWithRemedy) { $0.table = table }
    }
  }

  /// Reports a defect of a row.
  ///
  /// - Parameters:
  ///   - row: A result row that begins with the primary key and the entity number. The entity can be unknown.
  func report(
    _ code: StoreFinding.Code, _ message: @autoclosure () -> String, _ row: Statement, of table: StoreTable,
    property: String? = nil, column: Int? = nil
  ) {
    log.report(code, message()) { finding in
      finding.number = row.integer(0)
      finding.entity = schema.entityIndices[row.integer(1)].flatMap { index in
        table.entities.contains(index) ? self.entity(index).name : nil
      }
      finding.property = property
      finding.table = table.name
      finding.column = column.map { table.columns[$0].name }
    }
  }
}

/// Functions that check the tables, the primary key counters, and the columns that all rows have.
extension TableCheck {
  /// Checks that the tables and columns of the model exist.
  func checkTables() {
    func isThere(_ name: String) -> Bool {
      if file.tables[name.uppercased()] != nil { return true }
      let other = file.others[name.uppercased()]
      let message = other.map { "expected a table, found a \($0.kind.rawValue)" } ?? "the table is missing"
      log.report(.missingTable, message) { $0.table = name }
      return false
    }
    func check(_ names: [String], of table: String) {
      for name in names where !file.has(table, name) {
        let isComputed = file.tables[table.uppercased()]?.computedColumns.contains(name.uppercased()) == true
        log.report(.missingColumn, isComputed ? "the column is computed" : "the column is missing") { finding in
          finding.table = table
          finding.column = name
        }
      }
    }
    for table in schema.tables where isThere(table.name) {
      if file.tables[table.name.uppercased()]?.hasNumbers != true {
        log.report(.missingColumn, "the table has no integer primary key Z_PK") { finding in
          finding.table = table.name
          finding.column = "Z_PK"
        }
      }
      check(["Z_ENT", "Z_OPT"] + table.columns.map(\.name), of: table.name)
    }
    for join in schema.joins where isThere(join.name) {
      check([join.first.column, join.second.column], of: join.name)
      for side in [join.first, join.second] where side.lacksOrder {
        log.report(.missingColumn, "the column for the order is missing") { finding in
          finding.table = join.name
          finding.property = side.property.name
        }
      }
    }
  }

  /// Checks that the primary key counter of each table is not lower than the highest primary key.
  func checkCounters() {
    for table in tables {
      let number = schema.numbers[table.entities.lowerBound]
      checkCounter(table.name, number) { finding in finding.entity = entity(table.entities.lowerBound).name }
    }
    for (number, name) in zip(
      HistoryTables.entities.map(\.number), [HistoryTables.changes, HistoryTables.transactions, HistoryTables.texts])
    where file.tables[name]?.hasNumbers == true { checkCounter(name, number) { _ in } }
  }

  private func checkCounter(_ table: String, _ number: Int64, _ complete: (inout StoreFinding) -> Void) {
    each(
      "SELECT IFNULL((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)), 0), "
        + "IFNULL((SELECT MAX(Z_PK) FROM \(table.sqlName)), 0)", of: table
    ) { row in
      let (counter, highest) = (row.integer(0), row.integer(1))
      if counter >= highest { return }
      log.report(.lowCounter, "Z_MAX is \(counter), but a row has the primary key \(highest)") { finding in
        complete(&finding)
        finding.table = "Z_PRIMARYKEY"
        finding.column = "Z_MAX"
      }
    }
  }

  /// Checks the primary key, the entity and the version of each row.
  func checkRows() {
    for table in tables {
      let hasVersion = file.has(table.name, "Z_OPT")
      let known = numbers(table.entities)
      let abstract = entities(table).filter(\.isAbstract).map { String(schema.numbers[$0.index]) }
      var conditions = ["Z_PK <= 0", "Z_ENT IS NULL", "Z_ENT NOT IN \(known)"]
      if hasVersion { conditions += ["Z_OPT IS NULL", "typeof(Z_OPT) <> 'integer'", "Z_OPT < 1"] }
      if !abstract.isEmpty { conditions.append("Z_ENT IN (\(abstract.joined(separator: ", ")))") }
      each(
        "SELECT Z_PK, Z_ENT, \(hasVersion ? "Z_OPT" : "1") FROM \(table.name.sqlName) WHERE "
          + conditions.joined(separator: " OR "), of: table.name
      ) { row in
        let number = row.integer(0)
        if number <= 0 {
          report(.invalidNumber, "the primary key \(number) is invalid: it must be positive", row, of: table)
        }
        if let index = schema.entityIndices[row.integer(1)], table.entities.contains(index), !row.isNull(1) {
          if self.entity(index).isAbstract {
            report(.abstractEntity, "the entity is abstract", row, of: table)
          }
        } else {
          report(
            .unknownEntity,
            "row \(number) has the entity number \(row.value(1).name), which does not belong to the table",
            row, of: table)
        }
        let version = row.value(2)
        if case .integer(1...) = version { return }
        report(.invalidVersion, "the version (Z_OPT) is \(version.name), expected a positive integer", row, of: table)
      }
    }
  }
}

extension SQLValue {
  /// A description of the value, for messages.
  var name: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let value): value.quoted
    case .blob(let value): value.count == 1 ? "1 byte of data" : "\(value.count) bytes of data"
    }
  }
}
