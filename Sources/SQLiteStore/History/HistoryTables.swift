package import FoundationEssentials
package import ManagedObjects

/// The tables of the persistent history: transactions, changes and strings.
///
/// Sources: files of Core Data. According to third-party reports, the bits of `ZCOLUMNS` represent all properties of an
/// entity, sorted by name, starting at the highest bit of the first byte.
package enum HistoryTables {
  package static let changes = "ACHANGE"
  package static let transactions = "ATRANSACTION"
  package static let texts = "ATRANSACTIONSTRING"
  /// The entity numbers and names of the three tables in `Z_PRIMARYKEY`.
  package static let entities: [(number: Int64, name: String)] = [
    (16_001, "CHANGE"), (16_002, "TRANSACTION"), (16_003, "TRANSACTIONSTRING"),
  ]

  /// Returns true if a file has the tables of a history.
  static func areThere(_ file: FileSchema) -> Bool {
    [changes, transactions, texts].allSatisfy { file.tables[$0] != nil }
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
    let entity = try database.statement("INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, 0, ?)")
    for (index, (number, name)) in entities.enumerated() {
      try entity.bind(1, number)
      try entity.bind(2, name)
      try entity.bind(3, index == 1 ? last : 0)
      try entity.run()
    }
  }

  /// Deletes the tables of a history, with all recorded saves.
  static func drop(_ database: Database) throws(ManagedObjectError) {
    for table in [changes, transactions, texts] { try database.execute("DROP TABLE \(table)") }
    for (number, _) in entities { try database.execute("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)") }
  }

  /// Returns the number of the last transaction that was ever recorded, even if it has been deleted.
  static func lastNumber(_ database: Database) throws(ManagedObjectError) -> Int64 {
    try database.number("SELECT MAX(Z_MAX) FROM Z_PRIMARYKEY WHERE Z_ENT = \(entities[1].number)")
  }

  /// Returns the attributes whose values the history keeps when an object is deleted, sorted by name.
  package static func preserved(_ entity: ManagedObjectModel.Entity) -> [ManagedObjectModel.Entity.Attribute] {
    entity.attributes.filter { $0.definition.preservesValueInHistoryOnDeletion && !$0.isTransient }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  /// Returns the properties that have a bit in `ZCOLUMNS`, in the order of the bits.
  static func properties(_ entity: ManagedObjectModel.Entity) -> [ManagedObjectModel.Entity.Property] {
    entity.properties.filter { property in
      switch property {
      case .attribute(let attribute): !attribute.isTransient
      case .relationship(let relationship): !relationship.isTransient
      }
    }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  /// Returns a value of `ZCOLUMNS`: a bit for each property, which is 1 if `isSet` returns true for it.
  static func bits<Property>(_ properties: [Property], where isSet: (Property) -> Bool) -> Data {
    var bytes = [UInt8](repeating: 0, count: (properties.count + 7) / 8)
    for (index, property) in properties.enumerated() where isSet(property) { bytes[index / 8] |= 0x80 >> (index % 8) }
    return Data(bytes)
  }

  /// Returns the names of the properties whose bits are set in a value of `ZCOLUMNS`.
  package static func names(_ entity: ManagedObjectModel.Entity, _ bits: Data) -> [String] {
    let bytes = Array(bits)
    return properties(entity).enumerated().compactMap { index, property in
      index / 8 < bytes.count && bytes[index / 8] & 0x80 >> (index % 8) != 0 ? property.name : nil
    }
  }
}
