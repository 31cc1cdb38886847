internal import FoundationEssentials
internal import ManagedObjects
internal import SQLQueries

/// The treatment of a store's history in a migration.
enum MigratedHistory {
  /// The rows are converted to the new model. This package has started the history.
  case converted
  /// The rows stay as they are, because they mean the same in the new model. Core Data has started the history.
  case kept
  /// The rows are deleted, and new transactions continue their numbers. The caller has chosen this.
  case restarted

  /// The rules for the history of a store.
  struct Rules {
    /// True if this package has started the history.
    let isOwn: Bool
    /// True if the caller wants a new history.
    let startsNew: Bool
  }

  /// Returns the treatment of a history; nil if the store has no history.
  ///
  /// - Parameters:
  ///   - steps: The steps of the migration.
  ///   - old: The schema of the store before the first step.
  /// - Throws: ``ManagedObjectError/Code/migration`` with all reasons why the history cannot be kept.
  /// - Complexity: O(*n*) in the number of recorded changes if Core Data has started the history.
  init?(
    _ steps: [MigrationStep.Kind], _ rules: Rules, _ old: StoreSchema, _ configuration: String?, _ file: FileSchema,
    _ database: Database
  ) throws(ManagedObjectError) {
    guard let layout = try HistoryLayout(file, database) else { return nil }
    if rules.isOwn, !rules.startsNew {
      guard HistoryTables.areThere(file) else { return nil }
      self = .converted
      return
    }
    if !layout.obstacles.isEmpty {
      throw ManagedObjectError(
        .migration,
        "\(database.path) cannot be migrated: \(layout.obstacles.joined(separator: "; ")); copy its objects to a new "
          + "store")
    }
    if rules.startsNew {
      self = .restarted
      return
    }
    var schema = old
    var reasons: [String] = []
    let changes = try RecordedChanges.all(database)
    for step in steps {
      guard case .inferred(let mapping) = step else {
        reasons.append("the mapping creates all objects again")
        break
      }
      let new = StoreSchema(mapping.destination, configuration: configuration)
      for recorded in changes { reasons += recorded.reasons(mapping, schema, new) }
      let count = HistoryTables.tombstoneCount(mapping.destination)
      if count > layout.tombstoneCount {
        reasons.append(
          "the new model preserves \(count) values of deleted objects, and the history has columns for "
            + "\(layout.tombstoneCount)")
      }
      schema = new
    }
    if !reasons.isEmpty {
      throw ManagedObjectError(
        .migration,
        "\(database.path) has a history that Core Data has started, and it is not known how Core Data converts it: "
          + (reasons.prefix(5) + (reasons.count > 5 ? ["…"] : [])).joined(separator: "; ")
          + "; migrate the store with a new history (startsNewHistory), or copy its "
          + "objects to a new store")
    }
    self = .kept
  }
}

/// The kinds of changes that a history has recorded for objects of an entity.
private struct RecordedChanges {
  let number: Int64
  let hasUpdates: Bool
  let hasDeletions: Bool

  static func all(_ database: Database) throws(ManagedObjectError) -> [RecordedChanges] {
    let (update, delete) = (PersistentHistoryChange.Kind.update.rawValue, PersistentHistoryChange.Kind.delete.rawValue)
    let statement = try database.statement(
      "SELECT ZENTITY, MAX(ZCHANGETYPE = \(update)), MAX(ZCHANGETYPE = \(delete)) FROM \(HistoryTables.changes) "
        + "GROUP BY ZENTITY ORDER BY ZENTITY")
    var found: [RecordedChanges] = []
    try statement.forEachRow {
      found.append(
        RecordedChanges(
          number: statement.integer(0), hasUpdates: statement.integer(1) != 0, hasDeletions: statement.integer(2) != 0))
    }
    return found
  }

