internal import ObjectModels
internal import OrderedCollections
internal import Predicates
internal import PropertyLists

/// A migration step with a mapping. It creates the objects of a new store from those of the old one, in batches: first
/// all objects with their attributes, then their relationships.
package final class ObjectMigration {
  let plan: MappingPlan
  let source: Side
  let destination: Side
  private(set) var associations: ObjectAssociations
  private let report: MigrationReports.Step

  /// The old or the new store, with a context for it.
  struct Side {
    let store: any PersistentStore
    let context: ManagedObjectContext

    init(_ store: any PersistentStore) throws(ManagedObjectError) {
      self.store = store
      let coordinator = PersistentStoreCoordinator(model: store.model)
      try coordinator.add(store)
      context = ManagedObjectContext(coordinator: coordinator)
    }

    /// Returns the object with a key; nil if it was deleted.
    func existingObject(_ key: RowKey) throws(ManagedObjectError) -> ManagedObject? {
      do {
        return try context.existingObject(
          with: ManagedObjectID(key, model: store.model, storeIdentifier: store.identifier))
      } catch {
        if error.code == .referentialIntegrity { return nil }
        throw error
      }
    }

    /// Returns the keys of all objects of an entity, without its subentities, in ascending order.
    func keys(of entity: ManagedObjectModel.Entity) throws(ManagedObjectError) -> [RowKey] {
      var request = FetchRequest(entity.name)
      request.includesSubentities = false
      request.resultType = .objectIDs
      guard case .keys(let keys) = try store.fetch(request, of: entity) else { return [] }
      return keys.sorted()
    }

    /// Returns the keys, among the given ones, whose objects exist in the store.
    func present(_ keys: [RowKey]) throws(ManagedObjectError) -> Set<RowKey> {
      Set(try store.rows(keys).compactMap { $0?.key })
    }

    /// Returns the objects with the given keys that exist and match a predicate, by key.
    func objects(
      _ keys: [RowKey], _ predicate: ManagedPredicate? = nil, prefetching names: [String] = []
    ) throws(ManagedObjectError) -> [RowKey: ManagedObject] {
      var found: [RowKey: ManagedObject] = [:]
      for (entity, keys) in Dictionary(grouping: keys, by: \.entityIndex) {
        let isMember = ManagedPredicate.comparing(.evaluatedObject, .in, .constant(.array(keys.map { .object($0) })))
        var request = FetchRequest(store.model.entity(at: Int(entity)).name)
        request.predicate = predicate.map { .and([isMember, $0]) } ?? isMember
        request.includesSubentities = false
        request.relationshipKeyPathsForPrefetching = names
        for object in try context.fetch(request) { found[object.objectKey] = object }
      }
      return found
    }
  }

  static let batchSize = 500

  package init(
    _ plan: MappingPlan, from source: any PersistentStore, to destination: any PersistentStore,
    report: @escaping MigrationReports.Step
  ) throws(ManagedObjectError) {
    self.plan = plan
    self.source = try Side(source)
    self.destination = try Side(destination)
    self.report = report
    associations = ObjectAssociations(plan)
    // All objects are validated at the end, after their relationships have been set.
    self.destination.context.validatesOnSave = false
  }

  package func migrateObjects() throws(ManagedObjectError) {
    for (index, entity) in plan.entities.enumerated() {
      try perform(entity.policy?.begin, entity)
      if entity.makesObjects { try makeObjects(entity, index) }
      try perform(entity.policy?.endInstanceCreation, entity)
    }
    if plan.entities.contains(where: { $0.policy?.createDestinationInstances != nil }) { try forgetDeleted() }
    for (index, entity) in plan.entities.enumerated() {
      if entity.relates {
        try relate(entity, index)
        if entity.policy?.createRelationships != nil { try forgetDeleted() }
      }
      try perform(entity.policy?.endRelationshipCreation, entity)
    }
    for entity in plan.entities {
      try perform(entity.policy?.performCustomValidation, entity)
      try perform(entity.policy?.end, entity)
    }
    try validate()
  }

  /// Calls a function of a policy that does not concern a single object, and saves its changes.
  private func perform(
    _ step: EntityMigrationPolicy.Step?, _ entity: MappingPlan.Entity
  ) throws(ManagedObjectError) {
    guard let step else { return }
    let migration = EntityMigration(entity, self, canMakeObjects: false)
    try calling(nil) { try step(migration) }
    try save()
    try checkMisuse()
    source.context.reset()
    destination.context.reset()
    try forgetDeleted()
  }

  /// Evaluates the mapping's expression for a property. Returns the value of the property in the new object for
  /// `source`.
  func value(
    _ expression: MappingExpression, of source: ManagedObject, _ name: String
  ) throws(ManagedObjectError) -> ManagedObject.Value {
    do { return try expression.value(of: source) } catch {
      var failure = ManagedObjectError(
        .migration, "the value of \(name.quoted) cannot be computed: \(error)", objectID: source.objectID, key: name)
      failure.predicateError = error
      throw failure
    }
  }

  private func makeObjects(_ entity: MappingPlan.Entity, _ index: Int) throws(ManagedObjectError) {
    try forEachBatch(of: entity, .objects, prefetching: []) { sources throws(ManagedObjectError) in
      let migration = EntityMigration(entity, self, canMakeObjects: true)
      for source in sources {
        migration.current = source
        if let create = entity.policy?.createDestinationInstances {
          try calling(source) { try create(source, migration) }
        } else {
          try migration.createDestinationInstances(forSource: source)
        }
      }
      let made = migration.made
      try save()
      associations.add(made.map { (source: $0.source, destination: $0.destination.objectKey) }, toMapping: index)
    }
  }

  private func forEachBatch(
    of entity: MappingPlan.Entity, _ phase: MigrationProgress.Phase, prefetching names: [String],
    _ body: ([ManagedObject]) throws(ManagedObjectError) -> Void
  ) throws(ManagedObjectError) {
    guard let from = entity.source else { return }
    var request = FetchRequest(from.name)
    request.predicate = entity.predicate
    request.includesSubentities = false
    let total = try source.context.count(for: request)
    var done = 0
    try report(phase, entity.mapping.name, done, total)
    let all = try source.keys(of: from)
    for start in stride(from: 0, to: all.count, by: Self.batchSize) {
      let keys = Array(all[start..<min(start + Self.batchSize, all.count)])
      let found = try source.objects(keys, entity.predicate, prefetching: names)
      let sources = keys.compactMap { found[$0] }
      if sources.isEmpty { continue }
      try body(sources)
      try checkMisuse()
      source.context.reset()
      destination.context.reset()
      done += sources.count
      try report(phase, entity.mapping.name, done, total)
    }
  }

  /// Calls a function of the program. Wraps errors of other types in a ``ManagedObjectError``.
  private func calling(_ source: ManagedObject?, _ body: () throws -> Void) throws(ManagedObjectError) {
    do { try body() } catch let error as ManagedObjectError {
      throw error
    } catch {
      var failure = ManagedObjectError(.entityMigrationPolicy, "\(error)", objectID: source?.objectID)
      failure.underlyingError = error
      throw failure
    }
  }

  /// Removes deleted objects from ``associations``, so that no relationship will refer to them.
  private func forgetDeleted() throws(ManagedObjectError) {
    let destination = destination
    try associations.keep(batchSize: Self.batchSize) { keys throws(ManagedObjectError) in
      try destination.present(keys)
    }
  }

  private func save() throws(ManagedObjectError) {
    do { try destination.context.save() } catch { throw error.inMigration }
  }

  /// Throws if a value of the old store could not be read. Otherwise the value would be lost: it would become null in
  /// the new store. References to deleted objects are allowed, and become null.
  private func checkMisuse() throws(ManagedObjectError) {
    for context in [source.context, destination.context] {
      if let error = context.misuse.first(where: { $0.code != .referentialIntegrity }) { throw error }
      context.misuse = []
    }
  }

  private func relate(_ entity: MappingPlan.Entity, _ index: Int) throws(ManagedObjectError) {
    let names = Set(entity.relationships.compactMap(\.expression.relationshipName)).sorted()
    try forEachBatch(of: entity, .relationships, prefetching: names) { sources throws(ManagedObjectError) in
      let pairs = sources.flatMap { source in
        associations.destinations(of: source.objectKey.number, mapping: index).map { (source, $0) }
      }
      guard let relation = entity.policy?.createRelationships else { return try relate(entity, pairs) }
      let migration = EntityMigration(entity, self, canMakeObjects: false)
      let found = try destination.objects(pairs.map(\.1))
      for (source, key) in pairs {
        guard let object = found[key] else { continue }
        migration.current = source
        try calling(source) { try relation(source, object, migration) }
      }
      try save()
    }
  }

  /// Sets relationships of new objects as the mapping describes. Saves rows without a context, because a context would
  /// read all objects of the inverse relationships.
  private func relate(_ entity: MappingPlan.Entity, _ pairs: [(ManagedObject, RowKey)]) throws(ManagedObjectError) {
    var rows: [RowKey: StoreRow] = [:]
    for row in try destination.store.rows(pairs.map(\.1)).compactMap(\.self) { rows[row.key] = row }
    let snapshots = rows
    var changed: Set<RowKey> = []
    for (name, expression) in entity.relationships {
      let targets = try pairs.map { source, _ throws(ManagedObjectError) in try keys(expression, of: source, name) }
      var slots: [RowKey: Int] = [:]
      for (_, key) in pairs {
        slots[key] =
          ManagedObjectModel.Entity(model: plan.destination, index: Int(key.entityIndex))
          .relationship(named: name)?.slot
      }
      let stored = try storedValues(slots)
      for ((_, key), targets) in zip(pairs, targets) {
        guard let slot = slots[key], !targets.isEmpty, let old = stored[key] else { continue }
        rows[key]?.values[slot] = old.adding(targets)
        changed.insert(key)
      }
    }
    var changes = StoreChanges()
    for key in changed.sorted() {
      guard let row = rows[key], let snapshot = snapshots[key] else { continue }
      changes.updated.append(row)
      changes.snapshots.append(snapshot)
    }
    do { try destination.store.save(changes) } catch { throw error.inMigration }
  }

  private func storedValues(_ slots: [RowKey: Int]) throws(ManagedObjectError) -> [RowKey: RowValue] {
    var values: [RowKey: RowValue] = [:]
    for keys in Dictionary(grouping: slots.keys, by: \.entityIndex).values {
      guard let slot = keys.first.flatMap({ slots[$0] }) else { continue }
      for (key, value) in zip(keys, try destination.store.values(ofSlot: slot, keys)) { values[key] = value }
    }
    return values
  }

  /// Evaluates the mapping's expression for a relationship. Returns the keys of the objects that the relationship will
  /// contain in the new object for `source`.
  private func keys(
    _ expression: MappingExpression, of source: ManagedObject, _ name: String
  ) throws(ManagedObjectError) -> [RowKey] {
    guard case .destinations(let mapping) = expression.result else { return [] }
    return try value(expression, of: source, name).objects
      .flatMap { associations.destinations(of: $0.objectKey, mapping) }
  }

  /// Sets the relationships of a new object as the mapping describes, for a policy that calls
  /// ``EntityMigration/createRelationships(forDestination:source:)``.
  func relate(
    _ object: ManagedObject, _ entity: MappingPlan.Entity, from source: ManagedObject
  ) throws(ManagedObjectError) {
    for (name, expression) in entity.relationships {
      guard let relationship = object.entity.relationship(named: name) else { continue }
      let targets = try keys(expression, of: source, name)
        .map { key throws(ManagedObjectError) in try destination.existingObject(key) }.compactMap(\.self)
      guard let first = targets.first else { continue }
      if relationship.definition.isToMany {
        // In the same order as ``RowValue/adding(_:)``.
        let all = OrderedSet(targets + (object[name]?.objects ?? []))
        try object.setValue(.array(all.map { .object($0) }), forKey: name)
      } else {
        try object.setValue(.object(first), forKey: name)
      }
    }
  }

  private static let greatestErrorCount = 100

  private func validate() throws(ManagedObjectError) {
    var errors: [ManagedObjectError] = []
    for entity in plan.destination.entities where !entity.isAbstract && entity.hasRules {
      let names = entity.relationships.filter { !$0.isTransient && $0.definition.isToMany && $0.hasRules }.map(\.name)
      let all = try destination.keys(of: entity)
      let total = all.count
      var done = 0
      try report(.validation, entity.name, done, total)
      for start in stride(from: 0, to: total, by: Self.batchSize) where errors.count < Self.greatestErrorCount {
        let keys = Array(all[start..<min(start + Self.batchSize, total)])
        let found = try destination.objects(keys, prefetching: names)
        for key in keys {
          do { try found[key]?.validateForInsert() } catch { errors += error.details.isEmpty ? [error] : error.details }
        }
        destination.context.reset()
        done += keys.count
        try report(.validation, entity.name, done, total)
      }
    }
    if let error = ManagedObjectError(all: Array(errors.prefix(Self.greatestErrorCount))) { throw error }
  }
}

