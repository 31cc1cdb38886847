internal import ManagedObjects
internal import SQLQueries
internal import SQLiteStore

/// Functions that check the references to other objects, in the rows of objects and in join tables.
extension TableCheck {
  /// A column that contains primary keys of related objects, and the relationship that the column stores.
  private struct Keys {
    /// The name of the relationship.
    let property: String
    /// The indices of the entities whose rows have a value in the column.
    let owners: Range<Int>
    let columns: StoreTable.KeyColumns
    /// The indices of the entities that the column can refer to.
    let destination: Range<Int>
    /// True if the column belongs to a to-many relationship without an inverse. Such a column is in the rows of the
    /// related objects, and refers to their owner: the object that has the relationship.
    let namesOwner: Bool
    /// True if the relationship keeps references to deleted objects. They are then not reported.
    let keepsDeleted: Bool
  }

  private func keys(_ table: StoreTable) -> [Keys] {
    var all: [Keys] = []
    for entity in entities(table) {
      for relationship in entity.ownRelationships where !relationship.isTransient && !relationship.definition.isToMany {
        guard let columns = table.toOneColumns[PropertyName(entity, relationship.name)], has(table, columns.key) else {
          continue
        }
        all.append(
          Keys(
            property: relationship.name, owners: entity.subtree, columns: columns,
            destination: entity.destination(of: relationship).subtree, namesOwner: false,
            keepsDeleted: entity.keepsDeletedObjects(relationship)))
      }
    }
    for (name, columns) in table.ownerColumns.sorted(by: { $0.value.key < $1.value.key }) where has(table, columns.key)
    {
      let owner = name.owner(in: schema.model)
      guard let relationship = owner.relationship(named: name.name) else { continue }
      all.append(
        Keys(
          property: name.name, owners: owner.destination(of: relationship).subtree, columns: columns,
          destination: owner.subtree, namesOwner: true, keepsDeleted: false))
    }
    return all
  }

  /// Finds references to missing rows, and to rows of an entity that the relationship cannot lead to.
  func checkReferences() {
    for table in tables {
      for keys in keys(table) {
        guard let target = self.table(ofEntity: keys.destination.lowerBound) else { continue }
        check(keys, table, target)
      }
    }
  }

  private func check(_ keys: Keys, _ table: StoreTable, _ target: StoreTable) {
    let key = "t.\(table.columns[keys.columns.key].name.sqlName)"
    let entityColumn = keys.columns.entity.flatMap { has(table, $0) ? "t.\(table.columns[$0].name.sqlName)" : nil }
    let known = numbers(keys.destination)
    let difference = entityColumn.map { " OR \($0) IS NOT d.Z_ENT" } ?? ""
    // Primary keys from 1 to `Z_MAX` have been used. If the row of one is missing, its object was deleted.
    let root = schema.numbers[target.entities.lowerBound]
    let isMissing =
      keys.keepsDeleted
      ? "d.Z_PK IS NULL AND \(key) NOT BETWEEN 1 AND ifnull((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(root)), 0)"
      : "d.Z_PK IS NULL"
    each(
      "SELECT t.Z_PK, t.Z_ENT, \(key), d.Z_PK, d.Z_ENT, \(entityColumn ?? "NULL") FROM \(table.name.sqlName) t "
        + "LEFT JOIN \(target.name.sqlName) d ON d.Z_PK = \(key) WHERE \(key) IS NOT NULL "
        + "AND t.Z_ENT IN \(numbers(keys.owners)) "
        + "AND (\(isMissing) OR d.Z_PK IS NOT NULL AND (d.Z_ENT IS NULL OR d.Z_ENT NOT IN \(known)\(difference)))",
      of: table.name
    ) { row in
      let verb = keys.namesOwner ? "its owner is" : "it refers to"
      let reference = "\(verb) row \(row.value(2).name) of \(target.name)"
      func report(_ code: StoreFinding.Code, _ message: String, _ column: Int) {
        self.report(code, message, row, of: table, property: keys.property, column: column)
      }
      if row.isNull(3) {
        return report(.danglingReference, reference + ", which is missing", keys.columns.key)
      }
      let index = schema.entityIndices[row.integer(4)]
      guard let index, keys.destination.contains(index), !row.isNull(4) else {
        // `checkRows` reports a row whose entity belongs to another table.
        guard let index, target.entities.contains(index) else { return }
        let name = self.entity(index).name.quoted
        return report(.wrongEntity, reference + ", which has the entity \(name)", keys.columns.key)
      }
      let name = self.entity(index).name.quoted
      report(
        .wrongEntityColumn,
        "the entity column has \(row.value(5).name), but the object has the entity number \(row.integer(4)), \(name)",
        keys.columns.entity ?? keys.columns.key)
    }
  }

  /// Finds rows of join tables that refer to missing rows, or to rows of an entity that the relationship cannot lead
  /// to.
  func checkJoins() {
    for join in joins {
      let (first, second) = (join.first.property, join.second.property)
      // The column of `first` contains the objects that have the relationship `second`, and the other way round.
      check(join, join.first, second)
      check(join, join.second, first)
    }
  }

