internal import FoundationEssentials
public import ObjectModels
public import Predicates
internal import PropertyLists

// The text of values that files keep as text.

extension AttributeValue {
  /// The text that ``AttributeType/value(fromText:)`` makes the value of again; nil for no value.
  ///
  /// | type | text |
  /// |---|---|
  /// | numbers | the fewest digits that are read back as the same number; `nan`, `inf`, `-inf` |
  /// | truth values | `1`, `0` |
  /// | dates | seconds since the beginning of 2001, UTC |
  /// | data, composite values | base64 |
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidValue`` for a number or a URL that could not be read back.
  public func storedText() throws(ManagedObjectError) -> String? {
    switch self {
    case .null: return nil
    case .string(let text): return text
    case .data(let data): return data.base64EncodedString()
    case .composite: return try archivedComposite().base64EncodedString()
    // As XML it would have escapes.
    case .url(let url): return try url.storedText()
    default:
      var output = ByteBuffer()
      try XMLStoreText.append(self, to: &output)
      return String(decoding: output.takeData(), as: UTF8.self)
    }
  }
}

extension AttributeType {
  /// The value of a text that ``AttributeValue/storedText()`` made, or somebody typed; nil for text that is no value
  /// of the type.
  public func value(fromText text: String) -> AttributeValue? {
    if self == .string || self == .undefined { return .string(text) }
    return XMLStoreText.value(text.utf8Span.rawBytes, self)
  }
}

extension Decimal {
  /// The text that the number is read back from.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidValue`` if there is none.
  func storedText() throws(ManagedObjectError) -> String {
    let text = isNaN ? "nan" : description
    guard let read = Decimal(text: text), read == self || read.isNaN && isNaN else {
      throw ManagedObjectError(.invalidValue, "the decimal number \(text.quoted) cannot be read back")
    }
    return text
  }
}

extension URL {
  /// The text that the URL is read back from.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidValue`` if there is none.
  func storedText() throws(ManagedObjectError) -> String {
    let text = absoluteString
    guard URL(string: text)?.absoluteString == text else {
      throw ManagedObjectError(.invalidValue, "the URL \(text.quoted) cannot be read back")
    }
    return text
  }
}
