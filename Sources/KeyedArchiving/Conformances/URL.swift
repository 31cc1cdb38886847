public import FoundationEssentials
@_spi(Archives) internal import PropertyLists

/// `NSURL`: the text as `NS.relative`, and what it is relative to as `NS.base`.
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
    // An empty text stands for its base, which `URL(string:)` does not take.
    let url = text.isEmpty && base != nil ? URLComponents().url(relativeTo: base) : URL(string: text, relativeTo: base)
    guard let url else {
      throw coder.failure(.invalidContents, "\(text.quoted) is no URL")
    }
    self = url
  }
}
