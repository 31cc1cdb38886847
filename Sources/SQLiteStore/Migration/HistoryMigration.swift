internal import FoundationEssentials
internal import ManagedObjects
internal import SQLQueries

/// Converts the recorded history of a store to another version of its model.
///
/// Transactions keep their numbers. Changes get the entity numbers and property bits of the new model. Changes to
/// objects of removed entities are deleted.
struct HistoryMigration {
  let database: Database
  let mapping: InferredMapping
  let old: StoreSchema
  let new: StoreSchema

  /// The conversion of the changes to objects of one entity. The properties are in the order of their bits.
  private struct Conversion {
    let number: Int64
    let oldColumns: HistoryColumns
    let newColumns: HistoryColumns
    /// The name of each property in the old model, by its name in the new model.
    let formers: [String: String]
    var known: [Data: Data] = [:]

    mutating func bits(_ bits: Data) -> Data {
      if let known = known[bits] { return known }
      let names = Set(oldColumns.names(bits))
      let changed = formers.filter { names.contains($0.value) }.keys
      let result = newColumns.data(newColumns.bits(ofProperties: Set(changed)))
      known[bits] = result
      return result
    }
  }

  /// Converts all changes, and deletes those to objects of removed entities.
  ///
  /// - Complexity: O(*n*) in the number of changes.
  func convert() throws(ManagedObjectError) {
    let (oldCount, newCount) = (
      HistoryTables.tombstoneCount(old.model), HistoryTables.tombstoneCount(new.model)
    )
    let columns = Set(try columnNames())
    for index in 0..<max(oldCount, newCount) where !columns.contains("ZTOMBSTONE\(index)") {
      try database.execute("ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE\(index) BLOB")
    }
    // The recorded changes show the order of the old columns only.
    let oldColumns = try HistoryColumnSearch.columns(old, database)
    let newColumns = HistoryColumnSearch.columns(new)
    var conversions: [Int64: Conversion] = [:]
    for entity in mapping.source.entities where old.numbers[entity.index] != 0 {
      guard let index = mapping.destination(of: entity.index), new.numbers[index] != 0 else { continue }
      let destination = ManagedObjectModel.Entity(model: mapping.destination, index: index)
      guard let former = oldColumns[entity.index], let columns = newColumns[index] else { continue }
      try convertTombstones(entity, destination, count: oldCount)
      conversions[old.numbers[entity.index]] = Conversion(
        number: new.numbers[index], oldColumns: former, newColumns: columns,
        formers: mapping.properties[index])
    }
    try deleteChanges(except: conversions.keys.sorted())
    try renumber(&conversions)
  }

  private func columnNames() throws(ManagedObjectError) -> [String] {
    var names: [String] = []
    let list = try database.statement("SELECT name FROM pragma_table_info('ACHANGE')")
    try list.forEachRow { names.append(list.text(0).uppercased()) }
    return names
  }

  /// Moves the preserved values of deleted objects to the columns where the new model expects them.
  ///
  /// - Parameter count: The number of columns that the old model uses.
  private func convertTombstones(
    _ entity: ManagedObjectModel.Entity, _ destination: ManagedObjectModel.Entity, count: Int
  ) throws(ManagedObjectError) {
    let formers = HistoryTables.preserved(entity)
    let values = HistoryTables.preserved(destination).map { attribute -> String in
      let name = mapping.properties[destination.index][attribute.name]
      guard let index = formers.firstIndex(where: { $0.name == name }) else { return "NULL" }
      let column = "ZTOMBSTONE\(index)"
      switch (formers[index].definition.isExternal, attribute.definition.isExternal) {
      case (true, false): return "substr(CAST(\(column) AS BLOB), 2)"
      case (false, true): return "CASE WHEN \(column) IS NOT NULL THEN CAST(x'01' || \(column) AS BLOB) END"
      default: return column
      }
    }
    let isSame = values.count == formers.count && values.indices.allSatisfy { values[$0] == "ZTOMBSTONE\($0)" }
    if isSame { return }
    let sets = (0..<max(count, values.count)).map { index in
      "ZTOMBSTONE\(index) = " + (index < values.count ? values[index] : "NULL")
    }
    try database.execute(
      "UPDATE ACHANGE SET \(sets.joined(separator: ", ")) WHERE ZENTITY = \(old.numbers[entity.index]) "
        + "AND ZCHANGETYPE = \(PersistentHistoryChange.Kind.delete.rawValue)")
  }

