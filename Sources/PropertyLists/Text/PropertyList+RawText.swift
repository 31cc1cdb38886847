internal import FoundationEssentials

/// Functions that convert scalars to the text for shells, and back.
///
/// | kind | text |
/// |---|---|
/// | string | itself |
/// | integer, UID | decimal digits |
/// | real | the fewest digits that are read back as the same value; `nan`, `inf`, `-inf` |
/// | boolean | `true`, `false` |
/// | date | `2001-01-01T00:00:00.5Z` |
/// | data | base64 |
/// | null | `null` |
extension PropertyList {
  /// The text of a scalar, or nil for a container.
  package var rawText: String? {
    switch self {
    case .string(let value): value
    case .integer(let value): value.description
    case .real(let value): value.description
    case .float(let value): value.description
    case .boolean(let value): value ? "true" : "false"
    case .date(let value): Self.rawText(seconds: value.timeIntervalSinceReferenceDate)
    case .data(let value): value.base64EncodedString()
    case .uid(let value): String(value.value)
    case .null: "null"
    case .array, .dictionary: nil
    }
  }

  private static func rawText(seconds: Double) -> String {
    var buffer = ByteBuffer()
    guard DateText.appendExact(seconds, to: &buffer) else { return DateText.text(seconds) ?? seconds.description }
    return String(knownUTF8: buffer.bytes, isASCII: true)
  }

  /// Creates a scalar of the kind `kind` from its text. In addition to the forms of ``rawText``, a boolean may be
  /// `yes`, `no`, `1` or `0` in any case, an integer may be hexadecimal, and a date may have the form `2001-01-01
  /// 00:00:00 +0000`.
  ///
  /// - Throws: ``PropertyListError/Kind/malformed``; ``PropertyListError/Kind/wrongKind`` for a container.
  package init(rawText text: String, as kind: Kind) throws(PropertyListError) {
    let bytes = text.utf8Span.rawBytes
    let value: PropertyList? =
      switch kind {
      case .string: .string(text)
      case .integer: IntegerText.parse(bytes).map { .integer($0) }
      case .real: RealText.parse(bytes).map { .real($0) }
      case .boolean: Self.boolean(rawText: text)
      case .date:
        (DateText.parseExact(bytes) ?? DateText.parse(bytes) ?? DateText.parseWithZone(bytes)).map {
          .date(Date(timeIntervalSinceReferenceDate: $0))
        }
      case .data: Self.data(rawText: bytes)
      case .uid: IntegerText.parse(bytes).flatMap { UInt32(exactly: $0) }.map { .uid(UID($0)) }
      case .null: text == "null" ? .null : nil
      case .array, .dictionary:
        throw PropertyListError(.wrongKind, "text cannot be converted to a value of kind \(kind.rawValue)")
      }
    guard let value else {
      throw PropertyListError(.malformed, "\(text.quoted) is not a value of kind \(kind.rawValue)")
    }
    self = value
  }

  private static func boolean(rawText text: String) -> PropertyList? {
    switch text.lowercased() {
    case "true", "yes", "1": true
    case "false", "no", "0": false
    default: nil
    }
  }

  private static func data(rawText: RawSpan) -> PropertyList? {
    guard Base64Text.defect(in: rawText, called: "the data") == nil else { return nil }
    var bytes: [UInt8] = []
    Base64Text.decode(rawText, into: &bytes)
    return .data(Data(bytes))
  }
}
