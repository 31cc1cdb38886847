internal import ManagedObjects
internal import OrderedCollections
internal import SQLQueries

/// A save: writes the changes to the file. The caller has begun the database transaction.
///
/// Deletes rows first, so that other rows can get their unique values. Then updates rows, inserts rows, and writes the
/// other sides of relationships.
///
/// The file stores both sides of a relationship as one value, except in one-to-one relationships. If a save changes a
/// relationship of a row outside the save, the row gets a new version number, so that contexts read it again.
final class SaveTransaction {
  let database: Database
  let schema: StoreSchema
  let storeNumber: StoreNumber
  private(set) var changes: StoreChanges
  let state: StoreState
  /// The rows outside the save that change, and the rows that get other values than those in the save. The store
  /// returns them to the caller.
  var mended: Set<RowKey> = []
  /// The transaction number of the save in the history; nil without a history.
  private(set) var historyNumber: Int64?
  /// The index of each inserted or updated row, by key. The inserted rows are counted first, then the updated ones.
  let rowIndices: RowPositions
  /// The index of each deleted row, by key.
  let deleted: RowPositions
  /// The keys of all rows of a new store, if this save writes one batch of them; nil for a normal save.
  let filling: StoreFilling?
  var conflicts: [MergeConflict] = []
  /// The rows outside the save that get a new version number because their relationships change.
  var touched: Set<RowKey> = []
  /// The changes of columns that the save does not contain, for the history.
  var sideChanges: [HistoryWriting.SideChange] = []
  /// True if the save is recorded in a history.
  let isRecorded: Bool
  /// A cache: for a row outside the save, true if it exists.
  var existence: [RowKey: Bool] = [:]
  /// The objects to append to ordered relationships.
  var additions: [Addition] = []
  /// The highest position number in each ordered relationship that gets appended objects.
  var lastNumbers: [OrderedSlot: Int64] = [:]
  /// The errors for objects that would have two owners in a relationship without an inverse.
  var ownerErrors: [ManagedObjectError] = []
  /// A cache, by the index of the entity.
  private var columnWriters: [EntityColumns?]
  private var updateStatements: [UpdateKey: Statement] = [:]

  init(
    _ changes: StoreChanges, _ state: StoreState, rowIndices: RowPositions, deleted: RowPositions,
    filling: StoreFilling? = nil
  ) {
    self.changes = changes
    self.filling = filling
    self.state = state
    isRecorded = state.tracksHistory && filling == nil
    database = state.database
    schema = state.schema
    storeNumber = state.storeNumber
    self.rowIndices = rowIndices
    self.deleted = deleted
    columnWriters = Array(repeating: nil, count: schema.tableIndices.count)
  }

  func write() throws(ManagedObjectError) {
    database.notedRows = []
    try readMissingSnapshots()
    let slots = zip(changes.updated, changes.snapshots).map { row, old in
      row.values.indices.filter {
        row.values[$0] != old.values[$0] && row.values[$0] != .unread && !isDerived(row.key, $0)
      }
    }
    try checkConstraints(slots)
    if isRecorded { try readPreservedValues() }
    try deleteRows()
    for (index, row) in changes.updated.enumerated() { try update(row, changes.snapshots[index], slots[index]) }
    if let error = ManagedObjectError(merge: conflicts) { throw error }
    for row in changes.inserted { try insertRow(row) }
    try writeRelationships()
    if let error = ManagedObjectError(all: ownerErrors) { throw error }
    noteDerivedChanges()
    guard isRecorded else { return }
    var history = HistoryWriting(state)
    // A touched row that is in `mended` exists.
    historyNumber = try history.write(
      changes, recordedSlots(slots), touched: touched.filter(mended.contains).sorted(), sideChanges)
  }

  /// Returns the changed slots of the updated rows without unordered relationships in which no object changes: all
  /// objects that the row gains or loses had been deleted before. A recorded change of a relationship shows that one of
  /// its objects changes, too: see ``HistoryColumnSearch``.
  private func recordedSlots(_ slots: [[Int]]) -> [[Int]] {
    slots.indices.map { index in
      let (row, old) = (changes.updated[index], changes.snapshots[index])
      return slots[index].filter { slot in
        guard case .toMany(let new) = row.values[slot], case .toMany(let former) = old.values[slot] else { return true }
        return new.symmetricDifference(former).contains {
          rowIndices.contains($0) || deleted.contains($0) || touched.contains($0)
        }
      }
    }
  }

