internal import ManagedObjects
internal import SQLQueries

/// Something that a migration drops because the new model does not have it: the values of a property, or the objects of
/// an entity.
///
/// ```swift
/// for loss in try SQLiteStore.migrate(file, to: newModel, droppedValues: .drop) {
///   print(loss.entityName, loss.propertyName ?? "", loss.objectCount)  // Note subtitle 12
/// }
/// ```
public struct MigrationLoss: Hashable, Sendable {
  /// The name of the entity in the old model.
  public let entityName: String
  /// The name of the property in the old model; nil if the objects themselves are dropped.
  public let propertyName: String?
  /// The number of objects that have a value for the property, or that are dropped themselves. Always greater than 0.
  public let objectCount: Int
}

extension MigrationLoss: CustomStringConvertible {
  /// A message such as `"Note.subtitle" is missing from the new model; 12 objects have a value`.
  public var description: String {
    let isOne = objectCount == 1
    guard let propertyName else {
      let objects = isOne ? "1 object" : "\(objectCount) objects"
      return "the entity \(entityName.quoted) is missing from the new model; it has \(objects)"
    }
    let objects = isOne ? "1 object has" : "\(objectCount) objects have"
    return "\("\(entityName).\(propertyName)".quoted) is missing from the new model; \(objects) a value"
  }
}

/// The handling of values and objects that the new model cannot represent, because it lacks their property or entity.
public enum DroppedValuePolicy: Sendable {
  /// A migration that would drop values throws ``ManagedObjectError/Code/droppedValues``, or
  /// ``ManagedObjectError/Code/multipleErrors`` for several losses, and changes nothing.
  case refuse
  /// Values are dropped, as Core Data does.
  case drop
}

extension MigrationLoss {
  /// Returns the losses of a migration: the values and objects of a store that a mapping drops.
  ///
  /// - Parameters:
  ///   - old: The schema of the store before its tables are renamed.
  ///   - handled: The names of the entities whose objects a function of the program migrates. They do not count.
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
      for property in entity.properties where mapping.drops(property, of: entity) {
        guard let test = old.presence(of: property, entity, table) else { continue }
        let count = try database.number("SELECT COUNT(*) FROM \(table.name.sqlName) WHERE \(condition) AND \(test)")
        let name = PropertyName(entity, property.name)
        if let index = counts.firstIndex(where: { $0.name == name }) {
          counts[index].count += count
        } else {
          counts.append((name, count))
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

extension DroppedValuePolicy {
  /// Checks that the policy allows the losses of a migration.
  ///
  /// - Throws: ``ManagedObjectError/Code/droppedValues`` for a loss that it does not allow, or
  ///   ``ManagedObjectError/Code/multipleErrors`` for several.
  func check(_ losses: [MigrationLoss]) throws(ManagedObjectError) {
    if self == .drop { return }
    let errors = losses.map { ManagedObjectError(.droppedValues, "\($0)") }
    if let error = ManagedObjectError(all: errors) { throw error }
  }
}

extension InferredMapping {
  /// True if a migration drops the values of a property of the old model, because no property of the new model comes
  /// from it. A relationship is kept if one of its two sides is kept.
  fileprivate func drops(_ property: ManagedObjectModel.Entity.Property, of entity: ManagedObjectModel.Entity) -> Bool {
    if property.traits.isTransient || isKept(property.name, of: entity) { return false }
    switch property {
    // The store computes derived attributes again.
    case .attribute(let attribute): return attribute.definition.derivation == nil
    case .relationship(let relationship):
      guard let inverse = entity.inverse(of: relationship) else { return true }
      return !entity.destination(of: relationship).selfAndDescendants.contains { isKept(inverse.name, of: $0) }
    }
  }

  private func isKept(_ name: String, of entity: ManagedObjectModel.Entity) -> Bool {
    destination(of: entity.index).map { properties[$0].values.contains(name) } ?? false
  }
}

extension StoreSchema {
  /// Returns SQL that is true if a row has a value of a property; nil for a property that the file does not store.
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
