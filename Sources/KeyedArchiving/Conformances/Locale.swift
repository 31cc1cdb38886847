public import FoundationEssentials
@_spi(Archives) internal import PropertyLists

extension Archived {
  /// `NSLocale` as an archive has it: an identifier. Every process can decode it.
  public struct Locale: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("NSLocale")

    /// Such as `de_DE`.
    public var identifier: String

    /// A locale by identifier.
    public init(identifier: String) { self.identifier = identifier }

    /// What a locale is archived as. One that follows the user's settings is archived as what it is now.
    public init(_ locale: FoundationEssentials.Locale) { identifier = locale.identifier }

    public init(coder: KeyedUnarchiver) throws {
      identifier = try coder.decode(String.self, forRawKey: "NS.identifier")
    }

    public func encode(with coder: KeyedArchiver) throws { try coder.encode(identifier, forRawKey: "NS.identifier") }
  }
}

extension Locale {
  /// The locale that an archive has.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/unavailable`` in a process without full Foundation, unless it is `en_001`.
  public init(_ archived: Archived.Locale) throws(KeyedArchiveError) {
    self.init(identifier: archived.identifier)
    guard InternationalData.isPresent || identifier == archived.identifier else {
      throw InternationalData.missing(for: "the locale \(archived.identifier.quoted)")
    }
  }
}

/// `NSLocale`: the identifier.
///
/// In a process without full Foundation only `en_001` can be decoded; ask for ``Archived/Locale`` there.
extension Locale: SecureCoding {
  public static let archivedClass = Archived.Locale.archivedClass

  public func encode(with coder: KeyedArchiver) throws { try Archived.Locale(self).encode(with: coder) }

  public init(coder: KeyedUnarchiver) throws {
    let archived = try Archived.Locale(coder: coder)
    try coder.spend(remaking: archived.identifier.utf8.count)
    self = try coder.converted(Locale(archived))
  }
}
