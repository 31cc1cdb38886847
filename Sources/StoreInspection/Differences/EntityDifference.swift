internal import FoundationEssentials
internal import ManagedObjects
internal import ObjectModels
internal import Predicates
internal import PropertyLists

/// Compares the objects of one entity in two stores.
struct EntityDifference {
  private let difference: StoreDifference
  private let old: ObjectReader
  private let new: ObjectReader

  init(_ difference: StoreDifference, _ name: String) throws(ManagedObjectError) {
    self.difference = difference
    old = try ObjectReader(difference, difference.old, name)
    new = try ObjectReader(difference, difference.new, name)
  }

  func run(
    _ summary: inout StoreDifference.Summary, _ body: (StoreDifference.Change) throws(ManagedObjectError) -> Void
  ) throws(ManagedObjectError) {
    while true {
      let (first, second) = (try old.current(), try new.current())
      let order: PredicateOrder
      switch (first, second) {
      case (nil, nil):
        summary.duplicateCount += old.duplicateCount + new.duplicateCount
        summary.keylessCount += old.keylessCount + new.keylessCount
        return
      case (_?, nil): order = .less
      case (nil, _?): order = .greater
      case (let first?, let second?): order = Self.order(first, second)
      }
      switch order {
      case .less:
        if let first {
          summary.deletedCount += 1
          try body(.deleted(first.object(first.properties.filter { !$0.value.isEmpty })))
        }
        old.advance()
      case .greater:
        if let second {
          summary.insertedCount += 1
          try body(.inserted(second.object(second.properties.filter { !$0.value.isEmpty })))
        }
        new.advance()
      case .equal:
        if let first, let second { try compare(first, second, &summary, body) }
        old.advance()
        new.advance()
      }
    }
  }

  /// Returns the order of an old and a new object; `equal` if they match and are to be compared. An object without a
  /// value in its key attribute never matches.
  private static func order(_ first: ReadObject, _ second: ReadObject) -> PredicateOrder {
    guard first.hasKey else { return PredicateOrder(first.id.key.number, second.id.key.number) }
    guard let one = first.key, one != .null else { return .less }
    guard let other = second.key, other != .null else { return .greater }
    if let order = one.order(to: other) { return order }
    // The key attribute has different types in the two models, so its values are ordered as text, by type.
    return PredicateOrder("\(one.kindName)\(one)", "\(other.kindName)\(other)")
  }

  private func compare(
    _ first: ReadObject, _ second: ReadObject, _ summary: inout StoreDifference.Summary,
    _ body: (StoreDifference.Change) throws(ManagedObjectError) -> Void
  ) throws(ManagedObjectError) {
    var (before, after): ([StoreDifference.Property], [StoreDifference.Property]) = ([], [])
    func note(_ name: String, _ one: StoreDifference.Value, _ other: StoreDifference.Value) {
      if one == other || one.isEmpty && other.isEmpty { return }
      before.append(StoreDifference.Property(name: name, value: one))
      after.append(StoreDifference.Property(name: name, value: other))
    }
    // Both lists are sorted by name.
    var (index, otherIndex) = (0, 0)
    while index < first.properties.count || otherIndex < second.properties.count {
      let one = index < first.properties.count ? first.properties[index] : nil
      let other = otherIndex < second.properties.count ? second.properties[otherIndex] : nil
      if let one, let other, one.name == other.name {
        note(one.name, one.value, other.value)
        index += 1
        otherIndex += 1
      } else if let one, other.map({ one.name.precedes($0.name) }) ?? true {
        note(one.name, one.value, one.value.emptied)
        index += 1
      } else if let other {
        note(other.name, other.value.emptied, other.value)
        otherIndex += 1
      }
    }
    if before.isEmpty {
      summary.unchangedCount += 1
    } else {
      summary.changedCount += 1
      try body(.changed(from: first.object(before), to: second.object(after)))
    }
  }
}

/// An object of one of the stores, with the values to compare.
struct ReadObject {
  let id: ManagedObjectID
  let hasKey: Bool
  let key: AttributeValue?
  /// The properties, sorted by name.
  let properties: [StoreDifference.Property]

  func object(_ values: [StoreDifference.Property]) -> StoreDifference.Object {
    StoreDifference.Object(id: id, key: key == .null ? nil : key, values: values)
  }
}

/// Reads the objects of an entity from one of the stores in batches, sorted by the value of the key attribute or by
/// primary key.
final class ObjectReader {
  private let difference: StoreDifference
  private let store: any PersistentStore
  private let entity: ManagedObjectModel.Entity?
  /// The slot of the key attribute, whose values are matched; nil to match primary keys.
  private let keySlot: Int?
  private let keys: [RowKey]
  private var next = 0
  private var batch: [ReadObject] = []
  private var batchIndex = 0
  private var lastKey: AttributeValue?
  private(set) var duplicateCount = 0
  private(set) var keylessCount = 0
  /// The number of objects read at once.
  private static let batchSize = 512

