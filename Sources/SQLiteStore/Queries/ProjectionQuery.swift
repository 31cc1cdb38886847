internal import ManagedObjects
internal import OrderedCollections

/// A request for dictionaries as a statement, which reads no more columns than they need.
///
/// In SQL are properties at the ends of to-one paths, groups by such, and of the values of groups their number, the
/// least, the greatest, and the sum and the average of integers. Other sums depend on the order of the values, and
/// texts have several forms that are equal: these are made in memory of the rows, and so are conditions on groups.
struct ProjectionQuery {
  let query: StoreQuery
  private var columns: [Column] = []
  private let isDistinct: Bool
  private let limit: Int?
  private let offset: Int

  /// The value that a dictionary has under a name.
  private struct Column {
    let name: String
    /// The type that the result is to have.
    let type: AttributeType
    /// The first of its columns in the statement.
    let firstColumn: Int32
    let content: Content
  }

  private enum Content {
    case value(AttributeType, isExternal: Bool)
    /// The numbers of the entity and of the object.
    case object
    /// 0 for no values.
    case sum
    /// The sum and the number of the values.
    case average
  }

  /// Makes the statement; nil if there is none.
  init?(
    _ request: FetchRequest, _ entities: Range<Int>, _ table: StoreTable, _ schema: StoreSchema,
    _ context: FunctionContext
  ) {
    isDistinct = request.returnsDistinctResults
    limit = request.fetchLimit > 0 ? request.fetchLimit : nil
    offset = max(request.fetchOffset, 0)
    let entity = ManagedObjectModel.Entity(model: schema.model, index: entities.lowerBound)
    var translation = QueryTranslation(schema, context, table, entities)
    var projection = Projection()
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
    var columns: [Column] = []
    private var selected: [String] = []
    private var groups: [String] = []
    private var isGrouped = false
    private var hasExtreme = false
    private var groupsByText = false

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
          try addValue(name, type, try translation.operand(expression), isKey: keys.contains(expression))
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
        switch value.type {
        case .string:
          groups.append(SQLDialect.form(.plain, value.sql))
          groupsByText = true
        case .boolean: groups.append(SQLDialect.truthValue(value.sql))
        case .float, .uri, .transformable, .composite: throw Untranslatable()
        default:
          if value.isExternal { throw Untranslatable() }
          groups.append(value.sql)
        }
      case .count, .collection, .constant, .other: throw Untranslatable()
      }
    }

    private mutating func select(_ sql: String...) -> Int32 {
      let first = selected.count
      selected += sql
      return Int32(first)
    }

    private mutating func addValue(
      _ name: String, _ type: AttributeType, _ operand: QueryOperand, isKey: Bool
    ) throws(Untranslatable) {
      switch operand {
      case .object(let object):
        columns.append(
          Column(name: name, type: type, firstColumn: select(object.referredEntity, object.reference), content: .object)
        )
      case .value(let value):
        let sql = value.type == .boolean ? SQLDialect.truthValue(value.sql) : value.sql
        columns.append(
          Column(
            name: name, type: type, firstColumn: select(sql), content: .value(value.type, isExternal: value.isExternal))
        )
      case .count(let collection, let isNullable) where !isKey:
        let sql = QueryTranslation.countSQL(collection, isNullable: isNullable)
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
      case .object(let object) where function == .count:
        value = ValueTerm(sql: object.reference, type: .integer64)
      case .value(let term): value = term
      case .object, .count, .collection, .constant, .other: throw Untranslatable()
      }
      if value.isExternal { throw Untranslatable() }
      let sql = value.type == .boolean ? SQLDialect.truthValue(value.sql) : value.sql
      let isInteger = [.integer16, .integer32, .integer64, .boolean].contains(value.type)
      let column: Column
      switch (function, value.type) {
      case (_, .transformable), (_, .undefined), (_, .composite): throw Untranslatable()
      case (.count, _):
        column = Column(
          name: name, type: type, firstColumn: select(SQLDialect.number(of: sql)),
          content: .value(.integer64, isExternal: false))
      case (.minimum, _), (.maximum, _):
        if [.string, .uri].contains(value.type) { throw Untranslatable() }
        hasExtreme = true
        column = Column(
          name: name, type: type,
          firstColumn: select(function == .minimum ? SQLDialect.least(sql) : SQLDialect.greatest(sql)),
          content: .value(value.type, isExternal: false))
      case (.sum, _) where isInteger:
        column = Column(name: name, type: type, firstColumn: select(SQLDialect.sum(sql)), content: .sum)
      case (.average, _) where isInteger:
        column = Column(
          name: name, type: type, firstColumn: select(SQLDialect.sum(sql), SQLDialect.number(of: sql)),
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
        let first = SQLDialect.least(translation.root.number)
        selected.append(first)
        order = [order, first].compactMap(\.self).joined(separator: ", ")
        end = " GROUP BY " + groups.joined(separator: ", ")
      } else if isGrouped {
        order = nil
      }
      if let order { end += " ORDER BY \(order)" }
      if !request.returnsDistinctResults {
        end += SQLDialect.window(
          limit: request.fetchLimit > 0 ? request.fetchLimit : nil, offset: max(request.fetchOffset, 0))
      }
      return "SELECT \(selected.joined(separator: ", ")) \(translation.root.scope.clause([condition.sql]))" + end
    }
  }
}

