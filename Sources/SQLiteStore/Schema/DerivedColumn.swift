internal import ManagedObjects
internal import SQLQueries
internal import SQLiteAccess

/// The column of a derived attribute, and Core Data's triggers that keep it up to date.
///
/// The text of the triggers is known for a count of the objects in a one-to-many relationship, with or without an
/// inverse: the foreign key of the related objects is a column, and each trigger on their table changes the count.
struct DerivedColumn {
  struct Trigger {
    let name: String
    let statement: String
  }

  /// The name of the attribute, as `Entity.attribute`.
  let name: String
  let entity: ManagedObjectModel.Entity
  let attribute: String
  /// The triggers; empty if Core Data's text is not known.
  let triggers: [Trigger]
  /// The statements that compute the values of all rows; empty if Core Data's triggers are not known.
  let computation: [String]
  /// The reason why Core Data's triggers are not known; nil if they are.
  let obstacle: String?

  /// Returns the columns of all derived attributes of a store, by entity, then by name.
  static func all(_ schema: StoreSchema) -> [DerivedColumn] {
    schema.model.entities.filter { schema.numbers[$0.index] != 0 }.flatMap { entity in
      entity.attributes.dropFirst(entity.superentity?.attributes.count ?? 0)
        .filter { $0.definition.derivation != nil && !$0.isTransient }.sorted { $0.name.precedes($1.name) }
        .map { DerivedColumn($0, entity, schema) }
    }
  }

  /// True if the triggers of a file keep the attribute: all of those that Core Data makes, or if these are not known,
  /// at least one that has the name of the attribute.
  func isKept(by names: Set<String>) -> Bool {
    if !triggers.isEmpty { return triggers.allSatisfy { names.contains($0.name) } }
    let part = "_\(entity.name)_\(attribute)_"
    return names.contains { $0.hasPrefix("Z_DA_") && $0.contains(part) }
  }

  private init(
    _ attribute: ManagedObjectModel.Entity.Attribute, _ entity: ManagedObjectModel.Entity, _ schema: StoreSchema
  ) {
    name = "\(entity.name).\(attribute.name)"
    self.entity = entity
    self.attribute = attribute.name
    switch Count.of(attribute, entity, schema) {
    case .success(let count): (triggers, computation, obstacle) = (count.triggers, count.computation, nil)
    case .failure(let unknown): (triggers, computation, obstacle) = ([], [], unknown.reason)
    }
  }

  private struct Unknown: Error {
    let reason: String
  }

  /// A count of the objects whose foreign key refers to the row.
  private struct Count {
    let prefix: (related: String, owner: String)
    let owner: String
    let column: String
    let related: String
    let key: String
    let attribute: String
    /// The entity numbers of the rows that have the attribute.
    let numbers: ClosedRange<Int64>
    /// True if the triggers test the entity numbers. They do if the relationship has no inverse.
    let testsNumbers: Bool

    static func of(
      _ attribute: ManagedObjectModel.Entity.Attribute, _ entity: ManagedObjectModel.Entity, _ schema: StoreSchema
    ) -> Result<Count, Unknown> {
      func unknown(_ reason: String) -> Result<Count, Unknown> { .failure(Unknown(reason: reason)) }
      guard let derivation = attribute.definition.derivation, derivation.filter == nil else {
        return unknown("its derivation has a filter")
      }
      guard let path = derivation.countedPath, let relationship = entity.relationship(named: path),
        relationship.definition.isToMany
      else { return unknown("it is not the @count of a to-many relationship") }
      switch attribute.definition.type {
      case .integer16, .integer32, .integer64: break
      default: return unknown("it counts objects, but is not an integer")
      }
      guard let table = schema.table(ofEntity: entity.index),
        let column = table.attributeColumns[PropertyName(entity, attribute.name)],
        case .toMany(let columns) = schema.slotColumns[entity.index][relationship.slot]
      else { return unknown("it counts a relationship that is not stored") }
      guard case .column(let index, let key, _, _) = columns.source else {
        return unknown("it counts a many-to-many relationship")
      }
      let isOwned = entity.inverse(of: relationship).map { $0.isTransient } ?? true
      if !isOwned, entity.superentity != nil { return unknown("it counts a relationship, and is in a subentity") }
      let related = schema.tables[index]
      let numbers = entity.subtree.map { schema.numbers[$0] }.filter { $0 != 0 }
      let name = "\(entity.name)_\(attribute.name)"
      return .success(
        Count(
          prefix: ("Z_DA_\(related.name)_\(name)", "Z_DA_\(table.name)_\(name)"), owner: table.name,
          column: table.columns[column].name, related: related.name, key: related.columns[key].name,
          attribute: attribute.name, numbers: (numbers.min() ?? 0)...(numbers.max() ?? 0), testsNumbers: isOwned))
    }