  private func deleteChanges(except numbers: [Int64]) throws(ManagedObjectError) {
    let list = numbers.map { "\($0)" }.joined(separator: ", ")
    try database.execute("DELETE FROM ACHANGE WHERE ZENTITY IS NULL OR ZENTITY NOT IN (\(list))")
  }

  /// Sets the entity number and the property bits of all changes, in batches. Each row is converted only once, because
  /// a new entity number may also be the old number of another entity.
  private func renumber(_ conversions: inout [Int64: Conversion]) throws(ManagedObjectError) {
    let batchSize = 1_000
    var last = Int64.min
    while true {
      var rows: [(id: Int64, entity: Int64, bits: Data?)] = []
      let selection = try database.statement(
        "SELECT Z_PK, ZENTITY, ZCOLUMNS FROM ACHANGE WHERE Z_PK > ? ORDER BY Z_PK LIMIT \(batchSize)")
      try selection.bind(1, last)
      try selection.forEachRow {
        rows.append((selection.integer(0), selection.integer(1), selection.isNull(2) ? nil : selection.data(2)))
      }
      guard let end = rows.last?.id else { return }
      last = end
      let update = try database.statement("UPDATE ACHANGE SET ZENTITY = ?2, ZCOLUMNS = ?3 WHERE Z_PK = ?1")
      for row in rows {
        let bits = row.bits.flatMap { conversions[row.entity]?.bits($0) }
        guard let number = conversions[row.entity]?.number, number != row.entity || bits != row.bits else { continue }
        try update.bind(1, row.id)
        try update.bind(2, number)
        if let bits { try update.bind(3, bits) } else { try update.bindNull(3) }
        try update.run()
      }
    }
  }
}

/// Functions that replace the history of a store in a migration.
extension HistoryTables {
  /// Deletes all rows of a history. New rows continue the numbers of the deleted ones.
  ///
  /// - Parameter model: The new model. Missing columns for its preserved values are added.
  static func restart(_ model: ManagedObjectModel, _ database: Database) throws(ManagedObjectError) {
    let file = try FileSchema(database)
    for (table, (number, name)) in zip([changes, transactions, texts], entities) where file.tables[table] != nil {
      // The numbers are in Z_PRIMARYKEY already, unless another program has written the rows.
      try database.execute(
        "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) SELECT \(number), '\(name)', 0, last "
          + "FROM (SELECT MAX(Z_PK) AS last FROM \(table)) WHERE last IS NOT NULL "
          + "ON CONFLICT (Z_ENT) DO UPDATE SET Z_MAX = MAX(IFNULL(Z_MAX, 0), excluded.Z_MAX)")
      try database.execute("DELETE FROM \(table)")
    }
    for index in file.tombstoneColumns.count..<max(file.tombstoneColumns.count, tombstoneCount(model)) {
      try database.execute("ALTER TABLE \(changes) ADD COLUMN ZTOMBSTONE\(index) BLOB")
    }
  }

  /// Replaces the history of the main database with the history of an attached one, for migrations that create the
  /// objects again in a new file.
  static func replace(_ database: Database, with attached: String) throws(ManagedObjectError) {
    try drop(database)
    var (tables, statements): ([String], [String]) = ([], [])
    let list = try database.statement(
      "SELECT type, name, sql FROM \(attached).sqlite_schema WHERE UPPER(tbl_name) IN (?, ?, ?) AND sql NOT NULL "
        + "ORDER BY type DESC, rowid")
    try list.bind([changes, transactions, texts].map { .text($0) })
    try list.forEachRow {
      if list.text(0) == "table" { tables.append(list.text(1).sqlName) }
      statements.append(list.text(2))
    }
    for statement in statements { try database.execute(statement) }
    for table in tables { try database.execute("INSERT INTO main.\(table) SELECT * FROM \(attached).\(table)") }
    for (number, _) in entities {
      try database.execute(
        "INSERT INTO main.Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX "
          + "FROM \(attached).Z_PRIMARYKEY WHERE Z_ENT = \(number)")
    }
  }
}
