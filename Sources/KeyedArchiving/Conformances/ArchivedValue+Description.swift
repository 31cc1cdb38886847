internal import FoundationEssentials
@_spi(Archives) internal import PropertyLists

extension ArchivedValue: CustomStringConvertible, CustomDebugStringConvertible {
  /// A readable summary of the value, with at most about 2 000 characters. The format may change.
  ///
  /// Parts that do not fit are shown as `…`. Even a value from a small archive can have many parts, because parts can
  /// be shared; see `ParsingLimits.expandedSize`.
  public var description: String {
    var writer = SummaryWriter()
    writer.write(self, depth: 0)
    return writer.text
  }

  /// The same text as ``description``.
  public var debugDescription: String { description }
}

/// A writer of the description of an ``ArchivedValue``. It stops when the text has its maximum length.
private struct SummaryWriter {
  private(set) var text = ""

  private static var greatestLength: Int { 2000 }
  private static var greatestDepth: Int { 20 }

  private var isFull: Bool { text.utf8.count >= Self.greatestLength }

  mutating func write(_ value: ArchivedValue, depth: Int) {
    if isFull || depth > Self.greatestDepth {
      text += "…"
      return
    }
    switch value {
    case .null: text += "null"
    case .boolean(let value): text += "\(value)"
    case .integer(let value): text += "\(value)"
    case .real(let value): text += "\(value)"
    case .float(let value): text += "\(value)"
    case .string(let value): text += value.quoted
    case .data(let value): text += "<data, \(value.count) bytes>"
    case .date(let value): text += "\(value)"
    case .decimal(let value): text += "\(value)"
    case .url(let value): text += "<\(value.absoluteString.printable(limit: 200))>"
    case .uuid(let value): text += "\(value)"
    case .array(let elements): list("[", elements, "]") { $0.write($1, depth: depth + 1) }
    case .set(let elements): list("{", elements, "}") { $0.write($1, depth: depth + 1) }
    case .dictionary(let entries):
      list(entries.isEmpty ? "[:" : "[", entries, "]") { writer, entry in
        writer.write(entry.key, depth: depth + 1)
        writer.text += ": "
        writer.write(entry.value, depth: depth + 1)
      }
    case .value(let value): text += "\(value)".printable(limit: 200)
    // Only the name of the type is written, because the description of the object could have any length.
    case .object(let object): text += "<\(type(of: object))>"
    }
  }

  private mutating func list<S: Sequence>(
    _ start: String, _ elements: S, _ end: String, _ write: (inout SummaryWriter, S.Element) -> Void
  ) {
    text += start
    var isFirst = true
    for element in elements {
      if !isFirst { text += ", " }
      isFirst = false
      if isFull {
        text += "…"
        break
      }
      write(&self, element)
    }
    text += end
  }
}