extension ManagedObjectModel.Entity {
  /// True if the model has rules that an object of the entity can violate.
  fileprivate var hasRules: Bool {
    attributes.contains { !$0.isTransient && (!$0.isOptional || !$0.validations.isEmpty) }
      || relationships.contains { !$0.isTransient && $0.hasRules }
  }
}

extension ManagedObjectModel.Entity.Relationship {
  fileprivate var hasRules: Bool {
    !definition.isOptional || definition.minimumCount > 0 || definition.maximumCount > 1
      || !definition.validations.isEmpty
  }
}

extension ManagedObject {
  var objectKey: RowKey { objectID.key }
}

extension ManagedObject.Value {
  /// The objects that a value contains.
  fileprivate var objects: [ManagedObject] {
    switch self {
    case .attribute: []
    case .object(let object): [object]
    case .array(let elements), .set(let elements): elements.flatMap(\.objects)
    }
  }
}

extension RowValue {
  /// Returns the value of a relationship with some objects added to it. In an ordered relationship, the added objects
  /// come first. In a to-one relationship, the first added object replaces the value.
  fileprivate func adding(_ keys: [RowKey]) -> RowValue {
    switch self {
    case .toOne: .toOne(keys.first)
    case .toMany(let old): .toMany(old.union(keys))
    case .orderedToMany(let old): .orderedToMany(.init(keys + old))
    case .attribute, .unread: self
    }
  }
}

extension ManagedObjectError {
  /// The error to throw from a migration. Its code is ``ManagedObjectError/Code/migrationConstraint`` for a conflict
  /// over a uniqueness constraint in the new store.
  var inMigration: ManagedObjectError {
    guard code == .constraintMerge else { return self }
    var error = self
    error.code = .migrationConstraint
    error.message = "some objects have the same values for a uniqueness constraint: \(message)"
    return error
  }
}
