public import FoundationEssentials
@_spi(Archives) internal import PropertyLists

extension Archived {
  /// `NSCalendar`: the settings in its archive. Every process can decode it, unlike a `Calendar`.
  public struct Calendar: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("NSCalendar")

    /// 15 October 1582, the start date of Apple's Gregorian calendars.
    public static let gregorianStartDate = Date(timeIntervalSinceReferenceDate: -13_197_600_000)

    /// The identifier, such as `gregorian` or `islamic-civil`.
    public var identifier: String
    /// The time zone. Nil if the archive has none.
    public var timeZone: TimeZone?
    /// The locale. Nil if the archive has none.
    public var locale: Locale?
    /// The first day of the week, from 1 for Sunday to 7. 0 or nil if the archive has none.
    public var firstWeekday: Int?
    /// The number of days that the first week of a year must have, from 1 to 7. 0 or nil if the archive has none.
    public var minimumDaysInFirstWeek: Int?
    /// The day on which the Gregorian calendar replaces the Julian one. Nil if the archive has none.
    public var gregorianStartDate: Date?

    /// Creates a calendar.
    public init(
      identifier: String, timeZone: TimeZone? = nil, locale: Locale? = nil, firstWeekday: Int? = nil,
      minimumDaysInFirstWeek: Int? = nil, gregorianStartDate: Date? = nil
    ) {
      self.identifier = identifier
      self.timeZone = timeZone
      self.locale = locale
      self.firstWeekday = firstWeekday
      self.minimumDaysInFirstWeek = minimumDaysInFirstWeek
      self.gregorianStartDate = gregorianStartDate
    }

    /// Creates the archived form of a calendar. If the calendar follows the user's settings, the archived form has the
    /// current settings.
    ///
    /// - Throws: The errors of ``TimeZone/init(_:)``; ``KeyedArchiveError/Kind/invalidValue`` for a calendar whose
    ///   identifier has no name in Apple's archives.
    public init(_ calendar: FoundationEssentials.Calendar) throws(KeyedArchiveError) {
      guard let identifier = Self.identifiers.first(where: { $0.1 == calendar.identifier })?.0 else {
        throw KeyedArchiveError(.invalidValue, "the calendar \(calendar.identifier) has no name in archives")
      }
      self.init(
        identifier: identifier, timeZone: try TimeZone(calendar.timeZone), locale: calendar.locale.map { Locale($0) },
        firstWeekday: calendar.firstWeekday, minimumDaysInFirstWeek: calendar.minimumDaysInFirstWeek,
        gregorianStartDate: calendar.identifier == .gregorian ? Self.gregorianStartDate : nil)
    }

    public init(coder: KeyedUnarchiver) throws {
      identifier = try coder.decode(String.self, forRawKey: "NS.identifier")
      timeZone = try coder.decodeIfPresent(TimeZone.self, forRawKey: "NS.timezone")
      locale = try coder.decodeIfPresent(Locale.self, forRawKey: "NS.locale")
      firstWeekday = try coder.decodeIfPresent(Int.self, forRawKey: "NS.firstwkdy")
      minimumDaysInFirstWeek = try coder.decodeIfPresent(Int.self, forRawKey: "NS.mindays")
      gregorianStartDate = try coder.decodeIfPresent(Date.self, forRawKey: "NS.gstartdate")
    }

    public func encode(with coder: KeyedArchiver) throws {
      try coder.encode(identifier, forRawKey: "NS.identifier")
      try coder.encode(timeZone, forRawKey: "NS.timezone")
      try coder.encode(locale, forRawKey: "NS.locale")
      if let firstWeekday { try coder.encode(integer: firstWeekday, forRawKey: "NS.firstwkdy") }
      if let minimumDaysInFirstWeek { try coder.encode(integer: minimumDaysInFirstWeek, forRawKey: "NS.mindays") }
      try coder.encode(gregorianStartDate, forRawKey: "NS.gstartdate")
    }

