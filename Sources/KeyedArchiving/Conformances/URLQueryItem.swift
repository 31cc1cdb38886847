extension Archived {
  /// `NSURLQueryItem`: a name and a value of the query of a URL.
  public struct URLQueryItem: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("NSURLQueryItem")

    /// The name.
    public var name: String
    /// The value; nil if there is not even an equals sign.
    public var value: String?

    /// An item of a query.
    public init(name: String, value: String?) {
      self.name = name
      self.value = value
    }

    public init(coder: KeyedUnarchiver) throws {
      name = try coder.decode(String.self, forRawKey: "NS.name")
      value = try coder.decodeIfPresent(String.self, forRawKey: "NS.value")
    }

    public func encode(with coder: KeyedArchiver) throws {
      try coder.encode(name, forRawKey: "NS.name")
      try coder.encode(value, forRawKey: "NS.value")
    }
  }
}
