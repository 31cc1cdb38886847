internal import ManagedObjects
internal import SQLQueries

extension MigrationLoss {
  /// Returns the losses of a migration: the values and objects of a store that a mapping drops.
  ///
  /// - Parameters:
  ///   - old: The schema of the store before its tables are renamed.
  ///   - handled: The names of the entities whose objects a function of the program migrates. Their losses are not
  ///     returned.
  /// - Complexity: O(*n*) in the number of rows of tables that lose something.
  static func all(
    _ mapping: InferredMapping, _ old: StoreSchema, _ database: Database, except handled: Set<String> = []
  ) throws(ManagedObjectError) -> [MigrationLoss] {
    var losses: [MigrationLoss] = []
    var counts: [(name: PropertyName, count: Int64)] = []
    for entity in mapping.source.entities where old.numbers[entity.index] != 0 && !entity.isAbstract {
      guard !handled.contains(entity.name), let table = old.table(ofEntity: entity.index) else { continue }
      let condition = "Z_ENT = \(old.numbers[entity.index])"
      guard mapping.destination(of: entity.index) != nil else {
        let count = try database.number("SELECT COUNT(*) FROM \(table.name.sqlName) WHERE \(condition)")
        if count > 0 {
          losses.append(MigrationLoss(entityName: entity.name, propertyName: nil, objectCount: Int(count)))
        }
        continue
      }
      func add(_ name: PropertyName, _ test: String) throws(ManagedObjectError) {
        let count = try database.number("SELECT COUNT(*) FROM \(table.name.sqlName) WHERE \(condition) AND \(test)")
        if let index = counts.firstIndex(where: { $0.name == name }) {
          counts[index].count += count
        } else {
          counts.append((name, count))
        }
      }
      for property in entity.properties where mapping.drops(property, of: entity) {
        guard let test = old.presence(of: property, entity, table) else { continue }
        try add(PropertyName(entity, property.name), test)
      }
      for attribute in entity.attributes {
        guard case .composite(let columns) = old.slotColumns[entity.index][attribute.slot] else { continue }
        let dropped = mapping.droppedElements(of: attribute, entity)
        for leaf in columns.leaves where dropped.contains(leaf.keys) {
          let owner = PropertyName(entity, attribute.name).owner(in: mapping.source)
          try add(
            PropertyName(owner, "\(attribute.name).\(leaf.path)"),
            "\(table.columns[leaf.column].name.sqlName) IS NOT NULL")
        }
      }
    }
    for (name, count) in counts where count > 0 {
      let owner = name.owner(in: mapping.source).name
      losses.append(MigrationLoss(entityName: owner, propertyName: name.name, objectCount: Int(count)))
    }
    return losses
  }
}

extension StoreSchema {
  /// Returns SQL that is true if a row has a value for a property; nil if the file does not store the property.
  fileprivate func presence(
    of property: ManagedObjectModel.Entity.Property, _ entity: ManagedObjectModel.Entity, _ table: StoreTable
  ) -> String? {
    func isPresent(_ column: Int) -> String { "\(table.columns[column].name.sqlName) IS NOT NULL" }
    switch slotColumns[entity.index][property.slot] {
    case .none: return nil
    case .attribute(let column, _, _), .toOne(let column, _, _): return isPresent(column)
    case .composite(let composite):
      return "(\(composite.leaves.map { isPresent($0.column) }.joined(separator: " OR ")))"
    case .toMany(let columns):
      switch columns.source {
      case .column(let other, let column, _, _):
        let table = tables[other]
        return "Z_PK IN (SELECT \(table.columns[column].name.sqlName) FROM \(table.name.sqlName))"
      case .join(let join, let own, _, _, _): return "Z_PK IN (SELECT \(own.sqlName) FROM \(joins[join].name.sqlName))"
      }
    }
  }
}
