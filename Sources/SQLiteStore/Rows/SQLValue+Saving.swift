internal import FoundationEssentials
internal import ManagedObjects
internal import SQLQueries

extension SQLValue {
  /// Creates a column value for the value of an attribute.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidValue`` for NaN, which SQLite cannot store, and for an invalid URL.
  init(saving value: AttributeValue, isExternal: Bool) throws(ManagedObjectError) {
    let isNaN =
      switch value {
      case .double(let number): number.isNaN
      case .float(let number): number.isNaN
      case .date(let date): date.timeIntervalSinceReferenceDate.isNaN
      case .decimal(let decimal): StoredDecimal.value(decimal) == nil
      default: false
      }
    if isNaN { throw ManagedObjectError(.invalidValue, "SQLite cannot store NaN", value: value) }
    if case .url(let url) = value, URL(string: url.absoluteString) == nil {
      throw ManagedObjectError(.invalidValue, "the text of the URL is not a valid URL", value: value)
    }
    self.init(value, isExternal: isExternal)
  }
}
