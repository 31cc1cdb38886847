package import ManagedObjects

/// The SQL statement of a fetch request whose result type is dictionaries. It reads only the columns that the
/// dictionaries need.
///
/// The statement can return properties of the object and of objects that to-one relationships lead to, group by them,
/// and compute for each group the count, minimum and maximum of values, and the sum and average of integers. Other
/// requests are executed in memory: those with conditions on groups; those with sums of floating-point numbers, because
/// the sum depends on the order of the values; and those with the minimum or maximum of strings, because equal strings
/// can have different bytes.
package struct ProjectionQuery {
  package let query: StoreQuery
  package private(set) var columns: [Column] = []

  /// The result columns that determine the value for one key of the dictionaries.
  package struct Column {
    package let name: String
    /// The attribute type that the request asks for.
    package let type: AttributeType
    /// The index of the first result column for the key.
    package let firstColumn: Int32
    package let content: Content
  }

  package enum Content {
    case value(AttributeType, isExternal: Bool)
    /// Two columns: the entity number and the primary key.
    case object
    /// The sum; 0 if a group has no values.
    case sum
    /// Two columns: the sum and the number of values.
    case average
  }

  /// Creates the statement; nil if SQL cannot express the request exactly, or if the store has none of the entities.
  ///
  /// - Parameter entities: The indices of the entities whose objects are fetched.
  package init?(
    _ request: FetchRequest, _ entities: Range<Int>, _ schema: any QuerySchema, _ storeNumber: StoreNumber,
    _ dialect: some SQLDialect
  ) {
    guard var translation = QueryTranslation(schema, storeNumber, dialect, entities) else { return nil }
    let entity = ManagedObjectModel.Entity(model: schema.model, index: entities.lowerBound)
    var projection = Projection(dialect)
    let sql = translation.attempt { (translation) throws(Untranslatable) in
      try projection.add(request, entity, &translation)
      let condition = try translation.condition(request.predicate ?? .constant(true))
      // If a condition fails for a row, the statement ends with an error, but only if SQL tests that row. The rows that
      // SQL tests can depend on the requested values.
      if condition.mayFail { throw Untranslatable() }
      return try projection.statement(request, condition, &translation)
    }
    guard let sql else { return nil }
    query = StoreQuery(sql: sql, translation, isComplete: true)
    columns = projection.columns
  }

  /// The result columns and groups of the statement, while it is created.
  private struct Projection {
    let dialect: any SQLDialect
    private(set) var columns: [Column] = []
    private var selected: [String] = []
    private var groups: [String] = []
    private var isGrouped = false
    private var hasExtreme = false
    private var groupsByText = false

    init(_ dialect: any SQLDialect) { self.dialect = dialect }

    mutating func add(
      _ request: FetchRequest, _ entity: ManagedObjectModel.Entity, _ translation: inout QueryTranslation
    ) throws(Untranslatable) {
      guard request.havingPredicate == nil else { throw Untranslatable() }
      var keys: [ManagedExpression] = []
      for value in request.propertiesToGroupBy ?? [] {
        let (_, expression, _) = try Self.parts(value)
        keys.append(expression)
        try addGroup(expression, &translation)
      }
      for value in request.propertiesToFetch ?? entity.attributes.map({ .property($0.name) }) {
        let (name, expression, type) = try Self.parts(value)
        if case .function(let function, let arguments) = expression, arguments.count == 1 {
          try addAggregate(name, type, function, arguments[0], &translation)
          isGrouped = true
        } else {
          try addValue(name, type, expression, isKey: keys.contains(expression), &translation)
        }
      }
      if !keys.isEmpty { isGrouped = true }
      if isGrouped, request.returnsDistinctResults { throw Untranslatable() }
      // A group can contain equal strings with different bytes. As in memory, the dictionary has the string of the
      // object with the least primary key: the statement selects the minimum of the primary keys, and SQLite takes
      // other columns from that row. Another minimum or maximum would make SQLite take them from a different row.
      if groupsByText, hasExtreme { throw Untranslatable() }
    }

    private static func parts(
      _ value: FetchRequest.FetchedValue
    ) throws(Untranslatable) -> (String, ManagedExpression, AttributeType) {
      switch value {
      case .property(let text):
        guard let path = PredicateKeyPath(text) else { throw Untranslatable() }
        return (text, .keyPath(path), .undefined)
      case .expression(let name, let expression, let type): return (name, expression, type)
      }
    }

    private mutating func addGroup(
      _ expression: ManagedExpression, _ translation: inout QueryTranslation
    ) throws(Untranslatable) {
      switch try translation.withNames(translation.operand(expression)) {
      case .object(let object): groups.append(object.reference)
      case .value(let value):
        guard value.type.columnTraits.isGroupable, !value.isExternal else { throw Untranslatable() }
        if value.type.columnTraits.order == .text { groupsByText = true }
        groups += try translation.ordered(value, .plain)
      case .composite, .entity, .count, .collection, .constant, .other: throw Untranslatable()
      }
    }

    private mutating func select(_ sql: String...) -> Int32 {
      let first = selected.count
      selected += sql
      return Int32(first)
    }

    private mutating func addValue(
      _ name: String, _ type: AttributeType, _ expression: ManagedExpression, isKey: Bool,
      _ translation: inout QueryTranslation
    ) throws(Untranslatable) {
      switch try translation.withNames(translation.operand(expression)) {
      case .object(let object):
        columns.append(
          Column(name: name, type: type, firstColumn: select(object.referredEntity, object.reference), content: .object)
        )
      case .value(let value):
        let sql = translation.plain(value)
        columns.append(
          Column(
            name: name, type: type, firstColumn: select(sql), content: .value(value.type, isExternal: value.isExternal))
        )
      case .count(let collection, let isNullable) where !isKey:
        let sql = translation.count(collection, isNullable: isNullable).sql
        columns.append(
          Column(name: name, type: type, firstColumn: select(sql), content: .value(.integer64, isExternal: false)))
      case .composite, .entity, .count, .collection, .constant, .other: throw Untranslatable()
      }
    }

    private mutating func addAggregate(
      _ name: String, _ type: AttributeType, _ function: PredicateFunction, _ argument: ManagedExpression,
      _ translation: inout QueryTranslation
    ) throws(Untranslatable) {
      let value: ValueTerm
      switch try translation.withNames(translation.operand(argument)) {
      case .object(let object) where function == .count: value = ValueTerm(sql: object.reference, type: .integer64)
      case .value(let term): value = term
      case .object, .composite, .entity, .count, .collection, .constant, .other: throw Untranslatable()
      }
      if value.isExternal { throw Untranslatable() }
      let sql = translation.plain(value)
      let traits = value.type.columnTraits
      let column: Column
      switch (function, value.type) {
      case (_, .transformable), (_, .undefined), (_, .composite): throw Untranslatable()
      case (.count, _):
        column = Column(
          name: name, type: type, firstColumn: select(dialect.number(of: sql)),
          content: .value(.integer64, isExternal: false))
      case (.minimum, _), (.maximum, _):
        guard traits.hasExtremes else { throw Untranslatable() }
        hasExtreme = true
        column = Column(
          name: name, type: type,
          firstColumn: select(function == .minimum ? dialect.least(sql) : dialect.greatest(sql)),
          content: .value(value.type, isExternal: false))
      case (.sum, _) where traits.isSummable:
        column = Column(name: name, type: type, firstColumn: select(dialect.sum(sql)), content: .sum)
      case (.average, _) where traits.isSummable:
        column = Column(
          name: name, type: type, firstColumn: select(dialect.sum(sql), dialect.number(of: sql)),
          content: .average)
      default: throw Untranslatable()
      }
      columns.append(column)
    }

    /// Returns the complete statement.
    func statement(
      _ request: FetchRequest, _ condition: SQLCondition, _ translation: inout QueryTranslation
    ) throws(Untranslatable) -> String {
      var order: String?
      if !isGrouped || !request.sortDescriptors.isEmpty {
        order = try translation.order(request.sortDescriptors, testsAll: false, endsWithObject: !isGrouped)
      }
      var selected = selected
      var end = ""
      if !groups.isEmpty {
        // Groups that are equal for the sort descriptors are in the order of their first objects. That is the order of
        // the primary keys only within one entity.
        guard translation.root.entities.count == 1 else { throw Untranslatable() }
        let first = dialect.least(translation.root.number)
        selected.append(first)
        order = [order, first].compactMap(\.self).joined(separator: ", ")
        end = " GROUP BY " + groups.joined(separator: ", ")
      } else if isGrouped {
        order = nil
      }
      if let order { end += " ORDER BY \(order)" }
      if !request.returnsDistinctResults {
        end += dialect.window(
          limit: request.fetchLimit > 0 ? request.fetchLimit : nil, offset: max(request.fetchOffset, 0))
      }
      return "SELECT \(selected.joined(separator: ", ")) \(translation.root.scope.clause([condition.sql]))" + end
    }
  }
}
