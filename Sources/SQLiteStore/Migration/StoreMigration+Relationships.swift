internal import ManagedObjects

/// Relationships that are in other places from now on.
extension StoreMigration {
  /// Sets the entities of the objects of to-one relationships, and drops references to objects that are gone.
  func completeKeys(_ index: Int) throws(ManagedObjectError) {
    let table = new.tables[index]
    var done: Set<Int> = []
    for entity in table.entities {
      for place in new.places[entity] {
        guard case .toOne(let column, let entityColumn, let destination) = place, done.insert(column).inserted else {
          continue
        }
        try completeKey(table, column, entityColumn, destination)
      }
    }
  }

  private func completeKey(
    _ table: StoreTable, _ column: Int, _ entityColumn: Int?, _ destination: Range<Int>
  ) throws(ManagedObjectError) {
    guard let target = new.table(ofEntity: destination.lowerBound) else { return }
    let name = table.columns[column].name.sqlName
    if losesRows(destination, target) {
      try database.execute(
        "UPDATE \(table.name.sqlName) SET \(name) = NULL WHERE \(name) IS NOT NULL "
          + "AND NOT EXISTS (SELECT 1 FROM \(target.name.sqlName) t WHERE t.Z_PK = \(table.name.sqlName).\(name))")
    }
    if let entityColumn {
      try database.execute(
        "UPDATE \(table.name.sqlName) SET \(table.columns[entityColumn].name.sqlName) = "
          + "(SELECT t.Z_ENT FROM \(target.name.sqlName) t WHERE t.Z_PK = \(table.name.sqlName).\(name)) "
          + "WHERE \(name) IS NOT NULL")
    }
  }

  /// True if entities that had rows in a table's place are gone.
  private func losesRows(_ destination: Range<Int>, _ target: StoreTable) -> Bool {
    let kept = Set(target.entities.compactMap { mapping.entities[$0] })
    guard let source = kept.first, let table = old.table(ofEntity: source) else { return true }
    return table.entities.contains { !kept.contains($0) }
  }

  /// Copies to-many relationships.
  func copyRelationships() throws(ManagedObjectError) {
    var doneColumns: Set<[Int]> = []
    var doneJoins: Set<Int> = []
    for entity in mapping.destination.entities where new.numbers[entity.index] != 0 {
      guard let sourceEntity = mapping.sourceEntity(of: entity), old.numbers[sourceEntity.index] != 0 else { continue }
      for relationship in entity.relationships {
        guard case .toMany(let place) = new.places[entity.index][relationship.slot],
          let former = mapping.properties[entity.index][relationship.name],
          let pairs = OldPairs(former, of: sourceEntity, self)
        else { continue }
        switch place.source {
        case .column(let table, let column, let entityColumn, let order):
          // An entity that inherits a relationship has it in the same column.
          let isFirst = doneColumns.insert([table, column]).inserted
          try copy(pairs, entity, new.tables[table], column, entityColumn, order, isFirst: isFirst)
        case .join(let index, let own, let other, let order, _):
          guard doneJoins.insert(index).inserted else { continue }
          try copy(pairs, new.joins[index], own, other, order)
        }
      }
    }
  }

  private func copy(
    _ pairs: OldPairs, _ owner: ManagedObjectModel.Entity, _ table: StoreTable, _ column: Int, _ entityColumn: Int?,
    _ order: Int?, isFirst: Bool
  ) throws(ManagedObjectError) {
    guard isFirst, let owners = new.table(ofEntity: owner.index) else { return }
    let name = table.columns[column].name.sqlName
    let isThere = table.toOneColumns.contains { $0.value.key == column && isCopied($0.key, table) }
    if !isThere {
      try database.execute(
        "UPDATE \(table.name.sqlName) SET \(name) = (SELECT p.o FROM (\(pairs.sql)) p "
          + "JOIN \(owners.name.sqlName) w ON w.Z_PK = p.o WHERE p.p = \(table.name.sqlName).Z_PK)")
      if let entityColumn {
        try database.execute(
          "UPDATE \(table.name.sqlName) SET \(table.columns[entityColumn].name.sqlName) = "
            + "(SELECT w.Z_ENT FROM \(owners.name.sqlName) w WHERE w.Z_PK = \(table.name.sqlName).\(name)) "
            + "WHERE \(name) IS NOT NULL")
      }
    }
    guard let order else { return }
    try database.execute(
      "UPDATE \(table.name.sqlName) SET \(table.columns[order].name.sqlName) = "
        + "(SELECT p.f FROM (\(pairs.numbered)) p WHERE p.p = \(table.name.sqlName).Z_PK) WHERE \(name) IS NOT NULL")
  }

