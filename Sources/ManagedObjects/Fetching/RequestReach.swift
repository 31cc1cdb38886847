internal import ObjectModels
internal import Predicates

/// The objects that the key paths of a request lead to from a row. The values of these objects decide if the row
/// matches the request, and determine the row's position in the results.
///
/// Each path of relationships is stored once, with the names of the properties that are read at its end.
/// ``ManagedObjectContext/objects(leadingTo:by:)`` follows the paths back from a changed object to the rows that depend
/// on it.
struct RequestReach {
  struct Step {
    /// The entity of the objects where the step begins. It can be a superentity of the entities that have the
    /// relationship.
    let source: ManagedObjectModel.Entity
    let name: String
    let isToMany: Bool
    /// The destination entity of the relationship.
    let destination: ManagedObjectModel.Entity
    /// The slot of the inverse in the destination entity; nil without an inverse.
    let inverse: Int?
    /// True if the reference to a destination object stays when the destination object is deleted.
    let outlives: Bool
  }

  /// The objects at the end of a path of relationships.
  struct End {
    let steps: [Step]
    /// The names of the properties that are read.
    var names: Set<String> = []
    /// True if the objects themselves are compared, and not only their properties.
    var isCompared = false

    /// True if objects of an entity can be at the end of the path.
    func canBe(_ entity: ManagedObjectModel.Entity) -> Bool {
      steps.last.map { entity.isKind(of: $0.destination) } ?? false
    }
  }

  private(set) var ends: [[String]: End] = [:]
  /// True if the request reads objects that its key paths do not lead to: the results of a nested request, the objects
  /// of a fetched property, or the objects on a key path from a constant object. A change of any object may then affect
  /// any row.
  private(set) var isOpaque = false
  /// The entities of the objects at the end of a path.
  private var entities: Set<Int32> = []
  /// The entities in ``entities`` whose objects can be deleted without changing the objects that refer to them.
  private var outlivedEntities: Set<Int32> = []

  /// Finds the objects that a request depends on.
  ///
  /// - Parameter keyPaths: the key paths that are read for each row in addition to those of the request.
  init(_ request: FetchRequest, of entity: ManagedObjectModel.Entity, keyPaths: [String] = []) {
    var walk = Walk(root: entity)
    for path in request.sortDescriptors.compactMap(\.keyPath) + keyPaths { walk.follow(path) }
    if let predicate = request.predicate { walk.visit(predicate, [:]) }
    ends = walk.ends
    isOpaque = walk.isOpaque
    for end in ends.values {
      for index in end.steps.last?.destination.subtree ?? 0..<0 {
        entities.insert(Int32(index))
        if end.steps.last?.outlives == true { outlivedEntities.insert(Int32(index)) }
      }
    }
  }

  /// True if objects of an entity can affect the rows of other objects.
  func concerns(_ entityIndex: Int32) -> Bool { isOpaque || entities.contains(entityIndex) }

  /// True if an object of an entity can be deleted without changing the objects that refer to it.
  func outlives(_ entityIndex: Int32) -> Bool { outlivedEntities.contains(entityIndex) }

  /// Collects the key paths of a request.
  private struct Walk {
    let root: ManagedObjectModel.Entity
    var ends: [[String]: End] = [:]
    var isOpaque = false

    /// The names of the relationships that lead from a row to the objects of an expression.
    typealias Way = [String]

    mutating func follow(_ text: String) {
      if EntityKey.ofObjectItself.contains(text) { return }
      if let path = PredicateKeyPath(text) { _ = follow(path.keys, from: []) } else { isOpaque = true }
    }

