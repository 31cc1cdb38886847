package import ManagedObjects

extension ManagedObjectContext {
  /// A context with only one store.
  package convenience init(_ store: any PersistentStore) throws(ManagedObjectError) {
    let coordinator = PersistentStoreCoordinator(model: store.model)
    try coordinator.add(store)
    self.init(coordinator: coordinator)
  }
}
