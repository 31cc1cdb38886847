internal import FoundationEssentials
package import ManagedObjects

/// The translation of an expression, such as a side of a comparison.
enum QueryOperand {
  case constant(PredicateConstant)
  case value(ValueTerm)
  case object(ObjectAlias)
  case composite(CompositeTerm)
  case entity(EntityTerm)
  case collection(CollectionTerm)
  /// The number of elements of a collection. If the owner of the collection is missing, the number is null if
  /// `isNullable` is true, and 0 otherwise.
  case count(CollectionTerm, isNullable: Bool)
  /// An expression that must be evaluated in memory.
  case other(ManagedExpression)
}

/// SQL for a value that the statement passes to a function. The function evaluates a predicate or an expression with
/// the value in memory.
package struct Leaf {
  let sql: String
  let kind: Kind

  package enum Kind: Sendable {
    case attribute(AttributeType, isExternal: Bool)
    /// An object, passed as two arguments: the entity number and the primary key.
    case object
    /// A list of values, which ``QueryTranslation/Binding/collector(_:isSet:)`` collected.
    case list
  }
}

extension QueryTranslation {
  /// Translates an expression.
  ///
  /// - Parameter flattens: True if a key path may contain several to-many relationships. The objects at its end are
  ///   then in one collection.
  mutating func operand(
    _ expression: ManagedExpression, flattens: Bool = false
  ) throws(Untranslatable) -> QueryOperand {
    switch expression {
    case .constant(let constant): return .constant(constant)
    case .evaluatedObject: return .object(root)
    case .variable(let name):
      guard let object = variables[name] else { throw Untranslatable() }
      return .object(object)
    case .aggregate(let elements):
      let constants = elements.compactMap { if case .constant(let constant) = $0 { constant } else { nil } }
      return constants.count == elements.count ? .constant(.array(constants)) : .other(expression)
    case .keyPath(let path, of: let base): return try operand(path.keys[...], of: base, expression, flattens)
    case .element(.index(.constant(.value(.string(let key)))), of: let base):
      return try operand([key], of: base, expression, flattens)
    case .method(let selector, of: let base, let arguments):
      guard ["valueForKey:", "valueForKeyPath:"].contains(selector), arguments.count == 1,
        case .constant(.value(.string(let text))) = arguments[0], let path = PredicateKeyPath(text)
      else { throw Untranslatable() }
      return try operand(path.keys[...], of: base, expression, flattens)
    case .element(.size, of: let base):
      guard case .collection(let collection) = try operand(base), !collection.isFlattened else {
        return .other(expression)
      }
      return .count(collection, isNullable: collection.isNullable)
    case .function(.count, let arguments) where arguments.count == 1:
      guard case .collection(let collection) = try operand(arguments[0]), !collection.isFlattened else {
        return .other(expression)
      }
      return .count(collection, isNullable: false)
    case .function(.noIndex, let arguments) where arguments.count == 1:
      guard case .value(var value) = try operand(arguments[0]) else { return .other(expression) }
      value = ValueTerm(
        sql: dialect.unindexed(value.sql), type: value.type, isExternal: value.isExternal, isColumn: value.isColumn,
        isThere: value.isThere)
      return .value(value)
    case .subquery(let collection, let name, let predicate):
      return .collection(try subquery(collection, name, predicate, flattens))
    case .conditional(let predicate, let first, .constant(.null)):
      return attempt { (translation) throws(Untranslatable) in try translation.optional(first, if: predicate) }
        ?? .other(expression)
    case .function, .conditional, .combination, .element: return .other(expression)
    case .assignment, .anyKey, .fetch: throw Untranslatable()
    }
  }

  private mutating func operand(
    _ keys: ArraySlice<String>, of base: ManagedExpression, _ whole: ManagedExpression, _ flattens: Bool
  ) throws(Untranslatable) -> QueryOperand {
    // `@count` at the end of a key path counts the elements of the first collection on the path. The keys between them
    // do not matter.
    let counts = keys.last == PredicateCollectionOperator.count.rawValue
    let destination: Destination
    var rest = keys
    switch try operand(base, flattens: flattens) {
    case .object(let object):
      (destination, rest) = try follow(keys, from: .object(object), flattens: flattens, stopsAtCollections: counts)
    case .composite(let term): (destination, rest) = try follow(keys, from: .composite(term))
    case .collection(let collection):
      if counts { return .count(collection, isNullable: collection.isNullable) }
      (destination, rest) = try follow(keys, from: .collection(collection), flattens: flattens)
    case .constant, .value, .entity, .count, .other: return .other(whole)
    }
    if counts, case .collection(let collection) = destination {
      return .count(collection, isNullable: collection.isNullable)
    }
    guard rest.isEmpty else { return .other(whole) }
    switch destination {
    case .object(let object): return .object(object)
    case .value(let value): return .value(value)
    case .composite(let term): return .composite(term)
    case .entity(let term): return .entity(term)
    case .collection(let collection): return .collection(collection)
    }
  }

