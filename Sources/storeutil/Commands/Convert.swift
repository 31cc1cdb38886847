import ArgumentParser
import FoundationEssentials
import ManagedObjects
import OrderedCollections
import PropertyLists
import SQLiteStore
import ToolSupport

struct Convert: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "convert",
    abstract: "Write the objects of a store into a new store of another kind.",
    discussion: """
      In an SQLite store, each entity has its own series of primary keys, and objects keep their keys. In an XML or \
      binary store, all objects share one series: they keep their keys only if no two objects have the same one. The \
      new store has a UUID of its own, and appears when it is complete.

      Objects are written to SQLite in batches: a million objects take about 50 MB of memory. XML and binary stores \
      are built in memory: a million small objects take about 1 GB, and large values twice their size.

      Example: storeutil convert Notes.xml Notes.sqlite --type sqlite --model Notes.momd
      """)

  @Argument(file: "The file of the store.", "store")
  var storePath: String

  @OptionGroup var opening: OpeningArguments

  @Argument(file: "The new file.", "file")
  var outfile: String

  @OptionGroup var kind: NewStoreArguments

  func run() throws {
    try kind.checkNew(outfile)
    let opened = try opening.open(storePath)
    try kind.create(outfile, opened.model) { target in
      var copy = StoreCopy(source: opened.store, target: target)
      try copy.run()
    }
  }
}

/// Copies all objects of a store into an empty store with the same model.
private struct StoreCopy {
  let source: any PersistentStore
  let target: any PersistentStore

  /// The new row keys of the objects, by their keys in the source; empty if objects keep their primary keys.
  private var keys: [RowKey: RowKey] = [:]
  /// The objects of the source, to drop references to deleted objects; nil if the target does that itself.
  private var existing: Set<RowKey>?

  /// For each entity, the slots of its to-many relationships. A slot is the index of a value in a row.
  private let toManySlots: [Set<Int>]

  init(source: any PersistentStore, target: any PersistentStore) {
    self.source = source
    self.target = target
    toManySlots = source.model.entities.map { entity in
      Set(entity.relationships.filter(\.isToMany).map(\.slot))
    }
  }

  mutating func run() throws {
    // All reads see the same state of the store.
    try (source as? SQLiteStore)?.beginReading()
    defer { try? (source as? SQLiteStore)?.endReading() }
    let objects = try source.model.entities.filter { $0.superentity == nil }.flatMap { entity in
      var request = FetchRequest(entity.name)
      request.resultType = .objectIDs
      guard case .keys(let keys) = try source.fetch(request, of: entity) else { return [RowKey]() }
      return keys
    }
    target.setMetadata(source.metadata)
    if let target = target as? SQLiteStore {
      return try target.fill(objects.map(key)) { [self] keys, part throws(ManagedObjectError) in
        let keys = keys.map { RowKey(store: source.number, entityIndex: Int($0.entityIndex), number: $0.number) }
        switch part {
        case .columns: return try rows(keys, includesToMany: false).map(row)
        case .links(let slots): return try links(slots, of: keys).map(row)
        }
      }
    }
    existing = Set(objects)
    try takeKeys(objects)
    var changes = StoreChanges()
    changes.inserted.reserveCapacity(objects.count)
    for start in stride(from: 0, to: objects.count, by: ObjectReader.batchSize) {
      let batch = Array(objects[start..<min(start + ObjectReader.batchSize, objects.count)])
      changes.inserted += try rows(batch, includesToMany: true).map(row)
    }
    changes.author = ToolName.current
    try target.save(changes)
  }

  /// Assigns new keys to all objects if several objects have the same primary key.
  private mutating func takeKeys(_ objects: [RowKey]) throws {
    if Set(objects.lazy.map(\.number)).count == objects.count { return }
    let numbers = try target.makeKeys(objects.map { Int($0.entityIndex) })
    keys = Dictionary(uniqueKeysWithValues: zip(objects, numbers))
  }

  /// Returns rows of the source, including attribute values that are in external files.
  private func rows(_ keys: [RowKey], includesToMany: Bool) throws(ManagedObjectError) -> [StoreRow] {
    try checkInterruption()
    var rows = try source.rows(keys).compactMap(\.self)
    var unread: [SlotOfEntity: [Int]] = [:]
    for (index, row) in rows.enumerated() {
      let toMany = includesToMany ? [] : toManySlots[Int(row.key.entityIndex)]
      for slot in row.values.indices where row.values[slot] == .unread && !toMany.contains(slot) {
        unread[SlotOfEntity(entity: row.key.entityIndex, slot: slot), default: []].append(index)
      }
    }
    for (slotOfEntity, indices) in unread {
      let values = try source.values(ofSlot: slotOfEntity.slot, indices.map { rows[$0].key })
      for (index, value) in zip(indices, values) {
        let value = value ?? .null
        // A value whose external file is missing cannot be copied.
        if value == .null { throw source.missingFile(ofSlot: slotOfEntity.slot, rows[index].key) }
        rows[index].values[slotOfEntity.slot] = value
      }
    }
    return rows
  }

  /// Returns rows of one entity that contain only the values of some relationships.
  private func links(_ slots: [Int], of keys: [RowKey]) throws(ManagedObjectError) -> [StoreRow] {
    try checkInterruption()
    guard let first = keys.first else { return [] }
    let count = ManagedObjectID(first, model: source.model, storeIdentifier: nil).entity.slotCount
    var rows = keys.map { StoreRow(key: $0, version: 1, values: Array(repeating: .unread, count: count)) }
    for slot in slots {
      for (index, value) in try source.values(ofSlot: slot, keys).enumerated() {
        if let value { rows[index].values[slot] = value }
      }
    }
    return rows
  }

  private func checkInterruption() throws(ManagedObjectError) {
    if Signals.interruptedBy != nil { throw ManagedObjectError(.operation, "the conversion was interrupted") }
  }

  private struct SlotOfEntity: Hashable {
    let entity: Int32
    let slot: Int
  }

  private func key(_ key: RowKey) -> RowKey {
    keys[key] ?? RowKey(store: target.number, entityIndex: Int(key.entityIndex), number: key.number)
  }

  /// Returns a copy of a row in which the keys of the source are replaced with those of the target. To-one references
  /// to deleted objects become nil, unless the target does that itself.
  private func row(_ row: StoreRow) -> StoreRow {
    StoreRow(key: key(row.key), version: 1, values: row.values.map(value))
  }

  private func value(_ value: RowValue) -> RowValue {
    switch value {
    case .attribute, .unread: value
    case .toOne(let other): .toOne(other.flatMap { existing?.contains($0) == false ? nil : key($0) })
    case .toMany(let others): .toMany(Set(others.map(key)))
    case .orderedToMany(let others): .orderedToMany(OrderedSet(others.map(key)))
    }
  }
}
