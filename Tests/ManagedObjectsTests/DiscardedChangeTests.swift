import ManagedObjects
import Synchronization
import Testing

@Suite("Changes that a container's function does not save") struct DiscardedChangeTests {
  private typealias Note = FollowingSamples.Note

  @Test(arguments: [false, true])
  func `a function that leaves changes unsaved is reported`(isAsynchronous: Bool) async throws {
    let container = try FollowingSamples.container()
    try FollowingSamples.add("A", to: container)
    let errors = Reports()
    container.coordinator.misuseHandler = { errors.add($0) }
    @Sendable func work(_ context: ManagedObjectContext) throws {
      let note = try #require(try context.fetch(Note.self).first)
      note.count = 1
      try context.insert(Note.self)
    }
    if isAsynchronous { try await container.perform { try work($0) } } else { try container.performAndWait(work) }
    let error = try #require(errors.all.first)
    #expect(errors.all.count == 1 && error.code == .invalidState)
    let text = error.description
    #expect(text.contains("2 objects") && text.contains("(updated)") && text.contains("(inserted)"), "\(text)")
    #expect(try FollowingSamples.stored(container) == ["A"])
  }

  @Test func `a function that saves, rolls back or throws is not reported`() async throws {
    let container = try FollowingSamples.container()
    let errors = Reports()
    container.coordinator.misuseHandler = { errors.add($0) }
    try FollowingSamples.add("A", to: container)
    try container.performAndWait { context in
      try context.insert(Note.self)
      context.rollback()
    }
    try await container.perform { context in
      try context.insert(Note.self)
      try context.save()
    }
    #expect(throws: CancellationError.self) {
      try container.performAndWait { context in
        try context.insert(Note.self)
        throw CancellationError()
      }
    }
    #expect(errors.all.isEmpty)
  }
}

/// The errors that a coordinator reports.
final class Reports: Sendable {
  private let errors = Mutex<[ManagedObjectError]>([])

  func add(_ error: ManagedObjectError) { errors.withLock { $0.append(error) } }

  var all: [ManagedObjectError] { errors.withLock { $0 } }
  var codes: [ManagedObjectError.Code] { all.map(\.code) }
}