    private var range: String { "\(numbers.lowerBound) <= Z_ENT AND Z_ENT <= \(numbers.upperBound)" }

    /// The first statement sets all counts to 0, the second one those of rows with related objects. Together they read
    /// each table once, also without an index of the foreign key.
    var computation: [String] {
      let (owner, column) = (owner.sqlName, column.sqlName)
      let (related, key) = (related.sqlName, key.sqlName)
      return [
        "UPDATE \(owner) SET \(column) = 0 WHERE \(range)",
        "UPDATE \(owner) SET \(column) = number FROM (SELECT \(key) AS owner, COUNT(*) AS number FROM \(related) "
          + "GROUP BY \(key)) WHERE Z_PK = owner AND \(range)",
      ]
    }

    var triggers: [Trigger] {
      let (owner, column) = (owner.sqlNameIfNeeded, column.sqlNameIfNeeded)
      let (related, key) = (related.sqlNameIfNeeded, key.sqlNameIfNeeded)
      let range = testsNumbers ? " AND \(range)" : ""
      func report(_ kind: String, _ condition: String) -> String {
        "SELECT NSCoreDataDATrigger\(kind)AffectedObjectValue(\(self.owner.sqlText), Z_ENT, Z_PK, "
          + "\(attribute.sqlText), \(column)) FROM \(owner) WHERE \(condition); END"
      }
      func change(_ part: String, _ event: String, _ row: String, _ value: String) -> Trigger {
        let name = "\(prefix.related)_PARAMETER_\(part)"
        let condition = "Z_PK = \(row).\(key)\(range)"
        return Trigger(
          name: name,
          statement: "CREATE TRIGGER \(name.sqlNameIfNeeded) AFTER \(event) ON \(related) FOR EACH ROW "
            + "WHEN (\(row).\(key) NOT NULL) BEGIN UPDATE \(owner) SET \(column) = \(value) WHERE \(condition); "
            + report("Updated", condition))
      }
      let name = "\(prefix.owner)_SOURCE_INSERT"
      let test =
        testsNumbers ? " WHEN \(numbers.lowerBound) <= NEW.Z_ENT AND NEW.Z_ENT <= \(numbers.upperBound)" : ""
      return [
        change("INSERT", "INSERT", "NEW", "IFNULL(\(column), 0) + 1"),
        change("UPDATE_INCREMENT", "UPDATE OF \(key)", "NEW", "\(column) + 1"),
        change("UPDATE_DECREMENT", "UPDATE OF \(key)", "OLD", "\(column) - 1"),
        change("DELETE", "DELETE", "OLD", "\(column) - 1"),
        Trigger(
          name: name,
          statement: "CREATE TRIGGER \(name.sqlNameIfNeeded) AFTER INSERT ON \(owner) FOR EACH ROW\(test) "
            + "BEGIN UPDATE \(owner) SET \(column) = (SELECT IFNULL(COUNT(\(key)), 0) FROM \(related) "
            + "WHERE \(key) = NEW.Z_PK) WHERE Z_PK = NEW.Z_PK; " + report("InsertUpdated", "Z_PK = NEW.Z_PK")),
      ]
    }
  }
}
