internal import ManagedObjects

/// Functions that translate key paths to SQL. A to-one relationship becomes a join, a to-many relationship becomes a
/// subquery.
extension QueryTranslation {
  /// The object, value or collection that a key path leads to.
  enum Destination {
    case object(ObjectAlias)
    case value(ValueTerm)
    case composite(CompositeTerm)
    case entity(EntityTerm)
    case collection(CollectionTerm)
  }

  /// The meaning of a key of an object: the object itself, its entity, a stored property, or a property that is not
  /// stored (``none``).
  private enum Key {
    case object
    case entity
    case none
    case slot(SlotColumns)
  }

  /// Follows the keys of a key path from an object or a collection, as long as they are names of properties.
  ///
  /// - Parameters:
  ///   - flattens: True to follow a to-many relationship of the elements of a collection; all objects are then in one
  ///     collection. If false, such a relationship throws ``Untranslatable``.
  ///   - stopsAtCollections: True to stop at the first collection, instead of following the keys from its elements.
  /// - Returns: The destination, and the keys that were not followed: operators on collections, such as `@count`, and
  ///   keys of values, such as `length`.
  mutating func follow(
    _ keys: ArraySlice<String>, from start: Destination, flattens: Bool = false, stopsAtCollections: Bool = false
  ) throws(Untranslatable) -> (Destination, rest: ArraySlice<String>) {
    var destination = start
    var rest = keys
    while let key = rest.first, !key.hasPrefix("@") {
      switch destination {
      case .collection where stopsAtCollections: return (destination, rest)
      case .value: return (destination, rest)
      case .object(let object): destination = try step(key, from: object)
      case .composite(let term): destination = try step(key, from: term)
      case .entity(let term): destination = .entity(term.following(key))
      case .collection(var collection):
        switch collection.content {
        case .value: return (destination, rest)
        case .entity(let term): collection.content = .entity(term.following(key))
        case .composite(let term): collection.content = try content(step(key, from: term))
        case .object(let object): collection.content = try content(step(key, from: object, in: &collection, flattens))
        }
        // The collection is not a set: several elements can lead to the same object or to equal values, and each of
        // them counts.
        collection.isSet = false
        destination = .collection(collection)
      }
      rest = rest.dropFirst()
    }
    if case .collection(let collection) = destination, case .entity(let term) = collection.content, !term.isWholeOrName
    {
      throw Untranslatable()
    }
    return (destination, rest)
  }

  private func content(_ destination: Destination) throws(Untranslatable) -> CollectionTerm.Content {
    switch destination {
    case .object(let object): .object(object)
    case .value(let value): .value(value)
    case .composite(let term): .composite(term)
    case .entity(let term): .entity(term)
    case .collection: throw Untranslatable()
    }
  }

  private func find(_ key: String, of object: ObjectAlias) throws(Untranslatable) -> Key {
    let entity = ManagedObjectModel.Entity(model: schema.model, index: object.entities.lowerBound)
    if let property = entity.property(named: key) { return .slot(schema.slotColumns[entity.index][property.slot]) }
    var found: (source: SlotColumns, column: Int)?
    var isTransient = false
    for index in object.entities.dropFirst() {
      let entity = ManagedObjectModel.Entity(model: schema.model, index: index)
      guard let property = entity.property(named: key) else { continue }
      let source = schema.slotColumns[index][property.slot]
      switch source {
      case .none: isTransient = true
      // Each subentity may store such a property in other tables or columns.
      case .toMany, .composite: throw Untranslatable()
      case .attribute(let column, _, _), .toOne(let column, _, _):
        if let found, found.column != column { throw Untranslatable() }
        found = (source, column)
      }
    }
    if let found {
      if isTransient { throw Untranslatable() }
      return .slot(found.source)
    }
    if isTransient { return .none }
    if FetchRequest.isKeyOfObject(key) { return .object }
    guard FetchRequest.isKeyOfEntity(key), entity.hasEntityKey else { throw Untranslatable() }
    return .entity
  }

