internal import ManagedObjects
internal import SQLQueries

/// Functions that migrate relationships, which the new model may store in other columns or tables.
extension StoreMigration {
  /// Completes the to-one relationships of a new table: sets the columns with the entity number of the related object,
  /// and removes references to objects that the migration drops.
  func completeKeys(_ index: Int) throws(ManagedObjectError) {
    let table = new.tables[index]
    var done: Set<Int> = []
    for entity in table.entities {
      for columns in new.slotColumns[entity] {
        guard case .toOne(let column, let entityColumn, let destination) = columns, done.insert(column).inserted else {
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

  /// Returns true if the migration drops some rows of the old table that corresponds to `target`, or if that table does
  /// not exist.
  private func losesRows(_ destination: Range<Int>, _ target: StoreTable) -> Bool {
    let kept = Set(target.entities.compactMap { mapping.entities[$0] })
    guard let source = kept.first, let table = old.table(ofEntity: source) else { return true }
    return table.entities.contains { !kept.contains($0) }
  }

  /// Copies the relationships that are not stored in the rows that were already copied: to-many relationships, their
  /// orders, and new inverses of one-to-one relationships.
  func copyRelationships() throws(ManagedObjectError) {
    var doneJoins: Set<Int> = []
    for table in new.tables {
      try reporting(.relationships, table, count("FROM \(table.name.sqlName)")) { () throws(ManagedObjectError) in
        try copyRelationships(of: table, &doneJoins)
      }
    }
  }

  /// Copies the relationships that the entities of a new table declare.
  ///
  /// - Parameter doneJoins: The indices of the join tables that are already filled. This function adds those that it
  ///   fills.
  private func copyRelationships(of table: StoreTable, _ doneJoins: inout Set<Int>) throws(ManagedObjectError) {
    for index in table.entities where new.numbers[index] != 0 {
      let entity = ManagedObjectModel.Entity(model: mapping.destination, index: index)
      for relationship in entity.relationships.dropFirst(entity.superentity?.relationships.count ?? 0) {
        let name = PropertyName(entity, relationship.name)
        switch new.slotColumns[entity.index][relationship.slot] {
        case .none, .attribute, .composite: continue
        case .toOne(let column, let entityColumn, _):
          guard mapping.origins(of: name).isEmpty, let inverse = entity.inverse(of: relationship),
            !inverse.definition.isToMany, let pairs = pairs(of: name)
          else { continue }
          try fill(table, column, entityColumn, pairs.reversed)
        case .toMany(let columns):
          guard let pairs = pairs(of: name) else { continue }
          switch columns.source {
          case .column(let table, let column, let entityColumn, let order):
            let inverse = mapping.inverse(of: name, mapping.destination)
            if inverse.map({ mapping.origins(of: $0).isEmpty }) ?? true {
              try fill(new.tables[table], column, entityColumn, pairs)
            }
            if let order { try fillOrder(new.tables[table], column, order, pairs) }
          case .join(let index, let own, let other, let order, _):
            guard doneJoins.insert(index).inserted else { continue }
            try fill(new.joins[index], own, other, order, pairs, of: name)
          }
        }
      }
    }
  }

  /// For each pair, writes the primary key of the owner into a column of the related object's row.
  private func fill(
    _ table: StoreTable, _ column: Int, _ entityColumn: Int?, _ pairs: Pairs
  ) throws(ManagedObjectError) {
    let entity = entityColumn.map { ", \(table.columns[$0].name.sqlName) = x.oe" } ?? ""
    try database.execute(
      "UPDATE \(table.name.sqlName) SET \(table.columns[column].name.sqlName) = x.o\(entity) FROM (\(pairs.sql)) x "
        + "WHERE x.p = \(table.name.sqlName).Z_PK")
  }

  private func fillOrder(_ table: StoreTable, _ column: Int, _ order: Int, _ pairs: Pairs) throws(ManagedObjectError) {
    let name = table.name.sqlName
    try database.execute(
      "UPDATE \(name) SET \(table.columns[order].name.sqlName) = x.f FROM (\(pairs.numbered)) x "
        + "WHERE x.p = \(name).Z_PK AND x.o = \(name).\(table.columns[column].name.sqlName)")
  }

  private func fill(
    _ join: JoinTable, _ own: String, _ other: String, _ order: String?, _ pairs: Pairs, of name: PropertyName
  ) throws(ManagedObjectError) {
    let columns = [own, other] + [order].compactMap(\.self)
    let values = ["x.o", "x.p"] + (order == nil ? [] : ["x.f"])
    try database.execute(
      "INSERT OR IGNORE INTO \(join.name.sqlName) (\(columns.map(\.sqlName).joined(separator: ", "))) "
        + "SELECT \(values.joined(separator: ", ")) FROM (\(order == nil ? pairs.sql : pairs.numbered)) x")
    // If both sides are ordered, the join table has a second order column.
    let back = join.first.column == own ? join.first : join.second
    guard let backOrder = back.order, backOrder != order, let inverse = mapping.inverse(of: name, mapping.destination),
      let former = self.pairs(of: inverse)
    else { return }
    let table = join.name.sqlName
    try database.execute(
      "UPDATE \(table) SET \(backOrder.sqlName) = x.f FROM (\(former.numbered)) x "
        + "WHERE x.o = \(table).\(other.sqlName) AND x.p = \(table).\(own.sqlName)")
  }

  // The pairs of related objects of a relationship in the old store.

  /// SQL that selects the pairs of objects that a relationship connects. Both objects of a pair exist in the new store.
  private struct Pairs {
    /// A SELECT statement with the columns `o` and `oe` (the primary key and entity number of the owner), `p` and `pe`
    /// (those of the related object), and `f` (the position in the order, or NULL).
    let sql: String
    let isOrdered: Bool

    /// The same pairs, seen from the inverse relationship.
    var reversed: Pairs {
      Pairs(sql: "SELECT p AS o, pe AS oe, o AS p, oe AS pe, NULL AS f FROM (\(sql))", isOrdered: false)
    }

    /// A SELECT statement that gives each pair a position. If the relationship was unordered, the related objects are
    /// ordered by primary key.
    var numbered: String {
      if isOrdered { return sql }
      return "SELECT o, p, 1024 + 1024 * ROW_NUMBER() OVER (PARTITION BY o ORDER BY p) AS f FROM (\(sql))"
    }
  }

  /// Returns the pairs of a relationship of the new model. The pairs come from the old relationship or, if the
  /// relationship is new, from its old inverse. Returns nil if both are new.
  private func pairs(of name: PropertyName) -> Pairs? {
    if let pairs = ownPairs(of: name) { return pairs }
    return mapping.inverse(of: name, mapping.destination).flatMap { ownPairs(of: $0) }?.reversed
  }

  private func ownPairs(of name: PropertyName) -> Pairs? {
    let entity = name.owner(in: mapping.destination)
    guard let relationship = entity.relationship(named: name.name), let owners = new.table(ofEntity: entity.index),
      let targets = new.table(ofEntity: relationship.destinationIndex)
    else { return nil }
    let allowed = numbers(Array(entity.destination(of: relationship).subtree))
    var parts: [String] = []
    var isOrdered = true
    for origin in mapping.origins(of: name) {
      guard let former = formerPairs(of: origin.former) else { continue }
      isOrdered = isOrdered && former.isOrdered
      parts.append(
        "SELECT q.o AS o, w.Z_ENT AS oe, q.p AS p, t.Z_ENT AS pe, q.f AS f FROM (\(former.sql)) q "
          + "JOIN \(owners.name.sqlName) w ON w.Z_PK = q.o AND w.Z_ENT IN (\(numbers(origin.entities))) "
          + "JOIN \(targets.name.sqlName) t ON t.Z_PK = q.p AND t.Z_ENT IN (\(allowed))")
    }
    return parts.isEmpty ? nil : Pairs(sql: parts.joined(separator: " UNION ALL "), isOrdered: isOrdered)
  }

  private func numbers(_ entities: [Int]) -> String { entities.map { "\(new.numbers[$0])" }.joined(separator: ", ") }

  /// Returns a SELECT statement for all pairs of a relationship of the old model.
  private func formerPairs(of name: PropertyName) -> (sql: String, isOrdered: Bool)? {
    let entity = name.owner(in: mapping.source)
    guard let relationship = entity.relationship(named: name.name) else { return nil }
    switch old.slotColumns[entity.index][relationship.slot] {
    case .toOne(let column, _, _):
      guard let table = old.table(ofEntity: entity.index) else { return nil }
      let key = table.columns[column].name.sqlName
      return (
        "SELECT Z_PK AS o, \(key) AS p, NULL AS f FROM \(StoreTables.asideName(table.name)) WHERE \(key) IS NOT NULL",
        false
      )
    case .toMany(let columns):
      switch columns.source {
      case .column(let index, let column, _, let order):
        let table = old.tables[index]
        let key = table.columns[column].name.sqlName
        return (
          "SELECT \(key) AS o, Z_PK AS p, \(order.map { table.columns[$0].name.sqlName } ?? "NULL") AS f "
            + "FROM \(StoreTables.asideName(table.name)) WHERE \(key) IS NOT NULL", order != nil
        )
      case .join(let index, let own, let other, let order, let isReflexive):
        let table = StoreTables.asideName(old.joins[index].name)
        func select(_ own: String, _ other: String, _ order: String) -> String {
          "SELECT \(own.sqlName) AS o, \(other.sqlName) AS p, \(order) AS f FROM \(table)"
        }
        var sql = select(own, other, order?.sqlName ?? "NULL")
        // The relationship is its own inverse, and a pair may be stored in one direction only. In the other direction,
        // the pair has no position, and comes last.
        if isReflexive, order != nil {
          sql = "SELECT o, p, MIN(f) AS f FROM (\(sql) UNION ALL \(select(other, own, "\(Int64.max)"))) GROUP BY o, p"
          sql = "SELECT o, p, 1024 + 1024 * ROW_NUMBER() OVER (PARTITION BY o ORDER BY f, p) AS f FROM (\(sql))"
        } else if isReflexive {
          sql += " UNION " + select(other, own, "NULL")
        }
        return (sql, order != nil)
      }
    case .none, .attribute, .composite: return nil
    }
  }
}
