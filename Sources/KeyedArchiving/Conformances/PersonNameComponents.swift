extension Archived {
  /// `NSPersonNameComponents`: the parts of a person's name.
  ///
  /// ```swift
  /// let name = Archived.PersonNameComponents(givenName: "Ada", familyName: "Lovelace")
  /// try coder.encode(name, forKey: "name")
  /// ```
  public struct PersonNameComponents: SecureCoding, Hashable, Sendable {
    public static let archivedClass = FoundationType.personNameComponents.archivedClass

    /// The part before the name, such as `Dr.`.
    public var namePrefix: String?
    /// The first name.
    public var givenName: String?
    /// The second given name.
    public var middleName: String?
    /// The last name.
    public var familyName: String?
    /// The part after the name, such as `Esq.`.
    public var nameSuffix: String?
    /// The nickname.
    public var nickname: String?

    /// Creates a name from its parts.
    public init(
      namePrefix: String? = nil, givenName: String? = nil, middleName: String? = nil, familyName: String? = nil,
      nameSuffix: String? = nil, nickname: String? = nil
    ) {
      self.namePrefix = namePrefix
      self.givenName = givenName
      self.middleName = middleName
      self.familyName = familyName
      self.nameSuffix = nameSuffix
      self.nickname = nickname
    }

    static var parts: [(String, WritableKeyPath<PersonNameComponents, String?>)] {
      [
        ("namePrefix", \.namePrefix), ("givenName", \.givenName), ("middleName", \.middleName),
        ("familyName", \.familyName), ("nameSuffix", \.nameSuffix), ("nickname", \.nickname),
      ]
    }

    public init(coder: KeyedUnarchiver) throws {
      for (key, part) in Self.parts {
        // GNUstep writes the keys without `NS.`.
        self[keyPath: part] =
          try coder.decodeIfPresent(String.self, forRawKey: "NS.\(key)")
          ?? coder.decodeIfPresent(String.self, forRawKey: key)
      }
    }

    public func encode(with coder: KeyedArchiver) throws {
      for (key, part) in Self.parts { try coder.encode(self[keyPath: part], forRawKey: "NS.\(key)") }
    }
  }
}
