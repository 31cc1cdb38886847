internal import FoundationEssentials
package import ManagedObjects
internal import Synchronization

/// Finds the order of the bits of several to-many relationships in `ZCOLUMNS`. The model does not show it.
///
/// The recorded changes show a part of the order: if an update has the bit of a to-many relationship, the same
/// transaction has another change of an object that can be in the relationship. For the rest, Core Data probably uses
/// the order of a hash table (see ``HashOrder``). If the recorded changes contradict that order, the bits that they do
/// not show remain unknown. Unknown bits are not set in new changes, and not read.
///
/// Sources: files of Core Data.
struct HistoryColumnSearch {
  /// The number of latest changes that are read.
  static let greatestCount = 20_000
  /// The number of bytes of `ZCOLUMNS` that are read.
  private static let greatestLength = 4_096

  private let schema: StoreSchema
  private var entities: [Int: Candidates] = [:]

  /// The to-many relationships of an entity that can belong to each of its bits, as indices in
  /// ``HistoryColumns/toManys``.
  fileprivate struct Candidates {
    let columns: HistoryColumns
    var relationships: [Set<Int>]
    /// The bits of all relationships, also of those in which the object has an owner.
    let links: [Int]

    init(_ columns: HistoryColumns) {
      self.columns = columns
      relationships = Array(repeating: Set(columns.toManys.indices), count: columns.toManys.count)
      let slots = Set(columns.entity.relationships.map(\.slot))
      links = columns.columns.indices.filter { bit in
        switch columns.columns[bit] {
        case .property(let slot): slots.contains(slot)
        case .owner, .unknown: true
        case .entityNumber, .element: false
        }
      }
    }
  }

  /// Returns the columns of all entities, by the index of the entity. An entity that the store does not have has no
  /// columns.
  ///
  /// - Complexity: O(*n*) in the number of properties. If an entity has several to-many relationships, also in the
  ///   number of the latest ``greatestCount`` changes.
  static func columns(_ schema: StoreSchema, _ database: Database) throws(ManagedObjectError) -> [HistoryColumns?] {
    var search = HistoryColumnSearch(schema)
    if !search.entities.isEmpty { try search.readChanges(database) }
    return search.found
  }

  /// Returns the columns of all entities for a store without recorded changes.
  static func columns(_ schema: StoreSchema) -> [HistoryColumns?] { HistoryColumnSearch(schema).found }

  private let columns: [HistoryColumns?]

  private init(_ schema: StoreSchema) {
    self.schema = schema
    columns = schema.model.entities.map { entity in
      schema.numbers[entity.index] == 0 ? nil : HistoryColumns(entity, schema)
    }
    for (index, columns) in columns.enumerated() {
      if let columns, columns.toManys.count > 1 { entities[index] = Candidates(columns) }
    }
  }

  private var found: [HistoryColumns?] {
    var found = columns
    for (index, candidates) in entities { found[index]?.setToManys(candidates.order()) }
    return found
  }

  /// A recorded change.
  private struct Change {
    let entityIndex: Int
    /// The value of `ZCOLUMNS` if the change is an update.
    let bits: [UInt8]?
  }

  /// Reads the latest changes. A transaction has consecutive primary keys.
  private mutating func readChanges(_ database: Database) throws(ManagedObjectError) {
    // 1 is the type of an update.
    let statement = try database.statement(
      "SELECT ZTRANSACTIONID, ZENTITY, CASE ZCHANGETYPE WHEN 1 THEN substr(ZCOLUMNS, 1, \(Self.greatestLength)) END "
        + "FROM \(HistoryTables.changes) ORDER BY Z_PK DESC LIMIT \(Self.greatestCount)")
    defer { statement.reset() }
    var number: Int64?
    var changes: [Change] = []
    var count = 0
    while try statement.step() {
      count += 1
      if number != statement.integer(0) {
        learn(changes)
        changes = []
        number = statement.integer(0)
      }
      guard let index = schema.entityIndices[statement.integer(1)] else { continue }
      changes.append(Change(entityIndex: index, bits: statement.isNull(2) ? nil : Array(statement.data(2))))
    }
    // If the limit was reached, the oldest transaction may have more changes.
    if count < Self.greatestCount { learn(changes) }
  }