  /// Reads the values of deleted rows that the history preserves and that were not read yet because they are in
  /// external files.
  private func readPreservedValues() throws(ManagedObjectError) {
    var state = state
    for (index, row) in changes.deleted.enumerated() {
      let entity = ManagedObjectModel.Entity(model: schema.model, index: Int(row.key.entityIndex))
      for attribute in HistoryTables.preserved(entity) where row.values[attribute.slot] == .unread {
        let value = try state.values(ofSlot: attribute.slot, [row.key])[0]
        if let value { changes.deleted[index].values[attribute.slot] = value }
      }
    }
  }

  /// Returns true if a changed value is that of a derived attribute, which only the triggers of the file set. Adds its
  /// row to ``mended``, so that the object gets the value of the file again.
  private func isDerived(_ key: RowKey, _ slot: Int) -> Bool {
    guard schema.derivedSlots[Int(key.entityIndex)].contains(slot) else { return false }
    mended.insert(key)
    return true
  }

  /// Adds the rows whose derived attributes were changed by triggers of the file to ``mended``.
  private func noteDerivedChanges() {
    for (entity, number) in database.notedRows {
      guard let index = schema.entityIndices[entity], number > 0 else { continue }
      let key = RowKey(store: storeNumber, entityIndex: index, number: number)
      if !deleted.contains(key) { mended.insert(key) }
    }
  }

  /// Reads the old values of the updated rows from the file, if the caller did not pass them as snapshots.
  private func readMissingSnapshots() throws(ManagedObjectError) {
    let areKnown =
      changes.snapshots.count == changes.updated.count
      && zip(changes.snapshots, changes.updated).allSatisfy { $0.key == $1.key && $0.values.count == $1.values.count }
    if !areKnown {
      var state = state
      // A row that was deleted in the meantime becomes a merge conflict later.
      let stored = try state.rows(changes.updated.map(\.key))
      changes.snapshots = zip(changes.updated, stored).map { $1 ?? $0 }
    }
    for (index, row) in changes.updated.enumerated() {
      for (slot, columns) in schema.slotColumns[Int(row.key.entityIndex)].enumerated() {
        guard case .toMany(let columns) = columns, changes.snapshots[index].values[slot] == .unread,
          row.values[slot] != .unread
        else { continue }
        changes.snapshots[index].values[slot] = try stored(row.key, columns)
      }
    }
  }

  /// The columns and the INSERT statement for the rows of an entity.
  private final class EntityColumns {
    let table: StoreTable
    let number: Int64
    /// The slots that have columns, and the first parameter of the INSERT statement for each.
    let slots: [(slot: Int, kind: ParameterKind, parameter: Int32)]
    /// The to-one relationships whose triggers count a row twice if it is inserted with a reference to itself: first,
    /// all objects of the new row are counted, then its own reference is added.
    let countedReferences: [(slot: Int, parameter: Int32, columns: ToOneColumns)]
    let insertion: Statement

    init(_ index: Int, _ transaction: SaveTransaction) throws(ManagedObjectError) {
      let table = transaction.schema.tables[transaction.schema.tableIndices[index]]
      self.table = table
      number = transaction.schema.numbers[index]
      var slots: [(slot: Int, kind: ParameterKind, parameter: Int32)] = []
      var names = ["Z_PK", "Z_ENT", "Z_OPT"]
      for (slot, source) in transaction.schema.slotColumns[index].enumerated() {
        let columns = source.columns
        guard !columns.isEmpty else { continue }
        slots.append((slot, source.parameterKind, Int32(names.count)))
        names += columns.map { table.columns[$0].name.sqlName }
      }
      self.slots = slots
      countedReferences =
        transaction.schema.derivedSlots[index].isEmpty
        ? []
        : slots.compactMap { slot, _, parameter in
          guard let columns = transaction.schema.slotColumns[index][slot].toOne, columns.destination.contains(index)
          else { return nil }
          return (slot, parameter, columns)
        }
      // `Z_OPT`, the version number, is always 1 and has no parameter.
      let values = names.map { $0 == "Z_OPT" ? "1" : "?" }
      insertion = try transaction.database.statement(
        "INSERT INTO \(table.name.sqlName) (\(names.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))"
      )
    }
  }

  private struct UpdateKey: Hashable {
    let entityIndex: Int
    let slots: [Int]
    /// The columns of unchanged elements of composite attributes.
    let keptColumns: [Int]
  }

  private func columns(_ index: Int) throws(ManagedObjectError) -> EntityColumns {
    if let columns = columnWriters[index] { return columns }
    let columns = try EntityColumns(index, self)
    columnWriters[index] = columns
    return columns
  }

