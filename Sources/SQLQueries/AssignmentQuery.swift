package import ManagedObjects

/// The SQL statement that finds the objects of a batch request, and computes the new values of their attributes.
///
/// Its result columns are the primary key, the entity number, and a column for each assignment.
package struct AssignmentQuery {
  package let query: StoreQuery

  /// A value to assign.
  package enum Value {
    /// A constant, as the column of the attribute stores it.
    case constant(SQLValue)
    /// An expression that an SQL function evaluates with values of the row. `isExternal` is true if the assigned
    /// attribute allows external storage.
    case expression(ManagedExpression, BatchAssignment.Target, isExternal: Bool)
  }

  /// Creates the statement of a batch request. Returns nil if SQL cannot express the condition, the order or an
  /// assigned value exactly, or if the store has none of the entities.
  ///
  /// - Parameters:
  ///   - entities: The indices of the entities whose objects are found.
  ///   - values: The values to assign, in the order of the result columns.
  package init?(
    _ request: FetchRequest, _ entities: Range<Int>, _ values: [Value], _ schema: any QuerySchema,
    _ storeNumber: StoreNumber, _ dialect: some SQLDialect
  ) {
    guard var translation = QueryTranslation(schema, storeNumber, dialect, entities) else { return nil }
    let sql = translation.attempt { (translation) throws(Untranslatable) in
      guard request.isWithin(height: StoreQuery.greatestHeight) else { throw Untranslatable() }
      let condition = try translation.condition(request.predicate ?? .constant(true))
      let order = try translation.order(request.sortDescriptors, testsAll: condition.mayFail)
      var columns = [translation.root.number, translation.root.entity]
      for value in values { columns.append(try translation.column(value)) }
      let limit = request.fetchLimit > 0 ? request.fetchLimit : nil
      return "SELECT \(columns.joined(separator: ", ")) \(translation.root.scope.clause([condition.sql])) "
        + "ORDER BY \(order)" + translation.dialect.window(limit: limit, offset: max(request.fetchOffset, 0))
    }
    guard let sql else { return nil }
    query = StoreQuery(sql: sql, translation, isComplete: true)
  }
}

extension QueryTranslation {
  fileprivate mutating func column(_ value: AssignmentQuery.Value) throws(Untranslatable) -> String {
    switch value {
    case .constant(let value): return bind(value)
    case .expression(let expression, let target, let isExternal):
      guard (try? expression.height(within: StoreQuery.greatestHeight)) != nil else { throw Untranslatable() }
      var leaves = Leaves()
      let rest = try self.expression(operand(expression), &leaves)
      guard let computation = try? ValueComputation(rest, for: target, variables: leaves.names) else {
        throw Untranslatable()
      }
      let parameter = bind(.computation(computation, leaves.all.map(\.kind), isExternal: isExternal))
      guard let sql = dialect.computation(parameter, leaves.columns) else { throw Untranslatable() }
      return sql
    }
  }
}
