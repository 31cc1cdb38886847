internal import Predicates
internal import SystemFiles

/// The objects of a context by their keys.
///
/// It does not keep them: an object takes itself out when it is released.
struct IdentityMap {
  /// A map that had at least this number of objects gives memory back to the system when it loses most of them.
  private let largeCount: Int

  /// The object is there for as long as it is in the map, since ``ManagedObject/deinit`` removes it.
  private struct Entry {
    unowned let object: ManagedObject
  }

  private var entries = KeyTable<Entry>()
  /// The greatest number of objects since memory was given back.
  private var greatestCount = 0
  /// True if memory was given back since the map was last empty.
  private var wasLarge = false
  /// The number of times that memory was given back. For tests.
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

  /// Calls a function with all objects, in any order. They stay where they are.
  func visit(_ body: (ManagedObject) -> Void) { entries.visit { body($1.object) } }

  subscript(key: RowKey) -> ManagedObject? { entries[key]?.object }

  /// The number of objects that there is room for. For tests.
  var capacity: Int { entries.capacity }

  mutating func insert(_ object: ManagedObject) {
    entries.insert(Entry(object: object), for: object.key)
    if count > greatestCount { greatestCount = count }
  }

  /// Removes an object.
  ///
  /// When 15 of 16 objects of a large map are removed, and again when all are, its memory and theirs goes back to the
  /// system. The work is in proportion to the objects that were removed.
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
