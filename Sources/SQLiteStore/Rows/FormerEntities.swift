internal import ManagedObjects
internal import SQLQueries

/// The entities of a file that was made with another version of a model, and the columns of the model's properties.
///
/// If the file embeds the model that it was made with, the columns of a property are those of the property with its
/// name or renaming identifier in that model. Without it, columns are found by their names.
struct FormerEntities {
  let model: ManagedObjectModel
  let file: FileSchema
  /// The schema for the model that the file embeds; nil if the file does not embed a model.
  let own: StoreSchema?
  /// The entities of the file, by number.
  private(set) var entities: [Int64: (name: String, parent: Int64)] = [:]
  /// The number of each entity of the model; 0 if the store does not have it. An entity that is missing in the file has
  /// a number that the file does not use.
  private(set) var numbers: [Int64]
  /// The index of each entity of the model, by its number in the file. Entities that the file does not have are left
  /// out.
  private(set) var known: [Int64: Int] = [:]
  /// The table of the file for each root entity of the model.
  private(set) var tableNames: [Int: String] = [:]
  /// The names that the properties of each entity of the model have in the file. They are those of the model that the
  /// file embeds, or else those of columns, without the `Z`.
  private(set) var propertyNames: [[String: String]] = []
  /// The form of the values of each column with data, by `TABLE.COLUMN`: `isSuitable`, true if all values have the form
  /// of external storage; `hasFiles`, true if some of them name files. Empty if the file embeds its model.
  private(set) var externalForms: [String: (isSuitable: Bool, hasFiles: Bool)] = [:]
  private(set) var mismatches: [ModelMismatch] = []

  init(
    _ model: ManagedObjectModel, _ configuration: String?, _ metadata: StoreMetadata, _ file: FileSchema,
    _ database: Database
  ) throws(ManagedObjectError) {
    self.model = model
    self.file = file
    own = Self.ownSchema(configuration, metadata, file, database)
    numbers = StoreSchema(model, configuration: configuration).numbers
    try readEntities(database)
    assignNumbers()
    findTables()
    propertyNames = model.entities.map { propertyNames(of: $0) }
    try countRows(database)
    if own == nil { try findExternalForms(database) }
  }

  private static func ownSchema(
    _ configuration: String?, _ metadata: StoreMetadata, _ file: FileSchema, _ database: Database
  ) -> StoreSchema? {
    guard let own = try? ModelCache.read(database, file) else { return nil }
    let configuration = own.entities(ofConfiguration: configuration) == nil ? nil : configuration
    guard metadata.fits(own, configuration) else { return nil }
    return try? StoreSchema(own, configuration, of: file, in: database)
  }

  private mutating func readEntities(_ database: Database) throws(ManagedObjectError) {
    let list = try database.statement("SELECT Z_ENT, Z_NAME, Z_SUPER FROM main.Z_PRIMARYKEY ORDER BY Z_ENT")
    try list.forEachRow {
      let number = list.integer(0)
      guard number > 0, number < EntityNumbers.firstPrivateNumber, entities[number] == nil else { return }
      entities[number] = (list.text(1), list.integer(2))
    }
  }

  private mutating func assignNumbers() {
    let byName = Dictionary(
      entities.sorted { $0.key < $1.key }.map { ($0.value.name, $0.key) }, uniquingKeysWith: { first, _ in first })
    let names = Set(byName.keys).names(
      of: model.entities.map { ($0.name, numbers[$0.index] == 0 ? nil : $0.definition.renamingIdentifier) })
    var next = (entities.keys.max() ?? 0) + 1
    for entity in model.entities where numbers[entity.index] != 0 {
      if let found = names[entity.index].flatMap({ byName[$0] }) {
        numbers[entity.index] = found
        known[found] = entity.index
      } else {
        numbers[entity.index] = next
        next += 1
      }
    }
  }

  /// Returns the number of the root entity of an entity in the file; nil if the superentities form a cycle.
  private func root(_ number: Int64) -> Int64? {
    var next = number
    for _ in 0...entities.count {
      guard let parent = entities[next]?.parent, parent != 0, entities[parent] != nil else { return next }
      next = parent
    }
    return nil
  }

