internal import FoundationEssentials
internal import ManagedObjects
internal import PropertyLists
internal import SQLQueries

/// Performs an inferred migration: changes the tables of a store to those of another version of its model. The caller
/// has begun a transaction, so other processes see either the old store or the new one.
///
/// Renames the old tables, creates the new ones as in a new store, and copies the rows with SQL. Rows keep their
/// primary keys and versions. Columns that are not in the models are copied too.
struct StoreMigration {
  let database: Database
  let old: StoreSchema
  let new: StoreSchema
  let mapping: InferredMapping
  let externalData: ExternalData
  private let configuration: String?
  private let oldTables: StoreTables
  private let history: MigratedHistory?
  private let report: MigrationReports.Step
  /// The values and objects that the migration drops.
  let losses: [MigrationLoss]

  /// Creates a migration, and checks that it can be performed.
  ///
  /// - Parameters:
  ///   - externalData: The external files of the store.
  ///   - policy: The handling of values and objects that the new model cannot represent.
  ///   - history: The rules for the history of the store.
  /// - Throws: ``ManagedObjectError/Code/droppedValues``, or ``ManagedObjectError/Code/multipleErrors`` with several
  ///   such errors, if values would be dropped and the policy does not allow that,
  ///   ``ManagedObjectError/Code/migration`` if the file has parts that would be lost with the old tables, or a history
  ///   that cannot be kept.
  init(
    _ database: Database, _ mapping: InferredMapping, _ configuration: String?, _ externalData: ExternalData,
    _ policy: DroppedValuePolicy, history rules: MigratedHistory.Rules, report: @escaping MigrationReports.Step
  ) throws(ManagedObjectError) {
    self.database = database
    self.mapping = mapping
    self.externalData = externalData
    self.configuration = configuration
    self.report = report
    let file = try FileSchema(database)
    old = try StoreSchema(mapping.source, configuration, of: file, in: database)
    new = StoreSchema(mapping.destination, configuration: configuration)
    oldTables = StoreTables(schema: old, file: file, database: database)
    try oldTables.check()
    history = try MigratedHistory([.inferred(mapping)], rules, old, configuration, file, database)
    losses = try MigrationLoss.all(mapping, old, database)
    try policy.check(losses)
  }

  /// Changes the tables, the metadata and the embedded model.
  ///
  /// - Returns: The names of the external files that are no longer used.
  func changeTables(_ metadata: inout StoreMetadata) throws(ManagedObjectError) -> Set<String> {
    var files = try ExternalColumns(old).files(database)
    try oldTables.putAside()
    let writer = SchemaWriter(schema: new, database: database)
    for statement in SchemaStatements(schema: new).tables { try database.execute(statement) }
    for index in new.tables.indices { try copyRows(index) }
    for index in new.tables.indices { try completeKeys(index) }
    try copyRelationships()
    for statement in DerivedColumn.all(new).flatMap(\.computation) { try database.execute(statement) }
    let highest = try highestNumbers()
    try oldTables.drop()
    try oldTables.replaceEntities(with: new) { highest[$0] ?? 0 }
    switch history {
    case .converted?: try HistoryMigration(database: database, mapping: mapping, old: old, new: new).convert()
    case .restarted?: try HistoryTables.restart(mapping.destination, database)
    case .kept?, nil: break
    }
    try writer.makeIndexes()
    try oldTables.restoreIndexes()
    if !files.isEmpty { files.subtract(try ExternalColumns(new).files(database)) }
    metadata.describe(mapping.destination, configuration)
    try MetadataTable.write(metadata, database)
    try ModelCache.write(mapping.destination, database)
    return files
  }

  /// Calls `body` to process the rows of a new table, and reports the progress before and after.
  func reporting(
    _ phase: MigrationProgress.Phase, _ table: StoreTable, _ count: Int, _ body: () throws(ManagedObjectError) -> Void
  ) throws(ManagedObjectError) {
    let name = mapping.destination.entities[table.entities.lowerBound].name
    try report(phase, name, 0, count)
    try body()
    try report(phase, name, count, count)
  }

  /// Returns, for the index of each new table, the highest primary key that its old table has or had.
  private func highestNumbers() throws(ManagedObjectError) -> [Int: Int64] {
    var highest: [Int: Int64] = [:]
    for (index, table) in new.tables.enumerated() {
      guard let source = sourceTable(of: table) else { continue }
      highest[index] = try oldTables.highestNumber(source)
    }
    return highest
  }

  /// Returns the old table that has the rows of a new table; nil if all entities of the new table were added.
  private func sourceTable(of table: StoreTable) -> StoreTable? {
    for index in table.entities {
      if let source = mapping.entities[index], let found = old.table(ofEntity: source) { return found }
    }
    return nil
  }

