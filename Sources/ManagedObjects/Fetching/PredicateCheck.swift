internal import ObjectModels
internal import Predicates
internal import PropertyLists

/// A check of predicates and expressions for the objects of an entity, before they are evaluated.
///
/// An expression that passes the check can be evaluated with every object of the entity. Only errors that depend on
/// values are still possible: division by zero, a missing list element, a string that cannot be cast to a number or
/// date, and values of unsuitable types in attributes of undefined type. An expression that fails the check would throw
/// for objects, or have the same result for all objects.
///
/// Properties of subentities can be used with objects of the superentity. They are null for objects that do not have
/// them.
struct PredicateCheck {
  let entity: ManagedObjectModel.Entity
  /// The text of the predicate, for the positions of errors.
  private let text: String?
  private(set) var variables: [String: PredicateKind] = [:]

  /// Creates a check for the objects of an entity.
  ///
  /// - Parameter text: the text of the predicate. If nil, errors have no position.
  init(_ entity: ManagedObjectModel.Entity, text: String? = nil) {
    self.entity = entity
    self.text = text
  }

  var model: ManagedObjectModel { entity.model }

  func failure(
    _ kind: ManagedPredicateError.Kind, _ message: String, _ positions: PredicatePositions?
  ) -> ManagedPredicateError {
    var error = ManagedPredicateError(kind, message)
    if let text, let positions {
      error.position = ManagedPredicateError.Position(utf8Offset: positions.offset, in: text.utf8)
    }
    return error
  }

  func mismatch(_ message: String, _ positions: PredicatePositions?) -> ManagedPredicateError {
    failure(.typeMismatch, message, positions)
  }

  func name(_ kind: PredicateKind) -> String { kind.name(model) }

  func kind(ofVariable name: String) -> PredicateKind? { variables[name] }

  /// Sets the kind of a variable, calls a function, and restores the previous kind. For example, the variable of a
  /// subquery has the kind of the collection's elements while the predicate of the subquery is checked.
  ///
  /// - Parameters:
  ///   - name: the name of the variable.
  ///   - kind: the kind of the variable's values.
  mutating func with<Result>(
    _ name: String, _ kind: PredicateKind,
    _ body: (inout PredicateCheck) throws(ManagedPredicateError) -> Result
  ) throws(ManagedPredicateError) -> Result {
    let outer = variables[name]
    variables[name] = kind
    let result = try body(&self)
    variables[name] = outer
    return result
  }

  mutating func assign(_ name: String, _ kind: PredicateKind, _ positions: PredicatePositions?)
    throws(ManagedPredicateError)
  {
    let known = variables[name] ?? kind
    guard known.canEqual(kind, model) else {
      throw mismatch("the variable $\(name) is used as \(self.name(known)) and as \(self.name(kind))", positions)
    }
    variables[name] = known.joined(kind, model)
  }

  /// Checks a predicate.
  ///
  /// - Parameter positions: the positions of the predicate's parts in the text.
  mutating func check(_ predicate: ManagedPredicate, _ positions: PredicatePositions? = nil)
    throws(ManagedPredicateError)
  {
    switch predicate {
    case .constant: return
    case .and(let parts), .or(let parts):
      for (index, part) in parts.enumerated() { try check(part, positions?[index]) }
    case .not(let part): try check(part, positions?[0])
    case .comparison(let comparison): try check(comparison, positions)
    }
  }

  private mutating func check(
    _ comparison: PredicateComparison, _ positions: PredicatePositions?
  ) throws(ManagedPredicateError) {
    var left = try kind(of: comparison.left, positions?[0], flattens: comparison.modifier != .direct)
    if comparison.modifier != .direct {
      guard let elements = left.elements else {
        let word = comparison.modifier == .any ? "ANY" : "ALL"
        throw mismatch("\(word) needs a to-many relationship or another collection, not \(name(left))", positions?[0])
      }
      left = elements
    }
    let right = try kind(of: comparison.right, positions?[1])
    try checkKinds(comparison, positions)
    switch comparison.comparator {
    case .in:
      if let elements = try literal(comparison.right, positions?[1]) {
        for element in elements where !left.canEqual(element.kind, model) {
          throw unequal(left, element.kind, element.positions)
        }
      } else {
        try checkContainment(of: left, in: right, comparison, positions)
      }
    case .contains: try checkContainment(of: right, in: left, comparison, positions)
    case .between: try checkRange(left, comparison.right, right, positions?[1])
    default: try check(left, comparison.comparator, right, positions)
    }
    try checkPattern(comparison, positions?[1])
  }

