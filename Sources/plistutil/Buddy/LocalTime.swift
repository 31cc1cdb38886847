import SystemFiles

/// A date and time in the time zone of the system, which the environment variable `TZ` may set.
///
/// The unsafe expressions are sound: each call fills the structure or buffer that it gets, within its length.
struct LocalTime {
  let year: Int
  /// The month, from 1.
  let month: Int
  let day: Int
  var hour = 0
  var minute = 0
  var second = 0
  /// The day of the week, from 0 for Sunday. It is set only if the value was created from a number of seconds since
  /// 1970.
  private(set) var weekday = 0
  /// The name of the time zone at this time, such as `CET` or `CEST`. It is set in the same cases as ``weekday``.
  private(set) var zone = ""
}

extension LocalTime {
  /// Converts a moment to local time.
  ///
  /// - Parameter moment: the number of seconds since 1970.
  /// - Returns: nil if the year is outside the range of the system.
  init?(_ moment: Int) {
    var moment = time_t(moment)
    var fields = unsafe tm()
    tzset()
    guard unsafe localtime_r(&moment, &fields) != nil else { return nil }
    unsafe self.init(fields)
  }

  private init(_ fields: tm) {
    unsafe self.init(
      year: Int(fields.tm_year) + 1900, month: Int(fields.tm_mon) + 1, day: Int(fields.tm_mday),
      hour: Int(fields.tm_hour), minute: Int(fields.tm_min), second: Int(fields.tm_sec))
    weekday = unsafe Int(fields.tm_wday)
    var fields = unsafe fields
    let size = 64
    var name = [CChar](repeating: 0, count: size)
    let count = unsafe strftime(&name, size, "%Z", &fields)
    zone = String(decoding: name.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Returns the moment of this time (`moment`), in seconds since 1970, and the local time at that moment (`time`). The
  /// two times differ if this time does not exist, because clocks were put forward.
  ///
  /// - Parameter isSummer: true for summer time; nil to let the system decide.
  /// - Returns: nil if the moment is outside the range of the system.
  func moment(isSummer: Bool?) -> (moment: Int, time: LocalTime)? {
    guard let year = Int32(exactly: year - 1900) else { return nil }
    var fields = unsafe tm()
    unsafe fields.tm_year = year
    unsafe fields.tm_mon = Int32(month - 1)
    unsafe fields.tm_mday = Int32(day)
    unsafe fields.tm_hour = Int32(hour)
    unsafe fields.tm_min = Int32(minute)
    unsafe fields.tm_sec = Int32(second)
    unsafe fields.tm_isdst = isSummer.map { $0 ? 1 : 0 } ?? -1
    // `mktime` sets the weekday unless it fails. If it returns −1, it may also have succeeded.
    unsafe fields.tm_wday = -1
    let moment = unsafe mktime(&fields)
    return unsafe fields.tm_wday >= 0 ? (Int(moment), LocalTime(fields)) : nil
  }
}
