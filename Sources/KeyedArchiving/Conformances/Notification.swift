public import OrderedCollections

extension Archived {
  /// `NSNotification`: a name, an object and a user info.
  ///
  /// ```swift
  /// let notification = Archived.Notification(
  ///   name: "NoteDidChange", userInfo: [.string("title"): .string("Shopping")])
  /// ```
  public struct Notification: SecureCoding {
    public static let archivedClass = ArchivedClass("NSNotification")

    /// The name.
    public var name: String
    /// The object of the notification, usually its sender. Nil if the archive has none.
    public var object: ArchivedValue?
    /// More information about the notification. Nil if the archive has no user info. See ``Error/userInfo``.
    public var userInfo: OrderedDictionary<ArchivedValue, ArchivedValue>?

    /// Creates a notification, without posting it.
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

/// Two notifications are equal if their names, objects and user infos are equal. The order of user-info keys does not
/// matter.
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
