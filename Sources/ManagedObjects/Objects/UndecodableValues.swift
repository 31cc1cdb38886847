internal import Predicates

/// The values that do not have the types of their properties and were already reported. Prevents a second report.
struct UndecodableValues {
  private struct Entry: Hashable {
    let slot: Int
    /// The hash value of the stored value. The value itself is not retained, because it can be large.
    let digest: Int
  }

  /// The greatest number of objects, to limit memory. If there are more, all are removed, and their values are reported
  /// again when they are read again.
  private static let limit = 10_000

  private var entries: [RowKey: Set<Entry>] = [:]

  /// Adds the value of an object's property. Returns false if it was added before.
  mutating func insert(_ key: RowKey, _ slot: Int, _ value: AttributeValue) -> Bool {
    if entries.count == Self.limit, entries[key] == nil { entries = [:] }
    return entries[key, default: []].insert(Entry(slot: slot, digest: Self.digest(value))).inserted
  }

  /// Replaces the key of an object.
  mutating func rename(_ old: RowKey, to new: RowKey) {
    if entries.isEmpty { return }
    if let renamed = entries.removeValue(forKey: old) { entries[new] = renamed }
  }

  private static func digest(_ value: AttributeValue) -> Int {
    var hasher = Hasher()
    hasher.combine(value)
    // The hash value of `Data` depends only on its first bytes.
    if case .data(let data) = value { for byte in data { hasher.combine(byte) } }
    return hasher.finalize()
  }
}