/// Results.
extension ProjectionQuery {
  /// The dictionaries of a statement's rows; nil if one has a value that cannot be a result.
  func dictionaries(
    _ statement: Statement, _ reading: ValueReading, _ context: FunctionContext
  ) throws(ManagedObjectError) -> [OrderedDictionary<String, RowValue>]? {
    let template = OrderedDictionary(uniqueKeysWithValues: columns.map { ($0.name, RowValue.null) })
    var all: [OrderedDictionary<String, RowValue>] = []
    var seen: Set<[PredicateValue<AttributeValue>]> = []
    var isWhole = true
    try statement.forEachRow { () throws(ManagedObjectError) in
      var dictionary = template
      for (index, column) in columns.enumerated() {
        guard let value = try value(of: column, statement, reading, context) else {
          isWhole = false
          continue
        }
        dictionary.values[index] = value
      }
      if isDistinct, !seen.insert(dictionary.values.map(\.comparable)).inserted { return }
      all.append(dictionary)
    }
    if !isWhole { return nil }
    if isDistinct { all = Array(all.dropFirst(offset).prefix(limit ?? .max)) }
    return all
  }

  private func value(
    of column: Column, _ statement: Statement, _ reading: ValueReading, _ context: FunctionContext
  ) throws(ManagedObjectError) -> RowValue? {
    var value: AttributeValue
    switch column.content {
    case .object:
      if statement.isNull(column.firstColumn + 1) {
        value = .null
      } else {
        guard let index = context.entityIndices[statement.integer(column.firstColumn)],
          [.undefined, .objectID].contains(column.type)
        else { return nil }
        return .toOne(
          RowKey(store: context.storeNumber, entityIndex: index, number: statement.integer(column.firstColumn + 1)))
      }
    case .value(let type, let isExternal):
      guard let read = try reading.value(statement, column.firstColumn, type, isExternal: isExternal) else {
        return nil
      }
      value = read
    case .sum: value = .integer(statement.isNull(column.firstColumn) ? 0 : statement.integer(column.firstColumn))
    case .average:
      let count = statement.integer(column.firstColumn + 1)
      value = count == 0 ? .null : .double(Double(statement.integer(column.firstColumn)) / Double(count))
    }
    return column.type.result(value).map { .attribute($0) }
  }
}

extension RowValue {
  /// The value as results are told apart by.
  fileprivate var comparable: PredicateValue<AttributeValue> {
    switch self {
    case .attribute(let value): .value(value)
    default: .array(keys.map { .constant(.object($0)) })
    }
  }
}