  /// Returns the name of the table that stores an entity's objects; nil if the file has no such table.
  ///
  /// - Parameter number: The entity's number in the file.
  func table(_ number: Int64) -> String? {
    guard let root = root(number), let name = entities[root].map({ "Z" + $0.name.uppercased() }),
      file.tables[name]?.hasNumbers == true, file.has(name, "Z_ENT")
    else { return nil }
    return name
  }

  private mutating func findTables() {
    for root in model.entities where root.superentity == nil && numbers[root.index] != 0 {
      let present = root.subtree.filter { known[numbers[$0]] == $0 }
      let tables = Set(present.map { table(numbers[$0]) })
      let chosen = known[numbers[root.index]] == root.index ? table(numbers[root.index]) : tables.first ?? nil
      if let chosen, tables.count == 1 || known[numbers[root.index]] == root.index { tableNames[root.index] = chosen }
    }
  }

  /// True if the file has objects of an entity in the table of its root entity.
  func isReadable(_ index: Int) -> Bool {
    guard known[numbers[index]] == index, let name = tableNames[entity(index).root.index] else { return false }
    return table(numbers[index]) == name
  }

  func entity(_ index: Int) -> ManagedObjectModel.Entity {
    ManagedObjectModel.Entity(model: model, index: index)
  }

  /// Counts the rows of each entity, and records the rows that are ignored.
  private mutating func countRows(_ database: Database) throws(ManagedObjectError) {
    var counts: [Int64: Int] = [:]
    for name in Set(entities.keys.compactMap { table($0) }).sorted() {
      var strange = 0
      let list = try database.statement(
        "SELECT Z_ENT, COUNT(*), SUM(Z_PK <= 0) FROM main.\(name.sqlName) GROUP BY Z_ENT")
      try list.forEachRow {
        let (number, count, invalid) = (list.integer(0), Int(list.integer(1)), Int(list.integer(2)))
        if table(number) == name {
          counts[number, default: 0] += count - invalid
          strange += invalid
        } else {
          strange += count
        }
      }
      if strange > 0 {
        mismatches.append(
          ModelMismatch(
            .ignoredRows, name, objectCount: strange,
            "\(strange == 1 ? "1 row is not an object" : "\(strange) rows are not objects") of an entity of the table"))
      }
    }
    for (number, entity) in entities where known[number] == nil {
      mismatches.append(ModelMismatch(unknownEntity: entity.name, objectCount: counts[number]))
    }
    for entity in model.entities where numbers[entity.index] != 0 && !entity.isAbstract && !isReadable(entity.index) {
      let number = numbers[entity.index]
      let isPresent = known[number] == entity.index
      let reason =
        isPresent
        ? table(number).map { "its objects are in the table \($0) with those of other root entities" }
          ?? "the store has no table with its objects" : "the store does not have the entity"
      mismatches.append(
        ModelMismatch(.missingEntity, entity.name, objectCount: isPresent ? counts[number] : nil, reason))
    }
  }

  /// Finds the columns whose values all have the form of external storage, which begins with a marker byte. Other data
  /// can begin with that byte, so the form is only a guess. A value must also name a file if the model does not expect
  /// external storage.
  private mutating func findExternalForms(_ database: Database) throws(ManagedObjectError) {
    for table in Set(tableNames.values) {
      for (column, type) in file.tables[table]?.types ?? [:] where type == "BLOB" {
        let name = column.sqlName
        let isInFile = "(length(\(name)) = \(ExternalData.sizeOfName) AND \(ExternalData.isInFile(name)))"
        let statement = try database.statement(
          "SELECT COUNT(*), IFNULL(SUM(\(isInFile) OR \(ExternalData.isInline(name))), 0), IFNULL(SUM(\(isInFile)), 0) "
            + "FROM main.\(table.sqlName) WHERE \(name) IS NOT NULL")
        defer { statement.reset() }
        guard try statement.step(), statement.integer(0) > 0 else { continue }
        externalForms["\(table).\(column)"] = (
          isSuitable: statement.integer(0) == statement.integer(1), hasFiles: statement.integer(2) > 0
        )
      }
    }
  }
}
