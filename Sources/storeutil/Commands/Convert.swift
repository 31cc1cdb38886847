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
      Objects keep their numbers where the kind allows it: in SQLite each entity has a series of its own, and in the others \
      all have one. The new store has a UUID of its own.

      Example: storeutil convert Notes.xml Notes.sqlite --type sqlite --model Notes.momd
      """)

  @OptionGroup var store: StoreArguments

  @Argument(help: ArgumentHelp("The new file.", valueName: "file"), completion: .file(), transform: FileName.argument)
  var outfile: String

  @OptionGroup var kind: NewStoreArguments

  func run() throws {
    try kind.checkNew(outfile)
    let opened = try store.open()
    try kind.create(outfile, opened.model) { target in
      var copy = StoreCopy(source: opened.store, target: target)
      try copy.run()
    }
  }
}

/// Copies all objects of a store into one of the same model that has none.
private struct StoreCopy {
  let source: any PersistentStore
  let target: any PersistentStore

  /// The new keys of objects.
  private var keys: [RowKey: RowKey] = [:]

  init(source: any PersistentStore, target: any PersistentStore) {
    self.source = source
    self.target = target
  }

  mutating func run() throws {
    var changes = StoreChanges()
    let objects = try source.model.entities.filter { $0.superentity == nil }.flatMap { entity in
      var request = FetchRequest(entity.name)
      request.resultType = .objectIDs
      guard case .keys(let keys) = try source.fetch(request, of: entity) else { return [RowKey]() }
      return keys
    }
    try takeKeys(objects)
    try forEachRow(objects) { changes.inserted.append($0) }
    changes.author = ToolName.current
    target.setMetadata(source.metadata)
    try target.save(changes)
  }

  /// Gives objects new keys if those that they have are not enough to tell them apart.
  private mutating func takeKeys(_ objects: [RowKey]) throws {
    if target is SQLiteStore || Set(objects.lazy.map(\.number)).count == objects.count { return }
    let numbers = try target.makeKeys(objects.map { Int($0.entityIndex) })
    keys = Dictionary(uniqueKeysWithValues: zip(objects, numbers))
  }

  /// Rows as the other store has them, with all of their values.
  private func forEachRow(_ keys: [RowKey], _ body: (StoreRow) -> Void) throws {
    var start = 0
    while start < keys.count {
      let batch = Array(keys[start..<min(start + ObjectReader.batchSize, keys.count)])
      start += batch.count
      var rows = try source.rows(batch).compactMap(\.self)
      var unread: [SlotOfEntity: [Int]] = [:]
      for (index, row) in rows.enumerated() {
        for slot in row.values.indices where row.values[slot] == .unread {
          unread[SlotOfEntity(entity: row.key.entityIndex, slot: slot), default: []].append(index)
        }
      }
      for (place, indices) in unread {
        let values = try source.values(ofSlot: place.slot, indices.map { rows[$0].key })
        for (index, value) in zip(indices, values) {
          let value = value ?? .null
          // Only a value that there is stands for itself somewhere else.
          if value == .null { throw source.missingFile(ofSlot: place.slot, rows[index].key) }
          rows[index].values[place.slot] = value
        }
      }
      for row in rows { body(StoreRow(key: key(row.key), version: 1, values: row.values.map(value))) }
    }
  }

  private struct SlotOfEntity: Hashable {
    let entity: Int32
    let slot: Int
  }

  private func key(_ key: RowKey) -> RowKey {
    keys[key] ?? RowKey(store: target.number, entityIndex: Int(key.entityIndex), number: key.number)
  }

  private func value(_ value: RowValue) -> RowValue {
    switch value {
    case .attribute, .unread: value
    case .toOne(let other): .toOne(other.map(key))
    case .toMany(let others): .toMany(Set(others.map(key)))
    case .orderedToMany(let others): .orderedToMany(OrderedSet(others.map(key)))
    }
  }
}
