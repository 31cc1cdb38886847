import OrderedCollections
import PropertyLists

/// The entries of a dictionary during editing, in their order.
///
/// A removed entry leaves a gap. The gaps are closed when more than half of the slots are gaps.
final class BuddyEntries {
  /// The entries; nil for gaps.
  private var slots: [(key: String, value: BuddyTree)?]
  /// For each key, the index of its entry in `slots`.
  private var positions: [String: Int] = [:]
  /// The number of entries that were moved to close gaps.
  private(set) var movedCount = 0

  init(_ entries: OrderedDictionary<String, PropertyList>) {
    slots = entries.map { ($0, BuddyTree($1)) }
    positions = Dictionary(uniqueKeysWithValues: zip(entries.keys, 0...))
  }

  var count: Int { positions.count }

  var all: some Sequence<(key: String, value: BuddyTree)> { slots.lazy.compactMap { $0 } }

  /// The value of a key; nil if the key has no entry.
  subscript(key: String) -> BuddyTree? { positions[key].flatMap { slots[$0]?.value } }

  /// Appends an entry. Its key must be new.
  func append(_ key: String, _ value: BuddyTree) {
    positions[key] = slots.count
    slots.append((key, value))
  }

  /// Removes the entry with a key. Returns false if it does not exist.
  func remove(_ key: String) -> Bool {
    guard let position = positions.removeValue(forKey: key) else { return false }
    slots[position] = nil
    if slots.count >= 32, positions.count < slots.count / 2 { closeGaps() }
    return true
  }

  private func closeGaps() {
    slots.removeAll { $0 == nil }
    for (position, slot) in slots.enumerated() { if let slot { positions[slot.key] = position } }
    movedCount += slots.count
  }
}
