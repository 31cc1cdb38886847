internal import FoundationEssentials

/// The data about languages, calendars and time zones that comes with full Foundation.
///
/// A process that links only FoundationEssentials does not have it. There each locale becomes `en_001`, no time zone is
/// found by its name, and most calendars end the process. So nothing is asked of those types before it is known that
/// the data is there.
enum InternationalData {
  static let isPresent = TimeZone(identifier: "UTC") != nil

  static func missing(for value: String) -> KeyedArchiveError {
    KeyedArchiveError(.unavailable, "\(value) needs a process that links full Foundation")
  }
}

extension KeyedUnarchiver {
  /// Makes a value of all that was decoded of the current object; an error gets its position in the archive.
  func converted<T>(_ value: @autoclosure () throws(KeyedArchiveError) -> T) throws -> T {
    current.step = nil
    return try located(value())
  }
}
