import Foundation
import ManagedObjects
import SQLiteStore

/// Fetched results: opening, and updating after one change.
enum ResultsWork: String, CaseIterable {
  case open = "open, in sections, and show 30"
  case openKept = "the same, with a cache on the disk"
  case fetch = "for comparison: a fetch of all"
  case insert = "insert 1"
  case move = "move 1 to another section"
  case delete = "delete 1"
  case update = "change 1 at its position"

  static let name = "fetched results"

  private func controller(
    _ context: ManagedObjectContext, _ cache: FetchedResultsCache? = nil
  ) throws -> FetchedResultsController<Item> {
    var request = try FetchRequest(Item.self, sortedBy: .ascending(\.text), .ascending(\.title))
    request.fetchBatchSize = 50
    let results = try FetchedResultsController(Item.self, request, in: context, cache: cache) { item in
      String(item.text?.suffix(2) ?? "")
    }
    try results.performFetch()
    return results
  }

  func measure(count: Int) throws -> Measurement {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("results-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let container = try Storage.sqlite.container(in: folder)
    let context = container.newContext()
    for number in 0..<count {
      let item = try context.insert(Item.self)
      let values = ItemValues(number)
      (item.title, item.number, item.price, item.date) = (values.title, values.number, values.price, values.date)
      item.text = String(format: "%02d", number % 50)
    }
    try context.save()
    context.reset()
    let cache = FetchedResultsCache(name: "items", folder: folder)
    switch self {
    case .open, .openKept:
      let cache = self == .openKept ? cache : nil
      _ = try controller(container.newContext(), cache)
      return try Measurement.measure {
        let results = try controller(container.newContext(), cache)
        for offset in 0..<30 { keep(results.object(at: count / 2 + offset)?.title ?? "") }
        return 0
      }
    case .fetch:
      return try Measurement.measure {
        keep(try container.newContext().fetch(Item.self, sortedBy: .ascending(\.text), .ascending(\.title)))
        return 0
      }
    case .insert, .move, .delete, .update: return try measureChanges(context, count)
    }
  }

  /// Makes a hundred changes, each of which is reported separately.
  private func measureChanges(_ context: ManagedObjectContext, _ count: Int) throws -> Measurement {
    let results = try controller(context)
    var changeCount = 0
    let keeper = ChangeCounter()
    results.delegate = keeper
    var number = 0
    let rounds = 100
    var measurement = try Measurement.measure {
      let items = (0..<rounds).compactMap { results.object(at: $0 * (count / rounds)) }
      // Reads the objects before the measurement, because sorting compares their values.
      for item in items { keep(item.number) }
      let start = keeper.count
      for item in items {
        number += 1
        switch self {
        case .insert:
          let new = try context.insert(Item.self)
          new.text = String(format: "%02d", number % 50)
          new.title = "Item \(number * 7919 % count)"
        case .move: item.text = String(format: "%02d", number % 50)
        case .delete: try context.delete(item)
        default: item.price += 1
        }
        context.processPendingChanges()
      }
      changeCount = keeper.count - start
      return 0
    }
    guard changeCount > 0 else { throw MeasurementFailure(work: rawValue, status: 1) }
    measurement.seconds /= Double(rounds)
    return measurement
  }

  private final class ChangeCounter: FetchedResultsControllerDelegate {
    var count = 0

    func controller(_ controller: FetchedResultsController<Item>, didChangeContentWith changes: FetchedResultsChanges) {
      count += changes.objects.count
    }
  }

  /// Prints the table: the time of each work, by number of objects.
  static func printTable(counts: [Int]) throws {
    print("| \(name) | " + counts.map { "\($0) objects" }.joined(separator: " | ") + " |")
    print("|---|" + counts.map { _ in "---|" }.joined())
    for work in allCases {
      var row = "| \(work.rawValue) |"
      for count in counts {
        let measurement = try Measurement.inProcess([name, work.rawValue, "\(count)"])
        row += " " + (measurement.map { time($0.seconds) } ?? "–") + " |"
      }
      print(row)
    }
  }
}
