public import FoundationEssentials
@_spi(Archives) internal import PropertyLists

/// Archived as an `NSURL`, with the text in `NS.relative` and the base URL in `NS.base`.
extension URL: SecureCoding {
  public static let archivedClass = ArchivedClass("NSURL")

  public func encode(with coder: KeyedArchiver) throws {
    try coder.encode(baseURL, forRawKey: "NS.base")
    try coder.encode(relativeString, forRawKey: "NS.relative")
  }

  public init(coder: KeyedUnarchiver) throws {
    let base = try coder.decodeIfPresent(URL.self, forRawKey: "NS.base")
    let text = try coder.decode(String.self, forRawKey: "NS.relative")
    try coder.spend(remaking: text.utf8.count)
    // An empty text means the base URL, but `URL(string:)` does not accept it.
    let url = text.isEmpty && base != nil ? URLComponents().url(relativeTo: base) : URL(string: text, relativeTo: base)
    guard let url else { throw coder.failure(.invalidContents, "\(text.quoted) is not a valid URL") }
    self = url
  }
}

extension Archived {
  /// `NSURLQueryItem`: a name and a value in the query of a URL.
  ///
  /// ```swift
  /// let page = Archived.URLQueryItem(name: "page", value: "2")  // page=2
  /// ```
  public struct URLQueryItem: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("NSURLQueryItem")

    /// The name.
    public var name: String
    /// The value. Nil if the item has no equals sign.
    public var value: String?

    /// Creates a query item.
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
