package import ManagedObjects
package import SQLQueries

/// The tables and columns where a store keeps the entities and properties of its model, according to Core Data's rules.
///
/// An entity and all its descendants share a table. See ``StoreTable`` for its columns, and ``JoinTable`` for
/// many-to-many relationships.
package struct StoreSchema: QuerySchema {
  package let model: ManagedObjectModel
  /// The entity number (`Z_ENT`) of each entity, by the index of the entity in the model; 0 if the store does not have
  /// the entity.
  package let numbers: [Int64]
  /// The indices of entities in the model, by entity number.
  package let entityIndices: [Int64: Int]
  /// The tables, one for each root entity.
  package let tables: [StoreTable]
  /// For each entity, the index of its table in ``tables``; −1 if the store does not have the entity.
  package let tableIndices: [Int]
  /// The columns of each property, by the index of the entity and the slot of the property.
  package let slotColumns: [[SlotColumns]]
  /// For each entity, the relationships that have an inverse, by slot; nil for other properties.
  let sides: [[RelationshipSide?]]
  /// The join tables, one for each many-to-many relationship and its inverse.
  package let joins: [JoinTable]
  /// For each entity, the slots of its derived attributes.
  let derivedSlots: [[Int]]

  /// Creates the schema of a new store.
  ///
  /// - Parameter configuration: The configuration whose entities the store has; nil for all entities.
  package init(_ model: ManagedObjectModel, configuration: String?) {
    var numbers = [Int64](repeating: 0, count: model.entities.count)
    var members = Set<Int>()
    for entity in model.entities(ofConfiguration: configuration) ?? [] {
      var next: ManagedObjectModel.Entity? = entity
      while let member = next, members.insert(member.index).inserted { next = member.superentity }
    }
    for (position, index) in members.sorted().enumerated() { numbers[index] = Int64(position + 1) }
    self.init(model, numbers: numbers, file: nil)
  }

  /// Creates the schema of a store with given entity numbers.
  ///
  /// - Parameters:
  ///   - file: The tables of an existing file; nil for a new store. Older files have other names for some tables and
  ///     columns, and may lack optional columns.
  ///   - externalAttributes: The attributes that use external storage in the file but not in the model, or the reverse.
  ///     The value is true if the file can have values in external files.
  package init(
    _ model: ManagedObjectModel, numbers: [Int64], file: FileSchema?, externalAttributes: [PropertyName: Bool] = [:]
  ) {
    self.model = model
    self.numbers = numbers
    var entityIndices: [Int64: Int] = [:]
    for (index, number) in numbers.enumerated() where number != 0 { entityIndices[number] = index }
    self.entityIndices = entityIndices
    var tables: [StoreTable] = []
    var tableIndices = [Int](repeating: -1, count: numbers.count)
    let lonely = LonelyRelationship.all(model, numbers)
    for root in model.entities where root.superentity == nil && numbers[root.index] != 0 {
      for index in root.subtree { tableIndices[index] = tables.count }
      var table = StoreTable(root, numbers, lonely)
      if let columns = file?.tables[table.name.uppercased()]?.columns { table.forgetColumns(except: columns) }
      tables.append(table)
    }
    self.tables = tables
    self.tableIndices = tableIndices
    let joins = JoinTable.all(model, numbers) { names in
      names.last { file?.tables[$0.uppercased()] != nil } ?? names.last ?? ""
    }
    self.joins = joins.map { join in
      file?.tables[join.name.uppercased()].map { join.fitted(to: Array($0.columns)) } ?? join
    }
    sides = model.entities.map { entity in
      var sides = [RelationshipSide?](repeating: nil, count: entity.slotCount)
      for side in RelationshipSide.all(entity) { sides[side.slot] = side }
      return sides
    }
    derivedSlots = model.entities.map { entity in
      entity.attributes.filter { $0.definition.derivation != nil && !$0.isTransient }.map(\.slot)
    }
    slotColumns = SlotColumns.all(model, numbers, tables, tableIndices, self.joins, externalAttributes)
  }

  package func joinName(_ index: Int) -> String { joins[index].name }

  package func objectTable(ofEntity index: Int) -> ObjectTable? {
    table(ofEntity: index).map { table in
      ObjectTable(
        name: table.name, entities: table.entities, numberColumn: "Z_PK", entityColumn: "Z_ENT", columns: table.columns)
    }
  }

  /// Returns the table of an entity; nil if the store does not have the entity.
  func table(ofEntity index: Int) -> StoreTable? {
    tableIndices.indices.contains(index) && tableIndices[index] >= 0 ? tables[tableIndices[index]] : nil
  }
}

