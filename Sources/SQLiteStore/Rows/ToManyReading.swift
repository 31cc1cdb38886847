internal import ManagedObjects
internal import OrderedCollections
internal import SQLQueries

/// Reads a to-many relationship of many objects with one statement.
struct ToManyReading {
  let database: Database
  let schema: StoreSchema
  let storeNumber: StoreNumber

  /// Returns the keys of the objects that each owner has in the relationship, by the primary key of the owner. The
  /// objects of an ordered relationship are in order.
  ///
  /// - Parameter owners: The primary keys of the owners, which are in one table.
  func keys(_ columns: ToManyColumns, _ owners: [Int64]) throws(ManagedObjectError) -> [Int64: [RowKey]] {
    guard let target = schema.table(ofEntity: columns.destination.lowerBound) else { return [:] }
    let list = NumberList(owners)
    let (sql, isReflexive) = sql(columns, target, list)
    let statement = try database.statement(sql)
    try list.bind(to: statement, 1)
    var found: [Int64: [RowKey]] = [:]
    found.reserveCapacity(owners.count)
    // Without subentities, all objects have the same entity.
    let only = columns.destination.count == 1 ? columns.destination.lowerBound : nil
    try statement.forEachRow { () throws(ManagedObjectError) in
      let number = statement.integer(1)
      guard number > 0 else { return }
      guard let index = only ?? schema.entityIndices[statement.integer(2)], columns.destination.contains(index) else {
        return
      }
      found[statement.integer(0), default: []].append(RowKey(store: storeNumber, entityIndex: index, number: number))
    }
    if isReflexive {
      for (owner, keys) in found { found[owner] = Array(OrderedSet(keys)) }
    }
    return found
  }

  private func sql(_ columns: ToManyColumns, _ target: StoreTable, _ list: NumberList) -> (String, isReflexive: Bool) {
    switch columns.source {
    case .column(_, let column, _, let order):
      let key = target.columns[column].name.sqlName
      let end = order.map { " ORDER BY \(key), \(target.columns[$0].name.sqlName), Z_PK" } ?? ""
      return ("SELECT \(key), Z_PK, Z_ENT FROM \(target.name.sqlName) WHERE \(key) \(list.condition)\(end)", false)
    case .join(let index, let own, let other, let order, let isReflexive):
      let join = schema.joins[index].name.sqlName
      func select(_ own: String, _ other: String, _ order: String) -> String {
        "SELECT j.\(own.sqlName) AS o, t.Z_PK AS p, t.Z_ENT, \(order) AS f "
          + "FROM \(join) j JOIN \(target.name.sqlName) t ON t.Z_PK = j.\(other.sqlName) "
          + "WHERE j.\(own.sqlName) \(list.condition)"
      }
      var all = select(own, other, order.map { "j.\($0.sqlName)" } ?? "0")
      // A pair may be stored in one direction only. In the other direction, the pair has no position, and comes last.
      if isReflexive { all += " UNION " + select(other, own, order == nil ? "0" : "\(Int64.max)") }
      return (all + (order == nil ? "" : " ORDER BY o, f, p"), isReflexive)
    }
  }
}

/// A list of integers for a condition. One integer is bound directly. Several integers are bound as one JSON array, so
/// that the SQL does not depend on the length of the list.
struct NumberList {
  private let numbers: [Int64]

  init(_ numbers: [Int64]) { self.numbers = numbers }

  /// The part of the condition that follows the name of a column.
  var condition: String { condition(of: "?1") }

  /// The part of the condition, with the name of a parameter for the list.
  func condition(of parameter: String) -> String {
    numbers.count == 1 ? "= \(parameter)" : "IN (SELECT value FROM json_each(\(parameter)))"
  }

  /// The value of the parameter.
  var value: SQLValue {
    if numbers.count == 1 { return .integer(numbers[0]) }
    var text = "["
    text.reserveCapacity(numbers.count * 7)
    for (index, number) in numbers.enumerated() {
      if index > 0 { text += "," }
      text += String(number)
    }
    return .text(text + "]")
  }

  func bind(to statement: Statement, _ parameter: Int32) throws(ManagedObjectError) {
    try statement.bind(parameter, value)
  }
}
