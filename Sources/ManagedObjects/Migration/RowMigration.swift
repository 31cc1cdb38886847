internal import ObjectModels
internal import OrderedCollections
internal import Predicates
internal import PropertyLists

/// An inferred migration of rows in memory. Rows keep their primary keys and versions.
struct RowMigration {
  private let mapping: InferredMapping
  private let old: RowTable
  /// The objects in new relationships that are computed from old inverses, by relationship and by the key of the object
  /// that has the relationship.
  private var reversed: [PropertyName: [RowKey: [RowKey]]] = [:]
  private let report: MigrationReports.Step

  init(_ mapping: InferredMapping, _ old: RowTable, report: @escaping MigrationReports.Step) {
    self.mapping = mapping
    self.old = old
    self.report = report
  }

  /// Returns the rows of the new model. Their keys have the same store number as the old ones.
  ///
  /// - Throws: ``ManagedObjectError/Code/inferredMapping`` if an entity that has objects becomes abstract,
  ///   ``ManagedObjectError/Code/migrationConstraint`` if objects have the same values for a new uniqueness constraint.
  /// - Complexity: O(*n* log *n*) in the number of rows and references.
  mutating func migrate(_ configuration: String?) throws(ManagedObjectError) -> RowTable {
    var table = RowTable(model: mapping.destination, storeNumber: old.storeNumber, configuration: configuration)
    var changes = StoreChanges()
    for entity in mapping.destination.entities {
      guard let former = mapping.sourceEntity(of: entity) else { continue }
      let rows = old.rows(ofEntity: former.index)
      if rows.isEmpty { continue }
      if entity.isAbstract {
        throw ManagedObjectError(
          .inferredMapping, "the entity \(entity.name.quoted) becomes abstract, but has objects")
      }
      guard table.isMember[entity.index] else { continue }
      try report(.objects, entity.name, 0, rows.count)
      let properties = properties(of: entity, former)
      for row in rows { changes.inserted.append(migrated(row, entity, properties)) }
      try report(.objects, entity.name, rows.count, rows.count)
    }
    do { try table.apply(changes) } catch { throw error.inMigration }
    table.keepTimes(of: changes.inserted)
    return table
  }

  /// The origin of the value in a slot of a new row.
  private enum Origin {
    /// The value in a slot of the old row, or the associated value `or` if the old value is null.
    case attribute(Int, or: AttributeValue)
    case relationship(Int, ManagedObjectModel.Entity.Relationship)
    /// The objects that refer to this object in the old relationship that becomes the inverse.
    case inverse(PropertyName, ManagedObjectModel.Entity.Relationship)
    case constant(AttributeValue)
    /// The value in a slot of the old row, with the elements of the new model, or `or` if the old value is null.
    case composite(Int, [ElementMapping], or: AttributeValue)
  }

  private mutating func properties(
    of entity: ManagedObjectModel.Entity, _ former: ManagedObjectModel.Entity
  ) -> [(slot: Int, origin: Origin)] {
    var origins: [(slot: Int, origin: Origin)] = []
    let names = mapping.properties[entity.index]
    for attribute in entity.attributes where !attribute.isTransient {
      if let old = names[attribute.name].flatMap({ former.attribute(named: $0) }),
        old.definition.type == attribute.definition.type
      {
        let slot = old.slot
        let other = attribute.isOptional ? .null : attribute.initialValue
        if let elements = mapping.elements[entity.index][attribute.name] {
          origins.append((attribute.slot, .composite(slot, elements, or: other)))
        } else {
          origins.append((attribute.slot, .attribute(slot, or: other)))
        }
      } else {
        origins.append((attribute.slot, .constant(attribute.initialValue)))
      }
    }
    for relationship in entity.relationships where !relationship.isTransient {
      let name = PropertyName(entity, relationship.name)
      if let slot = names[relationship.name].flatMap({ former.relationship(named: $0)?.slot }) {
        origins.append((relationship.slot, .relationship(slot, relationship)))
      } else if mapping.origins(of: name).isEmpty, let inverse = mapping.inverse(of: name, mapping.destination) {
        if reversed[name] == nil { reversed[name] = references(inverse) }
        origins.append((relationship.slot, .inverse(name, relationship)))
      }
    }
    return origins
  }

  /// For each object, returns the keys of the objects that refer to it in a relationship of the new model. All keys are
  /// the new ones.
  private func references(_ name: PropertyName) -> [RowKey: [RowKey]] {
    var references: [RowKey: [RowKey]] = [:]
    for origin in mapping.origins(of: name) {
      for index in origin.entities {
        guard let former = mapping.entities[index].map({ ManagedObjectModel.Entity(model: mapping.source, index: $0) }),
          let slot = former.relationship(named: origin.former.name)?.slot
        else { continue }
        for row in old.rows(ofEntity: former.index) {
          let source = RowKey(store: old.storeNumber, entityIndex: index, number: row.key.number)
          row.values[slot].forEachKey { if let key = newKey($0) { references[key, default: []].append(source) } }
        }
      }
    }
    return references
  }

