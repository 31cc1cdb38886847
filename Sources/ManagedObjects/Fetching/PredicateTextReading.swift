internal import FoundationEssentials
internal import PropertyLists

extension ManagedPredicate {
  /// Reads a predicate that a person typed. Does the same as ``init(format:_:for:)``, but takes a text that is compared
  /// with an object for the ID of an object, and a text that is compared with a UUID, a URL or a date for such a value.
  /// The language itself lacks these constants. Dates are spelled as for ``PredicateFunction/cast``.
  ///
  /// - Parameter object: the object of a name, which is to be of an entity or of one that inherits from it; nil for
  ///   text that is no name.
  package init(
    format: String, for entity: ManagedObjectModel.Entity,
    object: (String, ManagedObjectModel.Entity) throws(ManagedPredicateError) -> RowKey?
  ) throws(ManagedPredicateError) {
    var parser = try PredicateParser(format, arguments: [])
    let (predicate, places) = try parser.wholePredicate()
    self = try withoutActuallyEscaping(object) { object throws(ManagedPredicateError) in
      var reading = PredicateTextReading(check: PredicateCheck(entity, text: format), object: object)
      return try reading.read(predicate, places)
    }
    var check = PredicateCheck(entity, text: format)
    try check.check(self, places)
  }
}

/// Reads texts in a predicate as what they are compared with. All else stays, also what is wrong.
private struct PredicateTextReading {
  var check: PredicateCheck
  let object: (String, ManagedObjectModel.Entity) throws(ManagedPredicateError) -> RowKey?

  mutating func read(
    _ predicate: ManagedPredicate, _ places: PredicatePositions?
  ) throws(ManagedPredicateError) -> ManagedPredicate {
    switch predicate {
    case .constant: return predicate
    case .and(let parts): return .and(try read(parts, places))
    case .or(let parts): return .or(try read(parts, places))
    case .not(let part): return .not(try read(part, places?[0]))
    case .comparison(let comparison): return .comparison(try read(comparison, places))
    }
  }

  private mutating func read(
    _ parts: [ManagedPredicate], _ places: PredicatePositions?
  ) throws(ManagedPredicateError) -> [ManagedPredicate] {
    var result: [ManagedPredicate] = []
    for (index, part) in parts.enumerated() { result.append(try read(part, places?[index])) }
    return result
  }

  private mutating func read(
    _ comparison: PredicateComparison, _ places: PredicatePositions?
  ) throws(ManagedPredicateError) -> PredicateComparison {
    var result = comparison
    result.left = try read(comparison.left, places?[0])
    result.right = try read(comparison.right, places?[1])
    var left = try? check.kind(of: result.left, places?[0], flattens: comparison.modifier != .direct)
    if comparison.modifier != .direct { left = left?.elements }
    let right = try? check.kind(of: result.right, places?[1])
    switch comparison.comparator {
    case .in:
      result.right = try elements(of: result.right, as: left, places?[1])
      result.left = try value(result.left, as: right?.elements, places?[0])
    case .contains:
      result.left = try elements(of: result.left, as: right, places?[0])
      result.right = try value(result.right, as: left?.elements, places?[1])
    case .between: result.right = try elements(of: result.right, as: left, places?[1])
    case .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      result.left = try value(result.left, as: right, places?[0])
      result.right = try value(result.right, as: left, places?[1])
    case .matches, .like, .beginsWith, .endsWith, .typeIdentifierConformsTo, .typeIdentifierEquals: break
    }
    return result
  }

  /// An expression with the predicates that are in it.
  private mutating func read(
    _ expression: ManagedExpression, _ places: PredicatePositions?
  ) throws(ManagedPredicateError) -> ManagedExpression {
    switch expression {
    case .constant, .evaluatedObject, .variable, .anyKey, .fetch: return expression
    case .assignment(let name, let value): return .assignment(variable: name, try read(value, places?[0]))
    case .keyPath(let path, of: let operand): return .keyPath(path, of: try read(operand, places?[0]))
    case .aggregate(let elements): return .aggregate(try read(elements, places))
    case .function(let function, let arguments): return .function(function, try read(arguments, places))
    case .method(let selector, of: let operand, let arguments):
      return .method(selector, of: try read(operand, places?[0]), arguments: arguments)
    case .element(let place, of: let base): return .element(place, of: try read(base, places?[0]))
    case .subquery(let collection, let name, let predicate):
      let collection = try read(collection, places?[0])
      guard let elements = (try? check.kind(of: collection, places?[0]))?.elements else { return expression }
      let object = object
      let inner = try check.with(name, elements) { check throws(ManagedPredicateError) in
        var reading = PredicateTextReading(check: check, object: object)
        return try reading.read(predicate, places?[1])
      }
      return .subquery(collection, variable: name, inner)
    case .conditional(let predicate, let first, let second):
      return .conditional(
        try read(predicate, places?[0]), try read(first, places?[1]), try read(second, places?[2]))
    case .combination(let operation, let first, let second):
      return .combination(operation, try read(first, places?[0]), try read(second, places?[1]))
    }
  }

  private mutating func read(
    _ parts: [ManagedExpression], _ places: PredicatePositions?
  ) throws(ManagedPredicateError) -> [ManagedExpression] {
    var result: [ManagedExpression] = []
    for (index, part) in parts.enumerated() { result.append(try read(part, places?[index])) }
    return result
  }

  /// A list that is written in the predicate, with its texts as values of a kind.
  private func elements(
    of expression: ManagedExpression, as kind: PredicateKind?, _ places: PredicatePositions?
  ) throws(ManagedPredicateError) -> ManagedExpression {
    guard case .aggregate(let elements) = expression else { return expression }
    var result: [ManagedExpression] = []
    for (index, element) in elements.enumerated() { result.append(try value(element, as: kind, places?[index])) }
    return .aggregate(result)
  }

  /// A text that is written in the predicate, as a value of a kind.
  private func value(
    _ expression: ManagedExpression, as kind: PredicateKind?, _ places: PredicatePositions?
  ) throws(ManagedPredicateError) -> ManagedExpression {
    guard case .constant(.value(.string(let text))) = expression else { return expression }
    switch kind {
    case .object(let index)?:
      let entity = ManagedObjectModel.Entity(model: check.model, index: index)
      if let key = try object(text, entity) { return .constant(.object(key)) }
      throw check.mismatch(
        "\(text.quoted) names no object of the store; the name of one is such as \(entity.name.printable(limit: 80))/p12",
        places)
    case .uuid?:
      if let uuid = UUID(uuidString: text) { return .value(.uuid(uuid)) }
      throw check.mismatch("\(text.quoted) is no UUID", places)
    case .url?:
      if let url = URL(string: text) { return .value(.url(url)) }
      throw check.mismatch("\(text.quoted) is no URL", places)
    case .date?:
      do throws(ManagedPredicateError) { return .value(try AttributeValue.string(text).cast(to: .date)) } catch {
        throw check.mismatch("\(text.quoted) is not a date; \(PredicateCast.spellingOfDates)", places)
      }
    default: return expression
    }
  }
}
