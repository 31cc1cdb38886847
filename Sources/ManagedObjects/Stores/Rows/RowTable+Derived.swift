internal import ObjectModels
internal import Predicates

/// Methods that compute derived attributes.
extension RowTable {
  /// Computes the derived attributes of the rows that a save changes, and of the rows that depend on them.
  ///
  /// - Parameter changes: the changes with complete relationships. Gets the new values, and the other rows whose values
  ///   change, in ``StoreChanges/updated``.
  /// - Returns: the keys of all rows that got another value, and the keys of those that were not in the changes. The
  ///   latter keep their version, as in an SQLite store, where triggers write the values.
  /// - Throws: ``ManagedObjectError/Code/invalidValue``, ``ManagedObjectError/Code/unsupportedRequest`` if a derivation
  ///   cannot be evaluated.
  func derivedChanges(
    _ changes: inout StoreChanges, _ identifier: String
  ) throws(ManagedObjectError) -> (changed: [RowKey], others: Set<RowKey>) {
    if derivations.isEmpty || changes.keepsDerivedValues { return ([], []) }
    var pass = DerivationPass(self, changes)
    do { try pass.run() } catch {
      var error = error
      error.objectID = error.objectID ?? pass.current.flatMap { objectID($0, identifier) }
      throw error
    }
    return pass.finish(&changes)
  }
}

/// A computation of derived attributes. Values that depend on other derived attributes are computed in further rounds.
private struct DerivationPass {
  private let rules: [DerivationRule]
  private var rows: SavedRows
  /// The keys of the rows that change in the save, including the deleted ones.
  private let given: Set<RowKey>
  private var changed: Set<RowKey> = []
  /// The row whose value is being computed.
  private(set) var current: RowKey?

  /// The number of rounds after which derivations count as a circle.
  private static let greatestRounds = 1_000

  init(_ table: RowTable, _ changes: StoreChanges) {
    rules = table.derivations
    rows = SavedRows(table, changes)
    given = Set(rows.changed.keys).union(rows.deleted)
  }

  mutating func run() throws(ManagedObjectError) {
    var pending = given
    for round in 0..<Self.greatestRounds {
      var next: Set<RowKey> = []
      for rule in rules where round == 0 || rule.readsDerived {
        let own = pending.filter { rule.entities.contains(Int($0.entityIndex)) }
        next.formUnion(try update(own.union(rows.dependents(of: pending, rule)), rule))
      }
      if next.isEmpty { return }
      pending = next
    }
    throw ManagedObjectError(.operation, "derived attributes depend on each other in a circle")
  }

  /// Computes an attribute of rows. Returns the keys of those whose value changes.
  private mutating func update(
    _ keys: Set<RowKey>, _ rule: DerivationRule
  ) throws(ManagedObjectError) -> [RowKey] {
    if keys.isEmpty { return [] }
    let computation = try ManagedObjectError.inDerivation(of: rule) { () throws(ManagedObjectError) in
      try RowComputation(rule.computation.get(), rows)
    }
    var results: [(key: RowKey, value: AttributeValue)] = []
    for key in keys.sorted() {
      guard let row = rows.row(key) else { continue }
      current = key
      let value = try ManagedObjectError.inDerivation(of: rule) { () throws(ManagedObjectError) in
        try computation.value(row)
      }
      if row.values[rule.slot] != .attribute(value) { results.append((key, value)) }
    }
    for (key, value) in results { rows.set(.attribute(value), rule.slot, key) }
    changed.formUnion(results.lazy.map(\.key))
    return results.map(\.key)
  }

  func finish(_ changes: inout StoreChanges) -> (changed: [RowKey], others: Set<RowKey>) {
    if changed.isEmpty { return ([], []) }
    for index in changes.inserted.indices {
      if let row = rows.changed[changes.inserted[index].key] { changes.inserted[index] = row }
    }
    for index in changes.updated.indices {
      if let row = rows.changed[changes.updated[index].key] { changes.updated[index] = row }
    }
    let others = changed.subtracting(given)
    changes.updated += others.sorted().compactMap { rows.changed[$0] }
    return (changed.sorted(), others)
  }
}

/// The computation of one derived attribute.
private struct RowComputation {
  private let computation: DerivationRule.Computation
  private let rows: SavedRows
  private let evaluation: BatchEvaluation<SavedRows>

  init(_ computation: DerivationRule.Computation, _ rows: SavedRows) throws(ManagedObjectError) {
    self.computation = computation
    self.rows = rows
    if case .expression(let assignment, _) = computation {
      evaluation = try BatchEvaluation([assignment], rows)
    } else {
      evaluation = try BatchEvaluation([], rows)
    }
  }