  /// Returns the key of an object after the migration; nil if its entity is removed.
  private func newKey(_ key: RowKey) -> RowKey? {
    mapping.destination(of: Int(key.entityIndex)).map {
      RowKey(store: old.storeNumber, entityIndex: $0, number: key.number)
    }
  }

  private func migrated(
    _ row: StoreRow, _ entity: ManagedObjectModel.Entity, _ properties: [(slot: Int, origin: Origin)]
  ) -> StoreRow {
    let key = RowKey(store: old.storeNumber, entityIndex: entity.index, number: row.key.number)
    var new = StoreRow(key: key, version: row.version, values: entity.emptyValues)
    for (slot, origin) in properties {
      switch origin {
      case .constant(let value): new.values[slot] = .attribute(value)
      case .attribute(let former, let other):
        new.values[slot] = row.values[former] == .null ? .attribute(other) : row.values[former]
      case .composite(let former, let elements, let other):
        guard case .attribute(let value) = row.values[former] else { continue }
        let migrated = elements.migrated(value)
        new.values[slot] = .attribute(migrated == .null ? other : migrated)
      case .relationship(let former, let relationship):
        new.values[slot] = value(row.values[former], relationship, entity)
      case .inverse(let name, let relationship):
        new.values[slot] = relationship.value(reversed[name]?[key]?.sorted { $0.number < $1.number } ?? [])
      }
    }
    return new
  }

  /// Returns the new value of a relationship: the same objects with their new keys, without objects of removed
  /// entities. References to deleted objects are kept only if the new relationship allows them.
  private func value(
    _ value: RowValue, _ relationship: ManagedObjectModel.Entity.Relationship, _ entity: ManagedObjectModel.Entity
  ) -> RowValue {
    let allowed = entity.destination(of: relationship).subtree
    let keepsDeleted = entity.keepsDeletedObjects(relationship)
    var keys: [RowKey] = []
    value.forEachKey { key in
      guard let new = newKey(key), allowed.contains(Int(new.entityIndex)), keepsDeleted || old.row(key) != nil else {
        return
      }
      keys.append(new)
    }
    if case .orderedToMany = value {} else { keys.sort { $0.number < $1.number } }
    return relationship.value(keys)
  }
}

extension RowTable {
  /// Sets derived attributes that do not depend on the object, such as `now()`, to the values before the migration,
  /// because a migration is not a change of the objects.
  ///
  /// - Parameter rows: The rows with those values.
  fileprivate mutating func keepTimes(of rows: [StoreRow]) {
    for rule in derivations where rule.readsNothing {
      for row in rows where rule.entities.contains(Int(row.key.entityIndex)) && row.values[rule.slot] != .null {
        guard var new = self.row(row.key) else { continue }
        new.values[rule.slot] = row.values[rule.slot]
        entityRows[Int(row.key.entityIndex)].replace(with: new)
      }
    }
  }
}

extension ManagedObjectModel.Entity.Relationship {
  /// The value of the relationship with the given objects.
  fileprivate func value(_ keys: [RowKey]) -> RowValue {
    if !definition.isToMany { return .toOne(keys.first) }
    return definition.isOrdered ? .orderedToMany(OrderedSet(keys)) : .toMany(Set(keys))
  }
}

extension MigrationLoss {
  /// Returns the losses of a migration of rows in memory.
  ///
  /// - Parameter handled: The names of the entities to leave out, because a function of the program migrates their
  ///   objects.
  /// - Complexity: O(*n*) in the number of rows.
  static func all(_ mapping: InferredMapping, _ old: RowTable, except handled: Set<String> = []) -> [MigrationLoss] {
    var losses: [MigrationLoss] = []
    var counts: OrderedDictionary<PropertyName, Int> = [:]
    for entity in mapping.source.entities where !entity.isAbstract && !handled.contains(entity.name) {
      let rows = old.rows(ofEntity: entity.index)
      guard mapping.destination(of: entity.index) != nil else {
        if !rows.isEmpty {
          losses.append(MigrationLoss(entityName: entity.name, propertyName: nil, objectCount: rows.count))
        }
        continue
      }
      for property in entity.properties where mapping.drops(property, of: entity) {
        let count = rows.count { !$0.values[property.slot].isMissing }
        if count > 0 { counts[PropertyName(entity, property.name), default: 0] += count }
      }
      for attribute in entity.attributes {
        for path in mapping.droppedElements(of: attribute, entity) {
          let count = rows.count { row in
            guard case .attribute(let value) = row.values[attribute.slot] else { return false }
            return value.leaf(at: path[...]) != .null
          }
          if count == 0 { continue }
          let owner = PropertyName(entity, attribute.name)
          let name = ([attribute.name] + path).joined(separator: ".")
          counts[PropertyName(owner.owner(in: mapping.source), name), default: 0] += count
        }
      }
    }
    for (name, count) in counts {
      losses.append(
        MigrationLoss(
          entityName: name.owner(in: mapping.source).name, propertyName: name.name, objectCount: count))
    }
    return losses
  }
}

extension RowValue {
  /// True if an object has no value for the property.
  fileprivate var isMissing: Bool {
    switch self {
    case .attribute(let value): value == .null
    case .toOne, .toMany, .orderedToMany: keys.isEmpty
    case .unread: true
    }
  }
}
