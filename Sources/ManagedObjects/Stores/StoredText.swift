internal import FoundationEssentials
internal import PropertyLists

// The text of values that files keep as text.

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
