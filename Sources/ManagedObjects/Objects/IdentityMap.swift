internal import Predicates
internal import SystemFiles

/// The objects of a context by their keys.
///
/// The map does not retain the objects: an object removes itself when it is released.
struct IdentityMap {
  /// The number of objects that makes a map large. Only a large map returns memory to the system when objects are
  /// removed.
  private let largeCount: Int

  /// A reference to an object. It is valid while the entry is in the map, because ``ManagedObject/deinit`` removes the
  /// entry.
  private struct Entry {
    unowned let object: ManagedObject
  }

  private var entries = KeyTable<Entry>()
  /// The greatest number of objects since memory was last returned to the system.
  private var greatestCount = 0
  /// True if memory was returned to the system since the map was last empty.
  private var wasLarge = false
  /// The number of times that memory was returned. For tests.
  private(set) var releaseCount = 0

  init(largeCount: Int = 1 << 17) { self.largeCount = largeCount }

  var count: Int { entries.count }

  /// All objects, in the order of their keys.
  var objects: [ManagedObject] {
    var objects: [ManagedObject] = []
    objects.reserveCapacity(count)
    visit { objects.append($0) }
    return objects.sorted { $0.key < $1.key }
  }

  /// Calls a function with each object, in any order. Unlike ``objects``, this creates no array.
  func visit(_ body: (ManagedObject) -> Void) { entries.visit { body($1.object) } }

  subscript(key: RowKey) -> ManagedObject? { entries[key]?.object }

  /// The number of objects that the map has room for. For tests.
  var capacity: Int { entries.capacity }

  mutating func insert(_ object: ManagedObject) {
    entries.insert(Entry(object: object), for: object.key)
    if count > greatestCount { greatestCount = count }
  }

  /// Removes an object.
  ///
  /// If the map is large, the memory of the map and of the objects is returned to the system twice: when 15 of 16
  /// objects have been removed, and when all have been removed. The work is proportional to the number of removed
  /// objects.
  mutating func remove(_ key: RowKey) {
    entries.remove(key)
    if greatestCount >= largeCount, count <= greatestCount / 16 {
      wasLarge = count > 0
    } else if wasLarge, count == 0 {
      wasLarge = false
    } else {
      return
    }
    greatestCount = count
    releaseCount += 1
    entries.shrink()
    SystemMemory.giveBackFreeMemory()
  }

  mutating func reserveCapacity(_ count: Int) { entries.reserveCapacity(count) }
}