  private func check(
    _ left: PredicateKind, _ comparator: PredicateComparator, _ right: PredicateKind, _ positions: PredicatePositions?
  ) throws(ManagedPredicateError) {
    let fits =
      switch comparator {
      case .equal, .notEqual: left.canEqual(right, model)
      case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual: left.hasOrder(to: right)
      default: left.isString && right.isString
      }
    if fits { return }
    if case .collection(let element, _) = left, right.elements == nil || comparator != .equal && comparator != .notEqual
    {
      throw mismatch(
        "\(comparator.rawValue) cannot compare a collection; use ANY, ALL or NONE to compare its elements "
          + "(each \(name(element)))", positions)
    }
    let other = left == .date ? right : right == .date ? left : .anything
    let isMeantAsDate = [.string, .integer, .number].contains(other)
    throw mismatch(
      "\(comparator.rawValue) cannot compare \(name(left)) with \(name(right))"
        + (isMeantAsDate ? "; write a date as CAST(\"2027-01-31T12:00:00Z\", \"NSDate\")" : ""), positions)
  }

  /// Throws if the name in `"Employee" IN entity.kinds` is not an entity of the model.
  private mutating func checkKinds(
    _ comparison: PredicateComparison, _ positions: PredicatePositions?
  ) throws(ManagedPredicateError) {
    guard comparison.comparator == .in, comparison.options.isEmpty,
      case .constant(.value(.string(let name))) = comparison.left,
      case .keyPath(let path, let root) = comparison.right, path.keys.last == EntityPredicateKey.kinds.rawValue,
      let toEntity = PredicateKeyPath(keys: path.keys.dropLast()), model[name] == nil,
      try kind(of: .keyPath(toEntity, of: root)) == .entity
    else { return }
    throw failure(.unknownKey, "the model has no entity \(name.quoted)", positions?[0])
  }

  private func unequal(
    _ first: PredicateKind, _ second: PredicateKind, _ positions: PredicatePositions?
  ) -> ManagedPredicateError {
    mismatch("\(name(first)) can never equal \(name(second))", positions)
  }

  private func checkContainment(
    of part: PredicateKind, in whole: PredicateKind, _ comparison: PredicateComparison, _ positions: PredicatePositions?
  ) throws(ManagedPredicateError) {
    if let elements = whole.elements {
      guard part.canEqual(elements, model) else { throw unequal(part, elements, positions) }
    } else {
      guard whole == .string, part.isString else {
        throw mismatch("\(comparison.comparator.rawValue) cannot find \(name(part)) in \(name(whole))", positions)
      }
    }
  }

  /// Checks the right operand of BETWEEN, which must be a list of two values. Null and a value of unknown kind are also
  /// allowed.
  private mutating func checkRange(
    _ left: PredicateKind, _ expression: ManagedExpression, _ right: PredicateKind, _ positions: PredicatePositions?
  ) throws(ManagedPredicateError) {
    if right == .null || right == .anything { return }
    var bounds: [(kind: PredicateKind, positions: PredicatePositions?)] = []
    if right.elementsAreInOrder { bounds = try literal(expression, positions) ?? [] }
    guard bounds.count == 2 else {
      throw mismatch("BETWEEN needs a list of the lowest and the highest value", positions)
    }
    for bound in bounds where !left.hasOrder(to: bound.kind) {
      throw mismatch("\(name(left)) cannot be compared with \(name(bound.kind))", bound.positions)
    }
  }

  /// Returns the kinds of the elements of a literal list; nil for other expressions.
  private mutating func literal(
    _ expression: ManagedExpression, _ positions: PredicatePositions?
  ) throws(ManagedPredicateError) -> [(kind: PredicateKind, positions: PredicatePositions?)]? {
    switch expression {
    case .aggregate(let elements):
      var kinds: [(PredicateKind, PredicatePositions?)] = []
      for (index, element) in elements.enumerated() {
        kinds.append((try kind(of: element, positions?[index]), positions?[index]))
      }
      return kinds
    case .constant(.array(let elements)): return elements.map { (PredicateKind($0, model), positions) }
    case .constant(.set(let elements)): return elements.map { (PredicateKind($0, model), positions) }
    default: return nil
    }
  }

  /// Checks a regular expression in a predicate text, so that an error has a position. For a predicate without a text,
  /// this check does nothing: the regular expression is checked when the predicate is prepared.
  private func checkPattern(
    _ comparison: PredicateComparison, _ positions: PredicatePositions?
  ) throws(ManagedPredicateError) {
    guard text != nil, comparison.comparator == .matches, case .constant(let pattern) = comparison.right else { return }
    do { _ = try ConstantTest(.matches, comparison.options, pattern) } catch {
      throw failure(error.kind, error.message, positions)
    }
  }
}

extension PredicateKind {
  fileprivate var elementsAreInOrder: Bool {
    if case .collection(_, let isOrdered) = self { isOrdered } else { false }
  }
}
