internal import CSQLite
internal import SystemFiles

/// A limit on the work of a statement and on the size of its results. Without it, a damaged or malicious file could
/// keep SQLite busy forever, with triggers or with pages that form a cycle.
///
/// The limits grow with the size of the file, and are generous for an undamaged file of that size.
package final class WorkLimit {
  /// The growth of a statement's work with the size of the file.
  package enum Growth {
    /// Each row is read once, or found by its primary key.
    case rows
    /// Each row may be compared with each other row.
    case pairs
  }

  /// The properties of a statement that determine its limits, together with the size of the file.
  struct Statement {
    let growth: Growth
    /// The length of the SQL, in bytes: an upper bound for the number of instructions per row.
    let size: Int
    /// The number of bytes of the texts that are bound to parameters. A list of values is bound as a JSON text, which
    /// SQLite reads like a table.
    var boundSize = 0
    /// The result of the last computation of ``WorkLimit/limit``. The limit is computed again only when it is exceeded.
    fileprivate var limit: Int64 = 0

    init(growth: Growth, size: Int) {
      self.growth = growth
      self.size = size
    }
  }

  /// The limit is checked each time that SQLite's virtual machine has executed this many instructions.
  private static let interval: Int32 = 10_000

  /// The number of instructions that the running statement has executed.
  private(set) var work: Int64 = 0
  /// The properties of the running statement that determine its limits.
  private(set) var statement = Statement(growth: .pairs, size: 0)
  /// An upper bound for the size of the changes that the open transaction has not written to the file yet, in bytes.
  var unwrittenSize = 0
  private let file: DatabaseFile
  /// The greatest number of rows that is certainly allowed. ``check(rowCount:byteCount:_:)`` need not be called before
  /// it is exceeded.
  private(set) var greatestRowCount = 4096
  /// The greatest number of bytes that is certainly allowed. ``check(rowCount:byteCount:_:)`` need not be called before
  /// it is exceeded.
  private(set) var greatestByteCount = 1 << 20

  /// The maximum number of instructions of every statement; the size of its results is then unlimited. Nil if the
  /// limits depend on the size of the file.
  package var fixedLimit: Int64?
  /// True if the last statement has exceeded its limit.
  private var isExceeded = false

  init(_ file: DatabaseFile) { self.file = file }

  /// Begins to count the work of a new statement.
  func begin(_ statement: Statement) { resume(statement, work: 0) }

  /// Continues to count the work of a statement.
  func resume(_ statement: Statement, work: Int64) {
    self.work = work
    self.statement = statement
    isExceeded = false
  }

  /// Counts instructions of the running statement.
  ///
  /// - Returns: False if the limit is exceeded.
  private func count(_ instructions: Int64) -> Bool {
    work += instructions
    if let fixedLimit {
      isExceeded = work > fixedLimit
    } else if work > statement.limit {
      statement.limit = limit
      isExceeded = work > statement.limit
    }
    return !isExceeded
  }

  /// Counts the bytes that a statement passes to an SQL function of this package, as one instruction per 8 bytes.
  ///
  /// - Returns: False if the limit is exceeded.
  func count(bytes: Int) -> Bool { count(Int64(bytes / 8)) }

  /// The maximum number of instructions that the running statement may execute.
  private var limit: Int64 {
    // Reads the size each time, because the file may have grown.
    guard let size else { return .max }
    // A row has at least 8 bytes.
    let linear = Double(size / 8) * Double(64 + statement.size) + 32 * Double(statement.boundSize)
    let rows = Double(size / 64)
    let limit = statement.growth == .rows ? linear : linear + 8 * rows * rows
    return limit < 0x1p62 ? statement.growth.least + Int64(limit) : .max
  }

  /// The size of the file and of the changes that are not yet written to it, in bytes; nil if the file does not exist
  /// anymore.
  private var size: Int? { file.size.map { $0 + unwrittenSize } }

  /// Checks that the results of a statement are not too large for the size of the file. If each row is read once, the
  /// results cannot be larger than the file. A statement with ``Growth/pairs`` can return the values of a related row
  /// many times, so its limit is higher.
  ///
  /// - Throws: ``SQLiteResultCode/tooBig`` or ``SQLiteResultCode/corrupt`` if an undamaged file of this size cannot
  ///   have that many rows or bytes.
  func check(rowCount: Int, byteCount: Int, _ growth: Growth) throws(SQLiteError) {
    guard fixedLimit == nil, let size else { return }
    // Allows more rows than a table can have, because a statement can combine two lists of pairs of objects.
    let rowLimit = 4096 + size / 4
    if rowCount > rowLimit {
      throw SQLiteError(
        .limit, .corrupt, "is damaged: a table has more rows than the file has room for", path: file.name)
    }
    let byteLimit = growth == .rows ? 1 << 20 + 2 * size : 1 << 26 + 64 * size
    if byteCount > byteLimit {
      let message =
        growth == .rows
        ? "is damaged: the rows have more data than the file has room for"
        : "has results larger than 64 times its size: fetch fewer keys, or fewer objects at once"
      throw SQLiteError(.limit, growth == .rows ? .corrupt : .tooBig, message, path: file.name)
    }
    greatestRowCount = max(greatestRowCount, min(rowLimit, 2 * rowCount))
    greatestByteCount = max(greatestByteCount, min(byteLimit, 2 * byteCount))
  }

  /// The message of a statement that was interrupted.
  var message: String {
    guard isExceeded else { return "the statement was interrupted" }
    return fixedLimit.map { "the statement takes more than \($0) instructions" }
      ?? "a statement takes too much work for a file of this size"
  }

  /// Makes SQLite call this object after every 10 000 instructions, and end the statement if a limit is exceeded, or if
  /// the task of a ``CancellableReading`` is cancelled. SQLite does not retain it, so it must live as long as the
  /// connection. Also protects `sqlite_schema`, and limits the depth of triggers.
  func install(in handle: OpaquePointer) {
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe sqlite3_progress_handler(
      handle, Self.interval,
      { context in
        guard let context = unsafe context else { return 0 }
        if CancellableReading.isOn, Task.isCancelled { return 1 }
        return unsafe Unmanaged<WorkLimit>.fromOpaque(context).takeUnretainedValue().count(Int64(WorkLimit.interval))
          ? 0 : 1
      }, context)
    // Statements must not write to `sqlite_schema`, and triggers may call each other at most 50 levels deep.
    unsafe sqlite_switch(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    unsafe sqlite3_limit(handle, SQLITE_LIMIT_TRIGGER_DEPTH, 50)
  }
}

extension WorkLimit.Growth {
  /// The number of instructions that a statement may execute on a file of any size. For `rows` they take about a tenth
  /// of a second. For `pairs` they take some seconds, so that nested conditions work on small files.
  fileprivate var least: Int64 { self == .rows ? 10_000_000 : 200_000_000 }
}