  private mutating func step(_ key: String, from object: ObjectAlias) throws(Untranslatable) -> Destination {
    switch try find(key, of: object) {
    case .object: return .object(object)
    case .entity: return .entity(EntityTerm(object: object))
    case .none, .slot(.none): return .value(ValueTerm(sql: dialect.null, type: .undefined, isColumn: false))
    case .slot(.attribute(let column, let type, let isExternal)):
      return .value(
        ValueTerm(
          sql: object.column(column), type: type, isExternal: isExternal, isThere: object.isThere,
          attribute: (object.entities.lowerBound, key)))
    case .slot(.composite(let columns)): return .composite(CompositeTerm(object: object, columns: columns))
    case .slot(.toOne(let column, let entityColumn, let destination)):
      return .object(try target(column, entityColumn, destination, of: object))
    case .slot(.toMany(let columns)): return .collection(try collection(columns, of: object))
    }
  }

  /// Follows the name of an element from a composite value.
  private func step(_ key: String, from term: CompositeTerm) throws(Untranslatable) -> Destination {
    guard let element = term.columns.elements.first(where: { $0.name == key }) else { throw Untranslatable() }
    switch element.storage {
    case .composite(let inner): return .composite(CompositeTerm(object: term.object, columns: inner))
    case .column(let column):
      return .value(
        ValueTerm(
          sql: term.object.column(column), type: element.definition.type, isExternal: element.definition.isExternal,
          isThere: term.object.isThere))
    }
  }

  /// Follows a key from each element of a collection.
  ///
  /// - Parameter object: The object that represents each element.
  private mutating func step(
    _ key: String, from object: ObjectAlias, in collection: inout CollectionTerm, _ flattens: Bool
  ) throws(Untranslatable) -> Destination {
    guard case .slot(.toMany(let columns)) = try find(key, of: object) else { return try step(key, from: object) }
    guard flattens else { throw Untranslatable() }
    collection.isFlattened = true
    return .object(try joined(columns, of: object))
  }

  /// Joins the object of a to-one relationship, and returns it. The object can be missing: the relationship can be
  /// empty, or refer to a deleted object, which has no row.
  private mutating func target(
    _ column: Int, _ entityColumn: Int?, _ destination: Range<Int>, of object: ObjectAlias
  ) throws(Untranslatable) -> ObjectAlias {
    guard let table = schema.objectTable(ofEntity: destination.lowerBound) else { throw Untranslatable() }
    let key = object.column(column)
    let alias = newAlias()
    let entity = ManagedObjectModel.Entity(model: schema.model, index: destination.lowerBound).firstConcreteEntity
    let first = entity.map { "\(schema.numbers[$0.index])" }
    let deletedEntity = first.map { first in entityColumn.map { dialect.ifNull(object.column($0), first) } ?? first }
    return try object.scope.object(at: key) { () throws(Untranslatable) in
      object.scope.join("LEFT JOIN \(dialect.name(table.name)) \(alias) ON \(alias).\(table.numberColumn) = \(key)")
      return ObjectAlias(
        scope: object.scope, alias: alias, table: table, entities: destination, isThere: false, key: key,
        deletedEntity: deletedEntity)
    }
  }

  /// Returns a subquery for the objects of a to-many relationship.
  private mutating func collection(
    _ columns: ToManyColumns, of owner: ObjectAlias
  ) throws(Untranslatable) -> CollectionTerm {
    guard let table = schema.objectTable(ofEntity: columns.destination.lowerBound) else { throw Untranslatable() }
    let alias = newAlias()
    let number = "\(alias).\(table.numberColumn)"
    var first = "\(dialect.name(table.name)) \(alias)"
    var conditions: [String] = []
    var order: String? = entityAndNumber(of: alias, columns.destination, table)
    switch columns.source {
    case .column(_, let column, _, let orderColumn):
      conditions.append("\(alias).\(dialect.name(table.columns[column].name)) = \(owner.number)")
      if let orderColumn { order = "\(alias).\(dialect.name(table.columns[orderColumn].name)), \(number)" }
    case .join(let index, let own, let other, let orderColumn, let isReflexive):
      if isReflexive {
        conditions.append(isRelated(number, to: owner.number, index, own, other))
        if columns.isOrdered { order = nil }
      } else {
        let join = newAlias()
        first =
          "\(dialect.name(schema.joinName(index))) \(join) JOIN \(first) "
          + "ON \(number) = \(join).\(dialect.name(other))"
        conditions.append("\(join).\(dialect.name(own)) = \(owner.number)")
        if let orderColumn { order = "\(join).\(dialect.name(orderColumn)), \(number)" }
      }
    }
    conditions += restriction(of: alias, columns.destination, table)
    let scope = QueryScope(first, conditions, dialect)
    let element = ObjectAlias(
      scope: scope, alias: alias, table: table, entities: columns.destination, isThere: true, key: nil)
    return CollectionTerm(
      scope: scope, owner: owner, element: element, content: .object(element), isSet: !columns.isOrdered, order: order,
      isNullable: !owner.isThere)
  }

