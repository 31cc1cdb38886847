internal import ManagedObjects
internal import SQLQueries

/// The execution of a batch request, in one database transaction. The rows that the request changes are listed in a
/// temporary table, so that memory does not grow with their number.
final class BatchTransaction {
  let state: StoreState
  let database: Database
  let schema: StoreSchema
  let entity: ManagedObjectModel.Entity
  let table: StoreTable
  let origin: BatchOrigin
  /// The transaction number of the request in the history; nil without a history.
  var historyNumber: Int64?
  var history: HistoryWriting

  /// The name of the table that lists the rows that the request changes. Its columns are the primary key `z`, the
  /// entity number `e`, the new values `v0`, `v1` and so on, and `f`, which has a bit for each new value that differs
  /// from the old one. All values from the 63rd on share one bit.
  static let rows = "temp.managed_batch"
  /// The name of the table that lists other rows that change. Its columns are the entity number `e`, the primary key
  /// `z`, and `r`, which is 1 if the row gets a new version number.
  static let touched = "temp.managed_touched"
  /// The name of the table that lists the changed columns of the rows in ``touched``, for the history. Its columns are
  /// the entity number `e`, the primary key `z`, and `c`, the index of the column in ``sideColumns``.
  static let sides = "temp.managed_sides"
  /// The columns that change in other rows.
  var sideColumns: [HistoryColumns.Column] = []
  /// SQL for the primary keys in ``rows``.
  static let keys = "SELECT z FROM \(rows)"

  /// Creates the temporary tables.
  ///
  /// - Parameter columns: The indices of the columns in `table` whose values the request changes.
  init(
    _ state: StoreState, _ entity: ManagedObjectModel.Entity, _ table: StoreTable, _ origin: BatchOrigin,
    columns: [Int] = []
  ) throws(ManagedObjectError) {
    self.state = state
    database = state.database
    schema = state.schema
    self.entity = entity
    self.table = table
    self.origin = origin
    history = HistoryWriting(state)
    database.notedRows = []
    let values = columns.enumerated().map { ", v\($0) \(table.columns[$1].type)" }.joined()
    try dropTables()
    try run("CREATE TABLE \(Self.rows) (z INTEGER PRIMARY KEY, e INTEGER, f INTEGER\(values))")
    try run("CREATE TABLE \(Self.touched) (e INTEGER, z INTEGER, r INTEGER, PRIMARY KEY (e, z)) WITHOUT ROWID")
    if state.tracksHistory {
      try run("CREATE TABLE \(Self.sides) (e INTEGER, z INTEGER, c INTEGER, PRIMARY KEY (e, z, c)) WITHOUT ROWID")
    }
  }

  func dropTables() throws(ManagedObjectError) {
    for table in [Self.rows, Self.touched] + (state.tracksHistory ? [Self.sides] : []) {
      try run("DROP TABLE IF EXISTS \(table)")
    }
  }

  /// Executes a statement, and ignores its rows. Its work limit is the one for statements that join two tables, because
  /// the limit depends on the size of the file, which does not include temporary tables.
  func run(_ sql: String, _ values: SQLValue...) throws(ManagedObjectError) {
    let statement = try database.statement(sql, .pairs)
    try statement.bind(values)
    try statement.run()
  }

  func number(_ sql: String) throws(ManagedObjectError) -> Int64 {
    let statement = try database.statement(sql, .pairs)
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : 0
  }

  /// The number of rows that the request changes.
  func count() throws(ManagedObjectError) -> Int { Int(try number("SELECT COUNT(*) FROM \(Self.rows)")) }

  /// Returns the indices of the entities of the changed rows, sorted.
  func entityIndices(of rows: String = BatchTransaction.rows) throws(ManagedObjectError) -> [Int] {
    var indices: [Int] = []
    let statement = try database.statement("SELECT DISTINCT e FROM \(rows)", .pairs)
    try statement.forEachRow {
      if let index = schema.entityIndices[statement.integer(0)] { indices.append(index) }
    }
    return indices.sorted()
  }

  func key(_ entity: Int64, _ number: Int64) -> RowKey? {
    schema.entityIndices[entity].map { RowKey(store: state.storeNumber, entityIndex: $0, number: number) }
  }

  /// Throws if a row has an invalid key or entity number, as in a damaged file.
  func checkRows() throws(ManagedObjectError) {
    let numbers = table.entities.map { "\(schema.numbers[$0])" }.joined(separator: ", ")
    let statement = try database.statement(
      "SELECT z, e FROM \(Self.rows) WHERE z <= 0 OR e IS NULL OR e NOT IN (\(numbers)) LIMIT 1", .pairs)
    defer { statement.reset() }
    if try statement.step() {
      throw RowSelection.invalidRow(statement.integer(0), statement.integer(1), of: table.name)
    }
  }

  /// Increases the version numbers of other rows that change.
  func raiseVersions() throws(ManagedObjectError) {
    for table in schema.tables {
      let numbers = table.entities.map { "\(schema.numbers[$0])" }.joined(separator: ", ")
      guard try number("SELECT EXISTS (SELECT 1 FROM \(Self.touched) WHERE r = 1 AND e IN (\(numbers)))") == 1 else {
        continue
      }
      try run(
        "UPDATE \(table.name.sqlName) SET Z_OPT = \(table.nextVersion) "
          + "WHERE Z_PK IN (SELECT z FROM \(Self.touched) WHERE r = 1 AND e IN (\(numbers)))")
    }
  }

  /// Returns the result of the request.
  ///
  /// - Parameter mended: SQL that selects the entity numbers and primary keys of further rows that changed.
  func result(count: Int, changed: String, mended: String? = nil) throws(ManagedObjectError) -> StoreBatchResult {
    guard origin.returnsKeys else { return StoreBatchResult(count: count) }
    let changed = try keys(changed)
    var others = Set(try keys("SELECT e, z FROM \(Self.touched)"))
    if let mended { others.formUnion(try keys(mended)) }
    for (entity, number) in database.notedRows where number > 0 {
      if let key = key(entity, number) { others.insert(key) }
    }
    return StoreBatchResult(count: count, changed: changed, mended: others.subtracting(changed).sorted())
  }

  private func keys(_ sql: String) throws(ManagedObjectError) -> [RowKey] {
    var keys: [RowKey] = []
    let statement = try database.statement(sql, .pairs)
    try statement.forEachRow {
      if let key = key(statement.integer(0), statement.integer(1)) { keys.append(key) }
    }
    return keys
  }
}

extension StoreState {
  /// Executes a batch request in a transaction.
  ///
  /// - Parameter body: Executes the request. It returns the result, and the number of the transaction in the history,
  ///   if any.
  mutating func batch(
    _ body: (inout StoreState) throws(ManagedObjectError) -> (StoreBatchResult, Int64?)
  ) throws(ManagedObjectError) -> StoreBatchResult {
    var copy = self
    let (result, historyNumber) = try database.transaction(.immediate) { () throws(ManagedObjectError) in
      try copy.checkTables()
      try copy.checkObstacles()
      let (result, number) = try body(&copy)
      if copy.hasNewMetadata { try MetadataTable.write(copy.metadata, database) }
      return (result, number)
    }
    copy.hasNewMetadata = false
    self = copy
    if let historyNumber { noteOwnTransaction(historyNumber) }
    return result
  }
}
