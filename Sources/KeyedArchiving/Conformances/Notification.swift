public import OrderedCollections

extension Archived {
  /// `NSNotification`: a name, what it is about, and what there is to say about it.
  public struct Notification: SecureCoding {
    public static let archivedClass = ArchivedClass("NSNotification")

    /// The name.
    public var name: String
    /// What the notification is about, mostly its sender.
    public var object: ArchivedValue?
    /// What there is to say about it; nil if the archive has nothing of the sort. See ``Error/userInfo``.
    public var userInfo: OrderedDictionary<ArchivedValue, ArchivedValue>?

    /// A notification. Nothing is posted.
    public init(
      name: String, object: ArchivedValue? = nil, userInfo: OrderedDictionary<ArchivedValue, ArchivedValue>? = nil
    ) {
      self.name = name
      self.object = object
      self.userInfo = userInfo
    }

    public init(coder: KeyedUnarchiver) throws {
      name = try coder.decode(String.self, forRawKey: "NS.name")
      object = try coder.decodeIfPresent(ArchivedValue.self, forRawKey: "NS.object")
      userInfo = try coder.decodeIfPresent(
        OrderedDictionary<ArchivedValue, ArchivedValue>.self, forRawKey: "NS.userinfo")
    }

    public func encode(with coder: KeyedArchiver) throws {
      try coder.encode(name, forRawKey: "NS.name")
      try coder.encode(object, forRawKey: "NS.object")
      try coder.encode(userInfo, forRawKey: "NS.userinfo")
    }
  }
}

/// Notifications are equal when all they say is, in any order.
extension Archived.Notification: Hashable {
  public static func == (first: Archived.Notification, second: Archived.Notification) -> Bool {
    first.name == second.name && first.object == second.object && first.userInfo.hasSameEntries(as: second.userInfo)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(object)
    userInfo?.hashEntries(into: &hasher)
  }
}
