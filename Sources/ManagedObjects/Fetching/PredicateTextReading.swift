internal import FoundationEssentials
internal import ObjectModels
package import Predicates
internal import PropertyLists

extension ManagedPredicate {
  /// Parses a predicate that a person typed, like ``init(format:_:for:)``. Predicate text has no literals for objects,
  /// UUIDs, URLs and dates, so strings that are compared with such values are converted to them. For an object, the
  /// string is the text of its object ID. Dates have the format of ``PredicateFunction/cast``.
  ///
  /// - Parameter object: a function that converts the text of an object ID to the key of the object; nil if the text is
  ///   not an object ID. Its second argument is the entity that the object must have or inherit from.
  package init(
    format: String, for entity: ManagedObjectModel.Entity,
    object: (String, ManagedObjectModel.Entity) throws(ManagedPredicateError) -> RowKey?
  ) throws(ManagedPredicateError) {
    var parser = try PredicateParser(format, arguments: [])
    let (predicate, positions) = try parser.wholePredicate()
    self = try withoutActuallyEscaping(object) { object throws(ManagedPredicateError) in
      var reading = PredicateTextReading(check: PredicateCheck(entity, text: format), object: object)
      return try reading.read(predicate, positions)
    }
    var check = PredicateCheck(entity, text: format)
    try check.check(self, positions)
  }
}

/// A conversion of the strings in a predicate: each becomes a value of the kind that it is compared with. Other parts
/// of the predicate are unchanged, even if they are invalid.
private struct PredicateTextReading {
  var check: PredicateCheck
  let object: (String, ManagedObjectModel.Entity) throws(ManagedPredicateError) -> RowKey?

  mutating func read(
    _ predicate: ManagedPredicate, _ positions: PredicatePositions?
  ) throws(ManagedPredicateError) -> ManagedPredicate {
    switch predicate {
    case .constant: return predicate
    case .and(let parts): return .and(try read(parts, positions))
    case .or(let parts): return .or(try read(parts, positions))
    case .not(let part): return .not(try read(part, positions?[0]))
    case .comparison(let comparison): return .comparison(try read(comparison, positions))
    }
  }

  private mutating func read(
    _ parts: [ManagedPredicate], _ positions: PredicatePositions?
  ) throws(ManagedPredicateError) -> [ManagedPredicate] {
    var result: [ManagedPredicate] = []
    for (index, part) in parts.enumerated() { result.append(try read(part, positions?[index])) }
    return result
  }

  private mutating func read(
    _ comparison: PredicateComparison, _ positions: PredicatePositions?
  ) throws(ManagedPredicateError) -> PredicateComparison {
    var result = comparison
    result.left = try read(comparison.left, positions?[0])
    result.right = try read(comparison.right, positions?[1])
    var left = try? check.kind(of: result.left, positions?[0], flattens: comparison.modifier != .direct)
    if comparison.modifier != .direct { left = left?.elements }
    let right = try? check.kind(of: result.right, positions?[1])
    switch comparison.comparator {
    case .in:
      result.right = try elements(of: result.right, as: left, positions?[1])
      result.left = try value(result.left, as: right?.elements, positions?[0])
    case .contains:
      result.left = try elements(of: result.left, as: right, positions?[0])
      result.right = try value(result.right, as: left?.elements, positions?[1])
    case .between: result.right = try elements(of: result.right, as: left, positions?[1])
    case .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      result.left = try value(result.left, as: right, positions?[0])
      result.right = try value(result.right, as: left, positions?[1])
    case .matches, .like, .beginsWith, .endsWith, .typeIdentifierConformsTo, .typeIdentifierEquals: break
    }
    return result
  }

  /// Converts the strings in the predicates inside an expression.
  private mutating func read(
    _ expression: ManagedExpression, _ positions: PredicatePositions?
  ) throws(ManagedPredicateError) -> ManagedExpression {
    switch expression {
    case .constant, .evaluatedObject, .variable, .anyKey, .fetch: return expression
    case .assignment(let name, let value): return .assignment(variable: name, try read(value, positions?[0]))
    case .keyPath(let path, of: let operand): return .keyPath(path, of: try read(operand, positions?[0]))
    case .aggregate(let elements): return .aggregate(try read(elements, positions))
    case .function(let function, let arguments): return .function(function, try read(arguments, positions))
    case .method(let selector, of: let operand, let arguments):
      return .method(selector, of: try read(operand, positions?[0]), arguments: arguments)
    case .element(let elementSubscript, of: let base):
      return .element(elementSubscript, of: try read(base, positions?[0]))
    case .subquery(let collection, let name, let predicate):
      let collection = try read(collection, positions?[0])
      guard let elements = (try? check.kind(of: collection, positions?[0]))?.elements else { return expression }
      let object = object
      let inner = try check.with(name, elements) { check throws(ManagedPredicateError) in
        var reading = PredicateTextReading(check: check, object: object)
        return try reading.read(predicate, positions?[1])
      }
      return .subquery(collection, variable: name, inner)
    case .conditional(let predicate, let first, let second):
      return .conditional(
        try read(predicate, positions?[0]), try read(first, positions?[1]), try read(second, positions?[2]))
    case .combination(let operation, let first, let second):
      return .combination(operation, try read(first, positions?[0]), try read(second, positions?[1]))
    }
  }

  private mutating func read(
    _ parts: [ManagedExpression], _ positions: PredicatePositions?
  ) throws(ManagedPredicateError) -> [ManagedExpression] {
    var result: [ManagedExpression] = []
    for (index, part) in parts.enumerated() { result.append(try read(part, positions?[index])) }
    return result
  }

  /// Converts the strings in a literal list to values of a kind.
  private func elements(
    of expression: ManagedExpression, as kind: PredicateKind?, _ positions: PredicatePositions?
  ) throws(ManagedPredicateError) -> ManagedExpression {
    guard case .aggregate(let elements) = expression else { return expression }
    var result: [ManagedExpression] = []
    for (index, element) in elements.enumerated() { result.append(try value(element, as: kind, positions?[index])) }
    return .aggregate(result)
  }

  /// Converts a literal string to a value of a kind.
  private func value(
    _ expression: ManagedExpression, as kind: PredicateKind?, _ positions: PredicatePositions?
  ) throws(ManagedPredicateError) -> ManagedExpression {
    guard case .constant(.value(.string(let text))) = expression else { return expression }
    switch kind {
    case .object(let index)?:
      let entity = ManagedObjectModel.Entity(model: check.model, index: index)
      if let key = try object(text, entity) { return .constant(.object(key)) }
      throw check.mismatch(
        "\(text.quoted) is not an object ID of the store; use an ID such as \(entity.name.printable(limit: 80))/p12",
        positions)
    case .uuid?:
      if let uuid = UUID(uuidString: text) { return .value(.uuid(uuid)) }
      throw check.mismatch("\(text.quoted) is not a UUID", positions)
    case .url?:
      if let url = URL(string: text) { return .value(.url(url)) }
      throw check.mismatch("\(text.quoted) is not a URL", positions)
    case .date?:
      do { return .value(try AttributeValue.string(text).cast(to: .date)) } catch {
        throw check.mismatch("\(text.quoted) is not a date; \(PredicateCast.spellingOfDates)", positions)
      }
    default: return expression
    }
  }
}
