package import ManagedObjects
package import SQLQueries

/// The tables and columns of a store for the entities and properties of a model, by the rules of Core Data.
///
/// All entities that inherit from one share a table. See ``StoreTable`` for the columns, ``JoinTable`` for
/// relationships that are to-many on both sides.
package struct StoreSchema: QuerySchema {
  package let model: ManagedObjectModel
  /// The number (`Z_ENT`) of each entity, by its index in the model; 0 for one that the store does not have.
  package let numbers: [Int64]
  /// The indices of entities, by number.
  package let entityIndices: [Int64: Int]
  /// A table for each entity without a superentity.
  package let tables: [StoreTable]
  /// The index in ``tables`` of each entity.
  package let tableIndices: [Int]
  /// The columns of the values of each entity, by slot.
  package let slotColumns: [[SlotColumns]]
  /// The relationships of each entity that have an inverse, by slot.
  let sides: [[Int: RelationshipSide]]
  /// The tables of relationships that are to-many on both sides.
  package let joins: [JoinTable]

  /// The schema of a new store.
  ///
  /// - Parameter configuration: the configuration whose entities the store has; nil for all.
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

  /// - Parameter file: the tables that there are; nil to go by the rules alone. Files of different ages have other
  ///   names for some tables, and may lack columns that are only of help.
  package init(_ model: ManagedObjectModel, numbers: [Int64], file: FileSchema?) {
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
      Dictionary(RelationshipSide.all(entity).map { ($0.slot, $0) }, uniquingKeysWith: { first, _ in first })
    }
    slotColumns = SlotColumns.all(model, numbers, tables, tableIndices, self.joins)
  }

  package func joinName(_ index: Int) -> String { joins[index].name }

  package func objectTable(ofEntity index: Int) -> ObjectTable? {
    table(ofEntity: index).map { table in
      ObjectTable(
        name: table.name, entities: table.entities, numberColumn: "Z_PK", entityColumn: "Z_ENT", columns: table.columns)
    }
  }

  /// The table of an entity; nil if the store does not have it.
  func table(ofEntity index: Int) -> StoreTable? {
    tableIndices.indices.contains(index) && tableIndices[index] >= 0 ? tables[tableIndices[index]] : nil
  }
}

extension SlotColumns {
  fileprivate static func all(
    _ model: ManagedObjectModel, _ numbers: [Int64], _ tables: [StoreTable], _ tableIndices: [Int],
    _ joins: [JoinTable]
  ) -> [[SlotColumns]] {
    var all: [[SlotColumns]] = []
    let sides = joinSides(joins)
    for entity in model.entities {
      // Inherited values are in the same columns. Entities follow those that they inherit from.
      var slots = entity.superentity.map { all[$0.index] } ?? []
      slots += [SlotColumns](repeating: .none, count: entity.slotCount - slots.count)
      defer { all.append(slots) }
      guard numbers[entity.index] != 0 else { continue }
      let table = tables[tableIndices[entity.index]]
      for attribute in entity.attributes.dropFirst(entity.superentity?.attributes.count ?? 0) {
        if let composite = table.compositeColumns[PropertyName(entity, attribute.name)] {
          slots[attribute.slot] = .composite(composite)
        }
        guard let column = table.attributeColumns[PropertyName(entity, attribute.name)] else { continue }
        slots[attribute.slot] = .attribute(
          column: column, attribute.definition.type,
          isExternal: attribute.definition.isExternal)
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

  /// The columns of relationships that have a table of their own.
  private static func joinSides(_ joins: [JoinTable]) -> [PropertyName: ToManyColumns.Source] {
    var sides: [PropertyName: ToManyColumns.Source] = [:]
    for (index, join) in joins.enumerated() {
      // If a relationship is its own inverse, the second column has the objects that it leads to.
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

/// The name of a property of the entity that has it first, not of those that inherit it.
package struct PropertyName: Hashable, Sendable {
  let entityIndex: Int
  package let name: String

  /// - Parameter entity: an entity that has the property, or inherits it.
  package init(_ entity: ManagedObjectModel.Entity, _ name: String) {
    var owner = entity
    while let superentity = owner.superentity, superentity.property(named: name) != nil { owner = superentity }
    entityIndex = owner.index
    self.name = name
  }

  /// The entity that has the property first.
  package func owner(in model: ManagedObjectModel) -> ManagedObjectModel.Entity {
    ManagedObjectModel.Entity(model: model, index: entityIndex)
  }
}
