internal import ObjectModels
internal import Predicates
internal import PropertyLists

extension PredicateCheck {
  /// Checks an expression, and returns the kind of its values.
  ///
  /// - Parameter flattens: true to join nested collections in a key path into one.
  mutating func kind(
    of expression: ManagedExpression, _ positions: PredicatePositions? = nil, flattens: Bool = false
  ) throws(ManagedPredicateError) -> PredicateKind {
    switch expression {
    case .constant(let constant): return PredicateKind(constant, model)
    case .evaluatedObject: return .object(entity.index)
    case .variable(let name):
      if let kind = variables[name] { return kind }
      throw failure(.unboundVariable, "the variable $\(name) has no value", positions)
    case .assignment(let name, let value):
      let kind = try kind(of: value, positions?[0])
      try assign(name, kind, positions)
      return kind
    case .keyPath(let path, of: let root):
      return try kind(
        of: path.keys[...], from: kind(of: root, positions?[0]), positions?.parts.dropFirst(), positions, flattens)
    case .anyKey: return .collection(.anything, isOrdered: true)
    case .aggregate(let elements):
      var kind = PredicateKind.null
      for (index, element) in elements.enumerated() {
        kind = kind.joined(try self.kind(of: element, positions?[index]), model)
      }
      return .collection(kind, isOrdered: true)
    case .function(let function, let arguments):
      var kinds: [PredicateKind] = []
      for (index, argument) in arguments.enumerated() { kinds.append(try kind(of: argument, positions?[index])) }
      return try kind(of: function, arguments, kinds, positions)
    case .method(let selector, of: let operand, let arguments):
      return try kind(ofMethod: selector, of: operand, arguments, positions)
    case .element(let elementSubscript, of: let base):
      return try kind(ofElement: elementSubscript, of: kind(of: base, positions?[0]), positions)
    case .subquery(let collection, let name, let predicate):
      let whole = try kind(of: collection, positions?[0])
      guard let elements = whole.elements else {
        throw mismatch("SUBQUERY needs a collection, not \(self.name(whole))", positions?[0])
      }
      try with(name, elements) { check throws(ManagedPredicateError) in try check.check(predicate, positions?[1]) }
      return whole == .null || whole == .anything ? .collection(elements, isOrdered: false) : whole
    case .conditional(let predicate, let first, let second):
      try check(predicate, positions?[0])
      return try kind(of: first, positions?[1]).joined(kind(of: second, positions?[2]), model)
    case .combination(let operation, let first, let second):
      let (left, right) = (try kind(of: first, positions?[0]), try kind(of: second, positions?[1]))
      guard let one = left.elements, let other = right.elements else {
        throw mismatch("\(operation.rawValue) needs collections, not \(name(left)) and \(name(right))", positions)
      }
      return .collection(one.joined(other, model), isOrdered: false)
    case .fetch: throw failure(.unsupported, "FETCH can be evaluated only by a context", positions)
    }
  }

  private mutating func kind(
    ofMethod selector: String, of operand: ManagedExpression, _ arguments: [ManagedExpression],
    _ positions: PredicatePositions?
  ) throws(ManagedPredicateError) -> PredicateKind {
    let base = try kind(of: operand, positions?[0])
    guard let path = PredicateKeyPath(method: selector, arguments) else {
      throw failure(.unsupported, "the method \(selector.quoted) of an object cannot be called", positions)
    }
    return try kind(of: path.keys[...], from: base, nil, positions?[1], false)
  }

  private mutating func kind(
    ofElement elementSubscript: PredicateSubscript, of base: PredicateKind, _ positions: PredicatePositions?
  ) throws(ManagedPredicateError) -> PredicateKind {
    if base == .null || base == .anything {
      if case .index(let index) = elementSubscript { _ = try kind(of: index, positions?[1]) }
      return base
    }
    switch (elementSubscript, base) {
    case (.size, .collection): return .integer
    case (.first, .collection(let element, isOrdered: true)), (.last, .collection(let element, isOrdered: true)):
      return element
    case (.index(.constant(.value(.string(let key)))), .object),
      (.index(.constant(.value(.string(let key)))), .dictionary),
      (.index(.constant(.value(.string(let key)))), .composite):
      return try kind(ofKey: key, in: base, positions?[1])
    case (.index(let index), .collection(let element, isOrdered: true)):
      let kind = try kind(of: index, positions?[1])
      guard [.integer, .anything].contains(kind) else {
        throw mismatch("expected an integer as the index, found \(name(kind))", positions?[1])
      }
      return element
    case (_, .collection): throw mismatch("the elements of this collection are not ordered", positions)
    default: throw mismatch("\(name(base)) has no elements", positions)
    }
  }

