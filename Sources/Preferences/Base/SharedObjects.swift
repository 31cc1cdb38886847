internal import Synchronization
internal import SystemFiles

/// A weak reference.
struct WeakReference<Object: AnyObject & Sendable>: Sendable {
  weak var object: Object?
}

/// A table of objects that are shared by all callers that use the same key. An object exists as long as at least one
/// caller holds a reference to it.
struct SharedObjects<Key: Hashable & Sendable, Object: AnyObject & Sendable>: ~Copyable {
  private let objects = Mutex<[Key: WeakReference<Object>]>([:])

  /// Returns the object for a key. Creates it if it does not exist. In a child of `fork`, always creates a new object,
  /// because the lock may be held by a thread that exists only in the parent.
  func object(for key: Key, make: () -> Object) -> Object {
    if ForkedChild.isThisProcess { return make() }
    return objects.withLock { objects in
      if let object = objects[key]?.object { return object }
      // Entries of released objects are removed whenever the number has doubled, so that the average cost is constant.
      if objects.count.nonzeroBitCount == 1 { objects = objects.filter { $0.value.object != nil } }
      let object = make()
      objects[key] = WeakReference(object: object)
      return object
    }
  }
}
