internal import ObjectModels
package import Predicates
internal import PropertyLists

/// The value of a property in a mapping, ready to be evaluated with objects of the source.
///
/// It can have what predicates have; `$source` is the object. An expression that as a whole asks `$manager` for objects
/// of the destination evaluates to the objects of the source that those come from.
package struct MappingExpression: Sendable {
  /// The origin of the value.
  package enum Result: Hashable, Sendable {
    /// It is the value itself.
    case value
    /// It is what objects have become by a mapping of a name, or by any for nil.
    case destinations(mapping: String?)
  }

  package let result: Result
  /// The relationship of the source that the value begins with; nil for another expression.
  package let relationshipName: String?
  private let expression: PreparedExpression

  /// The methods of `NSMigrationManager` that find objects of the destination.
  package enum Method {
    package static let byMapping = "destinationInstancesForEntityMappingNamed:sourceInstances:"
    package static let byRelationship = "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
  }

  /// - Parameters:
  ///   - expression: the expression.
  ///   - entity: the entity of the source.
  ///   - property: the property of the destination that gets the value.
  /// - Throws: what cannot be evaluated, or can be no value of the property.
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
        throw ManagedPredicateError(.unsupported, "the method \(selector.quoted) of the manager cannot be called")
      }
      result = .destinations(mapping: selector == Method.byMapping ? name : nil)
      value = arguments[1]
    }
    if let other = value.foreignVariable {
      throw ManagedPredicateError(.unboundVariable, "$\(other) cannot be used here; a function can do what it would")
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
      if kind == .opaque || kind == .dictionary || !kind.canEqual(PredicateKind(type), model) {
        throw ManagedPredicateError(.typeMismatch, "\(shown) is no \(type.name)")
      }
    case (.attribute, .destinations): throw ManagedPredicateError(.typeMismatch, "an attribute cannot have objects")
    case (.relationship, .value):
      if kind != .null {
        throw ManagedPredicateError(
          .typeMismatch, "a relationship needs objects of the destination, which $manager finds, and not \(shown)")
      }
    case (.relationship, .destinations):
      switch kind {
      case .object, .null, .anything, .collection(.object, _), .collection(.null, _), .collection(.anything, _): return
      default: throw ManagedPredicateError(.typeMismatch, "\(shown) cannot have become objects")
      }
    }
  }

  /// The value for an object of the source.
  package func value(of source: ManagedObject) throws(ManagedPredicateError) -> ManagedObject.Value {
    ManagedObject.Value(try expression.value(with: ObjectSubject(object: source)))
  }
}

extension ManagedExpression {
  /// The first variable but `$source` that gets no value in the expression.
  fileprivate var foreignVariable: String? {
    switch self {
    case .variable(let name): name == "source" ? nil : name
    case .keyPath(_, of: let root): root.foreignVariable
    case .method(_, of: let root, let arguments): root.foreignVariable ?? arguments.firstForeignVariable
    case .function(_, let arguments), .aggregate(let arguments): arguments.firstForeignVariable
    case .conditional(_, let first, let second), .combination(_, let first, let second):
      [first, second].firstForeignVariable
    case .element(_, of: let base): base.foreignVariable
    // Variables in predicates are found when those are prepared.
    case .constant, .evaluatedObject, .anyKey, .assignment, .subquery, .fetch: nil
    }
  }
}

extension [ManagedExpression] {
  fileprivate var firstForeignVariable: String? { lazy.compactMap(\.foreignVariable).first }
}

extension ManagedObjectModel {
  /// The model with objects of ``ManagedObject`` alone, whatever classes it was made of or joined with.
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
