extension Archived {
  /// `NSPersonNameComponents`: the parts of a person's name.
  public struct PersonNameComponents: SecureCoding, Hashable, Sendable {
    public static let archivedClass = FoundationType.personNameComponents.archivedClass

    /// What stands before the name, such as `Dr.`.
    public var namePrefix: String?
    /// The first name.
    public var givenName: String?
    /// A further first name.
    public var middleName: String?
    /// The last name.
    public var familyName: String?
    /// What stands behind the name, such as `Esq.`.
    public var nameSuffix: String?
    /// What friends call the person.
    public var nickname: String?

    /// A name, by its parts.
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
        // GNUstep's keys have no prefix.
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
