internal import FoundationEssentials
internal import ObjectModels
internal import Predicates

extension PredicateExpressions.Value: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    try PredicateTranslation.term(constant: value)
  }
}

extension PredicateTranslation {
  static func term(constant value: Any) throws(ManagedPredicateError) -> Term {
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional {
      return try mirror.children.first.map { child throws(ManagedPredicateError) in try term(constant: child.value) }
        ?? .expression(.constant(.null))
    }
    if let range = value as? any RangeConstant { return try range.rangeTerm() }
    if let regex = value as? PredicateExpressions.PredicateRegex { return .pattern(regex.stringRepresentation) }
    return .expression(try constant(value))
  }

  static func constant(_ value: Any) throws(ManagedPredicateError) -> ManagedExpression {
    switch value {
    case let object as ManagedObject: return .constant(.object(object.key))
    case let id as ManagedObjectID: return .constant(.object(id.key))
    case let character as Character: return .value(.string(String(character)))
    case let text as Substring: return .value(.string(String(text)))
    case let argument as any PredicateArgument: return argument.predicateExpression
    case is AnyHashable where Mirror(reflecting: value).displayStyle == .dictionary: throw unsupported("a dictionary")
    case let elements as any Collection: return .aggregate(try aggregate(elements))
    case let attribute as any AttributeCoding:
      do { return .value(try attribute.attributeValue) } catch { throw ManagedPredicateError(.argument, error.message) }
    default: throw unsupported("a value of type \(type(of: value))")
    }
  }

  private static func aggregate(_ elements: some Collection) throws(ManagedPredicateError) -> [ManagedExpression] {
    var constants: [ManagedExpression] = []
    constants.reserveCapacity(elements.count)
    for element in elements {
      guard case .expression(let constant) = try term(constant: element) else {
        throw unsupported("a collection of ranges")
      }
      constants.append(constant)
    }
    return constants
  }
}

extension PredicateExpressions.KeyPath: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    let base = try translation.expression(root)
    switch kind {
    case .collectionCount: return .expression(try PredicateTranslation.count(of: base, Root.Output.self))
    case .collectionIsEmpty:
      if Root.Output.self is any StringProtocol.Type {
        return .condition(.comparing(base, .equal, .value(.string(""))))
      }
      let count = try PredicateTranslation.count(of: base, Root.Output.self)
      return .condition(.comparing(count, .equal, .value(.integer(0))))
    case .collectionFirst, .bidirectionalCollectionLast:
      guard case .keyPath = base, let type = Root.Output.self as? any RelationshipValue.Type, type.isOrdered else {
        throw PredicateTranslation.unsupported("the first or last element of a \(Root.Output.self)")
      }
      return .expression(.element(kind == .collectionFirst ? .first : .last, of: base))
    case nil: break
    @unknown default: break
    }
    if Root.Output.self is ManagedObject.Type {
      return .expression(try PredicateTranslation.property(keyPath, of: base))
    }
    if let key = PredicateTranslation.builtInKey(keyPath) {
      return .expression(try PredicateTranslation.keyPath([key], of: base))
    }
    if let type = Root.Output.self as? any AttributeConvertible.Type, type.isRawValue(keyPath) {
      return .expression(base)
    }
    let property = "a property of type \(Output.self) of \(Root.Output.self)"
    throw ManagedPredicateError(
      .unsupported,
      "\(property) cannot be used in a predicate for managed objects, because stores keep a \(Root.Output.self) as an "
        + "archive; add an attribute with this value to the class, and use it in the predicate")
  }
}

extension PredicateTranslation {
  /// Returns the expression for the number of objects or elements, or for the length of a string or of data.
  fileprivate static func count(of base: ManagedExpression, _ type: Any.Type) throws(ManagedPredicateError)
    -> ManagedExpression
  {
    if type is any StringProtocol.Type || type == Data.self { return try keyPath(["length"], of: base) }
    if type is any RelationshipValue.Type { return try keyPath(["@count"], of: base) }
    if case .aggregate(let elements) = base { return .value(.integer(Int64(elements.count))) }
    throw unsupported("the number of elements of a \(type)")
  }

