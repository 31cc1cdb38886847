public import SQLiteAccess
internal import Synchronization

/// An asynchronous sequence of the statements that a store executes.
///
/// ```swift
/// let statements = store.statements()
/// Task {
///   for await statement in statements {
///     print(statement.request ?? 0, statement.duration, statement.rowCount, statement.sql)
///   }
///   if statements.droppedCount > 0 { print("\(statements.droppedCount) statements were dropped") }
/// }
/// ```
///
/// The sequence has a buffer for the statements that are not read yet. If it is full, the oldest statement is dropped.
/// Only one task can iterate over the sequence. For several readers, make a sequence for each.
public struct ExecutedStatements: AsyncSequence, Sendable {
  public typealias Element = SQLiteTrace.Event

  fileprivate let stream: AsyncStream<SQLiteTrace.Event>
  fileprivate let dropped: DroppedCount

  /// The number of statements that were dropped so far, because the buffer was full.
  public var droppedCount: Int { dropped.value.load(ordering: .relaxed) }

  /// Returns an iterator over the statements.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: stream.makeAsyncIterator()) }

  /// The iterator of the sequence.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var base: AsyncStream<SQLiteTrace.Event>.Iterator

    /// Returns the next statement, and waits for it if necessary. Returns nil if the store has been released or the
    /// task is cancelled.
    public mutating func next() async -> SQLiteTrace.Event? { await base.next() }

    /// Returns the next statement, as ``next()`` does, on an actor.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> SQLiteTrace.Event? {
      await base.next(isolation: actor)
    }
  }
}

private final class DroppedCount: Sendable {
  let value = Atomic<Int>(0)
}

extension SQLiteStore {
  /// Returns a sequence of the statements that the store executes from now on, also for query generations.
  ///
  /// ```swift
  /// for await statement in store.statements() where statement.duration > .milliseconds(50) {
  ///   print("slow: \(statement)")   // sql: request 12, 61.04 ms, 3 rows: SELECT …
  /// }
  /// ```
  ///
  /// The statements of one operation of the store have the same `SQLiteTrace.Event.request`. The sequence ends when
  /// the store and its query generations are released. It works independently of other sequences and of
  /// ``setTrace(_:)``. Without a sequence and a trace, statements have no extra cost.
  ///
  /// - Parameters:
  ///   - limit: The size of the buffer. The store does not wait for the reader: if the buffer is full, the oldest
  ///     statement is dropped, and ``ExecutedStatements/droppedCount`` counts it.
  ///   - includesValues: True to add the values of parameters (`SQLiteTrace.Event.sqlWithValues`). These are the data
  ///     of the program's users.
  /// - Complexity: Each statement costs O(n) with the number of sequences.
  public func statements(bufferingNewest limit: Int = 1_000, includesValues: Bool = false) -> ExecutedStatements {
    statementStreams.add(limit, includesValues: includesValues)
  }
}

/// The streams of the statements of a store. They end when this object is released.
final class StatementStreams: Sendable {
  private struct Stream {
    let trace: SQLiteTrace
    let continuation: AsyncStream<SQLiteTrace.Event>.Continuation
  }

  private struct State {
    var streams: [Int: Stream] = [:]
    var last = 0
  }

  private let state = Mutex(State())
  /// The number of streams, which can be read without the lock.
  private let count = Atomic<Int>(0)

  deinit { for stream in state.withLock({ $0.streams.values }) { stream.continuation.finish() } }

  /// The functions that send a statement to the streams.
  var traces: [SQLiteTrace] {
    if count.load(ordering: .relaxed) == 0 { return [] }
    return state.withLock { $0.streams.values.map(\.trace) }
  }

  fileprivate func add(_ limit: Int, includesValues: Bool) -> ExecutedStatements {
    let (stream, continuation) = AsyncStream.makeStream(
      of: SQLiteTrace.Event.self, bufferingPolicy: .bufferingNewest(Swift.max(limit, 1)))
    let dropped = DroppedCount()
    let trace = SQLiteTrace(includesValues: includesValues) { event in
      if case .dropped = continuation.yield(event) { dropped.value.add(1, ordering: .relaxed) }
    }
    let number = state.withLock { state in
      state.last += 1
      state.streams[state.last] = Stream(trace: trace, continuation: continuation)
      count.store(state.streams.count, ordering: .relaxed)
      return state.last
    }
    continuation.onTermination = { [weak self] _ in self?.remove(number) }
    return ExecutedStatements(stream: stream, dropped: dropped)
  }

  private func remove(_ number: Int) {
    // The stream is released after the lock, because releasing it can call this function.
    let stream = state.withLock { state in
      let stream = state.streams.removeValue(forKey: number)
      count.store(state.streams.count, ordering: .relaxed)
      return stream
    }
    withExtendedLifetime(stream) {}
  }
}