  init(_ difference: StoreDifference, _ store: any PersistentStore, _ name: String) throws(ManagedObjectError) {
    self.difference = difference
    self.store = store
    let members = store.model.entities(ofConfiguration: store.configuration) ?? []
    entity = members.first { $0.name == name && !$0.isAbstract }
    let keyName = difference.keyName(name)
    keySlot = keyName.flatMap { [entity] in entity?.attribute(named: $0)?.slot }
    guard let entity else {
      keys = []
      return
    }
    var request = FetchRequest(name)
    request.includesSubentities = false
    request.resultType = .objectIDs
    request.includesPropertyValues = false
    if let keyName { request.sortDescriptors = [.init(keyName), .init(nil)] }
    guard case .keys(var found) = try store.fetch(request, of: entity) else {
      throw ManagedObjectError(.unsupportedRequest, "the store cannot list the objects of the entity \(name.quoted)")
    }
    if keyName == nil { found.sort() }
    keys = found
  }

  /// Returns the object at the current position; nil at the end. ``advance()`` moves the position.
  func current() throws(ManagedObjectError) -> ReadObject? {
    while batchIndex >= batch.count {
      guard next < keys.count else { return nil }
      try readBatch()
    }
    return batch[batchIndex]
  }

  func advance() { batchIndex += 1 }

  private func readBatch() throws(ManagedObjectError) {
    let wanted = Array(keys[next..<min(keys.count, next + Self.batchSize)])
    next += wanted.count
    batchIndex = 0
    batch = []
    guard let entity else { return }
    // An object may have been deleted since the keys were read.
    var rows = try store.rows(wanted).compactMap(\.self)
    let stored = entity.properties.filter { property in
      switch property {
      case .attribute(let attribute): !attribute.isTransient
      case .relationship(let relationship): !relationship.isTransient
      }
    }
    try rows.readRest(stored.map(\.slot), store.model, store.values)
    let targets = try targetKeys(rows)
    let properties = stored.sorted { $0.name.precedes($1.name) }
    for row in rows {
      var key: AttributeValue?
      if let keySlot, case .attribute(let value) = row.values[keySlot] { key = value }
      if keySlot != nil { count(key ?? .null) }
      batch.append(
        ReadObject(
          id: ManagedObjectID(row.key, model: store.model, storeIdentifier: store.identifier), hasKey: keySlot != nil,
          key: key,
          properties: properties.map { property in
            StoreDifference.Property(name: property.name, value: value(row, property, targets))
          }))
    }
  }

  private func count(_ key: AttributeValue) {
    if key == .null {
      keylessCount += 1
    } else if let lastKey, lastKey.order(to: key) == .equal {
      duplicateCount += 1
    }
    lastKey = key
  }

  /// Returns the values of the key attributes of the objects that the rows refer to in relationships. Leaves out
  /// objects that are matched by primary key.
  private func targetKeys(_ rows: [StoreRow]) throws(ManagedObjectError) -> [RowKey: AttributeValue] {
    guard let entity else { return [:] }
    var slots: [Int32: Int] = [:]
    for relationship in entity.relationships where !relationship.isTransient {
      for target in entity.destination(of: relationship).selfAndDescendants {
        guard let name = difference.keyName(target.name), let slot = target.attribute(named: name)?.slot else {
          continue
        }
        slots[Int32(target.index)] = slot
      }
    }
    if slots.isEmpty { return [:] }
    var wanted: Set<RowKey> = []
    for row in rows {
      for relationship in entity.relationships {
        row.values[relationship.slot].forEachKey { if slots[$0.entityIndex] != nil { wanted.insert($0) } }
      }
    }
    var found: [RowKey: AttributeValue] = [:]
    let list = Array(wanted)
    for start in stride(from: 0, to: list.count, by: Self.batchSize) {
      for row in try store.rows(Array(list[start..<min(list.count, start + Self.batchSize)])) {
        guard let row, let slot = slots[row.key.entityIndex], case .attribute(let value) = row.values[slot] else {
          continue
        }
        found[row.key] = value
      }
    }
    return found
  }

  private func value(
    _ row: StoreRow, _ property: ManagedObjectModel.Entity.Property, _ targets: [RowKey: AttributeValue]
  ) -> StoreDifference.Value {
    func reference(_ key: RowKey) -> StoreDifference.Reference {
      let name = ManagedObjectModel.Entity(model: store.model, index: Int(key.entityIndex)).name
      if let value = targets[key], value != .null {
        return StoreDifference.Reference(entity: name, number: 0, key: value)
      }
      return StoreDifference.Reference(entity: name, number: key.number, key: nil)
    }
    switch row.values[property.slot] {
    case .attribute(let value):
      if case .relationship(let relationship) = property {
        return relationship.definition.isToMany ? .objects([]) : .object(nil)
      }
      return .attribute(value)
    case .toOne(let key): return .object(key.map(reference))
    case .toMany(let keys): return .objects(keys.map(reference).sorted { ("\($0)", $0.number) < ("\($1)", $1.number) })
    case .orderedToMany(let keys): return .objects(keys.map(reference))
    case .unread: return .attribute(.null)
    }
  }
}

extension StoreDifference.Value {
  /// Null, or an empty relationship of the same kind.
  fileprivate var emptied: StoreDifference.Value {
    switch self {
    case .attribute: .attribute(.null)
    case .object: .object(nil)
    case .objects: .objects([])
    }
  }
}
