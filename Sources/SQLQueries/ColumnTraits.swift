internal import ManagedObjects

/// The work that a database can do with the columns of a type, so that evaluation in memory has the same results.
struct ColumnTraits {
  let order: Order
  /// True if values are equal only if the columns are, in the form that they are ordered by.
  var isGroupable = false
  /// True if the least and the greatest of many values can be found.
  var hasExtremes = false
  /// True for integers and truth values, whose sum does not depend on the order of the values.
  var isSummable = false

  /// The form of a column by which its values are ordered.
  enum Order {
    case stored
    case truthValue
    case text
    case url
  }
}

extension AttributeType {
  var columnTraits: ColumnTraits {
    switch self {
    case .integer16, .integer32, .integer64:
      ColumnTraits(order: .stored, isGroupable: true, hasExtremes: true, isSummable: true)
    case .boolean: ColumnTraits(order: .truthValue, isGroupable: true, hasExtremes: true, isSummable: true)
    case .decimal, .double, .date, .binary, .uuid: ColumnTraits(order: .stored, isGroupable: true, hasExtremes: true)
    // A column can have more digits than the value.
    case .float: ColumnTraits(order: .stored, hasExtremes: true)
    case .string: ColumnTraits(order: .text, isGroupable: true)
    case .uri: ColumnTraits(order: .url)
    case .objectID: ColumnTraits(order: .stored, isGroupable: true, hasExtremes: true)
    // There is no column.
    case .undefined: ColumnTraits(order: .stored, isGroupable: true)
    case .transformable, .composite: ColumnTraits(order: .stored)
    }
  }
}
