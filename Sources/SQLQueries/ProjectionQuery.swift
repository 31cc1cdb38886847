package import ManagedObjects

/// A request for dictionaries as a statement, which reads no more columns than they need.
///
/// In SQL are properties at the ends of to-one paths, groups by such, and of the values of groups their number, the
/// least, the greatest, and the sum and the average of integers. Other sums depend on the order of the values, and
/// texts have several forms that are equal: these are made in memory of the rows, and so are conditions on groups.
package struct ProjectionQuery {
  package let query: StoreQuery
  package private(set) var columns: [Column] = []

  /// The value that a dictionary has under a name.
  package struct Column {
    package let name: String
    /// The type that the result is to have.
    package let type: AttributeType
    /// The first of its columns in the statement.
    package let firstColumn: Int32
    package let content: Content
  }

  package enum Content {
    case value(AttributeType, isExternal: Bool)
    /// The numbers of the entity and of the object.
    case object
    /// 0 for no values.
    case sum
    /// The sum and the number of the values.
    case average
  }

  /// Makes the statement; nil if there is none.
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
      // The rows that are tested must not depend on what is asked for.
      if condition.mayFail { throw Untranslatable() }
      return try projection.statement(request, condition, &translation)
    }
    guard let sql else { return nil }
    query = StoreQuery(sql: sql, translation, isComplete: true)
    columns = projection.columns
  }

  /// Lays out the columns of the statement.
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
      // The row with the least number of a group has the text, if no other row is asked for.
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
      switch try translation.operand(expression) {
      case .object(let object): groups.append(object.reference)
      case .value(let value):
        guard value.type.columnTraits.isGroupable, !value.isExternal else { throw Untranslatable() }
        if value.type.columnTraits.order == .text { groupsByText = true }
        groups += try translation.ordered(value, .plain)
      case .count, .collection, .constant, .other: throw Untranslatable()
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
      switch try translation.operand(expression) {
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
      case .count, .collection, .constant, .other: throw Untranslatable()
      }
    }

    private mutating func addAggregate(
      _ name: String, _ type: AttributeType, _ function: PredicateFunction, _ argument: ManagedExpression,
      _ translation: inout QueryTranslation
    ) throws(Untranslatable) {
      let value: ValueTerm
      switch try translation.operand(argument) {
      case .object(let object) where function == .count: value = ValueTerm(sql: object.reference, type: .integer64)
      case .value(let term): value = term
      case .object, .count, .collection, .constant, .other: throw Untranslatable()
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

    /// The whole statement.
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
        // Groups are in the order of their first objects, which numbers tell in one entity only.
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
