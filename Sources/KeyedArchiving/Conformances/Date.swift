public import FoundationEssentials
@_spi(Archives) internal import PropertyLists

/// Archived as an `NSDate`, with the seconds since 2001 in `NS.time`. Dates that are stored directly in the object
/// table, as by GNUstep, are also read.
extension Date: SecureCoding {
  public static let archivedClass = ArchivedClass("NSDate", natives: .date)

  /// Encodes the seconds since 2001.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/invalidValue`` if the number of seconds is not finite.
  public func encode(with coder: KeyedArchiver) throws {
    try coder.require(
      timeIntervalSinceReferenceDate.isFinite,
      "the number of seconds of a date must be finite, not \(timeIntervalSinceReferenceDate)")
    try coder.encode(real: timeIntervalSinceReferenceDate, forRawKey: "NS.time")
  }

  public init(coder: KeyedUnarchiver) throws {
    self = try Date(seconds: coder.decode(Double.self, forRawKey: "NS.time"), coder)
  }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> Date {
    let object = try coder.resolve(reference.node)
    guard object.kind == .date else { return try coder.leaf(Date.self, at: reference) }
    try coder.weigh(1)
    return try Date(seconds: object.real, coder)
  }

  private init(seconds: Double, _ coder: KeyedUnarchiver) throws {
    try coder.require(seconds.isFinite, "the number of seconds of a date must be finite, not \(seconds)")
    self.init(timeIntervalSinceReferenceDate: seconds)
  }
}

/// `NSDateInterval`: the start and end dates.
extension DateInterval: SecureCoding {
  public static let archivedClass = ArchivedClass("NSDateInterval")

  public func encode(with coder: KeyedArchiver) throws {
    try coder.encode(start, forRawKey: "NS.startDate")
    try coder.encode(end, forRawKey: "NS.endDate")
  }

  public init(coder: KeyedUnarchiver) throws {
    let start = try coder.decode(Date.self, forRawKey: "NS.startDate")
    let end = try coder.decode(Date.self, forRawKey: "NS.endDate")
    // The difference of two finite numbers of seconds can be infinite.
    try coder.require(
      start <= end && end.timeIntervalSince(start).isFinite,
      "a date interval cannot go from \(start.timeIntervalSinceReferenceDate) to \(end.timeIntervalSinceReferenceDate)")
    self.init(start: start, end: end)
  }
}