    /// Follows keys from the objects at the end of a path. Records the relationships and properties that are read.
    ///
    /// - Returns: the path to the objects that the last key leads to; nil if it does not lead to objects.
    mutating func follow(_ keys: [String], from start: Way) -> Way? {
      var way = start
      for (index, key) in keys.enumerated() {
        if key == PredicateCollectionOperator.count.rawValue { return nil }
        if key.hasPrefix("@") || EntityKey.ofObjectItself.contains(key) { continue }
        let entity = ends[way]?.steps.last?.destination ?? root
        // The entity of an object never changes.
        if key == EntityKey.entity, entity.hasEntityKey {
          ends[way]?.isCompared = true
          return nil
        }
        ends[way]?.names.insert(key)
        let found = Set(entity.selfAndDescendants.compactMap { step(key, of: $0, source: entity) })
        guard let first = found.first else {
          let isFetched = entity.selfAndDescendants.contains { $0.fetchedProperty(named: key) != nil }
          if isFetched { isOpaque = true }
          return nil
        }
        // Several subentities have a relationship with this name, and these differ. So the destination is unknown.
        guard found.count == 1 else {
          isOpaque = true
          return nil
        }
        let steps = (ends[way]?.steps ?? []) + [first.step]
        way.append(key)
        if ends[way] == nil { ends[way] = End(steps: steps) }
        if index == keys.count - 1 { ends[way]?.isCompared = true }
      }
      return way
    }

    private struct FoundStep: Hashable {
      let destination: Int
      let inverse: Int?
      let step: Step

      static func == (first: FoundStep, second: FoundStep) -> Bool {
        first.destination == second.destination && first.inverse == second.inverse
      }

      func hash(into hasher: inout Hasher) {
        hasher.combine(destination)
        hasher.combine(inverse)
      }
    }

    /// Returns the step along a relationship, as a part of a path; nil if the entity does not have the relationship.
    ///
    /// - Parameter source: The entity where the step begins: `entity` or one of its superentities.
    private func step(
      _ name: String, of entity: ManagedObjectModel.Entity, source: ManagedObjectModel.Entity
    ) -> FoundStep? {
      guard let relationship = entity.relationship(named: name) else { return nil }
      let destination = entity.destination(of: relationship)
      let inverse = entity.inverse(of: relationship)
      let step = Step(
        source: source, name: name, isToMany: relationship.definition.isToMany, destination: destination,
        inverse: inverse?.slot,
        outlives: inverse.map { $0.definition.deleteRule == .noAction } ?? true)
      return FoundStep(destination: destination.index, inverse: inverse?.slot, step: step)
    }

    mutating func visit(_ predicate: ManagedPredicate, _ variables: [String: Way]) {
      switch predicate {
      case .constant: return
      case .and(let parts), .or(let parts): for part in parts { visit(part, variables) }
      case .not(let part): visit(part, variables)
      case .comparison(let comparison):
        _ = visit(comparison.left, variables)
        _ = visit(comparison.right, variables)
      }
    }

    /// Records the key paths in an expression.
    ///
    /// - Returns: the path of relationships from the row to the objects that are the value of the expression; nil if
    ///   relationships do not lead to them.
    mutating func visit(_ expression: ManagedExpression, _ variables: [String: Way]) -> Way? {
      switch expression {
      case .constant: return nil
      case .evaluatedObject: return []
      case .variable(let name): return variables[name]
      case .keyPath(let path, let operand):
        guard let start = visit(operand, variables) else {
          isOpaque = true
          return nil
        }
        return follow(path.keys, from: start)
      case .aggregate(let parts), .function(_, let parts):
        for part in parts { _ = visit(part, variables) }
        return nil
      case .element(let element, let operand):
        let way = visit(operand, variables)
        guard case .index(let index) = element else { return way }
        switch index {
        case .constant(.value(.string(let key))):
          // With an object as the base, the index is the name of a property.
          if let way { return follow([key], from: way) }
        case .constant: return way
        default: break
        }
        isOpaque = true
        return nil
      case .subquery(let collection, let variable, let predicate):
        let way = visit(collection, variables)
        var variables = variables
        variables[variable] = way
        visit(predicate, variables)
        return way
      case .conditional(let predicate, let first, let second):
        visit(predicate, variables)
        _ = visit(first, variables)
        _ = visit(second, variables)
        return nil
      case .combination(_, let first, let second):
        _ = visit(first, variables)
        _ = visit(second, variables)
        return nil
      case .assignment, .anyKey, .method, .fetch:
        isOpaque = true
        return nil
      }
    }
  }
}