  /// Returns the expression for a property of a managed object.
  fileprivate static func property(
    _ keyPath: AnyKeyPath, of base: ManagedExpression
  ) throws(ManagedPredicateError) -> ManagedExpression {
    if let path = PropertyPath(keyPath) {
      if case .fetched = path.last { throw unsupported("the fetched property \(path.names.joined(separator: "."))") }
      return try Self.keyPath(path.names, of: base)
    }
    let type = type(of: keyPath)
    // In a predicate, an object ID is equivalent to its object.
    if type.valueType == ManagedObjectID.self { return base }
    if type.valueType == ManagedObjectModel.Entity.self { return try Self.keyPath([EntityKey.entity], of: base) }
    throw ManagedPredicateError(
      .unknownKey, "the key path from \(type.rootType) to \(type.valueType) is not a property of a model")
  }

  /// Returns the key of a built-in property of a value; see ``AttributeValue``.
  fileprivate static func builtInKey(_ keyPath: AnyKeyPath) -> String? {
    switch keyPath {
    case \Date.timeIntervalSinceReferenceDate: "timeIntervalSinceReferenceDate"
    case \Date.timeIntervalSince1970: "timeIntervalSince1970"
    case \URL.absoluteString: "absoluteString"
    case \UUID.uuidString: "UUIDString"
    case \ManagedObjectModel.Entity.name: EntityPredicateKey.name.rawValue
    default: nil
    }
  }
}

extension AttributeConvertible {
  /// Returns true if a key path leads from a value to its raw value. Stores keep the raw value.
  fileprivate static func isRawValue(_ keyPath: AnyKeyPath) -> Bool {
    guard let type = Self.self as? any RawRepresentable.Type, let value = missingValue as? any RawRepresentable,
      type.isRawValue(Swift.type(of: keyPath).valueType), let result = missingValue[keyPath: keyPath]
    else { return false }
    return (result as? any AttributeCoding).flatMap { try? $0.attributeValue } == value.rawAttributeValue
  }

  private subscript(keyPath keyPath: AnyKeyPath) -> Any? { (self as Any)[keyPath: keyPath] }
}

extension RawRepresentable {
  fileprivate static func isRawValue(_ type: Any.Type) -> Bool { type == RawValue.self }

  fileprivate var rawAttributeValue: AttributeValue? {
    (rawValue as? any AttributeCoding).flatMap { try? $0.attributeValue }
  }
}

// Arithmetic.

extension PredicateExpressions.Arithmetic: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    let function: PredicateFunction? =
      switch op {
      case .add: .add
      case .subtract: .subtract
      case .multiply: .multiply
      @unknown default: nil
      }
    guard let function else { throw PredicateTranslation.unsupported("an unknown operation") }
    return .expression(.function(function, [try translation.expression(lhs), try translation.expression(rhs)]))
  }
}

extension PredicateExpressions.IntDivision: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    .expression(.function(.divide, [try translation.expression(lhs), try translation.expression(rhs)]))
  }
}

extension PredicateExpressions.FloatDivision: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    .expression(.function(.divide, [try translation.expression(lhs), try translation.expression(rhs)]))
  }
}

extension PredicateExpressions.IntRemainder: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    .expression(.function(.modulus, [try translation.expression(lhs), try translation.expression(rhs)]))
  }
}

extension PredicateExpressions.UnaryMinus: TranslatableExpression {
  func translated(by translation: inout PredicateTranslation) throws(ManagedPredicateError) -> Term {
    let operand = try translation.expression(wrapped)
    // A minus sign and a number become one number, as in format strings.
    switch operand {
    case .constant(.value(.integer(let value))) where value != .min: return .expression(.value(.integer(-value)))
    case .constant(.value(.double(let value))): return .expression(.value(.double(-value)))
    case .constant(.value(.float(let value))): return .expression(.value(.float(-value)))
    default: return .expression(.function(.negate, [operand]))
    }
  }
}
