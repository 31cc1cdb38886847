internal import ManagedObjects
internal import SQLQueries

/// The tables that a model expects, as temporary views of the tables of a file that was made with another version of
/// the model.
///
/// A temporary view hides the table with its name, so that the statements for reading are the same as for other stores.
/// Entities and properties are found by their names and renaming identifiers. Columns that the file does not have are
/// constants in the views: the default of the attribute, or NULL.
struct FittedTables {
  private(set) var schema: StoreSchema
  /// The statements that create the views.
  private(set) var views: [String] = []
  private(set) var mismatches: [ModelMismatch] = []
  /// True if some column has values of another type than its attribute. Requests are then executed in memory, because
  /// SQL has other rules for such values.
  let hasOtherTypes: Bool

  /// Finds the columns of the file for the model, and the statements that create the views.
  ///
  /// - Complexity: O(*n*) in the number of rows, which are counted. If the file does not embed its model, O(*n*) in the
  ///   size of the columns with binary data, because their first bytes are examined.
  init(
    _ model: ManagedObjectModel, _ configuration: String?, _ metadata: StoreMetadata, _ file: FileSchema,
    _ database: Database
  ) throws(ManagedObjectError) {
    let former = try FormerEntities(model, configuration, metadata, file, database)
    let draft = StoreSchema(model, numbers: former.numbers, file: nil)
    var fitting = TableFitting(former, draft, file)
    fitting.fitTables()
    fitting.fitJoins(StoreSchema(model, numbers: former.numbers, file: file).joins)
    fitting.noteUnknown()
    // The second schema leaves out the optional columns that the file does not have.
    schema = StoreSchema(
      model, numbers: former.numbers, file: file.replacingTables(with: fitting.presented),
      externalAttributes: fitting.externalAttributes)
    for table in schema.tables {
      var known: Set<String> = []
      for column in table.columns where !known.insert(column.name.uppercased()).inserted {
        throw ManagedObjectError(
          .open, "two properties would have the column \(column.name) of the table \(table.name) of \(database.path)")
      }
    }
    views = fitting.views
    mismatches = fitting.mismatches + fitting.guesses
    mismatches.sort { ($0.entity, $0.property ?? "", $0.reason) < ($1.entity, $1.property ?? "", $1.reason) }
    hasOtherTypes = fitting.mismatches.contains { $0.kind == .changedProperty }
  }

  /// Creates the views.
  func makeViews(_ database: Database) throws(ManagedObjectError) {
    for view in views { try database.execute(view) }
  }
}

/// An algorithm that finds, for each column of a model's tables, the column of the file that has its values.
private struct TableFitting {
  private let former: FormerEntities
  private let model: ManagedObjectModel
  private let draft: StoreSchema
  private let file: FileSchema
  private(set) var views: [String] = []
  private(set) var mismatches: [ModelMismatch]
  /// The attributes whose values may have been saved in another form, although they have the expected type.
  private(set) var guesses: [ModelMismatch] = []
  /// The tables that the views present to statements, by name in upper case.
  private(set) var presented: [String: FileSchema.Table] = [:]
  /// The attributes that use external storage in the file but not in the model, or the reverse. The value is true if
  /// the file can have values in external files.
  private(set) var externalAttributes: [PropertyName: Bool] = [:]
  /// The columns of the file that the views use, by table. A join table that is used has an entry without columns.
  private var used: [String: Set<String>] = [:]
  /// The relationships that have a column in the file: to-one relationships, and to-many relationships without an
  /// inverse.
  private var related: Set<PropertyName> = []

  init(_ former: FormerEntities, _ draft: StoreSchema, _ file: FileSchema) {
    self.former = former
    self.draft = draft
    self.file = file
    model = draft.model
    mismatches = former.mismatches
  }

  private func entity(_ index: Int) -> ManagedObjectModel.Entity {
    ManagedObjectModel.Entity(model: model, index: index)
  }

