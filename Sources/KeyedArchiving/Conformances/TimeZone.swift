public import FoundationEssentials
@_spi(Archives) internal import PropertyLists

extension Archived {
  /// `NSTimeZone`: the name in its archive, and usually the rules of the zone. Every process can decode it, unlike a
  /// `TimeZone`.
  public struct TimeZone: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("NSTimeZone")

    /// The name, such as `Europe/Berlin` or `GMT+0100`.
    public var name: String
    /// The rules of the zone when the archive was written, in the format of the time zone database (RFC 8536). A zone
    /// with a fixed offset from GMT has none.
    public var data: Data?

    /// Creates a time zone with a name.
    public init(name: String, data: Data? = nil) {
      self.name = name
      self.data = data
    }

    /// Creates the archived form of a time zone, without rules. If the time zone follows the user's settings, the
    /// archived form has the current settings.
    ///
    /// - Throws: ``KeyedArchiveError/Kind/invalidValue`` for a zone whose offset from GMT is not a whole number of
    ///   minutes, because its name does not contain the seconds.
    public init(_ timeZone: FoundationEssentials.TimeZone) throws(KeyedArchiveError) {
      let name = timeZone.identifier
      if let seconds = Self.secondsFromGMT(name), seconds != timeZone.secondsFromGMT() {
        throw KeyedArchiveError(
          .invalidValue, "a time zone \(timeZone.secondsFromGMT()) seconds from GMT would be archived as \(name)")
      }
      self.init(name: name)
    }

    public init(coder: KeyedUnarchiver) throws {
      name = try coder.decode(String.self, forRawKey: "NS.name")
      data = try coder.decodeIfPresent(Data.self, forRawKey: "NS.data")
    }

    public func encode(with coder: KeyedArchiver) throws {
      try coder.encode(name, forRawKey: "NS.name")
      if let data {
        try coder.encode(asMutable: data, forRawKey: "NS.data")
      } else {
        try coder.encode(data, forRawKey: "NS.data")
      }
    }

    /// Returns the offset from GMT in seconds for names such as `GMT` and `GMT+0130`: `GMT` with a sign, two digits of
    /// hours and two of minutes. `UTC` is the same as `GMT`. Returns nil for other names.
    static func secondsFromGMT(_ name: String) -> Int? {
      if name == "GMT" || name == "UTC" { return 0 }
      let text = Array(name.utf8)
      guard text.count == 8, name.hasPrefix("GMT") else { return nil }
      let digits = text[4...].map { Int($0) - Int(UInt8(ascii: "0")) }
      guard digits.allSatisfy({ (0...9).contains($0) }), digits[2] < 6 else { return nil }
      let seconds = (digits[0] * 10 + digits[1]) * 3600 + (digits[2] * 10 + digits[3]) * 60
      switch text[3] {
      case UInt8(ascii: "+"): return seconds
      case UInt8(ascii: "-"): return -seconds
      default: return nil
      }
    }
  }
}

extension TimeZone {
  /// Creates a time zone from its archived name, with the rules that this process knows.
  ///
  /// ```swift
  /// let zone = try TimeZone(Archived.TimeZone(name: "GMT+0130"))
  /// zone.secondsFromGMT()  // 5400
  /// ```
  ///
  /// - Throws: ``KeyedArchiveError/Kind/invalidContents`` if no zone has this name;
  ///   ``KeyedArchiveError/Kind/unavailable`` in a process without full Foundation, except for names with an offset
  ///   from GMT, such as `GMT+0100`.
  public init(_ archived: Archived.TimeZone) throws(KeyedArchiveError) {
    let timeZone: TimeZone?
    if let seconds = Archived.TimeZone.secondsFromGMT(archived.name) {
      timeZone = TimeZone(secondsFromGMT: seconds)
    } else if InternationalData.isPresent {
      timeZone = TimeZone(identifier: archived.name)
    } else {
      throw InternationalData.missing(for: "the time zone \(archived.name.quoted)")
    }
    guard let timeZone else {
      throw KeyedArchiveError(.invalidContents, "unknown time zone \(archived.name.quoted)")
    }
    self = timeZone
  }
}

/// Archived as an `NSTimeZone` with a name. The rules of the zone are neither read nor written; for those, use
/// ``Archived/TimeZone``.
///
/// A process without full Foundation can decode only zones such as `GMT` and `GMT+0100`.
extension TimeZone: SecureCoding {
  public static let archivedClass = Archived.TimeZone.archivedClass

  public func encode(with coder: KeyedArchiver) throws { try Archived.TimeZone(self).encode(with: coder) }

  public init(coder: KeyedUnarchiver) throws {
    let archived = try Archived.TimeZone(coder: coder)
    try coder.spend(remaking: archived.name.utf8.count)
    self = try coder.converted(TimeZone(archived))
  }
}
