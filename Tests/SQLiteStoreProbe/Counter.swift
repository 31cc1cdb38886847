import Foundation
import ManagedObjects
import SQLiteStore

/// A counter that processes share, and one for each process. Both are changed together.
struct Counter {
  private let context: ManagedObjectContext
  private let common: ManagedObject
  private let own: ManagedObject

  init(_ file: URL, name: String) throws {
    let coordinator = PersistentStoreCoordinator(model: Chain.model)
    try coordinator.add(SQLiteStore(file, model: Chain.model))
    let context = ManagedObjectContext(coordinator: coordinator)
    self.context = context
    let all = try context.fetch(FetchRequest("Counter"))
    func counter(_ name: String) throws -> ManagedObject {
      if let counter = all.first(where: { $0["name"] == .attribute(.string(name)) }) { return counter }
      let counter = try context.insert("Counter")
      try counter.setValues(["name": .string(name), "count": .integer(0)])
      return counter
    }
    common = try counter("all")
    own = try counter(name)
    try context.save()
  }

  /// - Returns: the number of saves by other processes in between.
  func add() throws -> Int {
    var conflicts = 0
    while true {
      for counter in [common, own] {
        guard case .attribute(.integer(let count))? = counter["count"] else { throw Usage() }
        try counter.setValue(.integer(count + 1), forKey: "count")
      }
      do throws(ManagedObjectError) {
        try context.save()
        return conflicts
      } catch {
        guard error.code == .merge else { throw error }
        conflicts += 1
        for counter in [common, own] { try context.refresh(counter, mergeChanges: false) }
      }
    }
  }
}
