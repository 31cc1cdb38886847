internal import FoundationEssentials

/// A check for the data about languages, calendars and time zones that full Foundation includes.
///
/// A process that links only FoundationEssentials does not have this data. In such a process, every locale becomes
/// `en_001`, no time zone is found by its name, and most calendars end the process. So this package checks for the data
/// before it uses locales, time zones and calendars.
enum InternationalData {
  static let isPresent = TimeZone(identifier: "UTC") != nil

  static func missing(for value: String) -> KeyedArchiveError {
    KeyedArchiveError(.unavailable, "\(value) needs a process that links full Foundation")
  }
}

extension KeyedUnarchiver {
  /// Returns the result of converting the contents of the current object. If the conversion throws, adds the position
  /// in the archive to the error.
  func converted<T>(_ value: @autoclosure () throws(KeyedArchiveError) -> T) throws -> T {
    current.step = nil
    return try located(value())
  }
}
