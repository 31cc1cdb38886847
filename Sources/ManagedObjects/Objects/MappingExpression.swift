internal import ObjectModels
package import Predicates
internal import PropertyLists

/// The value expression of a property mapping in a migration, prepared to be evaluated with source objects.
///
/// The expression may use all features of predicates. `$source` is the source object, and `$manager` is the migration
/// manager. To set a relationship, the whole expression is a call of a ``Method`` of `$manager`, with source objects as
/// the last argument. ``value(of:)`` then returns these source objects, and the migration replaces them with their
/// destination objects.
package struct MappingExpression: Sendable {
  /// The meaning of an expression's value.
  package enum Result: Hashable, Sendable {
    /// The expression evaluates to the value of the property.
    case value
    /// The expression evaluates to source objects. The value of the property consists of the destination objects of
    /// these source objects, created by the entity mapping with this name, or by any mapping if the name is nil.
    case destinations(mapping: String?)
  }

  package let result: Result
  /// The source relationship that the expression begins with; nil for other expressions.
  package let relationshipName: String?
  private let expression: PreparedExpression

  /// The methods of `NSMigrationManager` that find destination objects.
  package enum Method {
    package static let byMapping = "destinationInstancesForEntityMappingNamed:sourceInstances:"
    package static let byRelationship = "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
  }

  /// Checks and prepares an expression.
  ///
  /// - Parameters:
  ///   - expression: the expression.
  ///   - entity: the source entity.
  ///   - property: the destination property.
  /// - Throws: ``ManagedPredicateError`` if the expression cannot be evaluated or its value does not fit the property.
  package init(
    _ expression: ManagedExpression, of entity: ManagedObjectModel.Entity,
    for property: ManagedObjectModel.Entity.Property
  ) throws(ManagedPredicateError) {
    _ = try expression.height(within: ManagedPredicate.greatestDepth)
    var value = expression
    var result = Result.value
    if case .method(let selector, of: .variable("manager"), let arguments) = expression {
      guard selector == Method.byMapping || selector == Method.byRelationship, arguments.count == 2,
        case .constant(.value(.string(let name))) = arguments[0]
      else {
        throw ManagedPredicateError(.unsupported, "the method \(selector.quoted) of $manager cannot be called")
      }
      result = .destinations(mapping: selector == Method.byMapping ? name : nil)
      value = arguments[1]
    }
    if let other = value.foreignVariable {
      throw ManagedPredicateError(
        .unboundVariable, "$\(other) is not supported in a mapping; use a function of the program instead")
    }
    value = value.replacingVariables(["source": .evaluatedObject])
    var check = PredicateCheck(entity)
    let kind = try check.kind(of: value)
    try Self.check(kind, result, property, entity.model)
    self.result = result
    self.expression = try PreparedExpression(value)
    if case .keyPath(let path, of: .evaluatedObject) = value, entity.relationship(named: path.keys[0]) != nil {
      relationshipName = path.keys[0]
    } else {
      relationshipName = nil
    }
  }

  private static func check(
    _ kind: PredicateKind, _ result: Result, _ property: ManagedObjectModel.Entity.Property, _ model: ManagedObjectModel
  ) throws(ManagedPredicateError) {
    let shown = kind.name(model)
    switch (property, result) {
    case (.attribute(let attribute), .value):
      let type = attribute.definition.type
      if [.opaque, .dictionary, .entity].contains(kind) || !kind.canEqual(PredicateKind(type), model) {
        throw ManagedPredicateError(.typeMismatch, "expected \(type.name), found \(shown)")
      }
    case (.attribute, .destinations): throw ManagedPredicateError(.typeMismatch, "an attribute cannot have objects")
    case (.relationship, .value):
      if kind != .null {
        throw ManagedPredicateError(
          .typeMismatch, "a relationship needs objects of the destination, which $manager finds, not \(shown)")
      }
    case (.relationship, .destinations):
      switch kind {
      case .object, .null, .anything, .collection(.object, _), .collection(.null, _), .collection(.anything, _): return
      default: throw ManagedPredicateError(.typeMismatch, "expected source objects, found \(shown)")
      }
    }
  }

  /// Returns the value of the expression for a source object.
  package func value(of source: ManagedObject) throws(ManagedPredicateError) -> ManagedObject.Value {
    ManagedObject.Value(try expression.value(with: ObjectSubject(object: source)))
  }
}

extension ManagedExpression {
  /// The first unbound variable other than `$source`.
  fileprivate var foreignVariable: String? {
    switch self {
    case .variable(let name): name == "source" ? nil : name
    case .keyPath(_, of: let root): root.foreignVariable
    case .method(_, of: let root, let arguments): root.foreignVariable ?? arguments.firstForeignVariable
    case .function(_, let arguments), .aggregate(let arguments): arguments.firstForeignVariable
    case .conditional(_, let first, let second), .combination(_, let first, let second):
      [first, second].firstForeignVariable
    case .element(_, of: let base): base.foreignVariable
    // Variables in predicates are checked when the predicates are prepared.
    case .constant, .evaluatedObject, .anyKey, .assignment, .subquery, .fetch: nil
    }
  }
}

extension [ManagedExpression] {
  fileprivate var firstForeignVariable: String? { lazy.compactMap(\.foreignVariable).first }
}

extension ManagedObjectModel {
  /// Returns the same model with ``ManagedObject`` as the class of all entities.
  ///
  /// - Throws: ``ManagedObjectModelError/invalid(_:)``.
  package func withoutClasses() throws(ManagedObjectModelError) -> ManagedObjectModel {
    if classes.allSatisfy({ $0 == nil }) { return self }
    var contents = contents
    contents.classes = [:]
    contents.allowsReservedNames = true
    return try ManagedObjectModel(contents)
  }
}