  /// The source of a column for the rows of one entity.
  private struct Source: Equatable {
    /// SQL for the value; nil if the file does not store the value.
    var value: String?
    /// A description of how the file differs from the model; nil if they agree.
    var difference: String?
  }

  mutating func fitTables() {
    for table in draft.tables {
      let name = former.tableNames[table.entities.lowerBound]
      let readable = table.entities.filter { former.isReadable($0) }
      var values = [String](repeating: "NULL", count: table.columns.count)
      var absent: Set<Int> = []
      for index in table.entities where draft.numbers[index] != 0 {
        let entity = entity(index)
        let members = readable.filter { entity.subtree.contains($0) }
        for attribute in entity.attributes.dropFirst(entity.superentity?.attributes.count ?? 0)
        where !attribute.isTransient {
          fit(attribute, entity, table, name, members, &values)
        }
        for relationship in entity.relationships.dropFirst(entity.superentity?.relationships.count ?? 0) {
          guard let key = table.toOneColumns[PropertyName(entity, relationship.name)] else { continue }
          fit(relationship, entity, key, table, name, members, &values, &absent)
        }
      }
      for (property, key) in table.ownerColumns {
        fit(property, key, table, name, !readable.isEmpty, &values, &absent)
      }
      for index in absent { values[index] = "" }
      present(table, name, readable, values)
    }
    noteEmptyRelationships()
  }

  private mutating func present(_ table: StoreTable, _ name: String?, _ readable: [Int], _ values: [String]) {
    let columns = zip(table.columns, values).filter { !$1.isEmpty }
    var entry = FileSchema.Table(statement: "")
    entry.columns = ["Z_PK", "Z_ENT", "Z_OPT"]
    for (column, _) in columns { entry.columns.append(column.name.uppercased()) }
    presented[table.name.uppercased()] = entry
    let list = columns.map { ", \($1) AS \($0.name.sqlName)" }.joined()
    let source: String
    if let name, !readable.isEmpty {
      let version = file.has(name, "Z_OPT") ? "Z_OPT" : "1"
      let numbers = readable.map { "\(draft.numbers[$0])" }.joined(separator: ", ")
      source =
        "Z_PK, Z_ENT, \(version) AS Z_OPT\(list) FROM main.\(name.sqlName) WHERE Z_PK > 0 AND Z_ENT IN (\(numbers))"
    } else {
      source = "1 AS Z_PK, 0 AS Z_ENT, 1 AS Z_OPT\(list) WHERE 0"
    }
    views.append("CREATE TEMP VIEW \(table.name.sqlName) AS SELECT \(source)")
  }

  // Attributes.

  private mutating func fit(
    _ attribute: ManagedObjectModel.Entity.Attribute, _ entity: ManagedObjectModel.Entity, _ table: StoreTable,
    _ name: String?, _ members: [Int], _ values: inout [String]
  ) {
    let property = PropertyName(entity, attribute.name)
    let initial = SQLValue(attribute.initialValue, isExternal: false).literal
    var sources = members.map { (member: $0, source: Source()) }
    let parts = table.parts(of: attribute, in: entity)
    var guess: Bool?
    for (path, definition, column) in parts {
      let expected = table.columns[column]
      for index in sources.indices {
        let member = sources[index].member
        sources[index].source.value = nil
        let found = former.attribute(
          attribute, path, of: self.entity(member), inTable: name, candidates: [expected.name])
        guard let found else {
          if parts.count > 1 { sources[index].source.difference = "the file has no column for \(path)" }
          continue
        }
        guard let name, let column = found.column else {
          sources[index].source.difference = found.difference
          continue
        }
        used[name.uppercased(), default: []].insert(column.uppercased())
        sources[index].source.value = column.sqlName
        let type = file.tables[name.uppercased()]?.types[column.uppercased()] ?? expected.type
        if let difference = found.difference {
          sources[index].source.difference = difference
        } else if type != expected.type {
          sources[index].source.difference =
            "expected \(definition.type.name), but the column \(column) has the type \(type)"
        } else if found.isGuessed {
          guess = found.isExternal
        }
        if found.isExternal != definition.isExternal, path == attribute.name {
          externalAttributes[property] = found.isExternal
        }
      }
      let fallback =
        externalAttributes[property] == nil && definition.isExternal && initial != "NULL"
        ? SQLValue(attribute.initialValue, isExternal: true).literal : initial
      values[column] = expression(sources, path == attribute.name ? fallback : "NULL")
    }
    if parts.isEmpty { sources = members.map { ($0, Source(difference: "its columns cannot be determined")) } }
    note(.attribute(attribute), entity, sources)
    guard let isExternal = guess else { return }
    guesses.append(
      ModelMismatch(
        .changedProperty, entity.name, attribute.name,
        "the stored form is guessed: \(isExternal ? "the first byte of a value is a marker" : "values have no marker")")
    )
  }

