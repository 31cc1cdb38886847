/// Options of a connection.
package struct ConnectionOptions: Sendable {
  /// The time to wait for another process that is writing, in milliseconds.
  package var busyTime: Int32 = 30_000

  /// Called for each executed statement.
  package var trace: SQLiteTrace?

  /// The number of the request that opens the file: ``SQLiteTrace/Event/request``; nil for a database without a store.
  package var request: Int?

  /// The key of an encrypted file.
  package var key: SQLiteEncryptionKey?

  package init() {}

  package init(key: SQLiteEncryptionKey?) { self.key = key }

  package init(busyTimeout: Duration) { busyTime = Self.milliseconds(busyTimeout) }

  package init(busyTime: Int32) { self.busyTime = busyTime }

  /// Converts a duration to milliseconds, which is the unit of SQLite.
  static func milliseconds(_ time: Duration) -> Int32 {
    // A duration can have more milliseconds than an integer.
    Int32(min(max(time / .milliseconds(1), 0), Double(Int32.max)))
  }
}
