public import OrderedCollections

extension Archived {
  /// `NSError`: a domain, a code and a user info.
  ///
  /// ```swift
  /// let error = Archived.Error(
  ///   domain: "NSCocoaErrorDomain", code: 260, userInfo: ["NSFilePath": .string("/var/notes.txt")])
  /// ```
  public struct Error: SecureCoding {
    public static let archivedClass = ArchivedClass("NSError")

    /// The domain, such as `NSCocoaErrorDomain`.
    public var domain: String
    /// The code of the error in the domain.
    public var code: Int
    /// More information about the error, such as an underlying error. Nil if the archive has no user info.
    ///
    /// Values of types that ``ArchivedValue`` does not list must be in ``KeyedUnarchiver/additionalTypes``.
    public var userInfo: OrderedDictionary<String, ArchivedValue>?

    /// Creates an error.
    public init(domain: String, code: Int, userInfo: OrderedDictionary<String, ArchivedValue>? = nil) {
      self.domain = domain
      self.code = code
      self.userInfo = userInfo
    }

    public init(coder: KeyedUnarchiver) throws {
      domain = try coder.decode(String.self, forRawKey: "NSDomain")
      code = try coder.decode(Int.self, forRawKey: "NSCode")
      userInfo = try coder.decodeIfPresent(OrderedDictionary<String, ArchivedValue>.self, forRawKey: "NSUserInfo")
    }

    public func encode(with coder: KeyedArchiver) throws {
      try coder.encode(domain, forRawKey: "NSDomain")
      try coder.encode(integer: code, forRawKey: "NSCode")
      try coder.encode(userInfo, forRawKey: "NSUserInfo")
    }
  }
}

/// Two errors are equal if their domains, codes and user infos are equal. The order of user-info keys does not matter.
extension Archived.Error: Hashable {
  public static func == (first: Archived.Error, second: Archived.Error) -> Bool {
    first.domain == second.domain && first.code == second.code && first.userInfo.hasSameEntries(as: second.userInfo)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(domain)
    hasher.combine(code)
    userInfo?.hashEntries(into: &hasher)
  }
}
