import ManagedObjects

/// The merges and saves of a context, which a test can await.
final class ContextEvents {
  private(set) var merges: [SavedChanges] = []
  private(set) var saves: [ContextSave] = []
  private(set) var willSaves = 0
  private(set) var changes: [ContextChange] = []
  private let stream: AsyncStream<Void>
  private var iterator: AsyncStream<Void>.Iterator

  /// - Parameter seesChanges: true to be also an observer of changes.
  init(_ context: ManagedObjectContext, seesChanges: Bool = false) {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    self.stream = stream
    iterator = stream.makeAsyncIterator()
    _ = context.addEventObserver { [weak self] event in
      switch event {
      case .willSave: self?.willSaves += 1
      case .didSave(let save): self?.saves.append(save)
      case .didMerge(let changes): self?.merges.append(changes)
      }
      continuation.yield()
    }
    guard seesChanges else { return }
    _ = context.addObserver { [weak self] change in
      self?.changes.append(change)
      continuation.yield()
    }
  }

  /// Waits until a condition is true, which is tested after each event.
  func wait(isolation: isolated (any Actor)? = #isolation, until condition: () throws -> Bool) async rethrows {
    while !(try condition()) {
      var iterator = iterator
      _ = await iterator.next(isolation: isolation)
      self.iterator = iterator
    }
  }
}
