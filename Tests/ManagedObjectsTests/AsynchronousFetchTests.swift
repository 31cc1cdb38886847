import Foundation
import SQLiteStore
import SystemFiles
import TestSupport
import Testing

@testable import ManagedObjects

@Suite("Asynchronous fetching") struct AsynchronousFetchTests {
  private func fill(_ context: ManagedObjectContext, _ count: Int) throws {
    for number in 0..<count { try context.insert("Card").setValue(.integer(Int64(number)), forKey: "number") }
    try context.save()
  }

  private func store(_ count: Int = 50) throws -> WatchedStore {
    let store = try WatchedStore(model: NaiveGraph.model)
    try fill(ManagedObjectContext(store), count)
    return store
  }

  private func numbers(_ objects: [ManagedObject]) -> [Int] {
    objects.map { if case .attribute(.integer(let number))? = $0["number"] { Int(number) } else { -1 } }
  }

  private let request = FetchRequest("Card", sortedBy: [.init("number", isAscending: false)])

  @Test func `the results and the progress are those of batches`() async throws {
    let store = try store()
    let context = try ManagedObjectContext(store)
    var progress: [FetchProgress] = []
    let found = try await context.fetch(request, batchSize: 20) { progress.append($0) }
    #expect(numbers(found) == (0..<50).reversed())
    #expect(progress.map(\.completedCount) == [0, 20, 40, 50] && progress.allSatisfy { $0.totalCount == 50 })
    #expect(progress.map(\.fractionCompleted) == [0, 0.4, 0.8, 1])
    #expect(FetchProgress(completedCount: 0, totalCount: 0).fractionCompleted == 1)
    #expect(store.fetches == 1 && store.rowReads == 3 && store.rowsRead == 50)
  }

  @Test(arguments: [1, 2]) func `unsaved changes are included`(levels: Int) async throws {
    let root = try ManagedObjectContext(store())
    let context = levels == 1 ? root : ManagedObjectContext(parent: root)
    let cards = try context.fetch(request)
    try context.delete(cards[0])
    try cards[1].setValue(.integer(-3), forKey: "number")
    try context.insert("Card").setValue(.integer(70), forKey: "number")
    var limited = request
    limited.fetchLimit = 3
    #expect(numbers(try await context.fetch(limited) { _ in }) == [70, 47, 46])
    #expect(numbers(try await context.fetch(request) { _ in }) == numbers(try context.fetch(request)))
  }

  @Test func `objects that are deleted during the fetch are left out`() async throws {
    let store = try store()
    let context = try ManagedObjectContext(store)
    var failure: (any Error)?
    let found = try await context.fetch(request, batchSize: 10) { progress in
      do {
        let other = progress.completedCount == 0 ? try ManagedObjectContext(store) : context
        guard [0, 20].contains(progress.completedCount) else { return }
        let card = try other.fetch(FetchRequest("Card", where: ManagedPredicate(format: "number == 30"))).first
        let late = try other.fetch(FetchRequest("Card", where: ManagedPredicate(format: "number == 5"))).first
        if progress.completedCount == 0 { try card.map(other.delete) } else { try late.map(other.delete) }
        if other !== context { try other.save() }
      } catch { failure = error }
    }
    #expect(failure == nil)
    #expect(numbers(found) == (0..<50).reversed().filter { $0 != 30 && $0 != 5 })
  }

  @Test func `a cancelled task reads no more batches`() async throws {
    let store = try store()
    let context = try ManagedObjectContext(store)
    await #expect(throws: CancellationError.self) {
      _ = try await context.fetch(request, batchSize: 10) { progress in
        if progress.completedCount == 20 { withUnsafeCurrentTask { unsafe $0?.cancel() } }
      }
    }
    #expect(store.rowsRead == 20)
    // The task can still use the context.
    #expect(try context.fetch(request).count == 50)
    await #expect(throws: CancellationError.self) { _ = try await context.fetch(request) { _ in } }
    #expect(store.fetches == 2)
  }

  @Test func `a running SQL statement ends with its task`() async throws {
    let folder = TemporaryFolder(isInMemory: true)
    let store = try SQLiteStore(folder.url.appending(path: "cards.sqlite"), model: NaiveGraph.model)
    try fill(ManagedObjectContext(store), 2_000)
    let request = FetchRequest(
      "Card", where: try ManagedPredicate(format: "modulus:by:(number, 7) == 1 OR number < -5"))
    let task = Task { () -> (count: Int, isEnded: Bool) in
      withUnsafeCurrentTask { unsafe $0?.cancel() }
      let context = try ManagedObjectContext(store)
      let count = try context.fetch(request).count
      do {
        _ = try CancellableReading.$isOn.withValue(true) { try context.fetch(request) }
        return (count, false)
      } catch let error as ManagedObjectError { return (count, error.code == .timeout) }
    }
    let result = try await task.value
    #expect(result.count > 200 && result.isEnded)
    let context = try ManagedObjectContext(store)
    #expect(try await context.fetch(request) { _ in }.count == result.count)
  }

  @Test func `related objects are read with each batch and retained`() async throws {
    let store = try WatchedStore(model: NaiveGraph.model)
    let filled = try ManagedObjectContext(store)
    for number in 0..<10 {
      let card = try filled.insert("Card")
      try card.setValue(.integer(Int64(number)), forKey: "number")
      try card.setValue(.object(filled.insert("Person")), forKey: "owner")
    }
    try filled.save()
    let context = try ManagedObjectContext(store)
    var request = request
    request.relationshipKeyPathsForPrefetching = ["owner"]
    let cards = try await context.fetch(request, batchSize: 5) { _ in }
    let reads = store.rowReads
    #expect(reads == 4)
    for card in cards {
      if case .object(let owner)? = card["owner"] { #expect(owner["age"] == .attribute(.integer(0))) }
    }
    #expect(store.rowReads == reads)
  }

  final class Entry: ManagedObject {
    @Attribute var number = 0
  }

  @MainActor @Test func `objects of a class are fetched on an actor`() async throws {
    let context = try ManagedObjectContext(InMemoryStore(model: ManagedObjectModel(Entry.self)))
    for number in 0..<10 { try context.insert(Entry.self).number = number }
    try context.save()
    let found = try await context.fetch(
      Entry.self, where: ManagedPredicate(format: "number > 6"), sortedBy: .descending(\.number)
    ) { _ in MainActor.assertIsolated() }
    #expect(found.map(\.number) == [9, 8, 7])
    let few = try await context.fetch(Entry.self, where: #Predicate { $0.number < 2 }, sortedBy: .ascending(\.number)) {
      _ in
    }
    #expect(few.map(\.number) == [0, 1])
  }

  @Test func `requests that cannot be executed are errors`() async throws {
    let context = try ManagedObjectContext(store(1))
    for (request, size, code) in [
      (request, 0, ManagedObjectError.Code.unsupportedRequest), (FetchRequest("Nothing"), 1, .undefinedKey),
    ] {
      let error = await #expect(throws: ManagedObjectError.self) {
        _ = try await context.fetch(request, batchSize: size) { _ in }
      }
      #expect(error?.code == code)
    }
  }
}
