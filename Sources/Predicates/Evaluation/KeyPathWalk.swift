/// Follows key paths through objects and collections.
@usableFromInline
struct KeyPathWalk<Object: PredicateSubject> {
  @usableFromInline typealias Value = PredicateValue<Object>

  @usableFromInline let object: Object
  @usableFromInline let flattens: Bool

  @inlinable init(_ object: Object, flattens: Bool) {
    self.object = object
    self.flattens = flattens
  }

  @inlinable func follow(_ steps: ArraySlice<PreparedStep>, from start: Value) throws(ManagedPredicateError) -> Value {
    var value = start
    for (index, step) in zip(steps.indices, steps) {
      if value.isNull { return .null }
      switch step {
      case .key(let key): value = try self.value(of: value, key)
      case .collection(let collection): return try apply(collection, to: value, steps[(index + 1)...])
      }
    }
    return value
  }

  @inlinable func value(of base: Value, _ key: PredicateKey) throws(ManagedPredicateError) -> Value {
    switch base {
    case .value(let value): return .value(try value.builtInValue(forKey: key.name))
    case .object(let object): return try object.predicateValue(forKey: key)
    case .array(let elements): return .array(try values(of: elements, key))
    // Values of different elements can be equal. All are kept, so that they can be summed and counted.
    case .set(let elements): return .array(try values(of: elements, key))
    case .constant(.dictionary(let entries)): return entries[key.name].map { Value($0) } ?? .null
    case .constant(let constant):
      if let subject = object.predicateSubject(for: constant) { return try subject.predicateValue(forKey: key) }
      throw ManagedPredicateError(.unknownKey, "an opaque object has no value for the key \"\(key.name)\"")
    }
  }

  @inlinable func values(of elements: [Value], _ key: PredicateKey) throws(ManagedPredicateError) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(elements.count)
    for element in elements {
      let value = element.isNull ? .null : try self.value(of: element, key)
      if flattens, let inner = value.elements { values += inner } else { values.append(value) }
    }
    return values
  }

  @inlinable func apply(
    _ collection: PredicateCollectionOperator, to base: Value, _ rest: ArraySlice<PreparedStep>
  ) throws(ManagedPredicateError) -> Value {
    guard let elements = base.elements else {
      throw ManagedPredicateError(.typeMismatch, "\(collection.rawValue) needs a collection, not \(base.kindName)")
    }
    if collection == .count {
      guard rest.isEmpty else { throw ManagedPredicateError(.unsupported, "@count must be the last key of a key path") }
      return .value(.integer(Int64(elements.count)))
    }
    var values: [Value] = []
    values.reserveCapacity(elements.count)
    for element in elements { values.append(rest.isEmpty ? element : try follow(rest, from: element)) }
    let present = values.filter { !$0.isNull }
    switch collection {
    case .count: return .value(.integer(Int64(elements.count)))
    case .sum: return try Aggregate.sum(present)
    // Null counts as 0 (Key-Value Coding Programming Guide, "Aggregation Operators").
    case .average: return try Aggregate.average(values.map { $0.isNull ? .value(.integer(0)) : $0 })
    case .minimum: return try Aggregate.extreme(present, .less)
    case .maximum: return try Aggregate.extreme(present, .greater)
    case .unionOfObjects: return .array(present)
    case .distinctUnionOfObjects: return .array(Evaluation<Object>.distinct(present))
    case .unionOfArrays: return .array(try joined(present))
    case .distinctUnionOfArrays: return .array(Evaluation<Object>.distinct(try joined(present)))
    case .unionOfSets, .distinctUnionOfSets: return .set(Evaluation<Object>.distinct(try joined(present)))
    }
  }

  @inlinable func joined(_ collections: [Value]) throws(ManagedPredicateError) -> [Value] {
    var elements: [Value] = []
    for collection in collections {
      guard let inner = collection.elements else {
        throw ManagedPredicateError(.typeMismatch, "a union needs collections, not \(collection.kindName)")
      }
      elements += inner.filter { !$0.isNull }
    }
    return elements
  }
}