  func value(_ row: StoreRow) throws(ManagedObjectError) -> AttributeValue {
    switch computation {
    case .count(let slot): return .integer(Int64(row.values[slot].count))
    case .expression(_, nil): return try evaluation.values(row)[0]
    case .expression(_, let filter?):
      var row = row
      var left: Set<RowKey> = []
      do throws(ManagedPredicateError) {
        try row.values[filter.slot].forEachKey { (key: RowKey) throws(ManagedPredicateError) in
          guard let related = rows.row(key) else { return }
          if try !filter.predicate.evaluate(with: RowSubject(related, rows)) { left.insert(key) }
        }
      } catch {
        throw ManagedObjectError(error)
      }
      row.values[filter.slot].subtract(left)
      return try evaluation.values(row)[0]
    }
  }
}

/// The rows of a table as they will be after a save.
private struct SavedRows: RowSource {
  private let table: RowTable
  private(set) var changed: [RowKey: StoreRow] = [:]
  let deleted: Set<RowKey>

  init(_ table: RowTable, _ changes: StoreChanges) {
    self.table = table
    for row in changes.inserted { changed[row.key] = row }
    for row in changes.updated { changed[row.key] = row }
    deleted = Set(changes.deleted.map(\.key))
  }

  var model: ManagedObjectModel { table.model }
  var storeNumber: StoreNumber { table.storeNumber }

  func row(_ key: RowKey) -> StoreRow? {
    if deleted.contains(key) { return nil }
    guard var row = changed[key] ?? table.row(key) else { return nil }
    if deleted.isEmpty { return row }
    // A relationship without an inverse has references to deleted objects until the end of the save.
    for index in table.ownerIndexes where index.entities.contains(Int(key.entityIndex)) {
      row.values[index.slot].subtract(deleted)
    }
    return row
  }

  func rows(ofEntity index: Int) -> [StoreRow] {
    var keys = Set(table.rows(ofEntity: index).map(\.key))
    for key in changed.keys where Int(key.entityIndex) == index { keys.insert(key) }
    return keys.sorted().compactMap { row($0) }
  }

  mutating func set(_ value: RowValue, _ slot: Int, _ key: RowKey) {
    var row = changed[key] ?? table.row(key)
    row?.values[slot] = value
    changed[key] = row
  }

  /// Returns the rows whose derived value depends on changed rows that the rule's expression leads to.
  func dependents(of keys: Set<RowKey>, _ rule: DerivationRule) -> Set<RowKey> {
    var isOpaque = rule.reach.isOpaque
    if case .success(.expression(_, .some)) = rule.computation { isOpaque = true }
    if isOpaque { return Set(rule.entities.flatMap { rows(ofEntity: $0) }.map(\.key)) }
    var found: Set<RowKey> = []
    for end in rule.reach.ends.values {
      var level = keys.filter { key in
        end.canBe(ManagedObjectModel.Entity(model: model, index: Int(key.entityIndex))) && affects(key, end)
      }
      for step in end.steps.reversed() where !level.isEmpty { level = sources(of: level, step) }
      found.formUnion(level.filter { rule.entities.contains(Int($0.entityIndex)) })
    }
    return found
  }

  /// Returns true if a row was deleted, or has another value of a property that is read at the end of a path. A new row
  /// affects others only if a row refers to it, which is then changed itself.
  private func affects(_ key: RowKey, _ end: RequestReach.End) -> Bool {
    if deleted.contains(key) { return true }
    guard let new = changed[key], let old = table.row(key) else { return false }
    let entity = ManagedObjectModel.Entity(model: model, index: Int(key.entityIndex))
    return end.names.contains { name in
      entity.property(named: name).map { old.values[$0.slot] != new.values[$0.slot] } ?? false
    }
  }

  /// Returns the rows that refer to one of some rows by a relationship, before or after the save.
  private func sources(of keys: Set<RowKey>, _ step: RequestReach.Step) -> Set<RowKey> {
    var found: Set<RowKey> = []
    if let inverse = step.inverse, keys.allSatisfy({ isStored(inverse, Int($0.entityIndex)) }) {
      for key in keys {
        table.row(key)?.values[inverse].forEachKey { found.insert($0) }
        changed[key]?.values[inverse].forEachKey { found.insert($0) }
      }
      return found
    }
    for index in step.source.subtree {
      let entity = ManagedObjectModel.Entity(model: model, index: index)
      guard let slot = entity.relationship(named: step.name)?.slot else { continue }
      let entityRows = table.rows(ofEntity: index) + changed.values.filter { Int($0.key.entityIndex) == index }
      for row in entityRows {
        row.values[slot].forEachKey { if keys.contains($0) { found.insert(row.key) } }
      }
    }
    return found
  }

  private func isStored(_ slot: Int, _ entity: Int) -> Bool {
    if case .transient = table.shapes[entity][slot] { false } else { true }
  }
}

extension ManagedObjectError {
  /// Calls a function, and adds the name of a derived attribute to its error.
  fileprivate static func inDerivation<Value>(
    of rule: DerivationRule, _ body: () throws(ManagedObjectError) -> Value
  ) throws(ManagedObjectError) -> Value {
    do { return try body() } catch {
      var error = error
      error.key = rule.name
      throw error
    }
  }
}