    /// The identifiers of calendars (`NSCalendar.h`).
    fileprivate static let identifiers: [(String, FoundationEssentials.Calendar.Identifier)] = [
      ("gregorian", .gregorian), ("buddhist", .buddhist), ("chinese", .chinese), ("coptic", .coptic),
      ("ethiopic", .ethiopicAmeteMihret), ("ethiopic-amete-alem", .ethiopicAmeteAlem), ("hebrew", .hebrew),
      ("iso8601", .iso8601), ("indian", .indian), ("islamic", .islamic), ("islamic-civil", .islamicCivil),
      ("islamic-tbla", .islamicTabular), ("islamic-umalqura", .islamicUmmAlQura), ("japanese", .japanese),
      ("persian", .persian), ("roc", .republicOfChina),
    ]
  }
}

extension Calendar {
  /// Creates a calendar from its archived form.
  ///
  /// ```swift
  /// let archived = try coder.decode(Archived.Calendar.self, forKey: "calendar")
  /// let calendar = (try? Calendar(archived)) ?? .current
  /// ```
  ///
  /// - Throws: ``KeyedArchiveError/Kind/invalidContents`` for an unknown calendar, for a weekday or number of days that
  ///   is not from 0 to 7, and for an unusual start date of the Gregorian calendar, because a `Calendar` cannot have
  ///   one; ``KeyedArchiveError/Kind/unavailable`` in a process without full Foundation, for all calendars except the
  ///   Gregorian one in English; the errors of `TimeZone.init(_:)`.
  public init(_ archived: Archived.Calendar) throws(KeyedArchiveError) {
    let name = archived.identifier.quoted
    guard let identifier = Archived.Calendar.identifiers.first(where: { $0.0 == archived.identifier })?.1 else {
      throw KeyedArchiveError(.invalidContents, "unknown calendar \(name)")
    }
    guard identifier == .gregorian || InternationalData.isPresent else {
      throw InternationalData.missing(for: "the calendar \(name)")
    }
    // The ISO 8601 calendar does not use the Julian calendar for early days, so its archived start date does not
    // matter.
    if let start = archived.gregorianStartDate, start != Archived.Calendar.gregorianStartDate, identifier != .iso8601 {
      throw KeyedArchiveError(
        .invalidContents, "the calendar \(name) begins at \(start), which Calendar does not support")
    }
    self.init(identifier: identifier)
    // The locale must be set before the settings for weeks, because setting it changes them.
    if let locale = archived.locale { self.locale = try Locale(locale) }
    if let timeZone = archived.timeZone { self.timeZone = try TimeZone(timeZone) }
    if let day = archived.firstWeekday, day != 0 {
      guard (1...7).contains(day) else {
        throw KeyedArchiveError(.invalidContents, "the first weekday of a calendar must be from 1 to 7, not \(day)")
      }
      firstWeekday = day
    }
    if let days = archived.minimumDaysInFirstWeek, days != 0 {
      guard (1...7).contains(days) else {
        throw KeyedArchiveError(
          .invalidContents, "the minimum number of days in the first week must be from 1 to 7, not \(days)")
      }
      minimumDaysInFirstWeek = days
    }
  }
}

/// `NSCalendar`: the identifier, the time zone, the locale, the settings for weeks, and the first day of the Gregorian
/// calendar.
///
/// A process without full Foundation can decode only Gregorian calendars in English. To decode other calendars there,
/// use ``Archived/Calendar``.
extension Calendar: SecureCoding {
  public static let archivedClass = Archived.Calendar.archivedClass

  public func encode(with coder: KeyedArchiver) throws { try Archived.Calendar(self).encode(with: coder) }

  public init(coder: KeyedUnarchiver) throws {
    let archived = try Archived.Calendar(coder: coder)
    try coder.spend(remaking: archived.locale?.identifier.utf8.count ?? 0)
    try coder.spend(remaking: archived.timeZone?.name.utf8.count ?? 0)
    self = try coder.converted(Calendar(archived))
  }
}
