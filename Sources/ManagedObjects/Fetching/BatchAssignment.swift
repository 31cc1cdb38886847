package import ObjectModels
package import Predicates

/// A value that a batch update assigns to an attribute of each object.
package struct BatchAssignment: Sendable {
  package let target: Target
  package let value: Value

  package enum Value: Sendable {
    /// The same value for all objects, converted to the type of the attribute.
    case constant(AttributeValue)
    case expression(ManagedExpression)
  }

  /// An attribute that gets a value.
  package struct Target: Sendable {
    package let name: String
    package let slot: Int
    package let type: AttributeType
    /// The attribute if it is composite.
    private let composite: AttributeDescription?

    init(_ attribute: ManagedObjectModel.Entity.Attribute) {
      name = attribute.name
      slot = attribute.slot
      type = attribute.definition.type
      composite = type == .composite ? attribute.definition : nil
    }

    /// Returns a value converted to the type of the attribute.
    ///
    /// - Throws: ``ManagedObjectError/Code/invalidValue`` for a value that the attribute cannot have,
    ///   ``ManagedObjectError/Code/missingMandatoryProperty`` for a composite value without a mandatory element.
    package func normalized(_ value: AttributeValue) throws(ManagedObjectError) -> AttributeValue {
      if let attribute = composite {
        let whole = try attribute.normalized(value)
        if let error = attribute.missingElement(in: whole) { throw error }
        return whole
      }
      if let own = type.normalized(value) { return own }
      throw ManagedObjectError(
        .invalidValue, "expected \(type.name), found \(value.kindName)", key: name, value: value)
    }

    /// Returns the result of an expression converted to the type of the attribute.
    package func normalized<Subject>(
      _ value: PredicateValue<Subject>
    ) throws(ManagedObjectError) -> AttributeValue {
      guard case .value(let value) = value else {
        throw ManagedObjectError(.invalidValue, "expected \(type.name), found \(value.kindName)", key: name)
      }
      return try normalized(value)
    }
  }

  /// Checks the values of a batch update. Returns them sorted by the name of the attribute.
  ///
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` for a name that is not a stored attribute of the entity, and
  ///   for an unknown key in an expression; ``ManagedObjectError/Code/invalidValue`` for a constant, or an expression
  ///   whose values the attribute cannot have; ``ManagedObjectError/Code/unsupportedRequest`` for another invalid
  ///   expression, and for a derived attribute.
  package static func all(
    _ values: [String: ManagedExpression], _ entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> [BatchAssignment] {
    var all: [BatchAssignment] = []
    for (name, expression) in values.sorted(by: { $0.key < $1.key }) {
      guard let attribute = entity.attribute(named: name), !attribute.isTransient else { throw unknown(name, entity) }
      if attribute.definition.derivation != nil {
        throw ManagedObjectError(
          .unsupportedRequest, "the attribute is derived, so only its store sets the value", key: name)
      }
      all.append(try BatchAssignment(expression, to: attribute, entity))
    }
    return all
  }

  /// Creates the assignment of an expression to an attribute.
  ///
  /// - Throws: The errors of ``all(_:_:)`` for expressions.
  init(
    _ expression: ManagedExpression, to attribute: ManagedObjectModel.Entity.Attribute,
    _ entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) {
    target = Target(attribute)
    if case .constant(.value(let constant)) = expression {
      value = .constant(try target.normalized(constant))
    } else if target.type == .composite {
      throw ManagedObjectError(
        .unsupportedRequest, "a batch request can set a composite attribute only to a constant", key: target.name)
    } else {
      try Self.check(expression, target, entity)
      value = .expression(expression)
    }
  }

  static func unknown(_ name: String, _ entity: ManagedObjectModel.Entity) -> ManagedObjectError {
    ManagedObjectError(
      .undefinedKey, "the entity \(entity.name.quoted) has no stored attribute \(name.quoted)", key: name)
  }

  private static func check(
    _ expression: ManagedExpression, _ target: Target, _ entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) {
    let kind: PredicateKind
    do {
      _ = try expression.height(within: ManagedPredicate.greatestDepth)
      var check = PredicateCheck(entity)
      kind = try check.kind(of: expression)
    } catch {
      throw ManagedObjectError(error, key: target.name)
    }
    switch kind {
    case .object, .collection, .dictionary, .composite, .entity, .opaque: break
    case _ where kind.canEqual(PredicateKind(target.type), entity.model): return
    default: break
    }
    throw ManagedObjectError(
      .invalidValue, "expected an expression of the type \(target.type.name), found \(kind.name(entity.model))",
      key: target.name)
  }
}

/// The expression of a batch update, evaluated with a list of values instead of an object: see ``ValueTest``.
package struct ValueComputation: Sendable {
  private let expression: PreparedExpression
  private let target: BatchAssignment.Target

  /// Prepares an expression.
  ///
  /// - Parameter variables: the names of the variables, in the order of the values.
  package init(
    _ expression: ManagedExpression, for target: BatchAssignment.Target, variables: [String]
  ) throws(ManagedPredicateError) {
    self.expression = try PreparedExpression(expression, PreparationContext(parameters: variables))
    self.target = target
  }

  /// Returns the value for the attribute.
  ///
  /// - Throws: ``ManagedObjectError/Code/unsupportedRequest`` if the expression cannot be evaluated with the values;
  ///   ``ManagedObjectError/Code/invalidValue`` if the attribute cannot have the value of the expression.
  package func value(_ values: [PredicateValue<AttributeValue>]) throws(ManagedObjectError) -> AttributeValue {
    let value: PredicateValue<AttributeValue>
    do { value = try expression.value(with: AttributeValue.null, parameters: values) } catch {
      throw ManagedObjectError(error, key: target.name)
    }
    return try target.normalized(value)
  }
}

/// The values of a batch update for rows that are in memory.
package struct BatchEvaluation<Source: RowSource> {
  private let source: Source
  private let parts: [(target: BatchAssignment.Target, constant: AttributeValue, expression: PreparedExpression?)]

  /// Prepares the expressions of the assignments.
  ///
  /// - Parameter source: the rows to update, and the rows that their relationships lead to.
  package init(_ assignments: [BatchAssignment], _ source: Source) throws(ManagedObjectError) {
    self.source = source
    var parts: [(target: BatchAssignment.Target, constant: AttributeValue, expression: PreparedExpression?)] = []
    for assignment in assignments {
      switch assignment.value {
      case .constant(let value): parts.append((assignment.target, value, nil))
      case .expression(let expression):
        do {
          let context = PreparationContext(source.model)
          parts.append((assignment.target, .null, try PreparedExpression(expression, context)))
        } catch {
          throw ManagedObjectError(error, key: assignment.target.name)
        }
      }
    }
    self.parts = parts
  }

  /// Returns the values for a row, in the order of the assignments.
  package func values(_ row: StoreRow) throws(ManagedObjectError) -> [AttributeValue] {
    var values: [AttributeValue] = []
    values.reserveCapacity(parts.count)
    for part in parts {
      guard let expression = part.expression else {
        values.append(part.constant)
        continue
      }
      let value: PredicateValue<RowSubject<Source>>
      do { value = try expression.value(with: RowSubject(row, source)) } catch {
        throw ManagedObjectError(error, key: part.target.name)
      }
      values.append(try part.target.normalized(value))
    }
    return values
  }
}

extension [BatchAssignment] {
  /// Returns a request that uses the same properties as the expressions. Before a store evaluates the expressions, it
  /// reads the rows that this request needs.
  package func readingRequest(_ entity: ManagedObjectModel.Entity) -> FetchRequest {
    var request = FetchRequest(entity.name)
    request.propertiesToFetch = compactMap { assignment in
      guard case .expression(let expression) = assignment.value else { return nil }
      return .expression(name: assignment.target.name, expression, type: assignment.target.type)
    }
    return request
  }
}
