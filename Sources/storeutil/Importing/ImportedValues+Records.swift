import FoundationEssentials
import ManagedObjects
import PropertyLists
import ToolSupport

extension ImportedValues {
  /// Returns the value of an attribute.
  ///
  /// - Throws: ``ManagedObjectError`` for a value that the attribute cannot have.
  func value(
    _ value: ImportRecord.Value, of attribute: AttributeDescription
  ) throws(ManagedObjectError) -> AttributeValue {
    switch value {
    case .text(nil): .null
    case .text(let text?): try self.value(ofText: text, of: attribute)
    case .value(let value): try self.value(value, of: attribute)
    }
  }

  /// Returns the elements of an array, from JSON or from text in CSV.
  func elements(_ value: ImportRecord.Value) throws(ManagedObjectError) -> [ImportRecord.Value] {
    switch value {
    case .text(nil), .value(.null): return []
    case .value(.array(let elements)): return elements.map { .value($0) }
    case .text(let text?):
      if let listSeparator {
        if text.isEmpty { return [] }
        return text.unicodeScalars.split(
          separator: listSeparator.unicodeScalars, omittingEmptySubsequences: false
        ).map { .text(String($0)) }
      }
      guard case .array(let elements)? = try? PropertyList(importedJSON: Data(text.utf8)) else {
        throw ManagedObjectError(
          .invalidValue, "expected a JSON array, found \(text.quoted); use --list-separator for other lists")
      }
      return elements.map { .value($0) }
    case .value(let value): throw ManagedObjectError(.invalidValue, "expected an array, found \(value.foundText)")
    }
  }
}
