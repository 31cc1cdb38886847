internal import ManagedObjects

/// The keys that a request asks objects for, and the objects that its paths begin at.
struct RequestKeys {
  private(set) var names: Set<String> = []
  private(set) var objects: Set<RowKey> = []
  /// True if any value of an object may be asked for.
  private(set) var asksForAll = false

  init(_ request: FetchRequest) {
    if let predicate = request.predicate { add(predicate) }
    for descriptor in request.sortDescriptors { add(descriptor.keyPath) }
    for value in (request.propertiesToFetch ?? []) + (request.propertiesToGroupBy ?? []) {
      switch value {
      case .property(let path): add(path)
      case .expression(_, let expression, _): add(expression)
      }
    }
    if let predicate = request.havingPredicate { add(predicate) }
  }

  private mutating func add(_ path: String?) {
    if let path = path.flatMap({ PredicateKeyPath($0) }) { names.formUnion(path.keys) }
  }

  private mutating func add(_ predicate: ManagedPredicate) {
    switch predicate {
    case .constant: break
    case .and(let parts), .or(let parts): for part in parts { add(part) }
    case .not(let part): add(part)
    case .comparison(let comparison):
      add(comparison.left)
      add(comparison.right)
    }
  }

  private mutating func add(_ expression: ManagedExpression) {
    switch expression {
    case .constant(let constant): add(constant)
    case .evaluatedObject, .variable: break
    case .anyKey: asksForAll = true
    case .assignment(_, let part): add(part)
    case .keyPath(let path, of: let base):
      names.formUnion(path.keys)
      add(base)
    case .aggregate(let parts), .function(_, let parts): for part in parts { add(part) }
    case .method(_, of: let base, let arguments):
      add(base)
      for argument in arguments {
        if case .constant(.value(.string(let path))) = argument { add(path) }
        add(argument)
      }
    case .element(let place, of: let base):
      add(base)
      if case .index(let index) = place {
        if case .constant(.value(.string(let key))) = index { names.insert(key) }
        // What an index results in is not known here.
        if case .constant = index {} else { asksForAll = true }
        add(index)
      }
    case .subquery(let collection, _, let predicate):
      add(collection)
      add(predicate)
    case .conditional(let predicate, let first, let second):
      add(predicate)
      add(first)
      add(second)
    case .combination(_, let first, let second), .fetch(let first, let second, _):
      add(first)
      add(second)
    }
  }

  private mutating func add(_ constant: PredicateConstant) {
    switch constant {
    case .object(let key): objects.insert(key)
    case .array(let elements): for element in elements { add(element) }
    case .set(let elements): for element in elements { add(element) }
    case .dictionary(let entries): for element in entries.values { add(element) }
    case .value, .opaque: break
    }
  }
}