  /// Returns SQL for the value of a column. Each entity of the table can have its own source.
  private func expression(_ sources: [(member: Int, source: Source)], _ fallback: String) -> String {
    let values = sources.map { (draft.numbers[$0.member], $0.source.value ?? fallback) }
    guard let first = values.first else { return fallback }
    if values.allSatisfy({ $0.1 == first.1 }) { return first.1 }
    return "CASE Z_ENT " + values.map { "WHEN \($0) THEN \($1)" }.joined(separator: " ") + " END"
  }

  /// Records how a property differs from the model: once for its entity if it differs equally in all member entities,
  /// else for each of them.
  private mutating func note(
    _ property: ManagedObjectModel.Entity.Property, _ entity: ManagedObjectModel.Entity,
    _ sources: [(member: Int, source: Source)]
  ) {
    let isSame =
      sources.allSatisfy { sources[0].source.difference == $0.source.difference }
      && sources.allSatisfy { (sources[0].source.value == nil) == ($0.source.value == nil) }
    for (member, source) in isSame ? Array(sources.prefix(1)) : sources {
      let owner = isSame ? entity : self.entity(member)
      if source.value == nil {
        mismatches.append(ModelMismatch(missing: property, of: owner, source.difference))
      } else if let difference = source.difference {
        mismatches.append(ModelMismatch(.changedProperty, owner.name, property.name, difference))
      }
    }
  }

  // Relationships with a column.

  private mutating func fit(
    _ relationship: ManagedObjectModel.Entity.Relationship, _ entity: ManagedObjectModel.Entity,
    _ key: StoreTable.KeyColumns, _ table: StoreTable, _ name: String?, _ members: [Int], _ values: inout [String],
    _ absent: inout Set<Int>
  ) {
    var keys = members.map { (member: $0, source: Source()) }
    var (entities, orders) = (keys, keys)
    for index in keys.indices {
      let found = former.toOne(
        relationship, of: self.entity(keys[index].member), inTable: name, candidates: [table.columns[key.key].name])
      guard let found else { continue }
      keys[index].source.difference = found.difference
      guard let name, let column = found.key else { continue }
      for column in [column, found.entity, found.order].compactMap(\.self) {
        used[name.uppercased(), default: []].insert(column.uppercased())
      }
      keys[index].source.value = column.sqlName
      entities[index].source.value = found.entity?.sqlName ?? found.entityNumber.map { "\($0)" }
      orders[index].source.value = found.order?.sqlName
    }
    let isStored = keys.contains { $0.source.value != nil }
    if isStored { related.insert(PropertyName(entity, relationship.name)) }
    values[key.key] = expression(keys, "NULL")
    for (column, sources) in [(key.entity, entities), (key.order, orders)] {
      guard let column else { continue }
      values[column] = expression(sources, "NULL")
      if isStored, zip(keys, sources).contains(where: { $0.source.value != nil && $1.source.value == nil }) {
        absent.insert(column)
      }
    }
    note(.relationship(relationship), entity, keys)
  }