  /// Removes the candidates that the changes of a transaction exclude.
  private mutating func learn(_ changes: [Change]) {
    let counts = Dictionary(changes.map { ($0.entityIndex, 1) }, uniquingKeysWith: +)
    var known: [Update: Set<Int>] = [:]
    for change in changes {
      guard let bits = change.bits, let candidates = entities[change.entityIndex] else { continue }
      func isSet(_ bit: Int) -> Bool { bit / 8 < bits.count && bits[bit / 8] & 0x80 >> UInt8(bit % 8) != 0 }
      let columns = candidates.columns
      let changed = columns.toManys.indices.filter { isSet(columns.firstToMany + $0) }
      if changed.isEmpty { continue }
      let update = Update(entityIndex: change.entityIndex, isAlone: candidates.links.count(where: isSet) == 1)
      let possible =
        known[update] ?? Set(columns.toManys.indices.filter { isPossible(columns.toManys[$0], update, counts) })
      known[update] = possible
      for position in changed { entities[change.entityIndex]?.relationships[position].formIntersection(possible) }
    }
  }

  /// The kind of an update of a to-many relationship.
  private struct Update: Hashable {
    let entityIndex: Int
    /// True if no other relationship of the object changes.
    let isAlone: Bool
  }

  /// True if a transaction has a change of an object that can be the cause for an update of a relationship.
  private func isPossible(
    _ relationship: ManagedObjectModel.Entity.Relationship, _ update: Update, _ counts: [Int: Int]
  ) -> Bool {
    // Another order of the same objects changes none of them.
    if relationship.isOrdered { return true }
    let family = ManagedObjectModel.Entity(model: schema.model, index: relationship.destinationIndex).subtree
    let count = family.reduce(0) { $0 + counts[$1, default: 0] }
    guard family.contains(update.entityIndex) else { return count > 0 }
    // An object can be in its own relationship. Then its inverse changes, too.
    return count > 1 || !update.isAlone || relationship.definition.inverse == relationship.name
  }
}

extension HistoryColumnSearch.Candidates {
  /// Returns the slot of the relationship for each bit; nil if it is unknown.
  fileprivate func order() -> [Int?] {
    var left = relationships
    // A relationship that one bit has for certain belongs to no other bit.
    while let certain = left.first(where: { candidates in
      candidates.count == 1 && left.count { !$0.isDisjoint(with: candidates) } > 1
    }) {
      for position in left.indices where left[position] != certain { left[position].subtract(certain) }
      if left.count(where: { $0 == certain }) > 1 { break }
    }
    // No order explains the changes: another program has recorded them by other rules.
    guard left.allSatisfy({ !$0.isEmpty }),
      Set(left.filter { $0.count == 1 }).count == left.count(where: { $0.count == 1 })
    else { return Array(repeating: nil, count: left.count) }
    let toManys = columns.toManys
    if let order = HashOrder(columns.entity)?.indices(of: toManys.map(\.name)),
      zip(order, left).allSatisfy({ $1.contains($0) })
    {
      return order.map { toManys[$0].slot }
    }
    return left.map { $0.count == 1 ? $0.first.map { toManys[$0].slot } : nil }
  }
}

/// The columns of a store's entities, which all connections of the store share. They are found when they are first
/// needed.
package final class HistoryColumnCache: Sendable {
  private let columns = Mutex<[HistoryColumns?]?>(nil)

  package init() {}

  /// Returns the columns of all entities, by the index of the entity.
  package func columns(
    _ schema: StoreSchema, _ database: Database
  ) throws(ManagedObjectError) -> [HistoryColumns?] {
    if let known = columns.withLock({ $0 }) { return known }
    let found = try HistoryColumnSearch.columns(schema, database)
    columns.withLock { $0 = found }
    return found
  }
}
