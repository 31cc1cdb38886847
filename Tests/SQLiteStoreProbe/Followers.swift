import Foundation
import ManagedObjects
import SQLiteStore

/// Two programs that use the counters of a store while other processes change them: one like an app, with a main
/// context that follows the others, and one like a server, with many tasks.
struct Followers {
  private let container: PersistentContainer

  init(_ file: URL) throws {
    container = try PersistentContainer(model: Chain.model, stores: [.sqlite(file, tracksHistory: true)])
  }

  /// The memory of this process, in bytes.
  private static func residentMemory() throws -> Int {
    let numbers = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    guard numbers.count > 1, let pages = Int(numbers[1]) else { throw Usage() }
    return pages * Int(getpagesize())
  }

  private static func count(_ counter: ManagedObject) throws -> Int64 {
    guard case .attribute(.integer(let count))? = counter["count"] else { throw Usage() }
    return count
  }

  /// The sum of the counters of processes, and the counter that all processes share.
  private static func sums(_ counters: [ManagedObject]) throws -> (own: Int64, common: Int64) {
    var sums: (own: Int64, common: Int64) = (0, 0)
    for counter in counters {
      if counter["name"] == .attribute(.string("all")) {
        sums.common += try count(counter)
      } else {
        sums.own += try count(counter)
      }
    }
    return sums
  }

  /// Counts with a main context until it shows a sum. The context only merges the changes of others: it reads nothing
  /// again by itself.
  ///
  /// Prints a line when it has begun, and at the end the number of merges, of conflicts, and of sums that were smaller
  /// than an earlier one, the memory after a fifth of the counting, and the memory at the end.
  @MainActor func follow(rounds: Int64, until total: Int64) async throws {
    let context = container.mainContext
    context.mergesChangesAutomatically = true
    let request = FetchRequest("Counter", sortedBy: [.init("name")])
    let results = try FetchedResultsController(ManagedObject.self, request, in: context)
    try results.performFetch()
    var (merges, conflicts, steps, shown, early) = (0, 0, 0, Int64(0), 0)
    let (turns, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let observer = context.addEventObserver { event in
      if case .didMerge = event {
        merges += 1
        continuation.yield()
      }
    }
    defer { context.removeObserver(observer) }
    Probe.say("ready")
    var left = rounds
    continuation.yield()
    for await _ in turns {
      let counters = results.fetchedObjects
      let sum = try Self.sums(counters).common
      if sum < shown { steps += 1 }
      shown = sum
      if early == 0, shown > total / 5 { early = try Self.residentMemory() }
      if shown == total { break }
      guard left > 0, let common = counters.first(where: { $0["name"] == .attribute(.string("all")) }),
        let own = counters.first(where: { $0["name"] == .attribute(.string("0")) })
      else { continue }
      for counter in [common, own] { try counter.setValue(.integer(Self.count(counter) + 1), forKey: "count") }
      do throws(ManagedObjectError) {
        try context.save()
        left -= 1
      } catch {
        guard error.code == .merge else { throw error }
        conflicts += 1
        for counter in [common, own] { try context.refresh(counter, mergeChanges: false) }
      }
      continuation.yield()
      await Task.yield()
    }
    Probe.say("merges \(merges) conflicts \(conflicts) steps back \(steps)")
    Probe.say("memory \(early) \(try Self.residentMemory())")
  }

  /// Counts in several tasks, each time with a new context, and reads all counters in between.
  ///
  /// Prints a line when it has begun, and at the end the number of reads whose sums differed, the memory after a fifth
  /// of the counting, and the memory at the end.
  func serve(tasks: Int, rounds: Int) async throws {
    Probe.say("ready")
    let container = container
    @Sendable func run(_ range: Range<Int>) async throws -> Int {
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<tasks {
          group.addTask {
            var differences = 0
            for _ in range {
              try await container.update { context in
                for counter in try context.fetch(
                  FetchRequest("Counter", where: ManagedPredicate(format: "name IN {'0', 'all'}")))
                {
                  try counter.setValue(.integer(Self.count(counter) + 1), forKey: "count")
                }
              }
              let sums = try await container.perform { context in try Self.sums(context.fetch(FetchRequest("Counter")))
              }
              if sums.own != sums.common { differences += 1 }
            }
            return differences
          }
        }
        return try await group.reduce(0, +)
      }
    }
    let first = (rounds + 4) / 5
    var differences = try await run(0..<first)
    let early = try Self.residentMemory()
    differences += try await run(first..<rounds)
    Probe.say("differences \(differences)")
    Probe.say("memory \(early) \(try Self.residentMemory())")
  }
}
