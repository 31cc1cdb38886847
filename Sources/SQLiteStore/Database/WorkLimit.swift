internal import CSQLite
internal import ManagedObjects

/// A limit on the work of a statement and on the size of its results. Without it, a damaged or malicious file could
/// keep SQLite busy forever, with triggers or with pages that form a cycle.
///
/// The limits grow with the size of the file, and are generous for a sound file of that size.
package final class WorkLimit {
  /// The growth of a statement's work with the size of the file.
  package enum Growth {
    /// Each row is read once, or found by its primary key.
    case rows
    /// Each row may be compared with each other row.
    case pairs
  }

  /// The part of a statement's limits that does not depend on the size of the file.
  struct Statement {
    let growth: Growth
    /// The number of bytes of its SQL text, an upper bound for the instructions per row.
    let size: Int
    /// The number of bytes of the texts bound for this run. Bound lists are read like tables.
    var boundSize = 0
    /// The highest amount of work accepted so far.
    fileprivate var limit: Int64 = 0

    init(growth: Growth, size: Int) {
      self.growth = growth
      self.size = size
    }
  }

  /// The number of virtual machine instructions between two checks of the limit.
  private static let interval: Int32 = 10_000

  /// The number of instructions that the running statement has executed.
  var work: Int64 = 0
  /// The limits of the running statement.
  var statement = Statement(growth: .pairs, size: 0)
  /// The most bytes that a transaction may have changed without having written them to the file.
  var unwrittenSize = 0
  private let file: DatabaseFile
  /// The highest numbers of rows and bytes accepted so far.
  private(set) var greatestRowCount = 4096
  private(set) var greatestByteCount = 1 << 20

  init(_ file: DatabaseFile) { self.file = file }

  /// Counts instructions.
  ///
  /// - Returns: False if the limit is exceeded.
  private func count(_ instructions: Int64) -> Bool {
    work += instructions
    if work <= statement.limit { return true }
    statement.limit = limit
    return work <= statement.limit
  }

  /// Counts the bytes that a registered function receives, as one instruction per 8 bytes.
  ///
  /// - Returns: False if the limit is exceeded.
  func count(bytes: Int) -> Bool { count(Int64(bytes / 8)) }

  /// The most instructions that the running statement may execute.
  private var limit: Int64 {
    // The file may have grown.
    guard let size else { return .max }
    // A row has at least 8 bytes.
    let linear = Double(size / 8) * Double(64 + statement.size) + 32 * Double(statement.boundSize)
    let rows = Double(size / 64)
    let limit = statement.growth == .rows ? linear : linear + 8 * rows * rows
    return limit < 0x1p62 ? statement.growth.least + Int64(limit) : .max
  }

  /// The size of the file and of the changes not written yet, in bytes; nil if the file does not exist anymore.
  private var size: Int? { file.size.map { $0 + unwrittenSize } }

  /// Checks the size of the results against the size of the file. Each row is in the file, with its own copy of its
  /// values, except for values of other rows.
  ///
  /// - Throws: ``ManagedObjectError/Code/sqlite`` if the file is too small for that many rows or bytes.
  func check(rowCount: Int, byteCount: Int, _ growth: Growth) throws(ManagedObjectError) {
    guard let size else { return }
    // The result can be a join of two lists of pairs of objects.
    let rowLimit = 4096 + size / 4
    if rowCount > rowLimit {
      throw ManagedObjectError(.sqlite, "\(file.name) is damaged: a table has more rows than the file has room for")
    }
    let byteLimit = growth == .rows ? 1 << 20 + 2 * size : 1 << 26 + 64 * size
    if byteCount > byteLimit {
      let message =
        growth == .rows
        ? "is damaged: the rows have more data than the file has room for"
        : "has results larger than 64 times its size: fetch fewer keys, or fewer objects at once"
      throw ManagedObjectError(.sqlite, "\(file.name) \(message)")
    }
    greatestRowCount = max(greatestRowCount, min(rowLimit, 2 * rowCount))
    greatestByteCount = max(greatestByteCount, min(byteLimit, 2 * byteCount))
  }

  static let message = "a statement takes too much work for a file of this size"

  /// Registers the limit as SQLite's progress handler. The limit must live as long as the connection.
  func install(in handle: OpaquePointer) {
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe sqlite3_progress_handler(
      handle, Self.interval,
      { context in
        guard let context = unsafe context else { return 0 }
        return unsafe Unmanaged<WorkLimit>.fromOpaque(context).takeUnretainedValue().count(Int64(WorkLimit.interval))
          ? 0 : 1
      }, context)
    // Statements cannot write to the schema, and nested triggers are limited to a depth of 50.
    unsafe sqlite_switch(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    unsafe sqlite3_limit(handle, SQLITE_LIMIT_TRIGGER_DEPTH, 50)
  }
}

extension WorkLimit.Growth {
  /// The number of instructions that a statement may execute regardless of the file's size. It takes about a tenth of a
  /// second for `rows`, and some seconds for `pairs`, so that nested conditions work on small files.
  fileprivate var least: Int64 { self == .rows ? 10_000_000 : 200_000_000 }
}
