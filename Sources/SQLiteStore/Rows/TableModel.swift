package import ManagedObjects

/// Derives a model from the tables of a store, for a store whose model is lost.
///
/// `Z_PRIMARYKEY` has the entities and their inheritance. Properties are named after their columns, in lower case. The
/// tables do not show which entity declares a property, so the root entity declares all. The columns of integers,
/// Booleans and most to-one relationships look the same, so all of them become 64-bit integers. Archives and UUIDs
/// become data. The names of tables and columns show these relationships: many-to-many relationships, to-one
/// relationships that can lead to several entities, and to-many relationships without an inverse.
package struct TableModel {
  private let file: FileSchema
  private let database: Database
  private var entities: [Int64: Entity] = [:]
  /// The names of the properties found so far in each table, by the entity number of its root entity.
  private var takenNames: [Int64: Set<String>] = [:]

  private struct Entity {
    var name: String
    let parent: Int64
    var properties: [PropertyDescription] = []
  }

  /// Returns a model that is derived from the tables of a store.
  ///
  /// - Throws: ``ManagedObjectError/Code/open`` if no model can be derived from the tables.
  package static func make(of file: FileSchema, _ database: Database) throws(ManagedObjectError) -> ManagedObjectModel {
    var maker = TableModel(file: file, database: database)
    try maker.readEntities()
    for number in maker.entities.keys.sorted() { try maker.readColumns(number) }
    for name in file.tables.keys.sorted() { maker.readJoin(name) }
    do { return try ManagedObjectModel(compiledEntities: maker.descriptions) } catch {
      throw ManagedObjectError(.open, "\(database.path): no model can be derived from the tables: \(error)")
    }
  }

  private init(file: FileSchema, database: Database) {
    self.file = file
    self.database = database
  }

  private var descriptions: [EntityDescription] {
    entities.sorted { $0.key < $1.key }.map { _, entity in
      var description = EntityDescription(entity.name, entity.properties)
      description.superentity = entities[entity.parent]?.name
      return description
    }
  }

  private mutating func readEntities() throws(ManagedObjectError) {
    let list = try database.statement("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT")
    var found: [Int64: Entity] = [:]
    try list.forEachRow {
      let number = list.integer(0)
      guard number > 0, number < EntityNumbers.firstPrivateNumber else { return }
      found[number] = Entity(name: list.text(1), parent: list.integer(2))
    }
    // After a migration, `Z_PRIMARYKEY` can have the old name of an entity whose table has the new name.
    let roots = found.filter { $0.value.parent == 0 }
    let nameless = roots.filter { file.tables["Z" + $0.value.name.uppercased()] == nil }
    let names = Set(roots.values.map { "Z" + $0.name.uppercased() })
    let left = file.tables.filter { name, table in
      table.hasNumbers && table.columns.contains("Z_ENT") && !name.hasPrefix("Z_") && name.hasPrefix("Z")
        && !names.contains(name)
    }
    if nameless.count == 1, left.count == 1, let number = nameless.first?.key, let table = left.first?.key {
      found[number]?.name = Self.name(String(table.dropFirst())) ?? String(table.dropFirst())
    }
    entities = found
  }

  /// Returns the name of a column in lower case; nil if that is not a valid property name, or if a property of that
  /// name would have a different column.
  private static func name(_ column: String) -> String? {
    let name = column.lowercased()
    let isSound =
      !name.isEmpty && !name.hasPrefix("@")
      && !name.utf8.contains { $0 == UInt8(ascii: ".") || $0 <= 0x20 || $0 == 0x7F }
    return isSound && name.uppercased() == column ? name : nil
  }

  /// Returns the number at the beginning of a name, and the rest.
  private static func number(_ name: Substring) -> (number: Int64, rest: Substring)? {
    let digits = name.prefix { $0.isASCII && $0.isNumber }
    return Int64(digits).map { ($0, name[digits.endIndex...]) }
  }

  /// Returns the entity number of an entity's root entity; nil if the superentities form a cycle.
  private func root(_ number: Int64) -> Int64? {
    var (next, steps) = (number, 0)
    while let entity = entities[next], steps <= entities.count {
      if entity.parent == 0 || entities[entity.parent] == nil { return next }
      next = entity.parent
      steps += 1
    }
    return nil
  }

  /// Returns true if none of the entities that share a table with `entity` has a property with the name yet.
  private func isFree(_ name: String, _ entity: Int64) -> Bool {
    root(entity).map { takenNames[$0]?.contains(name) != true } ?? false
  }

  private mutating func add(_ property: PropertyDescription, to entity: Int64) {
    entities[entity]?.properties.append(property)
    if let root = root(entity) { takenNames[root, default: []].insert(property.name) }
  }

  private mutating func readColumns(_ number: Int64) throws(ManagedObjectError) {
    guard let entity = entities[number], entity.parent == 0 || entities[entity.parent] == nil,
      let table = file.tables["Z" + entity.name.uppercased()]
    else { return }
    /// The entity numbers of the destinations of to-one relationships, by column.
    var destinations: [String: Int64] = [:]
    for column in table.columns where column.hasPrefix("Z") {
      if let (other, rest) = Self.number(column.dropFirst()), rest.hasPrefix("_") {
        destinations["Z" + rest.dropFirst()] = other
      }
    }
    var known: Set<String> = []
    for column in table.columns where column.hasPrefix("Z") && !column.hasPrefix("Z_") {
      if let (other, rest) = Self.number(column.dropFirst()) {
        guard !rest.hasPrefix("_"), entities[other] != nil, let name = Self.name(String(rest)), isFree(name, other)
        else { continue }
        var relationship = RelationshipDescription(name, to: entity.name, isToMany: true)
        relationship.isOrdered = table.columns.contains("Z_FOK_" + column.dropFirst())
        add(.relationship(relationship), to: other)
        continue
      }
      guard let name = Self.name(String(column.dropFirst())), known.insert(name).inserted, isFree(name, number) else {
        continue
      }
      if let destination = destinations[column].flatMap({ entities[$0]?.name }) {
        add(.relationship(name, to: destination), to: number)
      } else if let type = Self.type(table.types[column] ?? "") {
        var attribute = AttributeDescription(name, type)
        if type == .binary {
          attribute.allowsExternalBinaryDataStorage = try hasExternalData("Z" + entity.name.uppercased(), column)
        }
        add(.attribute(attribute), to: number)
      }
    }
  }

  private static func type(_ name: String) -> AttributeType? {
    switch name {
    case "INTEGER": .integer64
    case "FLOAT": .double
    case "TIMESTAMP": .date
    case "DECIMAL": .decimal
    case "VARCHAR": .string
    case "BLOB": .binary
    default: nil
    }
  }

  /// True if all values of a BLOB column begin with the byte of external storage, and at least one names an external
  /// file.
  private func hasExternalData(_ table: String, _ column: String) throws(ManagedObjectError) -> Bool {
    let (name, list) = (column.sqlName, "FROM \(table.sqlName) WHERE")
    let others = "\(name) IS NOT NULL AND NOT (\(ExternalData.isInline(name)) OR \(ExternalData.isInFile(name)))"
    let statement = try database.statement(
      "SELECT EXISTS (SELECT 1 \(list) length(\(name)) = \(ExternalData.sizeOfName) "
        + "AND \(ExternalData.isInFile(name))) "
        + "AND NOT EXISTS (SELECT 1 \(list) \(others))")
    defer { statement.reset() }
    return try statement.step() && statement.integer(0) != 0
  }

  /// Adds the relationships of a join table, such as `Z_1BOOKS` with the columns `Z_1AUTHORS` and `Z_2BOOKS`.
  private mutating func readJoin(_ table: String) {
    guard table.hasPrefix("Z_"), let (owner, rest) = Self.number(table.dropFirst(2)), entities[owner] != nil,
      let there = Self.name(String(rest)), let columns = file.tables[table]?.columns
    else { return }
    var sides: [(column: String, entity: Int64, name: String)] = []
    for column in columns where column.hasPrefix("Z_") {
      guard let (entity, rest) = Self.number(column.dropFirst(2)), entities[entity] != nil,
        let name = Self.name(String(rest))
      else { continue }
      sides.append((column, entity, name))
    }
    func isOrdered(_ column: String) -> Bool { columns.contains("Z_FOK_" + column.dropFirst(2)) }
    /// Returns true if a column is named after the relationship that the table's name contains. The column's name ends
    /// with a number if another table already has a column of that name.
    func isNamed(_ name: String) -> Bool {
      name.hasPrefix(there) && name.dropFirst(there.count).allSatisfy { $0.isASCII && $0.isNumber }
    }
    if sides.count == 1, columns.contains("REFLEXIVE"), sides[0].entity == owner, isNamed(sides[0].name),
      isFree(there, owner), let entity = entities[owner]?.name
    {
      var relationship = RelationshipDescription(there, to: entity, inverse: there, isToMany: true)
      relationship.isOrdered = isOrdered(sides[0].column)
      add(.relationship(relationship), to: owner)
      return
    }
    guard sides.count == 2,
      let forward = sides.firstIndex(where: { isNamed($0.name) && $0.entity != owner })
        ?? sides.firstIndex(where: { $0.name == there }) ?? sides.firstIndex(where: { isNamed($0.name) })
    else { return }
    let (target, own) = (sides[forward], sides[1 - forward])
    guard own.entity == owner, there != own.name || target.entity != owner, isFree(there, owner),
      isFree(own.name, target.entity), let ownerName = entities[owner]?.name,
      let targetName = entities[target.entity]?.name
    else { return }
    var relationship = RelationshipDescription(there, to: targetName, inverse: own.name, isToMany: true)
    relationship.isOrdered = isOrdered(target.column)
    var inverse = RelationshipDescription(own.name, to: ownerName, inverse: there, isToMany: true)
    inverse.isOrdered = isOrdered(own.column)
    add(.relationship(relationship), to: owner)
    add(.relationship(inverse), to: target.entity)
  }
}
