internal import ManagedObjects
internal import OrderedCollections
internal import SQLQueries

/// Functions that read the results of a dictionary request.
extension ProjectionQuery {
  /// Returns a dictionary for each row of the statement; nil if a value does not have the requested type.
  func dictionaries(
    _ statement: Statement, _ request: FetchRequest, _ reading: ValueReading, _ context: FunctionContext
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
      if request.returnsDistinctResults, !seen.insert(dictionary.values.map(\.comparable)).inserted { return }
      all.append(dictionary)
    }
    if !isWhole { return nil }
    if request.returnsDistinctResults { all = request.window(all) }
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
  /// This value in a form that can be compared, to find equal dictionaries.
  fileprivate var comparable: PredicateValue<AttributeValue> {
    switch self {
    case .attribute(let value): .value(value)
    default: .array(keys.map { .constant(.object($0)) })
    }
  }
}
