internal import ObjectModels
package import Predicates

/// The keys that a request reads, and the objects that it contains.
package struct RequestKeys {
  /// The number of occurrences of each key in the request.
  private var occurrences: [String: Int] = [:]
  /// The number of expressions that may read any value.
  private var unknownCount = 0
  package private(set) var objects: Set<RowKey> = []
  /// True if a contained object is not only compared: a key path may begin at it.
  private(set) var beginsAtObjects = false

  package init(_ request: FetchRequest) {
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

  package var names: Set<String> { Set(occurrences.keys) }

  /// True if any value of an object may be read.
  package var asksForAll: Bool { unknownCount > 0 }

  private mutating func add(_ path: String?) {
    if let path = path.flatMap({ PredicateKeyPath($0) }) { add(path.keys) }
  }

  private mutating func add(_ keys: [String]) { for key in keys { occurrences[key, default: 0] += 1 } }

  private mutating func add(_ predicate: ManagedPredicate) {
    switch predicate {
    case .constant: break
    case .and(let parts), .or(let parts): for part in parts { add(part) }
    case .not(let part): add(part)
    case .comparison(let comparison):
      addOperand(comparison.left)
      addOperand(comparison.right)
    }
  }

  /// Adds an operand of a comparison. An object that is only compared need not be found in a store.
  private mutating func addOperand(_ expression: ManagedExpression) {
    let beginsAtObjects = beginsAtObjects
    add(expression)
    switch expression {
    case .constant: self.beginsAtObjects = beginsAtObjects
    case .aggregate(let parts) where parts.allSatisfy({ if case .constant = $0 { true } else { false } }):
      self.beginsAtObjects = beginsAtObjects
    default: break
    }
  }

  private mutating func add(_ expression: ManagedExpression) {
    switch expression {
    case .constant(let constant): add(constant)
    case .evaluatedObject, .variable: break
    case .anyKey: unknownCount += 1
    case .assignment(_, let part): add(part)
    case .keyPath(let path, of: let base):
      add(path.keys)
      add(base)
    case .aggregate(let parts), .function(_, let parts): for part in parts { add(part) }
    case .method(_, of: let base, let arguments):
      add(base)
      for argument in arguments {
        if case .constant(.value(.string(let path))) = argument { add(path) }
        add(argument)
      }
    case .element(let elementSubscript, of: let base):
      add(base)
      if case .index(let index) = elementSubscript {
        if case .constant(.value(.string(let key))) = index { add([key]) }
        // The key that results from an index expression is unknown.
        if case .constant = index {} else { unknownCount += 1 }
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
    case .object(let key):
      objects.insert(key)
      beginsAtObjects = true
    case .array(let elements): for element in elements { add(element) }
    case .set(let elements): for element in elements { add(element) }
    case .dictionary(let entries): for element in entries.values { add(element) }
    case .value, .opaque: break
    }
  }

  // Properties that are read later: ``ManagedObjectModel/Entity/Record/slotsReadLater(_:)``.

  /// Returns the names of the properties read later that the request may use.
  package func namesReadLater(in model: ManagedObjectModel) -> Set<String> {
    var names: Set<String> = []
    for record in model.records {
      names.formUnion(record.relationships.map(\.name))
      names.formUnion(record.attributes.filter(\.definition.isExternal).map(\.name))
    }
    return asksForAll ? names : names.filter { occurrences[$0] != nil }
  }

  /// Returns the maximum number of these properties that the request may follow one after another.
  func greatestDistance(_ names: Set<String>) -> Int { names.reduce(unknownCount) { $0 + occurrences[$1, default: 0] } }
}
