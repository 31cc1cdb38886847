internal import CSQLite
internal import ManagedObjects

/// The limits of the work of a statement, and of what its rows have in them: a file can make SQLite go on without end,
/// by a trigger, or by pages that lead back to others.
///
/// The limits grow with the size of the file, and have room for the needs of a sound file of that size.
package final class WorkLimit {
  /// The growth of a statement's work with the file.
  package enum Growth {
    /// Each row is looked at once, or found by its number.
    case rows
    /// Each row may be compared with each other one.
    case pairs
  }

  /// The part of a statement's limits that does not depend on the file.
  struct Statement {
    let growth: Growth
    /// The bytes of its text. It has no more instructions than that for a row.
    let size: Int
    /// The bytes of the texts that were bound to it for this run: lists are read as tables are.
    var boundSize = 0
    /// The most work that was found to be in order.
    fileprivate var limit: Int64 = 0

    init(growth: Growth, size: Int) {
      self.growth = growth
      self.size = size
    }
  }

  /// After how many instructions of SQLite's machine the limit is looked at.
  private static let interval: Int32 = 10_000

  /// The instructions of the statement that runs.
  var work: Int64 = 0
  /// The statement that runs.
  var statement = Statement(growth: .pairs, size: 0)
  /// The most bytes that a transaction may have changed and not written yet.
  var unwrittenSize = 0
  private let file: DatabaseFile
  /// The most rows and bytes that were found to be in order.
  private(set) var greatestRowCount = 4096
  private(set) var greatestByteCount = 1 << 20

  init(_ file: DatabaseFile) { self.file = file }

  /// Counts instructions.
  ///
  /// - Returns: false if there are too many.
  private func count(_ instructions: Int64) -> Bool {
    work += instructions
    if work <= statement.limit { return true }
    statement.limit = limit
    return work <= statement.limit
  }

  /// Counts bytes that a function gets, each as part of an instruction.
  ///
  /// - Returns: false if there are too many.
  func count(bytes: Int) -> Bool { count(Int64(bytes / 8)) }

  /// The most instructions of the statement that runs.
  private var limit: Int64 {
    // The file may have grown.
    guard let size else { return .max }
    // No row has fewer than 8 bytes.
    let linear = Double(size / 8) * Double(64 + statement.size) + 32 * Double(statement.boundSize)
    let rows = Double(size / 64)
    let limit = statement.growth == .rows ? linear : linear + 8 * rows * rows
    return limit < 0x1p62 ? statement.growth.least + Int64(limit) : .max
  }

  /// The bytes of the file, and of what is not in it yet; nil if it is not there any more.
  private var size: Int? { file.size.map { $0 + unwrittenSize } }

  /// Compares what was read with what the file has room for. Every row is in the file, and what it has in it is there
  /// once, but for values of other rows.
  ///
  /// - Throws: ``ManagedObjectError/Code/sqlite`` if the file has not so many rows, or bytes in them.
  func check(rowCount: Int, byteCount: Int, _ growth: Growth) throws(ManagedObjectError) {
    guard let size else { return }
    // Two lists of pairs of objects can be joined in one.
    let rowLimit = 4096 + size / 4
    if rowCount > rowLimit {
      throw ManagedObjectError(.sqlite, "\(file.name) is damaged: a table has more rows than the file has room for")
    }
    let byteLimit = growth == .rows ? 1 << 20 + 2 * size : 1 << 26 + 64 * size
    if byteCount > byteLimit {
      let message =
        growth == .rows
        ? "is damaged: rows have more in them than the file has room for"
        : "has results with more in them than 64 times the file: ask for fewer keys, or for fewer objects at once"
      throw ManagedObjectError(.sqlite, "\(file.name) \(message)")
    }
    greatestRowCount = max(greatestRowCount, min(rowLimit, 2 * rowCount))
    greatestByteCount = max(greatestByteCount, min(byteLimit, 2 * byteCount))
  }

  static let message = "a statement takes more work than anything in a file of this size should"

  /// Lets SQLite ask how much work was done. The limit has to live as long as the connection.
  func install(in handle: OpaquePointer) {
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe sqlite3_progress_handler(
      handle, Self.interval,
      { context in
        guard let context = unsafe context else { return 0 }
        return unsafe Unmanaged<WorkLimit>.fromOpaque(context).takeUnretainedValue().count(Int64(WorkLimit.interval))
          ? 0 : 1
      }, context)
    // A statement cannot write to the schema, and triggers do not call each other for long.
    unsafe sqlite_switch(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    unsafe sqlite3_limit(handle, SQLITE_LIMIT_TRIGGER_DEPTH, 50)
  }
}

extension WorkLimit.Growth {
  /// The instructions that a statement may have whatever the size of the file: about a tenth of a second, and for what
  /// somebody asks of a small file with several conditions in each other, some seconds.
  fileprivate var least: Int64 { self == .rows ? 10_000_000 : 200_000_000 }
}
