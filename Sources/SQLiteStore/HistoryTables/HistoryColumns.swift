package import FoundationEssentials
package import ManagedObjects

/// The columns of an entity that have a bit in `ZCOLUMNS`, the value with which the history records an update.
///
/// The first column has the highest bit of the first byte. The order is that of Core Data:
///
/// 1. To-one relationships: those that the root entity declares, sorted by name, then those of its subentity, and so
///    on. If the destination entity has subentities, the column with the entity number of the object follows the one
///    with its primary key.
/// 2. The columns that refer to the owners of the entity's objects in relationships without an inverse.
/// 3. Attributes in the same order as to-one relationships. A composite attribute has a bit for each of its columns.
/// 4. To-many relationships, which have a bit but no column. See ``HistoryColumnSearch`` for their order.
package struct HistoryColumns: Sendable {
  /// A column, or a to-many relationship.
  package enum Column: Hashable, Sendable {
    /// An attribute, the primary key of a to-one relationship, or a to-many relationship.
    case property(slot: Int)
    /// The entity number of the object in a to-one relationship.
    case entityNumber(slot: Int)
    /// An element of a composite attribute.
    case element(slot: Int, path: [String])
    /// The primary key of the owner in a relationship without an inverse.
    case owner(PropertyName)
    /// One of several to-many relationships whose order is unknown.
    case unknown

    /// The column of an attribute, or of an element of a composite attribute.
    ///
    /// - Parameter keys: The keys that lead from a composite attribute to the element; empty for another attribute.
    init(slot: Int, keys: [String]) {
      self = keys.isEmpty ? .property(slot: slot) : .element(slot: slot, path: keys)
    }
  }

  let entity: ManagedObjectModel.Entity
  /// The columns in the order of their bits.
  package private(set) var columns: [Column] = []
  /// The to-many relationships.
  let toManys: [ManagedObjectModel.Entity.Relationship]
  /// The bit of each known column.
  private var bits: [Column: Int] = [:]
  /// The bits of the property in each slot. A composite attribute has several, and a transient property none.
  private var slotBits: [[Int]]
  /// The slots of the properties that have bits. An update of other properties is not recorded.
  private var storedSlots: Set<Int> = []

  /// - Parameter entity: An entity that the store has.
  init(_ entity: ManagedObjectModel.Entity, _ schema: StoreSchema) {
    self.entity = entity
    slotBits = Array(repeating: [], count: entity.slotCount)
    let generations = sequence(first: entity, next: \.superentity).reversed()
    let relationships = generations.flatMap { generation in
      generation.relationships.dropFirst(generation.superentity?.relationships.count ?? 0)
        .filter { !$0.isTransient && schema.numbers[$0.destinationIndex] != 0 }
        .sorted { $0.name.precedes($1.name) }
    }
    toManys = relationships.filter(\.definition.isToMany)
    for relationship in relationships where !relationship.definition.isToMany {
      columns.append(.property(slot: relationship.slot))
      guard !entity.destination(of: relationship).subentities.isEmpty else { continue }
      columns.append(.entityNumber(slot: relationship.slot))
    }
    let owners = schema.table(ofEntity: entity.index)?.ownerColumns ?? [:]
    for (name, _) in owners.sorted(by: { $0.value.key < $1.value.key }) {
      let owner = name.owner(in: schema.model)
      guard let relationship = owner.relationship(named: name.name),
        entity.isKind(of: owner.destination(of: relationship))
      else { continue }
      columns.append(.owner(name))
    }
    for generation in generations {
      let attributes = generation.attributes.dropFirst(generation.superentity?.attributes.count ?? 0)
      for attribute in attributes.filter({ !$0.isTransient }).sorted(by: { $0.name.precedes($1.name) }) {
        if attribute.definition.type == .composite {
          columns += attribute.definition.leafPaths.map { .element(slot: attribute.slot, path: $0) }
        } else {
          columns.append(.property(slot: attribute.slot))
        }
      }
    }
    columns += toManys.map { toManys.count == 1 ? .property(slot: $0.slot) : .unknown }
    storedSlots = Set(columns.compactMap(\.slot) + toManys.map(\.slot))
    noteBits()
  }

  /// The index of the first bit of a to-many relationship.
  var firstToMany: Int { columns.count - toManys.count }

  /// Sets the order of the to-many relationships.
  ///
  /// - Parameter slots: The slot of the relationship for each bit; nil if it is unknown.
  mutating func setToManys(_ slots: [Int?]) {
    columns.replaceSubrange(firstToMany..., with: slots.map { $0.map { .property(slot: $0) } ?? .unknown })
    noteBits()
  }

  private mutating func noteBits() {
    bits = [:]
    slotBits = Array(repeating: [], count: entity.slotCount)
    for (bit, column) in columns.enumerated() where column != .unknown {
      bits[column] = bit
      switch column {
      case .property(let slot), .element(let slot, _): slotBits[slot].append(bit)
      case .entityNumber, .owner, .unknown: break
      }
    }
  }

  /// Returns the value of `ZCOLUMNS` with the given bits.
  func data(_ bits: some Sequence<Int>) -> Data {
    var bytes = [UInt8](repeating: 0, count: (columns.count + 7) / 8)
    for bit in bits { bytes[bit / 8] |= 0x80 >> UInt8(bit % 8) }
    return Data(bytes)
  }

  /// Returns the bit of a column; nil if it is unknown.
  func bit(_ column: Column) -> Int? { bits[column] }

  /// Returns the bits of the properties with the given names.
  func bits(ofProperties names: Set<String>) -> [Int] {
    entity.properties.filter { names.contains($0.name) }.flatMap { slotBits[$0.slot] }
  }

  /// Returns the bits of the columns that change when an object changes; nil if none of the changed properties is
  /// recorded.
  ///
  /// - Parameter slots: The slots of the changed properties.
  func bits(_ slots: [Int], from old: StoreRow, to new: StoreRow) -> [Int]? {
    guard slots.contains(where: storedSlots.contains) else { return nil }
    var changed: [Int] = []
    for slot in slots {
      let (former, value) = (old.values[slot], new.values[slot])
      for bit in slotBits[slot] {
        if case .element(_, let path) = columns[bit], case .attribute(let former) = former,
          case .attribute(let value) = value, former.leaf(at: path[...]) == value.leaf(at: path[...])
        {
          continue
        }
        changed.append(bit)
      }
      if case .toOne(let former) = former, case .toOne(let value) = value, former?.entityIndex != value?.entityIndex,
        let bit = bits[.entityNumber(slot: slot)]
      {
        changed.append(bit)
      }
    }
    return changed
  }

  /// Returns the names of the properties whose bits are set in a value of `ZCOLUMNS`, sorted.
  package func names(_ data: Data) -> [String] {
    let bytes = Array(data)
    let slots = Set(
      columns.enumerated().compactMap { bit, column in
        bit / 8 < bytes.count && bytes[bit / 8] & 0x80 >> UInt8(bit % 8) != 0 ? column.slot : nil
      })
    return entity.properties.filter { slots.contains($0.slot) }.map(\.name).sorted { $0.precedes($1) }
  }
}

extension HistoryColumns.Column {
  /// The slot of the property; nil if the column belongs to a property of another entity, or is unknown.
  fileprivate var slot: Int? {
    switch self {
    case .property(let slot), .entityNumber(let slot), .element(let slot, _): slot
    case .owner, .unknown: nil
    }
  }
}
