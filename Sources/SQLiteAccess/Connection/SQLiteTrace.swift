internal import CSQLite
internal import FoundationEssentials
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
    /// The text of the statement, without values.
    public let sql: String
    /// The text of the statement with the values of its parameters; nil unless ``SQLiteTrace/includesValues`` is true.
    /// An object of the program is shown as `NULL`.
    public let sqlWithValues: String?
    /// The time from the first step of the statement to its end. It includes the time that the program took to use the
    /// rows in between.
    public let duration: Duration
    /// The number of rows that the statement has returned.
    public let rowCount: Int

    /// The event as a line: `sql: 0.214 ms, 3 rows: SELECT …`.
    public var description: String {
      let microseconds = duration / .microseconds(1)
      let milliseconds = (microseconds.rounded() / 1000).description
      return "sql: \(milliseconds) ms, \(rowCount) row\(rowCount == 1 ? "" : "s"): \(sqlWithValues ?? sql)"
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

  /// Returns a trace that calls another function, and then that of `other`.
  package static func calling(_ handler: @escaping @Sendable (Event) -> Void, then other: SQLiteTrace?) -> SQLiteTrace {
    SQLiteTrace(includesValues: other?.includesValues ?? false) { event in
      handler(event)
      other?.handler(event)
    }
  }

  /// Returns a trace that prints a line for each statement to standard error.
  ///
  /// ```swift
  /// store.setTrace(.standardError())   // sql: 0.214 ms, 3 rows: SELECT …
  /// ```
  public static func standardError(includesValues: Bool = false) -> SQLiteTrace {
    SQLiteTrace(includesValues: includesValues) { event in
      let line = event.description.split(whereSeparator: \.isNewline).joined(separator: " ")
      try? FileOutput.standardError.write(Data((line + "\n").utf8))
    }
  }
}

/// The statements that a connection executes, for a trace.
@safe final class Tracer {
  let trace: SQLiteTrace
  private let path: String
  /// The statements that have begun: the time of the first step, and the number of rows so far.
  private var statements: [OpaquePointer: (start: ContinuousClock.Instant, rowCount: Int)] = unsafe [:]

  init(_ trace: SQLiteTrace, path: String) {
    self.trace = trace
    self.path = path
  }

  /// Makes SQLite call this object. SQLite does not retain it, so it must live as long as the connection, or until the
  /// connection has another trace.
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
      trace.handler(
        SQLiteTrace.Event(
          path: path, sql: unsafe sqlite3_sql(statement).map { unsafe String(cString: $0) } ?? "",
          sqlWithValues: trace.includesValues ? unsafe Self.expanded(statement) : nil, duration: duration,
          rowCount: rowCount))
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
