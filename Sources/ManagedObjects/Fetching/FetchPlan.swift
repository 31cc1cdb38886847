internal import ObjectModels
internal import Predicates
internal import PropertyLists

/// The checked parts of a request for dictionaries.
struct FetchPlan {
  /// A key of a dictionary, and the expression of its value.
  struct Column {
    let name: String
    let value: ManagedExpression
    let type: AttributeType
  }

  /// The check of expressions, which determines the ``PredicateKind`` of their values.
  private var check: PredicateCheck
  private(set) var columns: [Column] = []
  private(set) var groupKeys: [ManagedExpression] = []
  private(set) var having: ManagedPredicate?
  /// True if each dictionary combines the objects of a group.
  private(set) var isGrouped = false

  /// Checks the properties to fetch and the groups of a request.
  ///
  /// - Throws: ``ManagedObjectError/Code/unsupportedRequest`` for a request that cannot return dictionaries.
  init(_ request: FetchRequest, of entity: ManagedObjectModel.Entity) throws(ManagedObjectError) {
    check = PredicateCheck(entity)
    let fetched = request.propertiesToFetch ?? entity.attributes.map { .property($0.name) }
    var names: Set<String> = []
    for value in fetched {
      let column = try Self.column(value)
      guard names.insert(column.name).inserted else {
        throw Self.failure("two properties to fetch have the name \(column.name.quoted)", column.name)
      }
      try checkKind(of: column)
      columns.append(column)
    }
    for value in request.propertiesToGroupBy ?? [] {
      let column = try Self.column(value)
      try checkKind(of: column)
      groupKeys.append(column.value)
    }
    isGrouped = !groupKeys.isEmpty || columns.contains { hasAggregate($0.value) }
    if isGrouped { try checkGroups(request) }
    if let predicate = request.havingPredicate { try addHaving(predicate) }
  }

  private mutating func checkKind(of column: Column) throws(ManagedObjectError) {
    let kind: PredicateKind
    do { kind = try check.kind(of: column.value) } catch { throw ManagedObjectError(error, key: column.name) }
    let wanted = PredicateKind(column.type)
    let fits =
      switch kind {
      case .collection, .dictionary, .entity, .opaque: false
      case .composite: column.type == .undefined || column.type == .composite
      case .object: column.type == .undefined || column.type == .objectID
      case .integer, .number: wanted.isNumber && column.type != .objectID
      default: kind.canEqual(wanted, check.model) && column.type != .objectID
      }
    guard !fits else { return }
    throw Self.failure(
      "\(column.name.quoted) is \(check.name(kind)), which cannot be in a result dictionary"
        + (column.type == .undefined ? "" : " as \(column.type.name)"), column.name)
  }

  private mutating func addHaving(_ predicate: ManagedPredicate) throws(ManagedObjectError) {
    guard !groupKeys.isEmpty else {
      throw Self.failure("a condition on groups (havingPredicate) needs properties to group by")
    }
    // The variable `$name` is the value of the column with that name.
    let condition = predicate.replacingVariables(Dictionary(uniqueKeysWithValues: columns.map { ($0.name, $0.value) }))
    do { try check.check(condition) } catch { throw ManagedObjectError(error) }
    guard isCommon(condition) else {
      throw Self.failure(
        "a condition on groups (havingPredicate) can use only aggregates and properties to group by")
    }
    having = condition
  }

  private static func column(_ value: FetchRequest.FetchedValue) throws(ManagedObjectError) -> Column {
    switch value {
    case .property(let text):
      guard let path = PredicateKeyPath(text) else {
        throw failure("\(text.quoted) is not a key path of a property to fetch", text)
      }
      return Column(name: text, value: .keyPath(path), type: .undefined)
    case .expression(let name, let expression, let type): return Column(name: name, value: expression, type: type)
    }
  }

  static func failure(_ message: String, _ key: String? = nil) -> ManagedObjectError {
    ManagedObjectError(.unsupportedRequest, message, key: key)
  }

  private static let aggregates: Set<PredicateFunction> = [
    .sum, .count, .minimum, .maximum, .average, .median, .standardDeviation,
  ]

  /// Returns true for an aggregate: a function of the values of all objects in a group, such as `sum(pages)`. A
  /// function of a collection in one object is not an aggregate.
  func isAggregate(_ expression: ManagedExpression) -> Bool {
    guard case .function(let function, let arguments) = expression, Self.aggregates.contains(function),
      arguments.count == 1
    else { return false }
    var check = check
    // An invalid argument is ignored here: `checkKind(of:)` reports it.
    return (try? check.kind(of: arguments[0]))?.elements == nil
  }

  private func hasAggregate(_ expression: ManagedExpression) -> Bool {
    if isAggregate(expression) { return true }
    return switch expression {
    case .function(_, let parts), .aggregate(let parts): parts.contains { hasAggregate($0) }
    case .conditional(_, let first, let second): hasAggregate(first) || hasAggregate(second)
    default: false
    }
  }

  private func checkGroups(_ request: FetchRequest) throws(ManagedObjectError) {
    for column in columns where !isCommon(column.value) {
      throw Self.failure(
        groupKeys.isEmpty
          ? "\(column.name.quoted) must be an aggregate like the other columns, or a property to group by"
          : "\(column.name.quoted) must be an aggregate or a property to group by", column.name)
    }
    for descriptor in groupKeys.isEmpty ? [] : request.sortDescriptors {
      guard let path = descriptor.keyPath.flatMap({ PredicateKeyPath($0) }), groupKeys.contains(.keyPath(path)) else {
        throw Self.failure(
          "groups can be sorted only by properties to group by, not by \((descriptor.keyPath ?? "self").quoted)",
          descriptor.keyPath)
      }
    }
  }

  /// True if an expression has the same value for all objects of a group.
  private func isCommon(_ expression: ManagedExpression) -> Bool {
    if groupKeys.contains(expression) || isAggregate(expression) { return true }
    return switch expression {
    case .constant: true
    case .aggregate(let elements): elements.allSatisfy { if case .constant = $0 { true } else { false } }
    case .function(_, let arguments): arguments.allSatisfy { isCommon($0) }
    default: false
    }
  }

  private func isCommon(_ predicate: ManagedPredicate) -> Bool {
    switch predicate {
    case .constant: true
    case .and(let parts), .or(let parts): parts.allSatisfy { isCommon($0) }
    case .not(let part): isCommon(part)
    case .comparison(let comparison): isCommon(comparison.left) && isCommon(comparison.right)
    }
  }
}
