import Foundation
import ManagedObjects
import SQLiteStore

/// A request that follows a relationship, in a context with unsaved changes.
enum PendingWork {
  static let name = "pending"

  /// Prints the table: the time of a fetch and of a count, by the number of changed objects.
  static func printTable(count: Int, changes: [Int]) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pending-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let container = try Storage.sqlite.container(in: folder)
    let filled = container.newContext()
    for number in 0..<count {
      let owner = try filled.insert(Owner.self)
      owner.name = "Owner \(number % 1_000)"
      let values = ItemValues(number)
      let item = try filled.insert(Item.self)
      (item.title, item.number, item.price, item.date) = (values.title, values.number, values.price, values.date)
      item.owner = owner
    }
    try filled.save()
    filled.reset()
    print("| \(count) objects, SQLite, `owner.name == …` | fetch | count |")
    print("|---|---|---|")
    let condition = try ManagedPredicate(format: "owner.name == 'Owner 7'")
    for changed in changes {
      let context = container.newContext()
      if changed > 0 {
        for owner in try context.fetch(Owner.self, limit: changed) { owner.name = "Owner 7" }
      }
      let fetch = try Measurement.measure {
        keep(try context.fetch(Item.self, where: condition))
        return 0
      }
      let counting = try Measurement.measure {
        keep(try context.count(Item.self, where: condition))
        return 0
      }
      print("| \(changed) unsaved changes | \(time(fetch.seconds)) | \(time(counting.seconds)) |")
    }
  }
}
