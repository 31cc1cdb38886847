internal import CSQLite
internal import Synchronization

/// A value that interrupts the statements of a connection from any task or thread.
///
/// ```swift
/// let interruption = database.interruption
/// let rows = try await withTaskCancellationHandler {
///   try database.rows("SELECT …").map { try $0[0] as String }
/// } onCancel: {
///   interruption.interrupt()
/// }
/// ```
public final class SQLiteInterruption: Sendable {
  /// The address of the connection; nil after it was closed.
  private let connection: Mutex<UInt?>

  init(_ handle: OpaquePointer) { connection = Mutex(UInt(bitPattern: handle)) }

  /// Interrupts all statements of the connection that are being executed. They throw ``SQLiteResultCode/interrupted``.
  /// The transaction of such a statement may be rolled back.
  ///
  /// Does nothing if no statement is being executed, or if the connection is closed.
  public func interrupt() {
    connection.withLock { address in
      if let address, let handle = unsafe OpaquePointer(bitPattern: address) { unsafe sqlite3_interrupt(handle) }
    }
  }

  /// Makes further calls of ``interrupt()`` do nothing. Called before the connection closes.
  func disconnect() { connection.withLock { $0 = nil } }
}

extension Connection {
  func makeInterruption() -> SQLiteInterruption { unsafe SQLiteInterruption(handle) }
}