extension SlotColumns {
  fileprivate static func all(
    _ model: ManagedObjectModel, _ numbers: [Int64], _ tables: [StoreTable], _ tableIndices: [Int],
    _ joins: [JoinTable], _ externalAttributes: [PropertyName: Bool]
  ) -> [[SlotColumns]] {
    var all: [[SlotColumns]] = []
    let sides = joinSides(joins)
    for entity in model.entities {
      // Inherited properties have the columns of the superentity, which is before its subentities in the model.
      var slots = entity.superentity.map { all[$0.index] } ?? []
      slots += [SlotColumns](repeating: .none, count: entity.slotCount - slots.count)
      defer { all.append(slots) }
      guard numbers[entity.index] != 0 else { continue }
      let table = tables[tableIndices[entity.index]]
      for attribute in entity.attributes.dropFirst(entity.superentity?.attributes.count ?? 0) {
        if let composite = table.compositeColumns[PropertyName(entity, attribute.name)] {
          slots[attribute.slot] = .composite(composite)
        }
        let name = PropertyName(entity, attribute.name)
        guard let column = table.attributeColumns[name] else { continue }
        slots[attribute.slot] = .attribute(
          column: column, attribute.definition.type,
          isExternal: externalAttributes[name] ?? attribute.definition.isExternal)
      }
      for relationship in entity.relationships.dropFirst(entity.superentity?.relationships.count ?? 0)
      where !relationship.isTransient {
        let entities = entity.destination(of: relationship).subtree
        if !relationship.definition.isToMany {
          guard let column = table.toOneColumns[PropertyName(entity, relationship.name)] else { continue }
          slots[relationship.slot] = .toOne(column: column.key, entityColumn: column.entity, destination: entities)
          continue
        }
        guard let source = source(of: relationship, of: entity, tables, tableIndices, sides) else { continue }
        slots[relationship.slot] = .toMany(
          ToManyColumns(destination: entities, isOrdered: relationship.definition.isOrdered, source: source))
      }
    }
    return all
  }

  /// Returns the columns of the relationships that are stored in join tables.
  private static func joinSides(_ joins: [JoinTable]) -> [PropertyName: ToManyColumns.Source] {
    var sides: [PropertyName: ToManyColumns.Source] = [:]
    for (index, join) in joins.enumerated() {
      // If the relationship is its own inverse, the second assignment replaces the first: the related objects are in
      // the second column.
      for (side, other) in [(join.first, join.second), (join.second, join.first)] {
        sides[side.property] = .join(
          index, own: other.column, other: side.column, order: side.order, isReflexive: join.isReflexive)
      }
    }
    return sides
  }

  private static func source(
    of relationship: ManagedObjectModel.Entity.Relationship, of entity: ManagedObjectModel.Entity,
    _ tables: [StoreTable], _ tableIndices: [Int], _ sides: [PropertyName: ToManyColumns.Source]
  ) -> ToManyColumns.Source? {
    let destination = entity.destination(of: relationship)
    let tableIndex = tableIndices[destination.index]
    guard tableIndex >= 0 else { return nil }
    guard let inverse = entity.inverse(of: relationship), !inverse.isTransient else {
      let owner = PropertyName(entity, relationship.name)
      guard let column = tables[tableIndex].ownerColumns[owner] else { return nil }
      return .column(table: tableIndex, column: column.key, entityColumn: column.entity, order: column.order)
    }
    if !inverse.definition.isToMany {
      guard let column = tables[tableIndex].toOneColumns[PropertyName(destination, inverse.name)] else { return nil }
      return .column(table: tableIndex, column: column.key, entityColumn: column.entity, order: column.order)
    }
    return sides[PropertyName(entity, relationship.name)]
  }
}
