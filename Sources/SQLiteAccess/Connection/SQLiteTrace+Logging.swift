#if SwiftLog
  public import Logging

  extension SQLiteTrace {
    /// Returns a trace that writes each statement to a logger. It needs the trait `SwiftLog` of the package, which adds
    /// swift-log to its dependencies:
    ///
    /// ```swift
    /// .package(url: "…/swift-keyed-archiving", from: "…", traits: ["SwiftLog"])
    /// ```
    ///
    /// ```swift
    /// let trace = SQLiteTrace.logger(Logger(label: "notes.sql"), slowStatements: .milliseconds(50))
    /// let store = try SQLiteStore(file, model: model, options: SQLiteStoreOptions(trace: trace))
    /// ```
    ///
    /// The message is the same for all statements. The metadata has the statement:
    ///
    /// | key | value |
    /// |---|---|
    /// | `sql` | the text; with the values of parameters if `includesValues` is true |
    /// | `duration` | the time in milliseconds, such as `0.214 ms` |
    /// | `rows` | the number of rows that the statement has returned |
    /// | `request` | ``SQLiteTrace/Event/request``; missing for a database without a store |
    /// | `store` | the path of the file |
    ///
    /// - Parameters:
    ///   - logger: The logger. It can have metadata of its own.
    ///   - level: The level of statements.
    ///   - slowStatements: Statements that take this time or longer are logged as warnings; nil for none.
    ///   - includesValues: True to log the values of parameters. These are the data of the program's users.
    public static func logger(
      _ logger: Logger, level: Logger.Level = .debug, slowStatements: Duration? = nil, includesValues: Bool = false
    ) -> SQLiteTrace {
      SQLiteTrace(includesValues: includesValues) { event in
        let isSlow = slowStatements.map { event.duration >= $0 } ?? false
        logger.log(
          level: isSlow ? max(level, .warning) : level, isSlow ? "slow statement" : "statement",
          metadata: event.logMetadata)
      }
    }
  }

  extension SQLiteTrace.Event {
    fileprivate var logMetadata: Logger.Metadata {
      var metadata: Logger.Metadata = [
        "sql": "\(sqlWithValues ?? sql)", "duration": "\(durationText)", "rows": "\(rowCount)", "store": "\(path)",
      ]
      if let request { metadata["request"] = "\(request)" }
      return metadata
    }
  }
#endif
