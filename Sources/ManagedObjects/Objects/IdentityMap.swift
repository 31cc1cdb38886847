/// The objects of a context by their keys.
///
/// It does not keep them: an object takes itself out when it goes.
struct IdentityMap {
  /// The object is there for as long as it is in the map, since ``ManagedObject/deinit`` removes it.
  private struct Entry {
    unowned let object: ManagedObject
  }

  private var entries: [RowKey: Entry] = [:]

  var count: Int { entries.count }

  /// All objects, in the order of their keys.
  var objects: [ManagedObject] { entries.values.map(\.object).sorted { $0.key < $1.key } }

  /// Calls a function with all objects, in any order. They stay where they are.
  func visit(_ body: (ManagedObject) -> Void) { for entry in entries.values { body(entry.object) } }

  subscript(key: RowKey) -> ManagedObject? { entries[key]?.object }

  mutating func insert(_ object: ManagedObject) { entries[object.key] = Entry(object: object) }

  mutating func remove(_ key: RowKey) { entries[key] = nil }

  mutating func reserveCapacity(_ count: Int) { entries.reserveCapacity(count) }
}