  /// Checks one column of a join table.
  ///
  /// - Parameter owner: The relationship of the objects whose primary keys are in the column of `side`.
  private func check(_ join: JoinTable, _ side: JoinTable.Side, _ owner: PropertyName) {
    let entity = owner.owner(in: schema.model)
    guard let table = table(ofEntity: entity.index) else { return }
    let other = side.column == join.first.column ? join.second.column : join.first.column
    let column = "j.\(side.column.sqlName)"
    each(
      "SELECT \(column), j.\(other.sqlName), t.Z_PK, t.Z_ENT FROM \(join.name.sqlName) j "
        + "LEFT JOIN \(table.name.sqlName) t ON t.Z_PK = \(column) "
        + "WHERE t.Z_PK IS NULL OR t.Z_ENT IS NULL OR t.Z_ENT NOT IN \(numbers(entity.subtree))", of: join.name
    ) { row in
      let pair = "(\(side.column) \(row.value(0).name), \(other) \(row.value(1).name))"
      let index = row.isNull(3) ? nil : schema.entityIndices[row.integer(3)]
      if !row.isNull(2), index.map({ !table.entities.contains($0) }) ?? true { return }
      let code: StoreFinding.Code = row.isNull(2) ? .danglingJoin : .wrongEntity
      let defect = index.map { "which has the entity \(self.entity($0).name.quoted)" } ?? "which is missing"
      log.report(code, "the pair \(pair) refers to row \(row.value(0).name) of \(table.name), \(defect)") {
        finding in
        finding.table = join.name
        finding.column = side.column
        finding.property = side.property.name
      }
    }
  }

  /// Finds objects with a one-to-one relationship to an object that does not refer back.
  func checkInverses() {
    for table in tables {
      for entity in entities(table) {
        for relationship in entity.ownRelationships
        where !relationship.isTransient && !relationship.definition.isToMany {
          let destination = entity.destination(of: relationship)
          guard let inverse = entity.inverse(of: relationship), !inverse.isTransient, !inverse.definition.isToMany,
            let target = self.table(ofEntity: destination.index),
            let own = table.toOneColumns[PropertyName(entity, relationship.name)]?.key,
            let back = target.toOneColumns[PropertyName(destination, inverse.name)]?.key,
            has(table, own), has(target, back)
          else { continue }
          let key = "t.\(table.columns[own].name.sqlName)"
          let other = "d.\(target.columns[back].name.sqlName)"
          each(
            "SELECT t.Z_PK, t.Z_ENT, d.Z_PK, d.Z_ENT, \(other) FROM \(table.name.sqlName) t "
              + "JOIN \(target.name.sqlName) d ON d.Z_PK = \(key) WHERE t.Z_ENT IN \(numbers(entity.subtree)) "
              + "AND d.Z_ENT IN \(numbers(destination.subtree)) AND \(other) IS NOT t.Z_PK", of: table.name
          ) { row in
            let name = schema.entityIndices[row.integer(3)].map { self.entity($0).name } ?? target.name
            let found = row.isNull(4) ? "nothing" : "row \(row.value(4).name) of \(table.name)"
            report(
              row.isNull(4) ? .oneSidedRelationship : .brokenInverse,
              "it refers to \(name.printable(limit: 100))/p\(row.integer(2)), whose "
                + "\(inverse.name.printable(limit: 100)) refers to \(found)", row, of: table,
              property: relationship.name, column: own)
          }
        }
      }
    }
  }
}

/// Functions that check to-many relationships.
extension TableCheck {
  /// Finds objects in ordered relationships that have no position, or the same position as another object.
  func checkOrders() {
    for table in tables {
      for entity in entities(table) {
        for relationship in entity.ownRelationships {
          guard let columns = table.toOneColumns[PropertyName(entity, relationship.name)], let order = columns.order,
            has(table, columns.key), has(table, order), let inverse = entity.inverse(of: relationship)
          else { continue }
          checkOrder(table, columns.key, order, inverse.name, numbers(entity.subtree))
        }
      }
      for (name, columns) in table.ownerColumns.sorted(by: { $0.value.key < $1.value.key }) {
        guard let order = columns.order, has(table, columns.key), has(table, order) else { continue }
        checkOrder(table, columns.key, order, name.name, numbers(table.entities))
      }
    }
    for join in joins {
      for (side, other) in [(join.first, join.second.column), (join.second, join.first.column)] {
        if let order = side.order { checkOrder(join, side, owner: other, order) }
      }
    }
  }

