public import OrderedCollections

extension Archived {
  /// `NSError`: a domain, a code in it, and what there is to say about it.
  public struct Error: SecureCoding {
    public static let archivedClass = ArchivedClass("NSError")

    /// The domain, such as `NSCocoaErrorDomain`.
    public var domain: String
    /// The number of the error in the domain.
    public var code: Int
    /// What there is to say about it, such as an error that caused it; nil if the archive has nothing of the sort.
    ///
    /// Values of other types than those that ``ArchivedValue`` always takes must be among
    /// ``KeyedUnarchiver/additionalTypes``.
    public var userInfo: OrderedDictionary<String, ArchivedValue>?

    /// An error.
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

/// Errors are equal when all they say is, in any order.
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
