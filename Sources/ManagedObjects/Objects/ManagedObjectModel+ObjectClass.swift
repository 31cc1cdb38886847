internal import ObjectModels

extension ManagedObjectModel {
  /// The class of the objects of an entity: its own, the one of the nearest entity that it inherits from, or
  /// ``ManagedObject``.
  func objectClass(of entityIndex: Int) -> ManagedObject.Type {
    var index: Int? = entityIndex
    while let entity = index {
      if let type = classes[entity] as? ManagedObject.Type { return type }
      index = records[entity].superentity
    }
    return ManagedObject.self
  }
}
