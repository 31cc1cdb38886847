internal import ManagedObjects

/// The order in which a hash table of Core Foundation with the names of an entity's properties is enumerated.
///
/// Sources: the hash function is that of CFString.c in Apple's published source code of Core Foundation. That Core Data
/// orders the bits of to-many relationships by such a table, and the size of the table, are inferred from files of Core
/// Data: 6 of 8 known orders are explained.
struct HashOrder: Equatable {
  /// The numbers of buckets that a table can have, and the number of keys for which each is sufficient.
  private static let sizes: [(buckets: Int, keys: Int)] = [
    (3, 3), (7, 6), (13, 11), (23, 19), (41, 32), (71, 52), (127, 85), (191, 118),
  ]

  /// The names in the order of their insertion.
  private let names: [String]
  private let size: Int

  /// Returns nil for an entity with too many properties.
  init?(_ entity: ManagedObjectModel.Entity) {
    names = (entity.properties.map(\.name) + entity.fetchedProperties.map(\.name)).sorted { $0.precedes($1) }
    // Core Data counts its three own columns, and the key of each to-one relationship.
    let count = names.count + 3 + entity.relationships.count { !$0.definition.isToMany }
    guard let fitting = Self.sizes.first(where: { $0.keys >= count }) else { return nil }
    size = fitting.buckets
  }

  /// Returns the indices of some of the names in the order of the table.
  func indices(of some: [String]) -> [Int] {
    var buckets = [String?](repeating: nil, count: size)
    for name in names {
      var bucket = Int(Self.hash(name) % UInt64(size))
      while buckets[bucket] != nil { bucket = (bucket + 1) % size }
      buckets[bucket] = name
    }
    return buckets.compactMap { $0.flatMap(some.firstIndex) }
  }

  /// Returns the hash of a string, for at most 96 UTF-16 code units. Longer strings have the hash of a part of them.
  static func hash(_ text: String) -> UInt64 {
    var units = text.utf16.map { UInt64($0) }
    let count = units.count
    if count > 96 { units = Array(units[..<32] + units[(count / 2 - 16)..<(count / 2 + 16)] + units[(count - 32)...]) }
    var result = UInt64(count)
    var rest = units[...]
    while rest.count >= 4 {
      let four = Array(rest.prefix(4))
      result = result &* 67_503_105 &+ four[0] &* 16_974_593 &+ four[1] &* 66_049 &+ four[2] &* 257 &+ four[3]
      rest = rest.dropFirst(4)
    }
    for unit in rest { result = result &* 257 &+ unit }
    return result &+ result << UInt64(count & 31)
  }
}
