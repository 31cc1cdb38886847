package import ObjectModels
internal import PropertyLists

/// The values of a property, or the objects of an entity, that a migration drops because the new model does not have
/// the property or entity.
///
/// ```swift
/// for loss in try SQLiteStore.migrate(file, to: newModel, droppedValues: .drop) {
///   print(loss.entityName, loss.propertyName ?? "", loss.objectCount)  // Note subtitle 12
/// }
/// ```
public struct MigrationLoss: Hashable, Sendable {
  /// The name of the entity in the old model.
  public let entityName: String
  /// The name of the property in the old model; nil if the objects themselves are dropped.
  public let propertyName: String?
  /// The number of objects that have a value for the property, or that are dropped themselves. Always greater than 0.
  public let objectCount: Int

  package init(entityName: String, propertyName: String?, objectCount: Int) {
    self.entityName = entityName
    self.propertyName = propertyName
    self.objectCount = objectCount
  }
}

extension MigrationLoss: CustomStringConvertible {
  /// A message such as `"Note.subtitle" is missing from the new model; 12 objects have a value`.
  public var description: String {
    let isOne = objectCount == 1
    guard let propertyName else {
      let objects = isOne ? "1 object" : "\(objectCount) objects"
      return "the entity \(entityName.quoted) is missing from the new model; it has \(objects)"
    }
    let objects = isOne ? "1 object has" : "\(objectCount) objects have"
    return "\("\(entityName).\(propertyName)".quoted) is missing from the new model; \(objects) a value"
  }
}

/// The handling of values and objects that the new model cannot represent, because it lacks their property or entity.
public enum DroppedValuePolicy: Sendable {
  /// A migration that would drop values throws ``ManagedObjectError/Code/droppedValues``, or
  /// ``ManagedObjectError/Code/multipleErrors`` for several losses, and changes nothing.
  case refuse
  /// Values are dropped, as Core Data does.
  case drop
}

extension DroppedValuePolicy {
  /// Checks that the policy allows the losses of a migration.
  ///
  /// - Throws: ``ManagedObjectError/Code/droppedValues`` for a loss that it does not allow, or
  ///   ``ManagedObjectError/Code/multipleErrors`` for several.
  package func check(_ losses: [MigrationLoss]) throws(ManagedObjectError) {
    if self == .drop { return }
    let errors = losses.map { ManagedObjectError(.droppedValues, "\($0)") }
    if let error = ManagedObjectError(all: errors) { throw error }
  }
}

extension InferredMapping {
  /// Returns true if a migration drops the values of a property of the old model, because no property of the new model
  /// comes from it. A relationship is kept if one of its two sides is kept.
  package func drops(_ property: ManagedObjectModel.Entity.Property, of entity: ManagedObjectModel.Entity) -> Bool {
    if property.traits.isTransient || isKept(property.name, of: entity) { return false }
    switch property {
    // The store computes derived attributes again.
    case .attribute(let attribute): return attribute.definition.derivation == nil
    case .relationship(let relationship):
      guard let inverse = entity.inverse(of: relationship) else { return true }
      return !entity.destination(of: relationship).selfAndDescendants.contains { isKept(inverse.name, of: $0) }
    }
  }

  private func isKept(_ name: String, of entity: ManagedObjectModel.Entity) -> Bool {
    destination(of: entity.index).map { properties[$0].values.contains(name) } ?? false
  }
}