  /// Checks a key path, and returns the kind of the values at its end.
  ///
  /// - Parameters:
  ///   - keyPositions: the positions of the keys in the text, which may be fewer than the keys; nil if they are
  ///     unknown.
  ///   - positions: the position of the whole key path. Errors in keys of unknown position have this position.
  private func kind(
    of keys: ArraySlice<String>, from root: PredicateKind, _ keyPositions: ArraySlice<PredicatePositions>?,
    _ positions: PredicatePositions?, _ flattens: Bool
  ) throws(ManagedPredicateError) -> PredicateKind {
    var kind = root
    var keyPositions = keyPositions ?? []
    for (index, key) in zip(keys.indices, keys) {
      let position = keyPositions.popFirst() ?? positions
      if key.hasPrefix("@") {
        guard let collection = PredicateCollectionOperator(rawValue: key) else {
          throw failure(.unsupported, "\(key.quoted) is not a collection operator", position)
        }
        return try self.kind(of: collection, kind, keys[(index + 1)...], keyPositions, position, flattens)
      }
      kind = try self.kind(ofKey: key, in: kind, position, flattens)
    }
    return kind
  }

  func kind(
    ofKey key: String, in base: PredicateKind, _ position: PredicatePositions?, _ flattens: Bool = false
  ) throws(ManagedPredicateError) -> PredicateKind {
    switch base {
    case .anything, .dictionary: return .anything
    case .null: return .null
    case .composite(let elements):
      if let element = elements.first(where: { $0.name == key }) { return PredicateKind(element) }
      if key == "self" { return base }
      throw failure(.unknownKey, "the composite attribute has no element \(key.quoted)", position)
    case .object(let index): return try kind(ofKey: key, of: index, position)
    case .collection(let element, _):
      let inner = try kind(ofKey: key, in: element, position, flattens)
      if flattens, case .collection(let innermost, _) = inner { return .collection(innermost, isOrdered: true) }
      return .collection(inner, isOrdered: true)
    case .entity:
      switch EntityPredicateKey(rawValue: key) {
      case .name: return .string
      case .userInfo: return .dictionary
      case .kinds: return .collection(.string, isOrdered: true)
      case nil:
        throw failure(
          .unknownKey, "an entity has no key \(key.quoted); its keys are name, userInfo and kinds", position)
      }
    default:
      // The keys of Foundation's classes.
      switch (base, key) {
      case (_, "self"): return base
      case (.string, "length"), (.data, "length"): return .integer
      case (.string, "lowercaseString"), (.string, "uppercaseString"), (.url, "absoluteString"),
        (.uuid, "UUIDString"):
        return .string
      case (.date, "timeIntervalSinceReferenceDate"), (.date, "timeIntervalSince1970"): return .number
      default: throw failure(.unknownKey, "\(name(base)) has no property \(key.quoted)", position)
      }
    }
  }

  private func kind(
    ofKey key: String, of index: Int, _ position: PredicatePositions?
  ) throws(ManagedPredicateError) -> PredicateKind {
    let entity = ManagedObjectModel.Entity(model: model, index: index)
    if let property = entity.property(named: key) { return PredicateKind(property) }
    if EntityKey.ofObjectItself.contains(key) { return .object(index) }
    if entity.fetchedProperty(named: key) != nil {
      throw failure(.unsupported, "\(key.quoted) is a fetched property, which predicates cannot use", position)
    }
    if key == EntityKey.entity, entity.hasEntityKey { return .entity }
    let entities = entity.subtree
    var kind: PredicateKind?
    for property in model.keySlots[key] ?? [] where entities.contains(Int(property.entities.lowerBound)) {
      let owner = ManagedObjectModel.Entity(model: model, index: Int(property.entities.lowerBound))
      guard let other = owner.property(named: key).map({ PredicateKind($0) }) else { continue }
      kind = kind?.joined(other, model) ?? other
    }
    if let kind { return kind }
    let names = entity.selfAndDescendants.lazy.flatMap(\.properties).map(\.name)
    let near = names.first { $0.lowercased() == key.lowercased() }.map { "; did you mean \($0.quoted)?" } ?? ""
    throw failure(.unknownKey, "\(entity.name.quoted) has no property \(key.quoted)\(near)", position)
  }

  private func kind(
    of collection: PredicateCollectionOperator, _ base: PredicateKind, _ rest: ArraySlice<String>,
    _ keyPositions: ArraySlice<PredicatePositions>, _ position: PredicatePositions?, _ flattens: Bool
  ) throws(ManagedPredicateError) -> PredicateKind {
    guard let first = base.elements else {
      throw mismatch("\(collection.rawValue) needs a collection, not \(name(base))", position)
    }
    if collection == .count {
      guard rest.isEmpty else { throw failure(.unsupported, "@count must be the last key of a key path", position) }
      return .integer
    }
    let element = try kind(of: rest, from: first, keyPositions, position, flattens)
    switch collection {
    case .count, .sum, .average:
      guard element.isNumber else {
        throw mismatch("\(collection.rawValue) needs numbers, not \(name(element))", position)
      }
      return collection == .average ? .number : element == .integer ? .integer : .number
    case .minimum, .maximum:
      guard element.isOrdered else {
        throw mismatch("\(collection.rawValue) needs comparable values, not \(name(element))", position)
      }
      return element
    case .unionOfObjects, .distinctUnionOfObjects: return .collection(element, isOrdered: true)
    case .unionOfArrays, .distinctUnionOfArrays, .unionOfSets, .distinctUnionOfSets:
      guard let inner = element.elements else {
        throw mismatch("\(collection.rawValue) needs collections, not \(name(element))", position)
      }
      return .collection(inner, isOrdered: collection == .unionOfArrays || collection == .distinctUnionOfArrays)
    }
  }
}