  /// Finds the columns of a to-many relationship without an inverse, which refer to the owners of the table's rows.
  private mutating func fit(
    _ property: PropertyName, _ key: StoreTable.KeyColumns, _ table: StoreTable, _ name: String?, _ isReadable: Bool,
    _ values: inout [String], _ absent: inout Set<Int>
  ) {
    guard let name, isReadable,
      let found = former.owner(property, inTable: name, candidate: table.columns[key.key].name)
    else { return }
    related.insert(property)
    used[name.uppercased(), default: []].formUnion([found.key.uppercased()])
    values[key.key] = found.key.sqlName
    guard let order = key.order else { return }
    if let column = found.order { values[order] = column.sqlName } else { absent.insert(order) }
  }

  /// Records the to-many relationships that are empty because the table of the related objects lacks the column for the
  /// owner.
  private mutating func noteEmptyRelationships() {
    for entity in model.entities where entity.subtree.contains(where: { former.isReadable($0) }) {
      for relationship in entity.relationships.dropFirst(entity.superentity?.relationships.count ?? 0)
      where relationship.definition.isToMany && !relationship.isTransient {
        let destination = entity.destination(of: relationship)
        let name: PropertyName
        if let inverse = entity.inverse(of: relationship), !inverse.isTransient {
          if inverse.definition.isToMany { continue }
          name = PropertyName(destination, inverse.name)
        } else {
          name = PropertyName(entity, relationship.name)
        }
        if related.contains(name) { continue }
        mismatches.append(ModelMismatch(missing: .relationship(relationship), of: entity))
      }
    }
  }

  // Join tables.

  /// Finds the join tables of the file, and adds a view for each join table of the model.
  ///
  /// - Parameter byNames: The join tables of the model, with the names that they have in the file.
  mutating func fitJoins(_ byNames: [JoinTable]) {
    for (join, byName) in zip(draft.joins, byNames) {
      let found = former.join(join, byName)
      var entry = FileSchema.Table(statement: "")
      var columns: [String] = []
      for (side, source) in [(join.first, found?.first), (join.second, found?.second)] {
        entry.columns.append(side.column.uppercased())
        columns.append("\(source?.column.sqlName ?? "NULL") AS \(side.column.sqlName)")
        guard let order = side.order, found == nil || source?.order != nil else { continue }
        entry.columns.append(order.uppercased())
        columns.append("\(source?.order?.sqlName ?? "NULL") AS \(order.sqlName)")
      }
      presented[join.name.uppercased()] = entry
      let source = found.map { "FROM main.\($0.name.sqlName)" } ?? "WHERE 0"
      views.append("CREATE TEMP VIEW \(join.name.sqlName) AS SELECT \(columns.joined(separator: ", ")) \(source)")
      if let found {
        used[found.name.uppercased(), default: []] = []
        continue
      }
      for property in Set([join.first.property, join.second.property]) {
        let owner = property.owner(in: model)
        guard let relationship = owner.relationship(named: property.name),
          owner.subtree.contains(where: { former.isReadable($0) })
        else { continue }
        mismatches.append(ModelMismatch(missing: .relationship(relationship), of: owner))
      }
    }
  }

  /// Records the columns and join tables of the file that no view uses.
  mutating func noteUnknown() {
    mismatches += former.unknownParts(used)
  }
}

extension SQLValue {
  /// The value as an SQL literal.
  fileprivate var literal: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): value == .min ? "(-9223372036854775807 - 1)" : "\(value)"
    case .real(let value): value.isNaN ? "NULL" : value.isInfinite ? (value < 0 ? "-9e999" : "9e999") : "\(value)"
    case .text(let value):
      value.utf8.contains(0)
        ? "CAST(x'\(value.utf8.map(\.hexadecimal).joined())' AS TEXT)"
        : value.sqlText
    case .blob(let value): "x'" + value.map(\.hexadecimal).joined() + "'"
    }
  }
}

extension UInt8 {
  fileprivate var hexadecimal: String { (self < 16 ? "0" : "") + String(self, radix: 16) }
}
