extension Archived {
  /// `NSDateIntervalFormatter`: the settings for formatting intervals between dates.
  public struct DateIntervalFormatter: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("NSDateIntervalFormatter", ancestors: ["NSFormatter", "NSObject"])

    /// The length of dates, as a value of Apple's style (`NSDateIntervalFormatter.h`): 0 for none, 1 to 4 from short to
    /// full.
    public var dateStyle: Int
    /// The length of times, with the values of ``dateStyle``.
    public var timeStyle: Int
    /// The template that is used instead of the styles. Nil if the archive has none.
    public var dateTemplate: String?
    /// The template that Apple's formatter has derived from the styles. Nil if the archive has none.
    public var dateTemplateFromStyles: String?
    /// True if the settings were changed after Apple's formatter derived ``dateTemplateFromStyles`` from them.
    public var isModified: Bool
    /// True if the formatter uses ``dateTemplate`` instead of the styles.
    public var usesTemplate: Bool
    /// The locale. Nil if the archive has none.
    public var locale: Locale?
    /// The calendar. Nil if the archive has none.
    public var calendar: Calendar?
    /// The time zone. Nil if the archive has none.
    public var timeZone: TimeZone?

    /// Creates a formatter.
    public init(
      dateStyle: Int = 2, timeStyle: Int = 2, dateTemplate: String? = nil, dateTemplateFromStyles: String? = nil,
      isModified: Bool = false, usesTemplate: Bool = false, locale: Locale? = nil, calendar: Calendar? = nil,
      timeZone: TimeZone? = nil
    ) {
      self.dateStyle = dateStyle
      self.timeStyle = timeStyle
      self.dateTemplate = dateTemplate
      self.dateTemplateFromStyles = dateTemplateFromStyles
      self.isModified = isModified
      self.usesTemplate = usesTemplate
      self.locale = locale
      self.calendar = calendar
      self.timeZone = timeZone
    }

    public init(coder: KeyedUnarchiver) throws {
      dateStyle = try coder.decode(Int.self, forRawKey: "NS.dateStyle")
      timeStyle = try coder.decode(Int.self, forRawKey: "NS.timeStyle")
      dateTemplate = try coder.decodeIfPresent(String.self, forRawKey: "NS.dateTemplate")
      dateTemplateFromStyles = try coder.decodeIfPresent(String.self, forRawKey: "NS.dateTemplateFromStyles")
      isModified = try coder.decodeIfPresent(Bool.self, forRawKey: "NS.modified") ?? false
      usesTemplate = try coder.decodeIfPresent(Bool.self, forRawKey: "NS.useTemplate") ?? false
      locale = try coder.decodeIfPresent(Locale.self, forRawKey: "NS.locale")
      calendar = try coder.decodeIfPresent(Calendar.self, forRawKey: "NS.calendar")
      timeZone = try coder.decodeIfPresent(TimeZone.self, forRawKey: "NS.timeZone")
    }

    public func encode(with coder: KeyedArchiver) throws {
      try coder.encode(integer: dateStyle, forRawKey: "NS.dateStyle")
      try coder.encode(integer: timeStyle, forRawKey: "NS.timeStyle")
      try coder.encode(dateTemplate, forRawKey: "NS.dateTemplate")
      try coder.encode(dateTemplateFromStyles, forRawKey: "NS.dateTemplateFromStyles")
      try coder.encode(boolean: isModified, forRawKey: "NS.modified")
      try coder.encode(boolean: usesTemplate, forRawKey: "NS.useTemplate")
      if let locale { try coder.encode(locale, forRawKey: "NS.locale") }
      if let calendar { try coder.encode(calendar, forRawKey: "NS.calendar") }
      if let timeZone { try coder.encode(timeZone, forRawKey: "NS.timeZone") }
    }
  }
}
