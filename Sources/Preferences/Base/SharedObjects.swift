internal import Synchronization
internal import SystemFiles

/// A weak reference.
struct WeakReference<Object: AnyObject & Sendable>: Sendable {
  weak var object: Object?
}

/// Objects that are shared by all users of a key, as long as at least one of them holds a reference.
struct SharedObjects<Key: Hashable & Sendable, Object: AnyObject & Sendable>: ~Copyable {
  private let objects = Mutex<[Key: WeakReference<Object>]>([:])

  /// Returns the object for a key, or a new one. In a child of `fork`, it is always new, because a missing thread may
  /// hold the lock.
  func object(for key: Key, make: () -> Object) -> Object {
    if ForkedChild.isThisProcess { return make() }
    return objects.withLock { objects in
      if let object = objects[key]?.object { return object }
      // Runs whenever the number of objects has doubled, so that the average cost is constant.
      if objects.count.nonzeroBitCount == 1 { objects = objects.filter { $0.value.object != nil } }
      let object = make()
      objects[key] = WeakReference(object: object)
      return object
    }
  }
}