  func insertRow(_ row: StoreRow) throws(ManagedObjectError) {
    let index = Int(row.key.entityIndex)
    let columns = try columns(index)
    let statement = columns.insertion
    try statement.bind(1, row.key.number)
    try statement.bind(2, columns.number)
    for (slot, kind, parameter) in columns.slots { try bindValue(row, slot, kind, statement, parameter) }
    let references = columns.countedReferences.filter { row.values[$0.slot] == .toOne(row.key) }
    for reference in references {
      try statement.bindNull(reference.parameter)
      if reference.columns.entityColumn != nil { try statement.bindNull(reference.parameter + 1) }
    }
    do { try statement.run() } catch {
      if error.isTakenKey { throw RowNumbers.keysTaken }
      throw error.isUniqueness ? uniqueness(error, row) : error
    }
    for reference in references {
      try setOwner(row.key, of: row.key, columns.table, reference.columns.column, reference.columns.entityColumn)
    }
  }

  private func update(_ row: StoreRow, _ old: StoreRow, _ slots: [Int]) throws(ManagedObjectError) {
    let index = Int(row.key.entityIndex)
    let stored = slots.filter { !schema.slotColumns[index][$0].columns.isEmpty }
    let kept = keptColumns(row, old, stored)
    let key = UpdateKey(entityIndex: index, slots: stored, keptColumns: kept)
    let statement: Statement
    if let known = updateStatements[key] {
      statement = known
    } else {
      statement = try updateStatement(key)
      updateStatements[key] = statement
    }
    try statement.bind(1, row.version.nextVersion)
    try statement.bind(2, row.key.number)
    try statement.bind(3, row.version)
    var parameter: Int32 = 4
    for slot in stored {
      let source = schema.slotColumns[index][slot]
      if !kept.isEmpty, case .composite = source, case .attribute(let value) = row.values[slot] {
        parameter += try bindComposite(value, row, slot, statement, parameter, keeping: kept)
      } else {
        try bindValue(row, slot, source.parameterKind, statement, parameter)
        parameter += Int32(source.columns.count)
      }
    }
    do { try statement.run() } catch { throw error.isUniqueness ? uniqueness(error, row) : error }
    if database.changeCount == 0 { conflicts.append(MergeConflict(object: row, snapshot: nil, stored: nil)) }
  }

  /// Returns the columns of those elements of changed composite attributes that do not change. They keep their values,
  /// such as the names of external files.
  private func keptColumns(_ row: StoreRow, _ old: StoreRow, _ slots: [Int]) -> [Int] {
    var kept: [Int] = []
    for slot in slots {
      guard case .attribute(.composite) = row.values[slot], case .attribute(let former) = old.values[slot],
        case .attribute(let value) = row.values[slot],
        case .composite(let columns) = schema.slotColumns[Int(row.key.entityIndex)][slot]
      else { continue }
      for leaf in columns.leaves where former.leaf(at: leaf.keys[...]) == value.leaf(at: leaf.keys[...]) {
        kept.append(leaf.column)
      }
    }
    return kept
  }

  private func updateStatement(_ key: UpdateKey) throws(ManagedObjectError) -> Statement {
    let table = schema.tables[schema.tableIndices[key.entityIndex]]
    var sets = ["Z_OPT = ?1"]
    var orders = ""
    for slot in key.slots {
      let source = schema.slotColumns[key.entityIndex][slot]
      for column in source.columns where !key.keptColumns.contains(column) {
        sets.append("\(table.columns[column].name.sqlName) = ?\(sets.count + 3)")
      }
      // If the owner changes, the position in the order of the former owner is not valid anymore.
      if let column = source.toOne?.column { orders += table.endingOrder(of: column) }
    }
    return try database.statement(
      "UPDATE \(table.name.sqlName) SET \(sets.joined(separator: ", "))\(orders) "
        + "WHERE Z_PK = ?2 AND Z_ENT = \(schema.numbers[key.entityIndex]) AND \(table.version) = ?3")
  }

  /// Returns the error for a row that violates a unique index, although it violates no constraint of the model. The
  /// index may have other columns or another collation than the constraint.
  private func uniqueness(_ error: ManagedObjectError, _ row: StoreRow) -> ManagedObjectError {
    var failure = ManagedObjectError(.constraintMerge, error.message, objectID: state.objectID(row.key))
    failure.sqliteCode = error.sqliteCode
    return failure
  }
}
