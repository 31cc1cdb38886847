import Foundation
import ManagedObjects
import SQLiteStore

/// Other versions of the chain's model. Links, items and tags are the same in all of them.
enum ChainVersions {
  /// Counters have a label with the path of their migration.
  private static func model(_ change: (inout EntityDescription) -> Void) -> ManagedObjectModel {
    var entities = Chain.model.entityDescriptions
    for index in entities.indices where entities[index].name == "Counter" { change(&entities[index]) }
    do { return try ManagedObjectModel(entities: entities) } catch { fatalError("\(error)") }
  }

  static let second = model {
    $0.properties.append(.attribute("label", .string, isOptional: false, defaultValue: .string("new")))
  }

  static let third = model {
    $0.properties.append(.attribute("label", .string, isOptional: false))
    $0.properties.append(.attribute("half", .double))
  }

  /// Sets the labels of counters.
  private static let mapping = StoreMapping(entities: [
    "Counter": EntityMigrationPolicy { counter, migration in
      let new = try migration.createDestinationInstances(forSource: counter)
      guard case .attribute(.integer(let count))? = counter["count"] else { throw Usage() }
      try new.setValues(["label": .string("n\(count)"), "half": .double(Double(count) / 2)])
    }
  ])

  /// Migrates a store of the chain to another version.
  static func migrate(_ file: URL, _ kind: String) throws {
    switch kind {
    case "inferred": try SQLiteStore.migrate(file, to: second)
    case "mapped": try SQLiteStore.migrate(file, to: third, by: mapping)
    case "staged":
      let stages = StagedMigration([.init(Chain.model), .init(second), .init(third, mapping: mapping)])
      try SQLiteStore.migrate(file, through: stages)
    default: throw Usage()
    }
  }

  /// Creates a store with links and counters.
  static func make(_ file: URL, links: Int, counters: Int) throws {
    var chain = try Chain(file)
    for _ in 0..<links { _ = try chain.save() }
    let coordinator = PersistentStoreCoordinator(model: Chain.model)
    try coordinator.add(SQLiteStore(file, model: Chain.model))
    let context = ManagedObjectContext(coordinator: coordinator)
    for number in 0..<counters {
      let counter = try context.insert("Counter")
      try counter.setValues([
        "name": .string("c"), "count": .integer(Int64(number)),
        "data": .data(Data(repeating: UInt8(number % 251), count: 500)),
      ])
    }
    try context.save()
  }
}

extension Probe {
  /// Migrates a store to another version, first while the size of files is limited, if a size is given.
  static func migrate(_ file: URL, _ kind: String, room: Int?) throws {
    if let room {
      let limit = limitFiles(to: room)
      do throws(any Error) {
        try ChainVersions.migrate(file, kind)
        say("was enough")
      } catch let error as ManagedObjectError {
        say("failed \(error.code)")
      }
      liftLimit(limit)
    }
    say("begun")
    try ChainVersions.migrate(file, kind)
    say("done")
  }
}
