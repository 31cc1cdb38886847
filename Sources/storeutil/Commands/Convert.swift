import ArgumentParser
import FoundationEssentials
import ManagedObjects
import OrderedCollections
import PropertyLists
import ToolSupport

struct Convert: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "convert",
    abstract: "Write the objects of a store into a new store of another kind.",
    discussion: """
      Objects keep their numbers, and the store its own metadata. The new store has a UUID of its own.

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
      try StoreCopy(source: opened.store, target: target).run()
    }
  }
}

/// Copies all objects of a store into one of the same model that has none.
private struct StoreCopy {
  let source: any PersistentStore
  let target: any PersistentStore

  func run() throws {
    var changes = StoreChanges()
    for entity in source.model.entities where entity.superentity == nil {
      var request = FetchRequest(entity.name)
      request.resultType = .objectIDs
      guard case .keys(let keys) = try source.fetch(request, of: entity) else { continue }
      try forEachRow(keys) { changes.inserted.append($0) }
    }
    changes.author = ToolName.current
    target.setMetadata(source.metadata)
    try target.save(changes)
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
        for (index, value) in zip(indices, values) { rows[index].values[place.slot] = value ?? .null }
      }
      for row in rows { body(StoreRow(key: key(row.key), version: 1, values: row.values.map(value))) }
    }
  }

  private struct SlotOfEntity: Hashable {
    let entity: Int32
    let slot: Int
  }

  private func key(_ key: RowKey) -> RowKey {
    RowKey(store: target.number, entityIndex: Int(key.entityIndex), number: key.number)
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
