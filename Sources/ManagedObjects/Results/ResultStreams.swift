internal import Synchronization

/// Those who wait for changes of results.
final class ResultStreams: Sendable {
  private let state = Mutex(State())

  private struct State {
    var streams: [Int: AsyncStream<FetchedResultsChanges>.Continuation] = [:]
    var last = 0
  }

  func next() -> AsyncStream<FetchedResultsChanges> {
    AsyncStream { continuation in
      let number = state.withLock { state in
        state.last += 1
        state.streams[state.last] = continuation
        return state.last
      }
      continuation.onTermination = { [weak self] _ in self?.forget(number) }
    }
  }

  private func forget(_ number: Int) { _ = state.withLock { $0.streams.removeValue(forKey: number) } }

  func yield(_ changes: FetchedResultsChanges) {
    let streams = state.withLock { Array($0.streams.values) }
    for stream in streams { stream.yield(changes) }
  }

  func finish() {
    let streams = state.withLock { state in
      defer { state.streams = [:] }
      return Array(state.streams.values)
    }
    for stream in streams { stream.finish() }
  }
}
