public import FoundationEssentials

/// `NSDateInterval`: the dates on which it starts and ends.
extension DateInterval: SecureCoding {
  public static let archivedClass = ArchivedClass("NSDateInterval")

  public func encode(with coder: KeyedArchiver) throws {
    try coder.encode(start, forRawKey: "NS.startDate")
    try coder.encode(end, forRawKey: "NS.endDate")
  }

  public init(coder: KeyedUnarchiver) throws {
    let start = try coder.decode(Date.self, forRawKey: "NS.startDate")
    let end = try coder.decode(Date.self, forRawKey: "NS.endDate")
    // Two dates may be too far apart for the seconds between them.
    try coder.require(
      start <= end && end.timeIntervalSince(start).isFinite,
      "an interval from \(start.timeIntervalSinceReferenceDate) to \(end.timeIntervalSinceReferenceDate) seconds")
    self.init(start: start, end: end)
  }
}
