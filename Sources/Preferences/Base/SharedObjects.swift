internal import Synchronization
internal import SystemFiles

/// A reference that does not keep its object.
struct WeakReference<Object: AnyObject & Sendable>: Sendable {
  weak var object: Object?
}

/// Objects that are one for each key, as long as somebody has them.
struct SharedObjects<Key: Hashable & Sendable, Object: AnyObject & Sendable>: ~Copyable {
  private let objects = Mutex<[Key: WeakReference<Object>]>([:])

  /// Returns the object for a key, or a new one. It is always new in a child of `fork`, where a missing thread may hold
  /// the lock.
  func object(for key: Key, make: () -> Object) -> Object {
    if ForkedChild.isThisProcess { return make() }
    return objects.withLock { objects in
      if let object = objects[key]?.object { return object }
      // As often as their number doubles, so that it costs nothing on average.
      if objects.count.nonzeroBitCount == 1 { objects = objects.filter { $0.value.object != nil } }
      let object = make()
      objects[key] = WeakReference(object: object)
      return object
    }
  }
}
