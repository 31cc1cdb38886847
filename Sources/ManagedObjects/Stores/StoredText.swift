internal import FoundationEssentials
public import ObjectModels
public import Predicates
internal import PropertyLists

// Conversion between values and the text that files store.

extension AttributeValue {
  /// Returns text that ``AttributeType/value(fromText:)`` converts back to the value; nil for null.
  ///
  /// ```swift
  /// print(try AttributeValue.double(0.1).storedText() ?? "")     // 0.1
  /// print(try AttributeValue.boolean(true).storedText() ?? "")   // 1
  /// ```
  ///
  /// | type | text |
  /// |---|---|
  /// | numbers | the fewest digits that are read back as the same number; `nan`, `inf`, `-inf` |
  /// | Booleans | `1`, `0` |
  /// | dates | seconds since the beginning of 2001, UTC |
  /// | data, composite values | base64 |
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidValue`` for a number or URL that cannot be read back.
  public func storedText() throws(ManagedObjectError) -> String? {
    switch self {
    case .null: return nil
    case .string(let text): return text
    case .data(let data): return data.base64EncodedString()
    case .composite: return try archivedComposite().base64EncodedString()
    // Not `XMLStoreText`, which would add the escapes of XML.
    case .url(let url): return try url.storedText()
    default:
      var output = ByteBuffer()
      try XMLStoreText.append(self, to: &output)
      return String(decoding: output.takeData(), as: UTF8.self)
    }
  }
}

extension AttributeType {
  /// Parses text from ``AttributeValue/storedText()`` or from a user as a value of the type. Returns nil if the text is
  /// not a value of the type.
  ///
  /// ```swift
  /// let number = AttributeType.integer32.value(fromText: "12")   // .integer(12)
  /// let date = AttributeType.date.value(fromText: "soon")        // nil
  /// ```
  public func value(fromText text: String) -> AttributeValue? {
    if self == .string || self == .undefined { return .string(text) }
    return XMLStoreText.value(text.utf8Span.rawBytes, self)
  }
}

extension Decimal {
  /// Returns text that can be read back as the number.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidValue`` if the number cannot be read back.
  func storedText() throws(ManagedObjectError) -> String {
    let text = isNaN ? "nan" : description
    guard let read = Decimal(text: text), read == self || read.isNaN && isNaN else {
      throw ManagedObjectError(.invalidValue, "the decimal number \(text.quoted) cannot be read back")
    }
    return text
  }
}

extension URL {
  /// Returns text that can be read back as the URL.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidValue`` if the URL cannot be read back.
  func storedText() throws(ManagedObjectError) -> String {
    let text = absoluteString
    guard URL(string: text)?.absoluteString == text else {
      throw ManagedObjectError(.invalidValue, "the URL \(text.quoted) cannot be read back")
    }
    return text
  }
}
