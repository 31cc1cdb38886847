extension Archived {
  /// `NSISO8601DateFormatter`: the settings for formatting dates according to ISO 8601.
  ///
  /// ```swift
  /// let formatter = Archived.ISO8601DateFormatter(timeZone: Archived.TimeZone(name: "Europe/Berlin"))
  /// ```
  public struct ISO8601DateFormatter: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("NSISO8601DateFormatter", ancestors: ["NSFormatter", "NSObject"])

    /// The value of ``formatOptions`` for year, month, day, time and time zone, with separators: `1999-12-31T23:59:59Z`
    /// (`NSISO8601DateFormatter.h`).
    public static let internetDateTime = 1907

    /// The parts of a date to format, as a value of Apple's `NSISO8601DateFormatOptions`.
    public var formatOptions: Int
    /// The time zone.
    public var timeZone: TimeZone?

    /// Creates a formatter.
    public init(formatOptions: Int = internetDateTime, timeZone: TimeZone? = TimeZone(name: "GMT")) {
      self.formatOptions = formatOptions
      self.timeZone = timeZone
    }

    public init(coder: KeyedUnarchiver) throws {
      formatOptions = try coder.decode(Int.self, forRawKey: "NS.formatOptions")
      timeZone = try coder.decodeIfPresent(TimeZone.self, forRawKey: "NS.timeZone")
    }

    public func encode(with coder: KeyedArchiver) throws {
      try coder.encode(integer: formatOptions, forRawKey: "NS.formatOptions")
      try coder.encode(timeZone, forRawKey: "NS.timeZone")
    }
  }
}
