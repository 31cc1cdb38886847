public import FoundationEssentials

/// `NSDateComponents`: each component that is set, under its own key.
///
/// Foundation on Linux writes all components, with the largest integer for those that are not set. Components with this
/// integer are read as not set.
extension DateComponents: SecureCoding {
  public static let archivedClass = ArchivedClass("NSDateComponents")

  /// Encodes each component that is set.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/invalidValue`` if the day of the year is set, because Apple's key for it is
  ///   unknown.
  public func encode(with coder: KeyedArchiver) throws {
    if let dayOfYear {
      throw KeyedArchiveError(.invalidValue, "the day of the year, \(dayOfYear), has no form in archives")
    }
    for (key, component) in Self.components {
      if let value = self[keyPath: component] { try coder.encode(integer: value, forRawKey: key) }
    }
    if let isLeapMonth { try coder.encode(boolean: isLeapMonth, forRawKey: "NS.isLeapMonth") }
    if let calendar { try coder.encode(calendar, forRawKey: "NS.calendar") }
    if let timeZone { try coder.encode(timeZone, forRawKey: "NS.timezone") }
  }

  public init(coder: KeyedUnarchiver) throws {
    self.init()
    for (key, component) in Self.components {
      guard let value = try coder.decodeIfPresent(Int.self, forRawKey: key), value != Self.undefined else { continue }
      self[keyPath: component] = value
    }
    isLeapMonth =
      try coder.decodeIfPresent(Bool.self, forRawKey: "NS.isLeapMonth")
      ?? coder.decodeIfPresent(Bool.self, forRawKey: "NS.leapMonth")
    calendar = try coder.decodeIfPresent(Calendar.self, forRawKey: "NS.calendar")
    timeZone = try coder.decodeIfPresent(TimeZone.self, forRawKey: "NS.timezone")
  }

  /// `NSDateComponentUndefined` (`NSCalendar.h`).
  private static let undefined = Int.max

  private static var components: [(String, WritableKeyPath<DateComponents, Int?>)] {
    [
      ("NS.era", \.era), ("NS.year", \.year), ("NS.quarter", \.quarter), ("NS.month", \.month), ("NS.day", \.day),
      ("NS.hour", \.hour), ("NS.minute", \.minute), ("NS.second", \.second), ("NS.nanosec", \.nanosecond),
      ("NS.weekOfYear", \.weekOfYear), ("NS.weekOfMonth", \.weekOfMonth), ("NS.yearForWOY", \.yearForWeekOfYear),
      ("NS.weekday", \.weekday), ("NS.weekdayOrdinal", \.weekdayOrdinal),
    ]
  }
}
