internal import Synchronization

/// A list of the streams that receive one kind of value, such as the changes of each save.
final class Listeners<News: Sendable>: Sendable {
  private let state = Mutex(State())

  private struct State {
    var streams: [Int: AsyncStream<News>.Continuation] = [:]
    var last = 0
  }

  var isEmpty: Bool { state.withLock { $0.streams.isEmpty } }

  /// Returns a stream of the values that ``tell(_:)`` sends from now on.
  ///
  /// - Parameter onEnd: called when the stream ends.
  func stream(onEnd: @escaping @Sendable () -> Void = {}) -> AsyncStream<News> {
    AsyncStream { continuation in
      let number = state.withLock { state in
        state.last += 1
        state.streams[state.last] = continuation
        return state.last
      }
      continuation.onTermination = { [weak self] _ in
        self?.forget(number)
        onEnd()
      }
    }
  }

  private func forget(_ number: Int) { _ = state.withLock { $0.streams.removeValue(forKey: number) } }

  func tell(_ news: News) {
    let streams = state.withLock { Array($0.streams.values) }
    for stream in streams { stream.yield(news) }
  }

  func finish() {
    let streams = state.withLock { state in
      defer { state.streams = [:] }
      return Array(state.streams.values)
    }
    for stream in streams { stream.finish() }
  }
}