  /// True if the values of a to-one relationship were copied with the rows.
  private func isCopied(_ property: PropertyName, _ table: StoreTable) -> Bool {
    guard let former = mapping.properties[property.entityIndex][property.name],
      let source = mapping.entities[property.entityIndex], let sourceTable = old.table(ofEntity: source)
    else { return false }
    return oldColumn(former, source, sourceTable) != nil
  }

  private func copy(
    _ pairs: OldPairs, _ join: JoinTable, _ own: String, _ other: String, _ order: String?
  ) throws(ManagedObjectError) {
    func table(_ column: String) -> StoreTable? {
      // The column has objects that the relationship of its name leads to.
      let side = join.first.column == column ? join.first : join.second
      let entity = ManagedObjectModel.Entity(model: mapping.destination, index: side.property.entityIndex)
      return entity.relationship(named: side.property.name)
        .flatMap { new.table(ofEntity: entity.destination(of: $0).index) }
    }
    guard let owners = table(own), let others = table(other) else { return }
    let columns = [own, other] + [order].compactMap(\.self)
    let values = ["p.o", "p.p"] + (order == nil ? [] : ["p.f"])
    try database.execute(
      "INSERT OR IGNORE INTO \(join.name.sqlName) (\(columns.map(\.sqlName).joined(separator: ", "))) "
        + "SELECT \(values.joined(separator: ", ")) FROM (\(pairs.numbered)) p "
        + "JOIN \(owners.name.sqlName) a ON a.Z_PK = p.o JOIN \(others.name.sqlName) b ON b.Z_PK = p.p")
    // The other side may have had an order, too.
    let back = join.first.column == own ? join.first : join.second
    guard let backOrder = back.order, backOrder != order, let former = formerPairs(of: back) else { return }
    try database.execute(
      "UPDATE \(join.name.sqlName) SET \(backOrder.sqlName) = (SELECT p.f FROM (\(former.numbered)) p "
        + "WHERE p.o = \(join.name.sqlName).\(other.sqlName) AND p.p = \(join.name.sqlName).\(own.sqlName))")
  }

  private func formerPairs(of side: JoinTable.Side) -> OldPairs? {
    let entity = ManagedObjectModel.Entity(model: mapping.destination, index: side.property.entityIndex)
    guard let source = mapping.sourceEntity(of: entity),
      let former = mapping.properties[entity.index][side.property.name]
    else { return nil }
    return OldPairs(former, of: source, self)
  }
}

/// The pairs of objects of a relationship of the old store.
private struct OldPairs {
  /// The owners as `o`, the objects that they refer to as `p`, and the order as `f`, which is null if there is none.
  let sql: String
  private let isOrdered: Bool

  init?(_ name: String, of entity: ManagedObjectModel.Entity, _ migration: StoreMigration) {
    guard let relationship = entity.relationship(named: name) else { return nil }
    let old = migration.old
    switch old.places[entity.index][relationship.slot] {
    case .toOne(let column, _, _):
      guard let table = old.table(ofEntity: entity.index) else { return nil }
      let key = table.columns[column].name.sqlName
      sql = "SELECT Z_PK AS o, \(key) AS p, NULL AS f FROM \(migration.asideName(table.name)) WHERE \(key) IS NOT NULL"
      isOrdered = false
    case .toMany(let place):
      switch place.source {
      case .column(let index, let column, _, let order):
        let table = old.tables[index]
        let key = table.columns[column].name.sqlName
        sql =
          "SELECT \(key) AS o, Z_PK AS p, \(order.map { table.columns[$0].name.sqlName } ?? "NULL") AS f "
          + "FROM \(migration.asideName(table.name)) WHERE \(key) IS NOT NULL"
        isOrdered = order != nil
      case .join(let index, let own, let other, let order, let isReflexive):
        let table = migration.asideName(old.joins[index].name)
        func select(_ own: String, _ other: String) -> String {
          "SELECT \(own.sqlName) AS o, \(other.sqlName) AS p, \(order?.sqlName ?? "NULL") AS f FROM \(table)"
        }
        sql = isReflexive ? select(own, other) + " UNION " + select(other, own) : select(own, other)
        isOrdered = order != nil
      }
    case .none, .attribute: return nil
    }
  }

  /// The pairs with an order, which those of a relationship that had none get by their numbers.
  var numbered: String {
    if isOrdered { return sql }
    return "SELECT o, p, 1024 + 1024 * ROW_NUMBER() OVER (PARTITION BY o ORDER BY p) AS f FROM (\(sql))"
  }
}