  private func checkOrder(_ table: StoreTable, _ key: Int, _ order: Int, _ property: String, _ entities: String) {
    let (owner, position) = (table.columns[key].name.sqlName, table.columns[order].name.sqlName)
    each(
      "SELECT Z_PK, Z_ENT, \(owner), \(position) FROM \(table.name.sqlName) WHERE \(owner) IS NOT NULL "
        + "AND typeof(\(position)) <> 'integer' AND Z_ENT IN \(entities)", of: table.name
    ) { row in
      report(
        .missingOrder,
        "its position in the ordered relationship of row \(row.value(2).name) is \(row.value(3).name), "
          + "expected an integer",
        row, of: table, property: property, column: order)
    }
    each(
      "SELECT MIN(Z_PK), Z_ENT, \(owner), \(position), COUNT(*) FROM \(table.name.sqlName) WHERE \(owner) IS NOT NULL "
        + "AND typeof(\(position)) = 'integer' AND Z_ENT IN \(entities) GROUP BY \(owner), \(position) HAVING COUNT(*) > 1",
      of: table.name
    ) { row in
      report(
        .duplicateOrder,
        "\(row.integer(4)) objects have the same position, \(row.integer(3)), in the ordered relationship of row "
          + row.value(2).name,
        row, of: table, property: property, column: order)
    }
  }

  private func checkOrder(_ join: JoinTable, _ side: JoinTable.Side, owner: String, _ order: String) {
    func complete(_ finding: inout StoreFinding) {
      finding.table = join.name
      finding.column = order
      finding.property = side.property.name
    }
    each(
      "SELECT \(owner.sqlName), \(side.column.sqlName), \(order.sqlName) FROM \(join.name.sqlName) "
        + "WHERE typeof(\(order.sqlName)) <> 'integer'", of: join.name
    ) { row in
      log.report(
        .missingOrder,
        "the position of row \(row.value(1).name) in the ordered relationship of row \(row.value(0).name) is "
          + "\(row.value(2).name), expected an integer",
        complete)
    }
    each(
      "SELECT \(owner.sqlName), \(order.sqlName), COUNT(*) FROM \(join.name.sqlName) "
        + "WHERE typeof(\(order.sqlName)) = 'integer' GROUP BY \(owner.sqlName), \(order.sqlName) "
        + "HAVING COUNT(*) > 1", of: join.name
    ) { row in
      log.report(
        .duplicateOrder,
        "\(row.integer(2)) objects have the same position, \(row.integer(1)), in the ordered relationship of row "
          + row.value(0).name,
        complete)
    }
  }

  /// Finds to-many relationships with more or fewer objects than the model allows.
  func checkCounts() {
    for table in tables {
      for entity in entities(table) {
        for relationship in entity.ownRelationships {
          guard let allowed = ManagedObjectModel.Entity.allowedCounts(relationship),
            case .toMany(let columns) = schema.slotColumns[entity.index][relationship.slot],
            let owners = owners(columns)
          else { continue }
          let least = allowed.isMandatory ? "" : "COUNT(o.k) > 0 AND "
          var conditions = ["(\(least)COUNT(o.k) < \(allowed.least))"]
          if allowed.most < Int.max { conditions.append("COUNT(o.k) > \(allowed.most)") }
          each(
            "SELECT t.Z_PK, t.Z_ENT, COUNT(o.k) FROM \(table.name.sqlName) t LEFT JOIN (\(owners)) o ON o.k = t.Z_PK "
              + "WHERE t.Z_ENT IN \(numbers(entity.subtree)) GROUP BY t.Z_PK "
              + "HAVING \(conditions.joined(separator: " OR "))",
            of: table.name
          ) { row in
            let count = row.integer(2)
            let rule = count < allowed.least ? "at least \(allowed.least)" : "at most \(allowed.most)"
            report(
              .objectCount, "it has \(count) \(count == 1 ? "object" : "objects"), but the model requires \(rule)",
              row, of: table, property: relationship.name)
          }
        }
      }
    }
  }

  /// Returns SQL that selects, for each object in the relationship, the primary key of its owner as `k`. Returns nil if
  /// the columns are missing.
  private func owners(_ columns: ToManyColumns) -> String? {
    switch columns.source {
    case .column(let table, let column, _, _):
      guard self.table(ofEntity: columns.destination.lowerBound) != nil, has(schema.tables[table], column) else {
        return nil
      }
      let target = schema.tables[table]
      let key = target.columns[column].name.sqlName
      return "SELECT \(key) AS k FROM \(target.name.sqlName) WHERE \(key) IS NOT NULL"
    case .join(let index, let own, let other, _, let isReflexive):
      let join = schema.joins[index]
      guard file.has(join.name, own), file.has(join.name, other) else { return nil }
      let name = join.name.sqlName
      let pairs = "SELECT \(own.sqlName) AS k FROM \(name)"
      // The relationship is its own inverse. A pair may be stored in one direction only, or in both.
      return isReflexive
        ? "SELECT k FROM (SELECT \(own.sqlName) AS k, \(other.sqlName) AS o FROM \(name) "
          + "UNION SELECT \(other.sqlName), \(own.sqlName) FROM \(name))"
        : pairs
    }
  }
}

extension ManagedObjectModel.Entity {
  /// The relationships that the entity declares itself.
  var ownRelationships: ArraySlice<Relationship> { relationships.dropFirst(superentity?.relationships.count ?? 0) }

  /// The attributes that the entity declares itself.
  var ownAttributes: ArraySlice<Attribute> { attributes.dropFirst(superentity?.attributes.count ?? 0) }
}
