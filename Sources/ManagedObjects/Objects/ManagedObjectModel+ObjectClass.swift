internal import ObjectModels

extension ManagedObjectModel {
  /// Returns the class of an entity's objects: the class of the entity itself, or of the nearest superentity with a
  /// class, or ``ManagedObject``.
  func objectClass(of entityIndex: Int) -> ManagedObject.Type {
    var index: Int? = entityIndex
    while let entity = index {
      if let type = classes[entity] as? ManagedObject.Type { return type }
      index = records[entity].superentity
    }
    return ManagedObject.self
  }
}
