public import FoundationEssentials
@_spi(Archives) internal import PropertyLists

extension Archived {
  /// `NSTimeZone` as an archive has it: a name, and mostly the rules of the zone. Every process can decode it.
  public struct TimeZone: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("NSTimeZone")

    /// Such as `Europe/Berlin`, or `GMT+0100`.
    public var name: String
    /// The rules of the zone when the archive was written, in the format of the time zone database (RFC 8536). Zones
    /// that are always the same time away from Greenwich have none.
    public var data: Data?

    /// A time zone by name.
    public init(name: String, data: Data? = nil) {
      self.name = name
      self.data = data
    }

    /// What a time zone is archived as, without rules. One that follows the user's settings is archived as what it is
    /// now.
    ///
    /// - Throws: ``KeyedArchiveError/Kind/invalidValue`` for a zone that is no whole number of minutes away from
    ///   Greenwich, because its name does not say so.
    public init(_ timeZone: FoundationEssentials.TimeZone) throws(KeyedArchiveError) {
      let name = timeZone.identifier
      if let seconds = Self.secondsFromGMT(name), seconds != timeZone.secondsFromGMT() {
        throw KeyedArchiveError(
          .invalidValue, "a time zone \(timeZone.secondsFromGMT()) seconds from Greenwich would be archived as \(name)")
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

    /// How far from Greenwich a zone is whose name says it: `GMT`, `UTC`, which Foundation takes for the same, or `GMT`
    /// with a sign, two digits of hours, and two of minutes.
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
  /// The time zone of the name that an archive has, with the rules that are known here.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/invalidContents`` if there is no zone of this name;
  ///   ``KeyedArchiveError/Kind/unavailable`` in a process without full Foundation, which knows only the names that say
  ///   how far from Greenwich a zone is, such as `GMT+0100`.
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
      throw KeyedArchiveError(.invalidContents, "no time zone is called \(archived.name.quoted)")
    }
    self = timeZone
  }
}

/// `NSTimeZone`: the name. The rules that an archive may have besides are not looked at, and not written; those are in
/// ``Archived/TimeZone``.
///
/// In a process without full Foundation only zones such as `GMT` and `GMT+0100` can be decoded.
extension TimeZone: SecureCoding {
  public static let archivedClass = Archived.TimeZone.archivedClass

  public func encode(with coder: KeyedArchiver) throws { try Archived.TimeZone(self).encode(with: coder) }

  public init(coder: KeyedUnarchiver) throws {
    let archived = try Archived.TimeZone(coder: coder)
    try coder.spend(remaking: archived.name.utf8.count)
    self = try coder.converted(TimeZone(archived))
  }
}
