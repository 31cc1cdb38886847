internal import ManagedObjects
internal import SQLQueries

/// A function that inserts rows in a batch.
extension StoreState {
  /// Inserts the objects of a temporary table.
  mutating func insert(
    _ spool: BatchSpool, _ origin: BatchOrigin, _ mergePolicy: MergePolicy
  ) throws(ManagedObjectError) -> StoreBatchResult {
    let entity = ManagedObjectModel.Entity(model: schema.model, index: spool.entityIndex)
    guard let table = schema.table(ofEntity: entity.index) else { return StoreBatchResult(count: 0) }
    try spool.check(&self)
    let count = spool.count
    return try batch { state throws(ManagedObjectError) in
      if count == 0 { return (StoreBatchResult(count: 0), nil) }
      let first = try state.numbers.reserve(count, forNew: entity.index, state.schema, state.database)
      let insertion = try BatchInsertion(
        BatchTransaction(state, entity, table, origin), spool, first: first, mergePolicy)
      try insertion.run()
      if insertion.highest > 0 {
        let last = RowKey(store: state.storeNumber, entityIndex: entity.index, number: insertion.highest)
        try state.numbers.useReserved(last, state.schema, state.database)
      }
      return (try insertion.finish(), insertion.batch.historyNumber)
    }
  }
}

/// An insertion of the objects in a temporary table. It inserts the objects in order, each as if alone. The merge
/// policy decides about violations of uniqueness constraints.
final class BatchInsertion {
  let batch: BatchTransaction
  private let spool: BatchSpool
  /// The primary key of the first object; the object at position `k` gets the key `first + k - 1`.
  private let first: Int64
  private let mergePolicy: MergePolicy
  private let constraints: [BatchConstraint]
  private var conflicts: [MergeConflict] = []
  private var repeated: Set<Int64> = []
  private var count = 0
  /// The highest primary key of an inserted row; 0 before the first one.
  private(set) var highest: Int64 = 0

  /// The name of the table that lists the stored rows that were updated with values of new objects. It has the columns
  /// `z`, `e` and `f`, as ``BatchTransaction/rows``, and the old values.
  private static let replaced = "temp.managed_replaced"

  init(
    _ batch: BatchTransaction, _ spool: BatchSpool, first: Int64, _ mergePolicy: MergePolicy
  ) throws(ManagedObjectError) {
    self.batch = batch
    self.spool = spool
    self.first = first
    self.mergePolicy = mergePolicy
    let columns = Set(spool.attributes.map(\.column))
    // A relationship in a constraint is null in new rows, so that they cannot violate it.
    constraints = batch.constraints().filter { constraint in
      constraint.entities.contains(spool.entityIndex) && constraint.columns.allSatisfy { columns.contains($0) }
    }
  }

  private var table: String { batch.table.name.sqlName }

  func run() throws(ManagedObjectError) {
    let names = spool.attributes.map { ", \($0.column)" }.joined()
    let values = spool.attributes.indices.map { ", v\($0)" }.joined()
    let insertion =
      "INSERT INTO \(table) (Z_PK, Z_ENT, Z_OPT\(names)) "
      + "SELECT ?1 + k, \(batch.schema.numbers[spool.entityIndex]), 1\(values) FROM \(spool.name)"
    do {
      if constraints.isEmpty {
        try batch.run(insertion + " ORDER BY k", .integer(first - 1))
        count = Int(spool.count)
        highest = first - 1 + spool.count
      } else {
        try insertEach(insertion + " WHERE k = ?2")
      }
    } catch {
      if error.isTakenKey { throw RowNumbers.keysTaken }
      throw error.isUniqueness ? batch.uniqueness(error) : error
    }
  }

  private func insertEach(_ insertion: String) throws(ManagedObjectError) {
    let values = spool.attributes.map { ", \($0.column)" }.joined()
    try batch.run("DROP TABLE IF EXISTS \(Self.replaced)")
    try batch.run(
      "CREATE TABLE \(Self.replaced) AS SELECT Z_PK AS z, Z_ENT AS e, 0 AS f\(values) FROM \(table) WHERE 0")
    try batch.run("CREATE UNIQUE INDEX temp.managed_replaced_z ON managed_replaced (z)")
    for position in 1...spool.count {
      let rivals = try rivals(position)
      if !rivals.isEmpty, try !settle(position, rivals) { continue }
      let statement = try batch.database.statement(insertion)
      try statement.bind(1, first - 1)
      try statement.bind(2, position)
      try statement.run()
      count += 1
      highest = first - 1 + position
    }
    if let error = ManagedObjectError(constraintMerge: conflicts) { throw error }
  }