  /// Translates `TERNARY(predicate, expression, nil)`. Throws if `expression` is not the value of an attribute, or if
  /// the predicate can fail.
  private mutating func optional(
    _ expression: ManagedExpression, if predicate: ManagedPredicate
  ) throws(Untranslatable) -> QueryOperand {
    let condition = try condition(predicate)
    guard !condition.mayFail, case .value(let value) = try operand(expression) else { throw Untranslatable() }
    return .value(
      ValueTerm(
        sql: dialect.choice(condition.sql, value.sql, dialect.null), type: value.type, isExternal: value.isExternal,
        isColumn: false, isThere: false))
  }

  /// Translates `SUBQUERY`: adds the predicate to the conditions of the collection.
  private mutating func subquery(
    _ expression: ManagedExpression, _ name: String, _ predicate: ManagedPredicate, _ flattens: Bool
  ) throws(Untranslatable) -> CollectionTerm {
    guard case .collection(var collection) = try operand(expression), case .object(let element) = collection.content,
      !collection.isFlattened
    else { throw Untranslatable() }
    let outer = variables[name]
    variables[name] = element
    defer { variables[name] = outer }
    let condition = try condition(predicate)
    // Otherwise, the statement would fail or not, depending on the elements that SQL tests.
    if condition.mayFail { throw Untranslatable() }
    collection.scope.add(condition.sql)
    // `SUBQUERY` of a missing collection is an empty collection.
    collection.isNullable = false
    return collection
  }

  // Expressions that a function evaluates in memory, with values that the statement passes to it.

  /// The parts of an expression that SQL computes. The statement passes their values to a function. In the expression
  /// that the function evaluates, a variable replaces each part.
  struct Leaves {
    private(set) var all: [Leaf] = []
    private(set) var names: [String] = []

    /// Adds a part, and returns the variable that represents it.
    mutating func variable(_ leaf: Leaf) -> ManagedExpression {
      all.append(leaf)
      // A name that cannot occur in a predicate's text.
      names.append("value \(all.count)")
      return .variable(names[names.count - 1])
    }

    var columns: [String] { all.map(\.sql) }
  }

  mutating func expression(
    _ operand: QueryOperand, _ leaves: inout Leaves
  ) throws(Untranslatable) -> ManagedExpression {
    switch operand {
    case .constant(let constant): return .constant(constant)
    case .value(let value):
      return leaves.variable(Leaf(sql: value.sql, kind: .attribute(value.type, isExternal: value.isExternal)))
    case .object(let object):
      return leaves.variable(Leaf(sql: "\(object.referredEntity), \(object.reference)", kind: .object))
    // A function gets one value for each variable, and a composite value has several columns.
    case .composite: throw Untranslatable()
    case .entity(let term): return try expression(.value(name(of: term)), &leaves)
    case .count(let collection, let isNullable):
      return try expression(.value(count(collection, isNullable: isNullable)), &leaves)
    case .collection(let collection): return leaves.variable(Leaf(sql: try list(collection), kind: .list))
    case .other(let whole): return try expression(whole, &leaves)
    }
  }

  func count(_ collection: CollectionTerm, isNullable: Bool) -> ValueTerm {
    var count = dialect.count(collection.scope.clause())
    if isNullable { count = dialect.choice(dialect.isNotNull(collection.owner.number), count, dialect.null) }
    return ValueTerm(sql: count, type: .integer64, isColumn: false)
  }

  /// Returns SQL that collects the elements of a collection into one value.
  private mutating func list(_ collection: CollectionTerm) throws(Untranslatable) -> String {
    guard let order = collection.order, !collection.isFlattened else { throw Untranslatable() }
    let kind: Leaf.Kind
    let values: [String]
    switch collection.content {
    case .object(let object): (kind, values) = (.object, [object.referredEntity, object.reference])
    case .value(let value): (kind, values) = (.attribute(value.type, isExternal: value.isExternal), [value.sql])
    case .composite: throw Untranslatable()
    case .entity(let term):
      let name = try name(of: term)
      (kind, values) = (.attribute(name.type, isExternal: false), [name.sql])
    }
    let parameter = bind(.collector(kind, isSet: collection.isSet))
    let list = dialect.list(parameter, values, collection.scope.clause(), orderedBy: order, isSet: collection.isSet)
    guard let list else { throw Untranslatable() }
    if !collection.isNullable { return list }
    return dialect.choice(dialect.isNotNull(collection.owner.number), list, dialect.null)
  }

