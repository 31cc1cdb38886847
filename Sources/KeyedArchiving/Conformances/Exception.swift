public import OrderedCollections

extension Archived {
  /// `NSException`: a name, a reason and a user info.
  ///
  /// ```swift
  /// let exception = Archived.Exception(name: "NSRangeException", reason: "index 5 beyond bounds [0 .. 2]")
  /// ```
  public struct Exception: SecureCoding {
    public static let archivedClass = ArchivedClass("NSException")

    /// The name, such as `NSRangeException`.
    public var name: String
    /// A readable reason.
    public var reason: String?
    /// More information about the exception. Nil if the archive has no user info. See ``Error/userInfo``.
    public var userInfo: OrderedDictionary<ArchivedValue, ArchivedValue>?

    /// Creates an exception, without raising it.
    public init(name: String, reason: String? = nil, userInfo: OrderedDictionary<ArchivedValue, ArchivedValue>? = nil) {
      self.name = name
      self.reason = reason
      self.userInfo = userInfo
    }

    public init(coder: KeyedUnarchiver) throws {
      name = try coder.decode(String.self, forRawKey: "NS.name")
      reason = try coder.decodeIfPresent(String.self, forRawKey: "NS.reason")
      userInfo = try coder.decodeIfPresent(
        OrderedDictionary<ArchivedValue, ArchivedValue>.self, forRawKey: "NS.userinfo")
    }

    public func encode(with coder: KeyedArchiver) throws {
      try coder.encode(name, forRawKey: "NS.name")
      try coder.encode(reason, forRawKey: "NS.reason")
      try coder.encode(userInfo, forRawKey: "NS.userinfo")
    }
  }
}

/// Two exceptions are equal if their names, reasons and user infos are equal. The order of user-info keys does not
/// matter.
extension Archived.Exception: Hashable {
  public static func == (first: Archived.Exception, second: Archived.Exception) -> Bool {
    first.name == second.name && first.reason == second.reason && first.userInfo.hasSameEntries(as: second.userInfo)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(reason)
    userInfo?.hashEntries(into: &hasher)
  }
}
