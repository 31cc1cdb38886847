/// The objects of a context by their keys.
///
/// It does not keep them: an object takes itself out when it goes.
struct IdentityMap {
  /// The object is there for as long as it is in the map, since ``ManagedObject/deinit`` removes it.
  private struct Entry {
    unowned let object: ManagedObject
  }

  private var entries = KeyTable<Entry>()

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

  mutating func insert(_ object: ManagedObject) { entries.insert(Entry(object: object), for: object.key) }

  mutating func remove(_ key: RowKey) { entries.remove(key) }

  mutating func reserveCapacity(_ count: Int) { entries.reserveCapacity(count) }
}