  /// A stored row that has the same values for a uniqueness constraint as a new object.
  private struct Rival {
    let constraint: Int
    let entity: Int64
    let number: Int64
  }

  private func rivals(_ position: Int64) throws(ManagedObjectError) -> [Rival] {
    var rivals: [Rival] = []
    for index in constraints.indices {
      let statement = try batch.database.statement(search(index))
      try statement.bind(1, position)
      try statement.forEachRow {
        rivals.append(Rival(constraint: index, entity: statement.integer(0), number: statement.integer(1)))
      }
    }
    return rivals
  }

  private var searches: [String] = []

  /// Returns a statement that finds the rows with the same values for a constraint as the object at a position.
  private func search(_ index: Int) -> String {
    if searches.isEmpty {
      let positions = Dictionary(
        spool.attributes.enumerated().map { ($1.column, $0) }, uniquingKeysWith: { first, _ in first })
      searches = constraints.map { constraint in
        let equal = constraint.columns.map { "o.\($0) = s.v\(positions[$0] ?? 0)" }.joined(separator: " AND ")
        return "SELECT o.Z_ENT, o.Z_PK FROM \(spool.name) s CROSS JOIN \(table) o ON \(equal) WHERE s.k = ?1"
      }
    }
    return searches[index]
  }

  /// Resolves the conflicts of a new object.
  ///
  /// - Returns: True if the object must be inserted.
  private func settle(_ position: Int64, _ rivals: [Rival]) throws(ManagedObjectError) -> Bool {
    switch mergePolicy {
    case .storeTrump, .rollback: return false
    case .objectTrump, .overwrite: break
    default:
      try note(position, rivals)
      return false
    }
    let stored = rivals.filter { $0.number < first }
    for rival in stored {
      guard rival.entity == batch.schema.numbers[spool.entityIndex] else {
        try note(position, [rival])
        if let error = ManagedObjectError(constraintMerge: conflicts) { throw error }
        return false
      }
      try replace(rival, position)
    }
    if !stored.isEmpty { return false }
    for number in Set(rivals.map(\.number)) {
      try batch.run("DELETE FROM \(table) WHERE Z_PK = ?1", .integer(number))
      count -= 1
    }
    return true
  }

  /// Updates a stored row with the values of a new object.
  private func replace(_ rival: Rival, _ position: Int64) throws(ManagedObjectError) {
    let values = spool.attributes.map { ", \($0.column)" }.joined()
    try batch.run(
      "INSERT OR IGNORE INTO \(Self.replaced) SELECT Z_PK, Z_ENT, 0\(values) FROM \(table) WHERE Z_PK = ?1",
      .integer(rival.number))
    var given = Array(spool.attributes.indices)
    if mergePolicy == .objectTrump {
      let index = try batch.database.statement("SELECT g FROM \(spool.name) WHERE k = ?")
      try index.bind(1, position)
      defer { index.reset() }
      if try index.step() { given = spool.given[Int(index.integer(0))] }
    }
    if given.isEmpty { return }
    let sets = given.map { "\(spool.attributes[$0].column) = s.v\($0)" }.joined(separator: ", ")
    try batch.run(
      "UPDATE \(table) SET \(sets) FROM \(spool.name) AS s WHERE s.k = ?1 AND \(table).Z_PK = ?2", .integer(position),
      .integer(rival.number))
    for constraint in constraints {
      let equal = constraint.columns.map { "o.\($0) = t.\($0)" }.joined(separator: " AND ")
      let other = try batch.database.statement(
        "SELECT 1 FROM \(table) t JOIN \(table) o ON \(equal) WHERE t.Z_PK = ?1 AND o.Z_PK <> ?1")
      try other.bind(1, rival.number)
      defer { other.reset() }
      if try other.step() {
        try note(position, [rival])
        if let error = ManagedObjectError(constraintMerge: conflicts) { throw error }
      }
    }
  }

