package import ManagedObjects

/// The tables of the persistent history: transactions, changes and strings.
///
/// Sources: files of Core Data.
package enum HistoryTables {
  package static let changes = "ACHANGE"
  package static let transactions = "ATRANSACTION"
  package static let texts = "ATRANSACTIONSTRING"
  /// The entity numbers and names of the three tables in `Z_PRIMARYKEY`.
  package static let entities: [(number: Int64, name: String)] = [
    (16_001, "CHANGE"), (16_002, "TRANSACTION"), (16_003, "TRANSACTIONSTRING"),
  ]

  /// Returns true if a file has the tables of a history. Files of older frameworks have no table of texts.
  static func areThere(_ file: FileSchema) -> Bool {
    [changes, transactions].allSatisfy { file.tables[$0] != nil }
  }

  /// Returns the names of the columns of a table, in Core Data's order.
  ///
  /// - Parameters:
  ///   - hasTexts: False for the tables of older frameworks, which have no table of texts.
  ///   - tombstoneCount: The number of columns for the preserved values of deleted objects.
  static func columns(of table: String, hasTexts: Bool, tombstoneCount: Int) -> [String] {
    let own =
      switch table {
      case changes:
        ["ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS"]
          + (0..<tombstoneCount).map { "ZTOMBSTONE\($0)" }
      case transactions:
        (hasTexts ? ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"] : [])
          + ["ZTIMESTAMP", "ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID", "ZQUERYGEN"]
      default: ["ZNAME"]
      }
    return ["Z_PK", "Z_ENT", "Z_OPT"] + own
  }

  /// Returns the number of columns that a model needs for the preserved values of deleted objects.
  static func tombstoneCount(_ model: ManagedObjectModel) -> Int {
    model.entities.map { preserved($0).count }.max() ?? 0
  }

  /// Creates the tables of a history.
  ///
  /// - Parameter last: The number before that of the first transaction.
  static func make(_ schema: StoreSchema, _ database: Database, after last: Int64 = 0) throws(ManagedObjectError) {
    let tombstones = (0..<tombstoneCount(schema.model)).map { ", ZTOMBSTONE\($0) BLOB" }.joined()
    let statements = [
      "CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, "
        + "ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB\(tombstones) )",
      "CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, "
        + "ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, "
        + "ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB )",
      "CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR )",
      "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
      "CREATE INDEX ATRANSACTION_ZAUTHORTS_INDEX ON ATRANSACTION (ZAUTHORTS)",
      "CREATE INDEX ATRANSACTION_ZBUNDLEIDTS_INDEX ON ATRANSACTION (ZBUNDLEIDTS)",
      "CREATE INDEX ATRANSACTION_ZCONTEXTNAMETS_INDEX ON ATRANSACTION (ZCONTEXTNAMETS)",
      "CREATE INDEX ATRANSACTION_ZPROCESSIDTS_INDEX ON ATRANSACTION (ZPROCESSIDTS)",
      "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION (ZAUTHOR COLLATE BINARY ASC)",
      "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION (ZTIMESTAMP COLLATE BINARY ASC)",
      "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)",
    ]
    for statement in statements { try database.execute(statement) }
    // The first save with a history inserts the rows of `Z_PRIMARYKEY`.
    if last > 0 { _ = try nextKey(of: 1, database, count: last) }
  }

  /// Returns the next primary key for a row of a table of the history. If `count` is greater than 1, reserves `count`
  /// keys and returns the last one.
  ///
  /// - Parameter index: The index of the table in ``entities``.
  static func nextKey(of index: Int, _ database: Database, count: Int64 = 1) throws(ManagedObjectError) -> Int64 {
    let (number, name) = entities[index]
    let table = [changes, transactions, texts][index]
    // `Z_MAX` can be too low, or not a number, if another program has written the file.
    let highest = "IFNULL((SELECT MAX(Z_PK) FROM \(table)), 0)"
    let update = try database.statement(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = MAX(IFNULL(CAST(Z_MAX AS INTEGER), 0), \(highest)) + ?2 WHERE Z_ENT = ?1 "
        + "RETURNING Z_MAX")
    try update.bind(1, number)
    try update.bind(2, count)
    defer { update.reset() }
    if try update.step() {
      // The sum is a floating-point number if it is too large for an integer.
      if case .integer(let last) = update.value(0), last >= count { return last }
      throw ManagedObjectError(
        .save, "\(database.path): Z_PRIMARYKEY has no number left for Z_ENT \(number), which the history needs")
    }
    let insertion = try database.statement(
      "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?1, ?2, 0, ?3 + \(highest)) RETURNING Z_MAX")
    try insertion.bind(1, number)
    try insertion.bind(2, name)
    try insertion.bind(3, count)
    defer { insertion.reset() }
    return try insertion.step() ? insertion.integer(0) : count
  }

  /// Deletes the tables of a history, with all recorded saves.
  static func drop(_ database: Database) throws(ManagedObjectError) {
    for table in [changes, transactions, texts] { try database.execute("DROP TABLE IF EXISTS \(table)") }
    for (number, _) in entities { try database.execute("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)") }
  }

  /// Returns the last primary key of each table, even if its row has been deleted. The order is that of ``entities``.
  static func lastKeys(_ database: Database) throws(ManagedObjectError) -> [Int64] {
    var keys: [Int64] = []
    for (number, _) in entities {
      keys.append(try database.number("SELECT MAX(Z_MAX) FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)"))
    }
    return keys
  }

  /// Returns the number of the last transaction that was ever recorded, even if it has been deleted.
  static func lastNumber(_ database: Database) throws(ManagedObjectError) -> Int64 {
    try database.number("SELECT MAX(Z_MAX) FROM Z_PRIMARYKEY WHERE Z_ENT = \(entities[1].number)")
  }

  /// Returns the attributes whose values the history keeps when an object is deleted, in the order of their columns:
  /// sorted by name, unless the entity has a list of names for older frameworks. A composite attribute is not kept,
  /// because it has several columns.
  package static func preserved(_ entity: ManagedObjectModel.Entity) -> [ManagedObjectModel.Entity.Attribute] {
    let stored = entity.attributes.filter { !$0.isTransient && $0.definition.type != .composite }
    guard case .string(let list)? = entity.definition.userInfo["NSPersistentHistoryTombstoneAttributes"] else {
      return stored.filter(\.definition.preservesValueInHistoryOnDeletion).sorted { $0.name.precedes($1.name) }
    }
    return list.split { $0 == "," || $0 == " " }.compactMap { name in stored.first { $0.name == name } }
  }
}
