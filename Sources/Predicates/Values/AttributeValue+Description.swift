internal import FoundationEssentials
internal import PropertyLists

extension AttributeValue: CustomStringConvertible {
  /// The value as people read it, on one line: `3`, `"Untitled"`, `2026-01-31T12:00:00Z`, `<4 bytes: 00ff0102>`, `nil`.
  ///
  /// Texts are between quotation marks, with the numbers of characters that cannot be seen. Long texts and data are
  /// shortened. The value of a composite attribute is `{city: "Oslo", zip: nil}`, in the order of the names.
  public var description: String {
    switch self {
    case .null: "nil"
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .decimal(let value): value.description
    case .double(let value): "\(value)"
    case .float(let value): "\(value)"
    case .string(let value): "\"\(value.printable(limit: 200))\""
    case .date(let value): Self.text(seconds: value.timeIntervalSinceReferenceDate)
    case .data(let value): Self.text(value)
    case .uuid(let value): value.uuidString
    case .url(let value): value.absoluteString.printable(limit: 200)
    case .composite:
      "{" + (leavesInOrder ?? []).map { "\($0.printable(limit: 100)): \($1)" }.joined(separator: ", ") + "}"
    }
  }

  private static func text(seconds: Double) -> String {
    DateText.text(seconds) ?? "\(seconds) seconds from 2001"
  }

  private static func text(_ data: Data) -> String {
    if data.isEmpty { return "<0 bytes>" }
    let digits = data.prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let count = data.count == 1 ? "1 byte" : "\(data.count) bytes"
    return "<\(count): \(digits)\(data.count > 16 ? "…" : "")>"
  }
}