  /// Records conflicts for the error. Ignores those after the first 100.
  private func note(_ position: Int64, _ rivals: [Rival]) throws(ManagedObjectError) {
    for rival in rivals where conflicts.count < BatchTransaction.greatestErrorCount {
      let names = constraints[rival.constraint].names
      guard rival.number >= first else {
        var state = batch.state
        let stored = batch.key(rival.entity, rival.number)
        let found = try stored.flatMap { key throws(ManagedObjectError) in try state.wholeRows([key])[key] }
        conflicts.append(
          MergeConflict(object: try row(position), snapshot: nil, stored: found, constraint: names))
        continue
      }
      for position in [rival.number - first + 1, position] where repeated.insert(position).inserted {
        conflicts.append(MergeConflict(object: try row(position), snapshot: nil, stored: nil, constraint: names))
      }
    }
  }

  /// Returns a new object as a row.
  private func row(_ position: Int64) throws(ManagedObjectError) -> StoreRow {
    var values = batch.entity.initialBatchValues
    let list = spool.attributes.indices.map { ", v\($0)" }.joined()
    let statement = try batch.database.statement("SELECT k\(list) FROM \(spool.name) WHERE k = ?")
    try statement.bind(1, position)
    defer { statement.reset() }
    if try statement.step() {
      for (index, attribute) in spool.attributes.enumerated() {
        let value = try batch.state.reading.value(
          statement, Int32(index + 1), attribute.type, isExternal: attribute.isExternal)
        var whole = AttributeValue.null
        if case .attribute(let known) = values[attribute.slot] { whole = known }
        values[attribute.slot] = .attribute(whole.replacing(attribute.keys[...], with: value ?? .null))
      }
      for attribute in batch.entity.attributes where attribute.type == .composite {
        guard case .attribute(let value) = values[attribute.slot] else { continue }
        values[attribute.slot] = .attribute(try attribute.definition.normalized(value))
      }
    }
    let key = RowKey(store: batch.state.storeNumber, entityIndex: spool.entityIndex, number: first + position - 1)
    return StoreRow(key: key, version: 1, values: values)
  }

  /// Increases the version numbers of the replaced rows, records the history, and returns the result.
  func finish() throws(ManagedObjectError) -> StoreBatchResult {
    let last = first - 1 + spool.count
    var replacedCount = 0
    if !constraints.isEmpty {
      replacedCount = Int(try batch.number("SELECT COUNT(*) FROM \(Self.replaced)"))
      if replacedCount > 0 {
        try batch.run(
          "UPDATE \(table) SET Z_OPT = \(batch.table.nextVersion) WHERE Z_PK IN (SELECT z FROM \(Self.replaced))")
        if batch.state.tracksHistory { try noteReplacedValues() }
      }
    }
    if count + replacedCount > 0 {
      try batch.recordInsertions(from: first, through: last)
      if replacedCount > 0 {
        let columns = spool.attributes.map { HistoryColumns.Column(slot: $0.slot, keys: $0.keys) }
        try batch.recordUpdates(of: Self.replaced, columns)
      }
    }
    let result = try batch.result(
      count: count + replacedCount,
      changed: "SELECT Z_ENT, Z_PK FROM \(table) WHERE Z_PK BETWEEN \(first) AND \(last) ORDER BY Z_PK",
      mended: replacedCount > 0 ? "SELECT e, z FROM \(Self.replaced)" : nil)
    if !constraints.isEmpty { try batch.run("DROP TABLE \(Self.replaced)") }
    try batch.dropTables()
    return result
  }

  private func noteReplacedValues() throws(ManagedObjectError) {
    let flags = spool.attributes.enumerated().map { position, attribute in
      "((t.\(attribute.column) IS NOT r.\(attribute.column)) << \(min(position, 62)))"
    }
    let sum = flags.joined(separator: " | ")
    try batch.run("UPDATE \(Self.replaced) AS r SET f = (SELECT \(sum) FROM \(table) t WHERE t.Z_PK = r.z)")
  }
}
