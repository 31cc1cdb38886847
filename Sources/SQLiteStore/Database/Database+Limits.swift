internal import CSQLite
internal import ManagedObjects
internal import SystemFiles

/// How much work a statement may be: a file can make SQLite go on without end, by a trigger, or by pages that lead back
/// to others.
///
/// The limit goes with the size of the file. It has room for comparing each row with each other one.
final class WorkLimit {
  /// After how many instructions of SQLite's machine the limit is looked at.
  private static let interval: Int32 = 10_000
  /// What every statement may do: about a second.
  private static let least: Int64 = 100_000_000

  /// The instructions of the statement that runs.
  var work: Int64 = 0
  private let path: String
  private var limit = WorkLimit.least
  private var greatestRowCount = 0

  init(path: String) { self.path = path }

  /// Counts instructions.
  ///
  /// - Returns: false if there are too many.
  private func countWork() -> Bool {
    work += Int64(Self.interval)
    if work <= limit { return true }
    // The file may have grown.
    guard let size = fileSize.map({ Int64($0) }) else { return true }
    let rows = size / 64
    let (square, overflows) = rows.multipliedReportingOverflow(by: rows * 8)
    limit = overflows ? .max : Self.least + 16 * size + min(square, .max >> 1)
    return work <= limit
  }

  /// The size with that of the log; nil if the file is not there any more.
  private var fileSize: Int? {
    FileSystem.sizeOfRegularFile(path).map { $0 + (FileSystem.sizeOfRegularFile(path + "-wal") ?? 0) }
  }

  /// No statement has more rows than there are bytes: every row is in the file, or for one that is.
  ///
  /// - Throws: ``ManagedObjectError/Code/sqlite`` if the file has no room for so many rows.
  func checkRowCount(_ count: Int) throws(ManagedObjectError) {
    if count <= greatestRowCount { return }
    greatestRowCount = fileSize ?? .max
    if count > greatestRowCount {
      throw ManagedObjectError(.sqlite, "\(path) is damaged: a table has more rows than the file has room for")
    }
  }

  static let message = "a statement takes more work than anything in a file of this size should"

  /// Lets SQLite ask how much work was done. The limit has to live as long as the connection.
  func install(in handle: OpaquePointer) {
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe sqlite3_progress_handler(
      handle, Self.interval,
      { context in
        guard let context = unsafe context else { return 0 }
        return unsafe Unmanaged<WorkLimit>.fromOpaque(context).takeUnretainedValue().countWork() ? 0 : 1
      }, context)
    // A statement cannot write to the schema, and triggers do not call each other for long.
    unsafe sqlite_switch(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    unsafe sqlite3_limit(handle, SQLITE_LIMIT_TRIGGER_DEPTH, 50)
  }
}
