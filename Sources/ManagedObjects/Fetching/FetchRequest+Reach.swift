internal import ObjectModels
internal import Predicates

extension FetchRequest {
  /// True if the results and their order depend only on attributes of the objects themselves; false if they depend on
  /// related objects.
  func readsOnlyAttributes(of entity: ManagedObjectModel.Entity) -> Bool {
    guard sortDescriptors.allSatisfy({ isAttribute($0.keyPath ?? "self", of: entity) }) else { return false }
    guard let predicate else { return true }
    return isAboutAttributes(predicate, entity)
  }

  private func isAttribute(_ path: String, of entity: ManagedObjectModel.Entity) -> Bool {
    if EntityKey.ofObjectItself.contains(path) { return true }
    return !path.contains(".") && entity.relationship(named: path) == nil && !isRelationshipBelow(path, entity)
  }

  /// True for a relationship or fetched property that only subentities have.
  private func isRelationshipBelow(_ name: String, _ entity: ManagedObjectModel.Entity) -> Bool {
    entity.selfAndDescendants.contains { $0.relationship(named: name) != nil || $0.fetchedProperty(named: name) != nil }
  }

  private func isAboutAttributes(_ predicate: ManagedPredicate, _ entity: ManagedObjectModel.Entity) -> Bool {
    switch predicate {
    case .constant: true
    case .and(let parts), .or(let parts): parts.allSatisfy { isAboutAttributes($0, entity) }
    case .not(let part): isAboutAttributes(part, entity)
    case .comparison(let comparison):
      isAboutAttributes(comparison.left, entity) && isAboutAttributes(comparison.right, entity)
    }
  }

  private func isAboutAttributes(_ expression: ManagedExpression, _ entity: ManagedObjectModel.Entity) -> Bool {
    switch expression {
    case .constant, .evaluatedObject, .variable: true
    case .keyPath(let path, of: .evaluatedObject): path.keys.count == 1 && isAttribute(path.keys[0], of: entity)
    case .aggregate(let parts), .function(_, let parts): parts.allSatisfy { isAboutAttributes($0, entity) }
    case .conditional(let predicate, let first, let second):
      isAboutAttributes(predicate, entity) && isAboutAttributes(first, entity) && isAboutAttributes(second, entity)
    case .assignment, .keyPath, .anyKey, .method, .element, .subquery, .combination, .fetch: false
    }
  }
}