  /// Joins the objects of a to-many relationship to `owner`, which is an element of a collection. Returns the joined
  /// object.
  private mutating func joined(_ columns: ToManyColumns, of owner: ObjectAlias) throws(Untranslatable) -> ObjectAlias {
    guard let table = schema.objectTable(ofEntity: columns.destination.lowerBound) else { throw Untranslatable() }
    let alias = newAlias()
    let number = "\(alias).\(table.numberColumn)"
    let word = owner.isThere ? "JOIN" : "LEFT JOIN"
    var conditions = restriction(of: alias, columns.destination, table)
    switch columns.source {
    case .column(_, let column, _, _):
      conditions.insert("\(alias).\(dialect.name(table.columns[column].name)) = \(owner.number)", at: 0)
    case .join(let index, let own, let other, _, let isReflexive):
      if isReflexive {
        conditions.insert(isRelated(number, to: owner.number, index, own, other), at: 0)
      } else {
        let join = newAlias()
        owner.scope.join(
          "\(word) \(dialect.name(schema.joinName(index))) \(join) "
            + "ON \(join).\(dialect.name(own)) = \(owner.number)")
        conditions.insert("\(number) = \(join).\(dialect.name(other))", at: 0)
      }
    }
    owner.scope.join("\(word) \(dialect.name(table.name)) \(alias) ON \(conditions.joined(separator: " AND "))")
    // A missing owner adds one element without a value, and an owner without related objects adds no element.
    // Evaluation in memory does the same.
    if !owner.isThere { owner.scope.add("(\(dialect.isNull(owner.number)) OR \(dialect.isNotNull(number)))") }
    return ObjectAlias(
      scope: owner.scope, alias: alias, table: table, entities: columns.destination, isThere: owner.isThere, key: nil)
  }

  /// Returns a condition that is true if a relationship that is its own inverse connects two rows. A pair may be stored
  /// in one direction only, so both directions are searched.
  ///
  /// - Parameters:
  ///   - number: SQL for the primary key of one row.
  ///   - owner: SQL for the primary key of the other row.
  ///   - index: The index of the join table.
  ///   - own: The name of one column of the join table.
  ///   - other: The name of the other column.
  private func isRelated(_ number: String, to owner: String, _ index: Int, _ own: String, _ other: String) -> String {
    let join = dialect.name(schema.joinName(index))
    let (own, other) = (dialect.name(own), dialect.name(other))
    return "\(number) IN (SELECT \(other) FROM \(join) WHERE \(own) = \(owner) "
      + "UNION SELECT \(own) FROM \(join) WHERE \(other) = \(owner))"
  }

  func restriction(of alias: String, _ entities: Range<Int>, _ table: ObjectTable) -> [String] {
    if table.entities == entities { return [] }
    let entity = "\(alias).\(table.entityColumn)"
    if entities.count == 1 { return ["\(entity) = \(schema.numbers[entities.lowerBound])"] }
    return [dialect.isIn(entity, entities.map { "\(schema.numbers[$0])" })]
  }

  /// Returns terms that sort objects by entity, then by primary key. Requests without sort descriptors use this order.
  func entityAndNumber(of alias: String, _ entities: Range<Int>, _ table: ObjectTable) -> String {
    let number = "\(alias).\(table.numberColumn)"
    return entityOrder(by: "\(alias).\(table.entityColumn)", entities).map { "\($0), \(number)" } ?? number
  }

  /// Returns the term that sorts objects by entity, in the order of the model; nil if there is only one entity.
  ///
  /// - Parameters:
  ///   - entity: SQL for the entity number of an object.
  ///   - entities: The indices of the entities that the objects can have.
  func entityOrder(by entity: String, _ entities: Range<Int>) -> String? {
    guard entities.count > 1 else { return nil }
    let numbers = entities.map { schema.numbers[$0] }
    // If entities were renamed, their numbers in the file can be in another order than in the model.
    let areInOrder = zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }
    return areInOrder ? entity : dialect.index(of: entity, among: numbers)
  }
}
