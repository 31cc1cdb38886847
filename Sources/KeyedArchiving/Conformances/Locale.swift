public import FoundationEssentials
@_spi(Archives) internal import PropertyLists

extension Archived {
  /// `NSLocale`: the identifier in its archive. Every process can decode it, unlike a `Locale`.
  public struct Locale: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("NSLocale")

    /// The identifier, such as `de_DE`.
    public var identifier: String

    /// Creates a locale with an identifier.
    public init(identifier: String) { self.identifier = identifier }

    /// Creates the archived form of a locale. If the locale follows the user's settings, the archived form has the
    /// current settings.
    public init(_ locale: FoundationEssentials.Locale) { identifier = locale.identifier }

    public init(coder: KeyedUnarchiver) throws {
      identifier = try coder.decode(String.self, forRawKey: "NS.identifier")
    }

    public func encode(with coder: KeyedArchiver) throws { try coder.encode(identifier, forRawKey: "NS.identifier") }
  }
}

extension Locale {
  /// Creates a locale from its archived form.
  ///
  /// - Throws: ``KeyedArchiveError/Kind/unavailable`` in a process without full Foundation, except for `en_001`.
  public init(_ archived: Archived.Locale) throws(KeyedArchiveError) {
    self.init(identifier: archived.identifier)
    guard InternationalData.isPresent || identifier == archived.identifier else {
      throw InternationalData.missing(for: "the locale \(archived.identifier.quoted)")
    }
  }
}

/// `NSLocale`: the identifier.
///
/// A process without full Foundation can decode only `en_001`. To decode other locales there, use ``Archived/Locale``.
extension Locale: SecureCoding {
  public static let archivedClass = Archived.Locale.archivedClass

  public func encode(with coder: KeyedArchiver) throws { try Archived.Locale(self).encode(with: coder) }

  public init(coder: KeyedUnarchiver) throws {
    let archived = try Archived.Locale(coder: coder)
    try coder.spend(remaking: archived.identifier.utf8.count)
    self = try coder.converted(Locale(archived))
  }
}
