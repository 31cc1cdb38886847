internal import ManagedObjects

/// Writes the tables, the metadata and the model of a new store, as Core Data does.
struct SchemaWriter {
  let schema: StoreSchema
  let database: Database

  func write(_ metadata: StoreMetadata) throws(ManagedObjectError) {
    for statement in SchemaStatements(schema: schema).all { try database.execute(statement) }
    try writeEntities { _ in 0 }
    try MetadataTable.write(metadata, database)
    try ModelCache.write(schema.model, database)
  }

  /// Writes the rows of `Z_PRIMARYKEY`, one for each entity.
  ///
  /// - Parameter highest: A function that returns the highest primary key that a table has or had, given the index of
  ///   the table.
  func writeEntities(highest: (Int) -> Int64) throws(ManagedObjectError) {
    let insertion = try database.statement(
      "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, ?)")
    for entity in schema.model.entities where schema.numbers[entity.index] != 0 {
      try insertion.bind(1, schema.numbers[entity.index])
      try insertion.bind(2, entity.name)
      try insertion.bind(3, entity.superentity.map { schema.numbers[$0.index] } ?? 0)
      try insertion.bind(4, entity.superentity == nil ? highest(schema.tableIndices[entity.index]) : 0)
      try insertion.run()
    }
  }
}