  /// Returns the reasons why the recorded changes would not mean the same in the new model.
  func reasons(_ mapping: InferredMapping, _ old: StoreSchema, _ new: StoreSchema) -> [String] {
    guard let index = old.entityIndices[number] else {
      return ["it has changes of the entity number \(number), which the model does not have"]
    }
    let entity = mapping.source.entities[index]
    guard let destination = mapping.destination(of: index), new.numbers[destination] != 0 else {
      return ["it has changes of the entity \(entity.name), which is removed"]
    }
    let newEntity = mapping.destination.entities[destination]
    if new.numbers[destination] != number {
      return ["the number of the entity \(newEntity.name) changes from \(number) to \(new.numbers[destination])"]
    }
    if hasUpdates, !HistoryColumns(newEntity, new).continues(HistoryColumns(entity, old), mapping) {
      return ["the bits of \(newEntity.name) in its updates change"]
    }
    if hasDeletions, !preservesSame(mapping, entity, newEntity) {
      return ["the preserved values of deleted \(newEntity.name) objects change"]
    }
    return []
  }

  private func preservesSame(
    _ mapping: InferredMapping, _ old: ManagedObjectModel.Entity, _ new: ManagedObjectModel.Entity
  ) -> Bool {
    HistoryTables.preserved(old).elementsEqual(HistoryTables.preserved(new)) { former, attribute in
      mapping.properties[new.index][attribute.name] == former.name
        && attribute.definition.isExternal == former.definition.isExternal
    }
  }
}

/// Functions that compare the columns of two versions of an entity.
extension HistoryColumns {
  /// True if each bit of an update that was recorded with the columns of the old entity means the same with these
  /// columns. New columns may follow the old ones if `ZCOLUMNS` does not become longer.
  fileprivate func continues(_ old: HistoryColumns, _ mapping: InferredMapping) -> Bool {
    guard data([]).count == old.data([]).count, columns.count >= old.columns.count,
      zip(old.columns, columns).allSatisfy({ $0 == former($1, mapping) })
    else { return false }
    if toManys.count < 2, old.toManys.count < 2 { return true }
    // Core Data probably orders several to-many relationships by a hash table of all names: see ``HashOrder``.
    guard let order = HashOrder(entity) else { return false }
    return order == HashOrder(old.entity)
      && toManys.allSatisfy { mapping.properties[entity.index][$0.name] == $0.name }
  }

  /// Returns the column of the old entity from which a column comes; nil if it is new.
  private func former(_ column: Column, _ mapping: InferredMapping) -> Column? {
    switch column {
    case .property(let slot): return formerSlot(slot, mapping).map { .property(slot: $0) }
    case .entityNumber(let slot): return formerSlot(slot, mapping).map { .entityNumber(slot: $0) }
    case .element(let slot, let path):
      guard let former = formerSlot(slot, mapping),
        let name = entity.properties.first(where: { $0.slot == slot })?.name,
        let leaf = mapping.elements[entity.index][name]?.flatMap(\.leaves).first(where: { $0.keys == path }),
        let formerPath = leaf.former
      else { return nil }
      return .element(slot: former, path: formerPath)
    case .owner(let name):
      let owner = name.owner(in: mapping.destination)
      guard let old = mapping.sourceEntity(of: owner), let former = mapping.properties[owner.index][name.name] else {
        return nil
      }
      return .owner(PropertyName(old, former))
    case .unknown: return .unknown
    }
  }

  /// Returns the slot of the property from which a property comes. A property that becomes a derived attribute, or
  /// ceases to be one, counts as new, because the bits of derived attributes were not seen in files of Core Data.
  private func formerSlot(_ slot: Int, _ mapping: InferredMapping) -> Int? {
    guard let property = entity.properties.first(where: { $0.slot == slot }),
      let old = mapping.sourceEntity(of: entity),
      let name = mapping.properties[entity.index][property.name], let former = old.property(named: name)
    else { return nil }
    func isDerived(_ name: String, _ entity: ManagedObjectModel.Entity) -> Bool {
      entity.attribute(named: name)?.definition.derivation != nil
    }
    if isDerived(property.name, entity) != isDerived(name, old) { return nil }
    return former.slot
  }
}
