internal import CSQLite
internal import FoundationEssentials
internal import Synchronization
internal import SystemFiles

/// A function that is called for each statement that a connection has executed.
///
/// ```swift
/// let trace = SQLiteTrace { event in print(event.duration, event.rowCount, event.sql) }
/// let store = try SQLiteStore(file, model: model, options: SQLiteStoreOptions(trace: trace))
/// ```
///
/// The function is called on the thread of the request, while the connection is in use: it must not use the store or
/// the database, and delays the request. Without a trace, statements have no extra cost.
public struct SQLiteTrace: Sendable {
  /// An executed statement.
  public struct Event: Sendable, CustomStringConvertible {
    /// The path of the database file.
    public let path: String
    /// The number of the request for which a store has executed the statement; nil for a database without a store.
    ///
    /// All statements of one operation of a store have the same number: of a fetch, a save, a batch request, or of
    /// reading the rows of objects. No other operation in the process has the number, also none of another store.
    public let request: Int?
    /// The text of the statement, without values.
    public let sql: String
    /// The text of the statement with the values of its parameters; nil unless ``SQLiteTrace/includesValues`` is true.
    /// An object of the program is shown as `NULL`.
    public fileprivate(set) var sqlWithValues: String?
    /// The time from the first step of the statement to its end. It includes the time that the program took to use the
    /// rows in between.
    public let duration: Duration
    /// The number of rows that the statement has returned.
    public let rowCount: Int

    /// The event as a line: `sql: request 12, 0.214 ms, 3 rows: SELECT …`.
    public var description: String { line(namesFile: false) }

    /// The duration in milliseconds, such as `0.214 ms`.
    var durationText: String { "\(((duration / .microseconds(1)).rounded() / 1000).description) ms" }

    fileprivate func line(namesFile: Bool) -> String {
      var parts = namesFile ? [String(path.split(separator: "/").last ?? "")] : []
      if let request { parts.append("request \(request)") }
      parts += [durationText, "\(rowCount) row\(rowCount == 1 ? "" : "s")"]
      return "sql: \(parts.joined(separator: ", ")): \(sqlWithValues ?? sql)"
    }
  }

  /// True if events have the values of parameters. These are the data of the program's users: do not write them to logs
  /// that other people read.
  public let includesValues: Bool
  fileprivate let handler: @Sendable (Event) -> Void

  /// Creates a trace.
  ///
  /// - Parameters:
  ///   - includesValues: True to add the values of parameters to events.
  ///   - handler: Called after each statement.
  public init(includesValues: Bool = false, handler: @escaping @Sendable (Event) -> Void) {
    self.includesValues = includesValues
    self.handler = handler
  }

  /// Returns a trace that prints a line for each statement to standard error.
  ///
  /// ```swift
  /// store.setTrace(.standardError())   // sql: request 12, 0.214 ms, 3 rows: SELECT …
  /// ```
  ///
  /// - Parameters:
  ///   - includesValues: True to print the values of parameters. These are the data of the program's users.
  ///   - namesFile: True to begin each line with the name of the database file.
  public static func standardError(includesValues: Bool = false, namesFile: Bool = false) -> SQLiteTrace {
    SQLiteTrace(includesValues: includesValues) { event in
      let line = event.line(namesFile: namesFile).split(whereSeparator: \.isNewline).joined(separator: " ")
      try? FileOutput.standardError.write(Data((line + "\n").utf8))
    }
  }
}

extension SQLiteTrace {
  private static let lastRequest = Atomic<Int>(0)

  /// Returns the number of a new request.
  package static func nextRequest() -> Int { lastRequest.add(1, ordering: .relaxed).newValue }
}

/// The statements that a connection executes, for traces.
@safe final class Tracer {
  var traces: [SQLiteTrace] = []
  /// The number of the current request; nil for a database without a store.
  var request: Int?
  private let path: String
  /// The statements that have begun: the time of the first step, and the number of rows so far.
  private var statements: [OpaquePointer: (start: ContinuousClock.Instant, rowCount: Int)] = unsafe [:]

  init(path: String) { self.path = path }

  /// Makes SQLite call this object. SQLite does not retain it, so it must live as long as the connection, or until it
  /// is uninstalled.
  func install(in handle: OpaquePointer) {
    let kinds = SQLITE_TRACE_STMT | SQLITE_TRACE_ROW | SQLITE_TRACE_PROFILE
    unsafe sqlite3_trace_v2(handle, UInt32(kinds), traced, Unmanaged.passUnretained(self).toOpaque())
  }

  static func uninstall(from handle: OpaquePointer) { unsafe sqlite3_trace_v2(handle, 0, nil, nil) }

  fileprivate func note(_ kind: UInt32, _ statement: OpaquePointer) {
    switch Int32(kind) {
    // Also called for each trigger of the statement.
    case SQLITE_TRACE_STMT:
      if unsafe statements[statement] == nil { unsafe statements[statement] = (.now, 0) }
    case SQLITE_TRACE_ROW: unsafe statements[statement]?.rowCount += 1
    case SQLITE_TRACE_PROFILE:
      guard let (start, rowCount) = unsafe statements.removeValue(forKey: statement) else { return }
      let duration = ContinuousClock.now - start
      var event = SQLiteTrace.Event(
        path: path, request: request, sql: unsafe sqlite3_sql(statement).map { unsafe String(cString: $0) } ?? "",
        duration: duration, rowCount: rowCount)
      let sql = traces.contains(where: \.includesValues) ? unsafe Self.expanded(statement) : nil
      for trace in traces {
        event.sqlWithValues = trace.includesValues ? sql : nil
        trace.handler(event)
      }
    default: break
    }
  }

  private static func expanded(_ statement: OpaquePointer) -> String? {
    guard let text = unsafe sqlite3_expanded_sql(statement) else { return nil }
    defer { unsafe sqlite3_free(text) }
    return unsafe String(cString: text)
  }
}

private let traced:
  @convention(c) (UInt32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Int32 = {
    kind, context, statement, _ in
    if let context = unsafe context, let statement = unsafe statement {
      unsafe Unmanaged<Tracer>.fromOpaque(context).takeUnretainedValue().note(kind, OpaquePointer(statement))
    }
    return 0
  }
