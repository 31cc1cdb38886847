internal import ObjectModels
internal import Predicates

/// Relationships of which a file has one side only.
extension RowTable {
  /// A relationship that refers to an object which refers back to another one.
  struct InverseDefect: Error {
    let key: RowKey
    let message: String
  }

  /// Adds the missing sides of relationships.
  ///
  /// - Parameter defects: gets relationships that contradict each other; nil if that is an error.
  /// - Returns: the numbers of the rows that were changed.
  /// - Throws: for a side that is missing where a to-one relationship has another object.
  mutating func mendInverses(_ defects: StoreDefects? = nil) throws(InverseDefect) -> Set<Int64> {
    var missing: [(key: RowKey, slot: Int, source: RowKey)] = []
    for (index, record) in model.records.enumerated() where entityRows[index].count > 0 {
      let entity = ManagedObjectModel.Entity(model: model, index: index)
      for relationship in record.relationships where !relationship.isTransient {
        guard let inverse = entity.inverse(of: relationship), !inverse.isTransient else { continue }
        for row in entityRows[index].rows {
          row.values[relationship.slot].forEachKey { key in
            guard let other = self.row(key) else { return }
            if !other.values[inverse.slot].refers(to: row.key) { missing.append((key, inverse.slot, row.key)) }
          }
        }
      }
    }
    // A set has no order, and what is added to an ordered relationship is to have one.
    missing.sort { ($0.key, $0.slot, $0.source) < ($1.key, $1.slot, $1.source) }
    var start = 0
    while start < missing.count {
      let (key, slot, _) = missing[start]
      let end = missing[start...].firstIndex { $0.key != key || $0.slot != slot } ?? missing.count
      defer { start = end }
      guard var row = row(key) else { continue }
      let sources = missing[start..<end].map(\.source)
      switch row.values[slot] {
      case .toMany(let keys): row.values[slot] = .toMany(keys.union(sources))
      case .orderedToMany(let keys): row.values[slot] = .orderedToMany(keys.union(sources))
      case .toOne(nil) where sources.count == 1: row.values[slot] = .toOne(sources[0])
      case .toOne(let other):
        let name = model.entity(at: Int(key.entityIndex)).relationships.first { $0.slot == slot }?.name ?? ""
        let defect = InverseDefect(
          key: sources[0],
          message: "object \(sources[0].number) refers to object \(key.number), whose relationship \(name.quoted) "
            + "is that of object \(other?.number ?? sources[1].number)")
        guard let defects else { throw defect }
        defects.report(StoreDefects.Defect(kind: .brokenInverse, key: key, slot: slot, message: defect.message))
      default: continue
      }
      entityRows[Int(key.entityIndex)].replace(with: row)
    }
    return Set(missing.map(\.key.number))
  }
}