  private func copyRows(_ index: Int) throws(ManagedObjectError) {
    let table = new.tables[index]
    guard let source = sourceTable(of: table) else { return }
    // The new and old indices of the entities whose rows are copied.
    let pairs = table.entities.compactMap { index in
      mapping.entities[index].map { (new: index, old: $0) }
    }.filter { old.numbers[$0.old] != 0 && new.numbers[$0.new] != 0 }
    if pairs.isEmpty { return }
    try checkAbstract(pairs, source)
    var columns = ["Z_PK", "Z_ENT", "Z_OPT"]
    var values = [
      "Z_PK",
      "CASE Z_ENT "
        + pairs.map { "WHEN \(old.numbers[$0.old]) THEN \(new.numbers[$0.new])" }
        .joined(separator: " ") + " END", "Z_OPT",
    ]
    var bound: [SQLValue] = []
    for (column, definition) in table.columns.enumerated() {
      let cases = pairs.map { pair in
        (number: old.numbers[pair.old], value: value(column, table, pair.new, pair.old, source))
      }
      guard cases.contains(where: { $0.value != .nothing }) else { continue }
      columns.append(definition.name.sqlName)
      values.append(expression(cases, &bound))
    }
    let extra = try carryUnknownColumns(from: source, to: table)
    columns += extra
    values += extra
    let rows =
      "FROM \(StoreTables.asideName(source.name)) WHERE Z_ENT IN "
      + "(\(pairs.map { "\(old.numbers[$0.old])" }.joined(separator: ", ")))"
    try reporting(.objects, table, count(rows)) { () throws(ManagedObjectError) in
      let statement = try database.statement(
        "INSERT INTO \(table.name.sqlName) (\(columns.joined(separator: ", "))) "
          + "SELECT \(values.joined(separator: ", ")) \(rows)")
      try statement.bind(bound)
      try statement.run()
      for pair in pairs { try takeIntoRows(pair.new, pair.old, table, source) }
    }
  }

  /// Returns the number of rows that a FROM clause selects.
  func count(_ rows: String) throws(ManagedObjectError) -> Int {
    let statement = try database.statement("SELECT COUNT(*) \(rows)")
    defer { statement.reset() }
    return try statement.step() ? Int(statement.integer(0)) : 0
  }

  /// Throws if an entity that has rows becomes abstract.
  private func checkAbstract(_ pairs: [(new: Int, old: Int)], _ source: StoreTable) throws(ManagedObjectError) {
    for pair in pairs where mapping.destination.records[pair.new].definition.isAbstract {
      let statement = try database.statement(
        "SELECT 1 FROM \(StoreTables.asideName(source.name)) WHERE Z_ENT = ? LIMIT 1")
      try statement.bind(1, old.numbers[pair.old])
      defer { statement.reset() }
      guard try statement.step() else { continue }
      throw ManagedObjectError(
        .inferredMapping,
        "the entity \(mapping.destination.records[pair.new].definition.name.quoted) becomes abstract, but has objects")
    }
  }

  /// Adds the columns of an old table that are not in the models to the new table. Returns their names.
  private func carryUnknownColumns(
    from source: StoreTable, to table: StoreTable
  ) throws(ManagedObjectError) -> [String] {
    let known = Set(["Z_PK", "Z_ENT", "Z_OPT"] + source.columns.map { $0.name.uppercased() })
    let taken = Set(table.columns.map { $0.name.uppercased() })
    var names: [String] = []
    let list = try database.statement("SELECT name, type FROM pragma_table_info(?)")
    try list.bind(1, StoreTables.plainAsideName(source.name))
    var definitions: [(name: String, type: String)] = []
    try list.forEachRow { definitions.append((list.text(0), list.text(1))) }
    for (name, type) in definitions where !known.contains(name.uppercased()) && !taken.contains(name.uppercased()) {
      try database.execute(
        "ALTER TABLE \(table.name.sqlName) ADD COLUMN \(name.sqlName) \(type.isPlainType ? type : "")")
      names.append(name.sqlName)
    }
    return names
  }
}

extension String {
  /// True if the declared type of a column can be inserted into SQL without quotation marks.
  fileprivate var isPlainType: Bool {
    utf8.allSatisfy {
      (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
    }
  }
}

extension SQLValue {
  /// Creates the value of a column from the value of an attribute.
  init(_ value: AttributeValue, isExternal: Bool) {
    self =
      switch value {
      case .null: .null
      case .boolean(let value): .integer(value ? 1 : 0)
      case .integer(let value): .integer(value)
      case .decimal(let value): StoredDecimal.value(value) ?? .null
      case .double(let value): .real(value)
      case .float(let value): .real(Double(value))
      case .string(let value): .text(value)
      case .date(let value): .real(value.timeIntervalSinceReferenceDate)
      case .data(let value): .blob(isExternal ? Data([1]) + value : value)
      case .uuid(let value): unsafe withUnsafeBytes(of: value.uuid) { unsafe .blob(Data($0)) }
      case .url(let value): .text(value.absoluteString)
      // A composite attribute has one column for each element.
      case .composite: .null
      }
  }
}
