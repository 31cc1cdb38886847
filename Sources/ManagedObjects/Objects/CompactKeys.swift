internal import Predicates

/// A list of keys. Keys of one store and one entity take 4 bytes each instead of 16, if their numbers differ by less
/// than 2³².
struct CompactKeys: RandomAccessCollection {
  /// The key with the lowest number, if all keys are compact.
  private let first: RowKey
  /// The differences between the numbers of the keys and that of ``first``; empty if ``others`` has the keys.
  private let offsets: [UInt32]
  private let others: [RowKey]

  init(_ keys: some Collection<RowKey>) {
    first = keys.min { $0.number < $1.number } ?? .none
    var offsets: [UInt32] = []
    offsets.reserveCapacity(keys.count)
    for key in keys {
      let difference = key.number.subtractingReportingOverflow(first.number)
      guard key.store == first.store, key.entityIndex == first.entityIndex, !difference.overflow,
        let offset = UInt32(exactly: difference.partialValue)
      else {
        self.offsets = []
        others = Array(keys)
        return
      }
      offsets.append(offset)
    }
    self.offsets = offsets
    others = []
  }

  var startIndex: Int { 0 }
  var endIndex: Int { others.isEmpty ? offsets.count : others.count }

  subscript(index: Int) -> RowKey {
    if !others.isEmpty { return others[index] }
    let number = first.number + Int64(offsets[index])
    return RowKey(store: first.store, entityIndex: Int(first.entityIndex), number: number)
  }
}
