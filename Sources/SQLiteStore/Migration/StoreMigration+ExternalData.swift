internal import FoundationEssentials
internal import ManagedObjects
internal import PropertyLists
internal import SQLQueries

/// Functions that move values from external files into the database.
extension StoreMigration {
  /// Moves values from external files into the rows, for the attributes of an entity that no longer use external
  /// storage.
  func takeIntoRows(
    _ entity: Int, _ source: Int, _ table: StoreTable, _ sourceTable: StoreTable
  ) throws(ManagedObjectError) {
    let definition = ManagedObjectModel.Entity(model: mapping.destination, index: entity)
    for attribute in definition.attributes {
      guard case .attribute(let column, _, isExternal: false) = new.slotColumns[entity][attribute.slot],
        let former = mapping.properties[entity][attribute.name], wasExternal(former, source),
        let name = oldColumn(former, source, sourceTable)
      else { continue }
      let reading = try database.statement(
        "SELECT Z_PK, \(name) FROM \(StoreTables.asideName(sourceTable.name)) "
          + "WHERE Z_ENT = ? AND \(name) IS NOT NULL AND NOT \(ExternalData.isInline(name))")
      try reading.bind(1, old.numbers[source])
      let writing = try database.statement(
        "UPDATE \(table.name.sqlName) SET \(table.columns[column].name.sqlName) = ? WHERE Z_PK = ?")
      try reading.forEachRow { () throws(ManagedObjectError) in
        try writing.bind(1, externalData.present(reading.data(1)))
        try writing.bind(2, reading.integer(0))
        try writing.run()
      }
    }
  }
}

/// The columns of a store whose values can be in external files.
struct ExternalColumns {
  private let columns: [(table: String, column: String)]

  init(_ schema: StoreSchema) {
    var columns: [(table: String, column: String)] = []
    for table in schema.tables {
      var seen: Set<Int> = []
      for source in table.entities.flatMap({ schema.slotColumns[$0] }) {
        guard case .attribute(let column, _, isExternal: true) = source, seen.insert(column).inserted else { continue }
        columns.append((table.name.sqlName, table.columns[column].name.sqlName))
      }
    }
    self.columns = columns
  }

  /// Returns the names of the external files that rows refer to.
  func files(_ database: Database) throws(ManagedObjectError) -> Set<String> {
    var files: Set<String> = []
    for (table, column) in columns {
      let reading = try database.statement("SELECT \(column) FROM \(table) WHERE \(ExternalData.isInFile(column))")
      try reading.forEachRow { if let name = ExternalData.fileName(reading.data(0)) { files.insert(name) } }
    }
    return files
  }

  /// Moves the values in external files into the rows.
  func takeIntoRows(_ database: Database, _ externalData: ExternalData) throws(ManagedObjectError) {
    for (table, column) in columns {
      let reading = try database.statement(
        "SELECT Z_PK, \(column) FROM \(table) WHERE \(ExternalData.isInFile(column)) AND Z_PK > ? ORDER BY Z_PK LIMIT 1"
      )
      let writing = try database.statement("UPDATE \(table) SET \(column) = ? WHERE Z_PK = ?")
      var last = Int64.min
      while true {
        try reading.bind(1, last)
        guard try reading.step() else { break }
        last = reading.integer(0)
        let data = externalData.value(try externalData.present(reading.data(1)))
        reading.reset()
        try writing.bind(1, data)
        try writing.bind(2, last)
        try writing.run()
      }
    }
  }
}

extension ExternalData {
  /// Returns the data that a column value represents: the data in the value itself, or the contents of the external
  /// file that the value names.
  ///
  /// - Throws: ``ManagedObjectError/Code/migration`` if the external file does not exist.
  func present(_ value: Data) throws(ManagedObjectError) -> Data {
    if let data = try content(of: value) { return data }
    throw Self.missing(Self.fileName(value).map { [$0] } ?? [])
  }

  /// Checks that external files exist.
  ///
  /// - Throws: ``ManagedObjectError/Code/migration`` if a file does not exist.
  func require(_ names: Set<String>) throws(ManagedObjectError) {
    let missing = names.filter { !has($0) }
    if !missing.isEmpty { throw Self.missing(missing.sorted()) }
  }

  private static func missing(_ names: [String]) -> ManagedObjectError {
    let shown = names.prefix(5).joined(separator: ", ") + (names.count > 5 ? ", …" : "")
    return ManagedObjectError(
      .migration,
      "external files are missing: \(shown); they must be in the folder _EXTERNAL_DATA of the store's "
        + "support folder")
  }
}