  /// Returns the expression that the function evaluates: `whole`, with the parts that SQL can compute replaced by
  /// variables. Adds these parts to `leaves`.
  private mutating func expression(
    _ whole: ManagedExpression, _ leaves: inout Leaves
  ) throws(Untranslatable) -> ManagedExpression {
    switch whole {
    case .aggregate(let parts): return .aggregate(try expressions(parts, &leaves))
    case .function(let function, let arguments):
      switch function {
      case .random, .randomBelow: throw Untranslatable()
      case .distance:
        var places: [ManagedExpression] = []
        for argument in arguments { places.append(try coordinates(argument, &leaves)) }
        return .function(function, places)
      default: return .function(function, try expressions(arguments, &leaves))
      }
    case .conditional(let predicate, let first, let second):
      let condition = try condition(predicate)
      if condition.mayFail || mayFail(first) || mayFail(second) { throw Untranslatable() }
      let holds = leaves.variable(Leaf(sql: condition.sql, kind: .attribute(.boolean, isExternal: false)))
      return .conditional(
        .comparing(holds, .equal, .value(.boolean(true))), try part(first, &leaves), try part(second, &leaves))
    case .combination(let operation, let first, let second):
      return .combination(operation, try part(first, &leaves), try part(second, &leaves))
    case .element(.index(let index), of: let base):
      return .element(.index(try part(index, &leaves)), of: try part(base, &leaves))
    case .element(let position, of: let base): return .element(position, of: try part(base, &leaves))
    case .keyPath(let path, of: let base): return try expression(path.keys[...], of: base, &leaves)
    default: throw Untranslatable()
    }
  }

  private mutating func expressions(
    _ parts: [ManagedExpression], _ leaves: inout Leaves
  ) throws(Untranslatable) -> [ManagedExpression] {
    var expressions: [ManagedExpression] = []
    for item in parts { expressions.append(try part(item, &leaves)) }
    return expressions
  }

  private mutating func part(
    _ expression: ManagedExpression, _ leaves: inout Leaves
  ) throws(Untranslatable) -> ManagedExpression {
    try self.expression(operand(expression), &leaves)
  }

  /// Returns the expression that the function evaluates for a key path that SQL can follow only up to a certain key: an
  /// operator on a collection, such as `@sum`, or a key of a value, such as `length`.
  private mutating func expression(
    _ keys: ArraySlice<String>, of base: ManagedExpression, _ leaves: inout Leaves
  ) throws(Untranslatable) -> ManagedExpression {
    var start: ManagedExpression
    var rest = keys
    switch try operand(base) {
    case .object(let object):
      let destination: Destination
      (destination, rest) = try follow(keys, from: .object(object))
      start = try expression(destination, &rest, &leaves)
    case .collection(let collection):
      let destination: Destination
      (destination, rest) = try follow(keys, from: .collection(collection))
      start = try expression(destination, &rest, &leaves)
    case let operand:
      // The base is computed in memory. If it is an object, SQL cannot read its properties, so only operators and keys
      // of values are allowed.
      guard keys.first?.hasPrefix("@") == true || Self.isKeyOfValues(keys) else { throw Untranslatable() }
      start = try expression(operand, &leaves)
    }
    guard let path = PredicateKeyPath(keys: Array(rest)) else { return start }
    return .keyPath(path, of: start)
  }

  private mutating func expression(
    _ destination: Destination, _ rest: inout ArraySlice<String>, _ leaves: inout Leaves
  ) throws(Untranslatable) -> ManagedExpression {
    switch destination {
    case .object(let object):
      guard rest.isEmpty else { throw Untranslatable() }
      return try expression(.object(object), &leaves)
    case .value(let value): return try expression(.value(value), &leaves)
    case .composite(let term): return try expression(.composite(term), &leaves)
    case .entity(let term): return try expression(.entity(term), &leaves)
    case .collection(let collection):
      guard let operation = rest.first, operation.hasPrefix("@"), rest.count > 1 else {
        return try expression(.collection(collection), &leaves)
      }
      // The keys after the operator apply to the elements.
      let (content, left) = try follow(rest.dropFirst(), from: .collection(collection))
      guard case .collection(let elements) = content else { throw Untranslatable() }
      rest = [operation] + left
      return try expression(.collection(elements), &leaves)
    }
  }

  /// True if all keys are keys of values, such as `length`, and not properties of objects.
  private static func isKeyOfValues(_ keys: ArraySlice<String>) -> Bool {
    let known = [
      "length", "lowercaseString", "uppercaseString", "timeIntervalSinceReferenceDate", "timeIntervalSince1970",
      "absoluteString", "UUIDString",
    ]
    return keys.allSatisfy { known.contains($0) }
  }

  /// Returns the expression that the function evaluates for a geographic location. If the location is an object, the
  /// expression is a list of its attributes `latitude` and `longitude`.
  private mutating func coordinates(
    _ expression: ManagedExpression, _ leaves: inout Leaves
  ) throws(Untranslatable) -> ManagedExpression {
    guard case .object(let object) = try operand(expression) else { return try part(expression, &leaves) }
    var values: [ManagedExpression] = []
    for key in ["latitude", "longitude"] {
      let (destination, rest) = try follow([key], from: .object(object))
      guard rest.isEmpty, case .value(let value) = destination else { throw Untranslatable() }
      values.append(try self.expression(.value(value), &leaves))
    }
    return .aggregate(values)
  }
}
