internal import ObjectModels
package import Predicates

/// The names of the properties that a request uses, and the constant objects in the request. A store that executes the
/// request in memory reads the rows and values that these require.
package struct RequestKeys {
  /// The number of times that each name occurs in the request.
  private var occurrences: [String: Int] = [:]
  /// The number of expressions that may read any property.
  private var unknownCount = 0
  package private(set) var objects: Set<RowKey> = []
  /// True if the request may read properties of a constant object; false if constant objects are only compared.
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

  /// True if the request may read any property of an object.
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

  /// Adds an operand of a comparison. An operand that is a constant object, or a list of them, does not set
  /// ``beginsAtObjects``: such objects are compared, but their properties are not read.
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
        // The index is computed, so it can be the name of any property.
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

  // Properties that stores may omit from a row and read later. See
  // ``ManagedObjectModel/Entity/Record/slotsReadLater(_:)``.

  /// Returns the names of those properties that the request may use and that stores may leave unread in a row:
  /// relationships, and attributes with external storage.
  package func namesReadLater(in model: ManagedObjectModel) -> Set<String> {
    var names: Set<String> = []
    for record in model.records {
      names.formUnion(record.relationships.map(\.name))
      names.formUnion(record.attributes.filter(\.definition.isExternal).map(\.name))
    }
    return asksForAll ? names : names.filter { occurrences[$0] != nil }
  }

  /// Returns the maximum number of properties with these names that the request can follow one after another, as in a
  /// key path. This is an upper bound: the number of occurrences of the names in the request, plus the number of
  /// expressions that may read any property.
  func greatestDistance(_ names: Set<String>) -> Int { names.reduce(unknownCount) { $0 + occurrences[$1, default: 0] } }
}
